"""How fast is it here: the models to be measured, and what was found, as bars."""

from collections.abc import Callable, Sequence

import flet as ft

from munin_app.evaluation.speed.models import ModelSpeed
from munin_app.i18n import _, decimal
from munin_app.ui.components.base import card, described, gap, lines, note, padding, scrolled, section, stack, text, working
from munin_app.ui.components.buttons import button, switch
from munin_app.ui.components.header import page_header
from munin_app.ui.format import grouped_number, size
from munin_app.ui.session import PageSession
from munin_app.ui.state import ModelsPage, SpeedPage
from munin_app.ui.tokens import COLUMN, RADIUS_PILL, S1, S2, S3, S4, S8, Tokens

_STEPS = 1000
"""A bar is so many parts of what is the longest one."""
_BAR = 10


def _choice(t: Tokens, session: PageSession, model_id: str, name: str, detail: str, state: SpeedPage) -> ft.Container:
    words = lines([text(t, name, "label"), text(t, detail, "small", t.text2)])
    if state.running:
        return ft.Container(words, padding=padding(S4, S2, S4, S2))
    on = switch(
        t, model_id not in state.left_out, _("Measure {name}").format(name=name), lambda on: session.speed.choose(model_id, on)
    )
    return ft.Container(ft.Row([words, on], spacing=S3), padding=padding(S4, S2, S4, S2))


def _bar(t: Tokens, name: str, share: float, figure: str) -> ft.Control:
    """Its length is drawn by the room that it and the rest get, so that it fits any width."""
    full = max(1, round(share * _STEPS))
    parts: list[ft.Control] = [ft.Container(expand=full, height=_BAR, bgcolor=t.seed, border_radius=RADIUS_PILL)]
    if full < _STEPS:
        parts.append(ft.Container(expand=_STEPS - full))
    track = ft.Container(ft.Row(parts, spacing=0), bgcolor=t.well, border_radius=RADIUS_PILL, height=_BAR)
    head = ft.Row([text(t, name, "small", t.text2, lines=1, expand=True), text(t, figure, "smallb", wrap=False)], spacing=S2)
    return described(stack([head, track], S1), label=f"{name}: {figure}")


def _chart(
    t: Tokens,
    title: str,
    detail: str,
    speeds: Sequence[ModelSpeed],
    value: Callable[[ModelSpeed], float],
    figure: Callable[[ModelSpeed], str],
) -> ft.Container:
    most = max(map(value, speeds)) or 1.0
    bars = [_bar(t, speed.name, value(speed) / most, figure(speed)) for speed in speeds]
    head = stack([text(t, title, "label"), text(t, detail, "small", t.text2)])
    return ft.Container(stack([head, *bars], S3), padding=S4)


def _memory(speed: ModelSpeed) -> str:
    words = _("about {size} with {context} tokens") if speed.estimated else _("{size} with {context} tokens")
    return words.format(size=size(speed.memory_bytes), context=grouped_number(speed.context_tokens))


def _results(t: Tokens, session: PageSession, state: SpeedPage) -> list[ft.Control]:
    speeds = [speed for speed in state.speeds if not speed.error]
    rows: list[ft.Control] = []
    if speeds:
        charts = [
            _chart(
                t,
                _("Reading"),
                _("How fast a message is taken in"),
                speeds,
                lambda one: one.reading,
                lambda one: _("{number} tokens/s").format(number=decimal(one.reading)),
            ),
            _chart(
                t,
                _("Writing"),
                _("How fast a reply comes"),
                speeds,
                lambda one: one.writing,
                lambda one: _("{number} tokens/s").format(number=decimal(one.writing, 1)),
            ),
            _chart(t, _("Memory"), _("With the context that it gets here"), speeds, lambda one: float(one.memory_bytes), _memory),
        ]
        rows.append(card(t, charts))
    for speed in state.speeds:
        if speed.error:
            rows += [
                gap(S2),
                text(t, _("{name} could not be measured. {error}").format(name=speed.name, error=speed.error), "small", t.danger),
            ]
    copy = button(t, _("Copy as text"), session.speed.copy, name=ft.Icons.CONTENT_COPY)
    return [section(t, _("On this device")), *rows, gap(S3), ft.Row([copy])] if rows else []


def _running(t: Tokens, session: PageSession, state: SpeedPage) -> ft.Control:
    words = (
        _("Measuring {measuring} …").format(measuring=state.measuring)
        if state.measuring
        else _("The model in use is coming back …")
    )
    ring = working(t, 18)
    row: list[ft.Control] = [ring, described(text(t, words, "label"), expand=True, live_region=True)]
    if state.measuring:
        row.append(button(t, _("Stop"), session.speed.stop))
    return ft.Row(row, spacing=S3)


@ft.component
def SpeedScreen(t: Tokens, session: PageSession, state: SpeedPage, models: ModelsPage) -> ft.Control:
    choices = [_choice(t, session, model.id, model.name, size(model.size_bytes), state) for model in models.entries]
    words = _("Chat pauses meanwhile, and a reply that is being written stops. The model in use comes back by itself.")
    start = button(t, _("Measure"), session.speed.measure, "fill", name=ft.Icons.SPEED, disabled=not session.speed.chosen)
    body: list[ft.Control] = [
        section(t, _("Models"), first=True),
        card(t, choices) if choices else text(t, _("There is no model to be measured yet."), "body", t.text2),
        gap(S3),
        note(t, ft.Icons.INFO_OUTLINE, [text(t, words, "small", t.text2, expand=True)]),
        gap(S3),
        _running(t, session, state) if state.running else ft.Row([start]),
        *_results(t, session, state),
    ]
    back = button(t, _("Models"), lambda: session.go("models"), "text", name=ft.Icons.ARROW_BACK, tip=_("Back to Models"))
    actions = [back] if t.wide else []
    header = page_header(t, _("How fast is it here?"), _("Measured on this device."), lambda: session.go("models"), actions)
    if t.wide:
        header = ft.Container(header, width=COLUMN + 2 * S8, align=ft.Alignment.TOP_CENTER)
    return stack([header, scrolled(body, S8 if t.wide else S4)], expand=True)

"""A persona on the screen: its icon, and choosing one."""

from collections.abc import Callable, Sequence

import flet as ft

from munin_app.domain.personas import Persona
from munin_app.i18n import _
from munin_app.ui.components.base import described, icon, sides, text
from munin_app.ui.components.buttons import popup, popup_item, tappable
from munin_app.ui.tokens import CLEAR, RADIUS_CARD, RADIUS_PILL, S1, S2, S3, Tokens

Choose = Callable[[Persona], object]

ICONS: dict[str, ft.IconData | str] = {
    "raven": "raven",
    "edit": ft.Icons.EDIT_OUTLINED,
    "school": ft.Icons.SCHOOL_OUTLINED,
    "translate": ft.Icons.TRANSLATE,
    "heart": ft.Icons.FAVORITE_BORDER,
    "code": ft.Icons.CODE,
    "science": ft.Icons.SCIENCE_OUTLINED,
    "work": ft.Icons.WORK_OUTLINE,
    "cooking": ft.Icons.RESTAURANT,
    "music": ft.Icons.MUSIC_NOTE_OUTLINED,
    "palette": ft.Icons.PALETTE_OUTLINED,
    "travel": ft.Icons.EXPLORE_OUTLINED,
}
"""By the names that `domain.personas.ICONS` lists."""


def icon_name(name: str) -> str:
    """For screen readers."""
    names = {
        "raven": _("raven"),
        "edit": _("pencil"),
        "school": _("school"),
        "translate": _("languages"),
        "heart": _("heart"),
        "code": _("code"),
        "science": _("science"),
        "work": _("work"),
        "cooking": _("cooking"),
        "music": _("music"),
        "palette": _("palette"),
        "travel": _("travel"),
    }
    return names.get(name, name)


def persona_icon(t: Tokens, name: str, size: float = 20, colour: str | None = None) -> ft.Control:
    return icon(t, ICONS.get(name, ICONS["heart"]), size, colour)


def persona_menu(t: Tokens, personas: Sequence[Persona], chosen: Persona, on_choose: Choose) -> ft.Control:
    """Who answers, in the header; on a phone the icon alone."""

    def item(persona: Persona) -> ft.PopupMenuItem:
        on = persona.id == chosen.id
        mark = [icon(t, ft.Icons.CHECK, 16, t.seed)] if on else []
        words = text(t, persona.name, "label" if on else "body", wrap=False)
        return popup_item(
            ft.Row([persona_icon(t, persona.icon, 18), words, *mark], spacing=S3, tight=True), lambda: on_choose(persona)
        )

    words: list[ft.Control] = [text(t, chosen.name, "label", wrap=False), icon(t, ft.Icons.EXPAND_MORE, 18)] if t.wide else []
    face = ft.Container(
        ft.Row(
            [persona_icon(t, chosen.icon, 20, t.text), *words],
            spacing=S2,
            tight=True,
            alignment=ft.MainAxisAlignment.CENTER,
        ),
        width=None if t.wide else t.touch,
        height=t.touch,
        border_radius=RADIUS_CARD,
        padding=sides(S2 if t.wide else 0),
    )
    return popup(t, face, _("Persona: {name}").format(name=chosen.name), [item(persona) for persona in personas])


def persona_chips(t: Tokens, personas: Sequence[Persona], chosen: Persona, on_choose: Choose) -> ft.Control:
    """Who answers, at the start of a chat: side by side, on a phone to be scrolled."""

    def chip(persona: Persona) -> ft.Control:
        on = persona.id == chosen.id
        ink = t.on_tint if on else t.text2
        row = ft.Row(
            [persona_icon(t, persona.icon, 16, ink), text(t, persona.name, "smallb", ink, wrap=False)], spacing=6, tight=True
        )
        body = tappable(
            row,
            lambda: on_choose(persona),
            tip=_("Talk to {name}").format(name=persona.name),
            height=t.high(36),
            radius=RADIUS_PILL,
            pad=sides(S3 if t.wide else 10),
            background=t.tint if on else CLEAR,
            border=ft.Border.all(1, t.tint if on else t.line),
        )
        return described(body, selected=on)

    chips = [chip(persona) for persona in personas]
    if t.wide:
        return ft.Row(chips, spacing=S2, run_spacing=S2, wrap=True)
    return ft.Row(chips, spacing=S1, scroll=ft.ScrollMode.HIDDEN)

"""The Models page's part about memory's encoder: those on this device, how far vectors are, what can be had, adding a folder."""

from collections.abc import Mapping, Sequence

import flet as ft

from munin_app.i18n import _, translated
from munin_app.inference.fit import Judgement
from munin_app.library.catalog import EncoderEntry
from munin_app.library.encoders import InstalledEncoder
from munin_app.ui.components.base import card, failure, gap, padding, pill, progress_bar, section, stack, text
from munin_app.ui.components.buttons import button, menu
from munin_app.ui.components.fields import bare_field, well
from munin_app.ui.format import fit_reason, grouped_number, languages, size, time_left
from munin_app.ui.session import PageSession
from munin_app.ui.state import EncodersPart
from munin_app.ui.tokens import CLEAR, S2, S3, S4, Tokens
from munin_app.ui.views.downloads import entry_pills, fit_pill, model_row, offer_row


@ft.component
def EncoderSection(
    t: Tokens,
    session: PageSession,
    state: EncodersPart,
    offers: Sequence[EncoderEntry],
    judgements: Mapping[str, Judgement],
) -> ft.Control:
    rows = [_entry(t, session, state, encoder, judgements.get(encoder.id)) for encoder in state.entries]
    rows += [offer_row(t, session, entry, judgements.get(entry.id)) for entry in offers]
    what = _("It reads what is remembered, so that a question finds what was said in other words.")
    body: list[ft.Control] = [section(t, _("Memory encoder")), text(t, what, "small", t.text2), gap(S2)]
    if state.problem:
        body += [failure(t, state.problem), gap(S2)]
    if state.progress.former and state.progress.made < state.progress.total:
        body += [card(t, [_progress(t, session, state)]), gap(S2)]
    body += [card(t, rows)] if rows else [text(t, _("No encoder yet: recall goes by words only."), "body", t.text2)]
    return stack([*body, gap(S2), *_add(t, session, state)])


def _entry(
    t: Tokens, session: PageSession, state: EncodersPart, encoder: InstalledEncoder, judgement: Judgement | None
) -> ft.Container:
    entry, in_use = encoder.entry, encoder.id == state.in_use
    badges: list[ft.Control] = [pill(t, _("Starter"))] if encoder.starter else []
    if in_use:
        badges.append(pill(t, _("In use"), name=ft.Icons.CHECK, colour=t.seed, background=CLEAR, line=t.seed))
    else:
        badges += fit_pill(t, judgement)
    badges += entry_pills(t, entry) if not encoder.starter else []
    about = [size(encoder.size_bytes), translated(entry.licence), languages(entry.languages) or _("languages not known")]
    below: list[ft.Control | None] = [
        text(t, " · ".join([*about, *([_("linked")] if encoder.linked else [])]), "small", t.text2),
        text(t, translated(entry.good_for), "small", t.text2) if entry.good_for else None,
        text(t, fit_reason(judgement), "small", t.text3) if judgement and not in_use else None,
    ]
    trailing: list[ft.Control] = []
    if state.switching == encoder.id:
        trailing.append(button(t, _("Loading …"), lambda: None, disabled=True))
    elif not in_use:
        tip = _("Use {name}").format(name=encoder.name)
        trailing.append(button(t, _("Use"), lambda: session.encoders.ask(encoder), tip=tip, disabled=bool(state.switching)))
    if not encoder.starter:
        remove = (_("Remove"), ft.Icons.DELETE_OUTLINE, lambda: session.library.remove_encoder(encoder))
        trailing.append(menu(t, _("More: {name}").format(name=encoder.name), [remove]))
    return model_row(t, encoder.name, badges, below, trailing)


def _progress(t: Tokens, session: PageSession, state: EncodersPart) -> ft.Container:
    progress = state.progress
    former = session.encoders.name(progress.former)
    counted = _("{made} of {total} parts are read").format(
        made=grouped_number(progress.made), total=grouped_number(progress.total)
    )
    left = (progress.total - progress.made) / progress.per_second if progress.per_second else None
    bar = progress_bar(t, f"{session.encoders.name(state.in_use)}: {counted}", progress.made / progress.total)
    back = button(
        t,
        _("Go back"),
        lambda: session.encoders.use(progress.former),
        tip=_("Go back to {former}: what it read is still there").format(former=former),
        disabled=bool(state.switching),
    )
    words = text(t, _("{name} reads what is remembered").format(name=session.encoders.name(state.in_use)), "label", expand=True)
    below: list[ft.Control] = [
        text(t, counted, "small", t.text2, expand=True),
        text(t, time_left(left), "small", t.text2, wrap=False),
    ]
    return ft.Container(stack([ft.Row([words, back]), bar, ft.Row(below)], S2), padding=padding(S4, S3, S3, S3))


def _add(t: Tokens, session: PageSession, state: EncodersPart) -> list[ft.Control]:
    """A picker where folders have paths, and a path field everywhere."""
    field = bare_field(t, _("Path of an encoder's folder"), state.path, session.encoders.set_path, on_submit=session.encoders.add)
    acts: list[ft.Control] = [
        button(
            t,
            _("Add encoder"),
            session.encoders.add,
            tip=_("Link the folder's model.onnx and tokenizer.json into Munin's own folder"),
        )
    ]
    if session.local_desktop:
        acts.append(button(t, _("Choose a folder"), session.encoders.pick, name=ft.Icons.ADD))
    rows: list[ft.Control] = [well(t, field, ft.Icons.FOLDER_OPEN_OUTLINED), ft.Row(acts, spacing=S2, wrap=True)]
    if state.error:
        rows.append(failure(t, state.error))
    return [stack(rows, S2)]

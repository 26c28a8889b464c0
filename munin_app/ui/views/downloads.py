"""Models that are not here yet: running and unfinished downloads, and what the catalogue offers."""

import flet as ft

from munin_app.i18n import _, translated
from munin_app.inference.fit import Fit, Judgement
from munin_app.library.catalog import ChatModelEntry, EncoderEntry, Entry
from munin_app.library.downloads import Download
from munin_app.ui.components.base import failure, icon, lines, memoised, padding, pill, progress_bar, stack, text
from munin_app.ui.components.buttons import button, icon_button
from munin_app.ui.format import arrived, fit_reason, languages, percent, size, speed, time_left
from munin_app.ui.session import PageSession
from munin_app.ui.state import DownloadView
from munin_app.ui.tokens import CLEAR, S1, S2, S3, S4, Tokens


def fit_pill(t: Tokens, judgement: Judgement | None) -> list[ft.Control]:
    """How well it would run here, in a word and an icon; nothing where that is not known."""
    match judgement.fit if judgement else None:
        case Fit.WELL:
            ink = t.on_tint if t.dark else t.seed
            return [pill(t, _("Runs well"), name=ft.Icons.CHECK_CIRCLE_OUTLINE, colour=ink, background=t.tint)]
        case Fit.TIGHT:
            return [pill(t, _("Tight"), name=ft.Icons.WARNING_AMBER, colour=t.warn, background=CLEAR, line=t.line)]
        case Fit.TOO_BIG:
            return [pill(t, _("Too big"), name=ft.Icons.BLOCK, colour=t.text3, background=CLEAR, line=t.line)]
        case _:
            return []


def entry_pills(t: Tokens, entry: Entry) -> list[ft.Control]:
    """What one should know of it before."""
    pills: list[ft.Control] = []
    if isinstance(entry, ChatModelEntry) and entry.reasoning:
        pills.append(pill(t, _("Thinks first")))
    if not entry.verified:
        pills.append(pill(t, _("Unverified"), colour=t.warn, background=CLEAR, line=t.line))
    if isinstance(entry, EncoderEntry) and entry.threshold is None:
        pills.append(pill(t, _("Bar not measured"), colour=t.warn, background=CLEAR, line=t.line))
    return pills


def model_row(
    t: Tokens, name: str, badges: list[ft.Control], below: list[ft.Control | None], trailing: list[ft.Control]
) -> ft.Container:
    head = ft.Row([text(t, name, "label"), *badges], spacing=S2, run_spacing=S1, wrap=True)
    words = lines([head, *(line for line in below if line)], 2)
    row: ft.Control = ft.Row([words, *trailing], spacing=S2)
    if t.narrow:
        row = stack([ft.Row([words]), ft.Row(trailing, spacing=S2)], S2)
    return ft.Container(row, padding=padding(S4, S3, S3, S3))


def offer_row(t: Tokens, session: PageSession, entry: Entry, judgement: Judgement | None) -> ft.Container:
    """Pressing is what begins the download, and nothing else does."""
    licence = entry.licence + (_(" (to be accepted)") if entry.licence_terms else "")
    facts = " · ".join([size(entry.size_bytes) if entry.size_bytes else _("size not known"), licence, languages(entry.languages)])
    reason = fit_reason(judgement) if judgement else _("Its size is not known: whether it fits shows when it is here.")
    tip = _("Download {name}").format(name=entry.name)
    anyway = _("Download {name} anyway").format(name=entry.name)

    def get() -> object:
        return session.library.get(entry)

    if judgement and judgement.fit is Fit.TOO_BIG:
        act = button(t, _("Try anyway"), get, "text", tip=anyway)
    elif t.wide:
        act = button(t, _("Get"), get, name=ft.Icons.DOWNLOAD, tip=tip)
    else:
        act = icon_button(t, ft.Icons.DOWNLOAD, tip, get, colour=t.on_tint if t.dark else t.seed, background=t.tint)
    below: list[ft.Control | None] = [
        text(t, facts, "small", t.text2),
        text(t, translated(entry.good_for), "small", t.text2),
        text(t, reason, "small", t.text3),
    ]
    return model_row(t, entry.name, [*fit_pill(t, judgement), *entry_pills(t, entry)], below, [act])


def _state_line(download: Download) -> tuple[str, str]:
    """What stands below the bar, left and right."""
    progress = download.progress
    share = percent(progress.received_bytes / progress.total_bytes) if progress.total_bytes else ""
    match download.phase, progress.phase:
        case "queued", _:
            return _("Waits for its turn"), ""
        case "paused", _:
            return " · ".join(filter(None, [share, _("Paused")])), ""
        case "failed", _:
            return " · ".join(filter(None, [share, _("Stopped")])), ""
        case _, "checking":
            return _("Checking what is here already"), ""
        case _, "waiting":
            reason = progress.reason[:1].upper() + progress.reason[1:]
            return _("{reason}; it is tried again").format(reason=reason), ""
        case _:
            left = time_left(progress.seconds_left)
            return " · ".join(filter(None, [share, speed(progress.bytes_per_second)])), left


def download_card(t: Tokens, session: PageSession, download: Download) -> ft.Container:
    entry, progress = download.entry, download.progress
    library = session.library
    if download.active:
        act = icon_button(t, ft.Icons.PAUSE, _("Pause {name}").format(name=entry.name), lambda: library.pause(entry.id))
    else:
        word = _("Retry") if download.phase == "failed" else _("Resume")
        act = button(t, word, lambda: library.resume(entry.id), "tint", tip=f"{word} {entry.name}")
    cancel = icon_button(t, ft.Icons.CLOSE, _("Cancel {name}").format(name=entry.name), lambda: library.cancel(download))
    head = lines([text(t, entry.name, "label"), text(t, arrived(progress), "small", t.text2)])
    left, right = _state_line(download)
    name, colour = f"{entry.name}: {arrived(progress)}", t.seed if download.active else t.text3
    bar = progress_bar(t, name, progress.share, colour)
    rows: list[ft.Control] = [
        ft.Row([head, act, cancel], spacing=S1),
        bar,
        ft.Row([text(t, left, "small", t.text2, expand=True), text(t, right, "small", t.text2, wrap=False)]),
    ]
    if download.error:
        rows.append(failure(t, download.error))
    return ft.Container(stack(rows, S2), padding=padding(S4, S3, S3, S3))


@memoised
def DownloadCard(t: Tokens, session: PageSession, view: DownloadView, key: str | None = None) -> ft.Control:
    return download_card(t, session, view.download)


def online_note(t: Tokens) -> ft.Control:
    words = text(t, _("Online for this download only"), "micro", t.text2, wrap=False)
    return ft.Row([icon(t, ft.Icons.DOWNLOAD, 14, t.text2), words], spacing=6, tight=True)

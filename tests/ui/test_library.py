"""The library in the window: what fits, downloads that go on by themselves, licences, switching and removing."""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.config import Settings
from munin_app.domain.inference import ModelInfo
from munin_app.errors import ModelError, ModelTooLarge
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.library.downloads import Download
from munin_app.library.progress import Progress
from munin_app.ui.actions import library as actions
from tests.library.server import Answer, Request, Server, file_answer, serving
from tests.ui.harness import OpenPage

CONTENT = b"GGUF" + bytes(12_000_000)
HALF = len(CONTENT) // 2
GB = 1_000_000_000
PROGRESS = Progress("receiving", 7_000_000, 12_000_000, 1_000_000.0)
ENTRY = """
[[chat]]
id = "{id}"
name = "{name}"
licence = "{licence}"
{terms}
context_tokens = 8192
languages = ["en", "de", "fr", "nl", "xx"]
good_for = "Telling {name} apart."
reasoning = {reasoning}
[[chat.files]]
file = "{id}.gguf"
address = "{address}/{id}.gguf"
{check}
"""


def honest(request: Request) -> Answer:
    return file_answer(request, CONTENT)


def stalling(request: Request) -> Answer:
    answer = honest(request)
    return Answer(answer.status, answer.body, answer.headers, stall_after=HALF)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(honest) as served:
        yield served


def entry(server: Server, name: str, *, size: int = 0, terms: str = "", verified: bool = True, reasoning: bool = False) -> str:
    digest = hashlib.sha256(CONTENT).hexdigest()
    check = f"size_bytes = {size or len(CONTENT)}" + (f'\nsha256 = "{digest}"' if verified else "")
    line = f'licence_terms = "{terms}"' if terms else ""
    licence = "Strict Terms" if terms else "MIT"
    return ENTRY.format(
        id=name.lower(),
        name=name,
        licence=licence,
        terms=line,
        address=server.address,
        check=check,
        reasoning=str(reasoning).lower(),
    )


class PathModel(ScriptedChatModel):
    """Says which file it is; bad.gguf cannot be loaded, and for roc.gguf memory is short."""

    def __init__(self, path: Path, settings: Settings) -> None:
        super().__init__(["All right."])
        self.path = path

    async def load(self) -> ModelInfo:
        if self.path.name == "roc.gguf":
            raise ModelTooLarge("Roc needs about 42.0 GB of memory; 8.0 GB are free.")
        if self.path.name == "bad.gguf":
            raise ModelError("bad.gguf is damaged. Choose another model.")
        self._info = replace(await super().load(), path=self.path)
        return self._info


@pytest.fixture
async def munin(home: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Munin]:
    """A machine with 8 GB free, and a catalogue of four models beside Munin's own."""
    monkeypatch.setattr(actions, "free_memory", lambda: 8 * GB)
    home.mkdir()
    models = [
        entry(server, "Wren"),
        entry(server, "Bad", reasoning=True),
        entry(server, "Owl", terms="https://terms.example/owl"),
        entry(server, "Roc", size=40 * GB, verified=False),
    ]
    (home / "catalog.toml").write_text("version = 1\n" + "".join(models))
    async with await Munin.start(make_model=PathModel) as munin:
        await munin.load_model()
        yield munin


@pytest.fixture
async def page(munin: Munin) -> AsyncIterator[OpenPage]:
    async with OpenPage(munin) as page:
        page.session.go("models")
        await page.until(lambda: page.has("Worth a try") and page.session.settings.models.judgements)
        yield page


async def downloaded(page: OpenPage, munin: Munin, name: str) -> None:
    await page.click(f"Download {name}")
    await page.until(lambda: page.session.overlay.snack and page.session.overlay.snack.text == f"{name} is here.")
    await page.until(lambda: any(model.name == name for model in page.session.settings.models.entries))


async def test_catalogue_says_what_each_model_is_and_how_it_would_run(page: OpenPage) -> None:
    assert page.has("12 MB · MIT · English, German, French and 2 more")
    assert page.has("Telling Wren apart.")
    assert page.has("Thinks first") and page.has("Unverified") and page.has("Strict Terms (to be accepted)")
    assert page.has("Runs well") and page.has("Too big")
    assert page.has("Takes an estimated") and page.has("with at least")
    assert page.has("of memory with") and page.has("8.0 GB are free")
    assert page.named("Download Roc anyway"), "never a refusal without another way"


async def test_nothing_is_fetched_before_it_is_asked_for(page: OpenPage, server: Server) -> None:
    assert server.requests == []


async def test_download_goes_on_while_one_is_elsewhere_and_is_told_of_when_it_ends(
    page: OpenPage, munin: Munin, server: Server
) -> None:
    server.handler = stalling
    await page.click("Download Wren")
    await server.stalled.wait()
    await page.until(lambda: page.has("Online for this download only"))
    page.session.go("chat")
    await page.until(lambda: page.has("Online for a download only"))
    await page.say("Hello")
    await page.until(lambda: page.has("All right."))
    server.handler = honest
    await munin.downloads.pause("wren")
    munin.downloads.start("wren")
    await page.until(lambda: page.has("Wren is here."))
    assert page.has("Offline · on this device")
    await page.session.shell.take_snack()
    await page.until(lambda: munin.settings.model_path.endswith("wren.gguf"))
    await page.until(lambda: page.has("Wren is in use."))


async def test_pause_resume_and_cancel(page: OpenPage, munin: Munin, server: Server, home: Path) -> None:
    server.handler = stalling
    await page.click("Download Wren")
    await server.stalled.wait()
    await page.click("Pause Wren")
    await page.until(lambda: page.has("Paused"))
    await page.click("Resume Wren")
    await page.until(lambda: len(server.requests) == 2)
    await page.until(lambda: page.session.settings.models.downloads[0].download.progress.received_bytes)
    await page.click("Cancel Wren")
    await page.until(lambda: page.has("are here, and are deleted."))
    await page.press("Cancel the download")
    await page.until(lambda: page.has("are free again."))
    assert list((home / "models").iterdir()) == []
    await page.until(lambda: not page.session.settings.models.downloads)
    assert page.named("Download Wren")


async def test_two_pages_show_the_same_download(page: OpenPage, munin: Munin, server: Server) -> None:
    server.handler = stalling
    await page.click("Download Wren")
    await server.stalled.wait()
    async with OpenPage(munin, 390, 844) as other:
        other.session.go("models")
        await other.until(lambda: other.has("Downloads"))
        await other.click("Pause Wren")
        await other.until(lambda: other.has("Paused"))
    await page.until(lambda: page.has("Paused"))


async def test_what_an_earlier_run_left_is_offered_to_go_on(munin: Munin, server: Server) -> None:
    server.handler = stalling
    munin.downloads.start("wren")
    await server.stalled.wait()
    await munin.downloads.close()
    munin.downloads._known.clear()  # as after a restart
    server.handler = honest
    async with OpenPage(munin) as page:
        page.session.go("models")
        await page.until(lambda: page.has("Paused"))
        await page.click("Resume Wren")
        await page.until(lambda: any(model.name == "Wren" for model in page.session.settings.models.entries))
        await page.until(lambda: not page.has("Paused"))


async def test_failed_download_says_why_and_is_tried_again(page: OpenPage, server: Server) -> None:
    server.handler = lambda request: Answer(404)
    await page.click("Download Wren")
    await page.until(lambda: page.has("has no wren.gguf any more (404)"))
    server.handler = honest
    await page.click("Retry Wren")
    await page.until(lambda: page.has("Wren is here."))


async def test_terms_are_accepted_before_the_download(page: OpenPage, munin: Munin, server: Server) -> None:
    await page.click("Download Owl")
    await page.until(lambda: page.has("https://terms.example/owl"))
    assert server.requests == [] and munin.downloads.current == ()
    await page.press("Accept and download")
    await page.until(lambda: page.has("Owl is here."))


async def test_failed_switch_keeps_the_old_model_and_says_why(page: OpenPage, munin: Munin) -> None:
    before = munin.model_state.info
    await downloaded(page, munin, "Bad")
    await page.click("Use Bad")
    await page.until(lambda: page.has("bad.gguf is damaged."))
    assert munin.model_state.phase == "ready" and munin.model_state.info == before


async def test_model_that_memory_is_too_short_for_gives_way_to_the_old_one(page: OpenPage, munin: Munin, home: Path) -> None:
    before = munin.model_state.info
    assert before and not munin.settings.model_path, "the starter, which nobody chose"
    (home / "models").mkdir()
    (home / "models" / "roc.gguf").write_bytes(CONTENT)
    await page.session.library.refresh()
    await page.session.settings.use(str(home / "models" / "roc.gguf"))
    await page.until(lambda: page.has("Roc needs about 42.0 GB"))
    assert munin.model_state.phase == "ready"
    assert munin.model_state.info and munin.model_state.info.path == before.path


async def test_model_in_use_that_cannot_be_removed_is_loaded_again(
    page: OpenPage, munin: Munin, monkeypatch: pytest.MonkeyPatch
) -> None:
    await downloaded(page, munin, "Wren")
    await page.click("Use Wren")
    await page.until(lambda: munin.settings.model_path.endswith("wren.gguf"))

    async def refuse(model_id: str) -> int:
        raise ModelError("wren could not be removed.")

    monkeypatch.setattr(munin.library, "remove", refuse)
    with pytest.raises(ModelError):
        await munin.remove_model("wren")
    assert munin.model_state.phase == "ready" and munin.settings.model_path.endswith("wren.gguf")
    assert munin.model_state.info and munin.model_state.info.path.name == "wren.gguf"


async def test_removing_the_model_in_use_releases_it_and_says_what_is_free(page: OpenPage, munin: Munin, home: Path) -> None:
    await downloaded(page, munin, "Wren")
    await page.click("Use Wren")
    await page.until(lambda: munin.settings.model_path.endswith("wren.gguf"))
    (wren,) = [model for model in page.session.settings.models.entries if model.name == "Wren"]
    await page.session.library.remove(wren, True)
    await page.until(lambda: page.has("It is in use"))
    await page.press("Remove")
    await page.until(lambda: page.has("Wren is removed; 12 MB are free again."))
    assert munin.settings.model_path == "" and munin.model_state.phase == "ready"
    assert munin.model_state.info and munin.model_state.info.path.name != "wren.gguf"
    assert not (home / "models" / "wren.gguf").exists()


async def test_removing_a_model_that_is_not_in_use_leaves_the_other_alone(page: OpenPage, munin: Munin) -> None:
    model = munin.model
    await downloaded(page, munin, "Wren")
    assert await munin.remove_model("wren") == len(CONTENT)
    assert munin.model is model


async def test_file_from_disk_is_linked_and_takes_no_space(page: OpenPage, munin: Munin, tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").write_bytes(CONTENT)
    taken = page.session.settings.models.taken_bytes
    page.session.settings.set_path(str(tmp_path / "mine.gguf"))
    await page.session.adding.add_typed()
    await page.until(lambda: page.has("A copy takes 12 MB"))
    await page.press("Link")
    await page.until(lambda: page.has("mine is in the list.") and page.has("12 MB · linked"))
    assert page.session.settings.models.taken_bytes == taken
    assert await munin.remove_model("mine") == 0
    assert (tmp_path / "mine.gguf").exists()


async def test_end_of_a_download_does_not_cut_an_offer_of_undo_short(page: OpenPage, munin: Munin) -> None:
    page.session.shell.snack_seconds = 0.3
    ended: list[bool] = []

    async def gone() -> None:
        ended.append(True)

    await page.session.shell.snack("Chat deleted.", "Undo", lambda: None, gone)
    page.session.library.apply(Download(munin.library.entry("wren"), "done", PROGRESS))
    await page.settle()
    assert page.session.overlay.snack and page.session.overlay.snack.text == "Chat deleted."
    await page.until(lambda: page.has("Wren is here."))
    assert ended == [True]


async def test_progress_draws_its_own_card_only(page: OpenPage, munin: Munin, server: Server) -> None:
    server.handler = stalling
    await page.click("Download Wren")
    await server.stalled.wait()
    await page.until(lambda: munin.downloads.current[0].phase == "running")
    button = page.named("Download Owl")
    (view,) = page.session.settings.models.downloads
    view.download = Download(view.download.entry, "running", PROGRESS)
    await page.until(lambda: page.has("7 of 12 MB"))
    assert page.named("Download Owl") is button
    assert page.one(ft.ProgressBar).value == pytest.approx(7 / 12)

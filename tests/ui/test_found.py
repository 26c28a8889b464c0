"""Models of other apps, files and folders from disk, in the window."""

import asyncio
import os
import shutil
from collections import namedtuple
from collections.abc import AsyncIterator
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.library import adding
from munin_app.ui.format import grouped_number
from tests.tiny_models import write_tiny_model
from tests.ui.harness import OpenPage
from tests.ui.test_library import PathModel

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def lm_studio(tmp_path: Path) -> Path:
    folder = tmp_path / "user home" / ".lmstudio" / "models" / "publisher" / "Tiny-GGUF"
    folder.mkdir(parents=True)
    return write_tiny_model(folder / "Tiny-1B.gguf", "llama")


@pytest.fixture
async def munin(home: Path) -> AsyncIterator[Munin]:
    async with await Munin.start(make_model=PathModel) as munin:
        await munin.load_model()
        yield munin


@pytest.fixture
async def page(munin: Munin, lm_studio: Path) -> AsyncIterator[OpenPage]:
    async with OpenPage(munin) as page:
        page.session.go("models")
        await page.until(lambda: page.has("Found in other apps"))
        yield page


async def test_nothing_is_looked_for_before_the_page_is_opened(munin: Munin, lm_studio: Path) -> None:
    async with OpenPage(munin) as page:
        assert page.session.settings.models.found.models == ()


async def test_model_of_another_app_is_linked_used_and_let_go(page: OpenPage, munin: Munin, home: Path, lm_studio: Path) -> None:
    assert page.has("Tiny-1B") and page.has("LM Studio") and page.has("They stay where they are")
    await page.click("Add Tiny-1B from LM Studio")
    await page.until(lambda: page.has("Tiny-1B is in the list."))
    assert (home / "models" / "Tiny-1B.gguf").is_symlink()
    await page.until(lambda: not page.has("Found in other apps"))
    await page.session.shell.take_snack()
    await page.until(lambda: munin.settings.model_path.endswith("Tiny-1B.gguf"))
    (model,) = [model for model in page.session.settings.models.entries if model.id == "Tiny-1B"]
    await page.session.library.remove(model, True)
    await page.until(lambda: page.has("The file itself stays where it lies.") and page.has(str(lm_studio)))
    await page.press("Remove")
    await page.until(lambda: page.has("The link to Tiny-1B is removed. The file itself stays."))
    assert lm_studio.exists() and not (home / "models" / "Tiny-1B.gguf").exists()
    await page.until(lambda: page.has("Found in other apps"))


async def test_folder_is_looked_through_and_each_of_its_models_offered(page: OpenPage, tmp_path: Path, home: Path) -> None:
    (tmp_path / "stick").mkdir()
    for name in ("One", "Two"):
        write_tiny_model(tmp_path / "stick" / f"{name}.gguf", "llama")
    page.session.settings.set_path(os.fspath(tmp_path / "stick"))
    await page.session.adding.add_typed()
    await page.until(lambda: page.has("Found in stick"))
    await page.click("Add Two from stick")
    await page.until(lambda: page.has("Add Two?") and page.has("are free."))
    await page.press("Copy")
    await page.until(lambda: page.has("Two is in the list."))
    assert not (home / "models" / "Two.gguf").is_symlink()
    assert page.has("One"), "the others are still offered"
    await page.click("Close this folder")
    await page.until(lambda: page.has("Found in other apps"))


async def test_folder_without_a_model_and_no_path_at_all_are_said(page: OpenPage, tmp_path: Path) -> None:
    await page.session.adding.add_typed()
    await page.until(lambda: page.has("Type the path of a GGUF file or of a folder first."))
    (tmp_path / "empty").mkdir()
    page.session.settings.set_path(os.fspath(tmp_path / "empty"))
    await page.session.adding.add_typed()
    await page.until(lambda: page.has("holds no chat model in GGUF format"))


async def test_copy_shows_how_far_it_is_and_can_be_cancelled(
    page: OpenPage, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "_STEP_BYTES", 4096)
    source = tmp_path / "big.gguf"
    source.write_bytes(b"GGUF" + bytes(50_000_000))
    begun = asyncio.Event()
    view = page.session.settings.models

    async def begin() -> None:
        await page.until(lambda: view.copying and view.copying.progress.received_bytes)
        begun.set()

    page.session.settings.set_path(os.fspath(source))
    await page.session.adding.add_typed()
    await page.until(lambda: page.has("Add big?"))
    await page.press("Copy")
    await begin()
    assert page.has("Copying big") and page.one(ft.ProgressBar)
    await page.click("Cancel copying big")
    await page.until(lambda: page.has("big is not copied. Nothing of it is left."))
    assert list((home / "models").iterdir()) == []
    assert not page.has("Copying big")


async def test_disk_that_is_too_small_is_said_before_a_byte_is_copied(
    page: OpenPage, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_tiny_model(tmp_path / "One.gguf", "llama")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9 - 1000, 1000))
    page.session.settings.set_path(os.fspath(source))
    await page.session.adding.add_typed()
    await page.until(lambda: page.has("Add One?"))
    await page.press("Copy")
    await page.until(lambda: page.has("Free some space, or link the file instead."))
    assert list((home / "models").iterdir()) == []


async def test_file_is_looked_into_before_it_is_loaded(page: OpenPage, lm_studio: Path) -> None:
    (found,) = page.session.settings.models.found.models
    await page.session.library.about(found)
    await page.until(lambda: page.has("About this file"))
    assert page.has("Tiny llama") and page.has(f"{grouped_number(2048)} tokens of context") and page.has(str(lm_studio))
    assert page.has("The file does not say"), "its licence"
    await page.press("Close")
    (starter,) = page.session.settings.models.entries
    await page.session.library.about(starter)
    await page.until(lambda: page.has("SmolLM2 135M Instruct") or page.has("Q4_1"))
    assert page.has("Apache-2.0") or page.has("apache-2.0")

"""`munin models list/found/add/get/verify/remove` in processes of their own, against a catalogue of the user's."""

import asyncio
import json
import os
from pathlib import Path

from tests.library.command import CONTENT, catalog_of, munin, offer
from tests.library.server import file_answer, serving
from tests.tiny_models import write_tiny_model


async def run(*arguments: str) -> tuple[int | None, str, str]:
    process = await munin(*arguments)
    output, error = await process.communicate()
    return process.returncode, output.decode(), error.decode()


async def test_a_model_is_listed_got_verified_and_removed(home: Path) -> None:
    async with serving(lambda request: file_answer(request, CONTENT)) as server:
        offer(home, server)
        _, output, _ = await run("list", "--json")
        (row,) = [row for row in map(json.loads, output.splitlines()) if row["id"] == "m"]
        assert (row["here"], row["size_bytes"], row["verified"], row["arrived_bytes"]) == (False, len(CONTENT), True, 0)
        assert await run("get", "m") == (0, "Downloaded m. Use it with: munin models use m\n", "")
    assert await run("verify", "m") == (0, "m.gguf  intact\n", "")
    file = home / "models" / "m.gguf"
    file.write_bytes(CONTENT[:-1] + b"?")
    code, output, error = await run("verify")
    assert code == 1 and "m.gguf  damaged" in output and "get them again" in error
    assert (await run("remove", "m"))[0] == 0
    assert not file.exists()


async def test_terms_are_shown_before_anything_is_fetched(home: Path) -> None:
    async with serving(lambda request: file_answer(request, CONTENT)) as server:
        offer(home, server)
        catalog = home / "catalog.toml"
        catalog.write_text(
            catalog.read_text().replace('licence = "MIT"', 'licence = "X"\nlicence_terms = "https://example.org/x"')
        )
        code, _, error = await run("get", "m")
        assert code == 1 and "https://example.org/x" in error and "--accept-licence" in error
        assert server.requests == []
        assert (await run("get", "m", "--accept-licence"))[0] == 0


async def test_a_bad_catalogue_is_said_and_the_rest_works(home: Path) -> None:
    home.mkdir()
    (home / "catalog.toml").write_text(catalog_of("http://example.org", "0" * 64, 1))
    (code, output, error), (refused, _, unknown) = await asyncio.gather(run("list"), run("get", "m"))
    assert code == 0 and "SmolLM2-135M" in output
    assert "is not encrypted" in error and "Correct it, or move it away." in error
    assert refused == 1 and "knows no model" in unknown


async def test_models_of_other_apps_are_listed_linked_and_let_go(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "user home" / ".lmstudio" / "models" / "a" / "b"
    folder.mkdir(parents=True)
    file = write_tiny_model(folder / "Tiny.gguf", "llama")
    _, output, _ = await run("found", "--json")
    row = {"id": "Tiny", "app": "LM Studio", "size_bytes": file.stat().st_size, "paths": [str(file)]}
    assert [json.loads(line) for line in output.splitlines()] == [row]
    code, output, _ = await run("about", "Tiny", "--json")
    assert (code, json.loads(output)["name"], json.loads(output)["path"]) == (0, "Tiny llama", str(file))
    assert (await run("add", "Tiny"))[:2] == (0, "Added Tiny. Use it with: munin models use Tiny\n")
    assert (home / "models" / "Tiny.gguf").readlink() == file
    assert (await run("found")) == (0, "", "No chat models were found that are not in the list already.\n")
    assert (await run("remove", "Tiny"))[1] == "Removed the link to Tiny. The file itself stays where it lies.\n"
    assert file.exists()


async def test_folder_with_one_model_is_added_and_one_with_several_is_asked_about(home: Path, tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    write_tiny_model(tmp_path / "stick" / "One.gguf", "llama")
    assert (await run("add", str(tmp_path / "stick")))[0] == 0
    assert not (home / "models" / "One.gguf").is_symlink()
    for name in ("Two", "Three"):
        write_tiny_model(tmp_path / "stick" / f"{name}.gguf", "gemma3", general__name=name)
    code, _, error = await run("add", str(tmp_path / "stick"))
    assert code == 1 and "Three.gguf" in error and "Name one file" in error


async def test_name_that_is_no_text_is_listed_all_the_same(home: Path, tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    write_tiny_model(tmp_path / "stick" / os.fsdecode(b"red\x1b[31m\xff.gguf"), "llama")
    for arguments in (("found", str(tmp_path / "stick")), ("found", str(tmp_path / "stick"), "--json")):
        code, output, _ = await run(*arguments)
        assert code == 0 and "red_31m_" in output and "\x1b" not in output

"""profile.json on disk: kills, full disks, damaged and newer files."""

import errno
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from munin_app.domain.memories import SHARED
from munin_app.errors import ProfileError
from munin_app.profile import MemoryProfileService, document
from munin_app.profile.document import DamagedDocument, decode
from tests.unit.profile.conftest import reopened, said, texts


async def test_leftover_of_a_killed_process_is_deleted(path: Path) -> None:
    leftover = path.with_name("profile.json.tmp")
    leftover.write_text("Lives in Os")
    await reopened(path, read_only=True)
    assert leftover.exists()
    await reopened(path)
    assert not leftover.exists()


async def test_file_is_private_and_the_only_copy(profile: MemoryProfileService, path: Path) -> None:
    await profile.add("Lives in Oslo")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(file.name for file in path.parent.iterdir() if file.is_file()) == ["profile.json"]
    assert json.loads(path.read_text())["version"] == document.VERSION


@pytest.mark.parametrize("cut", [0.0, 0.3, 0.5, 0.99])
async def test_half_a_file_is_set_aside_and_an_empty_profile_starts(
    profile: MemoryProfileService, path: Path, cut: float
) -> None:
    await profile.add("Lives in Oslo")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * cut)])
    again = await reopened(path)
    assert again.facts == ()
    assert again.set_aside
    assert again.set_aside.name.startswith("profile.json.damaged-")
    assert again.set_aside.read_bytes() == whole[: int(len(whole) * cut)]
    await again.add("Likes tea")
    assert texts((await reopened(path)).facts) == ["Likes tea"]


def with_fact(change: dict[str, Any]) -> dict[str, Any]:
    fact = {
        "id": "1", "text": "Likes tea", "attribute": "preference", "value": "tea", "status": "active", "origin": "typed",
        "created_at": 1, "updated_at": 1, "sources": [], "pinned": False, "uses": 0, "replaced_by": None, "scope": "shared",
    }  # fmt: skip
    return {"version": document.VERSION, "revision": 1, "facts": [fact | change], "tombstones": []}


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe", b"null", b"[]", b"{}", b'{"version": "1"}', b'{"version": 0}', b'{"version": true}',
        b"[" * 100_000,
        json.dumps(with_fact({}) | {"more": 1}).encode(), json.dumps(with_fact({"colour": "red"})).encode(),
        json.dumps(with_fact({"text": None})).encode(), json.dumps(with_fact({"uses": "1"})).encode(),
        json.dumps(with_fact({"status": "odd"})).encode(), json.dumps(with_fact({"pinned": 1})).encode(),
    ],
)  # fmt: skip
async def test_unknown_keys_and_wrong_types_are_damage(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    service = await reopened(path)
    assert service.set_aside
    assert service.set_aside.read_bytes() == content


async def test_the_same_document_without_them_is_read(path: Path) -> None:
    path.write_text(json.dumps(with_fact({})))
    assert texts((await reopened(path)).facts) == ["Likes tea"]


async def test_newer_version_is_refused_untouched(path: Path) -> None:
    content = json.dumps(with_fact({"colour": "red"}) | {"version": document.VERSION + 1})
    path.write_text(content)
    service = MemoryProfileService(path, None)
    with pytest.raises(ProfileError, match="newer Munin"):
        await service.open()
    assert path.read_text() == content
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == ["profile.json"]
    with pytest.raises(ProfileError, match="not open"):
        await service.add("Likes tea")


def test_older_version_is_upgraded_step_by_step() -> None:
    old = with_fact({"value": "TEA"}) | {"version": 1}
    old["facts"][0]["words"] = old["facts"][0].pop("text")
    old["facts"][0]["worth"] = old["facts"][0].pop("value")

    def first(found: dict[str, Any]) -> dict[str, Any]:
        return found | {"facts": [{"text": fact.pop("words"), **fact} for fact in found["facts"]]}

    def second(found: dict[str, Any]) -> dict[str, Any]:
        return found | {"facts": [{"value": fact.pop("worth"), **fact} for fact in found["facts"]]}

    upgraded = decode(json.dumps(old).encode(), "profile.json", [first, second])
    assert (upgraded.version, upgraded.facts[0].text, upgraded.facts[0].value) == (3, "Likes tea", "TEA")
    with pytest.raises(DamagedDocument, match="upgrade failed"):
        decode(json.dumps({"version": 1}).encode(), "profile.json", [first, second])
    assert len(document.UPGRADES) + 1 == document.VERSION


async def test_facts_of_version_1_belong_to_everyone_and_their_tombstones_hold(path: Path) -> None:
    service = await reopened(path)
    await service.learn_from(said("I love sailing"))
    await service.remove(service.facts[0].id)
    await service.add("Lives in Oslo")
    old = json.loads(path.read_text()) | {"version": 1}
    assert old["facts"][0].pop("scope") == "shared"
    path.write_text(json.dumps(old))
    upgraded = await reopened(path)
    assert [(fact.text, fact.scope) for fact in upgraded.facts] == [("Lives in Oslo", SHARED)]
    await upgraded.learn_from(said("I love sailing"))
    assert texts(upgraded.candidates) == ["Loves sailing"]
    assert json.loads(path.read_text())["version"] == document.VERSION


@pytest.mark.parametrize("failing", ["fsync", "replace", "open"])
async def test_full_disk_loses_nothing(
    profile: MemoryProfileService, path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    await profile.add("Lives in Oslo")
    before, revision = path.read_bytes(), profile.revision

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(f"munin_app.profile.store.os.{failing}", refuse)
        with pytest.raises(ProfileError, match="No space left"):
            await profile.add("Likes tea")
        assert await profile.learn_from(said("I love sailing")) is None
    assert path.read_bytes() == before
    assert (texts(profile.facts), profile.revision) == (["Lives in Oslo"], revision)
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == ["profile.json"]
    await profile.add("Likes tea")
    assert len((await reopened(path)).facts) == 2


async def test_reading_only_changes_nothing(profile: MemoryProfileService, path: Path) -> None:
    fact = (await profile.add("Lives in Oslo")).fact
    before = path.read_bytes()
    reader = await reopened(path, read_only=True)
    assert texts(reader.facts) == ["Lives in Oslo"]
    changes = (
        reader.add("Likes tea"), reader.edit(fact.id, "x"), reader.remove(fact.id), reader.forget_all(),
        reader.set_pinned(fact.id, True),
        reader.accept(fact.id), reader.restore(fact.id), reader.count_uses([fact.id]),
    )  # fmt: skip
    for change in changes:
        with pytest.raises(ProfileError, match="reading only"):
            await change
    assert await reader.learn_from(said("I love tea")) == ()
    assert path.read_bytes() == before


async def test_damaged_file_is_left_alone_when_reading_only(path: Path) -> None:
    path.write_text("{")
    with pytest.raises(ProfileError, match="damaged"):
        await reopened(path, read_only=True)
    assert path.read_text() == "{"


async def test_folder_in_place_of_the_file_is_said(path: Path) -> None:
    path.mkdir()
    with pytest.raises(ProfileError, match="cannot be read"):
        await reopened(path)


async def test_odd_characters_survive(profile: MemoryProfileService, path: Path) -> None:
    await profile.add("Likes 👩‍👩‍👧 and “東京”\ud800")
    assert texts((await reopened(path)).facts) == texts(profile.facts) == ["Likes 👩‍👩‍👧 and “東京”?"]


async def test_history_that_runs_in_a_circle_does_no_harm(path: Path) -> None:
    circle = with_fact({"status": "superseded", "replaced_by": "2"})
    circle["facts"] += [
        circle["facts"][0] | {"id": "2", "replaced_by": "1"},
        circle["facts"][0] | {"id": "3", "replaced_by": "gone"},
    ]
    path.write_text(json.dumps(circle))
    service = await reopened(path)
    assert len(service.versions_of("1")) == 2
    assert (await service.restore("3")).text == "Likes tea"
    await service.restore("1")
    await service.remove("1")

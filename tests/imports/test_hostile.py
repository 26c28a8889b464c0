"""Files that no app wrote: each is refused in one sentence, within bounds, and nothing is written."""

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from munin_app.chat.conversations import ConversationRepository
from munin_app.domain.messages import Role
from munin_app.errors import ChatImportError
from munin_app.imports import archive, elements, importing
from munin_app.imports.importing import preview
from tests.imports.conftest import Import, only, texts
from tests.imports.exports import EVERY, as_json, as_zip, chatgpt, claude, node

MB = 1_000_000


def linked(folder: Path) -> Path:
    info = zipfile.ZipInfo("conversations.json")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(folder / "export.zip", "w") as packed:
        packed.writestr(info, "/etc/passwd")
    return folder / "export.zip"


def twice(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "export.zip", "w") as packed:
        packed.writestr("conversations.json", "[]")
        with pytest.warns(UserWarning, match="Duplicate"):
            packed.writestr("conversations.json", json.dumps([chatgpt()]))
    return folder / "export.zip"


def locked(folder: Path) -> Path:
    file = as_zip(folder, {"conversations.json": [chatgpt()]})
    content = bytearray(file.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    file.write_bytes(content)
    return file


def cut(folder: Path) -> Path:
    file = as_zip(folder, {"conversations.json": [chatgpt()]})
    file.write_bytes(file.read_bytes()[:-30])
    return file


def garbled(folder: Path) -> Path:
    file = as_zip(folder, {"conversations.json": [chatgpt()]})
    content = bytearray(file.read_bytes())
    content[60:90] = bytes(30)
    file.write_bytes(content)
    return file


def directory(folder: Path) -> Path:
    """It says that its directory is 3 GB long."""
    (folder / "export.zip").write_bytes(b"PK\x03\x04" + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 3_000_000_000, 4, 0))
    return folder / "export.zip"


def bomb(folder: Path) -> Path:
    """300 MB of text in 300 kB."""
    with (
        zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED) as packed,
        packed.open("conversations.json", "w") as file,
    ):
        file.write(b"[")
        for _ in range(300):
            file.write(b" " * MB)
        file.write(b"]")
    return folder / "export.zip"


HOSTILE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "bomb": (bomb, "far more comes out"),
    "path up": (lambda folder: as_zip(folder, {"../conversations.json": [chatgpt()]}), "leads out of it"),
    "absolute path": (lambda folder: as_zip(folder, {"/etc/conversations.json": [chatgpt()]}), "leads out of it"),
    "drive": (lambda folder: as_zip(folder, {"C:\\conversations.json": [chatgpt()]}), "leads out of it"),
    "path up in another file": (lambda folder: as_zip(folder, {"a.json": [chatgpt()], "x/../../y.png": b""}), "leads out of it"),
    "link": (linked, "leads out of it"),
    "nested": (
        lambda folder: as_zip(folder, {"inner.zip": as_zip(folder, {"conversations.json": "[]"}).read_bytes()}),
        "other archives",
    ),
    "twice": (twice, "the same file twice"),
    "locked": (locked, "password"),
    "cut": (cut, "damaged or cut short"),
    "garbled": (garbled, "damaged or cut short"),
    "directory": (directory, "more files than any export"),
    "no JSON in it": (lambda folder: as_zip(folder, {"photo.png": b"png"}), "no JSON file"),
    "no file": (lambda folder: folder / "nothing.zip", "is no file"),
    "empty folder": (lambda folder: folder, "no JSON file"),
    "empty": (lambda folder: as_json(folder, ""), "no chats of"),
    "no chats": (lambda folder: as_json(folder, [{"title": "x"}, 1, None, "text"]), "no chats of"),
    "number": (lambda folder: as_json(folder, "12"), "no chats of"),
    "huge number": (lambda folder: as_json(folder, f'[{{"mapping": {{}}, "create_time": {"9" * 5_000}}}]'), "no JSON"),
    "cut JSON": (lambda folder: as_json(folder, json.dumps([chatgpt()])[:-20]), "cut short"),
    "no end": (lambda folder: as_json(folder, json.dumps([chatgpt()])[:-1]), "cut short"),
    "no JSON": (lambda folder: as_json(folder, "[{'mapping': 1}]"), "no JSON"),
    "deep": (lambda folder: as_json(folder, "[" + '{"mapping":' * 200_000), "nested deeper"),
    "deep lists": (lambda folder: as_json(folder, "[" * 500_000), "nested deeper"),
    "nothing said": (lambda folder: as_json(folder, [chatgpt() | {"mapping": {}}]), "nothing was said"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_it_is_refused_in_one_sentence(name: str, chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    make, sentence = HOSTILE[name]
    folder = tmp_path / "files"
    folder.mkdir()
    file = make(folder)
    with pytest.raises(ChatImportError, match=sentence) as refused:
        await preview(chats, file)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")
    assert await chats.counts() == (0, 0)


async def test_what_comes_before_the_damage_is_imported_once(
    chats: ConversationRepository, tmp_path: Path, bring: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH_MESSAGES", 12)  # of three chats; the fifth is cut short in the second one
    whole = json.dumps([chatgpt(f"c-{number % 4}-{number // 5}", title=f"Chat {number}") for number in range(6)])
    file = as_json(tmp_path, whole[: whole.index("Chat 4") + 30])
    for _ in range(2):
        with pytest.raises(ChatImportError, match="cut short"):
            await bring(file)
        assert sorted(one.title for one in await chats.list()) == [f"Chat {number}" for number in range(4)]
    monkeypatch.setattr(importing, "BATCH_MESSAGES", 1000)
    imported = await bring(as_json(tmp_path, [chatgpt("c-0-0"), chatgpt("new"), chatgpt("new")]))
    assert (imported.chats, imported.messages) == (1, 5)


async def test_no_utf_8(chats: ConversationRepository, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(json.dumps([chatgpt()]).encode("utf-16"))
    with pytest.raises(ChatImportError, match="UTF-8"):
        await preview(chats, tmp_path / "a.json")


async def test_a_link_in_a_folder_is_not_followed(chats: ConversationRepository, tmp_path: Path) -> None:
    file = as_json(tmp_path, EVERY["LM Studio"])
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.json").symlink_to(file)
    with pytest.raises(ChatImportError, match="no JSON file"):
        await preview(chats, tmp_path / "folder")


def ring() -> dict[str, Any]:
    export = chatgpt()
    export["mapping"]["n2"]["parent"] = "n7"
    return export


def same_ids() -> dict[str, Any]:
    export = claude()
    export["chat_messages"].append(export["chat_messages"][0])
    return export


def long() -> dict[str, Any]:
    return chatgpt("c-9", node("n8", "n7", "user", "x" * 1_000_001))


def repeated() -> dict[str, Any]:
    """A reply in 600 parts, each of which was answered: as one reply each they would make 120 MB."""
    parts = [node("p0", "n5", "assistant", "y" * 1_000)]
    parts += [node(f"p{number}", f"p{number - 1}", "assistant", "y" * 1_000) for number in range(1, 600)]
    return chatgpt("c-8", *parts, *(node(f"q{number}", f"p{number}", "user", "?") for number in range(600)))


@pytest.mark.parametrize(
    ("make", "reason"),
    [(ring, "in a ring"), (same_ids, "the same id"), (long, "a million characters"), (repeated, "repeat more text")],
)
async def test_one_bad_chat_is_named_and_left_out(
    make: Callable[[], dict[str, Any]], reason: str, chats: ConversationRepository, tmp_path: Path, bring: Import
) -> None:
    file = as_json(tmp_path, [make(), chatgpt("c-good")])
    found = await preview(chats, file)
    assert len(found.chats) == 1 and reason in found.refused[0].reason
    await bring(file)
    assert (await only(chats)).title == "Harbours"


WRONG: tuple[Any, ...] = (None, True, -1, 1e308, "x", "\ud800", [], [[]], {}, {"a": {}}, [None], [{"a": 1}])


@pytest.mark.parametrize("app", EVERY)
async def test_wrong_types_anywhere_never_break_the_import(
    app: str, chats: ConversationRepository, tmp_path: Path, bring: Import
) -> None:
    """Every value of the export in turn, replaced by one of another type."""
    variants = list(_variants(EVERY[app]))
    assert len(variants) > 100
    for wrong in variants:
        file = as_json(tmp_path, json.dumps(wrong))
        try:
            await preview(chats, file)
            await bring(file)
        except ChatImportError:
            continue
    for conversation in await chats.list():
        path = await chats.path(conversation.id)
        roles = [one.role for one in path]
        assert roles == ([Role.USER, Role.ASSISTANT] * len(roles))[: len(roles)]
        assert len(roles) % 2 == 0 and conversation.leaf_id == path[-1].id
        assert [one.id for one in path] == sorted(one.id for one in path)


def _variants(value: Any, rebuild: Callable[[Any], Any] = lambda new: new) -> Any:
    for number, wrong in enumerate(WRONG):
        if number % 3 == len(str(value)) % 3:  # a third of them each: all together take minutes
            yield rebuild(wrong)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _variants(inner, lambda new, key=key: rebuild(value | {key: new}))  # type: ignore[misc]
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _variants(inner, lambda new, place=place: rebuild([*value[:place], new, *value[place + 1 :]]))  # type: ignore[misc]


async def test_half_characters_and_nul_are_stored_as_something(
    chats: ConversationRepository, tmp_path: Path, bring: Import
) -> None:
    await bring(as_json(tmp_path, [chatgpt("c-1", node("n8", "n5", "assistant", "a\ud83d b\0c \U0001f600"), leaf="n8")]))
    assert texts(await chats.path((await only(chats)).id))[-1] == "a? bc \U0001f600"


async def test_times_that_cannot_be_are_none(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    export = chatgpt()
    for number, (key, one) in enumerate(export["mapping"].items()):
        if one["message"]:
            one["message"]["create_time"] = (-5, 1e300, 4_000_000_000, "soon", None, 0.5)[number % 6]
            export["mapping"][key] = one
    await bring(as_json(tmp_path, [export | {"create_time": 9_999_999_999_999_999, "update_time": None}]))
    path = await chats.path((await only(chats)).id)
    assert [one.id for one in path] == sorted(one.id for one in path)
    assert (await bring(as_json(tmp_path, [export]))).messages == 0


def _large(file: Path, conversations: int, kilobytes: int) -> None:
    """As ChatGPT's are: many chats in one list."""
    text = json.dumps(chatgpt("ID", node("n8", "n7", "user", "words " * (kilobytes * 1000 // 6))))
    with file.open("w", encoding="utf-8") as target:
        target.write("[\n")
        for number in range(conversations):
            target.write((",\n" if number else "") + text.replace('"ID"', f'"c-{number}"'))
        target.write("]")


def test_a_large_export_takes_the_memory_of_one_chat(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    _large(file, 400, 100)
    assert file.stat().st_size > 40 * MB
    tracemalloc.start()
    with file.open("rb") as source:
        assert sum(1 for _ in elements.elements(source, "x")) == 400
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * MB


@pytest.mark.parametrize("filling", [b"[],", b'{"":1},', b'"\\u0041",', b"123456,"])
def test_one_huge_entry_is_refused_within_bounds(filling: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """An eighth of the real bounds, which take a minute."""
    monkeypatch.setattr(elements, "ELEMENT_MAX_CHARACTERS", elements.ELEMENT_MAX_CHARACTERS // 8)
    monkeypatch.setattr(elements, "ELEMENT_MAX_PARTS", elements.ELEMENT_MAX_PARTS // 8)

    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:  # type: ignore[override]
            return filling * (size // len(filling))

    tracemalloc.start()
    source = Endless()
    source.read = lambda size, first=[b'[{"mapping":[']: first.pop() if first else Endless.read(source, size)  # type: ignore[method-assign,misc,assignment]
    with pytest.raises(ChatImportError, match="larger than any chat"):
        list(elements.elements(source, "x"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500 * MB / 8


def test_elements_that_end_where_a_piece_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [12345, 'é😀\\"', {"a": [1.5e-7, None, True]}, "", [], -3]
    raw = json.dumps(values, ensure_ascii=False).encode() + b"  "
    for size in range(1, 12):

        class Pieces(io.BytesIO):
            def read(self, _: int | None = -1, size: int = size) -> bytes:
                return super().read(size)

        assert list(elements.elements(Pieces(raw), "x")) == values


async def test_the_ratio_goes_by_what_comes_out(
    chats: ConversationRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "RATIO_FROM_BYTES", 1000)
    file = as_zip(tmp_path, {"a.json": " " * 50_000, "b.json": " " * 50_000})
    content = file.read_bytes()
    file.write_bytes(content.replace(struct.pack("<L", 50_000), struct.pack("<L", 10)))
    with pytest.raises(ChatImportError):
        await preview(chats, file)

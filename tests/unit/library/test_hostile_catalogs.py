"""A catalogue may come from anywhere: whatever stands in it, it is read, or refused with a sentence."""

import random
from pathlib import Path

import pytest

from munin_app import paths
from munin_app.errors import ModelError
from munin_app.library.catalog import read_catalog, read_catalogs
from munin_app.library.fetching import where

SHA = "0" * 64
GOOD = f"""
version = 1

[[chat]]
id = "a"
name = "A"
licence = "MIT"
context_tokens = 4096
languages = ["en"]
good_for = "Tests."

[[chat.files]]
file = "a.gguf"
address = "https://example.org/a.gguf"
sha256 = "{SHA}"
size_bytes = 1_000

[[encoder]]
id = "e"
name = "E"
folder = "e"
licence = "MIT"
languages = ["en"]
dimension = 384
max_tokens = 256
pooling = "mean"
query_prefix = "query: "
document_prefix = ""
threshold = 0.35

[[encoder.files]]
file = "model.onnx"
address = "https://example.org/model.onnx"

[[encoder.files]]
file = "tokenizer.json"
address = "https://example.org/tokenizer.json"
"""

CHAT_FILE = 'file = "a.gguf"'
ADDRESS = 'address = "https://example.org/a.gguf"'
HOSTILE = [
    # names that would leave the folder, or cannot be written everywhere
    *[(CHAT_FILE, f"file = '{name}'") for name in ("../a.gguf", "..", "/a.gguf", "x/a.gguf", "x\\a.gguf", "C:a.gguf", ".a.gguf")],
    *[(CHAT_FILE, f"file = '{name}'") for name in ("", ".gguf", "a.gguf ", "a.exe", "con.gguf", "LPT1.gguf", "a\u202e.gguf")],
    *[(CHAT_FILE, f"file = '{name}'") for name in ("é.gguf", "a" * 300 + ".gguf", "a.gguf.part", "a\tb.gguf", "a:b.gguf")],
    (CHAT_FILE, 'file = "a-00001-of-00002.gguf"'),
    (CHAT_FILE, 'file = "a-00002-of-00002.gguf"'),
    *[('folder = "e"', f"folder = '{name}'") for name in ("..", "../e", "/e", "e/", ".e", "aux", "")],
    ('file = "model.onnx"', 'file = "../model.onnx"'),
    ('file = "model.onnx"', 'file = "tokenizer.json"'),
    ('file = "tokenizer.json"', 'file = "MODEL.onnx"'),
    # addresses that nothing is fetched from
    *[
        (ADDRESS, f"address = '{address}'")
        for address in ("http://example.org/a", "file:///etc/passwd", "https://", "a.gguf", "//a")
    ],
    *[
        (ADDRESS, f"address = '{address}'")
        for address in ("https://u:p@example.org/a", "https://a b/", "https://[::1", "https://a:b/")
    ],
    (ADDRESS, f"address = 'https://example.org/{'a' * 3000}'"),
    (ADDRESS, ""),
    (ADDRESS, 'package = "p"'),
    (ADDRESS, ADDRESS + '\npackage = "p"\nmember = "m"'),
    ('name = "A"', 'name = "A"\nlicence_terms = "javascript:alert(1)"'),
    # sizes and numbers
    *[
        ("size_bytes = 1_000", f"size_bytes = {size}")
        for size in ("-1", "1e3", "99999999999999999999", "9" * 5000, "'1'", "true")
    ],
    *[("context_tokens = 4096", f"context_tokens = {count}") for count in ("0", "-1", "1.5", "nan", "10**9", "[]")],
    *[("dimension = 384", f"dimension = {count}") for count in ("0", "999999999", "{}")],
    *[("threshold = 0.35", f"threshold = {number}") for number in ("nan", "inf", "2", "'0.3'")],
    *[(f'sha256 = "{SHA}"', f'sha256 = "{digest}"') for digest in ("0", "g" * 64, SHA.replace("0", "A"), SHA + "0")],
    # texts
    ('name = "A"', 'name = "\\u001b[31m"'),
    ('good_for = "Tests."', f'good_for = "{"a" * 100_000}"'),
    ('languages = ["en"]', 'languages = [["en"]]'),
    ('languages = ["en"]', 'languages = ["\\u0000"]'),
    ('name = "A"', "name = {}"),
    # forms
    ("version = 1", ""),
    ("version = 1", "version = '1'"),
    ("version = 1", "version = [[[]]]"),
    ("[[chat]]", "[chat]"),
    ("[[chat.files]]", "[chat.files]"),
    ("[[encoder]]", "[[coder]]"),
    ('id = "a"', 'id = "b"'),
    ('id = "e"', 'id = "a"'),
    ('pooling = "mean"', 'pooling = "rce"'),
    ('name = "A"', 'name = "A"\nname = "B"'),
    ("[[chat]]", "x = " + "[" * 5_000 + "\n[[chat]]"),
    ("[[chat]]", "x" + ".x" * 20_000 + " = 1\n[[chat]]"),
]


def refusal(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        read_catalog(path, "Correct it, or move it away.")
    return str(caught.value)


def test_the_good_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "catalog.toml"
    path.write_text(GOOD, encoding="utf-8")
    catalog = read_catalog(path)
    assert [(entry.id, entry.verified, entry.size_bytes) for entry in catalog.entries] == [("a", True, 1_000), ("e", False, 0)]


def test_hostile_catalogues_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "catalog.toml"
    assert len(HOSTILE) >= 50
    for old, new in HOSTILE:
        assert GOOD.count(old), old
        path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
        said = refusal(path)
        assert said.endswith("Correct it, or move it away.") and len(said) < 800 and said.isprintable(), (new[:80], said[:200])


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"\x00" * 100, b"x" * 2_000_000, b"version = 1\nchat = 1", b"version = 1\nchat = {}", b"", b"version = 2"],
)
def test_what_is_no_catalogue_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "catalog.toml"
    path.write_bytes(content)
    refusal(path)


def test_too_many_entries_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "catalog.toml"
    path.write_text("version = 1\n" + "[[chat]]\n" * 501, encoding="utf-8")
    assert "500 tables at most" in refusal(path)


def test_a_damaged_catalogue_never_raises_anything_else_and_never_leaves_the_folder(tmp_path: Path) -> None:
    """Bytes of the good one are changed, doubled and taken out at random: read or refused, and no file lies elsewhere."""
    chance, path, folder = random.Random(6), tmp_path / "catalog.toml", tmp_path / "models"
    for _ in range(300):
        content = bytearray(GOOD.encode())
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(content))
            content[place : place + chance.choice((0, 1, 20))] = chance.choice(
                (b"", b"../", b"/", b'"', b"\n", b"\x00", b"9" * 30)
            )
        path.write_bytes(content)
        try:
            catalog = read_catalog(path)
        except ModelError:
            continue
        for entry in catalog.entries:
            assert all(place.resolve().is_relative_to(folder) for place in where(entry, folder))


def test_the_users_catalogue_adds_and_never_takes_the_place_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "catalog.toml"
    ours = read_catalog(paths.catalog_file())
    taken = ours.chat[1]
    path.write_text(GOOD.replace(CHAT_FILE, f'file = "{taken.file}"').replace('id = "a"', f'id = "{taken.id}"'), encoding="utf-8")
    joined, problem = read_catalogs(paths.catalog_file(), path)
    assert (joined.chat, problem) == (ours.chat, "")
    assert [entry.id for entry in joined.encoder] == [*(entry.id for entry in ours.encoder), "e"]


def test_a_bad_catalogue_of_the_users_leaves_ours(tmp_path: Path) -> None:
    path = tmp_path / "catalog.toml"
    path.write_text("version = 3", encoding="utf-8")
    joined, problem = read_catalogs(paths.catalog_file(), path)
    assert joined == read_catalog(paths.catalog_file())
    assert problem.endswith("Correct it, or move it away.")

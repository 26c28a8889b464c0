"""Sealed files: what was written comes back, and nothing else passes for it."""

import io
import os
import random

import pytest

from munin_app.errors import LockError, WrongPassphrase
from munin_app.storage import passphrase, sealed
from munin_app.storage.passphrase import Slot, check_new, unpack, unwrap, wrap
from munin_app.storage.sealed import CHUNK, NewerSeal, SealedWriter, open_sealed, read_header

KEY = bytes(range(32))
RECORD = CHUNK + 16


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passphrase, "LOG2_N", 8)


def seal(content: bytes, slot: Slot | None = None) -> bytes:
    file = io.BytesIO()
    writer = SealedWriter(file, KEY, slot)
    for start in range(0, len(content), 70_001):
        writer.write(content[start : start + 70_001])
    writer.finish()
    return file.getvalue()


def content_of(sealed_file: bytes, key: bytes = KEY) -> bytes:
    return open_sealed(io.BytesIO(sealed_file), key).read()


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 77])
def test_it_comes_back_as_it_was(size: int) -> None:
    content = random.Random(size).randbytes(size)
    assert content_of(seal(content)) == content


def test_any_place_can_be_read() -> None:
    content, chance = random.Random(1).randbytes(3 * CHUNK + 5), random.Random(2)
    file = open_sealed(io.BytesIO(seal(content)), KEY)
    assert file.seek(0, 2) == len(content)
    for _ in range(50):
        start = chance.randrange(len(content))
        file.seek(start)
        assert file.read(CHUNK + 9) == content[start : start + CHUNK + 9]


def test_the_same_content_is_never_sealed_the_same() -> None:
    assert seal(b"twice") != seal(b"twice")


def test_another_key_does_not_open_it() -> None:
    with pytest.raises(ValueError, match="seal is broken"):
        content_of(seal(b"content"), bytes(32))


@pytest.mark.parametrize("seed", range(60))
def test_a_changed_bit_or_a_missing_end_is_refused(seed: int) -> None:
    chance, whole = random.Random(seed), bytearray(seal(random.Random(0).randbytes(2 * CHUNK + 100)))
    if seed % 2:
        del whole[chance.randrange(len(whole)) :]
    else:
        whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    with pytest.raises((ValueError, NewerSeal)):
        content_of(bytes(whole))


def test_chunks_that_changed_places_were_left_out_or_come_from_another_file_are_refused() -> None:
    one, other = seal(bytes(3 * CHUNK)), seal(bytes(3 * CHUNK))
    start = len(one) - 3 * RECORD
    head, chunks = one[:start], [one[start + n * RECORD : start + (n + 1) * RECORD] for n in range(3)]
    foreign = other[start : start + RECORD]
    for wrong in (chunks[1::-1] + chunks[2:], chunks[:2], chunks[1:], [*chunks, chunks[2]], [foreign, *chunks[1:]], []):
        with pytest.raises(ValueError, match=r"seal is broken|end is missing"):
            content_of(head + b"".join(wrong))


def test_a_newer_file_is_told_from_a_damaged_one() -> None:
    newer = bytearray(seal(b"content"))
    newer[len(sealed.MAGIC)] = 2
    with pytest.raises(NewerSeal):
        content_of(bytes(newer))


def test_a_passphrase_opens_the_key_that_the_header_carries() -> None:
    whole = seal(b"content", wrap(KEY, "a long passphrase"))
    slot = read_header(io.BytesIO(whole))[1]
    assert slot
    assert content_of(whole, unwrap(slot, "a long passphrase")) == b"content"
    with pytest.raises(WrongPassphrase, match="another one"):
        unwrap(slot, "another passphrase")


def test_letters_that_keyboards_compose_differently_are_the_same() -> None:
    assert unwrap(wrap(KEY, "Pässwörter"), "Pa\u0308sswo\u0308rter") == KEY


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(LockError, match="7 characters; expected at least 8"):
        check_new("seven77")


@pytest.mark.parametrize(("log2_n", "r", "p"), [(30, 8, 1), (17, 255, 1), (17, 8, 200), (0, 8, 1), (17, 0, 1)])
def test_a_header_cannot_ask_for_more_memory_than_munin_does(log2_n: int, r: int, p: int) -> None:
    with pytest.raises(ValueError, match="more memory than it may"):
        unpack(Slot(log2_n, r, p, os.urandom(16), os.urandom(12), os.urandom(48)).pack())

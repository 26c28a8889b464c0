"""Whole characters only, whatever the tokens' borders."""

import time

import wcwidth
from hypothesis import given
from hypothesis import strategies as st

from munin_app.inference.text import TextAssembler

SCRIPTS = st.lists(
    st.sampled_from(
        [
            "a",
            "1",
            " ",
            "\r",
            "\n",
            "e\u0301",
            "👨‍👩‍👧‍👦",
            "❤️‍🔥",
            "🇳🇴",
            "🇸",
            "1️⃣",
            "👍🏽",
            "क्षि",
            "नमस्ते",
            "각",
            "ᄀ",
            "ᅡ",
            "ᆨ",
            "漢",
            "\u200d",
            "\u0308",
        ]
    ),
    max_size=12,
).map("".join)


def deltas_of(pieces: list[bytes]) -> list[str]:
    assembler = TextAssembler()
    deltas = [assembler.feed(piece) for piece in pieces] + [assembler.finish()]
    assert "".join(deltas) == assembler.text
    return [delta for delta in deltas if delta]


@given(SCRIPTS, st.data())
def test_no_cluster_is_ever_split(text: str, data: st.DataObject) -> None:
    encoded = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(encoded)))))
    pieces = [encoded[start:end] for start, end in zip([0, *cuts], [*cuts, len(encoded)], strict=True)]
    deltas = deltas_of(pieces)
    assert "".join(deltas) == text
    assert [cluster for delta in deltas for cluster in wcwidth.iter_graphemes(delta)] == list(wcwidth.iter_graphemes(text))


@given(SCRIPTS)
def test_every_byte_by_itself_gives_the_same_text(text: str) -> None:
    deltas = deltas_of([bytes([byte]) for byte in text.encode()])
    assert [cluster for delta in deltas for cluster in wcwidth.iter_graphemes(delta)] == list(wcwidth.iter_graphemes(text))


@given(st.binary(max_size=40))
def test_bytes_that_are_no_text_become_replacement_characters(data: bytes) -> None:
    assert "".join(deltas_of([bytes([byte]) for byte in data])) == data.decode("utf-8", "replace")


def test_plain_text_is_at_most_one_character_behind() -> None:
    assembler = TextAssembler()
    assert assembler.feed(b"Hello") == "Hell"
    assert assembler.feed(b" there.\n") == "o there.\n"


def test_long_replies_and_endless_marks_take_linear_time() -> None:
    started = time.process_time()
    deltas_of([b"word "] * 20_000)
    deltas_of(["\u0301".encode()] * 20_000)
    assert time.process_time() - started < 3

"""What a model thinks is told from what it answers: in every style, however the text is cut, and only where a reply begins."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from munin_app.domain.inference import Delta, ReasoningDelta, TextDelta
from munin_app.inference.reasoning import STYLES, ReasoningStyle, ReplyParser, opened_by

THINK = STYLES[0]


def parse(*chunks: str, opened: ReasoningStyle | None = None) -> tuple[str, str]:
    """Reasoning and answer, as the deltas tell them, which must be what the parser itself says."""
    parser = ReplyParser(opened)
    deltas = [delta for chunk in chunks for delta in parser.feed(chunk)] + parser.finish()
    parts = (_joined(deltas, ReasoningDelta), _joined(deltas, TextDelta))
    assert parts == (parser.reasoning, parser.answer)
    return parts


def _joined(deltas: list[Delta], kind: type[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, kind))


@pytest.mark.parametrize("style", STYLES[:-1])
def test_every_style_is_told_apart(style: ReasoningStyle) -> None:
    assert parse(f"{style.start}\nHmm.\n{style.end}\n\nHello.") == ("Hmm.", "Hello.")
    assert parse(f"Hmm.\n{style.end}\n\nHello.", opened=style) == ("Hmm.", "Hello.")
    assert opened_by(f"<|assistant|>{style.start}\n") == style


def test_channel_of_the_answer_alone_is_no_thought() -> None:
    assert parse("<|channel|>final<|message|>Hello.") == ("", "Hello.")


def test_no_style_begins_like_another() -> None:
    assert not any(one.start.startswith(other.start) for one, other in permutations(STYLES, 2))


@pytest.mark.parametrize(
    "text",
    [
        "Hello.",
        "  The tag <think> opens a thought, </think> ends it.",
        "```\n<think>\n```",
        "`<think>`",
        "<thin ice",
        "< think>",
        "</think>",
        "\n\n",
        "",
    ],
)
def test_text_without_a_tag_at_its_beginning_stays_as_it_is(text: str) -> None:
    assert parse(text) == ("", text)


@pytest.mark.parametrize(
    ("text", "opened", "reasoning", "answer"),
    [
        ("<think>Hmm", None, "Hmm", ""),
        ("<think>Hmm </thi", None, "Hmm </thi", ""),
        ("Hmm", THINK, "Hmm", ""),
        ("<think>\nHmm</think>Hi", THINK, "Hmm", "Hi"),
        ("</think>\n\nHi", THINK, "", "Hi"),
        ("\n <think>\n\n</think>\n\nHi", None, "", "Hi"),
        ("<think>a</think>Use <think>b</think>.", None, "a", "Use <think>b</think>."),
        ("<think>a < b\n\n</thing></think>c", None, "a < b\n\n</thing>", "c"),
        ("[THINK]</think>[/THINK]Hi", None, "</think>", "Hi"),
    ],
)
def test_thoughts_that_do_not_close_or_close_oddly(text: str, opened: ReasoningStyle | None, reasoning: str, answer: str) -> None:
    assert parse(text, opened=opened) == (reasoning, answer)


_PIECES = st.sampled_from(
    [tag for style in STYLES[:3] for tag in (style.start, style.end)] + ["<", "thi", "\n", " ", "a", "é", "/"]
)


@given(text=st.lists(_PIECES, max_size=12).map("".join), cuts=st.lists(st.integers(0, 80)), opened=st.sampled_from([None, THINK]))
def test_any_chunking_gives_the_same_parts(text: str, cuts: list[int], opened: ReasoningStyle | None) -> None:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    chunks = [text[start:end] for start, end in pairwise(places)]
    assert parse(*chunks, opened=opened) == parse(text, opened=opened) == parse(*text, opened=opened)

"""Passages: every word is in one, none is too long, and each says where it stands."""

from hypothesis import given
from hypothesis import strategies as st

from munin_app.chat.attached.passages import PASSAGE_CHARACTERS, passages

TEXTS = st.text(st.sampled_from("ab \n\fß語") | st.characters(exclude_categories=["Cs"]), max_size=3_000)


@given(TEXTS.map(lambda text: text * 3), st.booleans())
def test_no_word_is_lost_and_none_is_too_long(text: str, paged: bool) -> None:
    found = passages(text, paged=paged)
    assert "".join("".join(one.text for one in found).split()) == "".join(text.split())
    assert all(one.text.strip() and len(one.text) <= PASSAGE_CHARACTERS for one in found)
    assert [one.n for one in found] == list(range(len(found)))


@given(TEXTS)
def test_each_begins_on_its_line(text: str) -> None:
    pages = text.split("\f")
    for one in passages(text, paged=True):
        lines = pages[one.page - 1].split("\n")
        assert one.text.split("\n")[0].strip() in lines[one.line - 1]


def test_a_passage_is_on_one_page() -> None:
    found = passages("one\ftwo\n\n\fthree", paged=True)
    assert [(one.page, one.text) for one in found] == [(1, "one"), (2, "two"), (3, "three")]


def test_a_line_that_is_too_long_is_cut_at_a_word() -> None:
    found = passages("first\n" + "word " * 400, paged=False)
    assert len(found) > 2 and found[-1].line == 2
    assert all(not one.text.startswith("ord") for one in found)

"""Cutting long texts: nothing invisible, nothing too long, no word cut where white space is near."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from munin_app.memory.chunks import SECTION_CHARACTERS, approximate_spans, sections, split

TEXTS = st.text(alphabet=st.sampled_from("abc xyz\n\t,.!1é日本🐕‍"), max_size=400)


def folded(text: str) -> str:
    return "".join(text.split())


@given(TEXTS, st.integers(min_value=4, max_value=40))
def test_every_character_is_in_some_part_in_order(text: str, limit: int) -> None:
    whole, at = folded(text), 0
    for part in map(folded, split(text, approximate_spans(text), limit)):
        start = whole.rfind(part, 0, at + len(part))  # the last place without a gap: a text may repeat itself
        assert 0 <= start <= at
        at = max(at, start + len(part))
    assert at == len(whole)


@given(TEXTS, st.integers(min_value=4, max_value=40))
def test_no_part_has_more_tokens_than_the_limit(text: str, limit: int) -> None:
    assert all(len(approximate_spans(part)) <= limit + 1 for part in split(text, approximate_spans(text), limit))


def test_parts_begin_and_end_at_white_space_and_overlap() -> None:
    words = [f"w{number}" for number in range(100)]
    parts = split(" ".join(words), approximate_spans(" ".join(words)), 32)
    assert all(set(part.split()) <= set(words) for part in parts)
    assert all(set(one.split()) & set(other.split()) for one, other in pairwise(parts))


def test_a_short_text_is_one_part() -> None:
    assert split("My dog Bruno", approximate_spans("My dog Bruno"), 254) == ["My dog Bruno"]


@given(st.text(alphabet="ab \n", max_size=50).map(lambda text: text * 900))
def test_sections_join_to_the_text(text: str) -> None:
    parts = list(sections(text))
    assert "".join(parts) == text
    assert all(len(part) <= SECTION_CHARACTERS for part in parts)

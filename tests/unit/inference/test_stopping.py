"""Where replies end: what llama.cpp knows by itself, and what is added from the template."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from munin_app.inference.llama import LlamaModel
from munin_app.inference.stopping import Ends, StopText, ends_of_turn, reasoning_tags
from tests.unit.inference.gguf_files import CONTROL, NORMAL, write_sentencepiece_vocabulary

FORGOTTEN, OWN, THINK, CHANNEL = "<|im_end|>", "<|mine|>", "[THINK]", "<channel|>"


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaModel]:
    more = ((FORGOTTEN, NORMAL), (OWN, CONTROL), (THINK, CONTROL), (CHANNEL, CONTROL))
    path: Path = write_sentencepiece_vocabulary(tmp_path_factory.mktemp("vocabulary") / "marks.gguf", more)
    model = LlamaModel(path, vocabulary_only=True)
    yield model
    model.close()


def token_of(vocabulary: LlamaModel, text: str) -> int:
    return vocabulary.tokenise(text, special=True)[-1]


def test_llama_knows_the_usual_marks_by_name_even_where_the_file_forgot_them(vocabulary: LlamaModel) -> None:
    assert vocabulary.ends_reply(token_of(vocabulary, FORGOTTEN))
    assert not vocabulary.ends_reply(token_of(vocabulary, OWN))


@pytest.mark.parametrize("end_of_turn", ["<|mine|>\n<|user|>\n", "\n<|mine|>"])
def test_mark_of_the_templates_own_ends_a_reply(vocabulary: LlamaModel, end_of_turn: str) -> None:
    ends = ends_of_turn(vocabulary, end_of_turn, reasoning_tags(vocabulary))
    assert ends == Ends(frozenset({token_of(vocabulary, OWN)}))


def test_mark_without_a_token_ends_a_reply_as_text(vocabulary: LlamaModel) -> None:
    assert ends_of_turn(vocabulary, "<|over|>\nab", frozenset()) == Ends(text="<|over|>")


@pytest.mark.parametrize("end_of_turn", ["", "\n\n", "\nab: ", "[THINK]"])
def test_white_space_words_and_tags_of_thoughts_end_nothing(vocabulary: LlamaModel, end_of_turn: str) -> None:
    assert ends_of_turn(vocabulary, end_of_turn, reasoning_tags(vocabulary)) == Ends()


def test_tags_that_are_control_tokens_are_known(vocabulary: LlamaModel) -> None:
    assert reasoning_tags(vocabulary) == {token_of(vocabulary, THINK), token_of(vocabulary, CHANNEL)}


@given(text=st.text(st.sampled_from("<|over>x"), max_size=30), cuts=st.lists(st.integers(0, 30)))
def test_text_is_cut_at_the_mark_however_it_arrives(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    stop = StopText("<|over|>")
    said = "".join(stop.feed(text[start:end]) for start, end in pairwise(places)) + stop.finish("")
    assert (said, stop.found) == (text.partition("<|over|>")[0], "<|over|>" in text)

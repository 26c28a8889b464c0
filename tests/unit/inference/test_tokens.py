"""Tokens stand for exactly the text, on vocabularies with and without an added space."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from munin_app.inference.llama import LlamaModel
from munin_app.inference.template import Segment
from munin_app.inference.tokens import SessionTokens, TokenisedSegment, Tokeniser
from tests.unit.inference.gguf_files import write_sentencepiece_vocabulary


@pytest.fixture(scope="module")
def spaced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaModel]:
    model = LlamaModel(write_sentencepiece_vocabulary(tmp_path_factory.mktemp("spm") / "spm.gguf"), vocabulary_only=True)
    yield model
    model.close()


@pytest.fixture(scope="module")
def plain(model_path: Path) -> Iterator[LlamaModel]:
    model = LlamaModel(model_path, vocabulary_only=True)
    yield model
    model.close()


def pieces(model: LlamaModel, tokens: list[int]) -> str:
    return b"".join(model.piece(token, special=True) for token in tokens).decode()


TEXTS = st.lists(
    st.sampled_from(["a", "b", "c", " ", "\n", "<s>", "<|user|>", "<|im_start|>", "é", "👍🏽", "0"]), max_size=12
).map("".join)


@settings(deadline=None)
@given(TEXTS)
def test_content_is_text_again_and_holds_no_control_token(spaced: LlamaModel, plain: LlamaModel, text: str) -> None:
    for model in (spaced, plain):
        tokens = Tokeniser(model).content(text)
        assert pieces(model, tokens) == text
        assert not any(model.is_special(token) for token in tokens)


@settings(deadline=None)
@given(TEXTS)
def test_glue_is_text_again(spaced: LlamaModel, plain: LlamaModel, text: str) -> None:
    for model in (spaced, plain):
        assert pieces(model, Tokeniser(model).glue(text)) == text


def test_vocabulary_for_these_tests_does_add_a_space(spaced: LlamaModel) -> None:
    assert pieces(spaced, spaced.tokenise("ab", special=False)) == " ab"
    assert pieces(spaced, spaced.tokenise("<|user|>a", special=True)) == "<|user|> a"


def test_control_tokens_in_glue_are_control_tokens(spaced: LlamaModel) -> None:
    tokens = Tokeniser(spaced).glue("<s><|user|>a</s>")
    assert [token for token in tokens if spaced.is_special(token)] == [1, 3, 2]


def test_bos_is_there_once(spaced: LlamaModel, plain: LlamaModel) -> None:
    wants, does_not = Tokeniser(spaced), Tokeniser(plain)
    assert wants.with_bos([9]) == [1, 9]
    assert wants.with_bos([1, 9]) == [1, 9]
    assert wants.with_bos([1, 1, 9]) == [1, 9]
    assert does_not.with_bos([9]) == [9]


def test_session_keeps_the_tokens_of_its_replies(plain: LlamaModel) -> None:
    sessions = SessionTokens(Tokeniser(plain))
    reply = TokenisedSegment(
        Segment("hello", True), tuple(plain.tokenise("hel", special=False) + plain.tokenise("lo", special=False))
    )
    question = sessions.tokenise("s", [Segment("say", True)])
    sessions.keep("s", [*question, reply])
    again = [Segment("say", True), Segment("hello", True), Segment("more", True)]
    assert sessions.tokenise("s", again)[1] == reply
    assert sessions.tokenise("other", again)[1] != reply
    sessions.keep("s", question)
    assert sessions.tokenise("s", again)[1] == reply, "a mere beginning took the rest away"
    sessions.forget("s")
    assert sessions.tokenise("s", again)[1] != reply


def test_sessions_used_longest_ago_make_room(plain: LlamaModel) -> None:
    sessions = SessionTokens(Tokeniser(plain), limit=2)
    reply = TokenisedSegment(Segment("hi", True), (1, 2, 3))
    for name in ("first", "second", "third"):
        sessions.keep(name, [reply])
    kept = {name: sessions.tokenise(name, [reply.segment]) == [reply] for name in ("first", "second", "third")}
    assert kept == {"first": False, "second": True, "third": True}

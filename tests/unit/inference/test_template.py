"""Chat templates as they are found in the wild, and what becomes of conversations that they do not accept."""

import pytest

from munin_app.errors import ModelError
from munin_app.inference.template import ChatTemplate, Segment
from tests.unit.inference.reasoning_templates import GLM_LIKE, QWEN_LIKE, R1_LIKE
from tests.unit.inference.requests import assistant, system, user

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] | trim + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
STRICT = (  # as Gemma's: no system role, roles alternate
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{{ '<turn>' + message['role'] | replace('assistant', 'model') }}"
    "{{ '\n' + message['content'] | trim + '</turn>\n' }}{% endfor %}{{ '<turn>model\n' }}"
)
SYSTEM_IN_LAST_USER = (  # as Mistral's: the system text moves on with every turn
    "{% set system = messages[0]['content'] if messages[0]['role'] == 'system' else '' %}"
    "{% for message in messages %}{% if message['role'] == 'user' %}[INST] "
    "{% if loop.last and system %}{{ system }}\n\n{% endif %}"
    "{{ message['content'] }}[/INST]{% elif message['role'] == 'assistant' %} {{ message['content'] }}</s>{% endif %}{% endfor %}"
)
DATED = "{{ strftime_now('%d %b %Y') }}" + CHATML
THINKING = "{% generation %}" + CHATML.replace("assistant\n' }}", "assistant\n<think>\n' }}") + "{% endgeneration %}"


def text_of(segments: list[Segment]) -> str:
    return "".join(segment.text for segment in segments)


def test_content_is_told_from_glue_and_never_changed() -> None:
    segments = ChatTemplate(CHATML, "", "").segments([user("  <|im_end|> hi ")], 0)
    assert segments == [
        Segment("<|im_start|>user\n", False),
        Segment("  <|im_end|> hi ", True),
        Segment("<|im_end|>\n<|im_start|>assistant\n", False),
    ]


def test_content_that_looks_like_a_placeholder_stays_content() -> None:
    sly = "qz7MUNIN0x7zq {{ messages }}"
    assert ChatTemplate(CHATML, "", "").segments([user("a"), assistant(sly)], 0)[3] == Segment(sly, True)


def test_system_text_is_folded_where_the_role_is_refused() -> None:
    template = ChatTemplate(STRICT, "<bos>", "")
    assert template.folds_system
    assert template.append_only
    rendered = text_of(template.segments([system("Be kind."), user("Hi")], 0))
    assert rendered == "<bos><turn>user\nBe kind.\n\nHi</turn>\n<turn>model\n"


def test_neighbours_of_one_role_are_merged_where_roles_must_alternate() -> None:
    rendered = text_of(ChatTemplate(STRICT, "", "").segments([user("One"), user("two"), assistant("Three"), user("four")], 0))
    assert rendered == "<turn>user\nOne\n\ntwo</turn>\n<turn>model\nThree</turn>\n<turn>user\nfour</turn>\n<turn>model\n"


def test_neighbours_of_one_role_stay_apart_where_they_may() -> None:
    assert len(ChatTemplate(CHATML, "", "").segments([user("One"), user("two")], 0)) == 5


def test_folding_makes_a_template_append_only_that_moves_the_system_text() -> None:
    template = ChatTemplate(SYSTEM_IN_LAST_USER, "", "")
    assert template.folds_system
    assert template.append_only


def test_space_that_a_template_puts_before_past_replies_is_left_to_the_model() -> None:
    rendered = text_of(ChatTemplate(SYSTEM_IN_LAST_USER, "", "").segments([user("Hi"), assistant(" Hello"), user("Bye")], 0))
    assert rendered == "[INST] Hi[/INST] Hello</s>[INST] Bye[/INST]"


def test_opened_thought_is_a_segment_of_its_own_that_no_later_prompt_holds() -> None:
    template = ChatTemplate(R1_LIKE, "<bos>", "<eos>")
    assert template.append_only
    *prompt, opening = template.segments([system("Be kind."), user("Hi")], 0)
    later = template.segments([system("Be kind."), user("Hi"), assistant("Hello"), user("Bye")], 0)
    assert opening == Segment("<think>\n", is_content=False)
    assert later[: len(prompt)] == prompt
    assert text_of(later) == "<bos>Be kind.<|User|>Hi<|Assistant|>Hello<eos><|User|>Bye<|Assistant|><think>\n"


@pytest.mark.parametrize("source", [QWEN_LIKE, R1_LIKE])
def test_template_that_takes_reasoning_out_gets_past_replies_without_it(source: str) -> None:
    template = ChatTemplate(source, "", "")
    assert not template.keeps_reasoning
    assert template.reply("Hello", "They greet me.") == Segment("Hello", True)


@pytest.mark.parametrize("source", [CHATML, THINKING])
def test_template_that_keeps_reasoning_gets_it_back_between_its_tags(source: str) -> None:
    template = ChatTemplate(source, "", "")
    assert template.append_only
    assert template.keeps_reasoning
    past = template.reply("Hello", "They greet me.")
    assert text_of([*past.thought, past]) == "<think>\nThey greet me.\n</think>\n\nHello"
    assert [part.is_content for part in (*past.thought, past)] == [False, True, False, True]


def test_template_that_marks_past_replies_with_an_empty_thought_still_grows() -> None:
    template = ChatTemplate(GLM_LIKE, "", "")
    assert template.append_only
    assert template.empty_thought == "<think></think>\n"
    rendered = text_of(template.segments([user("Hi"), assistant("Hello"), user("Bye")], 0))
    assert rendered == "<|user|>Hi<|assistant|>\n<think></think>\nHello<|user|>Bye<|assistant|>\n"


@pytest.mark.parametrize(
    ("source", "end"), [(CHATML, "<|im_end|>\n<|im_start|>user\n"), (STRICT, "</turn>\n<turn>user\n"), (GLM_LIKE, "<|user|>")]
)
def test_end_of_a_turn_is_what_stands_behind_a_reply(source: str, end: str) -> None:
    assert ChatTemplate(source, "", "").end_of_turn == end


@pytest.mark.parametrize("source", [CHATML, STRICT, SYSTEM_IN_LAST_USER, DATED])
def test_opening_is_the_beginning_of_every_later_prompt(source: str) -> None:
    template = ChatTemplate(source, "<s>", "</s>")
    history = [system("Be kind."), user("Hi"), assistant("Hello")]
    for length in (1, 2, 3):
        opening = template.opening_segments(history[:length], 0)
        later = template.segments([*history[:length], *history[length:], user("Next")], 0)
        assert later[: len(opening)] == opening
        assert history[length - 1].text in text_of(opening)


def test_date_is_that_of_the_conversation() -> None:
    started_at = 1_700_000_000_000
    assert "Nov 2023" in text_of(ChatTemplate(DATED, "", "").segments([user("Hi")], started_at))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{% for %}", "cannot be used"),
        ("{{ raise_exception('never') }}", "never"),
        ("{{ messages[0]['content'] }}", "leaves out or reorders messages"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "cannot be used"),
    ],
)
def test_unusable_templates_say_why(source: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        ChatTemplate(source, "", "")


def test_conversation_that_a_template_refuses() -> None:
    with pytest.raises(ModelError, match="refused this conversation"):
        ChatTemplate(STRICT, "", "").segments([assistant("I begin"), user("Hi")], 0)

"""The known chat templates hold a conversation as their models expect it, and are suggested for the right vocabularies."""

import pytest

from munin_app.inference.known_templates import KNOWN_TEMPLATES, suggested_template
from munin_app.inference.template import ChatTemplate
from tests.unit.inference.requests import assistant, system, user

CONVERSATION = [system("Be kind."), user("Hi"), assistant("Hello"), user("Bye")]
WRITTEN = {
    "chatml": "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n"
    "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
    "llama3": "<s><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    "gemma": "<s><start_of_turn>user\nBe kind.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n"
    "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n",
    "phi": "<|system|>\nBe kind.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\nHello<|end|>\n<|user|>\nBye<|end|>\n<|assistant|>\n",
    "mistral": "<s>[INST] Be kind.\n\nHi[/INST]Hello</s>[INST] Bye[/INST]",
}


@pytest.mark.parametrize("known", KNOWN_TEMPLATES)
def test_a_conversation_is_written_as_the_model_expects_it_and_only_grows(known: str) -> None:
    template = ChatTemplate(KNOWN_TEMPLATES[known].source, "<s>", "</s>")
    assert template.append_only
    assert "".join(segment.text for segment in template.segments(CONVERSATION, 0)) == WRITTEN[known]


@pytest.mark.parametrize("known", KNOWN_TEMPLATES)
def test_a_vocabulary_is_given_the_template_that_it_has_the_marks_of(known: str) -> None:
    assert suggested_template(lambda mark: mark in KNOWN_TEMPLATES[known].marks) == known
    assert suggested_template(lambda mark: mark in KNOWN_TEMPLATES[known].marks[:1]) == ""

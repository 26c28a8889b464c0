"""Chat templates for files that came without one, in our own words, and which of them a vocabulary is made for.

Knows nothing of llama.cpp: a vocabulary is asked through a function.
"""

from collections.abc import Callable
from dataclasses import dataclass

_NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"


@dataclass(frozen=True, slots=True)
class KnownTemplate:
    name: str
    """As people call it."""
    marks: tuple[str, ...]
    """A vocabulary that has a token for each of them was made for it."""
    source: str


KNOWN_TEMPLATES = {
    "chatml": KnownTemplate(
        "ChatML",
        ("<|im_start|>", "<|im_end|>"),
        "{% for message in messages %}"
        "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
        "{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    ),
    "llama3": KnownTemplate(
        "Llama 3",
        ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
        "{{ bos_token }}"
        "{% for message in messages %}"
        "{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content + '<|eot_id|>' }}"
        "{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
    ),
    "gemma": KnownTemplate(
        "Gemma",
        ("<start_of_turn>", "<end_of_turn>"),
        "{{ bos_token }}" + _NO_SYSTEM + "{% for message in messages %}"
        "{% set role = 'model' if message.role == 'assistant' else message.role %}"
        "{{ '<start_of_turn>' + role + '\n' + message.content + '<end_of_turn>\n' }}"
        "{% endfor %}"
        "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}",
    ),
    "phi": KnownTemplate(
        "Phi",
        ("<|user|>", "<|assistant|>", "<|end|>"),
        "{% for message in messages %}{{ '<|' + message.role + '|>\n' + message.content + '<|end|>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}",
    ),
    "mistral": KnownTemplate(
        "Mistral",
        ("[INST]", "[/INST]"),
        "{{ bos_token }}" + _NO_SYSTEM + "{% for message in messages %}"
        "{% if message.role == 'user' %}{{ '[INST] ' + message.content + '[/INST]' }}"
        "{% else %}{{ ' ' + message.content + eos_token }}{% endif %}"
        "{% endfor %}",
    ),
}


def suggested_template(is_one_token: Callable[[str], bool]) -> str:
    """The id of the first template whose marks the vocabulary has; empty where it has those of none."""
    return next((key for key, known in KNOWN_TEMPLATES.items() if all(map(is_one_token, known.marks))), "")

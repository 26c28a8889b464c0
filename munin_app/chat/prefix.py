"""PrefixWatch: whether a turn's prompt only grew, and if not, why, in plain words.

Compares each prompt with the one that the model read before it in the same conversation, and what the model reused with what
it had read. Keeps no text. Knows nothing of how a prompt is built or how the model reuses.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from munin_app.chat.prompt import Prompt
from munin_app.domain.inference import ModelInfo, Usage
from munin_app.i18n import N_

COMPACTED = N_("The chat outgrew the model's context; its oldest part was replaced by a summary.")
FORGOTTEN = N_("Something was forgotten, deleted or brought back, so the chat was read again.")
BRANCHED = N_("An earlier message was changed, answered again or gone back to, so the chat was read again from there.")
MEMORY_SWITCHED = N_("Memory was switched on or off, so the chat was read again.")
PERSONA_CHANGED = N_("The persona was changed, so the chat was read again.")
OTHER_MODEL = N_("Another model was chosen, so it read what it had not read of this chat.")
RESTARTED = N_("The model was started again, so the chat was read from the beginning.")
TEMPLATE = N_("This model's chat format changes earlier messages, so they were read again.")
OTHER_CHAT = N_("Another chat was open in between, so this one was read again.")
REOPENED = N_("The chat was opened again, so it was read from the beginning.")

LAST_TOKEN = 1
"""The last token of a prompt is always evaluated: the first of the reply is sampled from it."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What is kept of a prompt that the model has read."""

    length: int
    """Messages."""
    fingerprint: int
    tokens: int
    """How many were evaluated or there already: all of them, unless the turn was stopped before its reply."""
    prompt: tuple[str, str]
    """Ids of the newest message, and of the one at which the system block was taken."""
    with_memory: bool
    persona: int
    model: ModelInfo


class PrefixWatch:
    def __init__(self) -> None:
        self._last: dict[str, _Read] = {}
        self._changed: set[str] = set()
        """Conversations whose prompts lost something forgotten."""
        self._erased: set[str] = set()
        """Conversations whose KV state may have gone with something forgotten: buffers are shared."""

    def forgotten(self, conversation_ids: Iterable[str]) -> None:
        """To be told after something was forgotten that stood in the prompts of these conversations."""
        self._changed |= set(conversation_ids)
        self._erased |= set(self._last)

    def reason(self, prompt: Prompt, model: ModelInfo, usage: Usage, *, with_memory: bool) -> str:
        """Empty when only new tokens were evaluated, or none. Remembers the prompt for the next one."""
        conversation_id, messages = prompt.request.session_id, prompt.request.messages
        tokens = usage.evaluated + usage.reused
        if usage.left_out:  # without the tag of a thought that the prompt had opened
            tokens = usage.context_used - usage.left_out
        if not tokens:  # stopped before it began, or the model died over it: the next prompt tells
            return ""
        before = self._last.get(conversation_id)
        if prompt.passing:  # the next prompt shows the newest message otherwise
            messages, tokens = messages[: -prompt.passing], max(0, tokens - prompt.newest_tokens)
        now = _Read(
            len(messages), hash(messages), tokens, (prompt.path[-1], prompt.system_taken_at), with_memory, prompt.persona, model
        )
        self._last[conversation_id] = now
        changed, erased = conversation_id in self._changed, conversation_id in self._erased
        self._changed.discard(conversation_id)
        self._erased.discard(conversation_id)
        if before is None:
            return _first_reason(prompt, usage)
        if hash(prompt.request.messages[: before.length]) != before.fingerprint:
            return _text_reason(before, now, prompt, changed=changed)
        if usage.reused < before.tokens - LAST_TOKEN:
            return _state_reason(before, now, erased=erased)
        return ""


def _first_reason(prompt: Prompt, usage: Usage) -> str:
    """Of the first turn that this process sees of a conversation."""
    if prompt.compacted:
        return COMPACTED
    return REOPENED if len(prompt.path) > 1 and usage.evaluated > prompt.newest_tokens else ""


def _text_reason(before: _Read, now: _Read, prompt: Prompt, *, changed: bool) -> str:
    """Why the last prompt is not the beginning of this one."""
    if before.persona != now.persona:
        return PERSONA_CHANGED
    newest, taken_at = before.prompt
    if taken_at != prompt.system_taken_at and taken_at in prompt.path:
        return COMPACTED
    if changed:
        return FORGOTTEN
    if before.model.id != now.model.id:  # it may be shown the reasoning of earlier replies, or not
        return OTHER_MODEL
    if newest not in prompt.path[:-1]:
        return BRANCHED
    return MEMORY_SWITCHED


def _state_reason(before: _Read, now: _Read, *, erased: bool) -> str:
    """Why the model did not hold the last prompt any more, although this one begins with it."""
    if before.model.id != now.model.id:
        return OTHER_MODEL
    if before.model.loaded_at != now.model.loaded_at:
        return RESTARTED
    if erased:
        return FORGOTTEN
    return OTHER_CHAT if now.model.append_only else TEMPLATE

"""Renders a model's chat template around placeholders, so that what the model's author wrote (glue) and what people wrote
(content) never mix. Knows nothing of tokens.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from jinja2 import TemplateError

from munin_app.domain.inference import PromptMessage, PromptRole
from munin_app.errors import ModelError
from munin_app.i18n import _
from munin_app.inference.jinja import refuse, template_environment
from munin_app.inference.reasoning import ReasoningStyle, named_in, opened_by

_PLACEHOLDER = "qz7MUNIN{}x7zq"  # letters and digits only: trimming, escaping and quoting leave it alone
_PLACEHOLDERS = re.compile(r"qz7MUNIN(\d+)x7zq")
_JOINT = "\n\n"
_PROBE_TIME = 1_000_000_000_000
_TEMPLATE_ERRORS = (TemplateError, TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Segment:
    text: str
    is_content: bool
    """Content is never parsed for special tokens; glue is."""
    thought: tuple["Segment", ...] = ()
    """What stands before a past reply whose reasoning is sent back: the tags around it are glue."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """What the template sees as one message; several of ours when they are folded together."""

    role: PromptRole
    indices: tuple[int, ...]

    @property
    def placeholder(self) -> str:
        return _JOINT.join(_PLACEHOLDER.format(index) for index in self.indices)


class ChatTemplate:
    """Finds out at construction what the template accepts. Raises ModelError when it cannot hold a conversation."""

    def __init__(self, source: str, bos: str, eos: str) -> None:
        self._tokens = {"bos_token": bos, "eos_token": eos}
        try:
            self._template = template_environment().from_string(source)
        except _TEMPLATE_ERRORS as error:
            raise _unusable(error) from error
        self.folds_system = False
        """The template knows no system role: the system text opens the first user message."""
        self.append_only = True
        """The prompt of a turn is a prefix of the next turn's, so that the KV cache holds."""
        self._lead = ""
        """White space that the template puts before a past reply. Left out: the model wrote its own, if any."""
        self.opened: ReasoningStyle | None = None
        """The generation prompt ends in the opening tag of a thought."""
        self._opening = ""
        """That tag and the white space behind it: no past turn begins with it."""
        self.empty_thought = ""
        """What the template writes before every past reply where its reasoning stood."""
        self._style = named_in(source)
        self._settle()
        self.keeps_reasoning = self._finds_reasoning_kept()
        """Past replies may be sent with their reasoning; else the template takes it out, or has no place for it."""
        self.end_of_turn = self._find_end_of_turn()
        """What the template writes behind a reply, up to the next user message."""

    def segments(self, messages: Sequence[PromptMessage], started_at: int) -> list[Segment]:
        """The conversation with the generation prompt at its end; the tag that it opens is a segment of its own, the last.
        `started_at` in Unix ms. Raises ModelError when the template refuses it."""
        roles = [message.role for message in messages]
        try:
            rendered = self._render(roles, started_at)
        except _TEMPLATE_ERRORS as error:
            raise ModelError(
                _(
                    "The model's chat template refused this conversation ({error}). Start a new one or choose another model."
                ).format(error=error)
            ) from error
        segments = _split(rendered.removesuffix(self._opening), [message.text for message in messages])
        for index, message in enumerate(messages):
            if message.role is PromptRole.ASSISTANT:
                segments[2 * index] = Segment(segments[2 * index].text.removesuffix(self._lead), is_content=False)
                segments[2 * index + 1] = self.reply(message.text, message.reasoning)
        return [*segments, Segment(self._opening, is_content=False)] if self._opening else segments

    def reply(self, text: str, reasoning: str) -> Segment:
        """A past reply."""
        if not (reasoning and self.keeps_reasoning):
            return Segment(text, is_content=True)
        before, after = f"{self._style.start}\n", f"\n{self._style.end}{_JOINT}"
        thought = (Segment(self._opening or before, False), Segment(reasoning, True), Segment(after, False))
        return Segment(text, True, thought)

    def opening_segments(self, messages: Sequence[PromptMessage], started_at: int) -> list[Segment]:
        """What every prompt that goes on from these messages begins with: up to where the user's next words will stand."""
        next_is_user = not messages or messages[-1].role is not PromptRole.USER
        probed = (*messages, PromptMessage(PromptRole.USER, "")) if next_is_user else tuple(messages)
        segments = self.segments(probed, started_at)
        last_content = max(index for index, segment in enumerate(segments) if segment.is_content)
        return segments[:last_content] if next_is_user else segments[: last_content + 1]

    def segments_to_go_on(self, messages: Sequence[PromptMessage], started_at: int) -> list[Segment]:
        """Up to the end of the last message, an unfinished reply, as every later prompt shows it."""
        return self.opening_segments(messages, started_at)[: 2 * len(messages)]

    def _render(self, roles: Sequence[PromptRole], started_at: int) -> str:
        turns = [_Turn(role, (index,)) for index, role in enumerate(roles)]
        if self.folds_system:
            turns = _fold_system(turns)
        try:
            return self._render_turns(turns, started_at)
        except _TEMPLATE_ERRORS:
            alternating = _merge_neighbours(turns)
            if alternating == turns:
                raise
            return self._render_turns(alternating, started_at)

    def _render_turns(self, turns: Sequence[_Turn], started_at: int) -> str:
        return self._render_messages([{"role": turn.role.value, "content": turn.placeholder} for turn in turns], started_at)

    def _render_messages(self, messages: Sequence[dict[str, str]], started_at: int) -> str:
        return self._template.render(
            messages=messages,
            add_generation_prompt=True,
            tools=None,
            documents=None,
            raise_exception=refuse,
            strftime_now=datetime.fromtimestamp(started_at / 1000).strftime,
            **self._tokens,
        )

    def _settle(self) -> None:
        """Takes the better of the two ways to pass the system text: append-only if one is, else one that works."""
        problems: list[Exception] = []
        leads: dict[bool, str | None] = {}
        for folds in (False, True):
            try:
                leads[folds] = self._find_lead(folds)
            except (*_TEMPLATE_ERRORS, ModelError) as error:
                problems.append(error)
        if not leads:
            raise _unusable(problems[0])
        self.folds_system = next((folds for folds, lead in leads.items() if lead is not None), next(iter(leads)))
        self.append_only = leads[self.folds_system] is not None
        lead = leads[self.folds_system] or ""
        self._lead, self.empty_thought = ("", lead) if lead.strip() else (lead, "")

    def _find_lead(self, folds: bool) -> str | None:
        """None: prompts are not append-only this way. Raises when the template does not hold a conversation this way."""
        self.folds_system = folds
        system, user, assistant = PromptRole.SYSTEM, PromptRole.USER, PromptRole.ASSISTANT
        turns = ([system, user], [system, user, assistant, user], [system, user, assistant, user, assistant, user])
        prompts = [self._render(roles, _PROBE_TIME) for roles in turns]
        for prompt, roles in zip(prompts, turns, strict=True):
            _split(prompt, [""] * len(roles))
        self.opened = opened_by(prompts[0])
        self._opening = prompts[0][prompts[0].rindex(self.opened.start) :] if self.opened else ""
        self._style = self.opened or self._style
        prompts = [prompt.removesuffix(self._opening) for prompt in prompts]
        leads = {_lead_between(prompts[index], prompts[index + 1], len(turns[index]), self._style) for index in (0, 1)}
        return leads.pop() if len(leads) == 1 else None

    def _finds_reasoning_kept(self) -> bool:
        thought, answer = _PLACEHOLDER.format(0), _PLACEHOLDER.format(1)
        past = f"{self._style.start}\n{thought}\n{self._style.end}{_JOINT}{answer}"
        roles = (PromptRole.USER, PromptRole.ASSISTANT, PromptRole.USER)
        messages = [{"role": role.value, "content": text} for role, text in zip(roles, ("Hello", past, "Go on"), strict=True)]
        try:
            return past in self._render_messages(messages, _PROBE_TIME)
        except _TEMPLATE_ERRORS:
            return False

    def _find_end_of_turn(self) -> str:
        rendered = self._render([PromptRole.USER, PromptRole.ASSISTANT, PromptRole.USER], _PROBE_TIME)
        return _split(rendered, [""] * 3)[4].text


def _lead_between(prompt: str, later: str, reply: int, style: ReasoningStyle) -> str | None:
    """What stands in `later` between `prompt` and the reply to it, if that is white space or an empty thought at most."""
    lead, _reply, _tail = later.removeprefix(prompt).partition(_PLACEHOLDER.format(reply))
    rest = lead.replace(style.start, "").replace(style.end, "")
    return lead if later.startswith(prompt) and not rest.strip() else None


def _split(rendered: str, contents: Sequence[str]) -> list[Segment]:
    """Raises ModelError unless every placeholder is there once, in order."""
    parts = _PLACEHOLDERS.split(rendered)
    if [int(index) for index in parts[1::2]] != list(range(len(contents))):
        raise ModelError(_("The model's chat template leaves out or reorders messages. Choose another model."))
    texts = [contents[position // 2] if position % 2 else part for position, part in enumerate(parts)]
    return [Segment(text, bool(position % 2)) for position, text in enumerate(texts)]


def _fold_system(turns: Sequence[_Turn]) -> list[_Turn]:
    as_user = [_Turn(PromptRole.USER, turn.indices) if turn.role is PromptRole.SYSTEM else turn for turn in turns]
    return _merge_neighbours(as_user)


def _merge_neighbours(turns: Sequence[_Turn]) -> list[_Turn]:
    merged: list[_Turn] = []
    for turn in turns:
        if merged and merged[-1].role is turn.role:
            merged[-1] = _Turn(turn.role, merged[-1].indices + turn.indices)
        else:
            merged.append(turn)
    return merged


def _unusable(reason: object) -> ModelError:
    return ModelError(
        _("The chat template of this model cannot be used ({reason}). Choose an instruct or chat version of a model.").format(
            reason=reason
        )
    )

"""Tells what a model thinks from what it answers, while the text streams. Knows nothing of tokens.

Only a reply that begins with an opening tag, after white space at most, or whose prompt opened it, is thinking. The same tag
anywhere else, in a code block say, is text like any other.
"""

from dataclasses import dataclass
from enum import Enum, auto

from munin_app.domain.inference import Delta, ReasoningDelta, TextDelta


@dataclass(frozen=True, slots=True)
class ReasoningStyle:
    start: str
    end: str


STYLES = (
    ReasoningStyle("<think>", "</think>"),  # DeepSeek R1, Qwen3, GLM, SmolLM3 and most others
    ReasoningStyle("<thinking>", "</thinking>"),
    ReasoningStyle("[THINK]", "[/THINK]"),  # Magistral
    ReasoningStyle("<|channel>thought", "<channel|>"),  # Gemma
    ReasoningStyle("<seed:think>", "</seed:think>"),  # Seed-OSS
    ReasoningStyle("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
    ReasoningStyle("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),  # gpt-oss
    ReasoningStyle("<|channel|>final<|message|>", ""),  # gpt-oss when it answers at once
)
"""No start is the beginning of another."""


def opened_by(prompt: str) -> ReasoningStyle | None:
    """The style whose opening tag the prompt ends with."""
    return next((style for style in STYLES if prompt.rstrip().endswith(style.start)), None)


def named_in(template: str) -> ReasoningStyle:
    """The style that a template's source speaks of; where it speaks of none, the one that most models use."""
    return next((style for style in STYLES if style.end and (style.start in template or style.end in template)), STYLES[0])


class _Place(Enum):
    BEGINNING = auto()
    REASONING = auto()
    ANSWER = auto()


class ReplyParser:
    """`feed` text and emit what it returns; `finish` gives the rest. Any chunking of the same text gives the same parts.

    White space around the reasoning belongs to neither part.
    """

    def __init__(self, opened: ReasoningStyle | None = None, *, answers: bool = False) -> None:
        """`opened`: by the prompt, so that the reply begins in the middle of a thought. `answers`: it begins in the middle of
        the answer, whatever was opened."""
        self.reasoning = ""
        self.answer = ""
        self._opened = None if answers else opened
        self._style: ReasoningStyle | None = None
        self._place = _Place.ANSWER if answers else _Place.BEGINNING
        self._pending = ""

    @property
    def thought(self) -> bool:
        """A tag was opened, whether or not anything stood behind it."""
        return (self._style or self._opened) is not None

    @property
    def answers(self) -> bool:
        """Whatever comes from now on is text."""
        return self._place is _Place.ANSWER

    def feed(self, text: str) -> list[Delta]:
        self._pending += text
        if self._place is _Place.BEGINNING:
            self._begin()
        return self._deltas()

    def finish(self) -> list[Delta]:
        """A thought that was not closed stays a thought."""
        if self._place is _Place.BEGINNING:
            self._go_on()
        deltas = self._deltas()
        if self._place is _Place.REASONING:
            deltas += self._think(self._pending.rstrip())
        return deltas

    def _begin(self) -> None:
        text = self._pending.lstrip()
        for style in STYLES:
            if text.startswith(style.start):  # some write the tag again that the prompt has opened
                self._style, self._place, self._pending = style, _Place.REASONING, text.removeprefix(style.start)
                return
        if not any(style.start.startswith(text) for style in STYLES):
            self._go_on()

    def _go_on(self) -> None:
        self._style = self._opened
        self._place = _Place.REASONING if self._opened else _Place.ANSWER

    def _deltas(self) -> list[Delta]:
        deltas: list[Delta] = []
        if self._style and self._place is _Place.REASONING:
            deltas += self._reason(self._style.end)
        if self._place is _Place.ANSWER:
            deltas += self._say()
        return deltas

    def _reason(self, end: str) -> list[Delta]:
        text = self._pending if self.reasoning else self._pending.lstrip()
        thought, closed, rest = text.partition(end) if end else ("", "closed", text)
        if closed:
            self._place, self._pending = _Place.ANSWER, rest
            return self._think(thought.rstrip())
        settled = text[: len(text) - overlap(text, end)].rstrip()
        self._pending = text[len(settled) :]
        return self._think(settled)

    def _think(self, text: str) -> list[Delta]:
        self.reasoning += text
        return [ReasoningDelta(text)] if text else []

    def _say(self) -> list[Delta]:
        text = self._pending.lstrip() if self.thought and not self.answer else self._pending
        self._pending = ""
        self.answer += text
        return [TextDelta(text)] if text else []


def overlap(text: str, tag: str) -> int:
    """Length of the longest end of `text` that `tag` may begin with."""
    return next((length for length in range(min(len(text), len(tag) - 1), 0, -1) if text.endswith(tag[:length])), 0)

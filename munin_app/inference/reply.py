"""Reads a reply token by token: bytes to whole characters, up to the mark that ends it, thought told from answer.

Knows nothing of how tokens are chosen or evaluated.
"""

from munin_app.domain.inference import Delta
from munin_app.inference.llama import LlamaModel
from munin_app.inference.reasoning import ReplyParser
from munin_app.inference.stopping import StopText, ends_of_turn, reasoning_tags
from munin_app.inference.template import ChatTemplate
from munin_app.inference.text import TextAssembler


class ReplyFormat:
    """How one model writes its replies."""

    def __init__(self, model: LlamaModel, template: ChatTemplate) -> None:
        self._model = model
        self._tags = reasoning_tags(model)
        self._ends = ends_of_turn(model, template.end_of_turn, self._tags)
        self._opened = template.opened

    def ends(self, token: int) -> bool:
        return self._model.ends_reply(token) or token in self._ends.tokens

    def reader(self, *, goes_on: bool = False) -> "ReplyReader":
        """`goes_on`: of what follows a reply that was begun before."""
        return ReplyReader(self, ReplyParser(self._opened, answers=goes_on), StopText(self._ends.text))

    def piece(self, token: int, *, in_answer: bool) -> bytes:
        return self._model.piece(token, special=not in_answer and token in self._tags)


class ReplyReader:
    """One reply."""

    def __init__(self, reply_format: ReplyFormat, parser: ReplyParser, stop: StopText) -> None:
        self.tokens: list[int] = []
        self.parts = parser
        self._thought_tokens = 0
        self._format = reply_format
        self._assembler = TextAssembler()
        self._stop = stop

    @property
    def ended(self) -> bool:
        """By a mark that the vocabulary has no token for."""
        return self._stop.found

    def feed(self, token: int) -> list[Delta]:
        self.tokens.append(token)
        piece = self._format.piece(token, in_answer=self.parts.answers)
        deltas = self.parts.feed(self._stop.feed(self._assembler.feed(piece)))
        self._thought_tokens += self.parts.thought and not self.parts.answers
        return deltas

    def length(self, free_thought: int) -> int:
        """In tokens, but for so many of its thought."""
        return len(self.tokens) - min(self._thought_tokens, free_thought)

    def finish(self) -> list[Delta]:
        return self.parts.feed(self._stop.finish(self._assembler.finish())) + self.parts.finish()

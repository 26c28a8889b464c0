"""A context together with the tokens whose KV state it holds: evaluates only what is not there yet.

Knows nothing of chats or text. The token list and the state in llama.cpp never part: whatever fails, both go back to the
last batch that was evaluated whole.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from munin_app.errors import ModelError
from munin_app.inference.llama import ABORTED, DECODED, NO_ROOM, LlamaContext

_SMALLEST_BATCH = 32
_BATCH_SECONDS = 0.15
"""How long a batch should take: between batches others get their turn."""


@dataclass(frozen=True, slots=True)
class PrefillCount:
    evaluated: int
    reused: int


class KvCache:
    """`tokens` are those whose state is in the context, in order."""

    def __init__(self, context: LlamaContext, size: int) -> None:
        self.context = context
        self.size = size
        self.tokens: list[int] = []
        self._batch = _SMALLEST_BATCH
        self._used = False
        self._erase_due = False

    def prefill(
        self, prompt: Sequence[int], stop: Callable[[], bool], pause: Callable[[], bool]
    ) -> Generator[None, None, PrefillCount]:
        """Evaluates what of `prompt` is not there yet, at least its last token; one step a batch. Ends early when `stop`;
        a batch that `pause` breaks off is done again when the caller goes on."""
        reused = self.reuse(prompt)
        evaluated = 0
        while len(self.tokens) < len(prompt) and not stop():
            batch = prompt[len(self.tokens) : len(self.tokens) + self._batch]
            evaluated += self._evaluate(batch, lambda: stop() or pause())
            yield
        return PrefillCount(evaluated, reused)

    def append(self, token: int) -> bool:
        """Evaluates one generated token. False: the context is full."""
        if len(self.tokens) >= self.size:
            return False
        status = self.context.decode([token])
        if status == DECODED:
            self.tokens.append(token)
        elif status != NO_ROOM:
            raise self._broken(status)
        return status == DECODED

    def begins_with(self, prompt: Sequence[int]) -> bool:
        return self.tokens[: len(prompt)] == list(prompt)

    def reuse(self, prompt: Sequence[int]) -> int:
        """Drops all but what `prompt` begins with, short of its last token. How many tokens that is."""
        common = min(common_length(self.tokens, prompt), len(prompt) - 1)
        self._go_back_to(common)
        return len(self.tokens)

    def restore(self, tokens: Sequence[int], state: bytearray) -> bool:
        """Puts `state`, which is that of `tokens`, in the place of what is there. False: it was refused, and nothing is there."""
        self.context.clear()
        self.tokens = list(tokens) if self.context.load_state(state) else []
        return bool(self.tokens)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Erasing waits for the end: it would pull the prompt from under a running reply."""
        self._used = True
        try:
            yield
        finally:
            self._used = False
            if self._erase_due:
                self.erase()

    def erase(self) -> None:
        """Overwrites the buffers too; as soon as nothing runs."""
        self._erase_due = self._used
        if not self._used:
            self.tokens = []
            self.context.clear(erase=True)

    def _go_back_to(self, length: int) -> None:
        """Recurrent models cannot forget a part: they start over."""
        if self.context.truncate(length):
            del self.tokens[length:]
        else:
            self.context.clear()
            self.tokens = []

    def _evaluate(self, batch: Sequence[int], interrupted: Callable[[], bool]) -> int:
        """How many tokens were added: all, or none when it was interrupted."""
        started = time.monotonic()
        self.context.abort_when(interrupted)
        try:
            status = self.context.decode(batch)
        finally:
            self.context.abort_when(None)
        if status == DECODED:
            self.tokens += batch
            self._fit_batch(len(batch), time.monotonic() - started)
            return len(batch)
        self._go_back_to(len(self.tokens))
        if status != ABORTED:
            raise self._broken(status)
        return 0

    def _fit_batch(self, count: int, seconds: float) -> None:
        if count == self._batch:  # a short rest says little about the speed
            fitting = int(count / max(seconds, 1e-6) * _BATCH_SECONDS)
            self._batch = max(_SMALLEST_BATCH, min(LlamaContext.MAX_BATCH, fitting))

    def _broken(self, status: int) -> ModelError:
        return ModelError(
            f"llama.cpp could not evaluate the prompt (code {status}). Most often memory ran out: close other programs, "
            "lower the context size, or choose a smaller model."
        )


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))

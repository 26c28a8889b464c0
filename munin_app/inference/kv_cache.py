"""A context together with the tokens whose KV state it holds: evaluates only what is not there yet.

Knows nothing of chats or text. The token list and the state in llama.cpp never part: whatever fails, both go back to the
last batch that was evaluated whole, or to a checkpoint before it.

Some memories cannot be cut (recurrent layers; a sliding window that keeps nothing else): they are at one position, and go on
from there or start over. For them copies of that state are kept in memory at the places that prompts go back to: before the
last token of each prompt (the reply is made again), after each reply (the next message is edited), and where two prompts
parted (the system block). All others pay nothing for it.
"""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from munin_app.errors import ModelError
from munin_app.i18n import _
from munin_app.inference.llama import ABORTED, DECODED, NO_ROOM, LlamaContext

_SMALLEST_BATCH = 128
"""Fewer are dear: 512 tokens behind 1,500 took 9.1 s by 32, and 4.1 to 5.3 s by 64 to 512. Begun ones can be broken off."""
_SMALLEST_WHOLE_BATCH = 8
_PATIENCE_SECONDS = 0.25
"""Where breaking off a batch that has begun costs more than that batch."""
_BATCH_SECONDS = 0.15
"""How long a batch should take: between batches others get their turn."""
_MOST_CHECKPOINTS = 8
_CHECKPOINT_BYTES = 256 << 20
"""All together. One of a model with 8 billion parameters takes some 50 million bytes."""
_CHECKPOINTS_APART = 16
"""Tokens: so few are evaluated as quickly as a checkpoint is copied."""


@dataclass(frozen=True, slots=True)
class PrefillCount:
    evaluated: int
    reused: int


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    length: int
    """It is the state of so many of the cache's tokens."""
    state: memoryview


class KvCache:
    """`tokens` are those whose state is in the context, in order."""

    def __init__(self, context: LlamaContext, size: int) -> None:
        self.context = context
        self.size = size
        self.tokens: list[int] = []
        self._smallest_batch = _SMALLEST_BATCH if context.cuts_freely else _SMALLEST_WHOLE_BATCH
        self._batch = self._smallest_batch
        self._checkpoints: list[_Checkpoint] = []
        """Shortest first."""
        self._parted_at = 0
        """Where a prompt parted last from what was there."""
        self._used = False
        self._erase_due = False

    def prefill(
        self, prompt: Sequence[int], stop: Callable[[], bool], pause: Callable[[], bool]
    ) -> Generator[None, None, PrefillCount]:
        """Evaluates what of `prompt` is not there yet, at least its last token; one step a batch. Ends early when `stop`;
        a batch that `pause` breaks off is done again when the caller goes on."""
        reused = self.reuse(prompt)
        evaluated = 0
        marks = () if self.context.cuts_freely else (self._parted_at, len(prompt) - 1)
        while (held := len(self.tokens)) < len(prompt) and not stop():
            if held in marks:
                self.checkpoint()
            end = min(mark for mark in (*marks, held + self._batch, len(prompt)) if mark > held)
            evaluated += self._evaluate(prompt[held:end], stop, pause)
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
        common = _common_short_of_last(self.tokens, prompt)
        if common < len(self.tokens):
            self._parted_at = common
        self._go_back_to(common)
        return len(self.tokens)

    def could_reuse(self, tokens: Sequence[int], prompt: Sequence[int]) -> int:
        """How many tokens of `prompt` need not be evaluated when the state of `tokens` is there."""
        common = _common_short_of_last(tokens, prompt)
        return common if self.context.cuts_freely or common == len(tokens) else 0

    def restore(self, tokens: Sequence[int], state: bytearray) -> bool:
        """Puts `state`, which is that of `tokens`, in the place of what is there. False: it was refused, and nothing is there."""
        self._drop_checkpoints_after(0)
        self.context.clear()
        self.tokens = list(tokens) if self.context.load_state(state) else []
        self.checkpoint()
        return bool(self.tokens)

    def checkpoint(self) -> None:
        """Prompts may go back to here. Only where the memory cannot be cut, and where none is near."""
        length = len(self.tokens)
        nearest = self._checkpoints[-1].length if self._checkpoints else 0
        if self.context.cuts_freely or length - nearest < _CHECKPOINTS_APART:
            return
        try:
            self._checkpoints.append(_Checkpoint(length, self.context.checkpoint()))
        except MemoryError:  # the price is one evaluation
            return
        while len(self._checkpoints) > _MOST_CHECKPOINTS or self._checkpoint_bytes() > _CHECKPOINT_BYTES:
            # the first, which new conversations begin with, and the latest stay longest
            _wipe(self._checkpoints.pop(1 if len(self._checkpoints) > 2 else 0))

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
            self._drop_checkpoints_after(0)
            self.context.clear(erase=True)

    def _go_back_to(self, length: int) -> None:
        if not self.context.truncate(length):
            length = self._go_back_to_a_checkpoint(length)
        self._drop_checkpoints_after(length)
        del self.tokens[length:]

    def _go_back_to_a_checkpoint(self, length: int) -> int:
        """The last one that is not behind `length`, else the start. How many tokens are there then."""
        for checkpoint in reversed(self._checkpoints):
            if checkpoint.length <= length and self.context.go_back(checkpoint.state, checkpoint.length):
                return checkpoint.length
        self.context.clear()
        return 0

    def _drop_checkpoints_after(self, length: int) -> None:
        while self._checkpoints and self._checkpoints[-1].length > length:
            _wipe(self._checkpoints.pop())

    def _checkpoint_bytes(self) -> int:
        return sum(len(checkpoint.state) for checkpoint in self._checkpoints)

    def _evaluate(self, batch: Sequence[int], stop: Callable[[], bool], pause: Callable[[], bool]) -> int:
        """How many tokens were added: all, or none when it was interrupted."""
        started = time.monotonic()

        def interrupted() -> bool:
            if self.context.cuts_freely:
                return stop() or pause()
            # that costs all since the last checkpoint: only when it takes much longer than it should
            return time.monotonic() - started > _PATIENCE_SECONDS and stop()

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
            self._batch = max(self._smallest_batch, min(LlamaContext.MAX_BATCH, fitting))

    def _broken(self, status: int) -> ModelError:
        return ModelError(
            _(
                "llama.cpp could not evaluate the prompt (code {status}). Most often memory ran out: close other "
                "programs, lower the context size, or choose a smaller model."
            ).format(status=status)
        )


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


def _common_short_of_last(tokens: Sequence[int], prompt: Sequence[int]) -> int:
    """The last token is always evaluated: what comes next is read off there."""
    return min(common_length(tokens, prompt), len(prompt) - 1)


def _wipe(checkpoint: _Checkpoint) -> None:
    """Like the KV buffers: nothing of a forgotten conversation stays in memory."""
    checkpoint.state[:] = bytes(len(checkpoint.state))

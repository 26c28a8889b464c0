"""The ports of the model and the encoder, and the picklable values that cross them.

The ChatModel port is process-shaped: requests and events are plain values with ids, so that the worker can live in a
thread (phones) or in a child process (desktop) without anybody above noticing.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from munin_app.domain.ids import new_id


class PromptRole(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class PromptMessage:
    role: PromptRole
    text: str
    """Content only; never parsed for special tokens."""
    reasoning: str = ""
    """Of a reply, for a model whose template keeps it."""


@dataclass(frozen=True, slots=True)
class SamplingParams:
    temperature: float = 0.7
    """0 is greedy."""
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.1
    """1.0 is off; over the last 64 tokens."""
    seed: int | None = None
    """None: a fresh one for each request."""


@dataclass(frozen=True, slots=True)
class SamplingAdvice:
    """What a model's file recommends; None: nothing."""

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None


class Purpose(StrEnum):
    REPLY = "reply"  # on the chat context, first in line
    PREFILL = "prefill"  # evaluates the messages into the chat context, generates nothing; gives way to a reply
    UTILITY = "utility"  # on a context of its own, gives way to chat between batches


@dataclass(frozen=True, slots=True)
class ChatRequest:
    session_id: str
    """The conversation: what its KV cache and generated tokens are kept under."""
    messages: tuple[PromptMessage, ...]
    sampling: SamplingParams = SamplingParams()
    max_tokens: int = 1024
    purpose: Purpose = Purpose.REPLY
    started_at: int = 0
    """When the conversation began (Unix ms): the date that a template may print, frozen so that the prompt stays append-only."""
    keep: bool = False
    """Its KV state may be kept on disk, so that it goes on at once after a restart. False for whatever leaves no trace."""
    max_thought_tokens: int = 0
    """Of what is thought before the answer, so many tokens are beside `max_tokens`."""
    id: str = field(default_factory=new_id)

    @property
    def goes_on(self) -> bool:
        """It ends in an unfinished reply, which is to be gone on with. The events tell what is new of it only."""
        return self.purpose is Purpose.REPLY and self.messages[-1].role is PromptRole.ASSISTANT


@dataclass(frozen=True, slots=True)
class Usage:
    evaluated: int = 0
    """Prompt tokens that were evaluated for this request."""
    reused: int = 0
    """Prompt tokens whose KV state was still there."""
    generated: int = 0
    prefill_ms: float = 0.0
    decode_ms: float = 0.0
    context_used: int = 0
    context_size: int = 0
    left_out: int = 0
    """Of `context_used`, tokens at its end that the next prompt does not repeat: a reply that goes on without its reasoning."""

    @property
    def tokens_per_second(self) -> float:
        """Decode speed; 0.0 when nothing was generated."""
        return self.generated / self.decode_ms * 1000 if self.decode_ms else 0.0


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Whole characters only: a joined emoji or a combining sequence is never split."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """What the model thinks before it answers; whole characters too."""

    text: str


@dataclass(frozen=True, slots=True)
class Completed:
    text: str
    """The whole answer, exactly the concatenation of the text deltas."""
    usage: Usage = Usage()
    truncated: bool = False
    """It ended because of `max_tokens` or a full context."""
    reasoning: str = ""
    """The concatenation of the reasoning deltas."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    text: str
    usage: Usage = Usage()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    error: str
    """One sentence for the user: what happened and what to do."""
    text: str = ""
    """What arrived before."""
    usage: Usage = Usage()
    reasoning: str = ""


Delta = TextDelta | ReasoningDelta
ModelEvent = Delta | Completed | Cancelled | Failed


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What the header of the loaded file says."""

    id: str
    """The file's name without its ending."""
    name: str
    path: Path
    size_bytes: int
    architecture: str
    quantisation: str
    context_trained: int
    context_size: int
    """The n_ctx in use."""
    cuts_freely: bool = True
    """The KV cache can go back to any token. False (recurrent layers): to the last few turns only, and further back everything
    is evaluated again."""
    append_only: bool = True
    """Its chat template lets each prompt begin with the whole of the last one."""
    loaded_at: int = 0
    """Unix ms. Whatever was evaluated before is gone."""
    memory_bytes: int = 0
    """What it takes, as estimated from the header."""
    squeezed: bool = False
    """The context was chosen smaller than usual, because memory was short."""
    threads: int = 0
    gpu: bool = False
    """This build of llama.cpp can use a graphics processor."""
    keeps_reasoning: bool = False
    """Its template shows the model its earlier reasoning; else earlier replies are sent without."""
    advice: SamplingAdvice = SamplingAdvice()


class ChatModel(Protocol):
    """One model on one owned worker. Every method may be called from any task of the application's loop."""

    @property
    def info(self) -> ModelInfo | None:
        """None until `load` has succeeded."""

    async def load(self) -> ModelInfo:
        """Idempotent; concurrent calls share one load. Raises ModelError with the file, the reason and the remedy."""

    def stream(self, request: ChatRequest) -> AsyncIterator[ModelEvent]:
        """Deltas, then exactly one of Completed, Cancelled, Failed. Loads the model if need be. Does not raise.
        Closing the iterator early cancels the request."""

    def cancel(self, request_id: str) -> None:
        """Takes effect within 0.3 s, prefill included. Unknown ids are ignored."""

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Content tokens of each text (special tokens off)."""

    async def forget_session(self, session_id: str) -> None:
        """Drops the session's tokens and KV state, in memory and on disk."""

    async def close(self) -> None: ...


class Embedder(Protocol):
    """Turns texts into unit vectors. Synchronous: called on the encoder's own thread only."""

    @property
    def model_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Shape (dimension,), L2-normalised."""

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Shape (len(texts), dimension), L2-normalised."""

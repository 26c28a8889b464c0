"""What is known of a text encoder without loading it, and what memory asks of a loaded one. Knows no file format."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from munin_app.domain.inference import Embedder

SPECIAL_TOKENS = 2
"""What an encoder puts around each text: a start and an end."""


@dataclass(frozen=True, slots=True)
class EncoderManifest:
    """An encoder as the catalogue describes it."""

    id: str
    """Recorded beside the vectors: another id means that they must be made again."""
    folder: Path
    """Holds model.onnx and tokenizer.json."""
    dimension: int
    max_tokens: int = 256
    """Special tokens included; longer texts become several chunks."""
    pooling: str = "mean"
    """`mean` over the attention mask, or `cls` (the first token)."""
    query_prefix: str = ""
    document_prefix: str = ""
    threshold: float = 0.35
    """The evidence (similarity, raised by shared words) below which nothing is recalled from a store of a few messages."""
    threshold_growth: float = 0.115
    """How much higher that bar stands for each tenfold of messages: the closest of many strangers is closer."""


class TextEncoder(Embedder, Protocol):
    """An embedder that also says where its tokens stand. Called on the encoder's thread only."""

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Start and end character of each token of the whole text, special tokens left out, nothing truncated."""

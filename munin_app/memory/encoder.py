"""The ONNX text encoder. The only importer of onnxruntime and tokenizers; knows nothing of memory or SQLite."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from munin_app.errors import EncoderError
from munin_app.i18n import _
from munin_app.memory.manifest import EncoderManifest

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
"""Before onnxruntime is imported: since 1.29 it reports to its makers, with an id of the device, unless this is set."""


class OnnxEmbedder:
    """Loads `model.onnx` and `tokenizer.json` of the manifest's folder: 0.5 to 0.7 s when cold. Raises EncoderError."""

    def __init__(self, manifest: EncoderManifest) -> None:
        self._manifest = manifest
        self._pool = _pooling(manifest)
        self._whole = _tokenizer(manifest.folder)
        self._whole.no_truncation()
        self._tokenizer = _tokenizer(manifest.folder)
        self._tokenizer.enable_truncation(max_length=manifest.max_tokens)
        self._session = _session(manifest.folder)
        self._unknown = self._unknown_id()
        self._inputs = {value.name for value in self._session.get_inputs()}
        self._check()

    @property
    def model_id(self) -> str:
        return self._manifest.id

    @property
    def dimension(self) -> int:
        return self._manifest.dimension

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Shape (dimension,), L2-normalised; all zero for a text of which the encoder knows no token (emoji, some scripts):
        otherwise all such texts would be the same."""
        return self._embed(text, self._manifest.query_prefix)

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Shape (len(texts), dimension), as `embed_query`. One text a run: padding costs more than it saves on two cores."""
        rows = [self._embed(text, self._manifest.document_prefix) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        offsets: list[tuple[int, int]] = self._whole.encode(text, add_special_tokens=False).offsets
        return offsets

    def _embed(self, text: str, prefix: str = "") -> "NDArray[np.float32]":
        if set(self._tokenizer.encode(text, add_special_tokens=False).ids) <= {self._unknown}:
            return np.zeros(self.dimension, dtype=np.float32)
        encoding = self._tokenizer.encode(prefix + text)
        ids = np.array([encoding.ids], dtype=np.int64)
        mask = np.array([encoding.attention_mask], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, {name: value for name, value in feeds.items() if name in self._inputs})[0]
        pooled = self._pool(np.asarray(hidden[0], dtype=np.float32), mask[0])
        unit: NDArray[np.float32] = (pooled / max(float(np.linalg.norm(pooled)), 1e-12)).astype(np.float32)
        return unit

    def _unknown_id(self) -> int | None:
        unknown = getattr(self._tokenizer.model, "unk_token", None)  # byte-level vocabularies know everything
        return self._tokenizer.token_to_id(unknown) if unknown else None

    def _check(self) -> None:
        try:
            found = self._embed("probe").shape
        except Exception as error:
            raise EncoderError(
                _("The encoder in {folder} cannot be run ({kind}). Install it again, or choose another.").format(
                    folder=self._manifest.folder, kind=type(error).__name__
                )
            ) from error
        if found != (self.dimension,):
            raise EncoderError(
                _(
                    "The encoder in {folder} gives vectors of shape {found}, but {dimension} dimensions were expected. "
                    "Correct its entry in the catalogue, or choose another."
                ).format(folder=self._manifest.folder, found=found, dimension=self.dimension)
            )


def _tokenizer(folder: Path) -> "Tokenizer":
    path = _existing(folder, "tokenizer.json")
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise EncoderError(_("{path} cannot be read as a tokenizer. Install the encoder again.").format(path=path)) from error
    tokenizer.no_padding()  # many a tokenizer.json pads to 128 by itself
    return tokenizer


def _session(folder: Path) -> Any:
    path = _existing(folder, "model.onnx")
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # the other cores belong to the chat model
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a dozen unrelated exception classes
        raise EncoderError(
            _("{path} cannot be loaded as an ONNX model ({kind}). Install the encoder again.").format(
                path=path, kind=type(error).__name__
            )
        ) from error


def _existing(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise EncoderError(
            _("The encoder has no {name} in {folder}. Run the set-up again, or choose another encoder.").format(
                name=name, folder=folder
            )
        )
    return path


def _pooling(manifest: EncoderManifest) -> Any:
    poolings = {"mean": _mean, "cls": _first}
    if manifest.pooling not in poolings:
        raise EncoderError(
            _("The encoder {id} asks for pooling “{pooling}”; known are {names}.").format(
                id=manifest.id, pooling=manifest.pooling, names=" and ".join(poolings)
            )
        )
    return poolings[manifest.pooling]


def _mean(hidden: "NDArray[np.float32]", mask: "NDArray[np.int64]") -> "NDArray[np.float32]":
    weights = mask[:, None].astype(np.float32)
    mean: NDArray[np.float32] = (hidden * weights).sum(axis=0) / max(float(weights.sum()), 1.0)
    return mean


def _first(hidden: "NDArray[np.float32]", mask: "NDArray[np.int64]") -> "NDArray[np.float32]":
    first: NDArray[np.float32] = hidden[0]
    return first

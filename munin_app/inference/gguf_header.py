"""Reads what a GGUF file says of itself, and refuses files that llama.cpp had better never see.

Bounded: every count and length is checked against the size of the file before it is used. Knows nothing of llama.cpp; the
weights are not read, only where they end. Format: ggml/docs/gguf.md of llama.cpp, versions 2 and 3.
"""

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from munin_app.errors import ModelError
from munin_app.i18n import _, decimal
from munin_app.inference.gguf_types import FILE_TYPES, TENSOR_BLOCKS
from munin_app.inference.known_templates import suggested_template

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_ENTRIES = 65_536
_MOST_DIMENSIONS = 4
_DEFAULT_ALIGNMENT = 32
_KEPT_STRING = 1 << 20
_KEPT_STRINGS = 8 << 20
"""Bytes of all strings together: a header of many long ones takes no more memory than that."""
_MOST_ELEMENTS = 4_000_000
"""Strings in arrays, all together: the largest vocabularies have a million with their merges, and each takes time."""
_SHORTEST_CONTEXT, _LONGEST_CONTEXT = 64, (1 << 31) - 1
_MOST_LAYERS, _MOST_EXPERTS = 512, 1024
"""LLAMA_MAX_LAYERS and LLAMA_MAX_EXPERTS of llama.cpp: where there are more, it aborts the process."""
_EPSILONS = ("attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon", "attention.group_norm_epsilon")
_ROPE_SCALINGS = ("none", "linear", "yarn", "longrope")
_LONGEST_NAME = 120
_NO_CHAT = ("clip", "t5", "t5encoder", "wavtokenizer-dec")
"""Architectures that read pictures or sound, or answer in a way of their own."""
_RECURRENT_KEYS = (".ssm.", ".wkv.", ".shortconv.")
_KEPT_ARRAY = 4096
_STRING, _ARRAY = 8, 9
_WHOLE_NUMBERS = (0, 1, 2, 3, 4, 5, 7, 10, 11)
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}

Value = str | int | float | bool | tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class GgufHeader:
    kind: str
    """`model`, or something that cannot chat by itself: `adapter`, `mmproj`, …"""
    architecture: str
    name: str
    quantisation: str
    context_trained: int
    """0 when the file does not say."""
    has_chat_template: bool
    recurrent: bool
    """Some layers keep a running state instead of keys and values: it goes back to a few places only."""
    is_encoder: bool
    """It turns texts into vectors, and writes none."""
    size_bytes: int
    weights_bytes: int = 0
    """All tensors together."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """The metadata by its full keys; of arrays, only whole numbers (one for each layer, say) are kept."""
    parameters: int = 0
    """Numbers in all tensors; of a split model, those of its first part only."""
    fitting_template: str = ""
    """Id of the known chat template that its vocabulary is made for; looked for only where it has none of its own."""

    @property
    def can_chat(self) -> bool:
        """False of what lies beside chat models: encoders, adapters, projectors, bare vocabularies, models of pictures."""
        own = f"{self.architecture}.block_count" in self.values and "tokenizer.ggml.model" in self.values
        other = self.is_encoder or self.architecture in _NO_CHAT
        return self.kind == "model" and own and not other and self.weights_bytes > 0


def read_header(path: Path) -> GgufHeader:
    """Raises ModelError when the file is missing, empty, no GGUF, damaged, or shorter than its tensors."""
    _require_a_file(path)
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise ModelError(
                    _("{path} is no GGUF file (it does not begin with the letters GGUF). Choose a model in GGUF format.").format(
                        path=path
                    )
                )
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data).header(path)
    except OSError as error:
        raise ModelError(
            _("{path} cannot be read ({strerror}). Check its permissions, or choose another model.").format(
                path=path, strerror=error.strerror
            )
        ) from error
    except (struct.error, ValueError, OverflowError) as error:
        reason = _("it ends within its header") if isinstance(error, struct.error) else error
        raise ModelError(
            _(
                "{path} is damaged or incomplete ({reason}). Expected a whole GGUF file. Download it again, or "
                "choose another model."
            ).format(path=path, reason=reason)
        ) from error


def _require_a_file(path: Path) -> None:
    if not path.is_file():
        raise ModelError(_("There is no model file {path}. Put it there, or choose another model.").format(path=path))
    if path.stat().st_size == 0:
        raise ModelError(
            _("{path} is empty. Expected a model in GGUF format. Download it again, or choose another model.").format(path=path)
        )


class _Reader:
    """A cursor over the mapped file. Raises ValueError or struct.error on anything that cannot be."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._position = len(_MAGIC)
        self._kept = self._elements = 0
        self._tokens = (0, 0)
        """Where the vocabulary's texts stand."""

    def header(self, path: Path) -> GgufHeader:
        version = int(self._scalar("<I"))
        if version not in _VERSIONS:
            raise ModelError(
                _("{path} is GGUF version {version}; Munin reads versions 2 and 3. Choose a newer file.").format(
                    path=path, version=version
                )
            )
        tensors, entries = self._count("tensors"), self._count(_("metadata entries"))
        values = dict(self._entry() for _each in range(entries))
        weights, parameters = self._checked_weights(tensors, values)
        header = _header_from(values, path, len(self._data), weights, parameters)
        return header if header.has_chat_template else replace(header, fitting_template=suggested_template(self._is_token))

    def _entry(self) -> tuple[str, Value]:
        key, start = self._string(), self._position
        value = self._value(int(self._scalar("<I")))
        if key == "tokenizer.ggml.tokens":
            self._tokens = start, self._position
        return key, value

    def _is_token(self, text: str) -> bool:
        """Searched for with its length before it, as it stands in the file: no token need be read for that."""
        data = text.encode()
        return self._data.find(struct.pack("<Q", len(data)) + data, *self._tokens) >= 0

    def _value(self, kind: int) -> Value:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise ValueError(_("unknown value type {kind}").format(kind=kind))
        return self._scalar(_SCALARS[kind])

    def _array(self) -> tuple[int, ...] | None:
        start = self._position
        self._skip_array()
        kind, length = struct.unpack_from("<IQ", self._data, start)
        if kind not in _WHOLE_NUMBERS or length > _KEPT_ARRAY:
            return None
        return struct.unpack_from(f"<{length}{_SCALARS[kind][1]}", self._data, start + struct.calcsize("<IQ"))

    def _skip_array(self) -> None:
        kind, length = int(self._scalar("<I")), int(self._scalar("<Q"))
        smallest = struct.calcsize(_SCALARS[kind]) if kind in _SCALARS else 8
        if kind not in _SCALARS and kind != _STRING:
            raise ValueError(_("unknown array type {kind}").format(kind=kind))
        if length * smallest > len(self._data) - self._position:
            raise ValueError(_("an array of {length} elements goes past the end of the file").format(length=length))
        if kind in _SCALARS:
            self._position += length * smallest
            return
        self._elements += length
        if self._elements > _MOST_ELEMENTS:
            raise ValueError(
                _("its lists of texts have more than {most_elements} entries").format(most_elements=decimal(_MOST_ELEMENTS))
            )
        for _each in range(length):
            self._skip_string()

    def _checked_weights(self, tensors: int, values: dict[str, Value]) -> tuple[int, int]:
        """How many bytes they take, and how many numbers they are."""
        described = [self._tensor() for _each in range(tensors)]
        ends, parameters = [end for end, count in described], sum(count for end, count in described)
        alignment = values.get("general.alignment", _DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20 or alignment % _DEFAULT_ALIGNMENT:
            raise ValueError(_("an alignment of {alignment!r}").format(alignment=alignment))
        start = math.ceil(self._position / alignment) * alignment
        needed = start + max(ends, default=0)
        if needed > len(self._data):
            raise ValueError(
                _("its tensors need {needed} bytes, the file has {number}").format(
                    needed=decimal(needed), number=decimal(len(self._data))
                )
            )
        return needed - start, parameters

    def _tensor(self) -> tuple[int, int]:
        """Where its data ends, in bytes from the start of all tensor data, and how many numbers it has."""
        self._skip_string()
        dimensions = int(self._scalar("<I"))
        if dimensions > _MOST_DIMENSIONS:
            raise ValueError(_("a tensor of {dimensions} dimensions").format(dimensions=dimensions))
        elements = math.prod(int(self._scalar("<Q")) for _each in range(dimensions))
        kind, offset = int(self._scalar("<I")), int(self._scalar("<Q"))
        block, block_bytes = TENSOR_BLOCKS.get(kind, (1, 0))  # a type newer than this table: only its start is checked
        return offset + elements // block * block_bytes, elements

    def _count(self, what: str) -> int:
        count = int(self._scalar("<Q"))
        if count > _MOST_ENTRIES:
            raise ValueError(_("it claims {count} {what}").format(count=count, what=what))
        return count

    def _scalar(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack_from(form, self._data, self._position)[0]
        self._position += struct.calcsize(form)
        return value

    def _string(self) -> str:
        start = self._position + 8
        self._skip_string()
        kept = min(self._position - start, _KEPT_STRING, _KEPT_STRINGS - self._kept)
        self._kept += kept
        return self._data[start : start + kept].decode("utf-8", "replace")

    def _skip_string(self) -> None:
        (length,) = struct.unpack_from("<Q", self._data, self._position)
        end = self._position + 8 + length
        if end > len(self._data):
            raise ValueError(_("a string of {length} bytes goes past the end of the file").format(length=length))
        self._position = end


def _header_from(values: dict[str, Value], path: Path, size: int, weights: int, parameters: int) -> GgufHeader:
    architecture = values.get("general.architecture")
    if not isinstance(architecture, str) or not architecture:
        raise ValueError(_("it does not name its architecture"))
    _check_sizes({key.removeprefix(f"{architecture}."): value for key, value in values.items()})
    context, file_type = values.get(f"{architecture}.context_length"), values.get("general.file_type")
    return GgufHeader(
        kind=str(values.get("general.type") or "model"),
        architecture=architecture,
        name=str(values.get("general.name") or path.stem)[:_LONGEST_NAME],
        quantisation=FILE_TYPES.get(file_type, "unknown") if isinstance(file_type, int) else "unknown",
        context_trained=context if isinstance(context, int) and context > 0 else 0,
        has_chat_template=bool(values.get("tokenizer.chat_template")),
        recurrent=any(part in key for key in values for part in _RECURRENT_KEYS),
        is_encoder="bert" in architecture or f"{architecture}.pooling_type" in values,
        size_bytes=size,
        weights_bytes=weights,
        values=values,
        parameters=parameters,
    )


def _check_sizes(values: dict[str, Value]) -> None:
    """What llama.cpp does not refuse but aborts on (mostly in `load_hparams`), and a context that no conversation fits in.
    Raises ValueError."""

    def number(key: str) -> int:
        value = values.get(key)
        return value if isinstance(value, int) else 0

    if "block_count" in values and not 0 < number("block_count") <= _MOST_LAYERS:
        raise ValueError(_("it claims {number} layers").format(number=number("block_count")))
    if number("nextn_predict_layers") > number("block_count"):
        raise ValueError(_("it claims more extra layers than layers"))
    if number("context_length") and not _SHORTEST_CONTEXT <= number("context_length") <= _LONGEST_CONTEXT:
        raise ValueError(_("it claims a context of {number} tokens").format(number=number("context_length")))
    rotated = values.get("rope.dimension_count", 2)
    widest = number("embedding_length") or math.inf
    if isinstance(rotated, int) and (not 2 <= rotated <= widest or rotated % 2):  # with 0, llama.cpp never comes back
        raise ValueError(_("it claims to rotate {rotated} dimensions").format(rotated=rotated))
    experts, used = number("expert_count"), values.get("expert_used_count", 0)
    if experts > _MOST_EXPERTS or (isinstance(used, int) and not min(experts, 1) <= used <= experts):
        raise ValueError(_("it claims to use {used} of {experts} experts").format(used=used, experts=experts))
    if values.get("rope.scaling.type", "none") not in _ROPE_SCALINGS:
        raise ValueError(_("it names a kind of rope scaling that there is not"))
    for key in _EPSILONS:
        value = values.get(key, 0.0)
        if isinstance(value, float) and not 0 <= value < math.inf:
            raise ValueError(_("it claims {key} to be {value}").format(key=key, value=value))

"""Writes small GGUF files: a vocabulary of the SentencePiece kind, and headers that are wrong on purpose."""

import struct
from collections.abc import Sequence
from pathlib import Path

Value = str | bool | int | float | list[str] | list[float] | list[int] | bytes
"""Bytes: a type number and what follows, as they are."""
Tensor = tuple[str, list[int], int, int]
"""Name, dimensions, type number, offset."""

STRING, ARRAY, BOOL, UINT32, INT32, FLOAT32 = 8, 9, 7, 4, 5, 6
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6


def write_gguf(path: Path, values: dict[str, Value], tensors: Sequence[Tensor] = (), data: bytes = b"") -> Path:
    path.write_bytes(gguf_header(list(values.items()), tensors) + data)
    return path


def gguf_header(values: Sequence[tuple[str, Value]], tensors: Sequence[Tensor] = ()) -> bytes:
    """Up to where the tensors' data begins."""
    body = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    body += b"".join(_text(key) + _value(value) for key, value in values)
    for name, dimensions, kind, offset in tensors:
        body += _text(name) + struct.pack(f"<I{len(dimensions)}QIQ", len(dimensions), *dimensions, kind, offset)
    return body + b"\0" * (-len(body) % 32)


def write_sentencepiece_vocabulary(path: Path, more: Sequence[tuple[str, int]] = ()) -> Path:
    """Bytes, a few words with the space before them, and two control tokens; nothing but a vocabulary. `more` tokens with
    their kinds come at its end."""
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    words = ["▁", "▁a", "a", "▁b", "b", "c", "ab", "▁ab"]
    tokens = ["<unk>", "<s>", "</s>", "<|user|>", *bytes_, *words, *(token for token, _ in more)]
    kinds = [UNKNOWN, CONTROL, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * len(words), *(kind for _, kind in more)]
    values: dict[str, Value] = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [float(-index) for index in range(len(tokens))],
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.add_space_prefix": True,
        "tokenizer.ggml.add_bos_token": True,
    }
    return write_gguf(path, values)


def _text(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    match value:
        case bytes():
            return value
        case str():
            return struct.pack("<I", STRING) + _text(value)
        case bool():
            return struct.pack("<I?", BOOL, value)
        case int():
            return struct.pack("<II", UINT32, value)
        case float():
            return struct.pack("<If", FLOAT32, value)
        case list():
            return _array(value)


def _array(values: list[str] | list[float] | list[int]) -> bytes:
    kind = {str: STRING, float: FLOAT32, int: INT32}[type(values[0])] if values else INT32
    form = {FLOAT32: "<f", INT32: "<i"}
    elements = [_text(value) if isinstance(value, str) else struct.pack(form[kind], value) for value in values]
    return struct.pack("<IIQ", ARRAY, kind, len(values)) + b"".join(elements)


def with_template(source: Path, target: Path, template: str | None) -> Path:
    """A copy of a model with another chat template, or with none. A comment fills it up to where the tensors stay aligned."""
    data = source.read_bytes()
    key = b"tokenizer.chat_template"
    at = data.index(key)
    if template is None:
        target.write_bytes(data[:at] + key[:-1] + b"_" + data[at + len(key) :])
        return target
    start = at + len(key) + 4  # behind the type of the value
    (length,) = struct.unpack_from("<Q", data, start)
    filled = template.encode() + b"{##}"
    filled = filled[:-2] + b" " * ((length - len(filled)) % 32) + b"#}"
    target.write_bytes(data[:start] + struct.pack("<Q", len(filled)) + filled + data[start + 8 + length :])
    return target

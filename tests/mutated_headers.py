"""GGUF headers that went wrong in every way we could think of: mutations of a right one, the same for the same number."""

import random
import struct
from collections.abc import Callable, Sequence

from tests.hostile_templates import ENDLESS, HUGE, ODD
from tests.tiny_models import tensors, tiny_model
from tests.unit.inference.gguf_files import Tensor, Value, gguf_header

Pairs = list[tuple[str, Value]]
Random = random.Random

ARCHITECTURES = ("llama", "llama", "llama", "gemma3", "mamba", "lfm2")

_NUMBERS = (0, 1, 2, 3, 5, 7, 63, 64, 255, 1 << 16, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
_LARGE = (1 << 32, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
_FLOATS = (0.0, -0.0, -1.0, 1e-45, 3e38, float("inf"), float("-inf"), float("nan"))
_TEXTS = ("", " ", "\0", "%s%n%x", "../../etc/passwd", "a" * 100_000, "\udcff\udcfe", "🎉", "llama", "gpt2", "{{", "\n")
_ADDED = (  # keys that llama.cpp reads and the right headers do not have
    "general.alignment",
    "general.type",
    "split.count",
    "split.no",
    "{}.rope.dimension_count",
    "{}.rope.freq_base",
    "{}.rope.scaling.type",
    "{}.rope.scaling.factor",
    "{}.attention.key_length",
    "{}.attention.value_length",
    "{}.attention.sliding_window",
    "{}.attention.head_count_kv",
    "{}.attention.causal",
    "{}.pooling_type",
    "{}.vocab_size",
    "{}.expert_count",
    "{}.expert_used_count",
    "{}.leading_dense_block_count",
    "{}.nextn_predict_layers",
    "{}.use_parallel_residual",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.merges",
    "tokenizer.ggml.token_type_count",
    "tokenizer.ggml.padding_token_id",
    "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.eom_token_id",
    "tokenizer.ggml.remove_extra_whitespaces",
    "tokenizer.ggml.precompiled_charsmap",
)


def mutated_file(number: int) -> tuple[str, bytes]:
    """What was done to it, and the whole file."""
    choose = Random(number)
    architecture = choose.choice(ARCHITECTURES)
    values, shapes = tiny_model(architecture)
    described, data = tensors(shapes)
    name, mutate = choose.choice(_MUTATIONS)
    return f"{architecture}, {name}", mutate(list(values.items()), described, data, choose)


def mutated_bytes(header: bytes, number: int) -> tuple[str, bytes]:
    """The same length: for a large file whose header is changed in place."""
    choose = Random(number)
    changed = bytearray(header)
    for _ in range(choose.choice((1, 1, 2, 4, 16))):
        # most of a header is vocabulary; its beginning says most
        place = choose.randrange(choose.choice((24, 400, 2000, len(header))))
        _change_bytes(changed, place, choose)
    return "bytes in place", bytes(changed)


def _change_bytes(data: bytearray, place: int, choose: Random) -> None:
    match choose.randrange(4):
        case 0:
            data[place] ^= 1 << choose.randrange(8)
        case 1:
            data[place] = choose.randrange(256)
        case 2:
            data[place : place + 4] = struct.pack("<I", choose.choice(_NUMBERS))[: len(data) - place]
        case 3:
            data[place : place + 8] = struct.pack("<Q", choose.choice(_NUMBERS + _LARGE))[: len(data) - place]


def _hostile_value(value: Value | None, choose: Random) -> Value:
    """Of the same kind or of another."""
    if isinstance(value, list) and choose.random() < 0.8:
        return _hostile_array(value, choose)
    kind = choose.randrange(9)
    return (
        struct.pack("<II", 4, choose.choice(_NUMBERS)),
        struct.pack("<II", 4, choose.choice(_NUMBERS)),
        struct.pack("<IQ", 10, choose.choice(_NUMBERS + _LARGE)),
        struct.pack("<Ii", 5, choose.choice((0, -1, -(1 << 31), (1 << 31) - 1))),
        struct.pack("<If", 6, choose.choice(_FLOATS)),
        struct.pack("<IB", 7, choose.choice((0, 1, 2, 255))),
        choose.choice(_TEXTS),
        struct.pack("<IIQ", 9, choose.choice((4, 5, 6, 8, 9)), choose.choice((0, 1, 2, *_LARGE))) + bytes(16),
        struct.pack("<IIQ", 9, 9, 2) + struct.pack("<IQ", 9, 1) * 200,  # arrays in arrays in arrays
    )[kind]


def _hostile_array(value: list[str] | list[float] | list[int], choose: Random) -> Value:
    array: list[object] = list(value)
    match choose.randrange(5):
        case 0:
            return []
        case 1:
            del array[choose.randrange(len(array)) :]
        case 2:
            array += array[: choose.choice((1, 10, 1000))]
        case 3:
            array[choose.randrange(len(array))] = _hostile_element(array[0], choose)
        case 4:
            array = [_hostile_element(array[0], choose)] * len(array)
    return array  # type: ignore[return-value]


def _hostile_element(like: object, choose: Random) -> object:
    if isinstance(like, str):
        return choose.choice(_TEXTS)
    return choose.choice(_FLOATS) if isinstance(like, float) else choose.choice((0, 1, 3, 6, 99, -1, -(1 << 31), (1 << 31) - 1))


def _a_value(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    place = choose.randrange(len(pairs))
    pairs[place] = (pairs[place][0], _hostile_value(pairs[place][1], choose))
    return gguf_header(pairs, described) + data


def _a_number_of_the_architecture(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    architecture = str(pairs[0][1])
    place = choose.choice([place for place, (key, _) in enumerate(pairs) if key.startswith(f"{architecture}.")])
    pairs[place] = (pairs[place][0], struct.pack("<II", 4, choose.choice(_NUMBERS)))
    return gguf_header(pairs, described) + data


def _a_key_too_many(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    key = choose.choice(_ADDED).format(pairs[0][1])
    pairs.insert(choose.randrange(len(pairs)), (key, _hostile_value(None, choose)))
    return gguf_header(pairs, described) + data


def _a_key_twice(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    pairs.append(choose.choice(pairs))
    return gguf_header(pairs, described) + data


def _a_key_missing(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    del pairs[choose.randrange(len(pairs))]
    return gguf_header(pairs, described) + data


def _a_key_renamed(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    place = choose.randrange(len(pairs))
    pairs[place] = (choose.choice(_TEXTS), pairs[place][1])
    return gguf_header(pairs, described) + data


def _a_special_token(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    place = choose.choice([place for place, (key, _) in enumerate(pairs) if key.endswith("_token_id")])
    pairs[place] = (pairs[place][0], struct.pack("<II", 4, choose.choice(_NUMBERS)))
    return gguf_header(pairs, described) + data


def _the_vocabulary(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    place = choose.choice([place for place, (_, value) in enumerate(pairs) if isinstance(value, list)])
    value = pairs[place][1]
    assert isinstance(value, list)
    pairs[place] = (pairs[place][0], _hostile_array(value, choose))
    return gguf_header(pairs, described) + data


def _the_chat_template(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    template = choose.choice([*ENDLESS, *HUGE, *ODD])
    return (
        gguf_header([*(pair for pair in pairs if "template" not in pair[0]), ("tokenizer.chat_template", template)], described)
        + data
    )


def _a_tensor(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    place = choose.randrange(len(described))
    name, shape, kind, offset = described[place]
    shape = list(shape)
    match choose.randrange(8):
        case 0:
            name = choose.choice((*_TEXTS, described[0][0], "blk.99.attn_q.weight", "blk.-1.attn_q.weight", f"{name}x"))
        case 1:
            shape[choose.randrange(len(shape))] = choose.choice((0, 1, 32, 63, *_LARGE))
        case 2:
            shape.reverse()
        case 3:
            shape += [1] * choose.choice((1, 2, 3, 60))
        case 4:
            kind = choose.choice((1, 2, 3, 4, 5, 6, 8, 12, 14, 24, 26, 30, 34, 39, 40, 99, (1 << 32) - 1))
        case 5:
            offset = choose.choice((1, 31, 32, 64, offset + 32, len(data), *_LARGE))
        case 6:
            described.append(described[place])
        case 7:
            del described[place]
    if place < len(described):
        described[place] = (name, shape, kind, offset)
    return gguf_header(pairs, described) + data


def _counts(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    header = bytearray(gguf_header(pairs, described))
    place = choose.choice((8, 16))
    right = struct.unpack_from("<Q", header, place)[0]
    struct.pack_into("<Q", header, place, choose.choice((0, right - 1, right + 1, 65_536, *_LARGE)))
    return bytes(header) + data


def _the_version(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    version = choose.choice((0, 1, 2, 4, 3 << 24, (1 << 32) - 1))
    return b"GGUF" + struct.pack("<I", version) + (gguf_header(pairs, described) + data)[8:]


def _some_bytes(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    return mutated_bytes(gguf_header(pairs, described), choose.randrange(1 << 30))[1] + data


def _the_end(pairs: Pairs, described: list[Tensor], data: bytes, choose: Random) -> bytes:
    whole = gguf_header(pairs, described) + data
    return whole[: choose.choice((0, 3, 4, 8, 24, 25, choose.randrange(len(whole)), len(whole) - len(data), len(whole) - 1))]


_MUTATIONS: Sequence[tuple[str, Callable[[Pairs, list[Tensor], bytes, Random], bytes]]] = [
    (function.__name__.strip("_").replace("_", " "), function)
    for function in (
        _a_value,
        _a_value,
        _a_number_of_the_architecture,
        _a_number_of_the_architecture,
        _a_key_too_many,
        _a_key_too_many,
        _a_key_twice,
        _a_key_missing,
        _a_key_renamed,
        _a_special_token,
        _the_vocabulary,
        _the_vocabulary,
        _the_chat_template,
        _a_tensor,
        _a_tensor,
        _counts,
        _the_version,
        _some_bytes,
        _some_bytes,
        _the_end,
    )
]

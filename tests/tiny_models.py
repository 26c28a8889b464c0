"""Makes models of several architectures, a few hundred kilobytes each, with random weights.

They talk no sense. They load in milliseconds, and prove what the starter model cannot: a SentencePiece vocabulary, and
memories that cannot be cut. Tensor names and shapes are those that llama.cpp's src/models/*.cpp ask for.
"""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.unit.inference.gguf_files import BYTE, CONTROL, NORMAL, UNKNOWN, Value, write_gguf

Shapes = dict[str, list[int]]

WIDTH, LAYERS, HEADS, KV_HEADS, FEED_FORWARD = 64, 2, 4, 2, 96
HEAD = WIDTH // HEADS
WINDOW = 32
"""Tokens that the sliding-window model looks back in its first layer."""
CONTEXT = 2048

_TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_SPECIAL = ["<unk>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>"]
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
_WORDS = ["▁", *(space + letter for space in ("", "▁") for letter in "abcdefghijklmnopqrstuvwxyz")]
_TOKENS = [*_SPECIAL, *_BYTES, *_WORDS]
VOCABULARY = len(_TOKENS)


def write_tiny_model(path: Path, architecture: str, **changed: Value) -> Path:
    """`changed`: header values in place of the right ones, dots in their names as double underscores."""
    values, shapes = tiny_model(architecture)
    return write_gguf(path, values | {name.replace("__", "."): value for name, value in changed.items()}, *tensors(shapes))


def tiny_model(architecture: str) -> tuple[dict[str, Value], Shapes]:
    """The header's values and the tensors' shapes: `llama`, `gemma3` (sliding window), `mamba` (recurrent), `lfm2` (hybrid)."""
    own, layer = _ARCHITECTURES[architecture]
    values: dict[str, Value] = {
        "general.architecture": architecture,
        "general.name": f"Tiny {architecture}",
        **_vocabulary(),
        f"{architecture}.context_length": CONTEXT,
        f"{architecture}.embedding_length": WIDTH,
        f"{architecture}.block_count": LAYERS,
        f"{architecture}.attention.layer_norm_rms_epsilon": 1e-5,
        **{f"{architecture}.{key}": value for key, value in own.items()},
    }
    norm = "token_embd_norm.weight" if architecture == "lfm2" else "output_norm.weight"
    shapes = {"token_embd.weight": [WIDTH, VOCABULARY], norm: [WIDTH], "output.weight": [WIDTH, VOCABULARY]}
    for number in range(LAYERS):
        shapes |= {f"blk.{number}.{name}": shape for name, shape in layer(number).items()}
    return values, shapes


def tensors(shapes: Shapes) -> tuple[list[tuple[str, list[int], int, int]], bytes]:
    """What `write_gguf` takes: 32-bit floats, always the same."""
    random = np.random.default_rng(1)
    described, data = [], b""
    for name, shape in shapes.items():
        described.append((name, shape, 0, len(data)))
        data += _weights(name, shape, random).astype("<f4").tobytes()
        data += bytes(-len(data) % 32)
    return described, data


def _weights(name: str, shape: list[int], random: np.random.Generator) -> np.ndarray:
    if name.endswith(("norm.weight", "ssm_d")):
        return np.ones(shape)
    if name.endswith("ssm_a"):  # how fast a state is forgotten: slowly
        return random.uniform(-0.2, -0.01, math.prod(shape))
    weights = random.normal(0, 1 / math.sqrt(shape[0]), (math.prod(shape[1:]), shape[0]))
    if name == "output.weight":  # replies are letters
        weights[: len(_SPECIAL) + len(_BYTES)] = 0
    return weights


def _vocabulary() -> dict[str, Value]:
    kinds = [UNKNOWN, *[CONTROL] * (len(_SPECIAL) - 1), *[BYTE] * len(_BYTES), *[NORMAL] * len(_WORDS)]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": _TOKENS,
        "tokenizer.ggml.scores": [float(-index) for index in range(VOCABULARY)],
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.add_space_prefix": True,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.chat_template": _TEMPLATE,
    }


def _attention() -> Shapes:
    return {
        "attn_norm.weight": [WIDTH],
        "attn_q.weight": [WIDTH, WIDTH],
        "attn_k.weight": [WIDTH, KV_HEADS * HEAD],
        "attn_v.weight": [WIDTH, KV_HEADS * HEAD],
        "attn_output.weight": [WIDTH, WIDTH],
    }


def _feed_forward() -> Shapes:
    return {
        "ffn_norm.weight": [WIDTH],
        "ffn_gate.weight": [WIDTH, FEED_FORWARD],
        "ffn_up.weight": [WIDTH, FEED_FORWARD],
        "ffn_down.weight": [FEED_FORWARD, WIDTH],
    }


def _llama_layer(_: int) -> Shapes:
    return _attention() | _feed_forward()


def _gemma3_layer(_: int) -> Shapes:
    norms = {"attn_q_norm.weight": [HEAD], "attn_k_norm.weight": [HEAD]}
    after = {"post_attention_norm.weight": [WIDTH], "post_ffw_norm.weight": [WIDTH]}
    return _attention() | _feed_forward() | norms | after


def _mamba_layer(_: int) -> Shapes:
    inner, kernel, state, rank = 2 * WIDTH, 4, 16, 4
    return {
        "attn_norm.weight": [WIDTH],
        "ssm_in.weight": [WIDTH, 2 * inner],
        "ssm_conv1d.weight": [kernel, inner],
        "ssm_conv1d.bias": [inner],
        "ssm_x.weight": [inner, rank + 2 * state],
        "ssm_dt.weight": [rank, inner],
        "ssm_dt.bias": [inner],
        "ssm_a": [state, inner],
        "ssm_d": [inner],
        "ssm_out.weight": [inner, WIDTH],
    }


def _lfm2_layer(number: int) -> Shapes:
    """First a convolution, then attention."""
    if number % 2:
        return _attention() | _feed_forward() | {"attn_q_norm.weight": [HEAD], "attn_k_norm.weight": [HEAD]}
    convolution = {
        "attn_norm.weight": [WIDTH],
        "shortconv.conv.weight": [3, WIDTH],
        "shortconv.in_proj.weight": [WIDTH, 3 * WIDTH],
        "shortconv.out_proj.weight": [WIDTH, WIDTH],
    }
    return convolution | _feed_forward()


_HEADS: dict[str, Value] = {
    "attention.head_count": HEADS,
    "attention.head_count_kv": KV_HEADS,
    "feed_forward_length": FEED_FORWARD,
}
_ARCHITECTURES: dict[str, tuple[dict[str, Value], Callable[[int], Shapes]]] = {
    "llama": (_HEADS, _llama_layer),
    "gemma3": (
        _HEADS
        | {
            "attention.key_length": HEAD,
            "attention.value_length": HEAD,
            "attention.sliding_window": WINDOW,
            "attention.sliding_window_pattern": 2,
        },
        _gemma3_layer,
    ),
    "mamba": (
        {"ssm.conv_kernel": 4, "ssm.inner_size": 2 * WIDTH, "ssm.state_size": 16, "ssm.time_step_rank": 4},
        _mamba_layer,
    ),
    "lfm2": (_HEADS | {"attention.head_count_kv": [0, KV_HEADS], "shortconv.l_cache": 3}, _lfm2_layer),
}

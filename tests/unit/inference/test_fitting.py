"""How large a context is chosen, and which model is refused."""

from dataclasses import replace

import pytest

from munin_app.errors import ModelTooLarge
from munin_app.inference.fitting import fitting_context, require_memory
from munin_app.inference.gguf_header import GgufHeader
from munin_app.inference.memory_estimate import cache_bytes, estimate_memory
from tests.unit.inference.test_memory_estimate import LLAMA, header_of

WEIGHTS = 4_900_000_000


@pytest.fixture
def model() -> GgufHeader:
    """8 billion parameters; 131 kB a token."""
    return header_of("llama", LLAMA, WEIGHTS)


def room_for(model: GgufHeader, size: int) -> int:
    """Just enough memory, a tenth of it kept free."""
    return int(estimate_memory(model, size).total / 0.9) + 1


@pytest.mark.parametrize("size", [2048, 4096])
def test_context_is_the_largest_that_leaves_a_tenth_free(model: GgufHeader, size: int) -> None:
    assert fitting_context(model, "f16", room_for(model, size))[0] == size
    assert fitting_context(model, "f16", room_for(model, size) - 2)[0] == max(2048, size // 2)


def test_smaller_context_for_want_of_memory_says_so(model: GgufHeader) -> None:
    assert fitting_context(model, "f16", room_for(model, 2048)) == (2048, True)
    assert fitting_context(model, "f16", 10 * WEIGHTS) == (4096, False)


def test_context_whose_state_could_not_be_kept_on_disk_is_not_chosen(model: GgufHeader) -> None:
    limit = cache_bytes(model, 8192)
    assert fitting_context(model, "f16", 10 * WEIGHTS, limit) == (8192, False)
    assert fitting_context(model, "f16", 10 * WEIGHTS, limit - 1) == (4096, False)
    assert fitting_context(model, "f16", 10 * WEIGHTS, 1) == (2048, False)


def test_context_is_never_larger_than_trained_for() -> None:
    small = header_of("llama", LLAMA | {"block_count": 2})
    trained = [replace(small, context_trained=size) for size in (512, 3000, 0, 131_072)]
    assert [fitting_context(header, "f16", None)[0] for header in trained] == [512, 3000, 8192, 8192]


def test_what_is_not_known_is_no_objection(model: GgufHeader) -> None:
    assert fitting_context(model, "f16", None) == (4096, False)
    require_memory(model, 1_000_000, "f16", None)


def test_model_that_fits_to_the_byte_is_not_refused(model: GgufHeader) -> None:
    needed = estimate_memory(model, 4096).total
    require_memory(model, 4096, "f16", needed)
    with pytest.raises(ModelTooLarge, match=r"Some needs about 6\.\d GB .* 4,096 tokens .* are free\. Close other programs"):
        require_memory(model, 4096, "f16", needed - 1)

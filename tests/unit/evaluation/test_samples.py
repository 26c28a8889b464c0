"""What follows from the moments that were measured."""

import pytest

from munin_app.evaluation.speed.samples import added_wait, bare_decode, munin_decode
from tests.unit.evaluation.examples import follow_up


def test_a_reply_that_reached_its_limit_was_decoded_one_time_less_than_it_has_tokens() -> None:
    assert munin_decode(1.0, 3.0, "Onc", generated=21, limit=21) == pytest.approx(10)


def test_a_reply_that_ended_by_itself_was_decoded_once_for_each_token() -> None:
    assert munin_decode(1.0, 3.0, "Onc", generated=20, limit=64) == pytest.approx(10)


def test_a_first_token_of_one_letter_is_shown_with_the_second() -> None:
    assert munin_decode(1.0, 3.0, "A lon", generated=21, limit=64) == pytest.approx(10)


@pytest.mark.parametrize(("first", "last", "generated"), [(1.0, 1.1, 5), (0.0, 0.0, 0), (1.0, 1.0, 20)])
def test_a_reply_too_short_says_nothing_about_decoding(first: float, last: float, generated: int) -> None:
    assert munin_decode(first, last, "Yes", generated, 64) is None


def test_bare_decoding_counts_the_steps_between_the_sampled_tokens() -> None:
    assert bare_decode(tuple(0.5 + 0.1 * n for n in range(11))) == pytest.approx(10)
    assert bare_decode((0.5, 0.6)) is None


def test_an_added_wait_is_what_more_tokens_do_not_explain() -> None:
    assert added_wait(1.0, 100, 1.1, 110) == pytest.approx(0)
    assert added_wait(1.0, 100, 1.5, 100) == pytest.approx(0.5)


def test_a_pair_is_told_as_ratios_and_as_the_seconds_that_memory_cost() -> None:
    pair = follow_up(munin_first=1.2, bare_first=1.0, plain_first=0.4, munin_decode=78.0, bare_decode=80.0)
    assert pair.ratio == pytest.approx(1.2)
    assert pair.memory_seconds == pytest.approx(0.6)
    assert pair.decode_ratio == pytest.approx(0.975)


def test_there_is_no_decode_ratio_when_one_side_was_too_short() -> None:
    assert follow_up(munin_decode=None).decode_ratio is None

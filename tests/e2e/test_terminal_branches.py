"""A message said otherwise, a reply made again and gone on with, in the terminal."""

from pathlib import Path

import pytest

from tests.e2e.terminal import munin, turn

pytestmark = pytest.mark.model


def test_a_message_is_edited_answered_again_and_gone_on_with(home: Path) -> None:
    told = turn(home, "Tell me a long story about boats.")
    assert told["truncated"]
    edited = turn(home, "Tell me a long story about ships.", "--edit", told["message"])
    assert edited["conversation"] == told["conversation"] and edited["message"] != told["message"]
    munin(home, "chat", "--retry", "longer")
    munin(home, "chat", "--continue")
    assert "of your own" in munin(home, "chat", "--edit", told["reply_id"], "-m", "No.", expect=1).stderr

"""Commands in the prompt loop: done, told beside the turns, and no turns themselves."""

from pathlib import Path

import pytest

from tests.e2e.terminal import keep_short, lines, munin

pytestmark = pytest.mark.model


def test_commands_are_obeyed_between_turns_and_a_wrong_one_is_said(home: Path) -> None:
    keep_short(home)
    typed = ["/remember I live in Oslo", "/rember I like tea", "Hello", "/new", "/etc/hosts", "/persona coach"]
    done = munin(home, "chat", "--json", input="\n".join(typed) + "\n", expect=1)
    said = done.stderr.splitlines()
    assert said[0].startswith("Noted: Lives in Oslo") and said[1].startswith("munin: There is no command /rember. There are: ")
    assert said[2] == "A new chat." and said[3].startswith("munin: Coach has a memory of its own")
    first, second = lines(done)
    assert [fact["text"] for fact in first["facts"]] == ["Lives in Oslo"]
    assert first["conversation"] != second["conversation"]
    assert [fact["text"] for fact in lines(munin(home, "memory", "facts", "--json"))] == ["Lives in Oslo"]

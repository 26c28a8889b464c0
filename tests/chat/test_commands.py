"""Commands: what is one and what is a message, whose facts they touch, and the terminal's way of doing them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from munin_app.bootstrap import Munin
from munin_app.chat.commands import COMMANDS, CommandLine, completions, named, parse
from munin_app.cli.chat_commands import obey
from munin_app.domain.memories import SHARED, persona_scope
from munin_app.errors import MessageRefused, MuninError, NotFound
from munin_app.inference.scripted import ScriptedChatModel
from tests.conftest import StartMunin

NAMES = [command.name for command in COMMANDS]
WORDS = st.sampled_from([*NAMES, "rember", "etc/hosts", "", "/", "NEW", "tmp", "new.txt", "forget:"])


@given(st.one_of(st.text(), st.builds("/{}{}".format, WORDS, st.text()), st.builds("/{} {}".format, WORDS, st.text())))
@example("/remember")
@example("/new\n")
def test_no_text_without_a_known_command_is_swallowed(text: str) -> None:
    try:
        line = parse(text)
    except MessageRefused:
        assert text.startswith("/") and text[1:2].isalpha()  # it stays in the composer
        return
    if line is None:
        return  # it is sent as it is
    assert line.name in NAMES
    assert text[1:].casefold().startswith(line.name)
    assert text[1 + len(line.name) :].removeprefix(":").strip() == line.text


@pytest.mark.parametrize("text", ["/etc/hosts", "//text", "//remember me", "/", "/ new", " /new", "/2", "/new/folder", "1/2"])
def test_a_path_and_a_text_after_a_space_are_messages(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("/remember I live in Oslo", CommandLine("remember", "I live in Oslo")),
        ("/Remember: two\nlines ", CommandLine("remember", "two\nlines")),
        ("/NEW", CommandLine("new", "")),
        ("/memories", CommandLine("memories", "")),
        ("/model  qwen ", CommandLine("model", "qwen")),
    ],
)
def test_a_command_is_read_with_what_follows_it(text: str, line: CommandLine) -> None:
    assert parse(text) == line


@pytest.mark.parametrize(
    ("text", "why"),
    [("/rember x", "no command /rember"), ("/remember ", "Type /remember TEXT"), ("/new world", "/new stands alone")],
)
def test_what_is_wrong_with_a_command_is_said(text: str, why: str) -> None:
    with pytest.raises(MessageRefused, match=why):
        parse(text)


def test_completions_are_those_that_begin_so() -> None:
    assert completions("/") == COMMANDS
    assert [command.name for command in completions("/Me")] == ["memories"]
    assert [command.name for command in completions("/m")] == ["memories", "model"]
    assert completions("/memories ") == completions("m") == completions("") == completions(" /m") == ()


def test_a_name_is_found_by_its_beginning_where_that_is_one_only() -> None:
    items = ["Coach", "Coachman", "Editor"]
    assert named("persona", "ED", items, lambda one: (one,)) == "Editor"
    assert named("persona", "coach", items, lambda one: (one,)) == "Coach"
    with pytest.raises(NotFound, match="“co” may be Coach, Coachman"):
        named("persona", "co", items, lambda one: (one,))
    with pytest.raises(NotFound, match=r"There is no persona “x”\. There are: Coach, Coachman, Editor"):
        named("persona", "x", items, lambda one: (one,))


class Terminal:
    """One conversation of the prompt loop."""

    def __init__(self, munin: Munin) -> None:
        self.munin = munin
        self.said: list[str] = []

    async def begin(self, *, temporary: bool = False) -> "Terminal":
        self.conversation = await self.munin.controller.new_conversation(temporary=temporary)
        return self

    async def order(self, text: str) -> list[str]:
        line = parse(text)
        assert line
        self.said.clear()
        self.conversation = await obey(self.munin, self.conversation, line, self.said.append)
        await self.munin.controller.drain()
        return list(self.said)


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(["All right."])


@pytest.fixture
async def terminal(start_munin: StartMunin, model: ScriptedChatModel) -> Terminal:
    return await Terminal(await start_munin(model)).begin()


async def test_a_fact_is_noted_known_and_forgotten_without_a_message(terminal: Terminal, model: ScriptedChatModel) -> None:
    munin = terminal.munin
    (noted,) = await terminal.order("/remember I live in Oslo")
    (fact,) = munin.profile.facts
    assert noted == "Noted: Lives in Oslo  (`/forget Lives in Oslo` takes that back)" and fact.scope == SHARED
    assert await terminal.order("/remember lives in Oslo") == ["Known already: Lives in Oslo"]
    assert await terminal.order("/forget where I live") == ["Forgot: Lives in Oslo  (`/remember` takes that back)"]
    assert munin.profile.facts == ()
    with pytest.raises(NotFound, match=r"not clear which fact “where I live” means.*munin memory facts"):
        await terminal.order("/forget where I live")
    assert await munin.chats.messages(terminal.conversation.id) == ()
    assert not any("remember" in message.text for request in model.requests for message in request.messages[1:])


async def test_several_facts_that_may_be_meant_all_stay_and_exact_words_mean_one(terminal: Terminal) -> None:
    for text in ("Lives in Oslo", "Has a sister in Oslo"):
        await terminal.order(f"/remember {text}")
    with pytest.raises(NotFound, match="not clear"):
        await terminal.order("/forget Oslo")
    assert len(terminal.munin.profile.facts) == 2
    await terminal.order("/forget lives in oslo")
    assert [fact.text for fact in terminal.munin.profile.facts] == ["Has a sister in Oslo"]


async def test_nothing_is_noted_in_a_temporary_chat_or_where_memory_is_off(terminal: Terminal) -> None:
    munin = terminal.munin
    with pytest.raises(MessageRefused, match="A temporary chat notes nothing"):
        await (await Terminal(munin).begin(temporary=True)).order("/remember I live in Oslo")
    await munin.chats.set_memory_on(terminal.conversation.id, False)
    terminal.conversation = await munin.chats.get(terminal.conversation.id)
    with pytest.raises(MessageRefused, match="Memory is off in this chat, so nothing is noted"):
        await terminal.order("/remember I live in Oslo")
    await munin.change_settings(memory_on=False)
    with pytest.raises(MessageRefused, match="Memory is off, so nothing is noted"):
        await terminal.order("/remember I live in Oslo")
    assert munin.profile.facts == ()


async def test_facts_belong_to_whom_the_chat_remembers_for(terminal: Terminal) -> None:
    await terminal.order("/remember I live in Oslo")
    assert await terminal.order("/persona coa") == ["Coach answers in this chat."]
    assert "* Coach" in await terminal.order("/persona")
    with pytest.raises(MuninError, match="not clear"):
        await terminal.order("/forget Oslo")
    await terminal.order("/remember I run")
    assert {fact.scope for fact in terminal.munin.profile.facts} == {SHARED, persona_scope("coach")}


async def test_a_new_chat_ends_a_temporary_one_and_memories_are_shown(terminal: Terminal) -> None:
    munin = terminal.munin
    assert await terminal.order("/memories tea") == ["Nothing found."]
    await munin.controller.send(terminal.conversation.id, "The green tea is from Uji")
    await munin.controller.drain()
    for text in ("/memories green tea", "/memories"):
        assert any("The green tea is from Uji" in line for line in await terminal.order(text))
    temporary = await Terminal(munin).begin(temporary=True)
    before = temporary.conversation.id
    assert await temporary.order("/new") == ["A new chat."]
    assert not temporary.conversation.temporary
    with pytest.raises(NotFound):
        await munin.chats.get(before)


async def test_the_model_of_a_chat_is_chosen_by_the_beginning_of_its_name(terminal: Terminal) -> None:
    (model, *_) = await terminal.munin.library.chat_models(terminal.munin.settings.model_path)
    assert f"* {model.name}" in await terminal.order("/model")
    assert await terminal.order(f"/model {model.id.upper()}") == [f"{model.name} is the model of this chat."]
    with pytest.raises(NotFound, match="There is no model “nothing”"):
        await terminal.order("/model nothing")

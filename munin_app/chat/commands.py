"""Commands: what a text that begins with a slash orders. One table, and the same sentences in the window and the terminal.

A command is no message: it is never stored, read by the model or learned from.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from munin_app.chat.controller import ChatController
from munin_app.domain.facts import Fact, LearnedFact
from munin_app.domain.messages import Conversation
from munin_app.errors import MessageRefused, NotFound
from munin_app.i18n import N_, _, translated

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    argument: str
    """What follows the name: "TEXT" must, "[TEXT]" may; empty: nothing. In English, as the help."""
    help: str

    @property
    def usage(self) -> str:
        return f"/{self.name} {translated(self.argument)}".rstrip()

    @property
    def needs_text(self) -> bool:
        return self.argument.isalpha()


COMMANDS = (
    Command("remember", N_("TEXT"), N_("Note a fact about you")),
    Command("forget", N_("TEXT"), N_("Forget a fact about you")),
    Command("memories", N_("[WORDS]"), N_("Search memories")),
    Command("new", "", N_("Begin a new chat")),
    Command("attach", N_("PATH"), N_("Attach a file")),
    Command("model", N_("[NAME]"), N_("Choose the model here")),
    Command("persona", N_("[NAME]"), N_("Choose who answers here")),
)


@dataclass(frozen=True, slots=True)
class CommandLine:
    name: str
    text: str
    """What follows the name, or empty."""


_SHAPE = re.compile(r"/([^\W\d_]+):?(?:\s+(.*))?", re.DOTALL)


def parse(text: str) -> CommandLine | None:
    """None: a message, such as "/etc/hosts", "//" or " /new". Raises MessageRefused for a word after a slash that is no command,
    and for a command with too little or too much: sent to the model, a misspelt one would say what was meant for Munin."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        return None
    name, rest = found[1].casefold(), (found[2] or "").strip()
    command = next((one for one in COMMANDS if one.name == name), None)
    if command is None:
        known = ", ".join(f"/{one.name}" for one in COMMANDS)
        raise MessageRefused(
            _("There is no command /{found}. There are: {known}. A space before the slash makes it a message.").format(
                found=found[1], known=known
            )
        )
    if command.needs_text and not rest:
        raise MessageRefused(_("Nothing stands after /{name}. Type {usage}.").format(name=name, usage=command.usage))
    if not command.argument and rest:
        raise MessageRefused(_("/{name} stands alone. Remove what stands after it.").format(name=name))
    return CommandLine(name, rest)


def completions(draft: str) -> tuple[Command, ...]:
    """What it may become, while the name is being typed."""
    if not draft.startswith("/"):
        return ()
    return tuple(command for command in COMMANDS if command.name.startswith(draft[1:].casefold()))


def named(what: Literal["model", "persona", "chat"], typed: str, items: Sequence[T], names: Callable[[T], Sequence[str]]) -> T:
    """The item of that name, else the only one whose name begins so; case is folded. The first of its `names` is the one that
    is shown. Raises NotFound, which names those that there are."""
    wanted = " ".join(typed.split()).casefold()
    exact = [item for item in items if any(name.casefold() == wanted for name in names(item))]
    possible = exact or [item for item in items if any(name.casefold().startswith(wanted) for name in names(item))]
    if len(possible) == 1:
        return possible[0]
    listed = ", ".join(names(item)[0] for item in possible or items)
    if possible:
        raise NotFound(_("“{typed}” may be {listed}. Type more of the name.").format(typed=typed, listed=listed))
    sentence = {
        "model": _("There is no model “{typed}”. There are: {listed}."),
        "persona": _("There is no persona “{typed}”. There are: {listed}."),
        "chat": _("There is no chat “{typed}”. There are: {listed}."),
    }[what]
    raise NotFound(sentence.format(typed=typed, listed=listed or _("none")))


async def remember(controller: ChatController, conversation: Conversation, text: str) -> tuple[str, LearnedFact | None]:
    """Notes a typed fact for whom the chat's persona remembers. What is to be said, and what can be undone, if anything.
    Raises MessageRefused where nothing is noted, or ProfileError."""
    if conversation.temporary:
        raise MessageRefused(_("A temporary chat notes nothing. Use /remember in another chat."))
    if not controller.with_memory(conversation):
        if controller.settings().memory_on:
            raise MessageRefused(_("Memory is off in this chat, so nothing is noted. Turn it on, then send this again."))
        raise MessageRefused(_("Memory is off, so nothing is noted. Turn it on, then send this again."))
    scope = (await controller.personas.of(conversation.id)).scope
    known = {fact.id for fact in controller.profile.facts}
    learned = await controller.profile.add(text, scope)
    if learned.fact.id in known:
        return _("Known already: {text}").format(text=learned.fact.text), None
    return _("Noted: {text}").format(text=learned.fact.text), learned


async def meant(controller: ChatController, conversation: Conversation, text: str) -> Fact | None:
    """The one fact that is to be forgotten, of those that the chat's persona knows. None: there is none, or several."""
    scope = (await controller.personas.of(conversation.id)).scope
    return await controller.profile.meant(text, scope)


def forgot(fact: Fact) -> str:
    return _("Forgot: {text}").format(text=fact.text)


def unclear(text: str) -> str:
    return _("It is not clear which fact “{text}” means.").format(text=text)

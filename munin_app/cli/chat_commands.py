"""Commands in the prompt loop of `munin chat`, such as `/remember I live in Oslo`."""

from collections.abc import Callable, Iterable

from munin_app.bootstrap import Munin
from munin_app.chat import commands
from munin_app.chat.commands import CommandLine
from munin_app.cli.output import day, one_line
from munin_app.domain.messages import Conversation
from munin_app.errors import MuninError, NotFound
from munin_app.i18n import _

Tell = Callable[[str], None]
TOP_K = 6


async def obey(munin: Munin, conversation: Conversation, line: CommandLine, tell: Tell) -> Conversation:
    """Returns the conversation that goes on from here. Raises MuninError."""
    match line.name:
        case "remember":
            sentence, learned = await commands.remember(munin.controller, conversation, line.text)
            tell(
                _("{sentence}  (`/forget {text}` takes that back)").format(sentence=sentence, text=learned.fact.text)
                if learned
                else sentence
            )
        case "forget":
            await _forget(munin, conversation, line.text, tell)
        case "memories":
            await _memories(munin, conversation, line.text, tell)
        case "new":
            if conversation.temporary:
                await munin.controller.close_temporary(conversation.id)
            conversation = await munin.controller.new_conversation()
            tell(_("A new chat."))
        case "model":
            await _model(munin, conversation, line.text, tell)
        case "persona":
            await _persona(munin, conversation, line.text, tell)
    return await munin.chats.get(conversation.id)


async def _forget(munin: Munin, conversation: Conversation, text: str, tell: Tell) -> None:
    fact = await commands.meant(munin.controller, conversation, text)
    if fact is None:
        raise NotFound(_("{unclear} Give its own words; `munin memory facts` shows them.").format(unclear=commands.unclear(text)))
    outcome = await munin.forgetting.forget_fact(fact.id)
    tell(_("{forgot}  (`/remember` takes that back)").format(forgot=commands.forgot(fact)))
    if outcome.failures:
        raise MuninError(outcome.failures[0])


async def _memories(munin: Munin, conversation: Conversation, words: str, tell: Tell) -> None:
    """What this chat may recall; without words the newest of everything."""
    if words:
        scope = (await munin.controller.personas.of(conversation.id)).scope
        outcome = await munin.memory.recall(words, TOP_K, scopes=(scope,))
        memories = [found.memory for found in outcome.results]
    else:
        memories = list(await munin.memory.browse(0, TOP_K))
    for one in memories:
        tell(f"{day(one.created_at)}  {one.role:9}  {one_line(one.text)}")
    if not memories:
        tell(_("Nothing found."))


async def _model(munin: Munin, conversation: Conversation, typed: str, tell: Tell) -> None:
    models = await munin.library.chat_models(munin.settings.model_path)
    if typed:
        model = commands.named("model", typed, models, lambda model: (model.name, model.id))
        await munin.switch.choose_for(conversation.id, str(model.path))
        tell(_("{name} is the model of this chat.").format(name=model.name))
        return
    path = (await munin.switch.model_of(conversation)).path
    _list(((model.name, model.path == path) for model in models), tell)


async def _persona(munin: Munin, conversation: Conversation, typed: str, tell: Tell) -> None:
    personas = await munin.controller.personas.list()
    if typed:
        persona = commands.named("persona", typed, personas, lambda persona: (persona.name,))
        await munin.controller.choose_persona(conversation.id, persona.id)
        tell(_("{name} answers in this chat.").format(name=persona.name))
        return
    _list(((persona.name, persona.id == conversation.persona_id) for persona in personas), tell)


def _list(names: Iterable[tuple[str, bool]], tell: Tell) -> None:
    """A star before the one that holds now."""
    for name, chosen in names:
        tell(f"{'*' if chosen else ' '} {name}")

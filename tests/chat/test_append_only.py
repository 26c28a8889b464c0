"""Random lives of a data folder: each prompt begins with the one before it, or its turn says why not, and says it rightly.

MUNIN_EXAMPLES=3000 runs as many of them; without it a few, always the same.
"""

import asyncio
import contextlib
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from munin_app.bootstrap import AppEvent, Munin
from munin_app.chat import prefix
from munin_app.chat.attached.files import read_content
from munin_app.chat.branches import can_go_on
from munin_app.chat.prompt import GLUE_TOKENS
from munin_app.chat.rendering import quoted
from munin_app.domain.events import FactsLearned, Turn, TurnFinished
from munin_app.domain.facts import LearnedFact
from munin_app.domain.inference import ChatRequest, PromptRole, Purpose
from munin_app.domain.messages import MemoryState, Message, MessageStatus, Role
from munin_app.errors import MessageRefused
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.memory import EncoderManifest, MemoryService
from munin_app.memory.hashing import HashEmbedder

EXAMPLES = int(os.environ.get("MUNIN_EXAMPLES", "0"))
CONTEXT = 600
"""Tokens; words to the scripted model: about ten turns."""
TEXT_CAUSES = {prefix.COMPACTED, prefix.FORGOTTEN, prefix.BRANCHED, prefix.MEMORY_SWITCHED}
STATE_CAUSES = {prefix.FORGOTTEN, prefix.OTHER_MODEL, prefix.RESTARTED, prefix.OTHER_CHAT, prefix.REOPENED}

SAID = (
    "My name is Ada.",
    "My name is Grace.",
    "I live in Oslo.",
    "I moved to Bergen.",
    "I like green tea.",
    "The boathouse key hangs behind the green door.",
    "Where does the boathouse key hang, behind which door?",
    "What is my name, and where do I live?",
    "And then?",
    "A long report about the sea and the weather. " * 9,
)
FILES = (
    "The boathouse key hangs behind the green door.",
    "\n\n".join(f"Section {n} tells of tea and of Oslo. " * 9 for n in range(20)),
)
T = TypeVar("T")


def _answer(request: ChatRequest) -> str:
    if request.purpose is Purpose.UTILITY:
        return "They spoke of the sea." if "Summarise" in request.messages[0].text else "[]"
    return f"Reply {len(request.messages)} to that. " + "Yes, indeed. " * (len(request.messages[-1].text) % 17)


class LifeOfAFolder(RuleBasedStateMachine):
    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._home = home
        shutil.rmtree(home, ignore_errors=True)
        monkeypatch.setenv("MUNIN_HOME", os.fspath(home))
        self._runner = asyncio.Runner()
        self._turns: list[Turn] = []
        self._learned: list[LearnedFact] = []
        self._read: dict[str, ChatRequest] = {}
        """The last prompt of each conversation of which the model read anything, in this process."""
        self._held: dict[str, int] = {}
        self._window_start: dict[str, str | None] = {}
        self._causes: defaultdict[str, set[str]] = defaultdict(set)
        """What happened since then that may keep the next prompt from beginning with it."""

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        async def work_and_drain() -> T:
            result = await work
            await self.munin.controller.drain()
            return result

        return self._runner.run(work_and_drain())

    @initialize()
    def start(self) -> None:
        self._runner.run(self._start())

    async def _start(self) -> None:
        manifest = EncoderManifest("hash", self._home, 64, threshold=0.3)
        memory = MemoryService(self._home / "munin_memory.db", manifest, load_encoder=HashEmbedder)
        self.model = self.new_model("scripted")
        self.munin = await Munin.start(make_model=lambda path, settings: self.model, memory=memory)
        await self.munin.load_model()
        await self.munin.change_settings(recall_timeout_ms=10_000, max_reply_tokens=60)
        self.munin.subscribe(self._listen)
        chats = await self.munin.chats.list()
        self._open = (chats[0] if chats else await self.munin.controller.new_conversation()).id

    def new_model(self, name: str) -> Any:
        return ScriptedChatModel(_answer, context_size=CONTEXT, name=name)

    def tokens(self, prompt: ChatRequest) -> Sequence[object]:
        """What the model read."""
        return prompt.messages

    def length(self, prompt: ChatRequest) -> int:
        """As the model counts it."""
        return sum(len(message.text.split()) for message in prompt.messages)

    def _listen(self, event: AppEvent) -> None:
        if isinstance(event, TurnFinished):
            self._turns.append(event.turn)
        elif isinstance(event, FactsLearned):
            self._learned += event.learned

    def teardown(self) -> None:
        self._runner.run(self.munin.close())
        self._runner.close()

    # what may be done

    @rule(text=st.sampled_from(SAID))
    def send(self, text: str) -> None:
        self._do(self._send(text))
        self._check()

    async def _send(self, text: str, attached: Sequence[str] = ()) -> None:
        self._asked_before = len(self.model.requests)
        await self.munin.controller.send(self._open, text, attached)

    @rule(text=st.sampled_from(SAID), file=st.sampled_from(FILES))
    def send_with_a_file(self, text: str, file: str) -> None:
        async def attached() -> None:
            attachments = self.munin.controller.attachments
            content = await read_content("notes.txt", file.encode())
            await self._send(text, [(await attachments.add(self._open, content)).id])

        self._do(attached())
        self._check()

    @rule(text=st.sampled_from(SAID), words=st.integers(0, 3))
    def send_and_stop(self, text: str, words: int) -> None:
        async def stopped() -> None:
            self.model.pause(after_words=words)
            await self._send(text)
            await self.model.wait_until_standing()
            self.munin.controller.stop(self._open)
            await self.munin.controller.stop_and_wait(self._open)
            self.model.resume()

        self._do(stopped())
        self._check()

    @rule(text=st.sampled_from(SAID))
    def send_and_stop_at_once(self, text: str) -> None:
        async def stopped() -> None:
            await self._send(text)
            self.munin.controller.stop(self._open)

        self._do(stopped())
        self._check()

    @rule(text=st.sampled_from(SAID), words=st.integers(0, 3))
    def send_and_fail(self, text: str, words: int) -> None:
        self.model.fail_next(after_words=words)
        self.send(text)

    @rule(text=st.sampled_from(SAID))
    def send_while_another_chat_is_opened(self, text: str) -> None:
        async def both() -> None:
            await self._send(text)
            await self.munin.controller.new_conversation()

        self._other_chat()
        self._do(both())
        self._check()
        self._other_chat()

    @rule(data=st.data(), text=st.sampled_from(SAID))
    def edit(self, data: st.DataObject, text: str) -> None:
        if own := [message for message in self._path() if message.role is Role.USER]:
            self._causes[self._open].add(prefix.BRANCHED)
            self._do(self._edit(data.draw(st.sampled_from(own)), text))
            self._check()

    async def _edit(self, message: Message, text: str) -> None:
        self._asked_before = len(self.model.requests)
        edited = await self.munin.branches.edit(message.id, text)
        path = await self.munin.chats.path(self._open)
        assert edited.id in {one.id for one in path} and message.id not in {one.id for one in path}
        assert (await self.munin.chats.message(message.id)).text == message.text

    @rule(data=st.data())
    def show_another_branch(self, data: st.DataObject) -> None:
        tree = self._do(self.munin.chats.tree(self._open))
        messages = self._do(self.munin.chats.messages(self._open))
        if beside := [message for message in messages if len(tree.siblings(message.id)) > 1]:
            chosen = data.draw(st.sampled_from(beside))
            leaf = self._do(self.munin.branches.show(chosen.id))
            path = [message.id for message in self._path()]
            assert chosen.id in path and path[-1] == leaf.id and not tree.below(leaf.id)
            self._causes[self._open].add(prefix.BRANCHED)

    @rule()
    def go_on(self) -> None:
        path = self._path()
        if not path or not can_go_on(path[-1]):
            return
        before = len(self._turns)

        async def go_on() -> None:
            self._asked_before = len(self.model.requests)
            with contextlib.suppress(MessageRefused):  # its question was forgotten or deleted
                await self.munin.branches.go_on(path[-1].id)

        self._do(go_on())
        if len(self._turns) > before:
            self._check()
            assert self._path()[-1].id == path[-1].id and self._path()[-1].text.startswith(path[-1].text)

    @rule(data=st.data(), instruction=st.sampled_from(["", "Answer in one short sentence."]))
    def retry(self, data: st.DataObject, instruction: str) -> None:
        path = self._path()
        replies = [message for message in path if message.role is Role.ASSISTANT]
        if not replies:
            return
        reply = replies[-1] if data.draw(st.booleans()) else data.draw(st.sampled_from(replies))

        async def again() -> None:
            self._asked_before = len(self.model.requests)
            try:
                await self.munin.controller.retry(reply.id, instruction)
            except MessageRefused:
                assert (await self.munin.chats.message(reply.parent_id or "")).memory is MemoryState.FORGOTTEN

        self._causes[self._open].add(prefix.BRANCHED)
        before = len(self._turns)
        self._do(again())
        if len(self._turns) > before:
            self._check()

    @rule(data=st.data())
    def forget_fact(self, data: st.DataObject) -> None:
        if facts := self.munin.profile.facts:
            self._forgetting(self.munin.forgetting.forget_fact(data.draw(st.sampled_from(facts)).id))

    @rule(data=st.data())
    def undo_learned(self, data: st.DataObject) -> None:
        active = {fact.id for fact in self.munin.profile.facts}
        if learned := [one for one in self._learned if one.fact.id in active]:
            self._forgetting(self.munin.forgetting.undo_learned(data.draw(st.sampled_from(learned))))

    @rule(data=st.data(), delete=st.booleans())
    def forget_message(self, data: st.DataObject, delete: bool) -> None:
        if path := self._path():
            one = data.draw(st.sampled_from(path)).id
            forgetting = self.munin.forgetting
            self._forgetting(forgetting.delete_messages([one]) if delete else forgetting.forget_memories([one]))

    @rule(data=st.data(), undo=st.booleans())
    def delete_with_undo(self, data: st.DataObject, undo: bool) -> None:
        if not (path := self._path()):
            return
        message = data.draw(st.sampled_from(path))
        self._forgetting(self.munin.forgetting.hide_message(message.id))
        assert message.id not in {one.id for one in self._path()}
        if undo:
            self._forgetting(self.munin.forgetting.unhide_message(message))
            assert [one.id for one in self._path()] == [one.id for one in path]
        else:

            async def erase() -> None:
                self.munin.forgetting.erase_when_quiet(message)

            self._forgetting(erase())

    def _forgetting(self, work: Coroutine[Any, Any, Any]) -> None:
        self._do(work)
        self._anywhere(prefix.FORGOTTEN)

    @rule(text=st.sampled_from(["Is allergic to peanuts", "Works at a harbour", "Name is Edith"]))
    def add_fact(self, text: str) -> None:
        self._do(self.munin.profile.add(text))

    @rule(on=st.booleans())
    def switch_memory(self, on: bool) -> None:
        self._do(self.munin.change_settings(memory_on=on))
        self._anywhere(prefix.MEMORY_SWITCHED)

    @rule(on=st.booleans())
    def switch_memory_of_this_chat(self, on: bool) -> None:
        self._do(self.munin.chats.set_memory_on(self._open, on))
        self._causes[self._open].add(prefix.MEMORY_SWITCHED)

    @rule()
    def open_new_chat(self) -> None:
        self._other_chat()
        self._open = self._do(self.munin.controller.new_conversation()).id

    @rule(data=st.data())
    def open_another_chat(self, data: st.DataObject) -> None:
        if chats := self._do(self.munin.chats.list()):
            self._other_chat()
            self._open = data.draw(st.sampled_from(chats)).id
            self._do(self.munin.controller.open_conversation(self._open))

    @rule()
    def restart(self) -> None:
        self._runner.run(self.munin.close())
        self._read.clear()
        self._causes.clear()
        self._runner.run(self._start())

    @rule()
    def model_dies(self) -> None:
        self.model.die()
        self._anywhere(prefix.RESTARTED)

    @rule(name=st.sampled_from(["scripted", "other"]))
    def use_model(self, name: str) -> None:
        self._anywhere(prefix.RESTARTED)
        if self.model.info is None or name != self.model.info.id:
            self._anywhere(prefix.OTHER_MODEL)
        self.model = self.new_model(name)
        self.munin.controller.use_model(self.model)
        self.munin.profile.use_model(self.model)
        self._do(self.model.load())

    # what must hold

    def _lasting(self, prompt: ChatRequest, held: int) -> tuple[ChatRequest, int]:
        """What the next prompt repeats of this one, and at least how many tokens that is."""
        if not prompt.goes_on and "[Answer in one" not in prompt.messages[-1].text:
            return prompt, held
        newest = prompt.messages[-2:] if prompt.goes_on else prompt.messages[-1:]
        counts = self._do(self.model.count_tokens([message.text for message in newest]))
        return self.without_newest(prompt), max(0, held - sum(count + GLUE_TOKENS for count in counts))

    def without_newest(self, prompt: ChatRequest) -> ChatRequest:
        return replace(prompt, messages=prompt.messages[:-1])

    def _path(self) -> tuple[Message, ...]:
        return self._do(self.munin.chats.path(self._open))

    def _anywhere(self, cause: str) -> None:
        for conversation_id in self._read:
            self._causes[conversation_id].add(cause)

    def _other_chat(self) -> None:
        self._anywhere(prefix.OTHER_CHAT)

    def _check(self) -> None:
        turn = self._turns[-1]
        asked = [one for one in self.model.requests[self._asked_before :] if one.purpose is Purpose.REPLY]
        if not asked:
            assert turn.prompt_reset == ""
            return
        (prompt,) = asked
        self._check_prompt(prompt, turn)
        self._check_reason(prompt, turn)

    def _check_prompt(self, prompt: ChatRequest, turn: Turn) -> None:
        roles = [message.role for message in (prompt.messages[:-1] if prompt.goes_on else prompt.messages)]
        assert roles == [PromptRole.SYSTEM, *[PromptRole.USER, PromptRole.ASSISTANT] * (len(roles) // 2 - 1), PromptRole.USER]
        assert turn.user.text in prompt.messages[-2 if prompt.goes_on else -1].text
        assert self.length(prompt) < CONTEXT
        if self.munin.controller.with_memory(self._do(self.munin.chats.get(self._open))):
            whole = "\n".join(message.text for message in prompt.messages)
            assert all(quoted(fact.text) in whole for fact in turn.used.facts)

    def _check_reason(self, prompt: ChatRequest, turn: Turn) -> None:
        here, before = self._open, self._read.get(self._open)
        window_start = self._do(self.munin.chats.window_start(here))
        if before is None:
            assert turn.prompt_reset in {"", prefix.REOPENED, prefix.COMPACTED}
            assert not turn.prompt_reset or turn.usage.evaluated > len(prompt.messages[-1].text.split())
        else:
            if window_start != self._window_start[here]:
                self._causes[here].add(prefix.COMPACTED)
            grew = self.tokens(prompt)[: len(self.tokens(before))] == self.tokens(before)
            kept = turn.usage.reused >= self._held[here] - 1
            causes = set() if grew and kept else self._causes[here] & (STATE_CAUSES if grew else TEXT_CAUSES)
            assert turn.prompt_reset in (causes or {""}), (turn.prompt_reset, causes, self._causes[here])
            assert (turn.prompt_reset == "") == (grew and kept)
        held = turn.usage.evaluated + turn.usage.reused
        assert held == self.length(prompt) or turn.reply.status is MessageStatus.STOPPED
        self._read[here], self._held[here] = self._lasting(prompt, held)
        self._window_start[here] = window_start
        self._causes[here] = set()
        for conversation_id in self._read.keys() - {here}:
            self._causes[conversation_id].add(prefix.OTHER_CHAT)


def live(machine: Callable[[], RuleBasedStateMachine], examples: int) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=EXAMPLES or examples,
            stateful_step_count=25,
            derandomize=not EXAMPLES,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_prompt_begins_with_the_one_before_it_or_its_turn_says_why_not(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live(lambda: LifeOfAFolder(home, monkeypatch), examples=6)

"""The app in one process, without a client: what a person sees and does, over real services and a scripted model."""

import asyncio
from functools import partial
from pathlib import Path

import flet as ft
import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.model_switch import OWN_TEMPLATE
from munin_app.config import Settings
from munin_app.domain.events import TurnFinished
from munin_app.domain.facts import ACTIVE_FACTS_MAX
from munin_app.domain.ids import new_id
from munin_app.domain.inference import ModelInfo
from munin_app.domain.messages import Exchange, Message, MessageStatus, Role
from munin_app.errors import ChatTemplateError, ModelError, NotFound
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.ui.actions.window import DRAWN
from munin_app.ui.bench import write_conversation
from munin_app.ui.components import message as message_component
from munin_app.ui.components.message import MessageHandlers
from munin_app.ui.state import MessageState
from munin_app.ui.tokens import Tokens
from tests.conftest import StartMunin
from tests.ui.harness import OpenPage

ADA = "My name is Ada and I live in Oslo"


async def said(page: OpenPage, munin: Munin, text: str) -> None:
    """Sends and waits until the turn, remembering and learning are done and shown."""
    ended: list[TurnFinished] = []
    unsubscribe = munin.subscribe(lambda event: ended.append(event) if isinstance(event, TurnFinished) else None)
    await page.say(text)
    await page.until(lambda: ended)  # that no turn runs may also mean that it has not begun
    unsubscribe()
    await munin.controller.drain()
    await page.until(lambda: not page.session.chat.state.busy)


async def test_first_screen_greets_promises_and_offers_four_beginnings(start_munin: StartMunin) -> None:
    async with OpenPage(await start_munin()) as page:
        assert page.has("Good ") and page.has("stays on this device")
        starters = ("Explain something", "Help me write", "Plan a weekend", "Practise a language")
        assert all(page.has(words) for words in starters)


async def test_a_starter_fills_the_composer_and_sends_nothing(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        page.session.chat.fill("Plan a weekend for me.")
        await page.settle()
        assert page.one(ft.TextField, hint_text="Message Munin").value == "Plan a weekend for me."
        assert page.session.chat.flag.filled
        assert await munin.chats.list() == ()


async def test_sent_message_and_reply_are_shown_and_the_field_is_empty(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(["Hello **there**."]))
    async with OpenPage(munin) as page:
        await said(page, munin, "Good day")
        assert page.has("Good day") and page.has("Hello **there**.")
        assert page.one(ft.TextField, hint_text="Message Munin").value == ""
        assert page.has("1%") or page.has("0%")


async def test_noted_facts_are_shown_and_undo_takes_them_back(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, ADA)
        await page.until(lambda: page.has("Munin noted: Name is Ada"))
        await page.click("Undo: Name is Ada")
        await page.until(lambda: not page.has("Munin noted: Name is Ada"))
        assert all(fact.text != "Name is Ada" for fact in munin.profile.facts)


async def test_reading_the_chat_again_keeps_the_mirror_that_a_waiting_handler_holds(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, ADA)
        held = page.session.chat.state.messages[-1]
        await page.session.chat.reload()
        assert page.session.chat.state.messages[-1] is held


async def test_chip_opens_what_the_reply_used(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await munin.profile.add("Lives in Oslo")
        await said(page, munin, "Plan my day")
        await page.click("What this reply used")
        await page.until(lambda: page.has("What this reply used"))
        await page.until(lambda: page.has("Lives in Oslo") and page.has("Always sent") and page.has("Added by you, today"))
        page.session.escape()
        await page.until(lambda: not page.has("Always sent"))


async def test_memories_of_a_chat_are_selected_and_forgotten_together(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "The boat is called Wren")
        wren = page.session.chat.conversation_id
        await page.session.chat.new()
        await munin.controller.send(page.session.chat.conversation_id, "The dog sleeps at noon")
        await munin.controller.drain()
        page.session.go("memory")
        page.session.memory.show("memories")
        await page.until(lambda: page.has("“The boat is called Wren”") and page.has("“The dog sleeps at noon”"))
        await page.session.memory.choose_chat(wren)
        await page.until(lambda: not page.has("“The dog sleeps at noon”"))
        page.session.memory.select(True)
        await page.session.memory.select_all()
        await page.until(lambda: page.has("2 selected"))
        await page.click("Forget what is selected")
        await page.press("Forget")
        await page.until(lambda: page.has("Keep the chats"))
        assert {memory.conversation_id for memory in await munin.memory.browse()} == {page.session.chat.conversation_id}
        assert [message.memory for message in await munin.chats.path(wren)] == ["forgotten", "forgotten"]


async def test_memory_opens_its_chat_at_the_message(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel([f"answer {n}" for n in range(40)]))
    async with OpenPage(munin) as page:
        chat = page.session.chat
        await said(page, munin, "question 0")
        for n in range(1, 40):
            await munin.controller.send(chat.conversation_id, f"question {n}")
            await munin.controller.drain()
        target = (await munin.chats.path(chat.conversation_id))[20]
        await chat.new()
        page.session.go("memory")
        page.session.memory.show("memories")
        await page.until(lambda: page.session.memory.state.memories)
        await page.session.memory.choose_period("today")
        await page.session.memory.more()
        await page.until(lambda: page.has("“question 10”"))
        await page.click("Open in its chat: question 10")
        await page.until(lambda: chat.state.marked == target.id and page.has("question 10"))
        assert page.session.navigation.view == "chat"
        assert not page.has("question 39")
        await page.press("Show later messages")
        await page.click("To the end")
        await page.until(lambda: page.has("question 39"))


async def test_a_long_chat_that_lost_most_of_its_messages_still_shows_the_rest(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(lambda request: "so be it"))
    async with OpenPage(munin) as page:
        chat = page.session.chat
        await said(page, munin, "question 0")
        for n in range(1, 40):
            await munin.controller.send(chat.conversation_id, f"question {n}")
            await munin.controller.drain()
        chat.show_end()
        path = await munin.chats.path(chat.conversation_id)
        await munin.forgetting.delete_messages([message.id for message in path[:-4]])
        await chat.reload()
        await page.until(lambda: page.has("question 39") and page.has("question 38"))
        assert len(chat.state.messages) == 4


async def test_refused_message_stays_in_the_field_with_the_reason(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(context_size=600))
    async with OpenPage(munin) as page:
        long = "word " * 5_000
        await page.say(long)
        await page.until(lambda: page.session.chat.state.refused)
        assert page.has(page.session.chat.state.refused)
        assert page.session.chat.draft._text == long
        assert page.session.chat.state.messages == []


async def test_stop_keeps_what_arrived_and_offers_retry(start_munin: StartMunin) -> None:
    model = ScriptedChatModel(["one two three four", "again"])
    munin = await start_munin(model)
    async with OpenPage(munin) as page:
        model.pause(after_words=2)
        await page.say("Count")
        await model.wait_until_standing()
        await page.until(lambda: page.has("one two"))
        page.session.escape()
        await page.until(lambda: page.has("Stopped"))
        model.resume()
        await page.click("Retry")
        await page.until(lambda: page.has("again"))
        assert not page.has("one two")


async def test_failed_reply_says_why_and_keeps_the_words(start_munin: StartMunin) -> None:
    model = ScriptedChatModel(["one two three"])
    munin = await start_munin(model)
    async with OpenPage(munin) as page:
        model.fail_next("The model ran out of memory. Try a smaller one.", after_words=2)
        await said(page, munin, "Count")
        assert page.has("one two") and page.has("The model ran out of memory.") and page.has("Retry")
        assert page.session.chat.state.messages[-1].status is MessageStatus.FAILED


async def test_tokens_of_one_reply_do_not_render_the_messages_before_it(
    start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedChatModel(lambda request: " ".join(str(number) for number in range(60)))
    munin = await start_munin(model)
    drawn: list[str] = []
    original = message_component._reply

    def counting(t: Tokens, message: MessageState, handlers: MessageHandlers, last: bool) -> ft.Control:
        drawn.append(message.id)
        return original(t, message, handlers, last)

    monkeypatch.setattr(message_component, "_reply", counting)
    async with OpenPage(munin) as page:
        chat = page.session.chat.state
        await page.session.chat.open(await munin.chats.database.write(partial(write_conversation, title="Old", count=200)))
        await page.until(lambda: len(drawn) >= DRAWN // 2)
        model.pause(after_words=1)
        await page.say("second")
        await model.wait_until_standing()
        await page.until(lambda: chat.messages[-1].writing and chat.messages[-1].text)  # and not the reply before it
        drawn.clear()
        model.resume()
        await page.until(lambda: not chat.busy and drawn)
        assert set(drawn) == {chat.messages[-1].id} and len(chat.messages) > DRAWN


async def test_a_page_that_opens_in_the_middle_of_a_reply_shows_it_once_and_whole(start_munin: StartMunin) -> None:
    model = ScriptedChatModel(["one two three four five"])
    munin = await start_munin(model)
    async with OpenPage(munin) as first:
        model.pause(after_words=3)
        await first.say("Count")
        await model.wait_until_standing()
        conversation = first.session.chat.conversation_id
    async with OpenPage(munin) as second:  # the first one is closed: the turn goes on
        await second.session.chat.open(conversation)
        await second.until(lambda: second.has("one two three"))
        model.resume()
        await second.until(lambda: not second.session.chat.state.busy)
        assert second.session.chat.state.messages[-1].text == "one two three four five"
        assert len(second.session.chat.state.messages) == 2


async def test_long_chat_draws_its_end_and_the_rest_when_asked(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(["r"]))
    conversation = await munin.controller.new_conversation()
    for number in range(20):
        await munin.controller.send(conversation.id, f"question {number}.")
        await munin.controller.drain()
    async with OpenPage(munin) as page:
        await page.session.chat.open(conversation.id)
        await page.until(lambda: page.has("question 19."))
        assert not page.has("question 2.")
        page.session.chat.show_earlier()
        await page.until(lambda: page.has("question 2."))


async def test_draft_stays_with_its_chat_while_one_looks_elsewhere(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "hello")
        first = page.session.chat.conversation_id
        page.session.chat.type("half a thought")
        page.session.go("settings")
        await page.settle()
        await page.session.chat.new()
        assert page.session.chat.draft._text == ""
        await page.session.chat.open(first)
        await page.settle()
        assert page.one(ft.TextField, hint_text="Message Munin").value == "half a thought"


async def test_deleted_chat_comes_back_with_undo_and_is_erased_without(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "hello")
        (conversation,) = await munin.chats.list()
        await page.session.conversations.delete([conversation])
        assert await munin.chats.list() == ()
        await page.session.shell.take_snack()
        assert len(await munin.chats.list()) == 1
        await page.session.conversations.delete([conversation])
        await page.session.shell.end_snack()
        assert await munin.chats.hidden() == ()
        assert conversation.id not in await munin.chats.all_ids()


async def test_temporary_chat_says_so_and_is_gone_when_left(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await page.session.chat.new(temporary=True)
        await page.settle()
        assert page.has("Temporary chat")
        await said(page, munin, ADA)
        await page.session.chat.new()
        await page.settle()
        assert await munin.chats.list() == () and munin.profile.facts == ()


async def test_temporary_chat_is_gone_with_its_page(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await page.session.chat.new(temporary=True)
        await said(page, munin, ADA)
        conversation = page.session.chat.conversation_id
    with pytest.raises(NotFound):
        await munin.chats.get(conversation)


async def test_retry_is_offered_for_the_last_reply_only(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(["first", "second", "third"]))
    async with OpenPage(munin) as page:
        await said(page, munin, "one")
        await said(page, munin, "two")
        await page.click("Retry")
        await page.until(lambda: page.has("third") and not page.session.chat.state.busy)
        assert page.has("first") and not page.has("second")


async def test_feather_switches_memory_off_for_this_chat_and_the_bar_turns_it_on(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "hello")
        await page.click("Memory is on for this chat. Turn off")
        await page.until(lambda: page.has("Memory is off in this chat."))
        await said(page, munin, ADA)
        assert munin.profile.facts == () and page.has("No memory used")
        await page.session.chat.set_memory(True)
        await page.until(lambda: not page.has("Memory is off in this chat."))


async def test_facts_are_added_refused_corrected_and_removed(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        page.session.go("memory")
        await page.until(lambda: page.has("Nothing yet."))
        page.session.memory.ask_add()
        await page.settle()
        field = page.one(ft.TextField, hint_text="Lives in Oslo")
        await page.fire(field, "submit", "")
        await page.until(lambda: page.has("The fact is empty."))
        field = page.one(ft.TextField, hint_text="Lives in Oslo")
        await page.fire(field, "change", "Lives in Bergen", value="Lives in Bergen")
        await page.fire(field, "submit", "Lives in Bergen")
        await page.until(lambda: page.has("Lives in Bergen") and page.session.overlay.dialog is None)
        await page.click("Remove: Lives in Bergen")
        await page.until(lambda: page.has("Forget “Lives in Bergen”?"))
        assert munin.profile.facts
        await page.press("Forget")
        await page.until(lambda: not munin.profile.facts and page.session.overlay.dialog is None)


async def test_removing_a_fact_lists_the_messages_that_still_hold_it(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, ADA)
        (name,) = [fact for fact in munin.profile.facts if fact.attribute == "name"]
        page.session.go("memory")
        await page.session.memory.remove(name)
        await page.until(lambda: page.has("Delete these too"))
        assert page.has(f"“{ADA}”")


async def test_pages_adapt_to_their_width(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin, 1280) as wide, OpenPage(munin, 390, 844) as phone:
        assert "Settings" in wide.texts() and "Settings" not in phone.texts()
        phone.session.go("conversations")
        await phone.until(lambda: phone.has("Settings"))
        phone.page.width = 1280
        phone.session.measure()
        await phone.until(lambda: phone.has("Good "))


async def test_theme_and_settings_are_shared_by_all_pages(start_munin: StartMunin, home: Path) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as one, OpenPage(munin) as other:
        await one.session.settings.change(theme="dark")
        await other.until(lambda: other.session.tokens.dark)
        assert '"dark"' in (home / "settings.json").read_text()


async def test_model_file_that_is_none_is_said_in_place_and_the_old_one_stays(start_munin: StartMunin, tmp_path: Path) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        page.session.go("models")
        await page.session.settings.use(str(tmp_path / "nothing.gguf"))
        await page.until(lambda: page.session.settings.models.error)
        assert page.has(page.session.settings.models.error)
        assert munin.model.info is not None


async def test_model_that_cannot_be_loaded_offers_another_try(start_munin: StartMunin) -> None:
    model = ScriptedChatModel()
    model.fail_to_load("The file is cut off. Fetch it again.")
    munin = await start_munin(model)
    async with OpenPage(munin) as page:
        assert page.has("The file is cut off.") and page.has("Try again")
        model.fail_to_load(None)
        await page.session.settings.load_again()
        await page.until(lambda: page.session.model.phase == "ready")
        assert not page.has("The file is cut off.")


async def test_known_template_is_offered_for_a_file_without_one_and_remembered(home: Path) -> None:
    class WithoutTemplate(ScriptedChatModel):
        async def load(self) -> ModelInfo:
            raise ChatTemplateError("It has no chat template.", "chatml")

    def make(path: Path, settings: Settings) -> ScriptedChatModel:
        return ScriptedChatModel() if settings.chat_templates.get(str(path)) == "chatml" else WithoutTemplate()

    async with await Munin.start(make_model=make) as munin, OpenPage(munin) as page:
        await munin.load_model()
        await page.until(lambda: page.has("It has no chat template."))
        await page.press("Use ChatML")
        await page.until(lambda: page.session.model.phase == "ready")
        path = munin.settings.model_path
        assert munin.settings.chat_templates == {path: "chatml"}

        page.session.go("models")
        with pytest.raises(ChatTemplateError):
            await munin.use_model_file(path, template=OWN_TEMPLATE)
        await page.session.settings.use(path, template=OWN_TEMPLATE)
        await page.until(lambda: page.has("It has no chat template."))
        assert munin.settings.chat_templates == {path: "chatml"}, "a choice that does not load is not remembered"
        await page.press("Use ChatML")
        await page.until(lambda: not page.session.settings.models.error)


async def test_notices_are_told_until_closed(start_munin: StartMunin) -> None:
    munin = await start_munin()
    munin.notices.append("profile.json was damaged and is kept.")
    async with OpenPage(munin) as page:
        assert page.has("profile.json was damaged")
        page.session.dismiss_notice(munin.notices[0])
        await page.until(lambda: not page.has("profile.json was damaged"))
        assert munin.notices == []


async def test_links_ask_before_they_leave_the_device(start_munin: StartMunin) -> None:
    async with OpenPage(await start_munin()) as page:
        await page.session.messages.ask_link("https://example.org/x")
        await page.until(lambda: page.has("https://example.org/x"))
        assert page.has("Open this address?")


async def test_new_chat_by_keyboard(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "hello")
        event = ft.KeyboardEvent(name="keyboard_event", control=page.page, key="N", shift=False, ctrl=True, alt=False, meta=False)
        await page.session.on_key(event)
        await page.until(lambda: page.session.chat.state.messages == [])
        assert page.has("Good ")


async def test_closed_page_is_heard_of_no_more(start_munin: StartMunin) -> None:
    munin = await start_munin()
    before = len(munin._listeners)
    async with OpenPage(munin):
        assert len(munin._listeners) == before + 1
    assert len(munin._listeners) == before
    await asyncio.sleep(0)
    with pytest.raises(ModelError):
        await munin.use_model_file("/nothing/there.gguf")


async def test_composer_is_the_same_field_before_and_after_sending_and_refusing(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(context_size=600))
    async with OpenPage(munin) as page:
        field = page.one(ft.TextField, hint_text="Message Munin")
        await page.say("word " * 5_000)
        await page.until(lambda: page.session.chat.state.refused)
        page.session.chat.fill("")
        await said(page, munin, "hello")
        assert page.has("hello")
        assert page.one(ft.TextField, hint_text="Message Munin")._i == field._i


async def test_words_typed_while_a_message_is_being_sent_stay_with_its_chat(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        page.session.chat.type("hello")
        sending = asyncio.create_task(page.session.chat.send())
        await asyncio.sleep(0)
        page.session.chat.type("and then")
        await sending
        await page.until(lambda: page.session.chat.state.messages)
        assert page.session.chat.draft._text == "and then"
        first = page.session.chat.conversation_id
        await page.session.chat.new()
        assert page.session.chat.draft._text == ""
        await page.session.chat.open(first)
        assert page.session.chat.draft._text == "and then"
        await munin.controller.drain()


async def test_draft_of_a_new_chat_is_there_again_on_new_chat(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "hello")
        first = page.session.chat.conversation_id
        await page.session.chat.new()
        page.session.chat.type("half a thought")
        await page.session.chat.open(first)
        assert page.session.chat.draft._text == ""
        page.session.go("settings")
        await page.session.chat.new()
        await page.settle()
        assert page.one(ft.TextField, hint_text="Message Munin").value == "half a thought"


async def test_reading_a_chat_again_that_was_left_and_is_gone_does_not_close_the_open_one(
    start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch
) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await said(page, munin, "hello")
        kept = page.session.chat.conversation_id
        await page.session.chat.new(temporary=True)
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def gone(conversation_id: str) -> None:
            reached.set()
            await go_on.wait()
            raise NotFound("gone")

        with monkeypatch.context() as patched:
            patched.setattr(munin.chats, "get", gone)
            reading = asyncio.create_task(page.session.chat.reload())
            await reached.wait()
        await page.session.chat.open(kept)
        go_on.set()
        await reading
        assert page.session.chat.conversation_id == kept and page.session.chat.state.messages


async def test_a_fault_of_ours_is_told_and_the_page_stays(start_munin: StartMunin, monkeypatch: pytest.MonkeyPatch) -> None:
    munin = await start_munin()

    async def full(*_sent: object) -> None:
        raise OSError("No space left on device")

    async with OpenPage(munin) as page:
        monkeypatch.setattr(munin.controller, "send", full)
        await page.say("hello")
        await page.until(lambda: page.has("Something went wrong in Munin (OSError). Try again."))
        assert page.session.chat.draft._text == "hello"


async def test_reply_cut_at_the_length_limit_says_so(start_munin: StartMunin) -> None:
    munin = await start_munin(ScriptedChatModel(["word " * 400]))
    async with OpenPage(munin) as page:
        await munin.change_settings(max_reply_tokens=64)
        await said(page, munin, "Talk")
        await page.until(lambda: page.has("Cut off at the length limit (Settings → Generation)"))


async def test_failed_reply_without_words_has_nothing_to_copy(start_munin: StartMunin) -> None:
    model = ScriptedChatModel(["one"])
    munin = await start_munin(model)
    async with OpenPage(munin) as page:
        model.fail_next("The model ran out of memory. Try a smaller one.", after_words=0)
        await said(page, munin, "Count")
        assert page.has("The model ran out of memory.")
        assert "Copy reply" not in [getattr(control, "tooltip", None) for control in page.all(ft.IconButton)]


async def test_an_order_to_forget_is_confirmed_under_the_reply_and_can_be_undone(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await munin.profile.add("Lives in Oslo")
        await said(page, munin, "Forget that I live in Oslo")
        await page.until(lambda: page.has("Munin forgot: Lives in Oslo"))
        assert munin.profile.facts == ()
        await page.click("Undo: Lives in Oslo")
        await page.until(lambda: not page.has("Munin forgot: Lives in Oslo"))
        assert [fact.text for fact in munin.profile.facts] == ["Lives in Oslo"]


async def test_a_candidate_says_which_fact_it_contradicts(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        await munin.profile.add("Is vegetarian")
        await said(page, munin, "I love steak")
        page.session.go("memory")
        page.session.memory.show("review")
        await page.until(lambda: page.has("Contradicts: “Is vegetarian”"))
        assert page.has("Keep the old") and not page.has("Accept")
        await page.click("Take the new: Loves steak")
        await page.until(lambda: not page.has("Contradicts: “Is vegetarian”"))
        assert [fact.text for fact in munin.profile.facts] == ["Loves steak"]


async def test_what_made_room_is_listed_and_brought_back(start_munin: StartMunin) -> None:
    munin = await start_munin()
    async with OpenPage(munin) as page:
        for number in range(ACTIVE_FACTS_MAX):
            words = Message(new_id(), "c", None, Role.USER, f"I like colour{chr(97 + number % 26)}{number} paint", 0)
            await munin.profile.learn_from(Exchange(words))
        first = munin.profile.facts[-1].text
        await munin.profile.add("Name is Ada")
        page.session.go("memory")
        page.session.memory.show("facts")
        await page.until(lambda: page.has("Made room for newer facts") and page.has("Left today for “Name is Ada”"))
        await page.click(f"Bring back: {first}")
        await page.until(lambda: not page.has(f"Bring back: {first}"))
        assert first in [fact.text for fact in munin.profile.facts]

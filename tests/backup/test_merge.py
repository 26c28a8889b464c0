"""Two devices become one: the union of both, nothing doubled, and what was forgotten here stays forgotten."""

import shutil
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from munin_app.backup.pending import settle, stage
from munin_app.backup.writing import write_backup
from munin_app.bootstrap import Munin
from munin_app.domain.facts import FactStatus
from munin_app.domain.messages import Conversation, MemoryState, MessageStatus, Role
from munin_app.domain.personas import Persona
from munin_app.inference.scripted import ScriptedChatModel
from munin_app.profile.document import Profile, Tombstone
from munin_app.profile.tombstones import tombstone_key
from munin_app.profile.uniting import unite
from tests.backup.profiles import content, fact, fill
from tests.conftest import StartMunin

Device = Callable[[str], Awaitable[Munin]]


@pytest.fixture
def device(home: Path, start_munin: StartMunin) -> Device:
    """Munin of that device: its data folder takes the place of the one that is there."""

    async def on(name: str) -> Munin:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        return await start_munin()

    return on


def merge(file: Path, home: Path) -> None:
    stage(file, home, merge=True)
    settle(home)


async def say(munin: Munin, conversation: Conversation, text: str) -> None:
    await munin.controller.send(conversation.id, text)
    await munin.controller.drain()


async def test_the_union_of_two_devices_and_nothing_doubled(home: Path, tmp_path: Path, device: Device) -> None:
    phone = await device("phone")
    (chat, *_) = await fill(phone, conversations=6, turns=3, label="phone ")
    await phone.shelf.tag([chat], ["work", "keys"])
    await phone.shelf.save_drafts([(chat, "Half a sentence")])
    (said, *_) = await phone.chats.path(chat)
    await phone.chats.set_bookmarked(said, True)
    await phone.controller.personas.save(Persona("", "Chef", "cooking", "You cook."))
    await phone.profile.add("Likes tea")
    await phone.close()
    of_phone, (first, _) = content(home), write_backup(tmp_path / "phone.zip", [])
    desktop = await device("desktop")
    await fill(desktop, conversations=4, turns=5, label="desktop ")
    await desktop.profile.add("Likes tea")
    await desktop.profile.add("Plays the violin")
    await desktop.change_settings(theme="dark")
    await desktop.close()
    of_desktop = content(home)

    merge(first, home)
    united = content(home)
    for table in ("conversation", "message", "prompt_part", "attachment", "persona", "tag", "draft"):
        assert united[table] == sorted(of_phone[table] + of_desktop[table])  # type: ignore[operator]
    assert united["settings.json"] == of_desktop["settings.json"]
    texts = [one["text"] for one in united["profile.json"]["facts"]]  # type: ignore[index]
    assert sorted(texts) == ["Likes tea", "Plays the violin"]
    merge(first, home)
    assert content(home) == united
    again = Munin.start(make_model=lambda path, settings: ScriptedChatModel())
    async with await again as munin:
        assert [one.id for one in await munin.chats.bookmarks()] == [said.id]
        assert [one.id for one in await munin.shelf.search(said.text)] == [chat]


async def test_a_chat_that_went_on_there_goes_on_here_with_both_branches(
    home: Path, tmp_path: Path, start_munin: StartMunin
) -> None:
    munin = await start_munin()
    conversation = await munin.controller.new_conversation()
    await say(munin, conversation, "The boathouse key hangs behind the green door.")
    shared = len(await munin.chats.messages(conversation.id))
    await munin.close()
    shutil.copytree(home, tmp_path / "before")
    there = await start_munin()
    await say(there, conversation, "On the phone.")
    await there.close()
    file, _ = write_backup(tmp_path / "phone.zip", [])
    shutil.rmtree(home)
    (tmp_path / "before").rename(home)
    here = await start_munin()
    await here.chats.rename(conversation.id, "Keys")
    await here.close()

    merge(file, home)
    again = await start_munin()
    assert (await again.chats.get(conversation.id)).title == "Keys"
    assert len(await again.chats.messages(conversation.id)) == shared + 2
    assert (await again.chats.path(conversation.id))[-2].text == "On the phone."
    await again.memory.warm_up()
    await again.controller.catch_up()
    assert (await again.memory.recall("on the phone", 3, threshold=-1)).results[0].memory.text == "On the phone."


async def test_what_was_forgotten_here_does_not_come_back(home: Path, tmp_path: Path, start_munin: StartMunin) -> None:
    munin = await start_munin()
    first = await munin.controller.new_conversation()
    await say(munin, first, "I live in Oslo.")
    second = await munin.controller.new_conversation()
    await say(munin, second, "Tell me something.")
    (oslo,) = munin.profile.facts
    (source,) = oslo.sources
    file, _ = write_backup(tmp_path / "before.zip", [])
    parts = content(home)["prompt_part"]
    assert any(oslo.id in one for one in parts)  # type: ignore[attr-defined]
    await munin.forgetting.forget_fact(oslo.id)
    await munin.forgetting.hide_conversation(second.id)
    await munin.forgetting.erase_hidden([second.id])
    await munin.close()

    merge(file, home)
    again = await start_munin()
    assert again.profile.facts == () and [one.text for one in again.profile.candidates] == ["Lives in Oslo"]
    assert (await again.chats.message(source.message_id)).memory is MemoryState.FORGOTTEN
    assert await again.chats.path(second.id)  # a chat is no secret of its own: the union has it again
    assert not any(oslo.id in one for one in content(home)["prompt_part"])  # type: ignore[attr-defined]


async def test_a_source_that_was_deleted_with_its_chat_comes_back_closed(
    home: Path, tmp_path: Path, start_munin: StartMunin
) -> None:
    munin = await start_munin()
    conversation = await munin.controller.new_conversation()
    await say(munin, conversation, "I live in Oslo.")
    file, _ = write_backup(tmp_path / "before.zip", [])
    (oslo,) = munin.profile.facts
    await munin.forgetting.forget_fact(oslo.id)
    await munin.forgetting.clear_chats()
    await munin.close()
    merge(file, home)
    again = await start_munin()
    (user, _) = await again.chats.path(conversation.id)
    assert user.memory is MemoryState.FORGOTTEN and not again.profile.facts


async def test_a_blanked_message_stays_blank_and_a_deleted_persona_comes_back_with_its_chats(
    home: Path, tmp_path: Path, start_munin: StartMunin
) -> None:
    munin = await start_munin()
    conversation = await munin.controller.new_conversation(persona_id="coach")
    await say(munin, conversation, "The boathouse key.")
    file, _ = write_backup(tmp_path / "before.zip", [])
    (user, _) = await munin.chats.path(conversation.id)
    await munin.forgetting.delete_messages([user.id])
    coach = await munin.controller.personas.get("coach")
    await munin.forgetting.delete_persona(coach, keep=False)
    await munin.close()
    merge(file, home)
    again = await start_munin()
    assert (await again.chats.message(user.id)).status is MessageStatus.DELETED
    assert "coach" in {one.id for one in await again.controller.personas.list()}
    assert [one.role for one in await again.chats.path(conversation.id)] == [Role.ASSISTANT]


async def test_what_is_hidden_here_is_erased_with_its_sessions(backup: Path, home: Path, start_munin: StartMunin) -> None:
    munin = await start_munin()
    (hidden,) = await fill(munin, conversations=1, turns=2, label="hidden ")
    await munin.close()
    with closing(apsw.Connection(str(home / "munin.db"))) as connection:  # killed while Undo was offered
        connection.execute("UPDATE conversation SET deleted_at = 1 WHERE id = ?", (hidden,))
    merge(backup, home)
    assert hidden in content(home)["stale_session"][0]  # type: ignore[index]  # the next start drops what the model saved
    again = await start_munin()
    assert hidden not in {*await again.chats.all_ids()}


def test_facts_are_united_by_id_and_by_what_they_say() -> None:
    key, other_key = b"a" * 32, b"b" * 32
    tea, violin, oslo = fact("Likes tea"), fact("Plays the violin"), fact("Lives in Oslo", "location", value="Oslo")
    bergen, job = fact("Lives in Bergen", "location", value="Bergen"), fact("Works as a nurse", "job", value="nurse")
    old = replace(fact("Lives in Rome", "location", value="Rome"), status=FactStatus.SUPERSEDED, replaced_by=bergen.id)
    mine = Profile(1, (tea, oslo), (Tombstone(tombstone_key(key, job), ("m1",)),))
    theirs = Profile(5, (replace(fact("Likes tea"), pinned=True), violin, bergen, old, job), (Tombstone("f" * 64, ("m2",)),))
    united = unite(mine, key, theirs, other_key)
    status = {one.text: one.status.value for one in united.profile.facts}
    assert status == {
        "Likes tea": "active",
        "Plays the violin": "active",
        "Lives in Oslo": "active",
        "Lives in Bergen": "candidate",
        "Lives in Rome": "superseded",
        "Works as a nurse": "candidate",
    }
    assert united.secret == key and united.forgotten == (job,)
    assert {stone.messages: bool(stone.key) for stone in united.profile.tombstones} == {("m1",): True, ("m2",): False}
    assert unite(united.profile, key, theirs, other_key).profile == united.profile


def test_the_key_comes_along_where_nothing_was_forgotten_yet_and_a_full_list_sends_to_review() -> None:
    stone = Tombstone("f" * 64, ("m2",))
    united = unite(Profile(), b"", Profile(1, (fact("Likes tea"),), (stone,)), b"k" * 32)
    assert united.secret == b"k" * 32 and united.profile.tombstones == (stone,)
    full = Profile(1, tuple(fact(f"Knows the word {'abcdefghijklmnopqrstuvwxyzäöüßéèàçñøåæłđþ'[n]}") for n in range(40)))
    more = unite(full, b"", Profile(1, (fact("Likes tea"),)), b"").profile.facts
    assert [one.status.value for one in more if one.text == "Likes tea"] == ["candidate"] and len(more) == 41

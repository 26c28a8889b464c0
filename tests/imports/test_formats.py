"""Each app's export becomes the conversation that it was: texts, branches, times, thoughts, and a count of what stays behind."""

from pathlib import Path

import pytest

from munin_app.chat.conversations import ConversationRepository
from munin_app.domain.messages import MemoryState, MessageStatus, Role
from munin_app.imports import wording
from munin_app.imports.importing import preview
from tests.imports.conftest import Import, only, texts
from tests.imports.exports import EVERY, OSLO, SECOND, as_json, as_zip, chatgpt


@pytest.mark.parametrize("app", EVERY)
async def test_the_app_is_told_by_what_the_file_holds(app: str, chats: ConversationRepository, tmp_path: Path) -> None:
    found = await preview(chats, as_json(tmp_path, EVERY[app], "conversations.txt"))
    assert found.apps == (app,) and len(found.chats) == 1 and not found.refused
    assert found.new_messages == found.messages > 1
    assert await chats.list() == ()


async def test_chatgpt(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    file = as_zip(tmp_path, {"conversations.json": EVERY["ChatGPT"], "user.json": {"id": "me"}, "chat.html": "<p>"})
    found = await preview(chats, file)
    assert dict(found.left_out) == {wording.HIDDEN: 1, wording.TOOL: 2, wording.MEDIA: 1}
    await bring(file)
    conversation = await only(chats)
    assert (conversation.title, conversation.created_at, conversation.memory_on) == ("Harbours", int(SECOND * 1000), False)
    path = await chats.path(conversation.id)
    assert texts(path) == [OSLO, "Hi Ada.", "What is in this picture?", "A boat.\n\nIt is red."]
    assert path[-1].reasoning == "A boat\n\nIs it?"
    assert [one.role for one in path] == [Role.USER, Role.ASSISTANT] * 2
    assert {one.memory for one in path} == {MemoryState.OFF} and {one.status for one in path} == {MessageStatus.COMPLETED}
    tree = await chats.tree(conversation.id)
    (other,) = set(tree.siblings(path[1].id)) - {path[1].id}
    assert (await chats.message(other)).text == "Hello Ada."
    assert [one.id for one in path] == sorted(one.id for one in path)


async def test_claude(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    await bring(as_json(tmp_path, EVERY["Claude"]))
    path = await chats.path((await only(chats)).id)
    assert path[0].text == "Read this\n\nsoup.txt:\n````\nSalt ``` and water\n````"
    assert (path[1].text, path[1].reasoning) == ("A soup.", "Soup it is")
    assert texts(path[2:]) == ["Old exports have plain text", "So they do."]
    assert path[0].created_at == 1_709_287_201_500


async def test_claude_with_branches(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    (export,) = EVERY["Claude"]
    root = "00000000-0000-4000-8000-000000000000"
    parents = {"m1": root, "m2": "m1", "m3": root, "m4": "m3"}
    said = [one | {"parent_message_uuid": parents[one["uuid"]]} for one in export["chat_messages"]]
    await bring(as_json(tmp_path, [export | {"chat_messages": said, "current_leaf_message_uuid": "m2"}]))
    conversation = await only(chats)
    assert (await chats.path(conversation.id))[1].text == "A soup."
    assert len(await chats.messages(conversation.id)) == 4


async def test_open_webui(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    await bring(as_json(tmp_path, EVERY["Open WebUI"]))
    path = await chats.path((await only(chats)).id)
    assert (path[1].text, path[1].reasoning) == ("Yes.", "2 > 1\nso yes")


async def test_open_webui_as_a_plain_list(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    said = [{"role": "user", "content": [{"type": "text", "text": "One"}]}, {"role": "assistant", "content": "Two"}]
    await bring(as_json(tmp_path, [{"id": "w-2", "title": "Old", "chat": {"messages": said}}]))
    assert texts(await chats.path((await only(chats)).id)) == ["One", "Two"]


async def test_lm_studio_in_its_folder(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    folder = tmp_path / "conversations" / "work"
    folder.mkdir(parents=True)
    as_json(folder, EVERY["LM Studio"], "1712000000000.conversation.json")
    as_json(folder, EVERY["LM Studio"] | {"name": "Other", "createdAt": 1_712_000_000_001}, "other.conversation.json")
    found = await preview(chats, folder.parent)
    assert len(found.chats) == 2
    await bring(folder.parent, marks={next(chat.mark for chat in found.chats if chat.title == "Ships")})
    conversation = await only(chats)
    path = await chats.path(conversation.id)
    assert texts(path[:-1]) == ["Name a ship", "Vasa", "And another"]
    assert (path[-1].status, path[-1].text) == (MessageStatus.FAILED, "") and "no reply" in path[-1].error
    others = set((await chats.tree(conversation.id)).siblings(path[1].id))
    assert {(await chats.message(one)).reasoning for one in others} == {"", "A Norwegian one"}


async def test_pocketpal(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    await bring(as_json(tmp_path, [EVERY["PocketPal"]]))
    path = await chats.path((await only(chats)).id)
    assert texts(path) == ["Where shall I walk?", "In the wood."] and path[1].reasoning == "Trees"


async def test_importing_again_doubles_nothing(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    file = as_json(tmp_path, [chatgpt("c-1"), chatgpt("c-2")])
    assert (await bring(file)).chats == 2
    before = await chats.counts()
    again = await bring(file)
    assert (again.chats, again.messages) == (0, 0) and await chats.counts() == before
    found = await preview(chats, file)
    assert (found.here, found.new_messages) == (2, 0)


async def test_a_newer_export_adds_what_is_new(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    from tests.imports.exports import node

    await bring(as_json(tmp_path, [chatgpt()]))
    more = [node("n8", "n7", "user", "And now?", at=SECOND + 200), node("n9", "n8", "assistant", "Now too.", at=SECOND + 201)]
    file = as_json(tmp_path, [chatgpt("c-1", *more, leaf="n9")])
    assert (await preview(chats, file)).new_messages == 2
    imported = await bring(file)
    assert (imported.chats, imported.extended, imported.messages) == (0, 1, 2)
    assert texts(await chats.path((await only(chats)).id))[-2:] == ["And now?", "Now too."]


async def test_a_question_gets_its_late_reply(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    from tests.imports.exports import node

    asked = node("n8", "n7", "user", "And now?", at=SECOND + 200)
    await bring(as_json(tmp_path, [chatgpt("c-1", asked, leaf="n8")]))
    await chats.interrupted()
    path = await chats.path((await only(chats)).id)
    assert path[-1].status is MessageStatus.FAILED and len(path) == 6
    await bring(as_json(tmp_path, [chatgpt("c-1", asked, node("n9", "n8", "assistant", "Yes.", at=SECOND + 300), leaf="n9")]))
    assert texts(await chats.path((await only(chats)).id))[-2:] == ["And now?", "Yes."]


async def test_what_was_gone_on_with_here_stays_the_shown_end(
    chats: ConversationRepository, tmp_path: Path, bring: Import
) -> None:
    from tests.imports.exports import node

    await bring(as_json(tmp_path, [chatgpt()]))
    conversation = await only(chats)
    here = await chats.append(
        conversation.id,
        Role.USER,
        "Said here",
        parent_id=conversation.leaf_id,
        memory=MemoryState.OFF,
        status=MessageStatus.COMPLETED,
    )
    await bring(as_json(tmp_path, [chatgpt("c-1", node("n8", "n7", "user", "Said there", at=SECOND + 200), leaf="n8")]))
    assert (await only(chats)).leaf_id == here.id
    assert len((await chats.tree(conversation.id)).siblings(here.id)) == 2


async def test_what_was_deleted_here_stays_deleted(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    file = as_json(tmp_path, [chatgpt()])
    await bring(file)
    path = await chats.path((await only(chats)).id)
    await chats.delete_messages([path[1]])
    await bring(file)
    assert texts(await chats.path((await only(chats)).id)) == texts((path[0], *path[2:]))


async def test_one_chat_in_two_files_of_an_archive(chats: ConversationRepository, tmp_path: Path, bring: Import) -> None:
    file = as_zip(tmp_path, {"conversations-000.json": [chatgpt()], "conversations-001.json": [chatgpt(), chatgpt("c-2")]})
    assert len((await preview(chats, file)).chats) == 2
    assert (await bring(file)).chats == 2

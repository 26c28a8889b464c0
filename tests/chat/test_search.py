"""Searching in titles and texts, whatever the script, and that nothing of what is deleted stays in the index."""

from pathlib import Path

import apsw
import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.search import excerpt, fold, words_of
from munin_app.inference.scripted import ScriptedChatModel
from tests.chat.conftest import Talk

SAID = {
    "oslo": "The boathouse key hangs behind the green door.",
    "tokyo": "京都の庭はとても静かです。",
    "bern": "Der Schlüssel liegt im CAFÉ über dem Markt.",
}


@pytest.fixture
async def chats(munin: Munin, talk: Talk) -> dict[str, str]:
    """Name to conversation id."""
    made = {}
    for name, text in SAID.items():
        made[name] = (await munin.controller.new_conversation()).id
        await talk(text, made[name])
        await munin.chats.rename(made[name], f"About {name}")
    return made


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("boathouse", {"oslo"}),
        ("house BOAT", {"oslo"}),  # inside of a word, in any order
        ("about", {"oslo", "tokyo", "bern"}),
        ("about green", {"oslo"}),  # one in the title, one in the text
        ("cafe uber", {"bern"}),  # without accents
        ("静か", {"tokyo"}),  # shorter than what the index holds
        ("京都の庭", {"tokyo"}),
        ("noted", {"oslo", "tokyo", "bern"}),  # replies too
        ("green submarine", set()),
        ('"NEAR( OR *', set()),
        ("greendoor", set()),
        ("be", {"bern"}),  # so short a word in titles only
        ("is key", set()),
        ("in green", {"oslo"}),
        ("  ", {"oslo", "tokyo", "bern"}),
    ],
)
async def test_conversations_are_found_by_title_and_text(
    munin: Munin, chats: dict[str, str], query: str, names: set[str]
) -> None:
    assert {one.id for one in await munin.shelf.search(query)} == {chats[name] for name in names}


async def test_messages_are_found_with_the_words_marked(munin: Munin, chats: dict[str, str]) -> None:
    (found,) = await munin.shelf.search_messages("KEY house")
    assert found.message.text == SAID["oslo"] and found.title == "About oslo"
    assert [piece for piece, marked in found.excerpt if marked] == ["house", "key"]
    assert "".join(piece for piece, _ in found.excerpt) == SAID["oslo"]
    assert [one.message.text for one in await munin.shelf.search_messages("静か")] == [SAID["tokyo"]]
    assert await munin.shelf.search_messages("hangs tokyo") == ()  # both in one message


async def test_newest_first_and_no_more_than_asked_for(munin: Munin, chats: dict[str, str]) -> None:
    found = await munin.shelf.search_messages("noted", 2)
    assert [one.message.conversation_id for one in found] == [chats["bern"], chats["tokyo"]]


async def test_found_while_memory_is_off_and_in_a_duplicate(munin: Munin, talk: Talk) -> None:
    await munin.change_settings(memory_on=False)
    turn = await talk("The lighthouse keeper is called Marit.")
    assert len(await munin.shelf.search_messages("marit")) == 1
    await munin.shelf.duplicate(turn.conversation.id)
    assert len(await munin.shelf.search_messages("marit")) == 2


async def test_a_reply_is_found_when_it_is_finished_and_a_retried_one_no_more(
    munin: Munin, talk: Talk, model: ScriptedChatModel
) -> None:
    turn = await talk("Hello")
    model._reply = lambda request: "A wholly other answer"
    await munin.controller.retry(turn.reply.id)
    await munin.controller.drain()
    assert [one.message.text for one in await munin.shelf.search_messages("wholly")] == ["A wholly other answer"]
    assert await munin.shelf.search_messages("noted") == ()  # it lies on another branch


async def test_hidden_chats_are_not_found_and_come_back(munin: Munin, chats: dict[str, str]) -> None:
    await munin.forgetting.hide_conversation(chats["oslo"])
    assert await munin.shelf.search("boathouse") == () == await munin.shelf.search_messages("boathouse")
    await munin.forgetting.unhide_conversation(chats["oslo"])
    assert len(await munin.shelf.search("boathouse")) == len(await munin.shelf.search_messages("boathouse")) == 1


RARE = "龘靐齉"
"""Letters that stand nowhere else in a data folder."""


def holding(home: Path) -> set[str]:
    return {file.name for file in home.rglob("*") if file.is_file() and RARE.encode()[:6] in file.read_bytes()}


@pytest.mark.parametrize("way", ["message", "conversation", "all"])
async def test_no_byte_of_a_deleted_text_stays_in_the_index(munin: Munin, talk: Talk, home: Path, way: str) -> None:
    for number in range(30):
        await talk(f"Number {number} of many words that are kept")
    turn = await talk(f"The sign reads {RARE} and more")
    await munin.shelf.duplicate(turn.conversation.id)
    await munin.chats.database.erase_traces()
    assert "munin.db" in holding(home)
    assert grams(home, RARE) == 1
    everywhere = [message.id for found in await munin.shelf.search_messages(RARE) for message in [found.message]]
    assert len(everywhere) == 2
    if way == "message":
        await munin.forgetting.delete_messages(everywhere)
    elif way == "conversation":
        for one in await munin.chats.all_ids():
            await munin.forgetting.hide_conversation(one)
        await munin.forgetting.erase_hidden()
    else:
        await munin.forgetting.clear_chats()
    assert holding(home) == set()
    assert grams(home, RARE) == 0
    await munin.chats.database.write(
        lambda connection: connection.execute("INSERT INTO gram(gram, rank) VALUES ('integrity-check', 0)")
    )


def grams(home: Path, text: str) -> int:
    """How many terms of the index are these letters."""
    connection = apsw.Connection(str(home / "munin.db"), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("CREATE VIRTUAL TABLE temp.term USING fts5vocab('main', 'gram', 'row')")
    found = connection.execute("SELECT count(*) FROM temp.term WHERE term = ?", (text,)).get
    connection.close()
    return int(found)


def test_an_excerpt_is_cut_around_the_first_word() -> None:
    pieces = excerpt("one two three four five six seven eight " * 6 + "the Schlüssel is here", words_of("schlussel"))
    assert pieces[0][0].startswith("… ") and ("Schlüssel", True) in pieces
    assert sum(len(piece) for piece, _ in pieces) < 130


def test_a_line_that_is_seen_whole_is_not_cut() -> None:
    title = "A long weekend by the sea in Bergen, in the rain"
    assert excerpt(title, words_of("rain"), room=60) == ((title[:-4], False), ("rain", True))
    assert excerpt(title, words_of("rain"), room=30)[0][0].startswith("… ")


def test_folding_takes_case_and_accents_away() -> None:
    assert fold("CAFÉ Straße İ") == "cafe strasse i"

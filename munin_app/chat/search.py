"""Finding conversations and messages by what stands in them, in whatever script.

A word is found inside of others too ("house" in "boathouse"); case and accents do not matter. The index `gram` of munin.db names
candidates, the texts themselves decide. Every function that takes a connection runs on the store's own thread.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from munin_app.chat import rows
from munin_app.domain.messages import Conversation, Message

LIMIT = 50
CHECKED_MAX = 2_000
"""Candidates that are looked into: the newest."""
_GRAM = 3
EXCERPT_BEFORE, EXCERPT_LENGTH, EXCERPT_ROOM = 24, 120, 40
"""Characters."""
Excerpt = tuple[tuple[str, bool], ...]
"""Pieces of one line; True: a word that was sought."""


@dataclass(frozen=True, slots=True)
class Found:
    """A message that holds every word."""

    message: Message
    title: str
    """Of its conversation."""
    excerpt: Excerpt


def words_of(query: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fold(word) for word in query.split() if fold(word)))


def fold(text: str) -> str:
    """Without case and accents."""
    if text.isascii():
        return text.lower()
    return "".join(letter for letter in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(letter))


def holds(text: str, words: Iterable[str]) -> bool:
    folded = fold(text)
    return all(word in folded for word in words)


def excerpt(text: str, words: Sequence[str], room: int = EXCERPT_ROOM) -> Excerpt:
    """The line around the first of the words that stands in the text; the words are folded. `room`: a line that is no longer
    is seen whole, and not cut."""
    line = " ".join(text.split())
    marked = _marks(line, words)
    first = marked.index(True) if True in marked else 0
    cut = first > EXCERPT_BEFORE and len(line) > room
    start = line.rfind(" ", 0, first - EXCERPT_BEFORE) + 1 if cut else 0
    end = start + EXCERPT_LENGTH
    pieces: list[tuple[str, bool]] = [("… ", False)] if start else []
    for letter, mark in zip(line[start:end], marked[start:end], strict=True):
        if pieces and pieces[-1][1] is mark:
            pieces[-1] = (pieces[-1][0] + letter, mark)
        else:
            pieces.append((letter, mark))
    if end < len(line):
        pieces.append((" …", False))
    return tuple(pieces)


def _marks(line: str, words: Sequence[str]) -> list[bool]:
    """For each character of the line, whether it is part of a word that was sought."""
    folded, places = "", []
    for place, letter in enumerate(line):
        plain = fold(letter)
        folded += plain
        places += [place] * len(plain)
    marked = [False] * len(line)
    for word in words:
        at = folded.find(word)
        while at >= 0:
            for place in places[at : at + len(word)]:
                marked[place] = True
            at = folded.find(word, at + len(word))
    return marked


def conversations(connection: apsw.Connection, query: str, limit: int = LIMIT) -> tuple[Conversation, ...]:
    """Those whose title, tags or messages hold every word, newest first, archived ones too."""
    spelled, words = query.split(), words_of(query)
    tags = dict(connection.execute("SELECT conversation_id, group_concat(name, char(10)) FROM tag GROUP BY conversation_id"))
    holding = [None if _too_common(word) else _conversations_with(connection, word) for word in spelled]
    in_texts = any(ids is not None for ids in holding)
    found: list[str] = []
    listed = connection.execute(
        "SELECT id, title FROM conversation WHERE deleted_at IS NULL AND leaf_id IS NOT NULL ORDER BY updated_at DESC, id DESC"
    )
    for identity, title in listed:
        own = fold(f"{title}\n{tags.get(identity, '')}")
        if all(
            fold(word) in own or (in_texts and (ids is None or identity in ids))
            for ids, word in zip(holding, spelled, strict=True)
        ):
            said = connection.execute("SELECT text FROM message WHERE conversation_id = ?", (identity,))
            if holds(own, words) or holds("\n".join((own, *(str(text) for (text,) in said))), words):
                found.append(str(identity))
        if len(found) == limit:
            break
    return tuple(one for identity in found for one in rows.conversations(connection, "WHERE id = ?", (identity,)))


def messages(connection: apsw.Connection, query: str, limit: int = LIMIT) -> tuple[Found, ...]:
    """Messages of the shown paths that hold every word, newest first."""
    words = words_of(query)
    if all(_too_common(word) for word in query.split()):
        return ()
    order, candidates, bindings = _candidates(query.split())
    texts = connection.execute(
        f"SELECT message.id, message.text, conversation_id, title FROM {candidates} AND deleted_at IS NULL "
        f"ORDER BY {order} DESC LIMIT ?",
        (*bindings, CHECKED_MAX),
    )
    paths: dict[str, set[str]] = {}
    found: list[Found] = []
    for identity, text, conversation_id, title in texts:
        if not holds(str(text), words):
            continue
        if conversation_id not in paths:
            paths[str(conversation_id)] = rows.path_ids(connection, str(conversation_id))
        if identity in paths[str(conversation_id)]:
            (message,) = rows.messages(connection, "WHERE id = ?", (identity,))
            found.append(Found(message, str(title), excerpt(message.text, words)))
            if len(found) == limit:
                break
    return tuple(found)


def _conversations_with(connection: apsw.Connection, word: str) -> set[str]:
    """At least those in which a message holds the word."""
    _, candidates, bindings = _candidates([word])
    return set(rows.column(connection, f"SELECT DISTINCT conversation_id FROM {candidates}", bindings))


def _too_common(word: str) -> bool:
    """One or two letters of an alphabet stand in nearly every text: alone they are looked for in titles only."""
    return len(word) < _GRAM and word.isascii()


def _candidates(words: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    """For a SELECT: what stands for the row id, tables and conditions, bindings. Words that are too short for the index are
    looked for text by text."""
    spelled = [unicodedata.normalize("NFC", word).lower() for word in words]
    grams = {word[at : at + _GRAM] for word in spelled for at in range(len(word) - _GRAM + 1)}
    short = [word for word in spelled if len(word) < _GRAM]
    conditions = ["gram MATCH ?"] * bool(grams)
    conditions += ["(instr(lower(message.text), ?) OR instr(message.text, ?))"] * len(short)
    bindings = [" AND ".join('"' + gram.replace('"', '""') + '"' for gram in sorted(grams))] * bool(grams)
    bindings += [spelling for word in short for spelling in (word, word.upper())]
    message = "gram JOIN message ON message.rowid = gram.rowid" if grams else "message"
    tables = f"{message} JOIN conversation ON conversation.id = conversation_id"
    return "gram.rowid" if grams else "message.rowid", f"{tables} WHERE {' AND '.join(conditions)}", tuple(bindings)

"""Open WebUI's chat export: a list of chats, each with `chat.history.messages` as a tree and `currentId` as its end, or, in old
ones, a plain list of messages.

Learned from the clients and importers of openwebui-importer and others, and from what its own code stores. What a reasoning model
thought stands in front of a reply, as `<details type="reasoning">`. Not checked against an export of one's own.
"""

import html
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from munin_app.domain.messages import Role
from munin_app.imports import wording
from munin_app.imports.source import SourceConversation, SourceMessage
from munin_app.imports.values import identity, items, joined, mapping, text, time, without_thought

NAME = "Open WebUI"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_DETAILS = re.compile(r'<details type="(reasoning|tool_calls|code_interpreter)"[^>]*>(.*?)</details>\s*', re.DOTALL)
_SUMMARY = re.compile(r"<summary>.*?</summary>", re.DOTALL)


def recognises(value: Mapping[str, Any]) -> bool:
    chat = mapping(value.get("chat"))
    return _is_tree(chat) or (_is_tree(value) and "mapping" not in value) or isinstance(chat.get("messages"), list)


def read(value: Mapping[str, Any]) -> SourceConversation:
    left_out: Counter[str] = Counter()
    chat = mapping(value.get("chat")) or value
    history = mapping(chat.get("history"))
    found = [(str(key), mapping(one)) for key, one in mapping(history.get("messages")).items()]
    leaf = identity(history.get("currentId")) or None
    if found:
        messages = [_message(text(key), identity(one.get("parentId")) or None, one, left_out) for key, one in found]
    else:
        plain = [mapping(one) for one in items(chat.get("messages"))]
        ids = [identity(one.get("id")) or f"#{number}" for number, one in enumerate(plain)]
        above = [None, *ids]
        messages = [_message(ids[number], above[number], one, left_out) for number, one in enumerate(plain)]
        leaf = ids[-1] if ids else None
    return SourceConversation(
        NAME,
        identity(value.get("id")) or identity(chat.get("id")),
        text(value.get("title")) or text(chat.get("title")),
        tuple(messages),
        time(value.get("created_at")) or time(chat.get("timestamp")),
        time(value.get("updated_at")),
        leaf,
        value.get("archived") is True,
        left_out,
    )


def _is_tree(chat: Mapping[str, Any]) -> bool:
    return isinstance(mapping(chat.get("history")).get("messages"), dict)


def _message(id_: str, parent_id: str | None, one: Mapping[str, Any], left_out: Counter[str]) -> SourceMessage:
    role = _ROLES.get(text(one.get("role")))
    if role is None:
        left_out[wording.TOOL if one.get("role") == "tool" else wording.SYSTEM] += 1
        return SourceMessage(id_, parent_id, None)
    content = one.get("content")
    blocks = [mapping(block) for block in items(content)]
    said = text(content) or joined(text(block.get("text")) for block in blocks)
    files = len(items(one.get("files"))) + sum(block.get("type") == "image_url" for block in blocks)
    left_out[wording.MEDIA] += files
    thought = ""
    if role is Role.ASSISTANT:
        said, thought = _taken_apart(said, left_out)
    elif files and not said.strip():
        said = "…"  # a picture alone was sent: what was answered to it needs something to stand under
    return SourceMessage(id_, parent_id, role, said, thought, time(one.get("timestamp")))


def _taken_apart(reply: str, left_out: Counter[str]) -> tuple[str, str]:
    """(what was answered, what was thought)"""
    thoughts = []
    for kind, inner in _DETAILS.findall(reply):
        if kind == "reasoning":
            lines = html.unescape(_SUMMARY.sub("", inner)).strip().splitlines()
            thoughts.append("\n".join(line.removeprefix("> ").removeprefix(">") for line in lines))
        else:
            left_out[wording.TOOL] += 1
    said, thought = without_thought(_DETAILS.sub("", reply))
    return said, joined([*thoughts, thought])

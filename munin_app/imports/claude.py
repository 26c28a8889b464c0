"""Claude's conversations.json: a list of conversations with `chat_messages`, each of text or of content blocks.

Learned from the adapters of polylogue, conversation-to-md and openwebui-importer, and from notes on `parent_message_uuid`,
which newer exports have. Not checked against an export of one's own.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from munin_app.domain.messages import Role
from munin_app.imports import wording
from munin_app.imports.source import SourceConversation, SourceMessage
from munin_app.imports.values import fenced, identity, items, joined, mapping, text, time

NAME = "Claude"
_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
_TOOLS = ("tool_use", "tool_result")


def recognises(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("chat_messages"), list)


def read(value: Mapping[str, Any]) -> SourceConversation:
    left_out: Counter[str] = Counter()
    found = [mapping(one) for one in items(value.get("chat_messages"))]
    ids = [identity(one.get("uuid")) or f"#{number}" for number, one in enumerate(found)]
    tree = any("parent_message_uuid" in one for one in found)
    known, messages = set(ids), []
    for number, one in enumerate(found):
        above: str | None = identity(one.get("parent_message_uuid")) if tree else ids[number - 1] if number else None
        messages.append(_message(one, ids[number], above if above in known else None, left_out))
    return SourceConversation(
        NAME,
        identity(value.get("uuid")),
        text(value.get("name")),
        tuple(messages),
        time(value.get("created_at")),
        time(value.get("updated_at")),
        identity(value.get("current_leaf_message_uuid")) or (ids[-1] if ids and not tree else None),
        left_out=left_out,
    )


def _message(one: Mapping[str, Any], id_: str, parent_id: str | None, left_out: Counter[str]) -> SourceMessage:
    role = _ROLES.get(text(one.get("sender")))
    if role is None:
        left_out[wording.SYSTEM] += 1
        return SourceMessage(id_, parent_id, None)
    blocks = [mapping(block) for block in items(one.get("content"))]
    said = joined(text(block.get("text")) for block in blocks if block.get("type") == "text") or text(one.get("text"))
    thought = joined(text(block.get("thinking")) for block in blocks if block.get("type") == "thinking")
    left_out[wording.TOOL] += sum(block.get("type") in _TOOLS for block in blocks)
    files = [mapping(file) for file in items(one.get("attachments"))]
    contents = [(text(file.get("file_name")), text(file.get("extracted_content"))) for file in files]
    left_out[wording.MEDIA] += len(items(one.get("files"))) + sum(not content for _, content in contents)
    whole = joined([said, *(fenced(name, content) for name, content in contents if content.strip())])
    if not whole.strip() and role is Role.USER and (files or items(one.get("files"))):
        whole = "…"  # a picture alone was sent: what was answered to it needs something to stand under
    return SourceMessage(id_, parent_id, role, whole, thought, time(one.get("created_at")))

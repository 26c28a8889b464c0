"""ChatGPT's conversations.json: a list of conversations, each a `mapping` of nodes to parents, with `current_node` as its end.

Learned from the format notes of chatgpt-export-parser (mitkury) and from the importers of several archives that have
`is_visually_hidden_from_conversation`, `thoughts` and `reasoning_recap`. Not checked against an export of one's own.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from munin_app.domain.messages import Role
from munin_app.imports import wording
from munin_app.imports.source import SourceConversation, SourceMessage
from munin_app.imports.values import fenced, identity, items, joined, mapping, text, time

NAME = "ChatGPT"
_THOUGHTS = ("thoughts", "reasoning_recap")
_SPOKEN = ("text", "multimodal_text")
_CODE = "code"


def recognises(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("mapping"), dict)


def read(value: Mapping[str, Any]) -> SourceConversation:
    left_out: Counter[str] = Counter()
    messages = tuple(_node(str(key), mapping(node), left_out) for key, node in mapping(value.get("mapping")).items())
    return SourceConversation(
        NAME,
        identity(value.get("id")) or identity(value.get("conversation_id")),
        text(value.get("title")),
        messages,
        time(value.get("create_time")),
        time(value.get("update_time")),
        identity(value.get("current_node")) or None,
        value.get("is_archived") is True,
        left_out,
    )


def _node(key: str, node: Mapping[str, Any], left_out: Counter[str]) -> SourceMessage:
    message = mapping(node.get("message"))
    parent_id = identity(node.get("parent")) or None
    reason = _why_not(message)
    if not message or reason:
        if reason:
            left_out[reason] += 1
        return SourceMessage(text(key), parent_id, None)
    role = Role.USER if _role(message) == "user" else Role.ASSISTANT
    said, thought = _content(mapping(message.get("content")), role, left_out)
    return SourceMessage(text(key), parent_id, role, said, thought, time(message.get("create_time")))


def _why_not(message: Mapping[str, Any]) -> str:
    """Empty: it comes along, or there is nothing of it."""
    role, kind = _role(message), mapping(message.get("content")).get("content_type")
    if mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        return wording.HIDDEN
    if role == "tool":
        return wording.TOOL
    if role not in ("user", "assistant") or kind == "user_editable_context":
        return wording.SYSTEM if message else ""
    to_somebody = text(message.get("recipient") or "all") not in ("all", "assistant")
    return wording.TOOL if role == "assistant" and to_somebody else ""


def _role(message: Mapping[str, Any]) -> object:
    return mapping(message.get("author")).get("role")


def _content(content: Mapping[str, Any], role: Role, left_out: Counter[str]) -> tuple[str, str]:
    """(what was said, what was thought)"""
    kind = content.get("content_type")
    if kind in _THOUGHTS:
        thoughts = (
            joined((text(mapping(one).get("summary")), text(mapping(one).get("content"))))
            for one in items(content.get("thoughts"))
        )
        return "", joined(thoughts)
    if kind == _CODE:
        return fenced(text(content.get("language")), text(content.get("text"))), ""
    parts = [_part(part, left_out) for part in items(content.get("parts"))]
    said = joined([*parts, text(content.get("text"))])
    if not said and parts and role is Role.USER:
        said = "…"  # a picture alone was sent: what was answered to it needs something to stand under
    return said, ""


def _part(part: object, left_out: Counter[str]) -> str:
    if isinstance(part, str):
        return text(part)
    said = text(mapping(part).get("text"))  # of speech: what was said
    left_out[wording.MEDIA] += not said
    return said

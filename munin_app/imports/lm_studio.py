"""LM Studio's `….conversation.json`: one conversation, each message in one or several versions of which one is selected.

Learned from lm-studio-conversation-converter (YorkieDev), migration-chatgpt-to-lmstudio (ispaure) and programs that write such
files. Messages have no ids there: their place is their id. Not checked against a file of one's own.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from munin_app.domain.messages import Role
from munin_app.imports import wording
from munin_app.imports.source import SourceConversation, SourceMessage
from munin_app.imports.values import items, joined, mapping, text, time, without_thought

NAME = "LM Studio"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def recognises(value: Mapping[str, Any]) -> bool:
    messages = value.get("messages")
    if not isinstance(messages, list):
        return False
    return any("versions" in mapping(one) for one in messages) or ("usePerChatPredictionConfig" in value and not messages)


def read(value: Mapping[str, Any]) -> SourceConversation:
    left_out: Counter[str] = Counter()
    created_at = time(value.get("createdAt"))
    messages: list[SourceMessage] = []
    above: str | None = None
    for number, one in enumerate(items(value.get("messages"))):
        versions = [mapping(version) for version in items(mapping(one).get("versions"))]
        selected = mapping(one).get("currentlySelected")
        shown = selected if type(selected) is int and 0 <= selected < len(versions) else len(versions) - 1
        parent = above
        for place, version in enumerate(versions):
            id_ = f"{number}.{place}"
            messages.append(_version(id_, parent, version, left_out))
            if place == shown:
                above = id_
    return SourceConversation(
        NAME,
        f"{value.get('createdAt')}" if created_at else "",
        text(value.get("name")),
        tuple(messages),
        created_at,
        leaf_id=above,
        left_out=left_out,
    )


def _version(id_: str, parent_id: str | None, version: Mapping[str, Any], left_out: Counter[str]) -> SourceMessage:
    role = _ROLES.get(text(version.get("role")))
    if role is None:
        left_out[wording.SYSTEM] += 1
        return SourceMessage(id_, parent_id, None)
    said = [_blocks(version.get("content"), left_out)]
    thoughts: list[str] = []
    for step in map(mapping, items(version.get("steps"))):
        if step.get("type") == "contentBlock":
            thinks = mapping(step.get("style")).get("type") == "thinking"
            (thoughts if thinks else said).append(_blocks(step.get("content"), left_out))
    whole, thought = without_thought(joined(said))
    return SourceMessage(id_, parent_id, role, whole, joined([*thoughts, thought]), time(version.get("createdAt")))


def _blocks(content: object, left_out: Counter[str]) -> str:
    parts = []
    for block in map(mapping, items(content)):
        kind = text(block.get("type"))
        if kind == "text":
            parts.append(text(block.get("text")))
        else:
            left_out[wording.TOOL if kind.startswith("tool") else wording.MEDIA] += 1
    return joined(parts, "\n") or text(content)

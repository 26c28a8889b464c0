"""PocketPal's exported sessions: one, or a list of them, each with messages of an author, in either order.

Learned from PocketPal's own export and import code (a-ghorbani/pocketpal-ai). Not checked against an export of one's own.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from munin_app.domain.messages import Role
from munin_app.imports import wording
from munin_app.imports.source import SourceConversation, SourceMessage
from munin_app.imports.values import identity, items, joined, mapping, text, time, without_thought

NAME = "PocketPal"
_USER, _ASSISTANT = "y9d7f8pgn", "h3o3lc5xj"
"""The two authors that the app knows."""


def recognises(value: Mapping[str, Any]) -> bool:
    messages = value.get("messages")
    if not isinstance(messages, list) or "completionSettings" not in value:
        return False
    return all("author" in mapping(one) for one in messages)


def read(value: Mapping[str, Any]) -> SourceConversation:
    left_out: Counter[str] = Counter()
    found = [mapping(one) for one in items(value.get("messages"))]
    times = [time(one.get("createdAt")) or 0 for one in found]
    if len(times) > 1 and times[0] > times[-1]:
        found.reverse()
    messages: list[SourceMessage] = []
    for number, one in enumerate(found):
        above = messages[-1].id if messages else None
        messages.append(_message(one, identity(one.get("id")) or f"#{number}", above, left_out))
    return SourceConversation(
        NAME,
        identity(value.get("id")),
        text(value.get("title")),
        tuple(messages),
        min((one for one in times if one), default=None) or time(value.get("date")),
        max(times, default=0) or None,
        messages[-1].id if messages else None,
        left_out=left_out,
    )


def _message(one: Mapping[str, Any], id_: str, parent_id: str | None, left_out: Counter[str]) -> SourceMessage:
    metadata = mapping(one.get("metadata"))
    author = one.get("author")
    author = mapping(author).get("id") if isinstance(author, dict) else author
    if author not in (_USER, _ASSISTANT) or metadata.get("system") is True:
        left_out[wording.SYSTEM] += 1
        return SourceMessage(id_, parent_id, None)
    role = Role.USER if author == _USER else Role.ASSISTANT
    steps = [mapping(step) for step in items(one.get("steps")) or items(metadata.get("steps"))]
    said, thought = without_thought(text(one.get("text")) or joined(text(step.get("content")) for step in steps))
    result = mapping(metadata.get("completionResult"))
    thoughts = [thought, text(result.get("reasoning_content")), *(text(step.get("reasoningContent")) for step in steps)]
    pictures = len(items(one.get("imageUris"))) or int(one.get("type") == "image")
    left_out[wording.MEDIA] += pictures
    if role is Role.USER and pictures and not said.strip():
        said = "…"  # a picture alone was sent: what was answered to it needs something to stand under
    return SourceMessage(id_, parent_id, role, said, joined(thoughts), time(one.get("createdAt")))

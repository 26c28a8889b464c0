"""One conversation to take along: the shown path as Markdown, or every branch as JSON. Reads nothing and writes nothing.

JSON: `{"format": "munin-conversation", "version": 1, "id", "title", "created_at", "persona", "tags", "leaf", "messages": [{"id",
"parent", "role", "text", "created_at", "status", "reasoning"}]}`; a message with files has beside these
`"attachments": [{"name", "kind", "size", "pages", "cut", "text"}]`. Times are ISO 8601 in UTC. Messages are in the order of
writing and form a tree by `parent` (one that is not among them was deleted); `leaf` is where the shown path ends.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from munin_app.chat.rendering import fenced
from munin_app.domain.attachments import PAGE_BREAK, Attachment
from munin_app.domain.messages import Conversation, Message, MessageStatus, Role
from munin_app.i18n import _

FORMAT, VERSION = "munin-conversation", 1


Attached = Mapping[str, Sequence[tuple[Attachment, str]]]
"""Files with their texts, by message."""
NOTHING_ATTACHED: Attached = MappingProxyType({})


def as_markdown(conversation: Conversation, path: Sequence[Message], persona: str, attached: Attached = NOTHING_ATTACHED) -> str:
    """Texts stand as they are: what was written in Markdown stays Markdown. Reasoning is left out."""
    lines = [
        f"# {' '.join(conversation.title.split())}",
        "",
        _("{day}, with {persona}").format(day=_day(conversation.created_at), persona=persona),
        "",
    ]
    for message in path:
        ended = {MessageStatus.STOPPED: _(" (stopped)"), MessageStatus.FAILED: _(" (unfinished)")}.get(message.status, "")
        who = _("You") if message.role is Role.USER else persona
        lines += [f"## {who}{ended}", "", message.text.strip(), ""]
        for file, text in attached.get(message.id, ()):
            lines += [_("Attached: {name}").format(name=file.name), "", fenced(text.replace(PAGE_BREAK, "\n")), ""]
    return "\n".join(lines)


def as_json(conversation: Conversation, messages: Sequence[Message], persona: str, attached: Attached = NOTHING_ATTACHED) -> str:
    """`messages`: of every branch."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "id": conversation.id,
        "title": conversation.title,
        "created_at": iso_time(conversation.created_at),
        "persona": persona,
        "tags": list(conversation.tags),
        "leaf": conversation.leaf_id,
        "messages": [
            {
                "id": message.id,
                "parent": message.parent_id,
                "role": message.role.value,
                "text": message.text,
                "created_at": iso_time(message.created_at),
                "status": message.status.value,
                "reasoning": message.reasoning,
                **_files(attached.get(message.id, ())),
            }
            for message in messages
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _files(files: Sequence[tuple[Attachment, str]]) -> dict[str, object]:
    found = [
        {"name": one.name, "kind": one.kind.value, "size": one.size, "pages": one.pages, "cut": one.cut, "text": text}
        for one, text in files
    ]
    return {"attachments": found} if found else {}


def iso_time(milliseconds: int) -> str:
    """ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def _day(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000):%Y-%m-%d}"

"""What an export holds and what of it is left out, in words: the same for the window and the terminal."""

from datetime import datetime
from typing import TYPE_CHECKING

from babel.dates import format_skeleton

from munin_app.i18n import _, locale, ngettext

if TYPE_CHECKING:
    from munin_app.imports.importing import Preview

REFUSALS_NAMED = 5
SYSTEM, TOOL, HIDDEN, MEDIA, GREETING, EMPTY, UNKNOWN = "system", "tool", "hidden", "media", "greeting", "empty", "unknown"


def left_out(name: str, number: int) -> str:
    """ "3 texts for the model (system prompts)"."""
    return {
        SYSTEM: ngettext("{n} instruction to the model", "{n} instructions to the model", number),
        TOOL: ngettext("{n} call or result of a tool", "{n} calls or results of tools", number),
        HIDDEN: ngettext("{n} message that the other app hides", "{n} messages that the other app hides", number),
        MEDIA: ngettext("{n} picture, sound or file", "{n} pictures, sounds or files", number),
        GREETING: ngettext("{n} greeting before the first question", "{n} greetings before the first question", number),
        EMPTY: ngettext("{n} chat in which nothing was said", "{n} chats in which nothing was said", number),
        UNKNOWN: ngettext("{n} entry that is no chat", "{n} entries that are no chats", number),
    }[name].format(n=number)


def described(found: "Preview") -> str:
    """ "ChatGPT: 12 chats, 340 messages, from 5 Jan 2023 to 1 Feb 2024. 3 chats are here already."""
    if not found.chats:
        return _("Nothing of it can be imported.")
    chats = ngettext("{n} chat", "{n} chats", len(found.chats)).format(n=len(found.chats))
    messages = ngettext("{n} message", "{n} messages", found.messages).format(n=found.messages)
    first, last = (format_skeleton("yMMMd", datetime.fromtimestamp(one / 1000), locale=locale()) for one in found.days)
    sentences = [
        _("{apps}: {chats}, {messages}, from {first} to {last}.").format(
            apps=", ".join(found.apps), chats=chats, messages=messages, first=first, last=last
        )
    ]
    if found.here:
        here = ngettext("{n} chat is here already.", "{n} chats are here already.", found.here)
        sentences.append(here.format(n=found.here))
    if names := [left_out(name, number) for name, number in sorted(found.left_out.items()) if number]:
        sentences.append(_("Left out: {what}.").format(what=", ".join(names)))
    return " ".join(sentences)


def refusals(found: "Preview") -> list[str]:
    """One sentence for each chat that cannot be taken; of many, the first ones."""
    lines = [
        _("“{title}” cannot be taken: {reason}.").format(title=one.title or _("A chat without a title"), reason=one.reason)
        for one in found.refused[:REFUSALS_NAMED]
    ]
    if more := len(found.refused) - len(lines):
        lines.append(ngettext("{n} more chat cannot be taken.", "{n} more chats cannot be taken.", more).format(n=more))
    return lines

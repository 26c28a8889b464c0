"""Which app wrote a piece of JSON is told by what it holds, never by the name of its file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from munin_app.imports import chatgpt, claude, lm_studio, open_webui, pocketpal
from munin_app.imports.source import SourceConversation


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    recognises: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any]], SourceConversation]


FORMATS = tuple(Format(one.NAME, one.recognises, one.read) for one in (chatgpt, claude, open_webui, lm_studio, pocketpal))


def format_of(value: object) -> Format | None:
    """None: it is no conversation of an app that is known."""
    return next((one for one in FORMATS if one.recognises(value)), None) if isinstance(value, dict) else None

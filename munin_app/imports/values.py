"""JSON from anywhere, taken apart without trust: each function gives a value of the type it says, whatever stood there."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

EARLIEST = 1_262_304_000_000
"""2010, in Unix ms: no chat of these apps is older, so a time before is none."""
SECONDS_END = 100_000_000_000
"""Numbers below are seconds, those above milliseconds."""
LATEST = 4_102_444_800_000
"""2100."""
ID_CHARACTERS = 200
_THOUGHT = re.compile(r"\A\s*<(think|thinking|thought)>(.*?)</\1>\s*", re.DOTALL)


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """What can be stored: half characters become question marks, NUL goes."""
    return value.replace("\0", "").encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def identity(value: object) -> str:
    """Of a message or a conversation; empty: it has none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = text(value)
    return found if len(found) <= ID_CHARACTERS else ""


def joined(parts: Iterable[str], between: str = "\n\n") -> str:
    return between.join(part for part in parts if part.strip())


def time(value: object) -> int | None:
    """Unix ms, of a number of seconds or milliseconds, or of ISO 8601 text."""
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        parsed = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return _sensible(parsed.timestamp() * 1000)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _sensible(value * 1000 if abs(value) < SECONDS_END else value)


def _sensible(milliseconds: float) -> int | None:
    return int(milliseconds) if EARLIEST <= milliseconds <= LATEST else None


def without_thought(reply: str) -> tuple[str, str]:
    """(what was answered, what was thought), of a text that begins with `<think>…</think>`."""
    found = _THOUGHT.match(reply)
    return (reply[found.end() :], found[2].strip()) if found else (reply, "")


def fenced(name: str, content: str) -> str:
    """A file's text inside a message, as a block of code: it is not what the user said."""
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    fence = "`" * (longest + 1)
    return f"{' '.join(name.split()) or 'File'}:\n{fence}\n{content.rstrip()}\n{fence}"

"""Names of files made harmless: to be written on any platform, and to be shown. Knows no folder."""

import re

from munin_app.errors import ModelError
from munin_app.i18n import _

NAME_MAX_BYTES = 200


def safe_file_name(name: str) -> str:
    """A name that is harmless on every platform: letters, digits, space, `.`, `-`, `_`, `+`; ends in .gguf. Raises ModelError."""
    stem = re.sub(r"\.gguf$", "", name, flags=re.IGNORECASE)
    cleaned = re.sub(r"[^\w .+-]+", "_", stem).strip(" .")
    while len(cleaned.encode()) > NAME_MAX_BYTES:
        cleaned = cleaned[:-1]
    if not cleaned.strip("_"):
        raise ModelError(
            _("The file name {name!r} cannot be used. Rename the file to letters and digits, ending in .gguf.").format(name=name)
        )
    return f"{cleaned}.gguf"


def shown_name(name: str) -> str:
    """For the user to read: names on a disk may hold control characters, or bytes that are no text."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)

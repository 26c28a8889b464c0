"""From a file to its text: what kind it is, what of it can be read, and why not. Everything that blocks runs on a thread."""

import asyncio
import codecs
import io
import math
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

from munin_app.chat.attached.pdf import ENCRYPTED, TOOK_TOO_LONG, PdfText, read_pdf
from munin_app.domain.attachments import PAGE_BREAK, FileKind, ReadFile, safe_name
from munin_app.errors import AttachmentRefused
from munin_app.i18n import _, ngettext

FILE_BYTES_MAX = 20_000_000
FILES_MAX = 10
"""Beside one message."""
CHARACTERS_MAX = 1_000_000
"""Kept of one file: some 500 pages. What lies beyond is not read, and the chip says so."""
_BLOCK = 1 << 18

Progress = Callable[[int, int], object]
"""Pages read, and pages that there are. Called on the loop."""

_PDF_MARK, _PDF_MARK_WITHIN = b"%PDF-", 1024
_MARKDOWN = {".md", ".markdown", ".mdown"}
_PLAIN = {"", ".txt", ".text", ".log", ".rst", ".csv", ".tsv"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def _known() -> tuple[tuple[bytes, str], ...]:
    """How files that are no text begin, and what they are."""
    return (
        (b"\x89PNG", _("a PNG picture")),
        (b"\xff\xd8\xff", _("a JPEG picture")),
        (b"GIF8", _("a GIF picture")),
        (b"RIFF", _("a picture, a film or a sound")),
        (b"PK\x03\x04", _("a ZIP archive, or an office document, which is one")),
        (b"\xd0\xcf\x11\xe0", _("an old office document")),
        (b"\x1f\x8b", _("a gzip archive")),
        (b"\x7fELF", _("a program")),
        (b"MZ", _("a program")),
        (b"SQLite format 3", _("a database")),
        (b"GGUF", _("a language model")),
        (b"{\\rtf", _("a Rich Text document")),
    )


async def read_path(path: Path, progress: Progress = lambda done, total: None) -> ReadFile:
    """Raises AttachmentRefused."""
    content = await asyncio.to_thread(_content, path)
    return await read_content(path.name, content, progress)


async def read_content(name: str, content: bytes, progress: Progress = lambda done, total: None) -> ReadFile:
    """Raises AttachmentRefused. Ends the reading when it is cancelled."""
    loop, stop = asyncio.get_running_loop(), threading.Event()
    name = safe_name(name)
    require_size(name, len(content))

    def tell(done: int, total: int) -> None:
        loop.call_soon_threadsafe(progress, done, total)

    try:
        return await asyncio.to_thread(_read, name, content, tell, stop)
    finally:
        stop.set()


def require_size(name: str, size: int) -> None:
    """Raises AttachmentRefused."""
    if size > FILE_BYTES_MAX:
        raise AttachmentRefused(
            _("{name} has {size} MB. Munin takes files of up to {limit} MB: attach a part of it.").format(
                name=name, size=f"{math.ceil(size / 1e5) / 10:,.1f}", limit=FILE_BYTES_MAX // 1_000_000
            )
        )


def _content(path: Path) -> bytes:
    name = safe_name(path.name)
    try:
        descriptor = os.open(path.expanduser(), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):  # a pipe or a device may never end
                raise AttachmentRefused(_("{name} is no file. Choose a text, a PDF or source code.").format(name=name))
            require_size(name, found.st_size)
            return file.read(FILE_BYTES_MAX + 1)
    except IsADirectoryError as error:
        raise AttachmentRefused(_("{name} is a folder. Attach the files in it.").format(name=name)) from error
    except OSError as error:
        raise AttachmentRefused(
            _("{name} could not be read ({reason}). Check the path, then attach it again.").format(
                name=name, reason=error.strerror or type(error).__name__
            )
        ) from error


def _read(name: str, content: bytes, progress: Progress, stop: threading.Event) -> ReadFile:
    if _PDF_MARK in content[:_PDF_MARK_WITHIN]:
        return _pdf(name, content, read_pdf(content, CHARACTERS_MAX, progress, stop))
    text, cut = _decoded(name, content)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(PAGE_BREAK, "\n")
    if not text.strip():
        raise AttachmentRefused(_("{name} is empty. There is nothing to attach.").format(name=name))
    return ReadFile(name, _kind(name), len(content), text, cut=cut)


def _kind(name: str) -> FileKind:
    ending = os.path.splitext(name)[1].casefold()
    if ending in _MARKDOWN:
        return FileKind.MARKDOWN
    return FileKind.TEXT if ending in _PLAIN else FileKind.CODE


def _pdf(name: str, content: bytes, found: PdfText) -> ReadFile:
    pages = [page.replace(PAGE_BREAK, "\n").replace("\0", "") for page in found.pages]
    text = PAGE_BREAK.join(pages)
    if text.strip():
        cut = bool(found.problem) or len(pages) < found.total or len(text) > CHARACTERS_MAX
        return ReadFile(name, FileKind.PDF, len(content), text[:CHARACTERS_MAX], max(found.total, len(pages)), cut)
    if found.problem == ENCRYPTED:
        raise AttachmentRefused(
            _("{name} is locked with a password. Save a copy without one, then attach that.").format(name=name)
        )
    if found.problem == TOOK_TOO_LONG:
        raise AttachmentRefused(
            _("{name} took too long to read and was given up. Print it to a new PDF, then attach that.").format(name=name)
        )
    if found.problem:
        raise AttachmentRefused(
            _("{name} is damaged, or no PDF that can be read. Open it in another program and save it anew.").format(name=name)
        )
    raise AttachmentRefused(
        ngettext(
            "{name} has {count} page and no text: it is probably scanned. Munin reads no pictures; attach a PDF with text.",
            "{name} has {count} pages and no text: they are probably scanned. Munin reads no pictures; attach a PDF with text.",
            found.total,
        ).format(name=name, count=found.total)
    )


def _decoded(name: str, content: bytes) -> tuple[str, bool]:
    """Its text, and whether that is only its beginning. Block by block: decoding megabytes at once would hold up the loop."""
    mark, encoding = next(((bom, encoding) for bom, encoding in _BOMS if content.startswith(bom)), (b"", "utf-8"))
    decoder, parts, length = codecs.getincrementaldecoder(encoding)("strict"), io.StringIO(), 0
    try:
        for start in range(len(mark), len(content), _BLOCK):
            block = content[start : start + _BLOCK]
            part = decoder.decode(block, final=start + _BLOCK >= len(content))
            if "\0" in part:
                raise _no_text(name, content)
            length += parts.write(part)
            if length > CHARACTERS_MAX:
                return parts.getvalue()[:CHARACTERS_MAX], True
    except UnicodeDecodeError as error:
        raise _no_text(name, content) from error
    return parts.getvalue(), False


def _no_text(name: str, content: bytes) -> AttachmentRefused:
    found = next((what for begins, what in _known() if content.startswith(begins)), "")
    if not found:
        return AttachmentRefused(
            _("{name} is no text in UTF-8 or UTF-16. Munin reads text, Markdown, source code and PDF.").format(name=name)
        )
    return AttachmentRefused(
        _("{name} is {found}. Munin reads text, Markdown, source code and PDF.").format(name=name, found=found)
    )

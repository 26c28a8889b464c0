"""Reading files of every kind, hostile ones too: the text and what it is of, or a sentence. Real pypdf, in its process."""

import asyncio
import io
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from munin_app.chat.attached import files, pdf
from munin_app.chat.attached.files import CHARACTERS_MAX, read_content, read_path
from munin_app.domain.attachments import NAME_CHARACTERS, FileKind, ReadFile, safe_name
from munin_app.errors import AttachmentRefused


def made_pdf(pages: list[str]) -> bytes:
    written = io.BytesIO()
    canvas = Canvas(written)
    for page in pages:
        for number, line in enumerate(page.split("\n")):
            canvas.drawString(72, 770 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    return written.getvalue()


def encrypted(content: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def with_stream(stream: bytes, *, entries: bytes = b"", pages: int = 1) -> bytes:
    """A PDF whose page draws that stream, as it is written."""
    kids = b"3 0 R " * pages
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(stream), entries, stream),
    ]
    written = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    return written + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)


@pytest.mark.parametrize(
    ("name", "content", "kind", "text"),
    [
        ("a.txt", b"plain", FileKind.TEXT, "plain"),
        ("README", "grüße".encode(), FileKind.TEXT, "grüße"),
        ("a.md", b"# Title\r\nline", FileKind.MARKDOWN, "# Title\nline"),
        ("a.py", b"print(1)\n", FileKind.CODE, "print(1)\n"),
        ("bom.txt", b"\xef\xbb\xbfwith", FileKind.TEXT, "with"),
        ("wide.txt", "\ufeffwide ß".encode("utf-16-le"), FileKind.TEXT, "wide ß"),
        ("wide.csv", "\ufeffwide ß".encode("utf-16-be"), FileKind.TEXT, "wide ß"),
        ("feed.txt", b"one\x0ctwo", FileKind.TEXT, "one\ntwo"),
        ("pdf.txt", b"about %PD", FileKind.TEXT, "about %PD"),
    ],
)
async def test_texts(name: str, content: bytes, kind: FileKind, text: str) -> None:
    found = await read_content(name, content)
    assert (found.kind, found.text, found.pages, found.cut, found.size) == (kind, text, 0, False, len(content))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0", "a.png is a PNG picture."),
        ("a.docx", b"PK\x03\x04\0\0", "an office document"),
        ("a.out", b"\x7fELF\0\0", "is a program"),
        ("a.dat", b"abc\0def", "is no text in UTF-8 or UTF-16"),
        ("latin.txt", b"gr\xfc\xdfe", "is no text in UTF-8 or UTF-16"),
        ("half.txt", b"half \xe2\x82", "is no text in UTF-8 or UTF-16"),
        ("half.txt", b"\xff\xfea", "is no text in UTF-8 or UTF-16"),
        ("empty.txt", b"", "is empty"),
        ("blank.txt", b" \n \n", "is empty"),
        ("broken.pdf", b"%PDF-1.7\nnothing of a PDF", "is damaged"),
    ],
)
async def test_what_is_no_text_is_refused_in_a_sentence(name: str, content: bytes, says: str) -> None:
    with pytest.raises(AttachmentRefused) as refused:
        await read_content(name, content)
    assert says in str(refused.value) and str(refused.value).endswith(".")


async def test_a_large_text_is_read_to_its_limit_and_the_loop_stays_free() -> None:
    content = ("grüße " * 3_000_000).encode()[: files.FILE_BYTES_MAX]

    async def latest() -> float:
        """Seconds that the loop was late, at most, while the file was read."""
        reading = asyncio.create_task(read_content("long.txt", content[: content.rfind(b" ")]))
        late = 0.0
        while not reading.done():
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            late = max(late, time.perf_counter() - before - 0.005)
        found = await reading
        assert found.cut and len(found.text) == CHARACTERS_MAX
        return late

    assert min([await latest() for _ in range(5)]) < 0.05  # a busy machine is late by itself at times


async def test_paths(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("hello", encoding="utf-8")
    assert (await read_path(tmp_path / "note.md")).text == "hello"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge.txt").touch()
    os.truncate(tmp_path / "huge.txt", 3_000_000_000)
    for name, says in [
        ("none.txt", "could not be read"),
        ("", "is a folder"),
        ("pipe", "is no file"),
        ("huge.txt", "3,000.0 MB"),
    ]:
        with pytest.raises(AttachmentRefused, match=says):
            await read_path(tmp_path / name)


async def test_a_pdf_page_by_page() -> None:
    told: list[tuple[int, int]] = []
    found = await read_content("report.pdf", made_pdf(["one", "two\nlines", "three"]), lambda *at: told.append(at))
    assert (found.kind, found.pages, found.cut) == (FileKind.PDF, 3, False)
    assert [page.split() for page in found.text.split("\f")] == [["one"], ["two", "lines"], ["three"]]
    assert told == [(1, 3), (2, 3), (3, 3)]


async def test_a_pdf_by_its_content_whatever_it_is_called() -> None:
    assert (await read_content("report.txt", b"\n" + made_pdf(["one"]))).kind is FileKind.PDF


async def test_a_pdf_without_text_is_called_scanned() -> None:
    with pytest.raises(AttachmentRefused, match="2 pages and no text: they are probably scanned"):
        await read_content("scan.pdf", made_pdf(["", ""]))


async def test_a_locked_pdf() -> None:
    with pytest.raises(AttachmentRefused, match="is locked with a password"):
        await read_content("locked.pdf", encrypted(made_pdf(["one"]), "secret"))
    assert "one" in (await read_content("open.pdf", encrypted(made_pdf(["one"]), ""))).text  # locked for changes only


BOMB = zlib.compress(b"BT /F1 12 Tf (a) Tj ET " * 4_000_000)
DEEP = b"[" * 200_000


@pytest.mark.parametrize(
    "content",
    [
        with_stream(BOMB, entries=b"/Filter /FlateDecode"),
        with_stream(zlib.compress(BOMB), entries=b"/Filter [/FlateDecode /FlateDecode]"),
        with_stream(b"BT " + DEEP + b" TJ ET"),
        made_pdf(["one", "two"])[:-200],
        b"%PDF-1.7\n" + DEEP,
        b"%PDF-1.7\n1 0 obj << /Type /Pages /Kids [1 0 R] /Count 999999999 >> endobj trailer << /Root 1 0 R >>",
    ],
    ids=["bomb", "bomb in a bomb", "deep", "cut short", "only deep", "ring of pages"],
)
async def test_hostile_pdfs_end_in_time(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "SECONDS", 20.0)
    before = time.monotonic()
    (outcome,) = await asyncio.gather(read_content("hostile.pdf", content), return_exceptions=True)
    assert isinstance(outcome, AttachmentRefused) or (isinstance(outcome, ReadFile) and len(outcome.text) <= CHARACTERS_MAX)
    assert time.monotonic() - before < 60


async def test_a_pdf_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "SECONDS", 0.0)
    with pytest.raises(AttachmentRefused, match="took too long"):
        await read_content("slow.pdf", made_pdf(["one"]))


async def test_a_reading_that_is_cancelled_ends_its_process() -> None:
    begun = asyncio.Event()
    content = with_stream(b"BT /F1 12 Tf (a) Tj ET " * 5_000, pages=500)
    reading = asyncio.create_task(read_content("many.pdf", content, lambda *_: begun.set()))
    await begun.wait()
    (child,) = multiprocessing.active_children()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    # its sentinel, for its exit code is taken by the thread that had started it
    assert await asyncio.to_thread(multiprocessing.connection.wait, [child.sentinel], 60), "it runs on"


@pytest.mark.parametrize("reader", [pdf._from_process, pdf.extract_in_time])
def test_on_a_thread_as_in_a_process(reader: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "has_processes", lambda: reader is pdf._from_process)
    signals = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    found = pdf.read_pdf(made_pdf(["one", "two"]), 1_000, lambda *_: None, threading.Event())
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == signals, "Ctrl+C is heard here as before"
    assert ([page.strip() for page in found.pages], found.total, found.problem) == (["one", "two"], 2, "")


async def test_more_pages_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await read_content("many.pdf", with_stream(b"BT /F1 12 Tf (a) Tj ET", pages=pdf.PAGES_MAX + 5))
    assert found.pages == pdf.PAGES_MAX + 5 and found.cut and found.text.count("\f") == pdf.PAGES_MAX - 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("report.pdf", "report.pdf"),
        ("/home/ada/report.pdf", "report.pdf"),
        ("C:\\Users\\ada\\report.pdf", "report.pdf"),
        ("exe.\u202efdp.txt", "exe.fdp.txt"),
        ("a\x1b[31m\nb\0.txt", "a[31m b.txt"),
        ("", "file"),
        ("\u200b\u2066", "file"),
    ],
)
def test_names_are_shown_safely(name: str, shown: str) -> None:
    assert safe_name(name) == shown


def test_a_long_name_keeps_both_ends() -> None:
    shown = safe_name("a" * 300 + " the end.pdf")
    assert len(shown) == NAME_CHARACTERS and shown.startswith("aaa") and shown.endswith("the end.pdf")

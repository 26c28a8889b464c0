"""A chat as a page: what was written stays text, nothing runs and nothing is loaded, and other versions are told of."""

import asyncio
from html.parser import HTMLParser
from pathlib import Path

import pytest

from munin_app.bootstrap import Munin
from munin_app.chat.html_export import as_html
from munin_app.cli import main
from munin_app.domain.attachments import Attachment, FileKind
from tests.chat.conftest import Talk

HOSTILE = (
    '<script>alert(1)</script> <img src="https://example.org/a.png" onerror=x> &amp; "quoted" ![](https://example.org/b.png)'
)
CODE = "Run this:\n```python\nif a < b:\n    print('</code></pre><b>')\n```\nand this\n~~~\nunfinished & <i>"


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


async def test_what_was_written_stays_text(munin: Munin, talk: Talk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await talk(HOSTILE)
    turn = await talk(CODE)
    await munin.branches.edit(turn.user.id, CODE + " again")
    await munin.controller.drain()
    (conversation,) = await munin.chats.list()
    await munin.chats.rename(conversation.id, "</title><script>x</script>")
    file = tmp_path / "a.html"
    assert await asyncio.to_thread(main, ["export", conversation.id, "--format", "html", "-o", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert page.tags <= {
        *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "p"),
        *("time", "article", "pre", "code", "aside", "details", "summary"),
    }
    assert page.attributes <= {"lang", "charset", "name", "content", "http-equiv", "dir", "class"}
    assert HOSTILE in page.words and "if a < b:\n    print('</code></pre><b>')" in page.words
    assert "unfinished & <i> again" in page.words and "Version 2 of 2." in page.words
    assert "default-src 'none'" in text and "prefers-color-scheme: dark" in text and "@media print" in text
    assert "url(" not in text and "@import" not in text and "href" not in text


async def test_thoughts_and_endings(munin: Munin, talk: Talk) -> None:
    turn = await talk("Hello")
    await munin.chats.database.write(
        lambda connection: connection.execute(
            "UPDATE message SET reasoning = 'Hm <b>', status = 'stopped' WHERE role = 'assistant'"
        )
    )
    conversation = await munin.chats.get(turn.conversation.id)
    path, tree = await munin.chats.path(conversation.id), await munin.chats.tree(conversation.id)
    file = Attachment("a", "a", conversation.id, path[0].id, "<b>.txt", FileKind.TEXT, 9, 0, False, 0)
    words = Page(as_html(conversation, path, tree, "Munin & co", {path[0].id: [(file, "<i> & text")]})).words
    assert "Attached: <b>.txt" in words and "<i> & text" in words
    assert "Hm <b>" in words and "Stopped." in words and "Munin & co" in words

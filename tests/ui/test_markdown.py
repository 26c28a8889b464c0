"""Cutting a reply into text, code and tables, whole and half streamed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from munin_app.ui.markdown import CodeBlock, TableBlock, TextBlock, blocks, is_safe_link, with_html_shown, without_pictures

REPLY = "Look:\n\n```python\nprint(1)\n```\n\nand\n\n| A | B |\n|---|:-:|\n| 1 | 2 |\n| 3 |\n\nend"


def test_code_and_tables_are_cut_out_in_order() -> None:
    assert blocks(REPLY) == [
        TextBlock("Look:"),
        CodeBlock("python", "print(1)", True),
        TextBlock("and"),
        TableBlock(("A", "B"), (("1", "2"), ("3", ""))),
        TextBlock("end"),
    ]


def test_open_fence_is_code_while_it_streams() -> None:
    assert blocks("```py\nx = 1\n``", streaming=True) == [CodeBlock("py", "x = 1", False)]


@pytest.mark.parametrize("half", ["`", "``", "~~"])
def test_beginning_of_a_fence_is_held_back_while_streaming(half: str) -> None:
    assert blocks(f"words\n{half}", streaming=True) == [TextBlock("words")]


def test_fence_in_a_list_loses_its_indentation_only() -> None:
    assert blocks("1. so:\n   ```\n   a\n     b\n   ```")[1] == CodeBlock("", "a\n  b", True)


def test_longer_fence_holds_a_shorter_one() -> None:
    assert blocks("````md\n```\nx\n```\n````") == [CodeBlock("md", "```\nx\n```", True)]


@given(st.text(alphabet="`~|-![]()ab \n\\"), st.booleans())
def test_no_picture_is_ever_left_to_be_fetched(markdown: str, streaming: bool) -> None:
    for block in blocks(markdown, streaming=streaming):
        if isinstance(block, TextBlock):
            assert "![" not in block.markdown


@given(st.integers(0, len(REPLY)))
def test_every_prefix_of_a_reply_can_be_drawn(end: int) -> None:
    cut = blocks(REPLY[:end], streaming=True)
    assert all(block != TextBlock("") for block in cut)


def test_picture_becomes_a_link_and_code_spans_look_the_same() -> None:
    assert without_pictures("![alt](http://x/y.png)") == "[alt](http://x/y.png)"
    assert without_pictures("`![a](b)`") == "`!\u200b[a](b)`"


def test_only_web_and_mail_links_are_opened() -> None:
    assert is_safe_link("https://example.org") and is_safe_link("mailto:a@example.org")
    assert not is_safe_link("javascript:alert(1)") and not is_safe_link("file:///etc/passwd")


@pytest.mark.parametrize("line", ["<div>words</div>", "  </details>", "- <summary>", "> <p class='x'>", "1. <br/>", "<!-- c -->"])
def test_block_of_html_shows_its_source(line: str) -> None:
    shown = with_html_shown(f"words\n\n{line}")
    assert "<\u200b" in shown and shown.replace("\u200b", "") == f"words\n\n{line}"


@pytest.mark.parametrize("line", ["<https://example.org>", "a <b>bold</b> word", "1 < 2", "< 2", "<ada@example.org>"])
def test_what_begins_no_block_of_html_stays_as_it_is(line: str) -> None:
    assert with_html_shown(line) == line


def test_html_in_a_code_block_stays_as_it_is() -> None:
    assert blocks("```html\n<div>\n```") == [CodeBlock("html", "<div>", True)]

"""A reply drawn: Markdown for the text, our own parts for code and tables."""

from collections.abc import Callable

import flet as ft

from munin_app.i18n import begins_on_the_right
from munin_app.ui.components.base import edge, hearing, padding, stack
from munin_app.ui.components.code_block import code_block, table
from munin_app.ui.markdown import Block, CodeBlock, TableBlock, blocks
from munin_app.ui.tokens import S1, S3, S4, Tokens, font, style


def _sheet(t: Tokens) -> ft.MarkdownStyleSheet:
    head = style(t, "head", t.text)
    return ft.MarkdownStyleSheet(
        p_text_style=style(t, "chat", t.text),
        h1_text_style=style(t, "title", t.text),
        h1_padding=padding(top=S1),
        h2_text_style=head,
        h2_padding=padding(top=S1),
        h3_text_style=head,
        h4_text_style=style(t, "strong", t.text),
        h5_text_style=style(t, "strong", t.text),
        h6_text_style=style(t, "strong", t.text2),
        strong_text_style=font("Inter SemiBold", color=t.text),
        em_text_style=font("Inter Italic"),
        list_bullet_text_style=style(t, "chat", t.text3),
        list_indent=32,
        block_spacing=S3,
        a_text_style=ft.TextStyle(color=t.seed, decoration=ft.TextDecoration.UNDERLINE),
        code_text_style=font("Mono", size=round(14 * t.scale, 1), color=t.text, bgcolor=t.well),
        blockquote_text_style=style(t, "chat", t.text2),
        blockquote_padding=padding(left=S4),
        blockquote_decoration=ft.BoxDecoration(border=edge(ft.BorderSide(2, t.line))),
        horizontal_rule_decoration=ft.BoxDecoration(border=ft.Border.only(top=ft.BorderSide(1, t.line))),
    )


def rich_text(
    t: Tokens, markdown: str, *, streaming: bool, on_link: Callable[[str], object], on_copy: Callable[[str], object]
) -> ft.Column:
    """`on_link` is asked before anything is opened; `on_copy` gets the code of one block."""
    sheet = _sheet(t)

    def drawn(block: Block) -> ft.Control:
        if isinstance(block, CodeBlock):
            return code_block(t, block, lambda: on_copy(block.code))
        if isinstance(block, TableBlock):
            return table(t, block)
        return ft.Markdown(
            block.markdown,
            selectable=True,
            extension_set=ft.MarkdownExtensionSet.GITHUB_WEB,
            md_style_sheet=sheet,
            auto_follow_links=False,
            soft_line_break=True,
            rtl=begins_on_the_right(block.markdown),
            latex_style=style(t, "chat", t.text),
            on_tap_link=hearing(lambda event: on_link(str(event.data or ""))),
        )

    return stack([drawn(block) for block in blocks(markdown, streaming=streaming)], S4)

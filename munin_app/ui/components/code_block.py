"""Fenced code with a header and a copy button, scrolling sideways; and tables with flexible columns."""

import flet as ft

from munin_app.i18n import _
from munin_app.ui.components.base import Action, padding, readable, stack, text
from munin_app.ui.components.buttons import icon_button
from munin_app.ui.markdown import CodeBlock, TableBlock, without_pictures
from munin_app.ui.tokens import CLEAR, RADIUS_CARD, S1, S3, S4, Tokens, font, style


def _theme(t: Tokens) -> ft.MarkdownCustomCodeTheme:
    def ink(colour: str) -> ft.TextStyle:
        return font("Mono", color=colour)

    return ft.MarkdownCustomCodeTheme(
        root=font("Mono", color=t.text, bgcolor=CLEAR),
        keyword=ink(t.code_word),
        built_in=ink(t.code_word),
        string=ink(t.code_string),
        number=ink(t.code_number),
        literal=ink(t.code_number),
        comment=ink(t.text3),
    )


def _fence(code: str) -> str:
    """A fence longer than any run of backticks in the code."""
    mark = "```"
    while mark in code:
        mark += "`"
    return mark


def _body(t: Tokens, block: CodeBlock) -> ft.Control:
    sheet = ft.MarkdownStyleSheet(
        p_text_style=style(t, "code", t.text),
        code_text_style=style(t, "code", t.text),
        codeblock_padding=0,
        codeblock_decoration=ft.BoxDecoration(bgcolor=CLEAR),
    )
    fence = _fence(block.code)
    return ft.Markdown(
        f"{fence}{block.language}\n{block.code}\n{fence}",
        selectable=True,
        code_theme=_theme(t),
        extension_set=ft.MarkdownExtensionSet.GITHUB_WEB,
        md_style_sheet=sheet,
        code_style_sheet=sheet,
    )


def code_block(t: Tokens, block: CodeBlock, on_copy: Action) -> ft.Container:
    header = ft.Container(
        ft.Row(
            [
                text(t, block.language or "code", "micro", t.text2, expand=True),
                icon_button(t, ft.Icons.CONTENT_COPY_OUTLINED, _("Copy code"), on_copy, size=18),
            ]
        ),
        padding=padding(left=S4, right=S1),
        height=t.touch,
    )
    scrolling = ft.Row([_body(t, block)], scroll=ft.ScrollMode.AUTO)
    return ft.Container(
        stack([header, ft.Container(scrolling, padding=padding(S4, 0, S4, S4))]),
        bgcolor=t.raised if t.dark else t.panel,
        border=ft.Border.all(1, t.line),
        border_radius=RADIUS_CARD,
        clip_behavior=ft.ClipBehavior.ANTI_ALIAS,
    )


def _plain(cell: str) -> str:
    return without_pictures(cell).replace("**", "").replace("`", "").replace("<br>", "\n")


def _weights(block: TableBlock) -> list[int]:
    """Column widths by their longest cell, within a factor of four."""
    longest = [max(len(row[number]) for row in (block.header, *block.rows)) for number in range(len(block.header))]
    return [min(max(length, 6), 24) for length in longest]


def table(t: Tokens, block: TableBlock) -> ft.Control:
    weights = _weights(block)

    def line(cells: tuple[str, ...], head: bool) -> ft.Container:
        controls: list[ft.Control] = []
        for number, (cell, weight) in enumerate(zip(cells, weights, strict=True)):
            role = "micro" if head else "smallb" if number == 0 else "small"
            shown = text(t, _plain(cell), role, t.text if role == "smallb" else t.text2, selectable=True)
            controls.append(readable(shown, expand=weight))
        row = ft.Row(controls, spacing=S3, vertical_alignment=ft.CrossAxisAlignment.START)
        return ft.Container(row, padding=padding(top=10, bottom=10), border=ft.Border.only(bottom=ft.BorderSide(1, t.line)))

    return stack([line(block.header, True), *(line(row, False) for row in block.rows)])

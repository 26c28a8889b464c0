"""Cuts a reply's Markdown into text, code and tables, also while half of it has streamed. Knows no controls.

Pictures are never fetched: what would be one is turned into a link. HTML is never interpreted: its source is shown.
"""

import re
from dataclasses import dataclass

FENCE = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,}|~{3,})\s*(?P<language>[^\s`{]*)[^`]*$")
HALF_FENCE = re.compile(r"^\s*(`{1,2}|~{1,2})$")
DELIMITER = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
PICTURE = re.compile(r"!+\[")
HTML_BLOCK = re.compile(
    r"^(?P<before>[ ]{0,3}(?:(?:[-*+>]|\d+[.)])[ ]+)*)<(?=/?[A-Za-z][A-Za-z0-9-]*(?:[\s/>]|$)|!--|\?|![A-Za-z\[])", re.MULTILINE
)
THINK = re.compile(r"</?think>")


@dataclass(frozen=True, slots=True)
class TextBlock:
    markdown: str


@dataclass(frozen=True, slots=True)
class CodeBlock:
    language: str
    code: str
    closed: bool
    """False while its end has not streamed yet."""


@dataclass(frozen=True, slots=True)
class TableBlock:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = TextBlock | CodeBlock | TableBlock


def without_pictures(markdown: str) -> str:
    """No `![` is left: a picture becomes a link with the same words; inside a code span a zero-width space parts the two."""
    result, end = [], 0
    for span in CODE_SPAN.finditer(markdown):
        result += [PICTURE.sub("[", markdown[end : span.start()]), span.group().replace("![", "!\u200b[")]
        end = span.end()
    return "".join([*result, PICTURE.sub("[", markdown[end:])])


def with_html_shown(markdown: str) -> str:
    """A line that would begin a block of HTML, which is not drawn at all, gets a zero-width space after its `<`."""
    return HTML_BLOCK.sub("\\g<before><\u200b", markdown)


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner))


def _is_table(lines: list[str], at: int) -> bool:
    if at + 1 >= len(lines) or "|" not in lines[at] or "|" not in lines[at + 1] or not DELIMITER.match(lines[at + 1]):
        return False
    return len(_cells(lines[at])) == len(_cells(lines[at + 1]))


def _table(lines: list[str], at: int) -> tuple[TableBlock, int]:
    header = _cells(lines[at])
    end = at + 2
    rows = []
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        cells = _cells(lines[end])[: len(header)]
        rows.append(cells + ("",) * (len(header) - len(cells)))
        end += 1
    return TableBlock(header, tuple(rows)), end


def _code(lines: list[str], at: int, fence: re.Match[str]) -> tuple[CodeBlock, int]:
    indent, mark = len(fence["indent"]), fence["mark"]
    closing = re.compile(rf"^\s*{re.escape(mark[0])}{{{len(mark)},}}\s*$")
    end = at + 1
    while end < len(lines) and not closing.match(lines[end]):
        end += 1
    closed = end < len(lines)
    body = lines[at + 1 : end]
    if not closed and body and re.match(rf"^\s*{re.escape(mark[0])}{{1,{len(mark)}}}$", body[-1]):
        body = body[:-1]
    code = "\n".join(line[min(indent, len(line) - len(line.lstrip())) :] for line in body)
    return CodeBlock(fence["language"], code.rstrip("\n"), closed), end + 1


def blocks(markdown: str, *, streaming: bool = False) -> list[Block]:
    """The reply in order. While streaming, the beginning of a fence is held back until it is known to be one."""
    lines = THINK.sub("", markdown).split("\n")
    if streaming and HALF_FENCE.match(lines[-1]):
        lines = lines[:-1]
    found: list[Block] = []
    pending: list[str] = []

    def flush() -> None:
        text = "\n".join(pending).strip("\n")
        pending.clear()
        if text.strip():
            found.append(TextBlock(without_pictures(with_html_shown(text))))

    at = 0
    while at < len(lines):
        block: Block
        if fence := FENCE.match(lines[at]):
            flush()
            block, at = _code(lines, at, fence)
            found.append(block)
        elif _is_table(lines, at):
            flush()
            block, at = _table(lines, at)
            found.append(block)
        else:
            pending.append(lines[at])
            at += 1
    flush()
    return found


def is_safe_link(address: str) -> bool:
    """Only what a browser or a mail program opens."""
    return address.lower().startswith(("http://", "https://", "mailto:"))

"""The Jinja environment that chat templates are written for (that of Hugging Face's transformers), sandboxed.

Templates come with files from anywhere. The sandbox keeps them from the system; the limits here keep them from running for
ever and from filling the memory.
"""

import json
import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

from jinja2 import Template, TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from munin_app.i18n import _

_COMPILED = "<template>"
"""What Jinja calls the file of the Python code that it makes of a template."""
_MOST_LINES = 100_000
"""Of that code, run for one prompt. The longest templates take some hundred a message."""
_WATCHED_MESSAGES = 8
_LONGEST = 1_000_000
"""Characters of any text, and elements of any list, that arises while rendering: contents are placeholders by then."""
_WIDE = re.compile(r"\d{4}|\*")
"""In a format of the old style: pads to a width of thousands, or to one that is passed."""
_WIDEST_INTEGER = 256
"""Bits."""
_UNBOUNDED_FILTERS = ("batch", "center", "slice", "wordwrap")  # make what is as large as the number they are given


def template_environment() -> ImmutableSandboxedEnvironment:
    environment = _Environment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation])
    environment.filters["tojson"] = _to_json
    for name in _UNBOUNDED_FILTERS:
        del environment.filters[name]
    del environment.globals["lipsum"]
    return environment


def refuse(message: str) -> NoReturn:
    """What templates call `raise_exception`."""
    raise TemplateError(message)


class _BoundedTemplate(Template):
    """Raises TemplateError when it runs too long or makes too long a text.

    Watches short conversations only, among them those that each template is tried with when its model loads: watching takes
    0.1 ms a message, and what ends there ends for all that were not written to deceive.
    """

    def render(self, *args: Any, **values: Any) -> str:
        if len(values.get("messages", ())) > _WATCHED_MESSAGES:
            return super().render(*args, **values)
        outer = sys.gettrace()
        sys.settrace(_watch())
        try:
            return super().render(*args, **values)
        finally:
            sys.settrace(outer)


def _watch() -> Callable[[FrameType, str, object], Any]:
    """For `sys.settrace`. Counts the lines of the template itself; of Jinja's own code only what it returns matters."""
    lines = 0

    def watch(frame: FrameType, event: str, result: object) -> Any:
        nonlocal lines
        if event == "line":
            lines += 1
            if lines > _MOST_LINES:
                raise TemplateError(_("it does not come to an end"))
        elif event == "call":
            frame.f_trace_lines = frame.f_code.co_filename == _COMPILED
        elif isinstance(result, str) and len(result) > _LONGEST:
            raise TemplateError(_("it makes a text without end"))
        return watch

    return watch


class _Environment(ImmutableSandboxedEnvironment):
    template_class = _BoundedTemplate
    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if not _is_bounded(operator, left, right):
            raise TemplateError(_("it makes something too large with {operator}").format(operator=operator))
        return super().call_binop(context, operator, left, right)

    def call(self, context: Any, function: Any, *args: Any, **named: Any) -> Any:
        if any(isinstance(value, int) and value > _LONGEST for value in args):
            raise TemplateError(_("it uses a number that is too large"))
        return super().call(context, function, *args, **named)


class _Generation(Extension):
    """`{% generation %}` marks the trained part of a dialogue; for prompts it means nothing."""

    tags = {"generation"}  # noqa: RUF012 - the base class declares it as an instance variable

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _is_bounded(operator: str, left: Any, right: Any) -> bool:
    """What is no such operation is left to Python."""
    match operator, left, right:
        case (("*" | "**"), int(), int()):
            return max(left.bit_length(), right.bit_length()) <= _WIDEST_INTEGER and (operator == "*" or right <= 64)
        case ("*", str() | list() | tuple() as text, int(times)) | ("*", int(times), str() | list() | tuple() as text):
            return len(text) * times <= _LONGEST
        case "+", str() | list() | tuple(), _:
            return len(left) <= _LONGEST
        case "%", str(), _:
            return not _WIDE.search(left)
    return True


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **_options: Any) -> str:
    """Unlike Jinja's own, does not escape for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)

"""The Jinja environment that chat templates are written for (that of Hugging Face's transformers), sandboxed."""

import json
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment


def template_environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation])
    environment.filters["tojson"] = _to_json
    return environment


def refuse(message: str) -> NoReturn:
    """What templates call `raise_exception`."""
    raise TemplateError(message)


class _Generation(Extension):
    """`{% generation %}` marks the trained part of a dialogue; for prompts it means nothing."""

    tags = {"generation"}  # noqa: RUF012 - the base class declares it as an instance variable

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **_options: Any) -> str:
    """Unlike Jinja's own, does not escape for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)

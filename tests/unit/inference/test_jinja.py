"""Hostile chat templates end, quickly and without filling the memory; what real ones use works."""

import sys

import pytest
from jinja2 import TemplateError

from munin_app.errors import ModelError
from munin_app.inference.jinja import template_environment
from munin_app.inference.template import ChatTemplate
from tests.hostile_templates import ENDLESS, HUGE


def rendered(source: str) -> str:
    return template_environment().from_string(source).render(messages=[{"role": "user", "content": "x"}])


@pytest.mark.parametrize("source", [*ENDLESS, *HUGE])
def test_hostile_template_is_refused_with_a_sentence(source: str) -> None:
    with pytest.raises(ModelError, match="chat template of this model cannot be used"):
        ChatTemplate(source, "<s>", "</s>")
    assert sys.gettrace() is None


@pytest.mark.parametrize("source", ENDLESS)
def test_template_without_end_is_what_it_is_refused_for(source: str) -> None:
    with pytest.raises(TemplateError, match="does not come to an end"):
        rendered(source)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{{ 1 + 2 * 3 % 4 }}", "3"),
        ("{{ 2 ** 10 }}", "1024"),
        ("{{ '=' * 3 + 'a' }}", "===a"),
        ("{{ '%02d:%s' % (7, 'x') }}", "07:x"),
        ("{{ ([1] + [2])|length }}", "2"),
        ("{% for i in range(3) %}{{ i }}{% endfor %}", "012"),
        ("{{ messages[0].content.replace('x', 'yy') ~ 'z' }}", "yyz"),
    ],
)
def test_what_templates_compute_is_computed(source: str, said: str) -> None:
    assert rendered(source) == said

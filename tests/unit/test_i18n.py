"""Sentences in the user's language: which one is spoken, how calls must look, and that no catalogue lags behind the source."""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from munin_app import i18n
from munin_app.i18n import use_language

PROGRAM = Path(__file__).resolve().parents[2]
SOURCES = sorted((PROGRAM / "munin_app").rglob("*.py"))
CALLS = {"_", "N_", "ngettext", "pgettext"}
NOT_WHILE_IMPORTED = {"_", "ngettext", "pgettext", "translated"}


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("translations", PROGRAM / "tools" / "translations.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = load_tool()
CATALOGUES = tool.catalogues()
each_catalogue = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])


# which language


def speak(monkeypatch: pytest.MonkeyPatch, choice: str = "system", **environment: str) -> tuple[str, str]:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    use_language(choice)
    return i18n.language(), str(i18n.locale())


@pytest.mark.parametrize(
    ("choice", "environment", "spoken"),
    [
        ("system", {"LANG": "de_AT.UTF-8"}, ("de", "de_AT")),
        ("system", {"LANG": "en_US.UTF-8", "LANGUAGE": "de:en"}, ("de", "de")),
        ("system", {"LANGUAGE": "fi:de_DE:en"}, ("de", "de_DE")),
        ("system", {"LANG": "C.UTF-8"}, ("en", "en_001")),
        ("system", {}, ("en", "en_001")),
        ("system", {"LANG": "fi_FI.UTF-8"}, ("en", "en_001")),
        ("system", {"LANG": "en_US.UTF-8"}, ("en", "en_US")),
        ("system", {"LANG": "en_XX"}, ("en", "en_001")),
        ("de", {"LANG": "en_US.UTF-8"}, ("de", "de")),
        ("de", {"LANG": "de_CH.UTF-8"}, ("de", "de_CH")),
        ("en", {"LANG": "de_DE.UTF-8"}, ("en", "en_001")),
        ("de", {"LANG": "de_DE.UTF-8", "MUNIN_LANGUAGE": "ar"}, ("ar", "ar")),
    ],
)
def test_the_choice_outranks_the_system_which_says_the_country(
    monkeypatch: pytest.MonkeyPatch, choice: str, environment: dict[str, str], spoken: tuple[str, str]
) -> None:
    assert speak(monkeypatch, choice, **environment) == spoken


def test_right_to_left_can_be_tried_out_without_a_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, MUNIN_LANGUAGE="ar")
    assert i18n.right_to_left()
    assert i18n.ngettext("{n} none such", "{n} none suches", 2) == "{n} none suches"
    monkeypatch.delenv("MUNIN_LANGUAGE")
    speak(monkeypatch, "de")
    assert not i18n.right_to_left()


def test_every_language_but_english_has_a_catalogue() -> None:
    assert {path.parts[-3] for path in CATALOGUES} == i18n.LANGUAGES.keys() - {"en"}


# how calls look


def import_time(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported: all but the bodies of functions."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in (*child.decorator_list, child.args):
                yield from import_time(node)
        elif isinstance(child, ast.Lambda):
            yield from import_time(child.args)
        else:
            yield child
            yield from import_time(child)


def faults(source: str) -> list[str]:
    tree = ast.parse(source)
    found = [f"line {node.lineno}: translated while imported" for node in import_time(tree) if is_call(node, NOT_WHILE_IMPORTED)]
    uses_it = any(is_call(node, {"_"}) for node in ast.walk(tree))
    for node in ast.walk(tree):
        if is_call(node):
            assert isinstance(node, ast.Call)
            texts = node.args[:2] if called(node).endswith("gettext") else node.args
            if not all(isinstance(text, ast.Constant) and isinstance(text.value, str) for text in texts):
                found.append(f"line {node.lineno}: the sentence must stand there as it is")
            elif any(re.search(r"\{[^a-z]", text.value) for text in texts if isinstance(text, ast.Constant)):
                found.append(f"line {node.lineno}: a placeholder without a name")
        bound = (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id) or (
            isinstance(node, ast.arg) and node.arg
        )
        if uses_it and bound == "_":
            found.append(f"line {node.lineno}: _ is the translation here, and no name for what is not needed")
    return found


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def is_call(node: ast.AST, names: set[str] = CALLS) -> bool:
    return isinstance(node, ast.Call) and called(node) in names


def test_calls_are_such_that_they_can_be_translated() -> None:
    found = {str(path.relative_to(PROGRAM)): faults(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "source",
    [
        'A = _("Save")',
        'class A:\n    label: str = _("Save")',
        'A = translated("Save")',
        'A = N_(f"Save {1}")',
        'def f(label=_("Save")): pass',
        'f = lambda label=_("Save"): label',
        'def f(n): return _(f"{n} of 3")',
        "def f(text): return _(text)",
        'def f(n): return _("{} of 3").format(n)',
        'def f(n): return ngettext("{0} fact", "{0} facts", n).format(n)',
        'def f():\n    head, _, rest = g()\n    return _("Save")',
        'def f(_): return _("Save")',
    ],
)
def test_a_planted_fault_is_found(source: str) -> None:
    assert len(faults(source)) == 1


def test_a_good_call_is_not_reported() -> None:
    assert faults('A = N_("Gone")\ndef h(): return translated(A)') == []
    assert faults('A = lambda: _("Save")\ndef f(n): return ngettext("{n} fact", "{n} facts", n).format(n=n)') == []


# catalogues


def test_sentences_are_extracted_with_their_plurals_contexts_and_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        "# Translators: on a button",
        '_("Save")',
        'pgettext("theme", "Light")',
        'ngettext("{n} fact", "{n} facts", 2)',
    )
    (tmp_path / "a.py").write_text("\n".join(lines))
    monkeypatch.setattr(tool, "PROGRAM", tmp_path)
    monkeypatch.setattr(tool, "model_descriptions", list)
    found = {message.id: message for message in tool.extracted() if message.id}
    assert found.keys() == {"Save", "Light", ("{n} fact", "{n} facts")}
    assert found["Light"].context == "theme"
    assert found["Save"].auto_comments == ["Translators: on a button"]


@each_catalogue
def test_a_catalogue_holds_what_the_source_says(path: Path) -> None:
    """Else: make translations."""
    held = {(message.context, message.id) for message in tool.read(path) if message.id}
    said = {(message.context, message.id) for message in tool.extracted() if message.id}
    assert (said - held, held - said) == (set(), set())
    assert tool.read(path).obsolete == {}
    assert tool.written(tool.updated(path)) == path.read_bytes()


def placeholders(text: str) -> list[str]:
    return sorted(set(re.findall(r"\{[^{}]*\}", text)))


@each_catalogue
def test_every_sentence_is_translated_and_keeps_its_placeholders(path: Path) -> None:
    for message in tool.read(path):
        if message.id:
            assert not message.fuzzy, message.id
            ids = (message.id,) if isinstance(message.id, str) else message.id
            strings = (message.string,) if isinstance(message.string, str) else message.string
            assert all(strings), message.id
            expected = placeholders(ids[-1])
            assert [placeholders(string) for string in strings] == [expected] * len(strings), message.id
            for string in strings:
                assert (string[-1:] in ".…?: ") == (ids[-1][-1:] in ".…?: "), message.id
                assert [string[0].isspace(), string[-1].isspace()] == [ids[-1][0].isspace(), ids[-1][-1].isspace()], message.id


@each_catalogue
def test_what_is_read_is_the_compiled_catalogue(path: Path) -> None:
    """Else: make translations."""
    assert path.with_suffix(".mo").read_bytes() == tool.compiled(tool.read(path))


# a text's own direction


@pytest.mark.parametrize(
    ("text", "right"),
    [("Hello عالم", False), ("… 12) مرحبا world", True), ("שלום", True), ("123", False), ("", False)],
)
def test_a_text_begins_where_its_first_letter_wants_it(text: str, right: bool) -> None:
    assert i18n.begins_on_the_right(text) == right

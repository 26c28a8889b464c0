"""`munin eval facts FILE`: how right the learned facts are, on a labelled file. Works beside an open app."""

import argparse
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from munin_app.cli.output import one_line, print_json
from munin_app.i18n import _

if TYPE_CHECKING:
    from munin_app.domain.inference import ChatModel
    from munin_app.evaluation.facts.examples import Example, Preference
    from munin_app.evaluation.facts.preferences import PreferenceRow
    from munin_app.evaluation.facts.scoring import Row


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("facts", help=_("precision and recall of the facts learned from a labelled file"))
    command.add_argument("file", type=Path, help=_("JSON Lines: id, lang, user, assistant, known, expect; or PrefEval's"))
    command.add_argument("--no-model", action="store_true", help=_("the rules alone"))
    command.add_argument("--model", type=Path, default=None, metavar="FILE", help=_("a GGUF file (default: the model in use)"))
    command.add_argument("--show", action="store_true", help=_("print what was false and what was missed"))
    command.add_argument("--json", action="store_true", help=_("print one JSON object; with --show, one for each line too"))
    command.set_defaults(run=run)


async def run(options: argparse.Namespace) -> int:
    from munin_app.evaluation.facts.examples import read_examples
    from munin_app.evaluation.facts.learning import utility_model

    examples = read_examples(options.file)
    async with nullcontext() if options.no_model else utility_model(options.model) as model:
        figures = await _preferences(examples, model, options) or await _exchanges(examples, model, options)
    if options.json:
        print_json(figures)
    else:
        _print(figures)
    return 0


async def _exchanges(
    examples: "list[Example] | list[Preference]", model: "ChatModel | None", options: argparse.Namespace
) -> dict[str, Any]:
    from munin_app.evaluation.facts.examples import Example
    from munin_app.evaluation.facts.learning import learn
    from munin_app.evaluation.facts.scoring import Row, figures

    rows = []
    for one in examples:
        if isinstance(one, Example):
            rows.append(Row(one, await learn(model, one.user, one.assistant, one.known)))
            if options.show:
                _show(rows[-1], as_json=options.json)
    return figures(rows)


async def _preferences(
    examples: "list[Example] | list[Preference]", model: "ChatModel | None", options: argparse.Namespace
) -> dict[str, Any]:
    from munin_app.evaluation.facts.examples import Preference
    from munin_app.evaluation.facts.learning import learn
    from munin_app.evaluation.facts.preferences import PreferenceRow, preference_figures

    rows = []
    for one in examples:
        if isinstance(one, Preference):
            rows.append(PreferenceRow(one, await learn(model, one.preference), await learn(model, one.question)))
            if options.show:
                _show_preference(rows[-1], as_json=options.json)
    return preference_figures(rows) if rows else {}


def _show(row: "Row", *, as_json: bool) -> None:
    if as_json:
        facts = [{"text": fact.text, "attribute": fact.attribute, "false": fact in row.false} for fact in row.learned.facts]
        candidates = [fact.text for fact in row.learned.candidates]
        missed = [asdict(one) for one in row.missed]
        print_json({"id": row.example.id, "facts": facts, "candidates": candidates, "missed": missed})
        return
    marked = [f"  false   {fact.attribute}: {fact.text}  [{fact.sources[-1].extractor}]" for fact in row.false]
    for fact in row.learned.facts:
        wanted = {one.attribute for one in row.supporting(fact)}
        if wanted and fact.attribute not in wanted:
            marked.append(f"  named   {fact.attribute}: {fact.text}  (expected {', '.join(sorted(wanted))})")
    marked += [f"  missed  {one.attribute}: {one.value}" for one in row.missed]
    if marked:
        print(f"{row.example.id}  {one_line(row.example.user, 160)}", *marked, sep="\n")


def _show_preference(row: "PreferenceRow", *, as_json: bool) -> None:
    asked = [fact.text for fact in (*row.asked.facts, *row.asked.candidates)]
    if as_json:
        print_json({"id": row.preference.id, "texts": row.texts, "kept": row.kept, "asked": asked})
    elif not row.texts or row.kept < 0.6 or not row.keeps_negations or asked:
        print(f"{row.preference.id}  kept {row.kept:.2f}  {one_line(row.preference.preference, 160)}")
        for text in row.texts:
            print(f"  {text}")
        for text in asked:
            print(_("  from the question: {text}").format(text=text))


def _print(figures: dict[str, Any]) -> None:
    tables = {name: value for name, value in figures.items() if isinstance(value, dict)}
    for name, value in figures.items():
        if name not in tables:
            print(f"{name.replace('_', ' '):24} {_cell(value)}")
    for title, table in tables.items():
        columns = list(next(iter(table.values()), {}))
        print(f"\n{title:16}" + "".join(f"{column.replace('_', ' '):>22}" for column in columns))
        for name, values in table.items():
            print(f"{name:16}" + "".join(f"{_cell(values[column]):>22}" for column in columns))


def _cell(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"

"""`munin eval recall`: quality figures of the search that chat uses, over a memory that is thrown away."""

import argparse
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from munin_app.cli.output import one_line, positive, print_json
from munin_app.i18n import _


def add_parser(what: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    recall = what.add_parser("recall", help=_("how well memory finds what questions need"))
    recall.add_argument(
        "file", type=Path, help=_("LoCoMo (JSON), PrefEval (JSON Lines), or JSON Lines of messages and questions")
    )
    recall.add_argument("--out", type=Path, default=Path("munin-recall.db"), metavar="DB", help=_("where runs are kept"))
    recall.add_argument("--compare", type=positive, metavar="RUN", help=_("name the questions that moved since that run"))
    recall.add_argument("--ablate", action="store_true", help=_("what each arm is worth: once more without each"))
    recall.add_argument("--sizes", action="store_true", help=_("how the bar holds in smaller memories"))
    recall.add_argument("--cache", type=Path, metavar="FOLDER", help=_("where embeddings are kept between runs"))
    recall.add_argument("--json", action="store_true", help=_("print one JSON object"))
    recall.set_defaults(run=run)


async def run(options: argparse.Namespace) -> int:
    from munin_app import paths
    from munin_app.bootstrap import encoder_manifest, model_library
    from munin_app.evaluation.recall import readers
    from munin_app.evaluation.recall import run as runner
    from munin_app.evaluation.recall.figures import figures
    from munin_app.evaluation.recall.kept import KeptRuns
    from munin_app.evaluation.recall.report import report, rows, table
    from munin_app.evaluation.recall.sizes import by_size

    dataset = readers.read(options.file)
    kept = KeptRuns(options.out, paths.data_folder())
    cache = options.cache or Path(tempfile.gettempdir()) / "munin-embeddings"
    encoder = await encoder_manifest(model_library())
    async with runner.throw_away_memory(dataset, encoder, cache, _progress) as path:
        async with runner.opened(path, encoder, cache) as memory:
            result = await runner.measure(memory, dataset)
            shown = report(dataset, result)
            if options.sizes:
                shown["sizes"] = [asdict(one) for one in await by_size(memory, dataset)]
        if options.ablate:
            shown["ablation"] = {}
            for name, weights in runner.ABLATIONS.items():
                async with runner.opened(path, encoder, cache, weights) as memory:
                    shown["ablation"][name] = figures(await runner.ranked(memory, dataset))
    shown["run"] = kept.keep(dataset.name, shown, result.ungated)
    moved = kept.moved(options.compare, shown["run"]) if options.compare else []
    kept.close()
    if options.json:
        print_json(shown | {"moved": [{"question": id, "text": text, "then": then, "now": now} for id, text, then, now in moved]})
        return 0
    print("\n".join(table(shown)))
    if options.ablate:
        print("\n".join(rows(shown["ablation"])))
    for id, text, then, now in moved:
        print(f"{then:.2f} → {now:.2f}  {id}  {one_line(text, 90)}")
    print(f"run {shown['run']} in {options.out}")
    return 0


def _progress(text: str) -> None:
    print(_("munin eval: {text}").format(text=text), file=sys.stderr, flush=True)

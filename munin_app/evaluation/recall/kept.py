"""Runs and their per-query rows in an SQLite file of their own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw

from munin_app.domain.ids import now_ms
from munin_app.errors import EvaluationError
from munin_app.evaluation.recall.figures import Found, recall_at
from munin_app.i18n import _

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS run (
        id INTEGER PRIMARY KEY, dataset TEXT NOT NULL, finished_at INTEGER NOT NULL, figures TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS query (
        run_id INTEGER NOT NULL REFERENCES run, question TEXT NOT NULL, category TEXT NOT NULL, text TEXT NOT NULL,
        evidence TEXT NOT NULL, ranked TEXT NOT NULL, sureness TEXT NOT NULL, r5 REAL NOT NULL, r10 REAL NOT NULL,
        search_ms REAL NOT NULL, PRIMARY KEY (run_id, question)
    ) STRICT;
"""


class KeptRuns:
    """Opens or makes the file; raises EvaluationError. It must not lie in the user's data folder."""

    def __init__(self, path: Path, data_folder: Path) -> None:
        if path.resolve().is_relative_to(data_folder.resolve()):
            raise EvaluationError(
                _("{path} lies in Munin's data folder. Choose a file elsewhere: runs never touch what is yours.").format(
                    path=path
                )
            )
        try:
            self._connection = apsw.Connection(str(path))
            self._connection.execute(_SCHEMA)
        except apsw.Error as error:
            raise EvaluationError(
                _("{path} cannot be used to keep runs ({error}). Choose another file.").format(path=path, error=error)
            ) from error

    def keep(self, dataset: str, figures: Mapping[str, object], found: Sequence[Found]) -> int:
        """The run's id."""
        with self._connection:
            self._connection.execute(
                "INSERT INTO run (dataset, finished_at, figures) VALUES (?, ?, ?)", (dataset, now_ms(), json.dumps(figures))
            )
            run_id = self._connection.last_insert_rowid()
            self._connection.executemany(
                "INSERT INTO query VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        run_id,
                        one.question,
                        one.category,
                        one.text,
                        json.dumps(one.evidence),
                        json.dumps(one.ranked),
                        json.dumps([round(sure, 4) for sure in one.sureness]),
                        recall_at(5, one.evidence, one.ranked),
                        recall_at(10, one.evidence, one.ranked),
                        one.search_ms,
                    )
                    for one in found
                ],
            )
        return run_id

    def moved(self, before: int, after: int) -> list[tuple[str, str, float, float]]:
        """(question, text, R@10 then, R@10 now) where they differ, the greatest losses first.
        Raises EvaluationError where there is no such run."""
        if not self._connection.execute("SELECT 1 FROM run WHERE id = ?", (before,)).fetchall():
            raise EvaluationError(
                _("There is no run {before} in this file. `--out` names the file, `--compare` a run in it.").format(before=before)
            )
        rows = self._connection.execute(
            """SELECT question, now.text, then_.r10, now.r10 FROM query AS now JOIN query AS then_ USING (question)
               WHERE now.run_id = ? AND then_.run_id = ? AND now.r10 != then_.r10 ORDER BY now.r10 - then_.r10, question""",
            (after, before),
        )
        return [(str(question), str(text), float(then), float(now)) for question, text, then, now in rows]

    def close(self) -> None:
        self._connection.close()

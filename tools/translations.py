"""Brings the catalogues in step with the source: what is new is added, what is gone leaves, and all is compiled.

    make translations

What stays empty has no translation yet; nothing is guessed. The tests hold source, catalogue and compiled catalogue together.
"""

import io
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

PROGRAM = Path(__file__).resolve().parents[1] / "munin_app"
LOCALE = PROGRAM / "locale"
MODELS = PROGRAM.parent / "models"
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
TRANSLATORS = "Translators:"
"""Begins a comment above a call that explains it to who translates it."""


def extracted() -> Catalog:
    """Every sentence of the source, with the files that it stands in."""
    catalog = Catalog(project="Munin", fuzzy=False)
    found = extract_from_dir(PROGRAM, [("**.py", "python")], keywords=KEYWORDS, comment_tags=(TRANSLATORS,))
    for file, _line, message, comments, context in found:
        catalog.add(message, locations=[(file, 0)], auto_comments=comments, context=context)
    for sentence in model_descriptions():
        catalog.add(sentence, locations=[("models/catalog.toml", 0)])
    return catalog


def model_descriptions() -> list[str]:
    """What the catalogue of models says each is good for."""
    document = tomllib.loads((MODELS / "catalog.toml").read_text(encoding="utf-8"))
    tables = [entry for entries in document.values() if isinstance(entries, list) for entry in entries]
    return [entry["good_for"] for entry in tables if "good_for" in entry]


def catalogues() -> list[Path]:
    return sorted(LOCALE.glob("*/LC_MESSAGES/munin.po"))


def read(path: Path) -> Catalog:
    with open(path, "rb") as file:
        return read_po(file, locale=path.parts[-3])


def updated(path: Path) -> Catalog:
    """The catalogue as it should be."""
    catalog = read(path)
    catalog.update(extracted(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


def written(catalog: Catalog) -> bytes:
    """Without line numbers and times: they change with every edit."""
    file = io.BytesIO()
    write_po(file, catalog, width=110, sort_output=True, include_lineno=False, omit_header=True)
    header = f'msgid ""\nmsgstr ""\n"Language: {catalog.locale}\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    header += f'"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    return header.encode() + file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """The same bytes for the same sentences, at any time."""
    file = io.BytesIO()
    catalog.last_translator = catalog.language_team = "Munin contributors"
    catalog.creation_date = catalog.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    write_mo(file, catalog)
    return file.getvalue()


def main() -> None:
    for path in catalogues():
        path.write_bytes(written(updated(path)))
        catalog = read(path)
        path.with_suffix(".mo").write_bytes(compiled(catalog))
        empty = [message.id for message in catalog if message.id and not all(_strings(message.string))]
        print(f"{path.relative_to(PROGRAM)}: {len(catalog)} sentences, {len(empty)} without a translation", file=sys.stderr)


def _strings(string: str | list[str] | tuple[str, ...]) -> list[str]:
    return [string] if isinstance(string, str) else list(string)


if __name__ == "__main__":
    main()

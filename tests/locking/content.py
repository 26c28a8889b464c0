"""A data folder with everything in it that a user may have said, and what is in one that is locked or not, as one hash."""

import hashlib
from pathlib import Path

from munin_app import paths
from munin_app.bootstrap import Munin
from munin_app.config import ModelSettings
from munin_app.domain.personas import Persona
from munin_app.inference.session_files import SessionFiles
from munin_app.inference.template import Segment
from munin_app.inference.tokens import TokenisedSegment
from munin_app.storage.connecting import connect
from munin_app.storage.files import read_file
from munin_app.storage.locks import key_of

MARKERS = tuple(f"zqx{number:02}marker" for number in range(50))


async def say_everything(munin: Munin) -> None:
    """One marker after the other: chats, memories, titles, tags, drafts, facts, personas, settings, a saved session."""
    marks = iter(MARKERS)
    for _ in range(5):
        conversation = await munin.controller.new_conversation()
        for _ in range(4):
            await munin.controller.send(conversation.id, f"The boat is called {next(marks)} and lies in the harbour.")
            await munin.controller.drain()
        await munin.chats.rename(conversation.id, f"About {next(marks)}")
        await munin.shelf.tag([conversation.id], [next(marks)])
        await munin.shelf.save_drafts([(conversation.id, f"Not sent: {next(marks)}")])
    for _ in range(5):
        await munin.profile.add(f"Likes {next(marks)}")
    for number in range(4):
        prompt, starter = f"You know of {next(marks)}.", next(marks)
        await munin.controller.personas.save(Persona(f"own{number}", f"Own {number}", "heart", prompt, starters=(starter,)))
    await munin.change_settings(model_settings={"/a.gguf": ModelSettings(instructions=f"Never say {next(marks)}")})
    files = SessionFiles(paths.sessions_folder(), "a model", 1_000_000, key_of(paths.sessions_folder()))
    said = f"{next(marks)} as text"
    files.save("chat", [TokenisedSegment(Segment(said, True), (1, 2))], [1, 2], memoryview(said.encode() * 100))
    files.wait()
    assert next(marks, None) is None


def found_in(folder: Path) -> dict[str, list[str]]:
    """File to the markers in it, as UTF-8 or UTF-16."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        forms = [(marker, form) for marker in MARKERS for form in (marker.encode(), marker.encode("utf-16-le"))]
        if here := sorted({marker for marker, form in forms if form in content}):
            found[str(path.relative_to(folder))] = here
    return found


def content_hash(home: Path) -> str:
    """Of every row with its row id, of every table that is one, and of every other file of the user's. Checks the databases."""
    digest = hashlib.sha256()
    for name in ("munin.db", "munin_memory.db"):
        connection = connect(home / name)
        assert connection.pragma("integrity_check") == "ok"
        tables = connection.execute(
            "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') ORDER BY name"
        ).fetchall()
        for table, without_row_id in tables:
            columns = "type, name, sql" if table == "sqlite_schema" else "*" if without_row_id else "rowid, *"
            digest.update(repr((table, sorted(map(repr, connection.execute(f'SELECT {columns} FROM "{table}"'))))).encode())
        connection.close()
    for name in ("profile.json", "profile.key", "settings.json"):
        digest.update(read_file(home / name) if (home / name).exists() else b"none")
    return digest.hexdigest()

"""Says arm by arm what of memory works, what that costs and what to do. Knows the parts' conditions, does nothing to them."""

from dataclasses import dataclass
from pathlib import Path

from munin_app.domain.memories import ArmState, ArmStatus
from munin_app.memory.encoder_host import EncoderHost
from munin_app.memory.opening import Opened
from munin_app.memory.vectors import exact_by_extension

_LAZY = "Starts with the first use."


@dataclass(frozen=True, slots=True)
class Condition:
    closed: bool
    opened: Opened | None
    read_only: bool
    host: EncoderHost
    foreign_vectors: bool
    set_aside: Path | None
    trouble: str
    """The last thing that went wrong; empty since something worked again."""
    messages: int
    chunks: int
    without_vector: int
    making_vectors: bool
    """Of those, one after the other, just now."""
    words_work: bool


def describe(condition: Condition) -> tuple[ArmStatus, ...]:
    """`encoder`, `vectors`, `words`, `database`, in this order."""
    if condition.closed:
        return tuple(ArmStatus(name, ArmState.OFF, "Memory is closed.") for name in ("encoder", "vectors", "words", "database"))
    return (_encoder(condition), _vectors(condition), _words(condition), _database(condition))


def _encoder(condition: Condition) -> ArmStatus:
    host = condition.host
    if host.ready and host.manifest:
        return ArmStatus("encoder", ArmState.READY, f"{host.manifest.id} with {host.manifest.dimension} dimensions is loaded.")
    if host.problem:
        cost = "Recall finds by words only, not by meaning."
        return ArmStatus("encoder", ArmState.OFF, f"{host.problem} {cost}", "Run the set-up again, or choose an encoder.")
    return ArmStatus("encoder", ArmState.NOT_LOADED, _LAZY)


def _vectors(condition: Condition) -> ArmStatus:
    if condition.opened is None:
        return ArmStatus("vectors", ArmState.NOT_LOADED, _LAZY)
    if condition.opened.database is None:
        return ArmStatus("vectors", ArmState.OFF, "There is no database to search.")
    if condition.foreign_vectors:
        detail = "The stored vectors are of another encoder. Recall finds by words only."
        return ArmStatus("vectors", ArmState.OFF, detail, "Open Munin once: it makes them again.")
    if not condition.host.ready:
        waiting = not condition.host.problem
        return ArmStatus(
            "vectors", ArmState.NOT_LOADED if waiting else ArmState.OFF, _LAZY if waiting else "They wait for an encoder."
        )
    how = (
        "sqlite-vec compares" if condition.opened.exact is exact_by_extension else "NumPy compares (sqlite-vec cannot be loaded)"
    )
    if condition.without_vector:
        return _behind(condition, how)
    remedy = "" if condition.opened.exact is exact_by_extension else "Nothing has to be done: it finds the same."
    return ArmStatus("vectors", ArmState.READY, f"{how} {condition.chunks} vectors.", remedy)


def _behind(condition: Condition, how: str) -> ArmStatus:
    made = condition.chunks - condition.without_vector
    if condition.making_vectors:
        detail = f"{how}. Vectors are being made: {made:,} of {condition.chunks:,}. Words find the others meanwhile."
        return ArmStatus("vectors", ArmState.BEHIND, detail, "Nothing: it goes on in the background, after a restart too.")
    waiting = f"{condition.without_vector:,} of {condition.chunks:,} parts wait for their vectors"
    remedy = "Open Munin: it makes them in the background." if condition.read_only else "Start Munin again: it makes them then."
    return ArmStatus("vectors", ArmState.BEHIND, f"{how}, but {waiting}; words find them meanwhile.", remedy)


def _words(condition: Condition) -> ArmStatus:
    if condition.opened is None:
        return ArmStatus("words", ArmState.NOT_LOADED, _LAZY)
    if condition.opened.database is None:
        return ArmStatus("words", ArmState.OFF, "There is no database to search.")
    if not condition.words_work:
        detail = "The word index is damaged. Recall finds by meaning only."
        return ArmStatus("words", ArmState.OFF, detail, "Open Munin again: the index is made again by itself.")
    return ArmStatus("words", ArmState.READY, f"The word index holds {condition.chunks} parts.")


def _database(condition: Condition) -> ArmStatus:
    if condition.opened is None:
        return ArmStatus("database", ArmState.NOT_LOADED, _LAZY)
    if condition.opened.database is None:
        detail = f"{condition.opened.problem} Chat goes on without memory."
        return ArmStatus("database", ArmState.OFF, detail, "Do what is said there, then start Munin again.")
    detail = f"{condition.messages} messages are remembered."
    if condition.set_aside:
        detail += f" A damaged database was moved to {condition.set_aside}; forgetting anything deletes that copy."
    if condition.trouble:
        return ArmStatus(
            "database", ArmState.BEHIND, f"{detail} Last trouble: {condition.trouble}", "If it stays, start Munin again."
        )
    return ArmStatus("database", ArmState.READY, detail)

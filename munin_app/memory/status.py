"""Says arm by arm what of memory works, what that costs and what to do. Knows the parts' conditions, does nothing to them."""

from dataclasses import dataclass
from pathlib import Path

from munin_app.domain.memories import ArmState, ArmStatus
from munin_app.i18n import N_, _, decimal, translated
from munin_app.memory.encoder_host import EncoderHost
from munin_app.memory.opening import Opened
from munin_app.memory.vectors import exact_by_extension

_LAZY = N_("Starts with the first use.")


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
        return tuple(
            ArmStatus(name, ArmState.OFF, _("Memory is closed.")) for name in ("encoder", "vectors", "words", "database")
        )
    return (_encoder(condition), _vectors(condition), _words(condition), _database(condition))


def _encoder(condition: Condition) -> ArmStatus:
    host = condition.host
    if host.ready and host.manifest:
        return ArmStatus(
            "encoder",
            ArmState.READY,
            _("{id} with {dimension} dimensions is loaded.").format(id=host.manifest.id, dimension=host.manifest.dimension),
        )
    if host.problem:
        cost = _("Recall finds by words only, not by meaning.")
        return ArmStatus("encoder", ArmState.OFF, f"{host.problem} {cost}", _("Run the set-up again, or choose an encoder."))
    return ArmStatus("encoder", ArmState.NOT_LOADED, translated(_LAZY))


def _vectors(condition: Condition) -> ArmStatus:
    if condition.opened is None:
        return ArmStatus("vectors", ArmState.NOT_LOADED, translated(_LAZY))
    if condition.opened.database is None:
        return ArmStatus("vectors", ArmState.OFF, _("There is no database to search."))
    if condition.foreign_vectors:
        detail = _("The stored vectors are of another encoder. Recall finds by words only.")
        return ArmStatus("vectors", ArmState.OFF, detail, _("Open Munin once: it makes them again."))
    if not condition.host.ready:
        waiting = not condition.host.problem
        return ArmStatus(
            "vectors",
            ArmState.NOT_LOADED if waiting else ArmState.OFF,
            translated(_LAZY) if waiting else _("They wait for an encoder."),
        )
    how = (
        _("sqlite-vec compares")
        if condition.opened.exact is exact_by_extension
        else _("NumPy compares (sqlite-vec cannot be loaded)")
    )
    if condition.without_vector:
        return _behind(condition, how)
    remedy = "" if condition.opened.exact is exact_by_extension else _("Nothing has to be done: it finds the same.")
    return ArmStatus(
        "vectors", ArmState.READY, _("{how} {number} vectors.").format(how=how, number=decimal(condition.chunks)), remedy
    )


def _behind(condition: Condition, how: str) -> ArmStatus:
    made = condition.chunks - condition.without_vector
    if condition.making_vectors:
        detail = _("{how}. Vectors are being made: {made} of {chunks}. Words find the others meanwhile.").format(
            how=how, made=decimal(made), chunks=decimal(condition.chunks)
        )
        return ArmStatus("vectors", ArmState.BEHIND, detail, _("Nothing: it goes on in the background, after a restart too."))
    waiting = _("{without_vector} of {chunks} parts wait for their vectors").format(
        without_vector=decimal(condition.without_vector), chunks=decimal(condition.chunks)
    )
    remedy = (
        _("Open Munin: it makes them in the background.") if condition.read_only else _("Start Munin again: it makes them then.")
    )
    return ArmStatus(
        "vectors", ArmState.BEHIND, _("{how}, but {waiting}; words find them meanwhile.").format(how=how, waiting=waiting), remedy
    )


def _words(condition: Condition) -> ArmStatus:
    if condition.opened is None:
        return ArmStatus("words", ArmState.NOT_LOADED, translated(_LAZY))
    if condition.opened.database is None:
        return ArmStatus("words", ArmState.OFF, _("There is no database to search."))
    if not condition.words_work:
        detail = _("The word index is damaged. Recall finds by meaning only.")
        return ArmStatus("words", ArmState.OFF, detail, _("Open Munin again: the index is made again by itself."))
    return ArmStatus("words", ArmState.READY, _("The word index holds {chunks} parts.").format(chunks=condition.chunks))


def _database(condition: Condition) -> ArmStatus:
    if condition.opened is None:
        return ArmStatus("database", ArmState.NOT_LOADED, translated(_LAZY))
    if condition.opened.database is None:
        detail = _("{problem} Chat goes on without memory.").format(problem=condition.opened.problem)
        return ArmStatus("database", ArmState.OFF, detail, _("Do what is said there, then start Munin again."))
    detail = _("{messages} messages are remembered.").format(messages=condition.messages)
    if condition.set_aside:
        detail += _(" A damaged database was moved to {set_aside}; forgetting anything deletes that copy.").format(
            set_aside=condition.set_aside
        )
    if condition.trouble:
        return ArmStatus(
            "database",
            ArmState.BEHIND,
            _("{detail} Last trouble: {trouble}").format(detail=detail, trouble=condition.trouble),
            _("If it stays, start Munin again."),
        )
    return ArmStatus("database", ArmState.READY, detail)

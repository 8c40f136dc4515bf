"""The audit of one unit: whatever it holds, an outcome comes of it."""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from cli.addresses import requested
from cli.bulk.units import Grade, RecordUnit, StoredUnit, TextUnit, Unit, UnitOutcome, UnreadUnit, not_audited
from events import record
from events.store import Unreachable
from projections.audit import Receipts, Source, audit, from_record
from projections.claims import Clock
from projections.textaudit.auditing import audit as audit_text
from projections.textaudit.auditing import told
from projections.textrecord import BadLine, read
from projections.textrecord.file_kinds import kind_of
from service.games.stored_logs import imported_log, own_log

if TYPE_CHECKING:
    from events.redis_store import RedisStore

Open = Callable[[], "RedisStore"]
"""Gives the store, opened when it is first asked for."""


def outcome(unit: Unit, clock: Clock, store: Open, receipts: Receipts = "every") -> UnitOutcome:
    """What is found of a unit; `clock` is processor time in seconds, for the readings of a text record's wrong claim, and
    `receipts` says which receipts of a log are checked."""
    try:
        match unit:
            case RecordUnit():
                return _of_record(unit.name, unit.raw, unit.line, receipts)
            case TextUnit():
                return _of_text(unit, clock)
            case StoredUnit():
                return _of_stored(unit, store(), receipts)
            case UnreadUnit():
                return not_audited(unit.name, "missing" if unit.missing else "unreadable", unit.message)
    except Unreachable as error:
        return not_audited(unit.name, "unreachable", str(error))
    except Exception as error:
        return not_audited(unit.name, "fault", f"Internal error ({type(error).__name__}: {error}). Please report it")


def source_of(name: str, raw: bytes, line: int = 1) -> Source | UnitOutcome:
    """The log of a record as far as it can be read, or the outcome that it is none; lines are counted from `line`."""
    try:
        return from_record(record.read(io.BytesIO(raw)), requested=requested(name))
    except record.AlteredRecord as error:
        return not_audited(name, "unreadable", f"it is a sealed record, but {error.message}")
    except record.UnreadableRecord as error:
        there = record.UnreadableRecord(error.line + line - 1, error.message, error.read)
        if there.read is None or not there.read.events:
            kind = kind_of(raw)
            return not_audited(name, "unreadable", f"it is no record of a game: {there}{f'; {kind}' if kind else ''}")
        return from_record(there.read, there, requested=requested(name))


def _of_record(name: str, raw: bytes, line: int, receipts: Receipts) -> UnitOutcome:
    source = source_of(name, raw, line)
    return source if isinstance(source, UnitOutcome) else _of_source(name, source, receipts)


def _of_source(name: str, source: Source, receipts: Receipts) -> UnitOutcome:
    result = audit(source, receipts)
    answer = {"game": source.game, "from": name, **msgspec.to_builtins(result)}
    return UnitOutcome(name, "ok" if result.verdict == "ok" else "log_bad", answer)


def _of_stored(unit: StoredUnit, store: "RedisStore", receipts: Receipts) -> UnitOutcome:
    game = unit.name
    own = None if unit.imported else own_log(store, game)
    if own is not None:
        return _of_source(game, own.source, receipts)
    raw = store.imported(game)
    if raw is not None:
        return _of_source(f"{game} (imported)", imported_log(game, raw), receipts)
    return not_audited(game, "missing", "there is no such game in this store: `trickbook games` lists them")


def _of_text(unit: TextUnit, clock: Clock) -> UnitOutcome:
    try:
        game = read(unit.raw)
        result = audit_text(told(game), clock)
    except BadLine as error:
        return not_audited(unit.name, "unreadable", str(error))
    answer = {"game": None, "from": unit.name, **msgspec.to_builtins(result)}
    if game.notes:
        answer["notes"] = list(game.notes)
    if result.claims is not None:
        answer["claims"] = msgspec.to_builtins(result.claims)
    grade: Grade = "ok" if result.verdict == "ok" else "text_bad" if result.findings else "text_incomplete"
    if grade == "text_incomplete":
        answer["message"] = result.summary
    return UnitOutcome(unit.name, grade, answer)

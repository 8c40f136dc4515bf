"""The first pass: are these the bytes that were written? Form, numbers, times, seals, chain, receipts; no rule of the game."""

from collections.abc import Iterator

import msgspec

from events import receipts
from events.canonical import decode
from events.log import BadEvent, NotCanonical, Stored, genesis, load, next_head, seal_of
from events.types import Event, GameCreated, ServerKey
from projections.audit.codes import Code
from projections.audit.findings import Finding, Receipts
from projections.audit.phrases import phrase
from projections.audit.source import Source


class Intact(msgspec.Struct, frozen=True):
    """The events that could be read one after the other from the first, the heads after them by version, and what was found.
    `stopped` says why not all."""

    events: tuple[Event, ...]
    heads: dict[int, bytes]
    findings: tuple[Finding, ...]
    stopped: str | None


def _at(code: Code, version: int, message: str) -> Finding:
    return Finding(code, f"v{version}", version, message)


def check(source: Source, signatures: Receipts = "every") -> Intact:
    """Reads the log up to the first event that has no place; everything before it is checked."""
    events: list[Event] = []
    found: list[Finding] = []
    salts: dict[str, int] = {}
    stopped = source.broken
    if source.requested not in (None, source.game):
        found.append(_at(Code.OTHER_GAME, 1, f"you requested game {source.requested}, but this is game {source.game}"))
    head = genesis(source.game)
    heads: dict[int, bytes] = {}
    for number, stored in enumerate(source.events, 1):
        try:
            event = load(stored)
        except (NotCanonical, BadEvent) as error:
            code = Code.NOT_CANONICAL if isinstance(error, NotCanonical) else Code.NOT_AN_EVENT
            found.append(_at(code, number, f"event {number}: {error}"))
            stopped = f"event {number} cannot be read"
            break
        if event.seq != number:
            found.append(_misnumbered(source, number, event))
            stopped = f"the numbers break at event {number}"
            break
        head = heads[number] = next_head(head, stored.public)
        if events and event.at < events[-1].at:
            found.append(
                _at(
                    Code.TIME_WENT_BACK,
                    number,
                    f"event {number} is {events[-1].at - event.at} ms before event {number - 1}",
                )
            )
        found.extend(_seal(source, event, stored))
        if event.salt is not None and salts.setdefault(event.salt, number) != number:
            text = f"the sealed parts of events {salts[event.salt]} and {number} have the same salt: it was not drawn at random"
            found.append(_at(Code.SALT_REPEATED, number, text))
        events.append(event)
    if source.broken is not None and stopped is source.broken:
        found.append(_at(source.broken_as, len(source.events) + 1, source.broken))
    if stopped is None and len(events) != source.length:
        found.append(_length(source.length, len(events)))
    found.extend(
        _at(Code.NOT_AN_ENTRY, number, f"the entry of event {number} does not say whose request it was")
        for number in source.unrequested
        if number in heads
    )
    found.extend(_chain(source, heads))
    found.extend(_receipts(source, events, heads, signatures))
    return Intact(tuple(events), heads, tuple(found), stopped)


def _misnumbered(source: Source, number: int, event: Event) -> Finding:
    """Why the event in place `number` has another seq: doubled, swapped or something missing."""
    if event.seq < number:
        same = source.events[event.seq - 1].public == source.events[number - 1].public
        code = Code.EVENT_DOUBLED if same else Code.EVENT_RENUMBERED
        said = "is there twice" if same else "is there twice, with other bytes"
        return _at(code, number, f"event {event.seq} {said}: again in place {number}")
    if any(_numbered(later, number) for later in source.events[number:]):
        return _at(Code.EVENTS_SWAPPED, number, f"event {event.seq} stands in the place of event {number}, which comes later")
    return _at(Code.EVENT_MISSING, number, f"event {number} is missing: event {event.seq} follows event {number - 1}")


def _numbered(stored: Stored, number: int) -> bool:
    """Whether these bytes, event or not, say that they are number `number`."""
    try:
        public = decode(stored.public)
    except NotCanonical:
        return False
    return isinstance(public, dict) and type(public.get("seq")) is int and public["seq"] == number


def _length(claimed: int, there: int) -> Finding:
    if there < claimed:
        return _at(Code.EVENTS_CUT, there + 1, f"{claimed} events are claimed but the log ends with event {there}")
    return _at(Code.EVENTS_ADDED, claimed + 1, f"{claimed} events are claimed but there are {there}")


def _seal(source: Source, event: Event, stored: Stored) -> Iterator[Finding]:
    """A store has every sealed part, a record those its reader may have."""
    if stored.sealed is None:
        if event.seal is not None and source.commits is not None:
            text = f"the sealed part of event {event.seq} ({phrase(event.type.name)}) is not in the store"
            yield _at(Code.SEALED_MISSING, event.seq, text)
    elif seal_of(stored.sealed) != event.seal:
        yield _at(Code.SEAL_MISMATCH, event.seq, f"the sealed part of event {event.seq} is not the one its seal was made of")


def _chain(source: Source, heads: dict[int, bytes]) -> Iterator[Finding]:
    """The first claimed head that the bytes do not give; later ones follow from it and are not told."""
    last = 0
    for version, claimed in sorted(source.heads.items()):
        if version in heads and heads[version] != claimed:
            events = f"event {version}" if version == last + 1 else f"one of the events {last + 1} to {version}"
            yield _at(
                Code.HEAD_MISMATCH,
                version,
                f"the head after event {version} is not the one recorded: {events} was changed",
            )
            return
        last = version


def _receipts(source: Source, events: list[Event], heads: dict[int, bytes], signatures: Receipts) -> Iterator[Finding]:
    """Each receipt there is: for this game and this head, under the key that event 1 names.

    A receipt for the recorded head is in order too: where the events do not give this head, the chain tells it, once.
    """
    if not events or not isinstance(events[0].data, GameCreated):
        return
    key: ServerKey = events[0].data.server_key
    problem = receipts.key_problem(key)
    if problem:
        yield _at(Code.BAD_SERVER_KEY, 1, f"event 1 names a signing key that cannot be one: {problem}")
    if source.server_key is not None and source.server_key != key:
        yield _at(Code.SERVER_KEY_MISMATCH, 1, "the header names another signing key than event 1")
    there = sorted(version for version in source.receipts if version in heads)
    for version in there:
        raw = source.receipts[version]
        try:
            receipt = receipts.read(raw)
        except BadEvent as error:
            yield _at(Code.BAD_RECEIPT, version, f"the receipt after event {version} cannot be read: {error}")
            continue
        right = {heads[version], source.heads.get(version)}
        place = (receipt.game, receipt.seq, receipt.at)
        if place != (source.game, version, events[version - 1].at) or bytes.fromhex(receipt.head) not in right:
            yield _at(
                Code.RECEIPT_MISMATCH,
                version,
                f"the receipt after event {version} is for another game, place, head or time",
            )
        elif not problem and (signatures == "every" or version == there[-1]) and not receipts.verified(receipt, key):
            yield _at(Code.BAD_SIGNATURE, version, f"the receipt after event {version} was not signed by the key of event 1")

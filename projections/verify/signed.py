"""What receipts sign: the head after their own event and, by the events a player kept, the heads before it.

A receipt is given at the end of a commit. A history that is cut inside a commit and signed there meets none of them, but the
kept bytes of an event and the head before it give the head that was signed: nobody can find other bytes for it. So each receipt
vouches for the heads of all events that lead to it, and two receipts that vouch for different heads after one event contradict.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from events.canonical import NotCanonical, decode
from events.player_evidence import PublicEvent
from events.receipts import Receipt
from events.types import REVIEW, TYPES
from projections.review import MOST_DISPUTES, MOST_LOSSES

MOST_AFTER_END: Final = 2 * MOST_DISPUTES + MOST_LOSSES
"""Commits that may follow the end of play: each dispute is opened once and settled once."""


class Vouched(msgspec.Struct, frozen=True):
    """A head that a receipt vouches for: after event `seq`. `leads` are the kept events from there to the receipt's own,
    the last one first; there are none where it is the receipt's own head."""

    seq: int
    head: str
    receipt: Receipt
    leads: int = 0


class Contradiction(msgspec.Struct, frozen=True):
    """Two receipts that cannot both be for one log, the kept events that show it, and what shows it in words. `seq` is the
    first event at which the histories are known to differ."""

    seq: int
    receipts: tuple[Receipt, Receipt]
    events: tuple[PublicEvent, ...]
    text: str


class SignedHeads:
    """All heads that some receipts vouch for, in order. `unused` is the number of kept events that lead to no receipt."""

    def __init__(self, held: Sequence[Receipt], kept: Iterable[PublicEvent]) -> None:
        """`held` are receipts whose signature holds, in order."""
        self._by_place = {(event.seq, event.head): event for event in set(kept)}
        found = {(one.seq, one.head): Vouched(one.seq, one.head, one) for one in reversed(held)}
        for receipt in held:
            place, leads = (receipt.seq, receipt.head), 0
            while place[0] > 1 and (event := self._by_place.get(place)) and (place[0] - 1, event.before) not in found:
                place, leads = (place[0] - 1, event.before), leads + 1
                found[place] = Vouched(*place, receipt, leads)
        self.heads = sorted(found.values(), key=lambda one: (one.seq, one.head))
        self.receipts = held
        self._found = found
        self.unused = sum(place not in found for place in self._by_place)

    def contradiction(self, heads: Mapping[int, bytes], ended: int | None) -> Contradiction | None:
        """What proves that more than one history was signed, or None.

        `heads` are those of the file; `ended` is the event with which play ends in what is signed of it, None where it goes on.
        """
        vouching = [one for one in self.receipts if _fits(one, heads)]
        found = list(self._of_heads(heads, vouching)) or list(self._after_the_end(heads, ended, vouching))
        if not found:
            return None
        clearest = min(found, key=lambda one: (bool(one.events), one.receipts[0].seq != one.receipts[1].seq))
        return msgspec.structs.replace(clearest, seq=min(one.seq for one in found))

    def _of_heads(self, heads: Mapping[int, bytes], vouching: Sequence[Receipt]) -> Iterator[Contradiction]:
        """Heads that differ from another one after the same event, or from that of a file that is signed from there on."""
        by_seq: dict[int, list[Vouched]] = {}
        for one in self.heads:
            by_seq.setdefault(one.seq, []).append(one)
        for one in self.heads:
            if _fits(one, heads):
                continue
            others = [other for other in by_seq[one.seq] if other.head != one.head]
            other = min(others, key=lambda each: (each.leads > 0, each.head), default=None)
            receipt = other.receipt if other else next((each for each in vouching if each.seq >= one.seq), None)
            if receipt is not None:
                events = (*self._leading(one), *(self._leading(other) if other else ()))
                text = f"its receipts of events {one.receipt.seq} and {receipt.seq} contradict"
                yield Contradiction(one.seq, (one.receipt, receipt), events, text)

    def _after_the_end(
        self, heads: Mapping[int, bytes], ended: int | None, vouching: Sequence[Receipt]
    ) -> Iterator[Contradiction]:
        """Play that went on after the signed end of it, or more commits than can follow an end."""
        end = next((one for one in vouching if ended is not None and one.seq >= ended), None)
        if ended is None or end is None:
            return
        for place, event in sorted(self._by_place.items()):
            one = self._found.get(place)
            if one is not None and one.seq > ended and not _fits(one, heads) and _is_play(event):
                text = f"that play ended with event {ended}, and that it went on with event {one.seq}"
                yield Contradiction(one.seq, (one.receipt, end), (*self._leading(one), event), text)
        after = {one.seq: one for one in self.receipts if one.seq > ended}
        if len(after) > MOST_AFTER_END and not _fits(last := after[max(after)], heads):
            text = f"that play ended with event {ended}, and {len(after)} commits after it, where {MOST_AFTER_END} are possible"
            yield Contradiction(last.seq, (last, end), (), text)

    def _leading(self, one: Vouched) -> Iterator[PublicEvent]:
        """The kept events from a receipt's own back to the head that is in question."""
        place = (one.receipt.seq, one.receipt.head)
        for _ in range(one.leads):
            event = self._by_place[place]
            yield event
            place = (event.seq - 1, event.before)


def _fits(one: Vouched | Receipt, heads: Mapping[int, bytes]) -> bool:
    """Whether the head is the one after that event of the file."""
    return one.seq in heads and heads[one.seq].hex() == one.head


def _is_play(event: PublicEvent) -> bool:
    """Whether the event is one that cannot follow the end of play."""
    try:
        public = decode(event.public.encode())
    except NotCanonical:
        return False
    name = public.get("type") if isinstance(public, dict) else None
    row = TYPES.get(name) if isinstance(name, str) else None
    return row is not None and row.data not in REVIEW

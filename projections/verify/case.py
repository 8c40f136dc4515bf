"""What is verified: a log, its heads, the pinned key, and how much of the log the service itself has signed.

Whatever a player may have done to their files, what stands here under *genuine* the service has vouched for.
"""

from collections.abc import Sequence

from events import receipts
from events.canonical import NotCanonical, decode
from events.log import BadEvent, Stored, genesis, load, next_head, seal_of
from events.player_evidence import Line, Pinned, PublicEvent
from events.receipts import Receipt
from events.types import Event, GameCreated, GameEnded, ServerKey
from projections.audit import Source
from projections.verify.signed import SignedHeads, Vouched


class Case:
    """The log as far as it can be read, and what the player brought.

    `heads` are those the bytes give, whatever is in them; `vouched` is the number of the last event up to which a valid
    receipt, of the file or one that was kept, says that these are the public events; `valid` are all receipts whose
    signature holds under the pinned key. `held` are those whose signature holds at all: without a pin, under the key that
    event 1 names, whoever's it is. `others` are the receipts of other games, None where no file of receipts was given.
    """

    def __init__(self, source: Source, kept: Sequence[Line] | None, server_key: str | None) -> None:
        self.source = source
        self.kept = [line for line in kept or () if line.game == source.game]
        self.others = None if kept is None else {one for one in kept if isinstance(one, Receipt) and one.game != source.game}
        self.heads: dict[int, bytes] = {}
        head = genesis(source.game)
        for number, stored in enumerate(source.events, 1):
            head = self.heads[number] = next_head(head, stored.public)
        self.stored = tuple(_under_seal(stored) for stored in source.events)
        self.events = _readable(self.stored)
        pins = {line.key for line in self.kept if isinstance(line, Pinned)} | ({server_key} if server_key else set())
        self.pinned = next(iter(pins)) if len(pins) == 1 else None
        self.pins_differ = len(pins) > 1
        created = self.events[0].data if self.events else None
        self.key: ServerKey | None = created.server_key if isinstance(created, GameCreated) else None
        self.kept_receipts: list[Receipt] = sorted({line for line in self.kept if isinstance(line, Receipt)}, key=_order)
        self.held = [one for one in sorted({*self.kept_receipts, *self._of_file()}, key=_order) if self._holds(one)]
        self.held_of_kept = frozenset(self.kept_receipts) & frozenset(self.held)
        self.signed = SignedHeads(self.held, [line for line in self.kept if isinstance(line, PublicEvent)])
        self.valid = self.held if self.trusted is not None else []
        self.vouchers = [one for one in self.valid if self.fits(one)]
        self.vouched = max((one.seq for one in self.vouchers), default=0)

    @property
    def length(self) -> int:
        """How many events there are."""
        return len(self.stored)

    @property
    def trusted(self) -> ServerKey | None:
        """The log's key, if it is the pinned one."""
        return self.key if self.key is not None and self.key.id == self.pinned and not receipts.key_problem(self.key) else None

    @property
    def compared_with(self) -> ServerKey | None:
        """The key that receipts are verified under: the pinned one or, without a pin, the one that event 1 names."""
        if self.pinned is not None:
            return self.trusted
        return self.key if self.key is not None and not receipts.key_problem(self.key) else None

    def _holds(self, receipt: Receipt) -> bool:
        """Whether this is for this game and signed with the key it is compared with."""
        key = self.compared_with
        return key is not None and receipt.game == self.source.game and receipts.verified(receipt, key)

    def fits(self, receipt: Receipt | Vouched) -> bool:
        """Whether it is for the events of this file."""
        return receipt.seq in self.heads and self.heads[receipt.seq].hex() == receipt.head

    @property
    def ended(self) -> int | None:
        """The event with which play ends in this file, None where it does not."""
        return next((event.seq for event in self.events if isinstance(event.data, GameEnded)), None)

    @property
    def signed_end(self) -> int | None:
        """The same, if a receipt that holds vouches for that event."""
        upto = max((one.seq for one in self.held if self.fits(one)), default=0)
        return self.ended if self.ended is not None and self.ended <= upto else None

    def misdated(self) -> list[Receipt]:
        """Receipts for the events here that name another time than their last event."""
        times = {event.seq: event.at for event in self.events}
        return [one for one in self.vouchers if one.seq in times and times[one.seq] != one.at]

    def genuine(self) -> Source:
        """The events the service has vouched for, and of the sealed parts those under their seal: nothing else."""
        count = self.vouched
        return Source(self.source.game, self.stored[:count], {count: self.heads[count]}, {}, count)

    def _of_file(self) -> list[Receipt]:
        """The receipts in the file that can be read."""
        found = []
        for raw in self.source.receipts.values():
            try:
                found.append(receipts.read(raw))
            except BadEvent:
                continue
        return found


def _order(receipt: Receipt) -> tuple[int, str, int, str]:
    return receipt.seq, receipt.head, receipt.at, receipt.signature


def _under_seal(stored: Stored) -> Stored:
    """The event without its sealed part, unless that is the one its seal was made of."""
    if stored.sealed is None:
        return stored
    try:
        public = decode(stored.public)
    except NotCanonical:
        return Stored(stored.public)
    right = isinstance(public, dict) and public.get("seal") == seal_of(stored.sealed)
    return stored if right else Stored(stored.public)


def _readable(log: Sequence[Stored]) -> list[Event]:
    """The events one after the other from the first, as far as they can be read."""
    found: list[Event] = []
    for number, stored in enumerate(log, 1):
        try:
            event = load(stored)
        except (NotCanonical, BadEvent):
            break
        if event.seq != number:
            break
        found.append(event)
    return found

"""One moment of a game as lines, each with a weight, so that a small terminal keeps what matters."""

import msgspec

from cli.playing.fit import Weighed, cells, folded, weighed
from cli.playing.table import AIR, MAY, MUST, SHOULD, marked
from cli.text import Style, columns, name
from events.cards import DECK, Seat, other
from projections.replay.step_view import covered
from projections.replay.walk import Step, is_score
from projections.sheet import minus
from projections.table import Open, Trick


class Looks(msgspec.Struct):
    """How the table is looked at: `flipped` puts north at the bottom, `hidden` turns the upper hand face down."""

    flipped: bool = False
    hidden: bool = False
    explained: bool = False


def lines(step: Step, looks: Looks, style: Style, width: int, place: str) -> list[Weighed]:
    """The whole screen but the line of keys; `place` is which step it is of how many."""
    o = step.after.open
    bottom: Seat = "north" if looks.flipped else "south"
    found: list[Weighed] = [(SHOULD, _heading(step, style, place))]
    found += weighed(MUST, _scores(o, (other(bottom), bottom), style, width))
    found.append((AIR, ""))
    if o.hand:
        found += weighed(SHOULD, _hand(step, other(bottom), style, width, hidden=looks.hidden))
        found += [(AIR, ""), *weighed(MUST, _middle(o, style, width)), (AIR, "")]
        found += weighed(MUST, _hand(step, bottom, style, width, hidden=False))
        found.append((AIR, ""))
    text, why = _told(step, looks, bottom)
    found += weighed(MUST, [style.heading(line) for line in folded(style.sentence(text, DECK), width)])
    if step.trick is not None and step.trick_why:
        found += weighed(MUST, folded(f"{step.trick.winner} takes it: {style.sentence(step.trick_why, DECK)}", width))
    elif o.last_trick is not None and o.phase == "play":
        last = f"before: trick {o.last_trick.number}  {_laid(o.last_trick, style)}; {o.last_trick.winner} took it"
        found += weighed(MAY, [style.dim(text) for text in folded(last, width)])
    if looks.explained or is_score(step):
        found.append((AIR, ""))
        for sentence in why[1:]:  # the first one says again what happened
            found += weighed(SHOULD, folded(style.sentence(sentence, DECK), width))
    return found


def _heading(step: Step, style: Style, place: str) -> str:
    position = style.heading(step.position) + (f" (v{step.version})" if step.position != f"v{step.version}" else "")
    return f"{position}  {place}  game {step.after.open.game}" + (f"  hand {step.hand}" if step.hand else "")


def _scores(o: Open, order: tuple[Seat, Seat], style: Style, width: int) -> list[str]:
    rows: list[list[str]] = [["", "", "", "score", "bags", "bid", "tricks", ""]]
    for seat in order:
        player = o.player(seat)
        bid = {None: "-", "double_nil": "double nil", 0: "nil"}.get(player.bid, str(player.bid))
        mark = ">" if o.turn == seat else ""
        first = ("drafts first" if o.hand_first == seat else "leads first") if o.hand else ""
        score = [minus(str(player.total)), str(player.bags), bid, str(player.tricks)]
        rows.append([mark, seat, name(player.name) or "(empty)", *score, style.dim(first)])
    whole = columns(rows, right=(3, 4, 6))
    return whole if all(cells(line) <= width for line in whole) else columns([row[:7] for row in rows], right=(3, 4, 6))


def _hand(step: Step, seat: Seat, style: Style, width: int, *, hidden: bool) -> list[str]:
    """A hand; the cards that may be played now stand in brackets."""
    held = step.hands.get(seat)
    count = step.after.open.player(seat).cards
    if not count:
        return [f"{seat}  no cards"]
    if hidden or held is None:
        return [f"{seat}  {count} card{'s' if count > 1 else ''}, face down"]
    legal = step.legal[1] if step.legal is not None and step.legal[0] == seat else None
    suits: dict[str, str] = {}
    for card in held:
        suits[card[1]] = suits.get(card[1], "") + marked(card, legal, style)
    whole = f"{seat} " + " ".join(suits.values())
    return [whole] if cells(whole) <= width else [seat, *suits.values()]


def _middle(o: Open, style: Style, width: int) -> list[str]:
    """What lies on the table."""
    if o.phase == "draft":
        return [f"      stock {o.stock_left}, pile {o.pile_size}"]
    if o.trick is not None and o.phase == "play":
        broken = "spades broken" if o.broken else "spades not broken"
        laid = _laid(o.trick, style) if o.trick.cards else f"{o.trick.leader} to lead"
        return folded(f"      trick {o.trick.number}  {laid}   {style.dim(broken)}", width)
    return ["      the hand is over" if o.phase == "play" else f"      {o.phase}"]


def _laid(trick: Trick, style: Style) -> str:
    return ", ".join(f"{seat} {style.card(card)}" for seat, card in trick.cards)


def _told(step: Step, looks: Looks, bottom: Seat) -> tuple[str, tuple[str, ...]]:
    """What happened, and the sentences why; without the cards of a hidden hand."""
    if not looks.hidden:
        return step.text, step.why
    shown = covered(step, other(bottom))
    return shown.text, shown.why

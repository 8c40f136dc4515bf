"""Drawing the table at one moment: seats, hands, trick and scores, as far as they may be shown."""

from cli.text import Style, columns, name, say
from events.cards import SEATS
from projections.sheet import minus
from projections.table import Open, Table


def draw(table: Table, style: Style) -> None:
    """The table in lines; hands that are not known are counted."""
    o = table.open
    rows: list[list[str]] = [["", "", "score", "bags", "bid", "tricks", "hand"]]
    for seat in SEATS:
        player, own = o.player(seat), table.own(seat)
        known = own.known and len(own.hand) == player.cards
        hand = style.cards(own.hand) if known else f"{player.cards} cards"
        bid = {None: "-", "double_nil": "double nil", 0: "nil"}.get(player.bid, str(player.bid))
        turn = "*" if o.turn == seat else ""
        score = [minus(str(player.total)), str(player.bags), bid, str(player.tricks)]
        rows.append([f"{turn}{seat}", name(player.name) or "(empty)", *score, hand if o.hand else ""])
    for line in columns(rows, right=(2, 3, 5)):
        say(line)
    say(_state(o))
    for label, trick in (("trick", o.trick), ("last trick", o.last_trick)):
        if trick is not None and trick.cards:
            cards = ", ".join(f"{seat} {style.card(card)}" for seat, card in trick.cards)
            say(f"{label} {trick.number}: {cards}" + (f"; {trick.winner} took it" if trick.winner else ""))


def _state(o: Open) -> str:
    if o.result is not None:
        won = f"{o.result.winner} won" if o.result.winner else "nobody won"
        return f"play has ended ({o.result.reason}): {won}"
    parts = [f"hand {o.hand}" if o.hand else "no hand yet", o.phase]
    if o.turn is not None:
        parts.append(f"{o.turn} to move")
    if o.phase == "draft":
        parts.append(f"{o.stock_left} cards in the stock")
    if o.phase == "play":
        parts.append("spades broken" if o.broken else "spades not broken")
    return ", ".join(parts)

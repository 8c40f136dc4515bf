"""Nothing secret reaches who may not have it: everything that south and a spectator receive in whole games is searched."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from events.log import load
from events.types import Exchanged, OneCard, Stock
from tests.api.players import Table

READINGS = ("", "/events", "/scoresheet", "/replay", "/explain/1", "/record", "/audit")


def _secrets(table: Table, store: Any, viewer: str | None) -> list[str]:
    """Salts and the root that `viewer` may not have, as they would be written."""
    found = []
    for commit in store.read(table.game):
        for stored in commit.events:
            event = load(stored)
            if event.secret is not None and event.owner != viewer:
                found.append(str(event.salt))
                found += [str(value) for value in (getattr(event.secret, "root", None),) if value]
                found += [str(value) for name in ("token_hash", "invite_hash") if (value := getattr(event.secret, name, None))]
    return found


def _hidden_cards(table: Table, store: Any, viewer: str | None) -> set[str]:
    """Cards nobody has told `viewer` of: all that were never in its own sealed parts nor played face up."""
    known: set[str] = set()
    every: set[str] = set()
    for commit in store.read(table.game):
        for stored in commit.events:
            event = load(stored)
            if isinstance(event.secret, Stock):
                known, every = set(), set(event.secret.stock)
            if event.owner == viewer and isinstance(event.secret, OneCard):
                known.add(event.secret.card)
            if event.owner == viewer and isinstance(event.secret, Exchanged):
                known |= {*event.secret.discarded, *event.secret.drawn}
            if hasattr(event.data, "card"):
                known.add(event.data.card)
    return every - known


@pytest.mark.parametrize("rules", [{"max_hands": 1}, {"max_hands": 1, "second_card": "seen"}])
def test_no_reader_receives_a_card_a_salt_or_the_root_it_may_not_have(client: FlaskClient, store: Any, rules: Any) -> None:
    table = Table(client, rules)
    table.move("north", "double_nil")  # so that there is an exchange
    moves = 0
    while table.view()["phase"] != "ended":
        view = table.view()
        if moves % 4 == 0 or view["phase"] in ("exchange", "bidding"):
            for viewer in ("south", "north", None):
                _search(table, store, viewer)
        _step(table, view["turn"])
        moves += 1


def _search(table: Table, store: Any, viewer: str | None) -> None:
    secrets, cards = _secrets(table, store, viewer), _hidden_cards(table, store, viewer)
    drawn = table.view(viewer).get("you", {}).get("drawn") if viewer else None
    for path in READINGS:
        answer = table.get(path, viewer)
        text = answer.text + str(answer.headers)
        assert not [secret for secret in secrets if secret in text], (viewer, path)
        told = [card for card in cards if f'"{card}"' in text and card != drawn]
        sentences = [card for card in cards if f" {card}" in text and card != drawn]
        assert not told, (viewer, path, told)
        assert not sentences, (viewer, path, sentences)


def _step(table: Table, seat: str) -> None:
    option = table.view(seat)["you"]["legal"][0]
    match option["type"]:
        case "exchange":
            table.move(seat, "exchange", discard=option["discard"]["of"][:3])
        case "bid":
            table.move(seat, "bid", tricks=4)
        case "play":
            table.move(seat, "play", card=option["card"][0])
        case kind:
            table.move(seat, kind)

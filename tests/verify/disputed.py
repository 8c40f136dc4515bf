"""Records with disputes and corrections for the two verifiers: honest, and each with damages of the events after play."""

import json
import random
from collections.abc import Iterator
from typing import Any

from events import record
from events.cards import SEATS, Seat
from tests.kit.disputes import due, miscounting, more, opened, settled
from tests.kit.entropy import Scripted
from tests.kit.games import Game
from tests.kit.logs import SIGNER
from tests.kit.random_games import random_game
from tests.verify.damage import STRANGE, Case, Dice, Parts, a_key, a_value, an_order, by_the_service, leaves, near

REVIEW = ("dispute_opened", "dispute_settled", "score_corrected")
RULES: tuple[dict[str, Any], ...] = (
    {"max_hands": 2},
    {"max_hands": 2, "bag_limit": 2, "bag_penalty": 30, "failed_nil": "bags_and_points"},
    {"target": 50, "max_hands": 2, "bag_carry": "zero", "bag_limit": 3},
)


def disputed_game(seed: int) -> Game:
    """A game with disputes while it goes on and after it; of three in four some lines were recorded wrongly, and put right."""
    dice = Dice(seed)
    seat: Seat = dice.choice(SEATS)
    wrong = more(dice.choice((-130, 7, 100)), dice.choice((0, 0, 1)))
    end = dice.choice((None, None, None, "resign"))
    often = dice.choice((50, 90))

    def meanwhile(game: Game) -> None:
        o = game.table.open
        waiting = [d.n for d in o.disputes if d.settled is None]
        if o.hand and len(game.commits) % often == 0 and not waiting and len(o.disputes) < 4:
            opened(game, dice.choice(SEATS), note="é" * dice.choice((0, 500)))
        elif waiting and len(game.commits) % 13 == 0:
            corrections = due(game) if dice.random() < 0.4 else {}
            settled(game, waiting[0], dice.choice(("upheld", "rejected")), corrections=corrections)

    most = dice.randrange(90, 130) if end else None
    with miscounting(wrong, seat, dice.choice(((), (1,), (1, 2), (2,)))):
        game = random_game(
            seed, RULES[seed % len(RULES)], contributions=SEATS, each=meanwhile, most=most, end=end, entropy=Scripted(seed)
        )
    if not any(d.settled is None for d in game.table.open.disputes):
        opened(game, dice.choice(SEATS), note="Count again.")
    (n,) = [d.n for d in game.table.open.disputes if d.settled is None][:1]
    settled(game, n, "upheld", corrections=due(game), reason="x" * 500)
    return game


def _of_the_review(parts: Parts, dice: Dice) -> str:
    """One damage of the events of disputes."""
    kind = dice.choice(("value", "value", "value", "strange", "key", "order", "copied", "gone", "time", "early"))
    places = parts.where(*REVIEW)
    i = dice.choice(places + 2 * parts.where("score_corrected"))
    mine = Parts.__new__(Parts)
    mine.events = [parts.events[i]]
    if kind == "value":
        return a_value(mine, dice)
    if kind == "strange":
        data = parts.events[i]["public"]["data"]
        data[dice.choice(list(data))] = dice.choice(STRANGE)
    elif kind == "key":
        return a_key(mine, dice)
    elif kind == "time":
        for event in parts.events[i : dice.choice((i + 1, len(parts.events)))]:
            event["public"]["at"] += 1000
    elif kind == "gone":
        del parts.events[i]
    elif kind == "copied":
        parts.events.insert(dice.choice((i + 1, len(parts.events))), json.loads(json.dumps(parts.events[i])))
    elif kind == "early":
        parts.events.insert(dice.randrange(len(parts.events)), parts.events.pop(i))
    else:
        return an_order(parts, dice)
    parts.renumber()
    return f"{kind} of {i + 1}"


def _every_field(game: Game) -> Iterator[Case]:
    """Each value of the last dispute, its settlement and a correction, a little another."""
    raw = record.write(game.record())
    for name in REVIEW:
        for path in leaves(Parts(raw).events[Parts(raw).where(name)[-1]]["public"]["data"]):
            parts = Parts(raw)
            value = parts.events[parts.where(name)[-1]]["public"]["data"]
            for key in path[:-1]:
                value = value[key]
            value[path[-1]] = near(Dice(1), value[path[-1]])
            yield Case(f"{name} with another {path}", by_the_service(parts), None, SIGNER.key.id)


V2: tuple[dict[str, Any], ...] = (
    {"listed": True}, {"rated": True}, {"listed": False}, {"rated": 1}, {"names": {"north": "Ann", "south": "Bo"}},
    {"names": {"north": "Ann"}}, {"names": {"north": "Ann", "south": "x" * 65}}, {"after": "0k7f3x9q2m5v8w1c"},
    {"after": "0k7f3x9q2m5v8w1C"}, {"after": ""}, {"listed": True, "rated": True, "after": "0k7f3x9q2m5v8w1c"},
    {"listed": False, "rated": False}, {"unlisted": True},
)  # fmt: skip


def disputed_cases(games: int, damages: int) -> Iterator[Case]:
    """Honest records with disputes, so many damaged ones of each, and games of the second version of `game_created`."""
    pin = SIGNER.key.id
    for seed in range(games):
        dice, game = random.Random(f"disputes {seed}"), disputed_game(seed)
        raw = record.write(game.record())
        yield Case(f"disputed {seed}: honest, mended", raw, None, pin)
        for commit in [commit for commit in game.log() if commit.seq > game.table.open.version - 5]:
            parts = Parts(raw)
            del parts.events[commit.seq :]
            yield Case(f"disputed {seed}: up to {commit.seq}", by_the_service(parts), None, pin)
        for number in range(damages):
            parts = Parts(raw)
            said = _of_the_review(parts, dice)
            try:
                bad = by_the_service(parts)
            except (AttributeError, KeyError, TypeError, ValueError):
                bad = parts.write()
            yield Case(f"disputed {seed}, {number}: {said}", bad, None, pin)
    yield from _every_field(disputed_game(2))
    raw = record.write(random_game(0, {}, end="abandon").record())
    for more_of_it in V2:
        for version in (1, 2, 3):
            parts = Parts(raw)
            parts.events[0]["public"]["data"] |= more_of_it
            parts.events[0]["public"]["v"] = version
            yield Case(f"version {version} with {more_of_it}", by_the_service(parts), None, pin)

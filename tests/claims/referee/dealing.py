"""Sound sheets of random games at every depth, and what goes wrong with a sheet: a line dropped, doubled, swapped, misspelt."""

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.claims.referee.cards import takes
from tests.claims.referee.paper import CARDS, OTHER, SEATS, STANDARD
from tests.claims.referee.scorer import outcome, scored

RULES: tuple[dict[str, Any], ...] = (
    {}, {}, {"failed_nil": "bags"}, {"failed_nil": "bags_and_points", "bag_limit": 5}, {"bag_carry": "zero", "bag_limit": 3},
    {"max_hands": 2}, {"target": 60}, {"floor": -60}, {"bag_limit": 0},
    {"bag_penalty": 0, "nil_value": 0, "double_nil_value": 0},
    {"exchange_max": 0}, {"exchange_max": 1, "second_card": "seen"}, {"bag_limit": 2, "bag_penalty": 50}, {"max_hands": 1},
)  # fmt: skip
DEPTHS = ("whole", "play", "played", "score", "part", "part", "counted")
"""Whole; from held cards on; plays alone; bids and tricks; plays in part with a count, with held cards or without."""


def dealt(dice: random.Random) -> str:
    """A sound sheet: each of its figures is right, though not each may be proved by it."""
    changes = dice.choice(RULES)
    rules = {**STANDARD, **changes}
    first = dice.choice(SEATS)
    lines = ["trickbook-text 1", "north  Ann", "south  Bo"]
    lines += ["rules  " + " ".join(f"{name}={value}" for name, value in changes.items())] if changes else []
    lines += [f"first  {first}"] if first == "south" or dice.random() < 0.5 else []
    states = dict.fromkeys(SEATS, (0, 0))
    over, most = "none", dice.randint(1, 4)
    for number in range(1, most + 1):
        running = number == most and dice.random() < 0.25
        hand, bids, took = _hand(dice, first if number % 2 else OTHER[first], rules, stop=running)
        lines += ["", f"hand {number}", *hand]
        if running:
            if dice.random() < 0.5:
                totals = " ".join(f"{seat} {states[seat][0]}" for seat in SEATS)
                by = dice.choice(SEATS)
                lines += [f"end    {dice.choice(('resigned', 'timed_out'))} {by}", f"result {totals} winner {OTHER[by]}"]
            return "\n".join(lines) + "\n"
        parts = []
        for seat in SEATS:
            change, bags = scored(rules, bids[seat], took[seat], states[seat][1])
            states[seat] = (states[seat][0] + change, bags)
            parts.append(f"{seat} {change:+} {states[seat][0]} {bags}")
        lines += [f"score  {' '.join(parts)}"] if dice.random() < 0.9 else []
        over = outcome(rules, number, {seat: states[seat][0] for seat in SEATS})
        if over != "none":
            break
    totals = " ".join(f"{seat} {states[seat][0]}" for seat in SEATS)
    lines += ["", f"result {totals}" + (f" winner {over}" if over != "none" else "")] if dice.random() < 0.8 else []
    return "\n".join(lines) + "\n"


def _hand(
    dice: random.Random, first: str, rules: dict[str, Any], *, stop: bool
) -> tuple[list[str], dict[str, str], dict[str, int]]:
    """The lines of a hand that is played by chance, the bids and the tricks."""
    stock = dice.sample(CARDS, 52)
    doubles = [seat for seat in SEATS if dice.random() < 0.2]
    letters = [dice.choice("KT") for _ in range(26)]
    hands: dict[str, list[str]] = {"north": [], "south": []}
    pile = []
    for turn, letter in enumerate(letters):
        pair = stock[2 * turn : 2 * turn + 2]
        hands[first if turn % 2 == 0 else OTHER[first]].append(pair[letter == "T"])
        pile.append(pair[letter == "K"])
    exchanges = []
    for seat in (OTHER[first], first):
        if seat in doubles and rules["exchange_max"]:
            count = dice.randint(0, rules["exchange_max"])
            thrown, drawn = dice.sample(hands[seat], count), dice.sample(pile, count)
            hands[seat] = [card for card in hands[seat] if card not in thrown] + drawn
            pile = [card for card in pile if card not in drawn] + thrown
            exchanges.append(" ".join(("exchange", seat, *thrown, ">", *drawn)))
    held = {seat: list(hands[seat]) for seat in SEATS}
    plays, took = _played(dice, held, OTHER[first])
    bids = {seat: "double_nil" if seat in doubles else _bid(dice, took[seat]) for seat in SEATS}
    depth = dice.choice(DEPTHS)
    shown = dice.randint(0, 12) if stop else dice.randint(0, 13) if depth == "part" else 13
    lines = []
    if depth == "whole":
        lines = [
            "stock  " + " ".join(stock),
            *(f"double_nil {seat}" for seat in doubles),
            "draft  " + " ".join(letters),
            *exchanges,
        ]
        lines += [f"held   {seat} {' '.join(hands[seat])}" for seat in SEATS if dice.random() < 0.2]
        if dice.random() < 0.2:
            lines = [line for line in lines if not line.startswith("draft")]
    elif depth == "play" or (depth == "part" and dice.random() < 0.5):
        lines = [f"held   {seat} {' '.join(hands[seat])}" for seat in SEATS if depth == "play" or dice.random() < 0.7]
        lines += exchanges if dice.random() < 0.5 else []
    lines.append(f"bids   south {bids['south']} north {bids['north']}")
    if depth not in ("score", "counted") and shown:
        lines.append("plays  " + " / ".join(plays[:shown]))
    if not stop and (depth in ("score", "counted", "part") or dice.random() < 0.2):
        lines.append(f"tricks north {took['north']}" + (f" south {took['south']}" if depth != "counted" else ""))
    return lines, bids, took


def _bid(dice: random.Random, took: int) -> str:
    if dice.random() < (0.5 if took == 0 else 0.08):
        return "nil"
    return str(min(13, max(1, took + dice.choice((-4, -2, -1, 0, 0, 1)))))


def _played(dice: random.Random, held: dict[str, list[str]], leader: str) -> tuple[list[str], dict[str, int]]:
    plays, took, broken = [], {"north": 0, "south": 0}, False
    keen = dice.random() < 0.3  # a seat that always plays low takes few tricks
    for _ in range(13):
        plain = [card for card in held[leader] if card[1] != "S"]
        led = dice.choice(held[leader] if broken or not plain else plain)
        held[leader].remove(led)
        other = OTHER[leader]
        same = [card for card in held[other] if card[1] == led[1]] or held[other]
        reply = min(same, key=CARDS.index) if keen and other == "north" else dice.choice(same)
        held[other].remove(reply)
        broken = broken or "S" in (led[1], reply[1])
        plays.append(f"{leader} {led} {reply}")
        leader = takes(leader, led, reply)
        took[leader] += 1
    return plays, took


KINDS = (
    "drop",
    "double",
    "swap",
    "misspell",
    "number",
    "word",
    "card",
    "trade",
    "seat",
    "short",
    "end",
    "value",
    "count",
    "late",
    "held",
)


def changed(dice: random.Random, text: str, kinds: Sequence[str] = KINDS) -> str:
    """The sheet with one line dropped, doubled, swapped with another or misspelt, or one or two words of it others."""
    lines = text.rstrip("\n").split("\n")
    written = [at for at, line in enumerate(lines) if line]
    at, to = dice.choice(written), dice.choice(written)
    words = lines[at].split(" ")
    spot, other = dice.randrange(len(words)), dice.randrange(len(words))
    kind = dice.choice(kinds)
    if kind == "drop":
        del lines[at]
    elif kind == "double":
        lines.insert(to, lines[at])
    elif kind == "swap":
        lines[at], lines[to] = lines[to], lines[at]
    elif kind == "misspell" and lines[at]:
        letter = dice.randrange(len(lines[at]))
        mark = dice.choice("abcdehiklmnorstuwACDHJKQST0123456789_ -+>/")
        lines[at] = lines[at][:letter] + mark + lines[at][letter + dice.randint(0, 1) :]
    elif kind == "seat":
        lines[at] = re.sub(r" (north|south)( [-+\w]+)+?(?= north| south| winner|$)", _gone(dice), lines[at])
    elif kind == "short":
        lines[at] = " / ".join(lines[at].split(" / ")[: dice.randint(1, 13)])
        lines[at] = lines[at].rsplit(" ", 1)[0] if lines[at].startswith("plays") and dice.random() < 0.3 else lines[at]
    elif kind == "end":
        ends = (
            "end resigned north",
            "end timed_out south",
            "end abandoned",
            "result north 0 south 0 winner draw",
            "tricks north 4",
        )
        lines.insert(dice.choice((at, len(lines))), dice.choice(ends))
    elif kind == "count":
        north = dice.randint(0, 13)
        lines[_line(dice, lines, "tricks", at)] = f"tricks north {north} south {13 - north}"
    elif kind == "late":  # a seat plays two cards in the other order
        at = _line(dice, lines, "plays", at)
        words = lines[at].split(" ")
        cards = [i for i, word in enumerate(words) if word in CARDS]
        if len(cards) > 1:
            one, two = dice.sample(cards, 2)
            words[one], words[two] = words[two], words[one]
        lines[at] = " ".join(words)
    elif kind == "held":
        at = _line(dice, lines, "held", at)
        words = lines[at].split(" ")
        words[-dice.randint(1, min(13, len(words)))] = dice.choice(
            dice.choice(([word for word in words if word in CARDS] or words, CARDS))
        )
        lines[at] = " ".join(words)
    elif kind == "value":
        lines[at] = re.sub(r"(north|south|draw)$", lambda _: dice.choice((*SEATS, "draw")), lines[at])
        lines[at] = re.sub(r"^(\w+) (.*)winner \w+$", r"\1 \2", lines[at]) if dice.random() < 0.3 else lines[at]
    else:
        numbers = [i for i, word in enumerate(words) if word.lstrip("+-").isdigit()]
        cards = [i for i, word in enumerate(words) if word in CARDS]
        if kind == "number" and numbers:
            chosen = dice.choice(numbers)
            words[chosen] = str(int(words[chosen]) + dice.choice((-100, -10, -1, 1, 2, 10, 100)))
        elif kind == "card" and cards:
            words[dice.choice(cards)] = dice.choice(CARDS)
        elif kind == "trade":
            words[spot], words[other] = words[other], words[spot]
        else:
            words[spot : spot + 1] = dice.choice(((), ("north",), ("south",), ("nil",), (words[spot],) * 2))
        lines[at] = " ".join(words)
    return "\n".join(lines) + "\n"


def _line(dice: random.Random, lines: list[str], word: str, at: int) -> int:
    """One of the lines that begin with a word, or the line `at` where there is none."""
    return dice.choice([i for i, line in enumerate(lines) if line.startswith(word)] or [at])


def _gone(dice: random.Random) -> Callable[[re.Match[str]], str]:
    """Drops each seat's part of a line by chance."""
    return lambda part: "" if dice.random() < 0.4 else part.group(0)

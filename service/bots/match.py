"""Whole games between two bots at a seeded table, and the benchmark made of them: ``python -m service.bots.match [GAMES]``.

It prints the table that stands in ``docs/bots-benchmark.md``; it writes nothing.
"""

import random
import sys
import time
from collections.abc import Callable
from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import STANDARD, Ruleset
from events.types import Reason
from service.bots import highest_card_move, house_move, random_move
from service.bots.kinds import Bot, Move, View
from service.bots.seeded import seen_by, start, step


class PlayedMatch(msgspec.Struct, frozen=True):
    """A game played to its end: its hands, and by seat the moves, the seconds of processor time they took together and the
    longest of them."""

    winner: Seat | None
    reason: Reason
    hands: int
    moves: dict[Seat, int]
    seconds: dict[Seat, float]
    longest: dict[Seat, float]


def play(north: Bot, south: Bot, seed: int, rules: Ruleset = STANDARD, first: Seat = "north") -> PlayedMatch:
    """Plays one game to its end."""
    bots: dict[Seat, Bot] = {"north": north, "south": south}
    table, entropy = start(seed, rules, first)
    count, seconds, longest = dict.fromkeys(SEATS, 0), dict.fromkeys(SEATS, 0.0), dict.fromkeys(SEATS, 0.0)
    while (seat := table.open.turn) is not None:
        seen = seen_by(table, seat)
        began = time.thread_time()
        move = bots[seat](seen)
        took = time.thread_time() - began
        count[seat] += 1
        seconds[seat] += took
        longest[seat] = max(longest[seat], took)
        table = step(table, move, entropy)
    result = table.open.result
    assert result is not None, "nobody is on turn only once the game has ended"
    return PlayedMatch(result.winner, result.reason, table.open.hand, count, seconds, longest)


def drawing(bot: Callable[[View, random.Random], Move], seed: int) -> Bot:
    """A bot that draws lots, with lots of its own."""
    chance = random.Random(f"lots {seed}")  # noqa: S311 - a bot's whims
    return lambda seen: bot(seen, chance)


class MatchRow(msgspec.Struct, frozen=True):
    """A line of the table: the first bot's wins of so many games, mean hands, and its ms a move: mean and worst."""

    pair: str
    games: int
    wins: int
    draws: int
    hands: float
    mean_ms: float
    worst_ms: float


def series(
    name: str, bot: Callable[[int], Bot], against: str, other: Callable[[int], Bot], seeds: range, rules: Ruleset = STANDARD
) -> MatchRow:
    """A game a seed: `bot` sits north in the odd seeds, and the first player alternates every second seed, so that each
    of the four arrangements comes equally often."""
    wins = draws = hands = count = 0
    seconds = worst = 0.0
    for seed in seeds:
        seat: Seat = "north" if seed % 2 else "south"
        first: Seat = "north" if seed // 2 % 2 else "south"
        pair = (bot(seed), other(seed)) if seat == "north" else (other(seed), bot(seed))
        game = play(*pair, seed, rules, first)
        wins += game.winner == seat
        draws += game.winner is None
        hands += game.hands
        count += game.moves[seat]
        seconds += game.seconds[seat]
        worst = max(worst, game.longest[seat])
    games = len(seeds)
    return MatchRow(f"{name} – {against}", games, wins, draws, hands / games, 1000 * seconds / count, 1000 * worst)


BOTS: Final[dict[str, Callable[[int], Bot]]] = {
    "house": lambda _: house_move,
    "highest card": lambda _: highest_card_move,
    "random": lambda seed: drawing(random_move, seed),
}
PAIRS: Final = (
    ("house", "random"), ("house", "highest card"), ("house", "house"), ("highest card", "random"), ("random", "random"),
)  # fmt: skip


def benchmark(games: int = 100) -> list[MatchRow]:
    """Every pair over the seeds 1 to `games`."""
    return [series(a, BOTS[a], b, BOTS[b], range(1, games + 1)) for a, b in PAIRS]


def markdown(rows: list[MatchRow]) -> str:
    """The rows as the table of ``docs/bots-benchmark.md``."""
    head = [
        "| bot – opponent | games | won | drawn | mean hands | ms a move | longest, ms |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    return "\n".join(
        head
        + [
            f"| {r.pair} | {r.games} | {r.wins} | {r.draws} | {r.hands:.1f} | {r.mean_ms:.2f} | {r.worst_ms:.0f} |"
            for r in rows
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(markdown(benchmark(int(sys.argv[1]) if len(sys.argv) > 1 else 100)) + "\n")

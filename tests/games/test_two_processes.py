"""Two processes on one game, each with a cache that is often behind: the log is one, and every answer is given again."""

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from projections.audit import audit, from_commits
from service.bots import any_move
from tests.api.players import Table, key
from tests.games.conftest import Process

REFUSED = {"not_your_turn", "wrong_phase", "game_over", "version_mismatch", "card_not_held", "must_follow_suit"}


@pytest.mark.parametrize("seed", range(3))
def test_whichever_process_is_asked_every_key_gets_its_first_answer(process: Process, other: Process, seed: int) -> None:
    dice = random.Random(seed)
    table = Table(process.client, {"max_hands": 1})
    both = [table, other.at(table)]
    answered: list[tuple[str, dict[str, Any], str, bytes]] = []
    while (view := dice.choice(both).view())["phase"] != "ended":
        seat = view["turn"]
        move = any_move(dice.choice(both).view(seat), dice)
        for here in dice.choices(both, k=dice.choice((1, 1, 2))):
            one = key()
            answer = here.post(seat, move, one)
            if answer.status_code == 201:
                answered.append((seat, move, one, answer.data))
            else:
                assert answer.json["code"] in REFUSED
        if dice.random() < 0.2:
            seat, move, one, first = dice.choice(answered)
            again = dice.choice(both).post(seat, move, one)
            assert (again.data, again.headers["Idempotency-Replayed"]) == (first, "true")
    for seat, move, one, first in dice.sample(answered, 20):
        for here in both:
            assert here.post(seat, move, one).data == first
    assert audit(from_commits(table.game, process.games.log(table.game))).findings == ()


def test_both_processes_at_once_make_one_log(process: Process, other: Process) -> None:
    table = Table(process.client, {"max_hands": 1})

    def play(here: Table, seat: str, seed: int) -> list[tuple[str, dict[str, Any], str, bytes]]:
        dice, made = random.Random(seed), []
        while (view := here.view(seat))["phase"] != "ended":
            if view["turn"] != seat:
                here.get("?wait=1", seat, **{"If-None-Match": f'"{view["version"]}.{view["head"]}"'})
                continue
            move, one = any_move(view, dice), key()
            answer = here.post(seat, move, one)
            if answer.status_code == 201:
                made.append((seat, move, one, answer.data))
            else:
                assert answer.json["code"] in REFUSED
        return made

    with ThreadPoolExecutor(4) as pool:
        players = [
            pool.submit(play, here.at(table), seat, number)
            for number, (here, seat) in enumerate((here, seat) for here in (process, other) for seat in ("north", "south"))
        ]
        made = [each for player in players for each in player.result(120)]
    commits = process.games.log(table.game)
    assert audit(from_commits(table.game, commits)).findings == ()
    assert len(made) == len(commits) - 2
    for seat, move, one, first in random.Random(0).sample(made, 10):
        assert other.at(table).post(seat, move, one).data == first

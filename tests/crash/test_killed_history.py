"""`kill -9` in the middle of writing the high-water file, of a backup, of a restore, and of accepting a loss.

`TRICKBOOK_HISTORY_ROUNDS=100` makes as many rounds of each as one likes; CI makes a few.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from events.log import load
from events.memory import MemoryStore
from events.redis_store import RedisStore
from events.store import FrozenGame, LogHead
from events.types import GameEnded, LossAccepted
from projections.audit import audit, from_commits
from service.base.high_water import FILE, read_file
from service.client.http import Client
from service.operations import backup_file, operator_actions
from service.operations.backup_file import BadBackup
from service.operations.drafts import _SUFFIX
from tests.clocks.tables import Hand, games_on
from tests.clocks.tables import Table as PlayedTable
from tests.crash.service import Service
from tests.crash.tables import Table
from tests.kit.servers import Servers

ROUNDS = int(os.environ.get("TRICKBOOK_HISTORY_ROUNDS", "4"))
SEED = 12

WRITER = """
import sys
from pathlib import Path
from events.store import LogHead
from service.base import high_water
high_water._GROWN = 500  # it is compacted again and again
water = high_water.HighWater(Path(sys.argv[1]))
water.service = "5" * 64
for version in range(int(sys.argv[2]), 10**9):
    for number in range(8):
        water.add("0" * 15 + str(number), LogHead(version, bytes([number]) * 32))
    water.flush(compact=True)
    print(version, flush=True)
"""


@pytest.fixture
def servers() -> Iterator[Servers]:
    found = Servers()
    yield found
    found.end()


def behind(path: Path, version: int) -> list[str]:
    """The games whose place in the file is below a version that was written down."""
    places = read_file(path)
    games = [f"{'0' * 15}{number}" for number in range(8)]
    return [game for game in games if places.get(game, LogHead(0, b"")).version < version]


def test_the_file_has_every_place_that_was_written_down(tmp_path: Path) -> None:
    chance, version, sizes = random.Random(SEED), 1, []
    for _ in range(ROUNDS * 2):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(version)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        wanted = version + chance.randrange(1, 60)
        for line in writer.stdout:
            version = int(line)
            if version >= wanted:
                break
        time.sleep(chance.random() / 200)
        writer.kill()
        rest = writer.stdout.read()
        writer.wait(10)
        writer.stdout.close()
        version = int(rest.splitlines()[-1]) if rest.strip() and rest.endswith("\n") else version
        assert behind(tmp_path / FILE, version) == []
        sizes.append((tmp_path / FILE).stat().st_size)
        version += 1
    assert max(sizes) < 10_000, "it was compacted"


def test_the_checker_of_the_file_finds_a_place_that_is_missing(tmp_path: Path) -> None:
    """The planted fault: a file that is written in place, and cut by the kill."""
    lines = [f"{'0' * 15}{number} 7 {'ab' * 32}\n" for number in range(8)]
    (tmp_path / FILE).write_text("".join(lines))
    assert behind(tmp_path / FILE, 7) == []
    (tmp_path / FILE).write_text("".join(lines)[:-3])
    assert behind(tmp_path / FILE, 7) == [f"{'0' * 15}7"]


def interrupted(service: Service, begun: Callable[[], Any], seconds: float, *arguments: str) -> None:
    """Runs a command, which is killed so many seconds after it has begun its work, unless it is done before."""
    with subprocess.Popen(
        service.command(*arguments), env=service.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        limit = time.monotonic() + 20
        while running.poll() is None and not begun() and time.monotonic() < limit:
            pass
        try:
            running.wait(seconds)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.wait(10)


def whole(path: Path) -> bool:
    """Whether a file that has the name of a backup is one."""
    try:
        backup_file.summary_of(path)
    except BadBackup:
        return False
    return True


@pytest.mark.parametrize("kind", ["embedded", "external"])
def test_a_killed_backup_or_restore_leaves_all_or_nothing_and_can_be_repeated(
    kind: str, servers: Servers, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    stores = [servers.start().url if kind == "external" else None for _ in range(2)]
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first, second = (Service(tmp_path / name / "data", url) for name, url in zip(("first", "second"), stores, strict=True))
    first.start()
    tables = [Table(first.url, seed) for seed in range(12)]
    for table in tables:
        table.move()
    cut = dict.fromkeys(("backup", "restore", "part"), 0)
    known: set[Path] = set()

    def draft(where: Path, name: str) -> bool:
        """Whether there is a draft that was not there before."""
        found = set(where.glob(f".{name}.*{_SUFFIX}")) - known
        known.update(found)
        return bool(found)

    try:
        for number in range(ROUNDS):
            file = tmp_path / f"{number}.backup"
            begun = partial(draft, tmp_path, file.name)
            interrupted(first, begun, chance.random() / 30, "backup", "--to", str(file))
            assert not file.exists() or whole(file)
            cut["backup"] += not file.exists()
        file = tmp_path / "last.backup"
        first.run("backup", "--to", str(file))
    finally:
        first.stop()
    with contextlib.ExitStack() as stack:
        store = None if stores[1] is None else stack.enter_context(contextlib.closing(RedisStore(stores[1])))
        for _ in range(ROUNDS):
            begun = partial(draft, tmp_path / "second", "data")
            interrupted(second, begun, chance.random() * (0.5 if store is None else 0.05), "restore", str(file))
            if store is None:
                cut["restore"] += not second.data.exists()
            elif store.restoring() is not None:
                cut["part"] += 1
                second.run("serve", "--port", str(second.port), code=5)  # nobody plays on a part of a backup
            if (second.data / "signing-key").exists() and (store is None or store.restoring() is None):
                shutil.rmtree(second.data)  # it was done before the kill
                if store is not None:
                    store.client.flushall()
    second.run("restore", str(file))
    print(f"killed: {cut}")
    assert list(second.data.parent.glob(".*")) == [], "what was left of killed restores is removed"
    second.start()
    try:
        assert Client(second.url).get("/readyz")["frozen"] == 0
        for table in tables:
            table.seats = {seat: Client(second.url, token=client.token) for seat, client in table.seats.items()}
            assert [table.post(receipt) for receipt in table.receipts] == ["in_log"] * len(table.receipts)
    finally:
        second.stop()


def test_the_checker_of_backups_finds_one_that_is_cut(tmp_path: Path) -> None:
    """The planted fault: the file has its name before it is whole."""
    with (tmp_path / "t").open("wb") as raw:
        backup_file.write(tmp_path / "t", raw, [{"trickbook_backup": 1, "made": 0}])
    assert whole(tmp_path / "t")
    (tmp_path / "t").write_bytes((tmp_path / "t").read_bytes()[:-9])
    assert not whole(tmp_path / "t")


class Killed(BaseException):
    """The process ends here."""


class Ending(MemoryStore):
    """A store whose user is killed after some calls that change it; the calls are done."""

    left = 10**9

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed

    def append(self, *args: Any, **named: Any) -> Any:
        done = super().append(*args, **named)
        self._count()
        return done

    def note(self, note: Any) -> None:
        super().note(note)
        self._count()

    def thaw(self, game: str) -> None:
        super().thaw(game)
        self._count()


@pytest.mark.parametrize("after", range(5))
def test_accepting_a_loss_can_be_repeated_after_a_kill_at_each_step(after: int) -> None:
    clock = Hand()
    store = Ending(clock.now)
    table = PlayedTable(games_on(store, clock)).play(5)
    place = table.games.actual(table.game).at
    store.freeze(table.game, FrozenGame(place.version + 3, "ab" * 32))
    store.left = after
    with pytest.raises(Killed) if after < 4 else contextlib.nullcontext():
        operator_actions.accept_loss(games_on(store, clock), table.game, "no copy is left")
    store.left = 10**9
    if store.frozen(table.game) is not None:
        operator_actions.accept_loss(games_on(store, clock), table.game, "no copy is left")
    kinds = [type(load(stored).data) for commit in store.everything(table.game) for stored in commit.events]
    assert (kinds.count(LossAccepted), kinds.count(GameEnded)) == (1, 1)
    assert kinds[-2:] == [LossAccepted, GameEnded]
    assert store.frozen_games() == frozenset()
    assert audit(from_commits(table.game, store.everything(table.game))).verdict == "ok"

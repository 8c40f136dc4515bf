"""``trickbook demo``: two bots play one whole game over HTTP on the real server; then it is replayed and audited."""

import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from cli.audit import print_audit
from cli.commands import Command
from cli.failures import FAULT, NOT_TRUSTED, OK, Failure
from cli.replay import tell_story
from cli.sources import data_option, load_one
from cli.steps import between, steps_of
from cli.text import Style, say, tell
from projections.audit import audit as check
from service.bots import house_move
from service.client.player import Player
from service.client.witness import Suspicion, keeper

PORT = 8000


@click.command(cls=Command, examples=("trickbook demo", "trickbook demo --once"))
@click.option("--once", is_flag=True, help="End after the audit, with its exit code")
@click.option("--port", type=click.IntRange(1, 65535), help=f"[default: {PORT}, or a free one if that is taken]")
@click.option("--receipts", type=click.Path(dir_okay=False, path_type=Path), help="File for what the first bot keeps")
@data_option
def demo(once: bool, receipts: Path | None, port: int | None, data: Path | None) -> int:
    """Start store and server, let two bots play a game over HTTP, replay its last hand, audit it, and go on serving."""
    from service.base import settings
    from service.base.logs import configure_logging
    from service.embedded import EmbeddedStore, ServeLock, prepare
    from service.runtime import supervise
    from service.runtime.compose import data_directory
    from service.runtime.server_process import ServerProcess

    configure_logging(os.environ)
    directory = data_directory(os.environ, data)
    with ExitStack() as stack:
        if not os.environ.get(settings.REDIS_URL):
            chosen = port or _free(PORT)
            stack.enter_context(ServeLock.take(prepare(directory), "127.0.0.1", chosen))
            stack.enter_context(EmbeddedStore.open(directory)).watch()
        else:
            chosen = port or _free(PORT)
        log = prepare(directory).root / "demo.log"
        environment = {settings.DATA: str(directory)}
        server = stack.enter_context(
            ServerProcess.start("service.runtime.web_process:create_from_environment", log=log, port=chosen, env=environment)
        )
        tell(f"Trickbook serves {server.url}; two bots sit down")
        begun = time.monotonic()
        game, moves = play(server.url, receipts)
        tell(f"{moves} moves over HTTP in {time.monotonic() - begun:.1f} s")
        code = _report(game, data)
        say()
        say(f"The game is {game}, data lives in {directory}.")
        say(f"Look at it: trickbook replay {game}" + (f" --data {data}" if data else ""))
        if receipts is not None:
            say(f"Check it:   trickbook verify {server.url}/v1/games/{game} --receipts {receipts}")
        say(f"Over HTTP:  curl {server.url}/v1/games/{game}/scoresheet")
        if not once:  # lists and jobs are for games to come; until now they would only have slowed the bots
            stack.enter_context(supervise.Children(supervise.known(), {**os.environ, **environment}, log_file=log))
            say(f"In a browser: {server.url}/g/{game}, or play a game of your own at {server.url}/")
            say("Serving until Ctrl-C.")
            _until_interrupted(server)
        return code


def _free(port: int) -> int:
    """The port, or a free one where it is taken."""
    from service.runtime.ports import CannotServe, check_address, free_port

    try:
        check_address("127.0.0.1", port)
    except CannotServe:
        return free_port("127.0.0.1")
    return port


def play(url: str, receipts: Path | None = None) -> tuple[str, int]:
    """Two bots, each with its own token alone, play one game of the standard rules to its end; its id and their moves.

    Each brings bytes of its own to the shuffle and checks everything it receives. Raises `Failure` where a check fails.
    """
    north, south = Player(url, None if receipts is None else keeper(receipts)), Player(url)
    created = north.create("Ann Bot")
    south.join(created["game"], "Bo Bot", created["invite"])
    failures: list[BaseException] = []
    made: list[int] = []

    def sit(player: Player) -> None:
        try:
            made.append(player.play(house_move))
        except BaseException as error:  # told by the main thread
            failures.append(error)

    threads = [threading.Thread(target=sit, args=(player,), daemon=True) for player in (north, south)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)  # in pieces, so that Ctrl-C is heard
            if failures:
                code = NOT_TRUSTED if isinstance(failures[0], Suspicion) else FAULT
                raise Failure(f"a bot gave up: {failures[0]}", code)
    return created["game"], sum(made)


def _report(game: str, data: Path | None) -> int:
    """The last hand as a replay and the game as an audited score sheet; the audit's exit code."""
    loaded, style = load_one(game, data), Style()
    found = steps_of(loaded, None)
    last = str(found.steps[-1].hand)
    tell_story(between(found.steps, last, None), style)
    say()
    result = check(loaded.source)
    print_audit(loaded, result, style)
    return OK if result.verdict == "ok" else NOT_TRUSTED


def _until_interrupted(server: Any) -> None:
    """Serves until Ctrl-C, which is the ordinary end of a demo."""
    try:
        server.wait()
    except KeyboardInterrupt:
        tell("ending")

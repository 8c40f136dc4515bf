"""``trickbook serve``: the service on one port, with its own store unless another is named."""

import os
from contextlib import ExitStack
from pathlib import Path

import click

from cli.commands import Command
from cli.sources import data_option
from cli.text import tell

_LATER_SECONDS = 1.0  # the service answers first, then the rest is started


@click.command(
    cls=Command,
    examples=(
        "trickbook serve",
        "trickbook serve --port 9000 --data ./games",
        "TRICKBOOK_REDIS_URL=redis://db:6379 trickbook serve",
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), default=None, help="Web processes")
@click.option("--no-worker", is_flag=True, help="Do not follow and do no jobs: `trickbook worker` does, here or elsewhere")
@data_option
def serve(host: str, port: int, workers: int | None, no_worker: bool, data: Path | None) -> int:
    """Serve games over HTTP until Ctrl-C.

    Without TRICKBOOK_REDIS_URL it runs a store of its own in the data directory, where the service secret and the signing
    key live as well. Beside the web processes it runs what works across games: a follower, and a worker for jobs.
    """
    from service.base import settings
    from service.base.logs import configure_logging
    from service.embedded import ServeLock, prepare
    from service.operations.durability import MEANING
    from service.operations.history_report import lost_history, truncation
    from service.operations.store_start import wait_for_start
    from service.operations.store_state import StoreState
    from service.runtime import server, supervise
    from service.runtime.compose import data_directory, open_identity, open_store, work_url
    from service.runtime.history import History
    from service.runtime.ports import check_address

    configure_logging(os.environ)
    chosen = settings.read(os.environ)
    directory = data_directory(os.environ, data)
    check_address(host, port)
    with ExitStack() as stack:
        if not os.environ.get(settings.REDIS_URL):
            stack.enter_context(ServeLock.take(prepare(directory), host, port))
        opened = stack.enter_context(open_store(os.environ, directory))
        wait_for_start(opened.store, tell)
        history = History(directory, opened)
        history.watch(start=True)
        work_url(os.environ, opened)
        open_identity(os.environ, directory, opened.store)
        history.require_own()
        durability = opened.ready()
        if opened.embedded is not None:
            opened.embedded.watch()
        shown = f"[{host}]" if ":" in host else host
        tell(f"Trickbook serves http://{shown}:{port} (Ctrl-C ends it)")
        tell(f"data in {directory}; {durability}: {MEANING[durability]}")
        for line in (*truncation(opened, directory), *lost_history(history.comparison)):
            tell(line)
        for concern in (*StoreState(opened).concerns(), *history.concerns()):
            tell(f"Warning: {concern.message}{'; no new games meanwhile' if concern.refuses_new_games else ''}")
        held = server.connection_limit(chosen.connections, chosen.threads)
        if held < chosen.connections:
            tell(
                f"each web process holds at most {held} connections instead of {chosen.connections}: the limit of open files "
                "is low (raise it with `ulimit -Hn`)"
            )
        if not no_worker:
            environment = {**os.environ, settings.DATA: str(directory)}
            stack.enter_context(supervise.Children(supervise.known(), environment, delay=_LATER_SECONDS))
        return server.run_server(
            "service.runtime.web_process:create_from_environment",
            host=host,
            port=port,
            workers=workers or server.WORKERS,
            threads=chosen.threads,
            connections=chosen.connections,
            env={settings.DATA: str(directory)},
        )

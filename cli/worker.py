"""``trickbook worker``: what works across games, alone, beside a `serve` that runs without it or on another machine."""

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import click

from cli.commands import Command
from cli.failures import INTERRUPTED, OK, USAGE, Failure
from cli.sources import data_option
from cli.text import tell


@click.command(
    cls=Command,
    examples=("trickbook worker", "trickbook worker --no-follower", "TRICKBOOK_REDIS_URL=redis://db:6379 trickbook worker"),
)
@click.option("--no-follower", is_flag=True, help="Do jobs alone")
@click.option("--no-jobs", is_flag=True, help="Follow alone")
@data_option
def worker(no_follower: bool, no_jobs: bool, data: Path | None) -> int:
    """Run a follower and a worker for jobs until Ctrl-C, as `serve` does by itself.

    Any number may run on one store. They need the same service secret and signing key as the service.
    """
    from service.base import settings
    from service.base.logs import configure_logging
    from service.operations.store_start import wait_for_start
    from service.runtime import supervise
    from service.runtime.compose import data_directory, open_identity, open_store, work_url

    if no_follower and no_jobs:
        raise Failure("with --no-follower and --no-jobs there is nothing to run: leave one out", USAGE)
    left_out = {"follower": no_follower, "jobs": no_jobs}
    names = [name for name in supervise.known() if not left_out[name]]
    configure_logging(os.environ)
    settings.read(os.environ)
    directory = data_directory(os.environ, data)
    # Waited for, not handled: a handler could come while this thread holds the lock that the handler needs.
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    with ExitStack() as stack:
        opened = stack.enter_context(open_store(os.environ, directory))
        wait_for_start(opened.store, tell)
        work_url(os.environ, opened)
        open_identity(os.environ, directory, opened.store)
        if opened.embedded is not None:
            opened.embedded.watch()
        environment = {**os.environ, settings.DATA: str(directory)}
        stack.enter_context(supervise.Children(names, environment))
        tell(f"Trickbook works: {', '.join(names) or 'nothing there to run'} (Ctrl-C ends it)")
        ended_by = signal.sigwait(ends)
    return INTERRUPTED if ended_by == signal.SIGINT else OK

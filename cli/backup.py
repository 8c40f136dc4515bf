"""``trickbook backup`` and ``trickbook restore``: everything a service needs, in one file, and back."""

import os
from pathlib import Path

import click

from cli.commands import Command
from cli.failures import NOT_ALLOWED, NOT_TRUSTED, UNREACHABLE, Failure
from cli.sources import data_option
from cli.text import tell


@click.command(
    cls=Command,
    examples=("trickbook backup --to trickbook-monday.backup", "trickbook backup --to /mnt/safe/t.backup --data ./games"),
)
@click.option("--to", "to", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="A new file")
@data_option
def backup(to: Path, data: Path | None) -> None:
    """Write the games, the journal and the keys of a service to one file, while it runs.

    The file is read back before the command ends. It contains the service secret and the signing keys, so its mode is 0600:
    keep it as safe as the data directory. `trickbook restore` restores it. With TRICKBOOK_REDIS_URL it is made of that store.
    """
    from service.base.clock import SystemClock
    from service.base.settings import REDIS_URL
    from service.operations.backup import back_up
    from service.operations.backup_file import BadBackup
    from service.runtime.compose import data_directory, open_identity, open_store

    directory = data_directory(os.environ, data)
    if not os.environ.get(REDIS_URL) and not (directory / "store").is_dir():
        raise Failure(f"{directory} holds no games: name the data directory of the service with --data DIR", UNREACHABLE)
    with open_store(os.environ, directory) as opened:
        if opened.store.identity() is None:
            raise Failure("the store holds no games of Trickbook: there is nothing to back up", UNREACHABLE)
        identity = open_identity(os.environ, directory, opened.store)
        try:
            done = back_up(opened.store, identity, directory, SystemClock().now(), to)
        except FileExistsError:
            raise Failure(f"{to} exists already: name a new file", NOT_ALLOWED) from None
        except BadBackup as error:
            raise Failure(str(error), NOT_TRUSTED) from None
        except OSError as error:
            raise Failure(f"{to} cannot be written: {error.strerror or error}", UNREACHABLE) from None
    tell(f"{to} is whole and was read back (games: {done.games}, log entries: {done.entries})")
    tell("It contains the service secret and the signing keys (mode 0600): keep it where only you can read it")


@click.command(
    cls=Command,
    examples=(
        "trickbook restore trickbook-monday.backup --data ./games",
        "TRICKBOOK_REDIS_URL=redis://db:6379 trickbook restore t.backup --data ./games",
    ),
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@data_option
def restore(file: Path, data: Path | None) -> None:
    """Restore a backup into an empty or new data directory.

    With TRICKBOOK_REDIS_URL the games go into that store, which must hold nothing of Trickbook. Everything is read back from
    the store before the directory gets its name. Afterwards the first move of each seat in a running game needs an If-Match
    on the head of the game, so that no player continues from a history they do not know.
    """
    from service.operations.backup import restore as restore_backup
    from service.operations.backup_file import BadBackup
    from service.operations.store_content import NotEmpty
    from service.runtime.compose import data_directory, open_store

    directory = data_directory(os.environ, data)
    try:
        done, running = restore_backup(file, directory, lambda draft: open_store(os.environ, draft))
    except NotEmpty as error:
        raise Failure(str(error), NOT_ALLOWED) from None
    except BadBackup as error:
        raise Failure(str(error), NOT_TRUSTED) from None
    except OSError as error:
        raise Failure(f"{directory} cannot be written: {error.strerror or error}", UNREACHABLE) from None
    tell(f"{directory} is whole and was read back (games: {done.games}, log entries: {done.entries})")
    tell(f"Games that are not over: {running}. The first move of each seat there needs an If-Match on the head")

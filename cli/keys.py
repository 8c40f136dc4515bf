"""``trickbook keys``: the public signing keys, and their rotation."""

import os
from pathlib import Path

import click

from cli.commands import Command
from cli.failures import NOT_ALLOWED, Failure
from cli.output import format_option, write_rows
from cli.sources import data_option
from cli.text import tell
from service.base import secrets_file


@click.command(cls=Command, examples=("trickbook keys", "trickbook keys --rotate"))
@click.option("--rotate", is_flag=True, help="Retire the signing key and make a fresh one")
@format_option("table", "json", "ndjson", "csv")
@data_option
def keys(rotate: bool, form: str, data: Path | None) -> None:
    """Print the public keys that receipts are signed with; players pin them.

    After a rotation new games are signed by the new key, and games begun under the old one by the old one to their end. Rotate
    while no serve runs; start it again afterwards.
    """
    from service.embedded import ServeLock, prepare
    from service.runtime.compose import data_directory

    directory = prepare(data_directory(os.environ, data))
    if rotate:
        if os.environ.get(secrets_file.KEY_VARIABLE):
            there = f"rotate it there, and put the old one into {secrets_file.RETIRED_VARIABLE}"
            raise Failure(f"the key comes from {secrets_file.KEY_VARIABLE}: {there}", NOT_ALLOWED)
        with ServeLock.take(directory, "rotation", 0):
            old, new = secrets_file.rotate(directory.root)
        tell(f"retired {old.key.id}")
        tell(f"new games are signed by {new.key.id}")
    identity = secrets_file.load(os.environ, directory.root)
    rows = [[signer.key.id, signer.key.ed25519, signer is identity.signer] for signer in identity.signers]
    write_rows(form, ("id", "ed25519", "current"), rows)

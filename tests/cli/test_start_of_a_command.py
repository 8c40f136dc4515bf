"""What a short command imports: its start is most of the time a person waits for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import COMMANDS

RECORD = Path(__file__).parents[1] / "cases" / "record-2.ndjson"
NEEDS_A_STORE = {
    "redis",
    "structlog",
    "flask",
    "marshmallow",
    "rq",
    "urllib3",
    "rich",
    "asyncio",
    "cli.bulk.pool",
    "service.runtime",
}
PROGRAM = "import json, sys; from cli.main import run; code = run(sys.argv[1:]); print(json.dumps([code, sorted(sys.modules)]))"


def imported_by(*arguments: str) -> set[str]:
    """The modules that a command has imported when it ends well."""
    ran = subprocess.run(  # a process of its own: this one has imported everything
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    code, modules = json.loads(ran.stdout.splitlines()[-1])
    assert code == 0
    return set(modules)


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("dispute", "--help")], ids=" ".join)
def test_a_list_of_commands_imports_none_of_them(arguments: tuple[str, ...]) -> None:
    modules = imported_by(*arguments)
    own = {name for name in modules if name.split(".")[0] in ("cli", "events", "projections", "service")}
    assert own <= {
        "cli", "cli.main", "cli.commands", "cli.failures", "cli.text", "cli.markup", "cli.dispute",
        "events", "events.cards", "events.printable",
    }  # fmt: skip
    assert not modules & NEEDS_A_STORE


def test_the_audit_of_one_file_imports_no_client_of_a_store_and_no_processes() -> None:
    assert not imported_by("audit", str(RECORD)) & NEEDS_A_STORE


def test_every_summary_fits_a_terminal_of_80_columns() -> None:
    assert all(len(f"  {name:8}  {entry.summary}") <= 80 for name, entry in COMMANDS.items())
    assert all(not entry.summary.endswith(".") and entry.summary[0].isupper() for entry in COMMANDS.values())

"""No text reaches a terminal but through the functions that escape it: every module of `cli` is searched for another way."""

import ast
from pathlib import Path
from typing import Final

import pytest

import cli

ROOT: Final = Path(cli.__file__).parent
SINKS: Final = {"text.py", "playing/terminal.py"}
"""The two modules that write on a terminal."""
FORBIDDEN: Final = {
    "print", "input", "click.echo", "click.secho", "click.style", "click.unstyle", "click.prompt", "click.confirm",
    "click.pause", "click.echo_via_pager", "click.getchar", "click.clear",
    "sys.stdout.write", "sys.stderr.write", "sys.stdout.buffer.write",
    "sys.stdout.writelines", "sys.stderr.writelines", "sys.stdout.buffer", "sys.__stdout__", "sys.__stderr__",
    "traceback.print_exc", "traceback.print_exception", "warnings.warn", "logging.basicConfig", "logging.StreamHandler",
    "csv.writer", "pprint.pprint", "rich.print", "error.show", "os.write",
}  # fmt: skip
ALLOWED: Final = {
    ("output.py", "csv.writer"),  # into memory; its line is said
    ("playing/lines.py", "os.write"),  # wakes its own thread by a pipe
}


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of a name or an attribute, empty for another expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_writes_only_through_the_functions_that_escape(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if name in SINKS:
        return
    tree = ast.parse(path.read_text())
    used = {dotted(node) for node in ast.walk(tree)} & FORBIDDEN
    assert {one for one in used if (name, one) not in ALLOWED} == set()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    handed = {dotted(arg) for call in calls for arg in [*call.args, *(each.value for each in call.keywords)]}
    assert not handed & {"sys.stdout", "sys.stderr"}, "a stream is handed to something that writes on it"
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    if name not in ("markup.py", "playing/fit.py", "playing/keys.py"):
        assert not any("\x1b" in text for text in texts), "a sequence of its own: use a style"


def test_rich_draws_the_progress_bar_alone() -> None:
    users = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if "rich" in _imports(path)]
    assert users == ["progress.py"]


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found

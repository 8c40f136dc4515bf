"""A public function names in its docstring the exceptions that it raises itself.

The form of docstrings is ruff's to check. A method without one implements a protocol, whose docstring holds for it; the help of a
command and the description of a route say what a caller sees, not what is raised.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(path for room in ("events", "projections", "service", "cli") for path in (ROOT / room).rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Raised(ast.NodeVisitor):
    """The exceptions that a function raises by name, and does not catch."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._caught: list[set[str]] = []

    def skip(self, node: ast.AST) -> None:
        """What is raised inside an inner function is its own."""

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = skip

    def visit_Try(self, node: ast.Try) -> None:
        kinds = [kind for handler in node.handlers for kind in _parts(handler.type)]
        self._caught.append({ast.unparse(kind).split(".")[-1] for kind in kinds})
        for each in node.body:
            self.visit(each)
        self._caught.pop()
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.generic_visit(part)

    def visit_Raise(self, node: ast.Raise) -> None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = "" if raised is None else ast.unparse(raised).split(".")[-1]
        if name[:1].isupper() and not any({name, "Exception", "BaseException"} & caught for caught in self._caught):
            self.names.add(name)


def _parts(kind: ast.expr | None) -> list[ast.expr]:
    return kind.elts if isinstance(kind, ast.Tuple) else [] if kind is None else [kind]


def _public(body: list[ast.stmt]) -> Iterator[Function]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public(node.body)
        elif isinstance(node, Function) and not node.name.startswith("_"):
            outside = {word for each in node.decorator_list for word in ast.unparse(each).replace("(", ".").split(".")}
            if not outside & {"command", "group", "get", "post", "errorhandler"}:
                yield node


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_docstring_names_what_its_function_raises(module: Path) -> None:
    for function in _public(ast.parse(module.read_text()).body):
        text = ast.get_docstring(function)
        if text is None:
            continue
        raised = Raised()
        for statement in function.body:
            raised.visit(statement)
        missing = [name for name in raised.names - {"NotImplementedError"} if f"`{name}`" not in text]
        assert not missing, f"{module.name}, line {function.lineno}: {function.name} does not say that it raises {missing}"

"""The schemas of answers, made from the structs that are sent, and those of moves, made from the schemas that read them."""

from typing import Any, Final

import msgspec
from apispec import APISpec

from events.receipts import Receipt
from projections.disputes.report import Report
from projections.replay.step_view import Explanation, StepView
from projections.sheet import ScoreSheet
from projections.view_types import View
from service.games.result_types import Created, Disputed, EventLine, Joined, Moved
from service.http import answers
from service.http.problems import Problem
from service.http.schemas import bodies
from service.readmodels import listed

Schema = dict[str, Any]
REFERENCE: Final = "#/components/schemas/"

ANSWERS: Final[tuple[type[msgspec.Struct], ...]] = (
    View, EventLine, Created, Joined, Moved, Disputed, Receipt,
    answers.Events, answers.Frame, answers.Replay, StepView, Explanation, ScoreSheet, answers.AuditAnswer,
    answers.Disputes, answers.Reported, answers.ComparedReceipt, Report, listed.GamePage, listed.PlayerPage, listed.LadderPage,
    answers.Keys, answers.RulesList, answers.Version, answers.Health, answers.Readiness, Problem,
)  # fmt: skip
"""Everything that is answered as JSON; what it holds is described with it."""


def reference(kind: type[msgspec.Struct] | str) -> Schema:
    """The reference to a schema by its struct or name."""
    return {"$ref": REFERENCE + (kind if isinstance(kind, str) else kind.__name__)}


def answer_schemas() -> dict[str, Schema]:
    """The schema of each answer and of each value in one, by name: no other key than those named may be in it."""
    _, found = msgspec.json.schema_components(ANSWERS, ref_template=REFERENCE + "{name}")
    for schema in found.values():
        if "properties" in schema:
            schema["properties"] = {name: _never_null(value) for name, value in schema["properties"].items()}
            schema["additionalProperties"] = False
    return found


def _never_null(schema: Schema) -> Schema:
    """A key that is left out where it does not apply (`default` None) is never sent as null."""
    if schema.get("default", "") is not None:
        return schema
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**rest, **(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})}


def portable(value: Any) -> Any:
    r"""Patterns as JSON Schema writes them: it has no ``\Z``."""
    if isinstance(value, dict):
        return {key: item.replace(r"\Z", "$") if key == "pattern" else portable(item) for key, item in value.items()}
    return [portable(item) for item in value] if isinstance(value, list | tuple) else value


def move_schema(spec: APISpec) -> Schema:
    """One schema a move: its `type`, and the fields its marshmallow schema has."""
    kinds = []
    for kind, (schema, _) in bodies.MOVES.items():
        name = "Move" + schema.__name__.removesuffix("Schema")
        spec.components.schema(name, schema=schema)
        fields = spec.components.schemas[name]
        properties = {"type": {"const": kind}, **fields.get("properties", {})}
        required = ["type", *fields.get("required", [])]
        whole = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        spec.components.schemas[name] = {**whole, "description": (schema.__doc__ or "").strip()}
        kinds.append(reference(name))
    return {"oneOf": kinds}

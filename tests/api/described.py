"""A client that compares every answer with the OpenAPI document: the status, the headers, and each value, line and frame."""

import json
import re
from functools import cache
from typing import Any

from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from werkzeug.test import TestResponse

from service.http.openapi.document import document

UNDESCRIBED = {"Content-Type", "Content-Length", "Date"}
"""Headers that every HTTP message has."""


@cache
def _registry() -> Any:
    resource = Resource.from_contents(document(), default_specification=DRAFT202012)
    return Registry().with_resource("urn:doc", resource)


def validator(schema: Any) -> Draft202012Validator:
    """What judges values by a schema of the document."""

    def absolute(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: f"urn:doc{v}" if k == "$ref" and v.startswith("#") else absolute(v) for k, v in value.items()}
        return [absolute(item) for item in value] if isinstance(value, list) else value

    return Draft202012Validator(absolute(schema), registry=_registry())


def faults(schema: Any, value: Any) -> list[str]:
    """What is wrong with a value, as sentences."""
    return [f"{error.json_path}: {error.message}" for error in validator(schema).iter_errors(value)]


def frames(text: str) -> list[dict[str, Any]]:
    """The frames of an event stream that have data."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith((":", "retry")))
        if "data" in fields:
            number = {"id": int(fields["id"])} if "id" in fields else {}
            found.append({"event": fields["event"], "data": json.loads(fields["data"]), **number})
    return found


class DescribedClient(FlaskClient):
    """Fails where an answer is another than the document says; `seen` has what was answered: method, address, status, type."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen: set[tuple[str, str, int, str]] = set()

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        """Asks, and compares the answer."""
        answer = super().open(*args, **kwargs)
        request = answer.request
        rule = self.application.url_map.bind("").match(request.path, request.method, return_rule=True)[0]
        self._compare(re.sub(r"<(\w+)>", r"{\1}", rule.rule), request.method.lower(), answer)
        return answer

    def _compare(self, path: str, method: str, answer: TestResponse) -> None:
        where = (method, path, answer.status_code)
        described = document()["paths"][path][method]["responses"].get(str(answer.status_code))
        assert described is not None, f"{where} is not described: {answer.text}"
        if "$ref" in described:
            described = document()["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
        headers = set(answer.headers.keys()) - UNDESCRIBED
        assert headers <= set(described["headers"]), (where, headers - set(described["headers"]))
        for name in headers:
            reference = described["headers"][name]["$ref"].rsplit("/", 1)[1]
            pattern = document()["components"]["headers"][reference]["schema"]["pattern"]
            assert re.search(pattern, answer.headers[name]), (where, name, answer.headers[name])
        self.seen.add((*where, answer.mimetype))
        if not described.get("content"):
            return
        content = described["content"].get(answer.mimetype, described["content"].get("*/*"))
        assert content is not None, (where, answer.mimetype)
        for schema, value in self._values(content, answer):
            assert not faults(schema, value), (where, faults(schema, value)[:3])

    @staticmethod
    def _values(content: Any, answer: TestResponse) -> list[tuple[Any, Any]]:
        item, whole = content.get("x-itemSchema"), content.get("schema")
        if answer.mimetype == "text/event-stream":
            pieces = answer.iter_encoded()
            text = "".join(next(pieces).decode() for _ in range(2))  # the time to come back, and the first frame
            answer.close()
            return [(item, frame) for frame in frames(text)]
        if item is not None:
            return [(item, json.loads(line)) for line in answer.data.splitlines()]
        return [(whole, json.loads(answer.data))] if whole is not None else []

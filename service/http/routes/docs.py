"""``/docs``: the OpenAPI document as a page, rendered here, with nothing from any other host and no script."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, render_template

from service.http.openapi.document import document

CSP: Final = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

blueprint = Blueprint("docs", __name__, template_folder="templates")
blueprint.add_app_template_filter(lambda value, indent=None: json.dumps(value, indent=indent, ensure_ascii=False), "json")


@blueprint.get("/docs")
def docs() -> Response:
    """The API for a person to read."""
    response = Response(_page(), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = CSP
    return response


@cache
def _page() -> str:
    """The page, which is the same as long as the process lives."""
    described = document()
    return render_template("docs.html", document=described, operations=list(_operations(described)))


@blueprint.get("/docs.css")
def stylesheet() -> Response:
    """The page's one stylesheet."""
    return Response(_stylesheet(), content_type="text/css; charset=utf-8")


@cache
def _stylesheet() -> bytes:
    return (Path(__file__).parents[1] / "static" / "docs.css").read_bytes()


def _operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Each operation with what the page says of it."""
    for path, item in described["paths"].items():
        for method, operation in item.items():
            responses = operation["responses"].items()
            bodies = [("Request", "", list(_content(operation["requestBody"])))] if "requestBody" in operation else []
            bodies += [
                (f"Answer {status}", response["description"], list(_content(response)))
                for status, response in responses
                if "$ref" not in response
            ]
            refused = [(status, response["$ref"]) for status, response in responses if "$ref" in response]
            described_responses = described["components"]["responses"]
            yield {
                "id": f"{method}{path}".replace("/", "-").replace("{", "").replace("}", ""),
                "method": method.upper(),
                "path": path,
                "summary": operation["summary"],
                "token": _token(operation.get("security", [])),
                "parameters": operation.get("parameters", []),
                "bodies": bodies,
                "problems": [(status, described_responses[ref.rsplit("/", 1)[1]]["description"]) for status, ref in refused],
            }


def _token(security: list[dict[str, Any]]) -> str:
    if not security:
        return ""
    return "a token" if {} not in security else "no token to look on, one to see your own cards"


def _content(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for media, content in body.get("content", {}).items():
        example = content.get("example")
        shown = None if example is None else json.dumps(example, indent=2, ensure_ascii=False)
        yield media, {"schema": list(_names(content.get("x-itemSchema", content.get("schema", {})))), "example": shown}


def _names(schema: dict[str, Any]) -> Iterator[str]:
    """The named schemas that a body may be of."""
    for one in (schema, *schema.get("oneOf", [])):
        if "$ref" in one:
            yield one["$ref"].rsplit("/", 1)[1]

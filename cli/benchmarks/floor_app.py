"""The floor of the HTTP benchmark: the same framework and server answering one validated POST with one XADD.

This file is frozen: it has a schema and a client of its own, so that ratios of different versions compare with the same thing.
"""

import os
from typing import Any

import msgspec
import redis
from flask import Flask, Response, request
from marshmallow import Schema, fields, validate

STREAM = "trickbook-bench:floor"


class FloorSchema(Schema):
    """One number, as a bid has one."""

    tricks = fields.Integer(required=True, strict=True, validate=validate.Range(0, 13))


def create() -> Flask:
    """The WSGI app of the floor, on the server that the environment names."""
    app = Flask("floor")
    client: Any = redis.Redis.from_url(os.environ["TRICKBOOK_REDIS_URL"])

    @app.get("/healthz")
    def healthz() -> Response:
        return Response(b"{}")

    @app.post("/floor")
    def floor() -> Response:
        asked: Any = FloorSchema().load(request.get_json())
        identifier = client.xadd(STREAM, {"tricks": asked["tricks"]})
        return Response(msgspec.json.encode({"id": identifier.decode()}), 201, content_type="application/json")

    return app

"""The floor of the HTTP benchmark: the same framework and server answering one validated POST with one XADD."""

import os
from typing import Any

import msgspec
from flask import Flask, Response, request

from events.redis_client import connect
from service.base.settings import REDIS_URL
from service.http.schemas.bodies import BidSchema

STREAM = "trickbook-bench:floor"


def create() -> Flask:
    """The WSGI app of the floor, on the server that the environment names."""
    app = Flask("floor")
    client: Any = connect(os.environ[REDIS_URL])

    @app.get("/healthz")
    def healthz() -> Response:
        return Response(b"{}")

    @app.post("/floor")
    def floor() -> Response:
        asked = BidSchema().load(request.get_json())
        identifier = client.xadd(STREAM, {"tricks": asked["tricks"]})
        return Response(msgspec.json.encode({"id": identifier.decode()}), 201, content_type="application/json")

    return app

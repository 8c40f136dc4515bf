"""Small services to start and kill: one that waits as long-polls do, one that cannot be made."""

import time

from flask import Flask

from service.base.process_ends import ending


def make() -> Flask:
    app = Flask(__name__)

    @app.get("/healthz")
    def healthz() -> str:
        return "ok"

    @app.get("/wait")
    def wait() -> str:
        return "ending" if ending.wait(25) else "nothing"

    @app.get("/slow")
    def slow() -> str:
        time.sleep(1)
        return "done"

    @app.get("/deaf")
    def deaf() -> str:
        time.sleep(25)
        return "late"

    return app


def broken() -> Flask:
    raise RuntimeError("The store is on the moon.")

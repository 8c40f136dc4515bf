"""Why something was not done: one exception with a stable code and a sentence. Status codes are the web's business."""

from typing import Any


class Refused(Exception):
    """Nothing was changed. `code` is stable, `message` a sentence for whoever asked, `facts` what else they may know."""

    def __init__(self, code: str, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.facts = facts

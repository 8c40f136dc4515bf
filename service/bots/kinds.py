"""What a bot is: a function from a view to a move, both as they stand in the API's JSON (design §4)."""

from collections.abc import Callable
from typing import Any

View = dict[str, Any]
Move = dict[str, Any]
Bot = Callable[[View], Move]

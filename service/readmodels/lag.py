"""How far the read models are behind what was announced."""

from events.feed import Feed, Lag
from events.redis_store import RedisStore
from projections.across.models import MODELS
from service.readmodels.model_store import ReadModelStore, group


def lags(store: RedisStore, books: ReadModelStore) -> dict[str, Lag | None]:
    """For each read model what its followers have not done yet; None for one that was never built. Raises `Unreachable`."""
    found: dict[str, Lag | None] = {}
    for model in MODELS:
        now = books.serving(model).now
        found[model.name] = None if now is None else Feed(store, group(model, now.number)).lag()
    return found

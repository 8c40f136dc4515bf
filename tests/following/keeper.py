"""A follower in a process of its own, for tests: impatient, so that nobody has to wait for half a minute."""

import os
import sys
import threading

from events.redis_store import RedisStore
from service.base.process_ends import follow_parent
from service.readmodels.keepers import Pace, keep
from service.readmodels.model_store import ReadModelStore

if __name__ == "__main__":
    follow_parent(os.getppid())
    store = RedisStore(sys.argv[1], patience=0.2)
    keep(store, ReadModelStore(store), pace=Pace(block=5, idle=100, take_over=0.05, compare=60.0, trim=0.2, pause=0.01))
    threading.Event().wait()

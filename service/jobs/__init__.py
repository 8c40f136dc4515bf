"""The work that can wait: RQ's queue, a fixed table of jobs, their worker and their schedule. No move depends on it.

RQ reads what its keys begin with from the environment when it is first imported; so it is set here, before any module of
this package can import it.
"""

import os

from events.keys import RQ

os.environ["RQ_KEY_PREFIX"] = RQ

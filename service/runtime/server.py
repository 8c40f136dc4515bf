"""Serving a WSGI app factory with granian: one port, a few workers that never outlive their main process, a quick end.
It knows nothing of what it serves; the app knows nothing of granian.
"""

import gc
import importlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from service.base.process_ends import ending, follow_parent
from service.runtime.ports import CannotServe, check_address
from service.runtime.silent_clients import GIVE_UP_SECONDS, give_up_silent_clients

__all__ = ["THREADS", "WORKERS", "CannotServe", "check_address", "run_server"]

WORKERS = 2
THREADS = 256  # a worker; each open stream holds one
_BACKLOG = 1024
_CONNECTIONS = 4096  # a worker; an idle kept-alive connection counts, and must not keep others out
_END_SECONDS = 3  # for requests under way; then they are cut off
_HURRY_SECONDS = 10.0
_LOGGING = {
    "formatters": {
        "generic": {"()": "service.base.logs.PrintableFormatter", "fmt": "[%(levelname)s] %(message)s"},
        "access": {"()": "service.base.logs.PrintableFormatter", "fmt": "%(message)s"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "generic", "stream": "ext://sys.stderr"},
        "access": {"class": "logging.NullHandler"},
    },
}


def run_server(
    factory: str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = WORKERS,
    threads: int = THREADS,
    silence: float = GIVE_UP_SECONDS,
    env: Mapping[str, str] | None = None,
) -> int:
    """Serve the app that `factory` ("package.module:function") makes until SIGTERM or SIGINT; returns 0 or 130.

    Call it from the main thread; workers are forked from it where the platform forks. `threads` are those of each
    worker, started as needed; after `silence` seconds a client that does not take what it is sent is given up.
    `env` is put into the environment first. Raises CannotServe when the port is taken, the host is not ours, the
    factory fails, or the workers keep dying.
    """
    from granian import Granian  # here: the app imports this module, and nothing of granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    class Server(Granian):  # type: ignore[valid-type,misc]  # granian chooses its class when it is imported
        ended_by = signal.SIGTERM

        def signal_handler_interrupt(self, *args: Any, **kwargs: Any) -> None:
            self.ended_by = signal.Signals(args[0])
            super().signal_handler_interrupt(*args, **kwargs)

        def signal_handler_reload(self, *args: Any, **kwargs: Any) -> None:
            if not hangup_ignored:  # the terminal has closed, and there is no nohup
                self.signal_handler_interrupt(*args, **kwargs)

    hangup_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    os.environ.update(env or {})
    address = check_address(host, port)
    _find(factory)  # imported before the fork: every worker has it at once, one that is started anew as well
    gc.freeze()
    os.register_at_fork(after_in_child=_forget_handler)
    hears, tells = Pipe(duplex=False)
    server = Server(
        factory,
        address=address,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=threads,
        backlog=_BACKLOG,
        backpressure=_CONNECTIONS,
        respawn_failed_workers=True,
        workers_kill_timeout=_END_SECONDS,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=_LOGGING,
    )
    server.respawned_wrks = _Patience()
    try:
        server.serve(
            target_loader=partial(_load, factory, partial(give_up_silent_clients, port, silence), os.getpid(), tells),
            wrap_loader=False,
        )
    except SystemExit:  # its way to say that workers had died
        if not server.interrupt_signal:
            raise CannotServe("The workers of the service ended again and again; its log says why.") from None
    except (OSError, RuntimeError) as error:
        raise CannotServe(f"The service cannot listen on {host} port {port}: {error}") from None
    if hears.poll():
        raise CannotServe(f"The service did not start. {hears.recv()}")
    return 130 if server.ended_by == signal.SIGINT else 0


class _Patience(dict[int, float]):
    """When each worker was last started anew. granian gives up when one dies twice within 5.5 s; killed workers are
    no reason to end a service, so tell it only when the last ten starts were within ten seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self._starts: deque[float] = deque(maxlen=10)

    def __setitem__(self, worker: int, now: float) -> None:
        self._starts.append(now)
        super().__setitem__(worker, now)

    def get(self, worker: int, default: Any = 0) -> Any:
        hurried = len(self._starts) == self._starts.maxlen and self._starts[-1] - self._starts[0] < _HURRY_SECONDS
        return super().get(worker, default) if hurried else default


def _find(factory: str) -> Callable[[], Any]:
    module, _, name = factory.partition(":")
    found: Callable[[], Any] = getattr(importlib.import_module(module), name)
    return found


def _forget_handler() -> None:
    """In a new worker: its copy of the main process's handler would swallow a SIGTERM that comes before granian's."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _load(factory: str, listens: Callable[[], None], main: int, tells: Connection) -> Any:
    """In the worker: tie it to its main process and make the app. An app that cannot be made ends the service."""
    if os.getpid() != main:  # on a free-threaded Python the workers are threads
        follow_parent(main)
        ending.follow_signals()
    try:
        app = _find(factory)()
    except Exception as error:
        tells.send(str(error) or repr(error))
        os.kill(main, signal.SIGTERM)
        time.sleep(_END_SECONDS)  # until it ends us: one that ends by itself would be started anew
        sys.exit(1)
    listens()
    ending.app_is_made()
    return app

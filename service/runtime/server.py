"""Serving a WSGI app factory with granian: one port, a few workers that never outlive their main process, a quick end.
It knows of what it serves only the lanes of its requests; the app knows nothing of granian.
"""

import gc
import importlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from service.base.process_ends import ending, follow_parent
from service.http.lanes import LanePlan
from service.runtime import descriptors
from service.runtime.idle_connections import IdleConnections
from service.runtime.ports import CannotServe, check_address
from service.runtime.silent_clients import GIVE_UP_SECONDS, give_up_silent_clients
from service.runtime.wsgi_adapter import WsgiAdapter

__all__ = ["CONNECTIONS", "THREADS", "WORKERS", "CannotServe", "check_address", "run_server"]

WORKERS = 2
THREADS = 256  # a worker; each open stream holds one
CONNECTIONS = 4096  # a worker; beyond that granian accepts none, so that idle ones may be half of it
_BACKLOG = 4096
_OTHER_FILES = 512  # what a worker has open beside its connections and one to the store for each thread
_HEADER_MILLISECONDS = 10_000  # until a request has begun: so long also lives a kept-alive connection without one
_END_SECONDS = 3  # for requests under way; then they are cut off
_HURRY_SECONDS = 10.0
_SETTLE_SECONDS = 0.2
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
    connections: int = CONNECTIONS,
    silence: float = GIVE_UP_SECONDS,
    env: Mapping[str, str] | None = None,
) -> int:
    """Serve the app that `factory` ("package.module:function") makes until SIGTERM or SIGINT; returns 0 or 130.

    Call it from the main thread; workers are forked from it where the platform forks. `threads` are those of each
    worker, started as needed, and `connections` the most it holds; after `silence` seconds a client that does not take
    what it is sent is given up.
    `env` is put into the environment first. Raises `CannotServe` when the port is taken, the host is not ours, the
    factory fails, or the workers keep dying.
    """
    from granian import Granian  # here: the app imports this module, and nothing of granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
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
    connections = connection_limit(connections, threads)
    load = _Load(factory, port, threads, connections, silence, os.getpid(), tells)
    server = Server(
        factory,
        address=address,
        port=port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=_HEADER_MILLISECONDS),
        workers=workers,
        backlog=_BACKLOG,
        backpressure=connections,
        respawn_failed_workers=True,
        workers_kill_timeout=_END_SECONDS,
        websockets=False,
        log_level=LogLevels.error,
        log_dictconfig=_LOGGING,
    )
    server.respawned_wrks = _Patience()
    try:
        server.serve(target_loader=load, wrap_loader=False)
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


def connection_limit(wanted: int, threads: int) -> int:
    """How many of `wanted` connections each worker can hold, after the limit of open files was raised as far as it can be."""
    others = _OTHER_FILES + threads
    return max(min(wanted, descriptors.raise_limit(wanted + others) - others), 64)


class _Load(NamedTuple):
    """Makes the app in a worker, tied to its main process. An app that cannot be made ends the service."""

    factory: str
    port: int
    threads: int
    connections: int
    silence: float
    main: int
    tells: Connection

    def __call__(self) -> WsgiAdapter:
        if os.getpid() != self.main:  # on a free-threaded Python the workers are threads
            follow_parent(self.main)
            ending.follow_signals()
        try:
            app = _find(self.factory)()
        except Exception as error:
            self.tells.send(str(error) or repr(error))
            os.kill(self.main, signal.SIGTERM)
            time.sleep(_END_SECONDS)  # until it ends us: one that ends by itself would be started again
            sys.exit(1)
        plan = getattr(app, "extensions", {}).get("trickbook.lanes") or LanePlan(self.threads)
        idle = IdleConnections(plan.idle_per_address, self.connections // 2, plan.group)
        idle.start(self.port, self.connections + self.threads + _OTHER_FILES)
        give_up_silent_clients(self.port, self.silence)
        return WsgiAdapter(app, plan, idle, _begin)


def _begin() -> None:
    """In the worker: its event loop takes signals from now on."""
    running = time.monotonic()

    def pass_on() -> None:
        """Once: granian drops the requests under way at a second signal, and loses one that comes before it is quite up."""
        time.sleep(max(0.0, running + _SETTLE_SECONDS - time.monotonic()))
        # Taken by this thread, it wakes the event loop of the main thread, which has a handler of its own.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        signal.raise_signal(signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    ending.call(pass_on)
    ending.begin()

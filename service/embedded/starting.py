"""Bringing the store up, by one starter at a time, and saying why when it does not come up. Callers hold the users'
lock, else the keeper would end what it has just started.
"""

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from service.base.disk import sync
from service.embedded import keeper, locks
from service.embedded.binary import find_server, options
from service.embedded.data_files import require_whole
from service.embedded.directory import DataDirectory
from service.embedded.errors import StoreUnavailable
from service.embedded.probe import StoreState, probe

_POLL_SECONDS = 0.005
_LOOK_SECONDS = 0.05
_LEAST_FREE = 1 << 20  # bytes; with less the store could not even write what it is told next
_LOG_LINES = 4
_LONGEST_LOG = 1 << 20  # bytes


def bring_up(directory: DataDirectory, seconds: float) -> bool:
    """Return when the store answers; True when this call started it.

    It may take `seconds` without an answer; a store that reads its data says so and is waited for. Raises
    StoreUnavailable.
    """
    deadline = time.monotonic() + seconds
    while True:
        with locks.released(directory.start_lock, _LOOK_SECONDS) as held:
            if held:
                return _bring_up(directory, seconds)
        state = probe(directory)  # somebody else starts it
        if state is StoreState.READY:
            return False
        if state is StoreState.LOADING:
            deadline = time.monotonic() + seconds
        elif time.monotonic() > deadline:
            raise _silent(directory, seconds)


def _bring_up(directory: DataDirectory, seconds: float) -> bool:
    report: int | None = None
    log_start = _size(directory.log)
    deadline = time.monotonic() + seconds
    try:
        while True:
            state = probe(directory)
            if state is StoreState.READY:
                if report is not None:
                    sync(directory.store)
                return report is not None
            if state is StoreState.LOADING:
                deadline = time.monotonic() + seconds
            elif time.monotonic() > deadline:
                raise _silent(directory, seconds)
            if report is None and state is StoreState.GONE:
                require_whole(directory)
                _require_space(directory)
                log_start = _turn_log(directory.log)
                report = _start_keeper(directory)
            if report is None:
                time.sleep(_POLL_SECONDS)
            elif select.select([report], [], [], _POLL_SECONDS)[0]:  # it speaks only when it ends
                raise _did_not_start(directory, os.read(report, 4096).decode(errors="replace"), log_start)
    finally:
        if report is not None:
            os.close(report)


def _start_keeper(directory: DataDirectory) -> int:
    """Start it in a session of its own, with nothing of our environment; the descriptor it reports to."""
    command = [str(find_server()), *options(directory)]
    reading, writing = os.pipe()
    orders = keeper.KeeperOrders(
        users_lock=str(directory.users_lock),
        keeper_lock=str(directory.keeper_lock),
        store_lock=str(directory.store_lock),
        socket=str(directory.socket),
        command=command,
        cwd=str(directory.store),
        report=writing,
    )
    kept = {name: os.environ[name] for name in ("PATH", "TZ", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    try:
        log = os.open(directory.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            subprocess.run(
                [sys.executable, "-I", "-S", keeper.__file__, json.dumps(asdict(orders))],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=directory.store,
                env=kept,
                pass_fds=(writing,),
                start_new_session=True,
                check=True,
            )
        finally:
            os.close(log)
    except (OSError, subprocess.SubprocessError) as error:
        os.close(reading)
        raise StoreUnavailable(f"The store in {directory.root} cannot be started: {error}") from None
    finally:
        os.close(writing)
    return reading


def _require_space(directory: DataDirectory) -> None:
    disk = os.statvfs(directory.root)
    if disk.f_bavail * disk.f_frsize < _LEAST_FREE:
        raise StoreUnavailable(f"The disk that holds {directory.root} is full. Nothing is lost: make room there and try again.")


def _turn_log(log: Path) -> int:
    """Begin a new log when the old one has grown; the size of the one that goes on."""
    if _size(log) > _LONGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    return _size(log)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _silent(directory: DataDirectory, seconds: float) -> StoreUnavailable:
    pid = locks.read_note(directory.keeper_lock) or "unknown"
    return StoreUnavailable(
        f"The store in {directory.root} has not answered on {directory.socket} for {seconds:.0f} s (its keeper is process "
        f"{pid}). Its log is {directory.log}; if it hangs, end that process and try again."
    )


def _did_not_start(directory: DataDirectory, said: str, log_start: int) -> StoreUnavailable:
    try:
        with directory.log.open("rb") as file:
            file.seek(log_start)
            lines = [line.strip() for line in file.read().decode(errors="replace").splitlines()]
    except OSError:
        lines = []
    lines = [line for line in lines if line and "overcommit" not in line]  # a warning of every start
    lines = [line for line in lines if " # " in line] or lines  # what it complains of
    last = "".join(f"\n  {line}" for line in lines[-_LOG_LINES:])
    advice = "\nMake a copy of the directory before you try to mend it." if "check-aof" in last else ""
    return StoreUnavailable(
        f"The store in {directory.root} did not start: {said or 'its keeper was killed'}. Its log, "
        f"{directory.log}, " + (f"ends with{last}{advice}" if last else "says nothing.")
    )

"""One `serve` on a data directory; the second one is told which process it is."""

import os
import signal
from pathlib import Path

import pytest

from service.embedded import AlreadyServing, ServeLock, prepare


def test_a_second_service_is_told_who_holds_the_directory(data: Path) -> None:
    directory = prepare(data)
    told = rf"process {os.getpid()} on 127\.0\.0\.1 port 8000, since 20\d\d-"
    with ServeLock.take(directory, "127.0.0.1", 8000), pytest.raises(AlreadyServing, match=told):
        ServeLock.take(directory, "127.0.0.1", 8001)
    with ServeLock.take(directory, "127.0.0.1", 8001):
        pass


def test_the_lock_goes_with_a_killed_holder_and_not_with_its_children(data: Path) -> None:
    directory = prepare(data)
    reading, writing = os.pipe()
    holder = os.fork()
    if not holder:
        with ServeLock.take(directory, "127.0.0.1", 8000):
            worker = os.fork()
            if worker:
                os.write(writing, str(worker).encode())
            signal.pause()
        os._exit(0)
    worker = int(os.read(reading, 20))
    try:
        with pytest.raises(AlreadyServing, match=f"process {holder} "):
            ServeLock.take(directory, "127.0.0.1", 8000)
        os.kill(holder, signal.SIGKILL)
        os.waitpid(holder, 0)
        with ServeLock.take(directory, "127.0.0.1", 8000):
            pass
    finally:
        os.kill(worker, signal.SIGKILL)
        os.close(reading)
        os.close(writing)

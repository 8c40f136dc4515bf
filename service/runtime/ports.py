"""Whether a service can have an address and a port, looked at before it starts. It must not stay bound to either."""

import errno
import socket
import time

_PORT_GRACE_SECONDS = 0.5  # a service that was just killed may still be on its way out


class CannotServe(Exception):
    """The service cannot be started or kept up; `str()` of it is the whole sentence to show."""


def check_address(host: str, port: int) -> str:
    """The address of `host` in numbers, after a look whether `port` is free there. Raises `CannotServe`.

    The server would start on a taken port as well, and get some of the requests of the other one: its workers share
    a port by SO_REUSEPORT, and so does whoever else has it.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as error:
        raise CannotServe(f"There is no host {host!r} ({error}). Name one of this machine with --host.") from None
    family, kind, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)  # localhost: 127.0.0.1
    deadline = time.monotonic() + _PORT_GRACE_SECONDS
    while True:
        try:
            with socket.socket(family, kind) as attempt:
                attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                attempt.bind(address)
            return str(address[0])
        except (OSError, OverflowError) as error:
            code = getattr(error, "errno", None)
            if code == errno.EADDRINUSE and time.monotonic() < deadline:
                time.sleep(0.02)
                continue
            raise CannotServe(_cannot_bind(host, port, code, error)) from None


def free_port(host: str) -> int:
    """A port that is free on `host` now. Raises `CannotServe`."""
    address = check_address(host, 0)
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as one:
        one.bind((address, 0))
        return int(one.getsockname()[1])


def _cannot_bind(host: str, port: int, code: int | None, error: Exception) -> str:
    if code == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken by another program. End that one, or name another with --port."
    if code == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine. Name one that is with --host."
    if code in (errno.EACCES, errno.EPERM):
        return f"You may not use port {port}. Name one above 1023 with --port."
    return f"The service cannot listen on {host} port {port}: {error}. Name others with --host and --port."

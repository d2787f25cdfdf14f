"""Whether a server can listen where it is told to: `python -m functions.app.listening HOST PORT`."""

from __future__ import annotations

import errno
import socket
import sys

from quire.errors import InputError

LAST_PORT = 65_535


def demand_free(host: str, port: int) -> None:
    """Bind the address for a moment; the server itself would say what is wrong, but not what helps.

    Raises:
        InputError: another program listens there, the host is not this machine's, or the port needs rights.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        helps = (
            f"end the program that listens there, or choose another: --port {port + 1}, `make run PORT={port + 1}`"
            if error.errno == errno.EADDRINUSE
            else "choose another host or port: --host and --port, `make run HOST=… PORT=…`"
        )
        raise InputError(f"{host}:{port}: {error.strerror}: {helps}", field="port") from error


def port_of(text: str) -> int:
    """The port that was written.

    Raises:
        InputError: it is none.
    """
    if not text.isdecimal() or not 1 <= int(text) <= LAST_PORT:
        raise InputError(f"port: wanted a number from 1 to {LAST_PORT}, found {text!r}", field="port")
    return int(text)


if __name__ == "__main__":
    try:
        demand_free(sys.argv[1], port_of(sys.argv[2]))
    except InputError as error:
        sys.exit(f"quire: {error}")

"""Where a server may listen."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from functions.app.listening import demand_free
from quire.errors import InputError
from tests.support.tree import ROOT


def test_a_port_that_is_taken_is_refused_with_what_helps() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"127.0.0.1:{port}: Address already in use: .*PORT={port + 1}"):
            demand_free("127.0.0.1", port)
        command = (sys.executable, "-m", "functions.app.listening", "127.0.0.1", str(port))
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith(f"quire: 127.0.0.1:{port}: ")
        assert done.stderr.count("\n") == 1
    demand_free("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host"])
def test_a_host_that_is_not_this_machines_is_refused(host: str) -> None:
    with pytest.raises(InputError, match="choose another host or port"):
        demand_free(host, 8000)


@pytest.mark.parametrize("port", ["abc", "0", "65536", "-1", "80.5", ""])
def test_a_port_that_is_none_is_one_clear_line(port: str) -> None:
    command = (sys.executable, "-m", "functions.app.listening", "127.0.0.1", port)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"quire: port: wanted a number from 1 to 65535, found {port!r}\n"

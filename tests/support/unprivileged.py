"""Running as somebody to whom file permissions apply: tests often run as root, whom they do not stop."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

DROPPED = ("--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")


def run_unprivileged(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command that may not pass over permissions; skips where that cannot be had."""
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read everything, and there is no setpriv to give that up")
        prefix = ("setpriv", *DROPPED)
    return subprocess.run((*prefix, *command), capture_output=True, text=True, check=False)

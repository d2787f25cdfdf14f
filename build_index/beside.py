"""A server with the build of what it serves: `python -m build_index.beside NAME STORE WANTED DONE COMMAND...`.

Where `WANTED` is newer than `DONE` the collection is built, and `DONE` is touched when that has come to its end. The
command, which serves, begins as soon as the collection can be searched. What ends this process or the make that called
it (Ctrl-C, SIGTERM, the end of the terminal), and what ends the server, ends both.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from quire.store.keys import pointer_key

LOOK_S = 0.1
STEPS = ((0, 1.0), (signal.SIGTERM, 15.0), (signal.SIGKILL, 5.0))
"""What both are sent at the end, and how long they have then: Ctrl-C reached them too, and they may say a last word."""


def main() -> int:
    """Give the server's exit code, or the build's where that ended before anything could be served."""
    name, store, wanted, done, *command = sys.argv[1:]
    asked, parent, pointer = _asked_to_end(), os.getppid(), Path(store) / pointer_key(name)
    build = server = code = None
    if not Path(done).exists() or Path(done).stat().st_mtime < Path(wanted).stat().st_mtime:
        build = subprocess.Popen((sys.executable, "-m", "build_index", "build", name))
    while code is None and not asked and os.getppid() == parent:
        if build and build.poll() == 0:
            Path(done).touch()
            build = None
        if server:
            code = server.poll()
        elif not build or pointer.exists():
            server = subprocess.Popen(command)
        else:
            code = build.returncode
        time.sleep(LOOK_S)
    _end([one for one in (build, server) if one])
    return 128 + asked[0] if asked else code or 0


def _asked_to_end() -> list[int]:
    """The signals that asked for it, as they come; `nohup` keeps the end of the terminal from being one."""
    asked: list[int] = []
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if one != signal.SIGHUP or signal.getsignal(one) != signal.SIG_IGN:
            signal.signal(one, lambda number, _: asked.append(number))
    return asked


def _end(running: Sequence[subprocess.Popen[bytes]]) -> None:
    for sent, wait_s in STEPS:
        until = time.monotonic() + wait_s
        for one in running:
            one.send_signal(sent)
        while any(one.poll() is None for one in running) and time.monotonic() < until:
            time.sleep(LOOK_S)


if __name__ == "__main__":
    sys.exit(main())

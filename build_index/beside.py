"""Begins a collection's build and leaves it to go on beside a server: `python -m build_index.beside NAME STORE DONE`.

Ends as soon as the collection can be searched, or with the build's exit code where it ended before that. The build
belongs to the same terminal, so that Ctrl-C ends both; `DONE` is touched when it has come to its end.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from quire.store.keys import pointer_key

COMMAND = '"$0" -m build_index build "$1" && touch "$2"'
LOOK_S = 0.1


def main() -> int:
    """Wait for the collection's pointer."""
    name, store, done = sys.argv[1:]
    pointer = Path(store) / pointer_key(name)
    build = subprocess.Popen(("sh", "-c", COMMAND, sys.executable, name, done))
    while not pointer.exists():
        if build.poll() is not None:
            return build.returncode
        time.sleep(LOOK_S)
    return 0


if __name__ == "__main__":
    sys.exit(main())

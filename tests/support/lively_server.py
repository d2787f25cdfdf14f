"""`python -m tests.support.lively_server PORT FOLDER STORE`: a serving process of its own over a shared store."""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from quire.adapters.chosen import open_objects
from tests.support.lively import Lively


def main() -> None:
    """Serve until killed."""
    port, folder, store = sys.argv[1:]
    lively = Lively(Path(folder), objects=open_objects(store))
    uvicorn.run(lively.app, host="127.0.0.1", port=int(port), log_level="error", access_log=False)


if __name__ == "__main__":
    main()

"""`python -m tests.support.site_writer FOLDER SEED`: writes documents of one site until it is killed.

A line of JSON on standard output acknowledges each write once it has returned; one before it says what is tried.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from pathlib import Path

from quire.service.access import ANYONE
from quire.service.sites import Submission
from quire.store.write_targets import Site
from tests.support.lively import Lively

SITE = Site("sites", "acme")
THREADS = 3


def main() -> None:
    """Write until killed."""
    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    live = Lively(folder).live
    threads = [
        threading.Thread(target=_write, args=(live, random.Random(seed * THREADS + number)))
        for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _write(live, draw: random.Random) -> None:  # type: ignore[no-untyped-def]
    mine: list[str] = []
    while True:
        text = f"text {draw.getrandbits(64):x} " + "word " * draw.randrange(200)
        kind = draw.choice(["add", "add", "add", "replace", "delete"]) if mine else "add"
        if kind == "add":
            token = f"{draw.getrandbits(64):x}"
            _say("try", "add", token, text)
            document_id = live.documents.add(ANYONE, SITE, Submission(text, "a.txt"), token=token).id
            mine.append(document_id)
            _say("done", "add", token, text, document_id)
            continue
        document_id = draw.choice(mine)
        _say("try", kind, document_id, text)
        if kind == "replace":
            live.documents.replace(ANYONE, SITE, document_id, Submission(text))
        else:
            mine.remove(document_id)
            live.documents.delete(ANYONE, SITE, document_id)
        _say("done", kind, document_id, text)


def _say(*words: str) -> None:
    os.write(1, json.dumps(words).encode() + b"\n")


if __name__ == "__main__":
    main()

"""Deletes chat messages that are too old on a clock of its own, whether anybody asks the server for anything or not."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime

from functions.web.logs import log
from quire.errors import StoreError
from quire.sessions import RETENTION

DAILY_S = 24 * 3600.0


class Retention:
    """Purges when it starts and then daily, in a thread that ends with the process.

    Args:
        purge: deletes what is older than a moment, and says how many messages that were.
        every_s: seconds from one purge to the next.
    """

    def __init__(self, purge: Callable[[datetime], int], *, every_s: float = DAILY_S) -> None:
        self._purge = purge
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, once a purge under way is over."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._purge_once()
            if self._ended.wait(self._every_s):
                return

    def _purge_once(self) -> None:
        cutoff = datetime.now(UTC) - RETENTION
        try:
            deleted = self._purge(cutoff)
        except StoreError as error:  # tomorrow is another day, and nothing too old is ever returned
            log("not purged", logging.WARNING, message=str(error))
            return
        if deleted:
            log("purged", deleted=deleted, older_than=cutoff.isoformat())

"""How long a store may take before it counts as away, and how long it is left alone after that."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from quire.errors import StoreUnavailable

BACKOFF_S = 1.0
"""What a client waits at most before its first repetition. Source: AWS SDKs, retry behaviour, standard mode."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Bounds of one call, in seconds. The defaults are a build's, which would rather wait than fail.

    Attributes:
        connect_s: until a connection stands.
        silence_s: without a byte.
        attempts: how often a call is made before it fails.
        file_s: for all of an object's bytes.
        rest_s: after a call that failed the store is left alone for so long: further calls fail at once.
    """

    connect_s: float = 5.0
    silence_s: float = 30.0
    attempts: int = 4
    file_s: float = 900.0
    rest_s: float = 0.0

    @property
    def deadline_s(self) -> float:
        """What a small object takes at most, where nothing arrives.

        >>> SERVING.deadline_s
        7.0
        """
        repeated = self.attempts - 1
        backoff_s = BACKOFF_S * ((1 << repeated) - 1)
        return self.attempts * (self.connect_s + self.silence_s) + backoff_s


SERVING = Timeouts(connect_s=1.0, silence_s=2.0, attempts=2, file_s=15.0, rest_s=3.0)
"""Somebody waits for the answer, and API Gateway waits 29 s: the last good version is worth more than the newest."""


class Outage:
    """Remembers that a store failed, so that one request in `rest_s` pays for finding out. Safe to share by threads."""

    def __init__(self, rest_s: float) -> None:
        self._rest_s = rest_s
        self._guard = threading.Lock()
        self._until = float("-inf")
        self._why = ""

    def begin(self, why: str) -> None:
        """The store failed just now."""
        with self._guard:
            self._until, self._why = time.monotonic() + self._rest_s, why

    def end(self) -> None:
        """What was known of it holds no longer."""
        with self._guard:
            self._until = float("-inf")

    def demand_over(self, what: str) -> None:
        """Stop who would ask for `what` while the store is left alone.

        Raises:
            StoreUnavailable: it is; the message says why.
        """
        with self._guard:
            if time.monotonic() < self._until:
                raise StoreUnavailable(f"{what}: not asked for: {self._why}")

"""Keys with scopes, read from an object of the store: where functions have no disk that a maintainer can reach."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from quire.errors import ConfigError, StoreUnavailable
from quire.ports import ObjectStore
from quire.service.access_file import Policy, parse_policy
from quire.stored import Stored


class AccessObject:
    """The policy in an object of the form of `quire.service.access_file`, looked at again now and then. Thread-safe.

    Where the object is not there, nobody but the holder of the one key is let in. One that cannot be used is complained
    of, and what was read before it stays in force; at the start that is nothing.

    Args:
        objects: the store.
        key: of the object.
        refresh_s: it is looked at this often at most, in seconds.
        complain: told why it cannot be used.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        objects: ObjectStore,
        key: str,
        refresh_s: float,
        *,
        complain: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._objects = objects
        self._key = key
        self._refresh_s = refresh_s
        self._complain = complain
        self._clock = clock
        self._guard = threading.Lock()
        self._looked_at: float | None = None
        self._etag = ""
        self._policy = Policy()

    def policy(self) -> Policy:
        """What the object says now.

        Raises:
            StoreUnavailable: the store cannot be reached, and nothing was read before.
        """
        if not self.may_wait():
            return self._policy
        # Whoever comes while another looks takes what is known already: only the first of all has to wait.
        if self._guard.acquire(blocking=self._looked_at is None):
            try:
                if self.may_wait():
                    self._look()
            finally:
                self._guard.release()
        return self._policy

    def may_wait(self) -> bool:
        """Whether the store is to be asked again."""
        return self._looked_at is None or self._clock() - self._looked_at >= self._refresh_s

    def _look(self) -> None:
        try:
            stored = self._changed()
        except KeyError:
            self._etag, self._policy = "", Policy()
        except StoreUnavailable as error:
            if self._looked_at is None:
                raise
            self._complain(f"{self._key}: {error}")
        else:
            if stored is not None:
                self._read(stored)
        self._looked_at = self._clock()

    def _changed(self) -> Stored | None:
        """The object where it is not the one that was read; without an etag there is nothing to compare with."""
        if self._etag:
            return self._objects.read_if_changed(self._key, self._etag)
        return self._objects.read(self._key)

    def _read(self, stored: Stored) -> None:
        self._etag = stored.etag
        try:
            self._policy = parse_policy(stored.data, self._key)
        except ConfigError as error:
            self._complain(str(error))

"""Embedding models by digest, each opened once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path

from functions.web.logs import log
from quire.errors import ArtifactError, ModelError, ModelOutOfReach, StoreError, StoreUnavailable
from quire.ports import Embedder


class Models:
    """Embedders by digest, each opened once, at its first use. Safe to share by threads.

    One that cannot be opened is tried again after `retry_s`, so that a broken model does not cost every request.

    Args:
        folder_of: brings the model's folder near; see `model_folder`.
        open_folder: opens it.
    """

    def __init__(
        self,
        folder_of: Callable[[str], Path],
        open_folder: Callable[[Path], Embedder],
        *,
        retry_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder_of = folder_of
        self._open_folder = open_folder
        self._retry_s = retry_s
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: dict[str, Embedder] = {}
        self._failed: dict[str, tuple[float, ModelError]] = {}

    def __call__(self, digest: str) -> Embedder:
        """The embedder of that digest.

        Raises:
            ModelError: the store has no such model, or it cannot be opened.
        """
        embedder = self._opened.get(digest)
        if embedder is not None:
            return embedder
        with self._lock:
            return self._opened.get(digest) or self._open(digest)

    def _open(self, digest: str) -> Embedder:
        failed_at, why = self._failed.get(digest, (float("-inf"), ModelError()))
        if self._clock() < failed_at + self._retry_s:
            raise copy(why)
        try:
            embedder = self._open_folder(self._folder_of(digest))
            if embedder.digest != digest:
                raise ModelError(
                    f"model: index has {digest!r}, the folder of that name holds {embedder.digest!r}"
                )
        except (ModelError, StoreError, ArtifactError) as error:
            kind = ModelOutOfReach if isinstance(error, StoreUnavailable) else ModelError
            failure = kind(str(error))
            self._failed[digest] = (self._clock(), failure)
            log("model unavailable", logging.WARNING, model=digest, message=str(error))
            raise failure from error
        self._opened[digest] = embedder
        return embedder

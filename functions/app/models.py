"""Models as requests find them: embedders by digest, each opened once, and the answer model that a secret names."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path

from functions.web.logs import log
from quire.documents import Turn
from quire.errors import (
    AnswerModelError,
    ArtifactError,
    ConfigError,
    ModelError,
    ModelMisconfigured,
    ModelOutOfReach,
    ModelUnavailable,
    StoreError,
    StoreUnavailable,
)
from quire.ports import AnswerModel, Embedder, Spent

RETRY_S = 10.0
"""A secret that could not be read is read again after so long."""


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


class LateModel:
    """Gives the answer model, None where quotations answer. Safe to share by threads.

    While the secret cannot be read it gives one that fails, so that quotations answer and say why.

    Args:
        open_model: reads the secret and opens what it names.
    """

    def __init__(
        self, open_model: Callable[[], AnswerModel | None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._open_model = open_model
        self._clock = clock
        self._guard = threading.Lock()
        self._model: AnswerModel | None = None
        self._due = float("-inf")

    def __call__(self) -> AnswerModel | None:
        """The model as it is known now; looks again where it is not, every `RETRY_S` at most."""
        if self._clock() < self._due:
            return self._model
        with self._guard:
            if self._clock() >= self._due:
                self._look()
        return self._model

    def _look(self) -> None:
        try:
            self._model, self._due = self._open_model(), float("inf")
        except (StoreUnavailable, ConfigError) as error:
            log("answer model unknown", logging.ERROR, message=str(error))
            # It is read again here: no answer waits for that.
            unread = ModelUnavailable("the secret cannot be read", retry_after_s=math.inf)
            is_wrong = isinstance(error, ConfigError)
            self._model = _UnknownModel(ModelMisconfigured("the secret is wrong") if is_wrong else unread)
            self._due = self._clock() + RETRY_S


class _UnknownModel:
    """`AnswerModel` in place of one whose settings are not known."""

    name = "unknown"
    provider = "unknown"
    wants_examples = False

    def __init__(self, failure: AnswerModelError) -> None:
        self._failure = failure

    def stream(
        self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float
    ) -> Iterator[str | Spent]:
        """See `quire.ports.AnswerModel`; always fails."""
        del system, turns, max_tokens, deadline
        raise self._failure
        yield ""  # what follows `raise` makes this an iterator, as the port wants

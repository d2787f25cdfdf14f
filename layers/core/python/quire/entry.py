"""The Python entry: a collection of a store, opened in this process to be searched and asked.

Like `functions.app.wiring`, a composition root: it alone in `quire` joins adapters with the use cases.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from quire.adapters.chosen import open_objects, open_server
from quire.answering.request import Answer, Inquiry
from quire.documents import Hit, Turn
from quire.embedding import open_embedder
from quire.errors import ConfigError, InputError
from quire.filter_values import Filters
from quire.search.retrieval import Query
from quire.service.access import ANYONE
from quire.service.ask import ask
from quire.service.knowledge import Knowledge
from quire.settings import Settings, read_settings
from quire.store.catalog import Catalog
from quire.store.models import model_folder
from quire.store.store import SegmentStore

if TYPE_CHECKING:
    from quire.ports import AnswerModel, Embedder, ObjectStore


class Index:
    """One collection, ready to be searched and asked. Safe to share by threads; a newer version is taken up by itself.

    Attributes:
        name: the collection's.
    """

    def __init__(self, name: str, knowledge: Knowledge) -> None:
        self.name = name
        self._knowledge = knowledge

    @property
    def version(self) -> str:
        """Id of the version that is served now."""
        return self._knowledge.serve(ANYONE, self.name).version

    def search(
        self,
        question: str,
        *,
        top_k: int = 8,
        filters: Filters | None = None,
        version: str | None = None,
        terms: str = "",
    ) -> tuple[Hit, ...]:
        """The passages that answer the question, best first, at most `top_k`.

        `terms` are names and words that the documentation would use for what the question says in its own. `filters`
        are exact, a list meaning any of. What could not be done as it should is told by a warning.

        Raises:
            InputError, UnknownVersion: the question is empty, a filter's field or the version unknown.
        """
        query = Query(question, top_k, filters or {}, terms=terms)
        found = self._knowledge.search(ANYONE, self.name, query, version)
        _warn(found.degraded)
        return found.hits

    def ask(
        self,
        question: str,
        *,
        selected_text: str = "",
        history: Sequence[Turn] = (),
        filters: Filters | None = None,
        version: str | None = None,
        terms: str = "",
    ) -> Answer:
        """A cited answer: by the answer model that `open` was given, else in quotes of the sources.

        `terms` are as for `search`.

        Raises:
            InputError, UnknownVersion: as for `search`.
        """
        inquiry = Inquiry(question, selected_text, tuple(history), filters=filters or {}, terms=terms)
        _, answer = ask(self._knowledge, ANYONE, self.name, inquiry, version=version)
        _warn(answer.degraded)
        return answer

    def __repr__(self) -> str:
        return f"<quire.Index {self.name}>"


def open(  # noqa: A001
    location: str | Path,
    collection: str = "",
    *,
    model: AnswerModel | None = None,
    cache_folder: Path | None = None,
) -> Index:
    """Open a collection of a store. `QUIRE_REFRESH_S`, `QUIRE_THREADS` and `QUIRE_MODEL_FOLDERS` hold as for a server.

    Args:
        location: the store: a folder, one that holds `.quire/store`, or s3://bucket/prefix.
        collection: its name; may be left out where the store holds one alone.
        model: writes answers; without one they are made of quotes.
        cache_folder: for what is fetched from a bucket; by default that of `QUIRE_CACHE`.

    Raises:
        ConfigError: the location is neither a folder nor s3://bucket/prefix.
        InputError: the store holds no such collection, or several and none was named.
    """
    settings = read_settings()
    objects = open_objects(_place_of(str(location)))
    near = cache_folder or settings.cache
    store = SegmentStore(objects, near, server=open_server(settings.opensearch, is_serving=True))
    names = store.collections()
    name = collection or (names[0] if len(names) == 1 else "")
    if name not in names:
        held = ", ".join(names) or "none"
        raise InputError(
            f"collection {collection!r}: {location} holds {held}; name one of them", field="collection"
        )
    catalog = Catalog(store, refresh_s=settings.refresh_s)
    return Index(name, Knowledge(catalog, _models(objects, near, settings), model_of=lambda: model))


def _place_of(location: str) -> str:
    """The store that is meant: a folder may hold it as `.quire/store`."""
    if "://" in location:
        return location
    if not Path(location).is_dir():
        raise ConfigError(f"store: wanted a folder or s3://bucket/prefix, found {location!r}")
    inner = Path(location, ".quire", "store")
    return str(inner) if inner.is_dir() else location


def _models(objects: ObjectStore, near: Path, settings: Settings) -> Callable[[str], Embedder]:
    """Opens the model of a digest, once."""

    def opened(digest: str) -> Embedder:
        folder = model_folder(objects, near, digest, brought=settings.models)
        return open_embedder(folder, threads=settings.threads)

    return cache(opened)


def _warn(degraded: Sequence[str]) -> None:
    for line in degraded:
        warnings.warn(f"quire: {line}", RuntimeWarning, stacklevel=3)

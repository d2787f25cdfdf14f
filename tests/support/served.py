"""Published collections and the app over them, with the real store and a fake embedder behind its port."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from fastapi import FastAPI

from functions.app.app import create_app
from functions.web.access import Access, OneKey
from quire.adapters.folder import FolderStore
from quire.collections import Collection
from quire.documents import Document
from quire.index.layout import Manifest, Pointer
from quire.ports import AnswerModel, Embedder, TokenBudget
from quire.service.knowledge import EmbedderOf, Knowledge
from quire.store.catalog import Catalog, CollectionStore
from quire.store.store import SegmentStore
from tests.support.client import TestClient
from tests.support.corpus import ENGINE, write_corpus
from tests.support.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder()


@cache
def _small_corpus(profile: str, engine: str) -> tuple[Mapping[str, bytes], Manifest]:
    """The files of the small corpus, written once a process: hundreds of tests publish it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "segment"
        manifest = write_corpus(root, EMBEDDER, profile=profile, engine=engine)
        files = (path for path in root.rglob("*") if path.is_file())
        return {str(path.relative_to(root)): path.read_bytes() for path in files}, manifest


def copy_small_corpus(folder: Path, profile: str, engine: str) -> Manifest:
    """Make a folder that has what `write_corpus` would write there of the small corpus."""
    files, manifest = _small_corpus(profile, engine)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return manifest


class Shelf:
    """A store in a folder, with a way to put small collections into it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cache = root / "cache"
        self.folder = root / "store"
        self.store = SegmentStore(FolderStore(self.folder), self.cache)

    def publish(
        self,
        name: str = "roblox",
        documents: Sequence[Document] | None = None,
        *,
        profile: str = "roblox",
        engine: str = ENGINE,
        embedder: Embedder = EMBEDDER,
    ) -> Pointer:
        """Index the documents, by default the small corpus, and serve them under the name."""
        with tempfile.TemporaryDirectory(dir=self.root) as folder:
            segment = Path(folder) / "segment"
            if documents is None and embedder is EMBEDDER:
                manifest = copy_small_corpus(segment, profile, engine)
            else:
                manifest = write_corpus(segment, embedder, documents, profile=profile, engine=engine)
            return self.store.publish(name, segment, manifest)

    def service(
        self,
        *,
        store: CollectionStore | None = None,
        collections: dict[str, Collection] | None = None,
        embedder_of: EmbedderOf = lambda digest: EMBEDDER,
        answer_model: AnswerModel | None = None,
        model_of: Callable[[], AnswerModel | None] | None = None,
        public_budget: TokenBudget | None = None,
        answer_s: float = 0.0,
        rewrite: str = "off",
    ) -> Knowledge:
        """Use cases that look at the pointer on every request."""
        catalog = Catalog(store or self.store, refresh_s=0.0)
        service = Knowledge(
            catalog,
            embedder_of,
            collections,
            model_of=model_of or (lambda: answer_model),
            public_budget=public_budget,
        )
        service.answer_s = answer_s
        service.rewrite = rewrite
        return service

    def app(self, key: str | None = None, *, access: Access | None = None, **service: object) -> FastAPI:
        """The app with every route; `service` goes to `service()`."""
        return create_app(self.service(**service), access or OneKey(key))  # type: ignore[arg-type]

    def client(
        self, key: str | None = None, *, access: Access | None = None, **service: object
    ) -> TestClient:
        """A client of the app that shows 500s instead of raising them."""
        return TestClient(self.app(key, access=access, **service), raise_server_exceptions=False)

"""The app with live documents and chat memory, over a store of the test's choice and a fake embedder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fastapi import FastAPI

from functions.app.app import create_app
from functions.web.access import Access, OneKey
from functions.web.calls import Once
from functions.web.live import Foundation, Live, open_live
from quire.adapters.folder import FolderStore
from quire.adapters.sqlite import SqliteMemory
from quire.collections import Collection
from quire.parsing.site_pages import PublishedSite
from quire.ports import ChatMemory, Embedder, ObjectStore
from quire.service.knowledge import Knowledge
from quire.service.uploads import UNPUBLISHED
from quire.store.catalog import Catalog
from quire.store.live_catalog import LiveCatalog
from quire.store.store import SegmentStore
from tests.support.client import TestClient
from tests.support.fakes import HashingEmbedder

COLLECTIONS = {"sites": Collection("sites", "sites"), "book": Collection("book", "docs", title="the book")}
EMBEDDER = HashingEmbedder()


class Lively:
    """One serving process, as wiring puts it together; several may share `objects` and `memory`'s file."""

    def __init__(
        self,
        folder: Path,
        *,
        objects: ObjectStore | None = None,
        memory: ChatMemory | None = None,
        access: Access | None = None,
        embedder: Embedder = EMBEDDER,
        site: PublishedSite = UNPUBLISHED,
    ) -> None:
        self.folder = folder
        self.objects = objects or FolderStore(folder / "store")
        self.memory = memory or SqliteMemory(folder / "memory.sqlite")
        self.store = SegmentStore(self.objects, folder / "cache")
        live = LiveCatalog(self.store)
        catalog = Catalog(self.store, refresh_s=0.0)
        service = Knowledge(catalog, lambda digest: embedder, COLLECTIONS, live=live)
        self.base = Foundation(
            store=self.store,
            objects=self.objects,
            live=live,
            work=folder / "work",
            embedder_for=lambda digest: embedder,
            memory=self.memory,
            site_of=lambda _: site,
        )
        self.app: FastAPI = create_app(service, access or OneKey(None))
        self.app.state.writers = ThreadPoolExecutor(8, "write")
        self.app.state.live = Once(lambda: open_live(self.base))

    @property
    def live(self) -> Live:
        """The use cases themselves."""
        live: Live = self.app.state.live()
        return live

    def client(self, key: str | None = None) -> TestClient:
        """A client that shows 500s instead of raising them."""
        headers = {"x-api-key": key} if key else {}
        return TestClient(
            self.app,
            "http://127.0.0.1",
            raise_server_exceptions=False,
            headers=headers,
            client=("127.0.0.1", 50_000),
        )

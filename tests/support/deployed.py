"""Small collections of every read-only face in an object store, and the environment of a function that reads them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from uuid import uuid4

import boto3

from quire.adapters.s3 import S3Store
from quire.documents import Document
from quire.embedding import open_embedder
from quire.ports import Embedder, ObjectStore
from quire.store.store import SegmentStore
from tests.support.aws import BOTO, CREDENTIALS, bucket_of
from tests.support.corpus import ENGINE, api_documents, write_corpus
from tests.support.rig import Root

BOOK = (
    "A harbour shelters boats from waves and wind.",
    "The harbour master counts every boat at noon.",
    "Gulls follow the fishing boats home in the evening.",
)
CODE = (
    ("boats/harbour.py", "def shelter(boat):\n    return boat.moor(WALL)\n", "shelter"),
    ("boats/gull.py", "def follow(boat):\n    while boat.has_fish:\n        yield boat\n", "follow"),
)
KEY = "the-key-of-this-deployment"


class Bucket:
    """A prefix of the emulator's bucket, with small collections to publish below it."""

    def __init__(self, url: str, work: Path, model_folder: Path, *, name: str = "") -> None:
        """`name` is a bucket to use as it is; without one a prefix of the emulator's shared bucket is."""
        self.url, self.work, self.model_folder = url, work, model_folder
        self.prefix = "" if name else f"deployed/{uuid4().hex[:8]}"
        self.client = boto3.client("s3", endpoint_url=url, **BOTO)
        self.objects = S3Store(self.client, name or bucket_of(url), f"{self.prefix}/" if self.prefix else "")
        self.store = SegmentStore(self.objects, work / "publisher")
        self.store.put_model(model_folder)

    def publish(self, engine: str = ENGINE, *, members: int = 12) -> str:
        """Publish the small engine under that version; the collection's new version."""
        return publish(self.store, "roblox", api_documents()[:members], self.model_folder, engine=engine)

    def publish_others(self) -> None:
        """Publish a book, a documentation and a code base beside it."""
        publish(self.store, "textbook", book_documents(), self.model_folder, profile="textbook", engine="")
        publish(self.store, "react_native", book_documents(), self.model_folder, profile="docs", engine="")
        publish(self.store, "quire", code_documents(), self.model_folder, profile="code", engine="")

    def environment(self, root: Root, cache: Path, *, url: str = "", **more: str) -> dict[str, str]:
        """What a deployed function's environment says; `url` stands for the emulator's own."""
        return {
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": url or self.url,
            "QUIRE_STORE": f"s3://{bucket_of(self.url)}/{self.prefix}",
            "QUIRE_CACHE": str(cache),
            "QUIRE_COLLECTIONS": str(root / "task/collections.toml"),
            "QUIRE_API_KEY": KEY,
            **more,
        }

    def key(self, name: str) -> str:
        """Where an object of the store lies in the bucket."""
        return f"{self.prefix}/{name}"


def publish(
    store: SegmentStore,
    name: str,
    documents: list[Document],
    model: Path | Embedder,
    *,
    profile: str = "roblox",
    engine: str = ENGINE,
) -> str:
    """Index the documents and serve them; the new version."""
    embedder = open_embedder(model) if isinstance(model, Path) else model
    with tempfile.TemporaryDirectory() as folder:
        segment = Path(folder) / "segment"
        manifest = write_corpus(segment, embedder, documents, profile=profile, engine=engine)
        return store.publish(name, segment, manifest).version


def damage(objects: ObjectStore, key: str) -> bytes:
    """Change one byte in the middle of an object; what it was."""
    stored = objects.read(key)
    assert stored is not None, key
    changed = bytearray(stored.data)
    changed[len(changed) // 2] ^= 1
    objects.write(key, bytes(changed))
    return stored.data


def book_documents() -> list[Document]:
    """Three sections of a book about harbours."""
    return [
        Document(
            f"0{number}.mdx",
            sentence,
            "api_member",
            {
                "chapter": "Chapter 1: Harbours",
                "chapter_dir": "01-harbours",
                "section": f"0{number}",
                "filename": f"0{number}.mdx",
                "path": f"01-harbours/0{number}.mdx",
                "title": "Harbours",
                "heading": "Harbours",
                "breadcrumb": "Harbours",
            },
        )
        for number, sentence in enumerate(BOOK)
    ]


def code_documents() -> list[Document]:
    """Two files of a program about boats."""
    return [
        Document(
            path,
            text,
            "api_member",
            {
                "path": path,
                "language": "python",
                "start_line": 1,
                "end_line": text.count("\n"),
                "breadcrumb": f"{path} › {name}",
                "symbols": (name,),
            },
        )
        for path, text, name in CODE
    ]

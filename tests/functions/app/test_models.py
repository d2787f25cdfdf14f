"""Embedding models: found, fetched, opened once, and missed without harm."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from pathlib import Path

import pytest

from functions.app.models import Models
from quire.adapters.folder import FolderStore
from quire.embedding.model_folder import FACTS_FILE
from quire.errors import ArtifactCorrupt, ModelError, QuireError, StoreUnavailable
from quire.store.keys import model_key, upload_model
from quire.store.models import model_folder
from tests.support.fakes import HashingEmbedder
from tests.support.stores import MemoryStore

EMBEDDER = HashingEmbedder()
DIGEST = EMBEDDER.digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the export writes one, with two files of no meaning."""
    folder = tmp_path / "exported"
    folder.mkdir()
    contents = {"model.onnx": b"graph" * 100, "tokenizer.json": b"{}"}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    files = {
        name: {"size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in contents.items()
    }
    facts = {"name": "m", "digest": DIGEST, "dimensions": 64, "window": 9, "overlap": 1, "query_prefix": ""}
    (folder / FACTS_FILE).write_text(json.dumps(facts | {"files": files}))
    return folder


def test_a_store_on_this_machine_is_used_in_place(folder: Path, tmp_path: Path) -> None:
    objects = FolderStore(tmp_path / "store")
    upload_model(objects, folder)
    found = model_folder(objects, tmp_path / "cache", DIGEST)
    assert found == tmp_path / "store" / "models" / DIGEST
    assert not (tmp_path / "cache").exists()


def test_a_remote_model_is_fetched_once_and_whole(folder: Path, tmp_path: Path) -> None:
    objects = MemoryStore()
    upload_model(objects, folder)
    found = model_folder(objects, tmp_path / "cache", DIGEST)
    assert {path.name: path.read_bytes() for path in found.iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }
    objects.is_down = True
    assert model_folder(objects, tmp_path / "cache", DIGEST) == found
    assert [path.name for path in found.parent.iterdir()] == [DIGEST]


@pytest.mark.parametrize("broken", ["model.onnx", FACTS_FILE])
def test_a_damaged_remote_model_leaves_nothing_behind(folder: Path, tmp_path: Path, broken: str) -> None:
    objects = MemoryStore()
    upload_model(objects, folder)
    objects.objects[model_key(DIGEST) + broken] = b"damaged"
    with pytest.raises((ArtifactCorrupt, ModelError), match=broken):
        model_folder(objects, tmp_path / "cache", DIGEST)
    assert list((tmp_path / "cache" / "models").iterdir()) == []


@pytest.mark.parametrize("digest", ["", "0" * 64])
def test_a_model_that_is_nowhere_is_named(tmp_path: Path, digest: str) -> None:
    for objects in (MemoryStore(), FolderStore(tmp_path / "store")):
        with pytest.raises(ModelError, match=f"model '{digest}': not in the store"):
            model_folder(objects, tmp_path / "cache", digest)


def test_a_model_is_opened_once_for_all_threads(tmp_path: Path) -> None:
    opened: list[Path] = []

    def open_folder(path: Path) -> HashingEmbedder:
        opened.append(path)
        threading.Event().wait(0.05)
        return EMBEDDER

    models = Models(lambda digest: tmp_path / digest, open_folder)
    threads = [threading.Thread(target=models, args=(DIGEST,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened == [tmp_path / DIGEST]
    assert models(DIGEST) is EMBEDDER


@pytest.mark.parametrize(
    "failure", [ModelError("broken"), ArtifactCorrupt("broken"), StoreUnavailable("broken")]
)
def test_a_failure_is_remembered_for_a_while_and_then_tried_again(
    tmp_path: Path, failure: QuireError
) -> None:
    now, tries, failing = [0.0], [0], [True]

    def folder_of(digest: str) -> Path:
        tries[0] += 1
        if failing[0]:
            raise failure
        return tmp_path

    models = Models(folder_of, lambda path: EMBEDDER, retry_s=10, clock=lambda: now[0])
    for _ in range(5):
        with pytest.raises(ModelError, match="broken"):
            models(DIGEST)
    assert tries == [1]
    failing[0] = False
    now[0] = 10.0
    assert models(DIGEST) is EMBEDDER
    assert tries == [2]


def test_another_model_in_the_folder_is_refused(tmp_path: Path) -> None:
    models = Models(lambda digest: tmp_path, lambda path: EMBEDDER)
    with pytest.raises(ModelError, match=f"index has '{'0' * 64}'.*{DIGEST}"):
        models("0" * 64)


def test_a_model_that_the_deployment_brought_is_used_and_another_comes_from_the_store(
    folder: Path, tmp_path: Path
) -> None:
    objects = MemoryStore()
    brought = tmp_path / "opt"
    shutil.copytree(folder, brought / DIGEST)
    objects.is_down = True
    assert model_folder(objects, tmp_path / "cache", DIGEST, brought=brought) == brought / DIGEST
    (brought / DIGEST).rename(brought / ("0" * 64))
    objects.is_down = False
    upload_model(objects, folder)
    found = model_folder(objects, tmp_path / "cache", DIGEST, brought=brought)
    assert found == tmp_path / "cache" / "models" / DIGEST

"""One file, written and served offline."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pytest

from functions.app.wiring import local_app
from functions.cli.bundle import open_bundle, write_bundle
from quire.adapters.folder import FolderStore
from quire.embedding.onnx import OnnxEmbedder
from quire.errors import ArtifactCorrupt, ConfigError, UnknownCollection
from quire.index.layout import Pointer
from quire.settings import Settings
from quire.store.pointers import Pointers
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.served import Shelf

LOCAL = "http://localhost"

ASKED = {"collection": "roblox", "q": "gravity in studs"}


@pytest.fixture(scope="module")
def bundled(
    tmp_path_factory: pytest.TempPathFactory, model_folder: Path, embedder: OnnxEmbedder
) -> tuple[Shelf, Path]:
    shelf = Shelf(tmp_path_factory.mktemp("bundled"))
    shelf.store.put_model(model_folder)
    shelf.publish(documents=api_documents()[:3], embedder=embedder)
    shelf.publish(embedder=embedder)
    shelf.publish("other", documents=api_documents()[:1], embedder=embedder)
    target = shelf.root / "roblox.quire"
    assert write_bundle(FolderStore(shelf.folder), shelf.cache, "roblox", target) == target.stat().st_size
    return shelf, target


def on_server(pointer: Pointer | None) -> Pointer:
    assert pointer
    return pointer._replace(engine="opensearch")


def ask(store: Path, cache: Path) -> dict[str, object]:
    settings = Settings(store=str(store), cache=cache, collections_file=Path(os.devnull))
    answer = TestClient(local_app(settings), base_url=LOCAL).post("/query", json=ASKED)
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    return {key: value for key, value in body.items() if key not in ("took_ms", "freshness")}


def test_a_bundle_answers_as_the_store_does_with_its_own_model(
    bundled: tuple[Shelf, Path], tmp_path: Path
) -> None:
    shelf, bundle = bundled
    folder = open_bundle(bundle, tmp_path)
    given = ask(folder, tmp_path)
    assert given["mode"] == "hybrid"
    assert given == ask(shelf.folder, shelf.cache)
    assert open_bundle(bundle, tmp_path) == folder


def test_a_bundle_holds_one_version_of_one_collection_and_is_the_same_each_time(
    bundled: tuple[Shelf, Path], tmp_path: Path
) -> None:
    shelf, bundle = bundled
    again = tmp_path / "again.quire"
    write_bundle(FolderStore(shelf.folder), shelf.cache, "roblox", again)
    assert again.read_bytes() == bundle.read_bytes()
    with zipfile.ZipFile(bundle) as file:
        names = file.namelist()
    assert not [name for name in names if "other" in name or "lock" in name]
    assert len({name.split("/")[3] for name in names if "/segments/" in name}) == 1


def test_a_bundle_of_what_a_search_server_holds_searches_by_itself(
    bundled: tuple[Shelf, Path], tmp_path: Path
) -> None:
    shelf, bundle = bundled
    shutil.copytree(shelf.folder, tmp_path / "store")
    objects = FolderStore(tmp_path / "store")
    Pointers(objects).advance("roblox", on_server)
    write_bundle(objects, tmp_path / "cache", "roblox", tmp_path / "served.quire")
    folder = open_bundle(tmp_path / "served.quire", tmp_path)
    assert ask(folder, tmp_path) == ask(open_bundle(bundle, tmp_path), tmp_path)


def test_a_damaged_bundle_is_refused(bundled: tuple[Shelf, Path], tmp_path: Path) -> None:
    _, bundle = bundled
    broken = tmp_path / "broken.quire"
    with zipfile.ZipFile(bundle) as file, zipfile.ZipFile(broken, "w") as out:
        for name in file.namelist():
            data = bytearray(file.read(name))
            if "/payloads/" in name or name.endswith(".jsonl"):
                data[-2] ^= 1
            out.writestr(name, bytes(data))
    with pytest.raises(ArtifactCorrupt):
        open_bundle(broken, tmp_path / "cache")
    assert list((tmp_path / "cache" / "bundles").iterdir()) == []


def test_a_bundle_that_changed_on_its_way_is_refused_whatever_changed(
    bundled: tuple[Shelf, Path], tmp_path: Path
) -> None:
    _, bundle = bundled
    data = bytearray(bundle.read_bytes())
    data[len(data) // 2] ^= 1
    broken = tmp_path / "broken.quire"
    broken.write_bytes(data)
    with pytest.raises(ArtifactCorrupt, match=r"broken\.quire: .*copy it anew"):
        open_bundle(broken, tmp_path / "cache")
    broken.write_bytes(data[: len(data) // 2])
    with pytest.raises(ConfigError, match="cut off"):
        open_bundle(broken, tmp_path / "cache")


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="found a folder"):
        open_bundle(tmp_path, tmp_path)
    with pytest.raises(ConfigError, match="nothing there"):
        open_bundle(tmp_path / "missing.quire", tmp_path)
    plain = tmp_path / "plain.txt"
    plain.write_text("words", encoding="utf-8")
    with pytest.raises(ConfigError, match="quire bundle"):
        open_bundle(plain, tmp_path)
    evil = tmp_path / "evil.quire"
    with zipfile.ZipFile(evil, "w") as file:
        file.writestr("../outside", "x")
    with pytest.raises(ConfigError, match="leave its folder"):
        open_bundle(evil, tmp_path / "inner")
    assert not (tmp_path / "inner" / "outside").exists()


def test_a_bundle_goes_into_a_folder_that_is_there(bundled: tuple[Shelf, Path], tmp_path: Path) -> None:
    shelf, _ = bundled
    with pytest.raises(ConfigError, match="missing is not"):
        write_bundle(FolderStore(shelf.folder), shelf.cache, "roblox", tmp_path / "missing/roblox.quire")


def test_an_unknown_collection_leaves_no_file(bundled: tuple[Shelf, Path], tmp_path: Path) -> None:
    shelf, _ = bundled
    with pytest.raises(UnknownCollection):
        write_bundle(FolderStore(shelf.folder), shelf.cache, "nothing", tmp_path / "nothing.quire")
    assert list(tmp_path.iterdir()) == []

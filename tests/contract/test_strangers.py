"""Clients that were written from the specifications alone work at their first run, against a server that listens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.app.wiring import local_app
from quire.embedding.onnx import OnnxEmbedder
from quire.settings import Settings
from tests.support.pages import running
from tests.support.served import Shelf
from tests.support.tree import ROOT

ORIGIN = "https://book.example"
COLLECTIONS = f"""
[sites]
profile = "sites"
[roblox]
profile = "roblox"
[book]
profile = "docs"
[book.options]
origins = ["{ORIGIN}"]
site = "docusaurus"
base_url = "{ORIGIN}/docs"
"""


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, model_folder: Path, embedder: OnnxEmbedder
) -> Iterator[str]:
    """A server as `make dev` starts it, with the real model, an index of an engine, and nothing else yet."""
    folder = tmp_path_factory.mktemp("strangers")
    shelf = Shelf(folder)
    shelf.store.put_model(model_folder)
    shelf.publish(embedder=embedder)
    (folder / "collections.toml").write_text(COLLECTIONS, encoding="utf-8")
    settings = Settings(
        store=str(shelf.folder),
        cache=shelf.cache,
        memory=str(folder / "memory.sqlite"),
        collections_file=folder / "collections.toml",
    )
    with running(local_app(settings)) as url:
        yield url


@pytest.mark.parametrize(
    ("client", "collection", "arguments"),
    [
        ("n8n_workflow", "sites", []),
        ("docusaurus_frontend", "book", [ORIGIN]),
        ("roblox_agent", "roblox", []),
    ],
)
def test_a_client_that_was_written_from_the_specification_alone_works(
    server: str, client: str, collection: str, arguments: list[str]
) -> None:
    script = ROOT / f"tests/contract/strangers/{client}.py"
    command = [sys.executable, "-I", str(script), f"{server}/{collection}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(": done\n")

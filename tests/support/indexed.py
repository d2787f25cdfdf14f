"""A running code-knowledge server over a folder of its own, with the real model and real builds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from functions.app.wiring import local_app
from functions.web.indexing import Indexer
from quire.adapters.folder import FolderStore
from quire.settings import Settings
from quire.store.store import SegmentStore
from tests.support.client import TestClient
from tests.support.model import link_models
from tests.support.shop_app import write_shop
from tests.support.tree import CORE, ROOT

PATHS = os.pathsep.join((str(ROOT / CORE), str(ROOT)))


@dataclass(frozen=True)
class CodeServer:
    """The server's app with the folders that it works on."""

    root: Path
    settings: Settings
    app: FastAPI

    @property
    def shop(self) -> Path:
        return self.root / "shop"

    @property
    def store(self) -> SegmentStore:
        return SegmentStore(FolderStore(Path(self.settings.store)), self.settings.cache)

    def client(self) -> TestClient:
        return TestClient(self.app, base_url="http://localhost", raise_server_exceptions=False)

    def start_build(self, **order: Any) -> subprocess.Popen[str]:
        """The process that the server would start, for tests that kill it; its order is sent already."""
        process = subprocess.Popen(
            (sys.executable, "-m", "build_index.pipeline.folder_job"),
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"collection": "code", "root": str(self.shop), **order}))
        process.stdin.close()
        process.stdin = None
        return process

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": PATHS,
            "QUIRE_STORE": self.settings.store,
            "QUIRE_CACHE": str(self.settings.cache),
        }


def open_server(root: Path, model_folder: Path, **settings: Any) -> CodeServer:
    """A server over a new folder with the shop in it; nothing is indexed yet."""
    write_shop(root / "shop")
    cache = root / "cache"
    link_models(cache, model_folder)
    collections = root / "collections.toml"
    collections.write_text('[code]\nprofile = "code"\nsource = { repository = "shop" }\n', encoding="utf-8")
    chosen = Settings(
        store=str(root / "store"), cache=cache, collections_file=collections, refresh_s=0.0, **settings
    )
    app = local_app(chosen)
    app.state.indexer = Indexer(chosen)
    return CodeServer(root, chosen, app)


@contextmanager
def allowed(root: Path) -> Iterator[None]:
    """Let the server index below this folder, and its builds find the code under test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUIRE_CODE_ROOT", str(root))
        patch.setenv("PYTHONPATH", PATHS)
        yield

"""A version that is published, and one that is rolled back to, while eight clients ask."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_index.release.publishing import ReleaseTarget, roll_back
from functions.app.wiring import local_app
from quire.adapters.folder import FolderStore
from quire.embedding.onnx import OnnxEmbedder
from quire.settings import Settings
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents
from tests.support.deployed import publish
from tests.support.pace import seconds
from tests.support.pages import running
from tests.support.swarm import Swarm

REFRESH_S = 0.5
OPENING_S = 1.0
"""A new version is opened beside the old one, on a machine that eight clients keep busy."""
QUESTIONS = (
    ("/query", {"collection": "roblox", "q": "how fast does a character walk"}),
    ("/roblox/query", {"text": "Humanoid.Died"}),
    ("/query", {"collection": "roblox", "q": "saving coins", "mode": "keyword"}),
    ("/answer", {"collection": "roblox", "q": "Which event fires when a character has lost its health?"}),
    ("/v1/chat/completions", {"model": "roblox", "messages": [{"role": "user", "content": "What is Died?"}]}),
)
BATCH = 60
PAUSE_S = 0.03
"""Some 150 questions a second: clients that never rest keep both cores busy for as long as a pointer may take."""


@pytest.fixture
def place(tmp_path: Path, model_folder: Path) -> ReleaseTarget:
    objects = FolderStore(tmp_path / "store")
    place = ReleaseTarget(objects, SegmentStore(objects, tmp_path / "cache"))
    place.store.put_model(model_folder)
    return place


@pytest.fixture
def swarm(place: ReleaseTarget, tmp_path: Path, embedder: OnnxEmbedder) -> Iterator[Swarm]:
    publish(place.store, "roblox", api_documents()[:9], embedder, engine="0.732.0.1")
    settings = Settings(
        store=str(tmp_path / "store"),
        cache=tmp_path / "serving",
        collections_file=Path(os.devnull),
        refresh_s=REFRESH_S,
    )
    with running(local_app(settings)) as url, Swarm(url, QUESTIONS, PAUSE_S) as swarm:
        swarm.wait_for(BATCH)
        yield swarm


def test_a_swap_and_a_rollback_under_load_fail_no_question_and_mix_no_versions(
    place: ReleaseTarget, swarm: Swarm, embedder: OnnxEmbedder
) -> None:
    old = place.store.pointer("roblox").version
    new = publish(place.store, "roblox", api_documents(), embedder, engine="0.735.0.1")
    published = time.monotonic()
    most_s = REFRESH_S + seconds(OPENING_S)
    swarm.wait_for_version(new)
    swarm.wait_for(BATCH)
    assert swarm.lag_s(published, new) < most_s
    back = roll_back(place, "roblox", "0.732")
    rolled_back = time.monotonic()
    swarm.wait_for_version(back.version)
    swarm.wait_for(BATCH)
    assert swarm.lag_s(rolled_back, back.version) < most_s
    assert swarm.errors() == []
    assert swarm.mixed() == []
    assert frozenset().union(*(one.versions for one in swarm.seen)) == {old, new, back.version}

"""The real exported model for tests, from the checkout's cache; exported there once when it is missing.

The vendors are imported by the fixtures, not by this module: most tests never need them.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.alone import alone
from tests.support.tree import ROOT

if TYPE_CHECKING:
    from quire.embedding.onnx import OnnxEmbedder


def _kept() -> Path:
    """The cache that outlives a run."""
    kept = os.environ.get("QUIRE_TEST_CACHE")
    return Path(kept) if kept else ROOT / ".quire" / "cache"


@cache
def exported_model(precision: str = "int8") -> Path:
    """Folder of the exported MiniLM, shared by every test of the process."""
    from build_index.model.export import ensure_model

    with alone("model"):
        return ensure_model(_kept(), precision=precision)


def make_cache(cache: Path, *collections: str) -> Path:
    """A build's cache with the model in it and, for each collection, the questions that every build asks.

    Embedding them is most of what the first build of a few files costs. What a build makes of an empty cache has
    tests of its own.
    """
    (cache / "questions").mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(exported_model().parent)
    for name in collections:
        shutil.copy(_asked(), cache / "questions" / f"{name}.sqlite")
    return cache


@cache
def _asked() -> Path:
    """The vectors of the questions that every collection is calibrated on."""
    from build_index.cache.questions import CachedQuestions
    from build_index.evaluation.calibrate import BACKGROUND
    from quire.embedding import open_embedder

    text = BACKGROUND.read_text(encoding="utf-8")
    path = (
        _kept()
        / "test-questions"
        / f"{exported_model().name[:12]}-{sha256(text.encode()).hexdigest()[:12]}.sqlite"
    )
    with alone("questions"):
        if not path.exists():
            with CachedQuestions(open_embedder(exported_model(), threads=1), path) as embedder:
                embedder.embed(text.splitlines())
    return path


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The int8 model's folder."""
    return exported_model()


@pytest.fixture(scope="session")
def embedder(model_folder: Path) -> OnnxEmbedder:
    """The int8 model on one thread."""
    from quire.embedding import open_embedder

    return open_embedder(model_folder, threads=1)

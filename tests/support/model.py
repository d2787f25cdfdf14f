"""The real exported model for tests, from the checkout's cache; exported there once when it is missing.

The vendors are imported by the fixtures, not by this module: most tests never need them.
"""

from __future__ import annotations

import os
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.alone import alone
from tests.support.tree import ROOT

if TYPE_CHECKING:
    from quire.embedding.onnx import OnnxEmbedder


@cache
def exported_model(precision: str = "int8") -> Path:
    """Folder of the exported MiniLM, shared by every test of the process."""
    from build_index.model.export import ensure_model

    kept = os.environ.get("QUIRE_TEST_CACHE")
    with alone("model"):
        return ensure_model(Path(kept) if kept else ROOT / ".quire" / "cache", precision=precision)


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The int8 model's folder."""
    return exported_model()


@pytest.fixture(scope="session")
def embedder(model_folder: Path) -> OnnxEmbedder:
    """The int8 model on one thread."""
    from quire.embedding import open_embedder

    return open_embedder(model_folder, threads=1)


def link_models(cache: Path, model_folder: Path) -> None:
    """Make a build's cache that holds the exported models and the vectors of the questions that every build asks.

    Those 100 are half of a small build's work, and which they are and what they do is `calibrate`'s own tests' matter.
    """
    from build_index.cache.questions import COMMON, CachedQuestions
    from build_index.cache.store import ContentStore
    from build_index.evaluation.calibrate import background_questions
    from quire.embedding import open_embedder

    kept = model_folder.parent.parent / f"common-{model_folder.name}"
    with alone("common"), closing(ContentStore(kept)) as store:
        if len(store.keys(COMMON)) < len(background_questions()):
            embedder = open_embedder(model_folder, threads=1)
            with CachedQuestions(embedder, store, "", background_questions()) as cached:
                cached.embed(background_questions())
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(model_folder.parent)
    with closing(ContentStore(cache)) as store:
        store.take(kept, [COMMON])


def kept_pages(model_folder: Path) -> Path:
    """The folder of vectors that tests keep of the textbook's pages, between runs too: all of them are 10 s of work."""
    return model_folder.parent.parent / "spec-textbook"

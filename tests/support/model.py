"""The real exported model for tests, from the checkout's cache; exported there once when it is missing.

The vendors are imported by the fixtures, not by this module: most tests never need them.
"""

from __future__ import annotations

import os
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

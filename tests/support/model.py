"""The real exported model for tests, from the checkout's cache; exported there once when it is missing.

The vendors are imported by the fixtures, not by this module: most tests never need them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.alone import alone
from tests.support.tree import ROOT

if TYPE_CHECKING:
    from quire.embedding.onnx import OnnxEmbedder


SHOPS = ("code", "shop")
"""The names that the shop is indexed under."""
FEWER = 4


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


@contextmanager
def asking_few() -> Iterator[None]:
    """Builds in this process ask themselves every fourth question of the background: of a small one that is the half.

    What a build learns of all of them is tested by `test_calibrate`, by the gate and by all builds in other processes.
    """
    from build_index.evaluation import calibrate

    asked = calibrate.background_questions()
    few = asked[: calibrate.EVERYDAY : FEWER], asked[calibrate.EVERYDAY :: FEWER]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibrate, "EVERYDAY", len(few[0]))
        patch.setattr(calibrate, "background_questions", lambda: few[0] + few[1])
        yield


@pytest.fixture(scope="module")
def few_questions() -> Iterator[None]:
    """For modules whose builds are not about what they are calibrated by."""
    with asking_few():
        yield


def link_models(cache: Path, model_folder: Path) -> None:
    """Make a build's cache that holds the exported models and vectors that were made before, for builds of all tests.

    Of the 100 questions that every build asks, which are half of a small build's work; and of the shop, that a dozen
    builds begin with, with what asking it comes to. That this is asked, embedded and kept is tested over other text.
    """
    from build_index.cache.inputs import digest_code

    kept = model_folder.parent.parent / f"common-{model_folder.name}"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(model_folder.parent)
    with alone("common"):
        _take_vectors(cache, kept)
        done = kept / "digest-of-code"
        if not done.exists() or done.read_text(encoding="utf-8") != digest_code():
            _index_shop(cache, model_folder)
            _take_vectors(kept, cache)
            done.write_text(digest_code(), encoding="utf-8")


def _take_vectors(into: Path, other: Path) -> None:
    from build_index.cache.calibrations import CALIBRATIONS
    from build_index.cache.questions import COMMON, questions_of
    from build_index.cache.store import VECTORS, ContentStore

    with closing(ContentStore(into)) as store:
        store.take(other, [COMMON, VECTORS, CALIBRATIONS, *map(questions_of, SHOPS)])


def _index_shop(cache: Path, model_folder: Path) -> None:
    """Index the shop, as often as the code changes, for the vectors of it."""
    from build_index.pipeline.file_ledger import Order
    from build_index.pipeline.folder_job import run_order
    from build_index.pipeline.plan import Tools
    from quire.adapters.folder import FolderStore
    from quire.embedding import open_embedder
    from quire.store.store import SegmentStore
    from tests.support.shop_app import write_shop

    with tempfile.TemporaryDirectory() as folder:
        shop, work = str(write_shop(Path(folder) / "shop")), Path(folder) / "cache"
        _take_vectors(work, cache)
        tools = Tools(open_embedder(model_folder, threads=1), model_folder, work)
        store = SegmentStore(FolderStore(Path(folder) / "store"), work)
        for name in SHOPS:
            run_order(Order(name, shop), store, lambda: tools, work)
        _take_vectors(cache, work)


def kept_pages(model_folder: Path) -> Path:
    """The folder of vectors that tests keep of the textbook's pages, between runs too: all of them are 10 s of work."""
    return model_folder.parent.parent / "spec-textbook"

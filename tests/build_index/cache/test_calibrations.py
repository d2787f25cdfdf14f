from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from build_index.cache import calibrations
from build_index.cache.calibrations import CALIBRATIONS, keep_calibration, read_calibration
from build_index.cache.questions import CachedQuestions
from build_index.cache.store import ContentStore
from build_index.pipeline.ingest import calibrated
from build_index.pipeline.plan import BuildPlan
from quire.index.layout import MANIFEST, SourceFacts
from quire.index.writer import amend_manifest
from quire.ports import Vectors
from quire.profiles import profile_named
from tests.support.corpus import api_documents, write_corpus
from tests.support.fakes import HashingEmbedder

PLAN = BuildPlan("pages", profile_named("roblox"), (("api_dump", "somewhere"),))
GOLDEN = '{"id": "a", "query": "What walks?", "kind": "fact", "places": []}\n'


class CountingEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        return super().embed(texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A segment as a build writes it before it asks it."""
    write_corpus(tmp_path / "segment", HashingEmbedder())
    return tmp_path / "segment"


def asked(folder: Path, cache: Path, plan: BuildPlan = PLAN) -> tuple[int, bytes]:
    """How many texts the model was asked, and the manifest that it came to; the segment is as before afterwards."""
    before, model = (folder / MANIFEST).read_bytes(), CountingEmbedder()
    with closing(ContentStore(cache)) as store, CachedQuestions(model, store, plan.name) as questions:
        calibrated(plan, folder, questions, store)
    came = (folder / MANIFEST).read_bytes()
    (folder / MANIFEST).write_bytes(before)
    return model.asked, came


def test_what_was_asked_before_is_not_asked_again_and_comes_to_the_same_bytes(
    folder: Path, tmp_path: Path
) -> None:
    count, came = asked(folder, tmp_path / "cache")
    assert count > 0
    assert came != (folder / MANIFEST).read_bytes()
    assert asked(folder, tmp_path / "cache") == (0, came)
    assert asked(folder, tmp_path / "other") == (count, came)
    amend_manifest(folder, sources=(SourceFacts("api_dump", "elsewhere"),), notes={"failures": 1})
    assert asked(folder, tmp_path / "cache")[0] == 0


def test_another_index_or_other_questions_are_asked(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with closing(ContentStore(cache)) as store:  # so that no vector is known either time
        asked(folder, cache)
        write_corpus(tmp_path / "fewer", HashingEmbedder(), api_documents()[1:])
        store.retain("questions of pages", ())
        assert asked(tmp_path / "fewer", cache)[0] > 0
        store.retain("questions of pages", ())
        (tmp_path / "golden.jsonl").write_text(GOLDEN, encoding="utf-8")
        assert asked(folder, cache, replace(PLAN, golden=str(tmp_path / "golden.jsonl")))[0] > 0
        store.retain("questions of pages", ())
        assert asked(folder, cache)[0] == 0


def test_vectors_of_questions_stay_where_nothing_is_asked(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    asked(folder, cache)
    asked(folder, cache)
    with closing(ContentStore(cache)) as store:
        store.retain(CALIBRATIONS, ())
    assert asked(folder, cache)[0] == 0


def test_old_ones_go_when_there_are_many(tmp_path: Path) -> None:
    with closing(ContentStore(tmp_path)) as store:
        for number in range(calibrations.MOST + 2):
            keep_calibration(store, bytes([number]), {"number": number})
        assert len(store.keys(CALIBRATIONS)) == 2
        assert read_calibration(store, bytes([calibrations.MOST + 1])) == {"number": calibrations.MOST + 1}
        assert read_calibration(store, b"\0") is None

"""A build that a request started is bounded, and one that was ended leaves nothing in the way of the next."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from functions.web.indexing import FAILED, Indexer, IndexOrder
from quire.errors import BuildInProgress, QuireError
from quire.settings import Settings


def test_a_job_that_does_not_end_is_ended_and_its_collection_can_be_built_again(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "store"), cache=tmp_path / "cache")
    indexer = Indexer(settings, most_s=0.05)
    order = IndexOrder("code", str(tmp_path))
    ended = indexer.wait(indexer.start(order))
    assert ended.status == FAILED
    assert isinstance(ended.error, QuireError)
    assert "did not end within" in str(ended.error)
    assert not isinstance(indexer.wait(indexer.start(order)).error, BuildInProgress)


def test_a_job_whose_process_cannot_be_started_fails_and_is_not_running_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer = Indexer(Settings(store=str(tmp_path / "store"), cache=tmp_path / "cache"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    for _ in range(2):
        ended = indexer.wait(indexer.start(IndexOrder("code", str(tmp_path))))
        assert ended.status == FAILED
        assert "the build could not be started: No such file or directory" in str(ended.error)

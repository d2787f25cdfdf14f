"""A short, seeded round of what `make fuzz` does for as long as it is told: nothing breaks, nothing hangs."""

from __future__ import annotations

import random
from pathlib import Path

import onnxruntime  # noqa: F401  before usearch, which crashes otherwise

from tests.support.fuzz_artifacts import fuzz_artifacts
from tests.support.fuzz_readers import mutated, read
from tests.support.fuzz_requests import fuzz_requests


def test_no_request_of_the_described_api_breaks_or_holds_the_server(tmp_path: Path) -> None:
    faces = fuzz_requests(tmp_path, 1, seed=16)
    assert faces.wrong == []
    assert sum(faces.answered.values()) > 100


def test_no_bytes_break_a_reader() -> None:
    drawn = random.Random(16)
    taken = [read(mutated(drawn)) for _ in range(600)]
    assert 0 < sum(taken) < len(taken)


def test_no_damaged_file_breaks_what_serves_it(tmp_path: Path) -> None:
    statuses, wrong = fuzz_artifacts(tmp_path, 12, seed=16)
    assert wrong == []
    assert statuses[200]

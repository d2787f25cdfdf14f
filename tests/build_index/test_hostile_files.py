"""A file that takes too long is reported and skipped, and the rest of the build is served.

`tests/functions/test_cli.py` has the one that hangs its parser: each takes all of the CPU seconds that a file may.
"""

from __future__ import annotations

import re
from pathlib import Path

from build_index.pipeline.pipeline import BuildReport, build
from build_index.pipeline.plan import BuildPlan, Tools
from functions.web.indexing import FAILED, Indexer, IndexOrder
from quire.adapters.folder import FolderStore
from quire.errors import BuildInProgress, QuireError
from quire.profiles import profile_named
from quire.settings import Settings
from quire.store.store import SegmentStore
from tests.support.fakes import HashingEmbedder

HANGS = "as ...1nout async<a/[in <a/>new[a:"
"""Read as TSX, these 34 characters keep tree-sitter-typescript 0.23.2 busy for ever, inside of C."""
GIVEN_UP = re.compile(r"(?:took more than \d+ s to read|was not read within \d+ s) and was given up")
"""A reader ends by its CPU seconds, or by the clock where a busy machine gives it none."""
SLOW = "|-|-|\n" * 8_000
"""The Python grammar takes quadratic time to make sense of it."""


def build_code(folder: Path) -> BuildReport:
    plan = BuildPlan("code", profile_named("code"), (("repository", str(folder / "src")),))
    store = SegmentStore(FolderStore(folder / "store"), folder / "cache" / "store")
    model = folder / "model"
    model.mkdir()
    return build(plan, Tools(HashingEmbedder(), model, folder / "cache"), store, publish=False)


def test_a_file_that_takes_too_long_is_reported_and_the_others_are_indexed(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    (source / "slow.py").write_text(SLOW)
    (source / "nested.js").write_text("{" + "`${" * 1_000)
    for number in range(3):
        (source / f"good{number}.py").write_text(f"def greet{number}():\n    return 'hello'\n")
    report = build_code(tmp_path)
    (failure,) = report.ingested.failures
    assert failure.path == "slow.py"
    assert GIVEN_UP.search(failure.reason)
    assert report.ingested.manifest.notes["failures"] == 1
    assert report.ingested.manifest.counts.documents == 4


def test_a_job_that_does_not_end_is_ended_and_its_collection_can_be_built_again(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "store"), cache=tmp_path / "cache")
    indexer = Indexer(settings, most_s=0.05)
    order = IndexOrder("code", str(tmp_path))
    ended = indexer.wait(indexer.start(order))
    assert ended.status == FAILED
    assert isinstance(ended.error, QuireError)
    assert "did not end within" in str(ended.error)
    assert not isinstance(indexer.wait(indexer.start(order)).error, BuildInProgress)

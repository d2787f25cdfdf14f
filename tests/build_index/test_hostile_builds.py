"""Twenty hostile files in one build, sixty in a soak: it ends, each is reported, and the rest is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.profiles import profile_named
from quire.store.store import SegmentStore
from tests.support.fakes import HashingEmbedder
from tests.support.hostile_files import hostile_files
from tests.support.lively import Lively

pytestmark = pytest.mark.usefixtures("few_questions")

GOOD = "# Tides\n\nThe tide turns every six hours.\n"


@pytest.fixture(params=[2, pytest.param(6, marks=pytest.mark.soak)], ids="{} of each kind".format)
def hostile(request: pytest.FixtureRequest) -> dict[str, str]:
    return hostile_files(request.param)


def test_a_build_ends_reports_each_of_them_and_serves_the_rest(
    tmp_path: Path, hostile: dict[str, str]
) -> None:
    source = tmp_path / "src"
    source.mkdir()
    for path, text in hostile.items():
        (source / path).write_text(text)
    for number in range(5):
        (source / f"good{number}.md").write_text(GOOD.replace("six", str(number)))
    plan = BuildPlan("book", profile_named("docs"), (("docs", str(source)),))
    store = SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache" / "store")
    model = tmp_path / "model"
    model.mkdir()
    report = build(plan, Tools(HashingEmbedder(), model, tmp_path / "cache"), store, publish=False)
    assert {one.path for one in report.ingested.failures} == set(hostile)
    assert report.ingested.manifest.counts.documents == 5


def test_an_ingest_does_too(tmp_path: Path, hostile: dict[str, str]) -> None:
    files = [{"path": path, "content": text} for path, text in (*hostile.items(), ("good.md", GOOD))]
    client = Lively(tmp_path).client()
    said = client.post("/book/ingest", json={"files": files}).json()
    assert [one["path"] for one in said["failures"]] == list(hostile)
    assert said["ingested_count"] == 1
    assert client.post("/book/query", json={"query_text": "tide"}).json()["results"]

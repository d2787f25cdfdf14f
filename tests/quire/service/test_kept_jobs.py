"""Records of jobs: the newest are kept, what waits is never forgotten."""

from __future__ import annotations

import pytest

from quire.errors import UnknownDocument
from quire.service.access import ANYONE
from quire.service.jobs import FORGOTTEN_AT_ONCE, KEPT, WAITING, Jobs
from quire.service.uploads import File, Ingested
from tests.support.stores import MemoryStore


def test_a_collection_keeps_records_of_its_newest_jobs_and_of_all_that_wait() -> None:
    objects = MemoryStore()
    jobs = Jobs(
        objects,
        lambda *_: Ingested(1, ()),
        lambda *_: pytest.fail("no site's text was sent"),
        start=lambda *_: None,
    )
    waiting = jobs.stage(ANYONE, "book", [File("a.md", "text")])
    staged: list[str] = []
    for _ in range(KEPT + FORGOTTEN_AT_ONCE):
        staged.append(jobs.stage(ANYONE, "book", [File("a.md", "text")]).id)
        jobs.run("book", staged[-1])
    assert len(objects.list("collections/book/jobs/")) == KEPT + 1
    assert jobs.get(ANYONE, "book", waiting.id).state == WAITING
    assert jobs.get(ANYONE, "book", staged[-1]).chunks == 1
    with pytest.raises(UnknownDocument, match="not here"):
        jobs.get(ANYONE, "book", staged[0])

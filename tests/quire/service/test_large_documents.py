"""Documents that a job writes: once, whatever dies or comes twice, and never over what was written later."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from functions.web.live import Live
from quire.adapters.folder import FolderStore
from quire.errors import ModelError, QuireError, ScopeMissing, StoreUnavailable, UnknownDocument
from quire.service.access import ANYONE, READ, WRITE, Caller
from quire.service.sites import NewIds, SiteDocument, Submission
from quire.service.uploads import File
from quire.store.write_targets import Site
from tests.support.fakes import HashingEmbedder
from tests.support.lively import EMBEDDER, Lively

ACME, OTHER = Site("sites", "acme"), Site("sites", "other")
OARS = Submission("An oar moves a boat by hand.", "oars.txt")
SAILS = Submission("A sail moves a boat by wind.", "sails.txt")


class Desk:
    """A process whose jobs wait until the test runs them."""

    def __init__(self, folder: Path, embedder: HashingEmbedder = EMBEDDER, **changes: object) -> None:
        self.started: list[tuple[str, str]] = []
        lively = Lively(folder, embedder=embedder)
        lively.base = replace(lively.base, invoke=lambda *job: self.started.append(job), **changes)  # type: ignore[arg-type]
        self.live: Live = lively.live
        self.store = folder / "store"

    def run(self, job_id: str) -> str:
        return self.live.jobs.run("sites", job_id).state

    def state(self, job_id: str, site: Site = ACME) -> tuple[str, str]:
        job = self.live.large.get(ANYONE, site, job_id).job
        return job.state, job.message

    def listed(self, site: Site = ACME) -> list[SiteDocument]:
        return list(self.live.documents.page(ANYONE, site, limit=10).documents)

    def texts(self) -> list[Path]:
        return [one for one in self.store.glob("collections/*/*/texts/*/*") if not one.name.startswith(".")]

    def content(self, document_id: str) -> str | None:
        return self.live.documents.get(ANYONE, ACME, document_id).content


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_document_is_accepted_under_the_id_that_it_is_written_with(desk: Desk) -> None:
    accepted = desk.live.large.add(ANYONE, ACME, OARS)
    assert desk.started == [("sites", accepted.job.id)]
    assert (desk.state(accepted.job.id), desk.listed(), accepted.written) == (("waiting", ""), [], None)
    assert desk.run(accepted.job.id) == "done"
    found = desk.live.large.get(ANYONE, ACME, accepted.job.id)
    assert found.written == desk.listed()[0]
    assert found.written.id == found.id == accepted.id
    assert desk.content(accepted.id) == OARS.content


def test_ids_sort_by_when_they_were_made_in_one_millisecond_and_where_the_clock_goes_back() -> None:
    ids = NewIds()
    moments = [5_000] * 5_000 + [9_000, 1_000, 1_000, 9_001]
    made = [ids.new(now_ms) for now_ms in moments]
    assert made == sorted(set(made))
    assert {uuid.UUID(one).version for one in made} == {7}
    assert {uuid.UUID(one).variant for one in made} == {uuid.RFC_4122}
    assert [uuid.UUID(made[place]).int >> 80 for place in (0, -4, -1)] == [5_000, 9_000, 9_001]


def test_later_documents_sort_behind_whether_a_job_writes_them_or_not(desk: Desk) -> None:
    first = desk.live.large.add(ANYONE, ACME, OARS)
    second = desk.live.documents.add(ANYONE, ACME, SAILS)
    desk.run(first.job.id)
    assert [one.id for one in desk.listed()] == [first.id, second.id]


def test_a_job_that_is_run_again_or_whose_end_was_lost_adds_once(desk: Desk) -> None:
    accepted = desk.live.large.add(ANYONE, ACME, OARS)
    [staged] = desk.store.glob("collections/sites/jobs/*.json")
    before = staged.read_bytes()
    desk.run(accepted.job.id)
    ended = staged.read_bytes()
    assert desk.run(accepted.job.id) == "done"
    staged.write_bytes(before)  # its process died between the write and this note of it
    assert desk.run(accepted.job.id) == "done"
    assert staged.read_bytes() == ended
    assert OARS.content.encode() not in ended
    assert len(desk.listed()) == len(desk.texts()) == 1
    assert desk.content(accepted.id) == OARS.content


def test_a_job_that_runs_several_times_at_once_adds_once(tmp_path: Path) -> None:
    together = threading.Barrier(3, timeout=30)

    class Slow(HashingEmbedder):
        def embed_passages(self, passages):  # type: ignore[no-untyped-def]
            together.wait()
            return super().embed_passages(passages)

    desk = Desk(tmp_path, Slow())
    accepted = desk.live.large.add(ANYONE, ACME, OARS)
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(desk.run, [accepted.job.id] * 3)) == ["done"] * 3
    assert len(desk.listed()) == 1
    assert desk.content(accepted.id) == OARS.content


def test_a_run_that_fails_takes_nothing_from_one_that_did_not(tmp_path: Path) -> None:
    begun, other_is_done = threading.Event(), threading.Event()

    class Fails(HashingEmbedder):
        """The first call fails, after the second has done its work."""

        def embed_passages(self, passages):  # type: ignore[no-untyped-def]
            if begun.is_set():
                return super().embed_passages(passages)
            begun.set()
            assert other_is_done.wait(30)
            raise ModelError("broken")

    desk = Desk(tmp_path, Fails())
    accepted = desk.live.large.add(ANYONE, ACME, OARS)
    with ThreadPoolExecutor(1) as pool:
        failing = pool.submit(desk.run, accepted.job.id)
        assert begun.wait(30)
        assert desk.run(accepted.job.id) == "done"
        other_is_done.set()
        assert failing.result() == "done"
    assert desk.state(accepted.job.id) == ("done", "")
    assert desk.content(accepted.id) == OARS.content


def test_a_job_whose_process_died_is_done_by_the_next_that_starts(tmp_path: Path) -> None:
    dead = Desk(tmp_path)
    accepted = dead.live.large.add(ANYONE, ACME, OARS)
    assert dead.live.jobs.waiting("sites") == [accepted.job.id]
    (tmp_path / "next").mkdir()
    (tmp_path / "next/store").symlink_to(dead.store)
    heir = Desk(tmp_path / "next", resume=("sites",))
    assert heir.started == [("sites", accepted.job.id)]
    assert heir.run(accepted.job.id) == "done"
    assert heir.live.jobs.waiting("sites") == []
    assert dead.content(accepted.id) == OARS.content


def test_the_same_token_is_the_same_document_and_the_same_job(desk: Desk) -> None:
    first, again = (desk.live.large.add(ANYONE, ACME, OARS, token="k") for _ in range(2))
    assert (first.id, first.job.id) == (again.id, again.job.id)
    assert len(desk.started) == 1
    elsewhere = desk.live.large.add(ANYONE, OTHER, OARS, token="k")
    assert {elsewhere.id, elsewhere.job.id}.isdisjoint({first.id, first.job.id})
    desk.run(first.job.id)
    repeated = desk.live.large.add(ANYONE, ACME, OARS, token="k")
    assert repeated.written == desk.listed()[0]
    assert desk.live.documents.add(ANYONE, ACME, OARS, token="k").id == first.id
    assert (len(desk.listed()), len(desk.started)) == (1, 2)
    desk.live.documents.delete(ANYONE, ACME, first.id)
    assert desk.live.large.get(ANYONE, ACME, first.job.id).written is None
    desk.live.large.add(ANYONE, ACME, OARS, token="k")
    assert (desk.run(first.job.id), desk.listed()[0].id) == ("done", first.id)


@pytest.mark.parametrize(("minutes", "starts"), [(55, 1), (65, 2)])
def test_the_same_token_begins_a_job_anew_that_nobody_does_any_more(
    desk: Desk, minutes: int, starts: int
) -> None:
    accepted = desk.live.large.add(ANYONE, ACME, OARS, token="k")
    [staged] = desk.store.glob("collections/sites/jobs/*.json")
    tree = json.loads(staged.read_text())
    tree["at"] = time.time() - minutes * 60
    staged.write_text(json.dumps(tree))
    assert desk.live.large.add(ANYONE, ACME, OARS, token="k").job.id == accepted.job.id
    assert len(desk.started) == starts
    assert (desk.run(accepted.job.id), len(desk.listed())) == ("done", 1)


def test_a_replacement_keeps_what_it_does_not_say_and_leaves_no_text_behind(desk: Desk) -> None:
    old = desk.live.documents.add(ANYONE, ACME, OARS)
    accepted = desk.live.large.replace(ANYONE, ACME, old.id, Submission(SAILS.content))
    assert (desk.run(accepted.job.id), accepted.id) == ("done", old.id)
    new = desk.live.documents.get(ANYONE, ACME, old.id)
    assert (new.content, new.source, new.created_at) == (SAILS.content, "oars.txt", old.created_at)
    assert len(desk.texts()) == 1


def test_a_replacement_counts_from_when_it_was_accepted(desk: Desk) -> None:
    old = desk.live.documents.add(ANYONE, ACME, OARS)
    first = desk.live.large.replace(ANYONE, ACME, old.id, Submission("First."))
    second = desk.live.large.replace(ANYONE, ACME, old.id, Submission("Second."))
    time.sleep(0.002)  # they are compared by the millisecond
    desk.live.documents.replace(ANYONE, ACME, old.id, SAILS)
    for one in (second, first):
        desk.run(one.job.id)
        state, message = desk.state(one.job.id)
        assert state == "failed"
        assert f"document '{old.id}': written anew at" in message
    assert desk.content(old.id) == SAILS.content
    third = desk.live.large.replace(ANYONE, ACME, old.id, Submission("Third."))
    assert desk.run(third.job.id) == "done"
    assert desk.content(old.id) == "Third."
    assert len(desk.texts()) == 1


def test_a_document_that_was_deleted_meanwhile_is_not_brought_back(desk: Desk) -> None:
    old = desk.live.documents.add(ANYONE, ACME, OARS)
    accepted = desk.live.large.replace(ANYONE, ACME, old.id, SAILS)
    desk.live.documents.delete(ANYONE, ACME, old.id)
    desk.run(accepted.job.id)
    assert desk.state(accepted.job.id) == ("failed", f"document '{old.id}': not here")
    assert (desk.listed(), desk.texts()) == ([], [])
    with pytest.raises(UnknownDocument):
        desk.live.large.replace(ANYONE, ACME, old.id, SAILS)


def test_a_fault_of_ours_fails_the_job_and_is_not_told(tmp_path: Path) -> None:
    class Broken(HashingEmbedder):
        def embed_passages(self, passages):  # type: ignore[no-untyped-def]
            raise ModelError("secret/folder: broken")

    desk = Desk(tmp_path, Broken())
    accepted = desk.live.large.add(ANYONE, ACME, OARS, token="k")
    assert desk.run(accepted.job.id) == "failed"
    assert desk.state(accepted.job.id) == ("failed", "try again later")
    assert desk.texts() == []
    mended = Desk(tmp_path)
    assert mended.live.large.add(ANYONE, ACME, OARS, token="k").job.state == "waiting"
    assert (mended.run(accepted.job.id), mended.content(accepted.id)) == ("done", OARS.content)


def test_a_job_that_cannot_be_started_was_never_accepted(tmp_path: Path) -> None:
    def refuse(collection: str, job_id: str) -> None:
        raise StoreUnavailable(f"job {job_id}: cannot be started")

    lively = Lively(tmp_path)
    lively.base = replace(lively.base, invoke=refuse)
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            lively.live.large.add(ANYONE, ACME, OARS, token="k")
    assert lively.live.jobs.waiting("sites") == []


def test_a_site_knows_its_own_jobs_alone(desk: Desk) -> None:
    job_id = desk.live.large.add(ANYONE, ACME, OARS).job.id
    files = desk.live.jobs.stage(ANYONE, "sites", [File("a.md", "x")]).id
    jobs = desk.live.jobs
    asked: list[Callable[[], object]] = [
        lambda: desk.live.large.get(ANYONE, OTHER, job_id),
        lambda: desk.live.large.get(ANYONE, ACME, files),
        lambda: desk.live.large.get(ANYONE, ACME, "../" + job_id),
        lambda: desk.live.large.get(ANYONE, Site("book", "acme"), job_id),
        lambda: jobs.get(ANYONE, "sites", job_id),
        lambda: jobs.run("book", job_id),
    ]
    for ask in asked:
        with pytest.raises(UnknownDocument, match=r"^job '.*': not here$"):
            ask()


@pytest.mark.parametrize("action", ["add", "replace", "get"])
def test_a_caller_needs_the_right_scope_on_the_right_site(desk: Desk, action: str) -> None:
    old = desk.live.documents.add(ANYONE, ACME, OARS)
    job_id = desk.live.large.add(ANYONE, ACME, SAILS).job.id
    wanted = READ if action == "get" else WRITE
    for right, site in product((READ, WRITE), (ACME, OTHER)):
        caller = Caller("test", frozenset({(right, "sites")}), frozenset({site.id}))
        arguments = {"add": (OARS,), "replace": (old.id, SAILS), "get": (job_id,)}[action]
        refused: type[QuireError] | None = None
        try:
            getattr(desk.live.large, action)(caller, ACME, *arguments)
        except ScopeMissing as error:
            refused = type(error)
        assert (refused is None) == (right == wanted and site == ACME), (right, site)


def test_a_job_of_files_is_kept_as_it_always_was(desk: Desk) -> None:
    job = desk.live.jobs.stage(ANYONE, "book", [File("a.md", "# A\n\nText.", is_highlight=True)])
    stored = FolderStore(desk.store).read(f"collections/book/jobs/{job.id}.json")
    assert stored is not None
    assert json.loads(stored.data) == {
        "state": "waiting",
        "at": job.at,
        "chunks": 0,
        "failures": [],
        "message": "",
        "files": [{"path": "a.md", "content": "# A\n\nText.", "is_highlight": True, "encoding": "text"}],
        "prune": False,
    }

"""Documents are prepared by one process or by several: what comes back, and in which order, is the same."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from build_index.orders import Order, prepare_all
from build_index.prepared import PreparedDocuments, admit_all
from build_index.preparing import prepare, unpack
from build_index.sources import Failure
from build_index.workers import Worker, prepare_each
from quire.documents import Document
from quire.errors import QuireError, SourceError

BROKEN = Document("broken.md", "---\ntitle: [\n---\n\n# Broken\n", "docs", {"path": "broken.md"})
PAUSE = 130
STRANGE = Document("strange.md", "# Strange\n", "no such kind", {"path": "strange.md"})


def page(number: int) -> Document:
    text = f"# Pot {number}\n\n" + f"Pot {number} holds {number} cups. " * 40
    return Document(f"pot-{number}.md", text, "docs", {"path": f"pot-{number}.md"})


def kitchen() -> list[Document | Failure]:
    return [*map(page, range(60)), BROKEN, Failure("gone.md", "cannot be read"), *map(page, range(60, 400))]


def orders() -> Iterator[Order]:
    for number, read in enumerate(kitchen()):
        if number == PAUSE:
            time.sleep(1.0)  # until the workers are up
        yield Order(read, b"", is_wanted=isinstance(read, Document) and number % 7 != 0)


def outcomes(workers: int) -> list[tuple[str, object]]:
    with closing(prepare_all(orders(), workers=workers, alone=0)) as done:
        return [(one.name, str(one.made) if isinstance(one.made, SourceError) else one.made) for one in done]


def test_several_processes_give_what_one_gives_in_the_same_order() -> None:
    alone = outcomes(0)
    assert outcomes(2) == alone
    assert [name for name, _ in alone] == [order.name for order in orders()]
    assert [made is None for _, made in alone] == [not order.is_wanted for order in orders()]


def test_a_worker_gives_what_its_documents_become() -> None:
    with closing(Worker()) as worker:
        made, error = worker.begin([page(1), BROKEN]).result(timeout=30)
    assert made == prepare(page(1))
    assert isinstance(error, SourceError)
    assert (str(error), error.path) == (str(prepare_each([BROKEN])[0]), "broken.md")


def test_a_killed_worker_is_an_error_that_says_so() -> None:
    with closing(Worker()) as worker:
        worker.begin([page(1)]).result(timeout=30)
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(QuireError, match=r"preparing documents: process \d+ was killed by signal 9"):
            worker.begin([page(2)]).result(timeout=30)


def test_a_worker_that_breaks_is_an_error_that_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    with closing(Worker()) as worker, pytest.raises(QuireError, match="ended with status 1: build again"):
        worker.begin([page(1), STRANGE]).result(timeout=30)
    assert "no such kind" in capfd.readouterr().err


def test_workers_end_where_nobody_wants_more() -> None:
    done = prepare_all((Order(page(one), b"", is_wanted=True) for one in range(10_000)), workers=1, alone=0)
    assert unpack(next(done).made.data)  # type: ignore[union-attr]
    done.close()


def test_entries_are_the_same_whoever_prepares(tmp_path: Path) -> None:
    failures: list[Failure] = []
    with PreparedDocuments(tmp_path / "kitchen.sqlite") as documents:
        entries = list(admit_all(kitchen(), documents, failures, lambda _name, _chunks: None))
        again = list(admit_all(kitchen(), documents, [], lambda _name, _chunks: None))
    assert entries == again
    assert [entry.document_id for entry in entries] == [f"pot-{number}.md" for number in range(400)]
    assert [one.path for one in failures] == ["broken.md", "gone.md"]

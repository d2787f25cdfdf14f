"""Documents that are kept are the documents that were read, and only while their sources are what they were."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from build_index.cache.documents import remember
from build_index.cache.store import ContentStore
from build_index.sources import Failure
from quire.documents import Document

READ = [
    Document(
        "api/Kettle.Boil", "Boils.\r\nThen\u2028whistles.", "api_member", {"tags": ("hot", "loud"), "line": 3}
    ),
    Document("api/Kettle", "A kettle.", "api_class", {"deprecated": False}, {"a.md": "Included."}),
]


class Source:
    def __init__(self, *read: Document | Failure) -> None:
        self.read = read
        self.asked = 0

    def __call__(self) -> Iterator[Document | Failure]:
        self.asked += 1
        yield from self.read


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ContentStore]:
    with closing(ContentStore(tmp_path)) as opened:
        yield opened


def test_the_same_documents_come_back_without_being_read(store: ContentStore) -> None:
    source = Source(*READ)
    for _ in range(3):
        assert list(remember(store, "pages", b"k1", source)) == READ
    assert source.asked == 1


def test_another_key_reads_again_and_is_kept_instead(store: ContentStore) -> None:
    first, second = Source(READ[0]), Source(READ[1])
    list(remember(store, "pages", b"k1", first))
    for _ in range(2):
        assert list(remember(store, "pages", b"k2", second)) == [READ[1]]
    assert second.asked == 1
    assert store.read_all("pages").keys() == {b"k2"}


def test_what_failed_in_part_is_read_again(store: ContentStore) -> None:
    source = Source(READ[0], Failure("b.yaml", "no mapping"))
    for _ in range(2):
        assert len(list(remember(store, "pages", b"k1", source))) == 2
    assert source.asked == 2


def test_a_reading_that_is_given_up_keeps_nothing(store: ContentStore) -> None:
    reading = remember(store, "pages", b"k1", Source(*READ))
    assert next(reading) == READ[0]
    reading.close()  # type: ignore[attr-defined]
    assert store.read_all("pages") == {}

"""Documents that are kept are the documents that were read, and only while their sources are what they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from build_index.cache.documents import remember
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


def test_the_same_documents_come_back_without_being_read(tmp_path: Path) -> None:
    source = Source(*READ)
    for _ in range(3):
        assert list(remember(tmp_path / "a" / "kept.json", "k1", source)) == READ
    assert source.asked == 1


def test_another_key_reads_again_and_is_kept_instead(tmp_path: Path) -> None:
    first, second = Source(READ[0]), Source(READ[1])
    list(remember(tmp_path / "kept.json", "k1", first))
    for _ in range(2):
        assert list(remember(tmp_path / "kept.json", "k2", second)) == [READ[1]]
    assert second.asked == 1


def test_what_failed_in_part_is_read_again(tmp_path: Path) -> None:
    source = Source(READ[0], Failure("b.yaml", "no mapping"))
    for _ in range(2):
        assert len(list(remember(tmp_path / "kept.json", "k1", source))) == 2
    assert source.asked == 2


@pytest.mark.parametrize("damage", [b"", b"k1\n", b"k1\n[{]", b"k1\n[3]", b"\xff\n[]", b'k1\n[{"id": 1}]'])
def test_a_damaged_file_counts_as_none(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "kept.json").write_bytes(damage)
    source = Source(*READ)
    assert list(remember(tmp_path / "kept.json", "k1", source)) == READ
    assert source.asked == 1


def test_a_changed_byte_anywhere_is_noticed_before_a_document_is_given(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    list(remember(path, "k1", Source(*READ)))
    sound = path.read_bytes()
    for place in range(len(sound)):
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
        source = Source(*READ)
        assert list(remember(path, "k1", source)) == READ
        assert source.asked == 1


def test_a_reading_that_is_given_up_leaves_no_file(tmp_path: Path) -> None:
    reading = remember(tmp_path / "kept.json", "k1", Source(*READ))
    assert next(reading) == READ[0]
    reading.close()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []

"""Stored text that follows a segment: it is checked when it comes, and all of it is here soon."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quire.errors import ArtifactCorrupt, DiskFull, StoreUnavailable
from quire.index.layout import PAYLOADS, Manifest, payload_shard
from quire.index.reader import Segment, open_segment
from quire.index.writer import write_segment
from quire.store.keys import fetch_segment, segment_key
from quire.store.late_shards import EVERY_S, RETRY_S, LateShards, shards_that_follow
from quire.store.store import SegmentStore
from tests.support.rows import FACTS, open_index, plain_row
from tests.support.stores import MemoryStore

SHARDS = 10
LINE = 1_000_100
"""Characters of a text that fills a shard."""


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Published:
    """A collection in a store that cannot be mapped, a chunk a shard."""

    def __init__(self, work: Path, *, shards: int = SHARDS) -> None:
        self.work, self.objects = work, MemoryStore()
        self.manifest: Manifest
        self.publisher = SegmentStore(self.objects, work / "publisher")
        self.publish("first", shards)

    def publish(self, word: str, shards: int = SHARDS, *, name: str = "docs") -> None:
        rows = [plain_row(f"d{number:02d}", "0", word.ljust(LINE)) for number in range(shards)]
        folder = self.work / word
        manifest = write_segment(folder, rows, FACTS)
        self.publisher.publish(name, folder, manifest)
        if name == "docs":
            self.manifest = manifest

    @property
    def prefix(self) -> str:
        return segment_key("docs", self.manifest.digest)

    def open(self, *, is_late: bool = True, most_bytes: int = 0) -> SegmentStore:
        return SegmentStore(self.objects, self.work / "cache", most_bytes=most_bytes, is_late=is_late)

    def here(self) -> set[int]:
        """Numbers of the newest segment's shards that lie in the cache."""
        folder = self.work / "cache/segments" / self.manifest.digest / PAYLOADS
        return {int(path.stem) for path in folder.glob("*.jsonl")}

    def damage(self, shard: int) -> bytes:
        key = self.prefix + payload_shard(shard)
        whole = self.objects.objects[key]
        self.objects.objects[key] = whole.replace(b"first", b"worst")
        return whole


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return Published(tmp_path_factory.mktemp("written"))


@pytest.fixture
def published(written: Published, tmp_path: Path) -> Published:
    """As it was written, in a store and a cache of the test's own."""
    own = Published.__new__(Published)
    own.work, own.objects, own.manifest = tmp_path, MemoryStore(), written.manifest
    own.objects.objects = dict(written.objects.objects)
    own.publisher = SegmentStore(own.objects, tmp_path / "publisher")
    return own


def late_shards(published: Published, clock: Clock) -> LateShards:
    folder = published.work / "cache/segments" / published.manifest.digest
    manifest = fetch_segment(
        published.objects, published.prefix, published.manifest.digest, folder, follows=shards_that_follow
    )
    return LateShards(published.objects, published.prefix, folder, manifest, clock=clock)


def test_a_start_waits_for_what_its_answer_shows_alone(published: Published) -> None:
    index = published.open().open("docs")
    assert published.here() == set()
    assert [chunk.document_id for chunk in index.fetch([7, 2])] == ["d07", "d02"]
    assert published.here() == {2, 7}


def test_what_an_answer_shows_comes_at_once(published: Published) -> None:
    asked: list[set[int]] = []
    folder = published.publisher.segment("docs", published.publisher.pointer("docs").segments[0]).folder
    segment = open_segment(folder, bring=lambda shards: asked.append(set(shards)))
    open_index(segment).fetch([1, 2, 3])
    assert asked[0] == {1, 2, 3}


def test_a_shard_with_a_changed_byte_is_not_shown_and_the_others_are(published: Published) -> None:
    whole = published.damage(4)
    index = published.open().open("docs")
    with pytest.raises(ArtifactCorrupt, match="00004"):
        index.fetch([3, 4])
    assert [chunk.document_id for chunk in index.fetch([3, 5])] == ["d03", "d05"]
    published.objects.objects[published.prefix + payload_shard(4)] = whole
    assert index.fetch([4])[0].text.startswith("first")


def test_while_the_store_is_away_what_is_here_is_shown_and_the_rest_said_to_be_away(
    published: Published,
) -> None:
    index = published.open().open("docs")
    index.fetch([1])
    published.objects.is_down = True
    assert index.fetch([1])[0].document_id == "d01"
    with pytest.raises(StoreUnavailable):
        index.fetch([1, 2])
    published.objects.is_down = False
    assert index.fetch([2])[0].document_id == "d02"


def test_one_more_a_second_comes_until_all_are_here(published: Published) -> None:
    clock = Clock()
    late = late_shards(published, clock)
    late.bring([9])
    late.bring([9])
    assert published.here() == {9}
    for count in range(1, SHARDS):
        clock.now += EVERY_S
        late.bring([9])
        late.bring([9])
        assert len(published.here()) == 1 + count
    assert late.missing == set()
    published.objects.is_down = True
    late.bring(range(SHARDS))


def test_what_comes_unasked_and_fails_disturbs_nobody_and_is_left_for_a_while(published: Published) -> None:
    clock = Clock()
    late = late_shards(published, clock)
    late.bring([9])
    published.objects.is_down = True
    clock.now += EVERY_S
    late.bring([9])
    asked = published.objects.calls["fetch_file"]
    clock.now += RETRY_S / 2
    late.bring([9])
    assert published.objects.calls["fetch_file"] == asked
    published.objects.is_down = False
    clock.now += RETRY_S
    late.bring([9])
    assert published.here() == {0, 9}


def test_a_newer_version_is_here_whole_before_it_takes_the_place_of_one_that_serves(
    published: Published,
) -> None:
    store = published.open()
    store.open("docs")
    published.publish("second")
    store.open("docs")
    assert published.here() == set(range(SHARDS))


def test_little_text_comes_with_the_rest(tmp_path: Path) -> None:
    published = Published(tmp_path, shards=3)
    published.open().open("docs")
    assert published.here() == {0, 1, 2}


def test_who_wants_every_byte_has_it(published: Published) -> None:
    store = published.open()
    store.open("docs").fetch([3])
    store.verify("docs")
    assert published.here() == set(range(SHARDS))


def test_a_process_that_opens_whole_segments_completes_what_another_left(published: Published) -> None:
    published.open().open("docs").fetch([3])
    index = published.open(is_late=False).open("docs")
    assert published.here() == set(range(SHARDS))
    [segment] = index.segments
    assert segment.bring is None


def test_what_is_still_to_come_has_its_room(published: Published) -> None:
    whole = sum(file.size for file in published.manifest.files.values())
    store = published.open(most_bytes=int(1.5 * whole))
    index = store.open("docs")
    published.publish("other", name="others")
    with pytest.raises(DiskFull):
        store.open("others")
    index.fetch(range(SHARDS))
    assert published.here() == set(range(SHARDS))


def test_all_lines_are_read_through_whatever_is_here(published: Published) -> None:
    index = published.open().open("docs")
    segment: Segment = index.segments[0]
    lines = list(segment.payloads.lines(np.arange(SHARDS, dtype=np.uint32)))
    assert len(lines) == SHARDS
    assert segment.payloads.line(0) == lines[0]

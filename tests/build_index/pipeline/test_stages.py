"""The first build of a folder can be searched before it is embedded, goes on after a kill, and ends as in one go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from build_index.pipeline.file_ledger import Order
from build_index.pipeline.folder_job import JobOutcome, run_order
from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.ports import Vectors
from quire.profiles import profile_named
from quire.search.retrieval import Query, Retrieved, retrieve
from quire.store.store import SegmentStore
from tests.support.fakes import HashingEmbedder

pytestmark = pytest.mark.usefixtures("few_questions")

FILES = 300
LATE = 580
"""Of 600 passages, for each chunk's headline is one too: near the end, as they are taken in large blocks."""
NO_OPTIONS = {"patterns": (), "exclude": ()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Many small files with a word of their own each."""
    folder = tmp_path / "code"
    folder.mkdir()
    for number in range(FILES):
        text = f'def task{number}():\n    """Paints the fence in coat {number}."""\n    return {number}\n'
        (folder / f"module{number}.py").write_text(text, encoding="utf-8")
    return folder


class Watched(HashingEmbedder):
    """Calls `told` before each passage with how many came before it."""

    def __init__(self, told: Callable[[int], object]) -> None:
        super().__init__()
        self.told = told
        self.passages = 0

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:  # type: ignore[override]
        for row in super().embed_passages(passages):
            self.told(self.passages)
            self.passages += 1
            yield row


class Place:
    """A store and a cache, and how another process sees the store."""

    def __init__(self, folder: Path, place: Path, model_folder: Path) -> None:
        self.order = Order("code", str(folder))
        self.place, self.model_folder = place, model_folder

    def index(
        self, told: Callable[[int], object] = lambda _: None, slice_s: float = 0.0
    ) -> tuple[JobOutcome, Watched]:
        embedder = Watched(told)
        tools = Tools(embedder, self.model_folder, self.place / "cache", slice_s=slice_s)
        return run_order(self.order, self.store(), lambda: tools, tools.cache), embedder

    def store(self) -> SegmentStore:
        return SegmentStore(FolderStore(self.place / "store"), self.place / "near")

    def search(self) -> Retrieved:
        return retrieve(
            self.store().open("code"), HashingEmbedder(), Query("paints the fence in coat 31", top_k=3)
        )


@pytest.fixture
def place(folder: Path, tmp_path: Path, model_folder: Path) -> Place:
    return Place(folder, tmp_path / "place", model_folder)


def test_names_and_keywords_are_found_before_the_first_vector_and_readers_of_a_version_keep_it(
    place: Place,
) -> None:
    seen: dict[int, Retrieved] = {}
    outcome, embedder = place.index(
        lambda count: seen.setdefault(count, place.search()) if count in (0, LATE) else None
    )
    assert embedder.passages > LATE
    assert [one.hits[0].chunk.symbols[0] for one in seen.values()] == ["task31"] * len(seen)
    assert [one.degraded for one in seen.values()] == [
        (f"vectors {share}: ranked by keywords alone until they are there",) for share in ("0%", "85%")
    ]
    after = place.search()
    assert (after.mode, after.degraded, after.version) == ("hybrid", (), outcome.version)
    assert [one.version for one in place.store().versions("code")] == [outcome.version]

    for number in range(3):
        path = Path(place.order.root) / f"module{number}.py"
        path.write_text(path.read_text(encoding="utf-8").replace("Paints", "Colours"), encoding="utf-8")
    served: set[str] = set()
    again, _ = place.index(lambda _: served.add(place.store().pointer("code").version))
    assert served == {outcome.version} != {again.version}


def test_words_are_written_while_files_are_read_and_a_kill_there_leaves_nothing_behind(place: Place) -> None:
    built = place.place / "cache" / "built"
    seen: list[set[str]] = []

    def kill(document: str, chunks: int) -> None:
        seen.append({one.name.rpartition("-")[0] for one in built.glob(".*")})
        if len(seen) == FILES:
            (built / "..code.next.first-killed").mkdir()  # what is left where no exception can be caught
            raise KeyboardInterrupt

    plan = BuildPlan(
        "code", profile_named("code"), (("repository", place.order.root),), options=NO_OPTIONS, announce=kill
    )
    with pytest.raises(KeyboardInterrupt):
        build(plan, Tools(HashingEmbedder(), place.model_folder, place.place / "cache"), place.store())
    assert (seen[0], seen[-1]) == (set(), {"..code.next.first"})
    outcome, _ = place.index()
    assert (outcome.files, [one.name for one in built.iterdir()]) == (FILES, ["code"])


def test_a_store_and_a_cache_inside_of_the_folder_are_none_of_its_files(
    tmp_path: Path, model_folder: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Fences\n\nPaint them twice.\n", encoding="utf-8")
    place = Place(folder, folder / "an [own] index", model_folder)
    place.order = replace(place.order, store=str(place.place / "store"), incremental=True)
    first, _ = place.index()
    again, _ = place.index()
    assert (first.files, again.files, again.changed) == (1, 1, 0)
    assert again.version == first.version


def test_what_was_killed_goes_on_where_it_was_and_ends_in_the_bytes_of_one_go(place: Place) -> None:
    def kill(count: int) -> None:
        if count == LATE:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place.index(kill)
    assert place.search().degraded[0].startswith("vectors 85%")
    shares: list[str] = []
    outcome, went_on = place.index(lambda _: shares.extend(place.search().degraded), slice_s=10.0)
    assert went_on.passages < LATE / 4
    assert shares, "it was served whole before it was"
    assert min(int(one.split()[1].rstrip("%:")) for one in shares) >= 85, "fewer vectors than before the kill"
    (served,) = place.store().pointer("code").segments
    plan = BuildPlan("code", profile_named("code"), (("repository", place.order.root),), options=NO_OPTIONS)
    tools = Tools(HashingEmbedder(), place.model_folder, place.place / "elsewhere")
    in_one_go = build(plan, tools, place.store(), publish=False)
    assert in_one_go.ingested.manifest.digest == served.digest
    assert place.search().version == outcome.version


def test_a_build_of_a_folder_asks_the_words_of_the_language_as_serving_does(place: Place) -> None:
    class Reading(HashingEmbedder):
        asked = 0

        def has_word(self, word: str) -> bool:
            self.asked += bool(word)
            return True

    reading = Reading()
    tools = Tools(reading, place.model_folder, place.place / "cache")
    run_order(place.order, place.store(), lambda: tools, tools.cache)
    assert reading.asked, "its questions were read without them: score and threshold were another reading's"

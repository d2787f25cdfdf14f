"""The completeness check itself: it finds what is missing, doubled or made up, and nothing in the real sources."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from build_index.sources import Failure
from quire.documents import Chunk, Document
from tests.support.completeness import Sources, compare, list_entries, main, read_api, read_chunks
from tests.support.engine import write_engine
from tests.support.pace import takes_cpu_within
from tests.support.shared import shared_path


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    folder, docs = write_engine(tmp_path)
    page = docs / "content" / "en-us" / "sailing.md"
    page.write_text(
        "---\ntitle: Sailing\n---\n\nHoist the sails and keep the wind abeam.\n", encoding="utf-8"
    )
    return Sources(folder, docs)


def chunks_of(sources: Sources) -> list[Chunk]:
    return [one for one in read_chunks(sources) if isinstance(one, Chunk)]


def test_what_the_readers_yield_is_complete(sources: Sources) -> None:
    verdict = compare(sources, chunks_of(sources))
    assert verdict.problems == ()
    assert (verdict.entries, verdict.files) == (15, 7)


def test_each_missing_chunk_is_noticed(sources: Sources) -> None:
    chunks = chunks_of(sources)
    needed = [
        number
        for number, chunk in enumerate(chunks)
        if chunk.metadata["source"] == "api_dump" or str(chunk.metadata["file_path"]).endswith(".md")
    ]
    for number in needed:
        assert compare(sources, chunks[:number] + chunks[number + 1 :]).problems


def test_a_chunk_that_comes_twice_or_tells_of_nothing_is_noticed(sources: Sources) -> None:
    chunks = chunks_of(sources)
    assert any("2 times" in problem for problem in compare(sources, [*chunks, chunks[0]]).problems)
    metadata = dict(chunks[0].metadata)
    invented = chunks[0]._replace(id="0" * 16, metadata={**metadata, "class_name": "Kraken"})
    assert compare(sources, [*chunks, invented]).problems == (
        "entry not in the dump, or twice: ('Class', 'Kraken', '')",
    )
    elsewhere = chunks[0]._replace(id="0" * 16, metadata={"file_path": "content/en-us/atlantis.md"})
    assert compare(sources, [*chunks, elsewhere]).problems == ("no such file: content/en-us/atlantis.md",)


def test_lines_beyond_the_end_of_a_file_are_noticed(sources: Sources) -> None:
    chunks = chunks_of(sources)
    number = next(n for n, chunk in enumerate(chunks) if "end_line" in chunk.metadata)
    metadata = {**chunks[number].metadata, "end_line": 9999}
    chunks[number] = chunks[number]._replace(metadata=metadata)
    [problem] = compare(sources, chunks).problems
    assert " to 9999 of " in problem


def test_the_script_says_how_many_there_are(sources: Sources, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--api-dump", str(sources.api_dump), "--creator-docs", str(sources.creator_docs)]
    assert main(arguments) == 0
    assert "15 entries of the dump, 7 files" in capsys.readouterr().out
    (sources.creator_docs / "content/en-us/reference/engine/classes/Boat.yaml").write_text("name: [")
    assert main(arguments) == 1
    assert "failure: content/en-us/reference/engine/classes/Boat.yaml: line" in capsys.readouterr().out


@pytest.fixture(scope="module")
def real() -> Sources:
    root = shared_path("data/roblox/0.735")
    return Sources(root, root / "creator-docs")


@pytest.fixture(scope="module")
def real_api(real: Sources) -> tuple[list[Document | Failure], float]:
    """What is read of the real dump and the reference, and the CPU seconds that it took."""
    started = process_time()
    return read_api(real), process_time() - started


@pytest.mark.shared
def test_the_real_dump_and_reference_are_read_whole_and_quickly(
    real: Sources, real_api: tuple[list[Document | Failure], float]
) -> None:
    read_all, spent_s = real_api
    assert not [one for one in read_all if isinstance(one, Failure)]
    documents = {one.id: one for one in read_all if isinstance(one, Document)}
    assert len(documents) == len(read_all)
    dumped = [one for one in documents if one.startswith("api_dump/")]
    assert len(dumped) == len(list(list_entries(real.api_dump)))
    pages = {one.metadata.get("file_path") for one in documents.values()}
    assert len(pages - {None}) == len(list(real.creator_docs.rglob("*.yaml")))
    assert takes_cpu_within(spent_s, 20)  # 3 s on a quiet machine


@pytest.mark.shared
def test_nothing_of_the_real_sources_is_missing_or_twice(
    real: Sources, real_api: tuple[list[Document | Failure], float]
) -> None:
    read_all, _ = real_api
    chunks = [one for one in read_chunks(real, read_all) if isinstance(one, Chunk)]
    verdict = compare(real, chunks)
    assert verdict.problems == ()
    assert (verdict.entries, verdict.files) == (13_454, 2_239)

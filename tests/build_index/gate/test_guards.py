"""The shrink guard over small written segments: what it lets pass, what it refuses, and what it names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_index.gate.guards import MEASURES, Stock, find_shrinks, guard_shrink, take_stock
from quire.documents import Document
from quire.errors import PublishRefused
from quire.index.layout import Counts
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from tests.support.corpus import api_documents, write_corpus
from tests.support.fakes import HashingEmbedder


def stock(folder: Path, documents: Sequence[Document]) -> Stock:
    write_corpus(folder, HashingEmbedder(), documents)
    return take_stock(OpenedIndex([(open_segment(folder), 1)]))


def many(count: int) -> list[Document]:
    """Members numbered upwards, of one source, and four guides of another."""
    first, *_ = api_documents()
    members = [
        first._replace(
            id=f"api_dump/Part.Member{n:03d}",
            metadata={**first.metadata, "symbols": (f"Part.Member{n:03d}", f"Member{n:03d}")},
        )
        for n in range(count)
    ]
    return members + api_documents()[8:]


def test_the_same_and_a_growing_version_pass(tmp_path: Path) -> None:
    before = stock(tmp_path / "a", many(40))
    guard_shrink(before, before)
    after = stock(tmp_path / "b", many(80))
    assert find_shrinks(before, after) == []


def test_a_small_loss_passes_and_a_large_one_names_documents_and_symbols(tmp_path: Path) -> None:
    before = stock(tmp_path / "a", many(40))
    assert find_shrinks(before, stock(tmp_path / "b", many(36))) == []
    with pytest.raises(PublishRefused) as refused:
        guard_shrink(before, stock(tmp_path / "c", many(30)))
    told = str(refused.value)
    assert "api_dump: documents 40 -> 30 (-25 %), gone: api_dump/Part.Member030, " in told
    assert "and 5 more" in told
    assert "api_dump: symbols 80 -> 60 (-25 %), gone: Member030, " in told
    assert "creator_docs" not in told
    assert "--allow-shrink" in told


def test_a_lost_source_is_refused_however_large_the_rest_grew(tmp_path: Path) -> None:
    before = stock(tmp_path / "a", many(40))
    after = stock(tmp_path / "b", many(400)[:400])
    shrinks = find_shrinks(before, after)
    assert {one.source for one in shrinks} == {"creator_docs"}
    assert {one.measure for one in shrinks} == {"documents", "chunks", "characters"}
    assert all(one.after == 0 for one in shrinks)


def test_text_cut_short_is_refused_though_no_document_is_missing(tmp_path: Path) -> None:
    documents = many(40)
    before = stock(tmp_path / "a", documents)
    after = stock(tmp_path / "b", [one._replace(text=one.text[: len(one.text) // 2]) for one in documents])
    shrinks = find_shrinks(before, after)
    assert {(one.source, one.measure) for one in shrinks} == {
        ("api_dump", "characters"),
        ("creator_docs", "characters"),
    }
    assert "content/" not in str(shrinks[0])
    assert "most from: api_dump/Part.Member0" in str(shrinks[0])


def test_a_loss_that_is_meant_can_be_allowed(tmp_path: Path) -> None:
    before, after = stock(tmp_path / "a", many(40)), stock(tmp_path / "b", many(10))
    guard_shrink(before, after, 1.0)
    with pytest.raises(PublishRefused, match="more than 50%"):
        guard_shrink(before, after, 0.5)


@pytest.mark.parametrize(("kept", "share"), [(2, "0.34"), (1, "0.67"), (0, "1")])
def test_a_refusal_names_the_least_share_that_lets_the_loss_pass(
    tmp_path: Path, kept: int, share: str
) -> None:
    three = api_documents()[:3]
    before = stock(tmp_path / "a", three)
    after = stock(tmp_path / "b", three[:kept]) if kept else Stock({}, list)
    with pytest.raises(PublishRefused) as refused:
        guard_shrink(before, after)
    told = str(refused.value).rpartition("--allow-shrink ")[2].split()[0]
    guard_shrink(before, after, float(told))
    with pytest.raises(PublishRefused):
        guard_shrink(before, after, float(told) - 0.01)
    assert float(told) >= float(share)


@given(
    before=st.integers(0, 10**7),
    after=st.integers(0, 10**7),
    share=st.floats(0, 1),
    measure=st.sampled_from(MEASURES),
)
def test_exactly_a_loss_over_the_share_is_found(before: int, after: int, share: float, measure: str) -> None:
    old, new = (Stock({"s": Counts(**{measure: count})}, list) for count in (before, after))
    found = find_shrinks(old, new, share)
    assert [one.measure for one in found] == ([measure] if before - after > share * before else [])
    assert find_shrinks(old, old, share) == []

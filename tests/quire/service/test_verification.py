"""Citations against real artifacts: true ones are verified, and one changed byte anywhere is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from functions.web.answers import quote_wire
from functions.web.wire import hit_wire
from quire.answering.citations import cite
from quire.documents import Chunk, Hit, Value, text_sha256
from quire.errors import ArtifactCorrupt, InputError
from quire.index.layout import payload_shard
from quire.index.writer import SegmentFacts, write_segment
from quire.service.verification import (
    NOT_IN_VERSION,
    TEXT_CHANGED,
    UNKNOWN_VERSION,
    VERIFIED,
    Claim,
    Verdict,
    read_claims,
    verify_citation,
)
from quire.store import pointers as states
from quire.store.catalog import Catalog
from quire.store.store import SegmentStore
from tests.support.rows import make_rows
from tests.support.served import Shelf

CITED = (
    "id",
    "version",
    "sha256",
    "quote",
    "path",
    "heading",
    "url",
    "start",
    "end",
    "start_line",
    "end_line",
)


class Library:
    """A published collection of 300 chunks with places, and a verifier over it."""

    def __init__(self, root: Path) -> None:
        self.shelf = Shelf(root)
        self.store: SegmentStore = self.shelf.store
        self.version = self.publish(1)
        self.catalog = Catalog(self.store, refresh_s=0.0)

    def verify(self, claim: Claim) -> Verdict:
        return verify_citation(claim, lambda version: self.catalog.get("docs", version).index)

    def publish(self, seed: int) -> str:
        folder = self.shelf.root / f"segment-{seed}"
        rows = (
            replace(row, chunk=_placed(row.chunk, number))
            for number, row in enumerate(make_rows(300, seed=seed))
        )
        manifest = write_segment(folder, rows, SegmentFacts("docs", "chatbot", (), 64))
        return self.store.publish("docs", folder, manifest).version

    def citations(self, count: int) -> Iterator[dict[str, Any]]:
        """Citations as `/query` and as answers show them, in turn."""
        rng, index = Random(5), self.store.open("docs")
        for number in range(count):
            [chunk] = index.fetch([rng.randrange(index.chunk_count)])
            wire = hit_wire(Hit(chunk, 1, 0.5, None, index.version))
            cited: dict[str, Any] = {**wire["citation"], "quote": wire["text"]}
            if number % 2:
                begin = rng.randrange(len(chunk.text) - 20)
                end = rng.randrange(begin + 10, len(chunk.text))
                quote = chunk.text[begin:end]
                cited |= {"quote": quote, "start": begin, "end": end, "sha256": text_sha256(quote)}
            yield cited


def _placed(chunk: Chunk, number: int) -> Chunk:
    place: dict[str, Value] = {"path": chunk.document_id}
    place |= {"start_line": 7 * number + 1, "end_line": 7 * number + 6}
    more = {"heading": f"Part {number % 7}", "url": f"https://docs.example/{number}"}
    return chunk._replace(metadata={**chunk.metadata, **place, **more})


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("library"))


def changed(cited: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The citation with one character of one of its entries exchanged."""
    name = rng.choice([name for name in CITED if cited.get(name) is not None])
    text = str(cited[name])
    place = rng.randrange(len(text))
    known = "0123456789" if isinstance(cited[name], int) else "0123456789abcdefX /"
    other = rng.choice([letter for letter in known if letter != text[place]])
    spoilt = text[:place] + other + text[place + 1 :]
    return {**cited, name: int(spoilt) if isinstance(cited[name], int) else spoilt}


def test_a_thousand_true_citations_are_verified(library: Library) -> None:
    verdicts = [library.verify(claim) for claim in read_claims(list(library.citations(1000)))]
    assert [one.status for one in verdicts] == [VERIFIED] * 1000
    assert all(one.segment and one.file_sha256 for one in verdicts)


def test_a_thousand_citations_with_one_changed_byte_are_refused(library: Library) -> None:
    rng = Random(6)
    for cited in library.citations(1000):
        spoilt = changed(cited, rng)
        [claim] = read_claims(spoilt)
        assert library.verify(claim).status != VERIFIED, (cited, spoilt)


def test_a_quote_of_a_page_may_name_the_lines_that_its_passage_maps_and_no_others(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    [row] = make_rows(1)
    place: dict[str, Value] = {
        "path": "a.md",
        "start_line": 5,
        "end_line": 14,
        "line_map": "0:0 8:2 17:3 29:5-9",
    }
    text = "# Pump\n\nIt pumps and stops.\n\na\n\nb"
    row = replace(row, chunk=row.chunk._replace(text=text, metadata=place))
    manifest = write_segment(tmp_path / "page", [row], SegmentFacts("docs", "chatbot", (), 64))
    version = shelf.store.publish("docs", tmp_path / "page", manifest).version
    catalog = Catalog(shelf.store, refresh_s=0.0)

    def status(first: int, last: int) -> str:
        said: dict[str, Value] = {"path": "a.md", "start_line": first, "end_line": last}
        claim = Claim(row.chunk.id, version, text_sha256(text[8:27]), text[8:27], 8, 27, said)
        return verify_citation(claim, lambda name: catalog.get("docs", name).index).status

    assert status(7, 8) == status(5, 14) == VERIFIED
    assert status(6, 8) == status(7, 9) == TEXT_CHANGED


def test_a_quote_of_code_may_name_its_own_lines_and_symbols_and_no_others(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    [row] = make_rows(1)
    text = "def one():\n    return 1\n\n\ndef two():\n    return 2"
    place: dict[str, Value] = {"path": "numbers.py", "start_line": 11, "end_line": 16, "heading": "one"}
    row = replace(row, chunk=row.chunk._replace(text=text, metadata=place, symbols=("one", "two")))
    manifest = write_segment(tmp_path / "code", [row], SegmentFacts("code", "codebase", (), 64))
    version = shelf.store.publish("code", tmp_path / "code", manifest).version
    quote = text[text.index("def two") :]

    def status(start: int, end: int, heading: str = "two") -> str:
        said: dict[str, Value] = {"path": "numbers.py", "start_line": start, "end_line": end}
        said["heading"] = heading
        claim = Claim(row.chunk.id, version, text_sha256(quote), quote, place=said)
        return verify_citation(claim, lambda one: shelf.store.open("code", one)).status

    assert status(15, 16) == status(11, 16) == status(15, 16, "one") == VERIFIED
    assert status(15, 16, "three") == TEXT_CHANGED
    assert {status(12, 16), status(16, 16), status(15, 15), status(15, 17)} == {TEXT_CHANGED}


def test_a_quote_of_a_page_may_name_the_section_of_its_chunk_that_it_stands_in_and_no_other(
    tmp_path: Path,
) -> None:
    shelf = Shelf(tmp_path)
    [row] = make_rows(1)
    text = "## Pump\n\nIt pumps.\n\n### Valve\n\nTurn it.\n\n### Oil\n\nOnce a year."
    place: dict[str, Value] = {"path": "pump.md", "heading": "Pump", "kind": "section", "lang": "markdown"}
    chunk = row.chunk._replace(text=text, metadata=place, breadcrumb="pump.md › Pump", symbols=())
    manifest = write_segment(
        tmp_path / "page", [replace(row, chunk=chunk)], SegmentFacts("code", "codebase", (), 64)
    )
    version = shelf.store.publish("code", tmp_path / "page", manifest).version
    start, end = text.index("Turn"), text.index("\n\n### Oil")
    quote = cite(1, Hit(chunk, 1, 0.5, None, version), start, end, answers_at=start)
    shown = str(quote_wire(quote, version)["heading"])

    def status(heading: str) -> str:
        said: dict[str, Value] = {"path": "pump.md", "heading": heading}
        claim = Claim(chunk.id, version, text_sha256(text[start:end]), text[start:end], start, end, said)
        return verify_citation(claim, lambda one: shelf.store.open("code", one)).status

    assert shown == "Pump › Valve"
    assert status(shown) == status("Pump") == VERIFIED
    assert status("Pump › Oil") == status("Valve › Pump") == TEXT_CHANGED


def test_each_reason_is_told(library: Library) -> None:
    cited = next(library.citations(1))
    [claim] = read_claims(cited)
    for wrong, status, word in (
        ({"version": "000000000000"}, UNKNOWN_VERSION, "holds"),
        ({"version": "0.735"}, UNKNOWN_VERSION, "12 digits"),
        ({"version": "latest"}, UNKNOWN_VERSION, "12 digits"),
        ({"id": "0" * 16}, NOT_IN_VERSION, "none of that id"),
        ({"id": "../../etc"}, NOT_IN_VERSION, "none of that id"),
        ({"sha256": "0" * 64}, TEXT_CHANGED, "sha256"),
        ({"quote": "something else"}, TEXT_CHANGED, "quote"),
        ({"place": {"path": "other.md"}}, TEXT_CHANGED, "path"),
    ):
        verdict = library.verify(replace(claim, **wrong))
        assert (verdict.status, word in verdict.detail) == (status, True), wrong


def test_a_citation_of_an_old_version_stays_verified_after_a_new_one(tmp_path: Path) -> None:
    library = Library(tmp_path)
    old = list(library.citations(20))
    assert library.publish(2) != library.version
    assert {library.verify(claim).status for claim in read_claims(old)} == {VERIFIED}


def test_a_deleted_document_is_in_no_version_any_more(tmp_path: Path) -> None:
    library = Library(tmp_path)
    [claim] = read_claims(cited := next(library.citations(1)))
    library.store.pointers.advance(
        "docs", lambda one: states.with_deletion(one, [cited["path"]]) if one else _none()
    )
    current = library.store.pointer("docs").version
    assert library.verify(replace(claim, version=current)).status == NOT_IN_VERSION
    assert library.verify(claim).status == NOT_IN_VERSION


def _none() -> Any:
    raise AssertionError("the pointer is gone")


def test_bytes_that_differ_from_the_manifest_prove_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path)
    [claim] = read_claims(next(library.citations(1)))
    digest = library.store.pointer("docs").segments[0].digest
    file = library.shelf.folder / "collections/docs/segments" / digest / payload_shard(0)
    data = bytearray(file.read_bytes())
    data[40] ^= 1
    file.write_bytes(bytes(data))
    with pytest.raises(ArtifactCorrupt, match=r"payloads/00000.jsonl: sha256 .* expected"):
        library.verify(claim)


def test_citations_are_read_out_of_whole_responses(library: Library) -> None:
    index = library.store.open("docs")
    hits = [
        hit_wire(Hit(chunk, n, 0.5, None, index.version)) for n, chunk in enumerate(index.fetch(range(4)), 1)
    ]
    payloads = [{"payload": {"text": hit["text"], **hit["citation"]}} for hit in hits]
    cited = {"answer": "…", "citations": [hit["citation"] for hit in hits]}
    for response in (
        {"hits": hits},
        {"results": payloads},
        cited,
        hits,
        [{"hits": hits[:2]}, {"hits": hits[2:]}],
    ):
        claims = read_claims(json.loads(json.dumps(response)))
        assert len(claims) == 4
        assert {library.verify(claim).status for claim in claims} == {VERIFIED}


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"hits": []}, "citations"),
        ([], "citations"),
        ("text", "citations"),
        ({}, "id"),
        ({"id": "a", "version": "b"}, "sha256"),
        ({"id": 1, "version": "b", "sha256": "c"}, "id"),
        ({"id": "a", "version": "b", "sha256": "c", "start": -1}, "start"),
        ({"id": "a", "version": "b", "sha256": "c", "end": "9"}, "end"),
        ({"id": "a", "version": "b", "sha256": "c", "quote": 9}, "quote"),
    ],
)
def test_what_is_no_citation_is_refused_by_its_field(value: Any, field: str) -> None:
    with pytest.raises(InputError) as refused:
        read_claims(value)
    assert refused.value.field == field


@pytest.mark.parametrize("value", [{}, [], {"hits": []}, "text", {"id": "a", "version": 3}])
def test_a_refusal_names_the_fields_of_a_citation(value: Any) -> None:
    with pytest.raises(InputError, match="an object with `id`, `version` and `sha256`"):
        read_claims(value)


def test_a_quote_without_offsets_may_stand_anywhere_in_the_chunk(library: Library) -> None:
    chunk = library.store.open("docs").fetch([3])[0]
    quote = chunk.text[5:25]
    claim = Claim(chunk.id, library.version, text_sha256(quote), quote)
    assert library.verify(claim).status == VERIFIED
    assert library.verify(replace(claim, start=5, end=25)).status == VERIFIED
    assert library.verify(replace(claim, start=6, end=26)).status == TEXT_CHANGED

"""Which headings a quote is cited under, where its chunk holds several sections."""

from __future__ import annotations

import pytest

from quire.answering.citations import cite
from quire.answering.extractive.quotes import Quote, written
from quire.answering.extractive.rendering import quoted_part
from quire.answering.extractive.trails import trail_at
from quire.chunking.markdown import chunk_docs
from quire.chunking.source_code import chunk_source_code
from quire.documents import AnchorRules, Chunk, Document
from tests.support.shelves import hit_of

PUMPS = """\
# Pumps

## Oil

### `grade`
<a id="grade"></a>

Of the oil.

### `amount`

How much of it.

## [Valves](valves.md)

They shut.

Seals
-----

They seal.
"""
RST = """\
Pumps
=====

Oil
---

It is thin.

Grade
~~~~~

.. py:attribute:: Oil.grade

   Of the oil, 5.

Valves
------

They shut.
"""


def cut(text: str, path: str, **metadata: str) -> list[Chunk]:
    """The chunks of a page where code is indexed."""
    found = {"path": path, "lang": "markdown" if path.endswith(".md") else "rst", **metadata}
    rules = AnchorRules("sphinx") if path.endswith(".rst") else AnchorRules()
    return list(chunk_source_code(Document(path, text, "source_code", found, anchors=rules)))


def part_of(chunks: list[Chunk], said: str) -> Chunk:
    """What is cited of the chunk that says so."""
    one = next(chunk for chunk in chunks if said in chunk.text)
    start = one.text.index(said)
    return quoted_part(cite(1, hit_of(one), start, start + len(said)))


def test_an_answer_shows_the_pages_title_before_a_heading_that_says_little() -> None:
    long = "Oil of grade 5 is needed here. " * 40
    text = (
        f"# Pumps\n\n{long}\n\n## How to use\n\nPush it.\n\n{long}\n\n## Oil options\n\nGrade it.\n\n{long}"
    )
    chunks = list(chunk_docs(Document("a.md", text, "docs")))

    def answer(said: str) -> str:
        one = next(chunk for chunk in chunks if said in chunk.text)
        start = one.text.index(said)
        return written([Quote(hit_of(one), start, start + len(said), start)])[0]

    assert answer("Push it.").startswith("**Pumps › How to use**\n\nPush it.")
    assert answer("Grade it.").startswith("**Oil options**\n\nGrade it.")


@pytest.mark.parametrize(
    ("said", "heading"),
    [
        ("Of the oil.", "Oil › `grade`"),
        ("How much of it.", "Oil › `amount`"),
        ("They shut.", "Valves"),
        ("They seal.", "Seals"),
    ],
)
def test_a_quote_of_a_code_bases_page_is_cited_by_its_own_section(said: str, heading: str) -> None:
    chunks = cut(PUMPS, "docs/pumps.md")
    assert len(chunks) == 1
    part = part_of(chunks, said)
    assert str(part.metadata["heading"]).removeprefix("Pumps › ") == heading
    assert part.metadata["symbol"] == part.metadata["heading"]
    assert part.breadcrumb == f"docs/pumps.md › {part.metadata['heading']}"


def test_a_section_of_restructured_text_is_linked_by_its_own_fragment() -> None:
    chunks = cut(RST, "docs/pumps.rst", url="https://pumps.example/pumps.html")
    parts = {said: part_of(chunks, said) for said in ("It is thin.", "Of the oil, 5.", "They shut.")}
    named = {said: str(part.metadata["heading"]).removeprefix("Pumps › ") for said, part in parts.items()}
    assert named == {
        "It is thin.": "Oil",
        "Of the oil, 5.": "Oil › Grade › Oil.grade",
        "They shut.": "Valves",
    }
    assert parts["They shut."].url == "https://pumps.example/pumps.html#valves"


def test_the_trail_of_a_merged_page_ends_in_the_section_of_the_quote() -> None:
    facts = {"path": "pumps.md", "url": "https://pumps.example/pumps"}
    chunks = list(chunk_docs(Document("pumps.md", PUMPS, "docs", facts)))
    part = part_of(chunks, "How much of it.")
    assert (part.breadcrumb, part.url) == ("Pumps › Oil › `amount`", "https://pumps.example/pumps#amount")


def test_what_stands_before_the_first_heading_keeps_the_heading_above_its_chunk() -> None:
    text = "It goes on.\n\n### Seals\n\nThey seal."
    trails = [trail_at(text, at, ("Parts", "Valves"), read=str) for at in (0, text.index("They"))]
    assert trails == [("Parts", "Valves"), ("Parts", "Seals")]

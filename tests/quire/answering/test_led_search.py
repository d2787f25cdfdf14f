"""What a search shows first where the question is known by its form: how to install it, what it is."""

from __future__ import annotations

import pytest

from quire.answering.findings import AskedCollection
from quire.answering.led_search import lead
from quire.documents import Hit
from quire.search.retrieval import Query, Retrieved, retrieve
from tests.support.shelves import chunk, shelf_of

MENTIONS = "\n\n".join(f"Install lid {number} of the kiln with the kiln's own screws." for number in range(4))


def retrieve_led(kiln: AskedCollection, query: Query) -> Retrieved:
    found = retrieve(kiln.index, kiln.embedder, query)
    return lead(found, kiln.index, kiln.embedder, query) if found.of_product else found


@pytest.fixture
def kiln() -> AskedCollection:
    texts = {f"lids/{number}.md": f"# Lid {number} of the kiln\n\n{MENTIONS}" for number in range(5)}
    texts["docs/installation.md"] = "# In the yard\n\nCarry it in and level the floor."
    texts["about.md"] = "# About\n\nA kiln is an oven for clay, which it burns for a day."
    return shelf_of([chunk(path, text, lang="markdown", start_line=1) for path, text in texts.items()])


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("How do I install it?", "docs/installation.md"),
        ("Hi, could you please tell me how to install the kiln?", "docs/installation.md"),
        ("What is a kiln?", "about.md"),
    ],
)
def test_what_tells_it_comes_first_whatever_says_the_words_more_often(
    kiln: AskedCollection, question: str, path: str
) -> None:
    alone = retrieve(kiln.index, kiln.embedder, Query(question, 4)).hits
    led = retrieve_led(kiln, Query(question, 4)).hits
    assert led[0].chunk.document_id == path
    assert [(hit.rank, hit.score) for hit in led] == [(hit.rank, hit.score) for hit in alone]
    others = [hit.chunk.id for hit in alone if hit.chunk.document_id != path]
    assert [hit.chunk.id for hit in led[1:]] == others[:3]


def test_pages_of_hits_hold_each_once_and_in_their_order(kiln: AskedCollection) -> None:
    def hits(most: int, offset: int) -> list[Hit]:
        query = Query("How do I install it?", most, offset=offset)
        return list(retrieve_led(kiln, query).hits)

    whole = hits(8, 0)
    assert [hit.rank for hit in whole] == [1, 2, 3, 4, 5, 6]
    assert [hit for offset in (0, 2, 4, 6) for hit in hits(2, offset)] == whole


def test_a_filter_leaves_the_page_out(kiln: AskedCollection) -> None:
    query = Query("How do I install it?", 8, {"path": "lids/1.md"})
    assert {hit.chunk.document_id for hit in retrieve_led(kiln, query).hits} == {"lids/1.md"}


@pytest.mark.parametrize(
    "question", ["Which screws hold lid 2?", "How do I install a handle?", "What is a glaze?"]
)
def test_other_questions_are_ranked_as_ever(kiln: AskedCollection, question: str) -> None:
    query = Query(question, 5)
    assert retrieve_led(kiln, query) == retrieve(kiln.index, kiln.embedder, query)

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.answering.extractive.siblings import leading_hits, with_siblings
from quire.answering.generative.context import estimate_tokens, overlap, pack
from quire.search.retrieval import Query, retrieve
from tests.support.shelves import chunk, hit_of, household, pages, shelf_of

FIRST = chunk("a.md", "One two three. The shared sentence stands here.", 0)
SECOND = chunk("a.md", "The shared sentence stands here. Four five six.", 1)
FAR = chunk("a.md", "Seven eight nine.", 5)
OTHER = chunk("b.md", "Ten eleven twelve.", 0)


def test_neighbours_of_one_document_become_one_source_without_their_overlap() -> None:
    sources = pack([hit_of(SECOND, 1), hit_of(OTHER, 2), hit_of(FIRST, 3), hit_of(FAR, 4)], 1000)
    assert [source.n for source in sources] == [1, 2, 3]
    assert sources[0].text == "One two three. The shared sentence stands here. Four five six."
    assert [hit.chunk for hit in sources[0].hits] == [FIRST, SECOND]
    assert sources[1].text == OTHER.text


def test_a_chunk_between_two_groups_joins_them() -> None:
    middle = chunk("a.md", "Between them.", 1)
    sources = pack([hit_of(FIRST), hit_of(chunk("a.md", "After.", 2)), hit_of(middle)], 1000)
    assert len(sources) == 1
    assert len(sources[0].hits) == 3


def test_lines_tell_neighbours_where_there_is_no_index() -> None:
    def lines(first: int, last: int) -> dict[str, int]:
        return {"chunk_index": -1, "start_line": first, "end_line": last}

    one, two = (
        chunk("x.py", "def a(): ...", 0, **lines(1, 4)),
        chunk("x.py", "def b(): ...", 1, **lines(5, 9)),
    )
    far = chunk("x.py", "def c(): ...", 2, **lines(40, 44))
    assert [len(source.hits) for source in pack([hit_of(one), hit_of(two), hit_of(far)], 1000)] == [2, 1]


def test_the_budget_cuts_the_last_source_and_drops_the_rest() -> None:
    chunks = [chunk(f"{n}.md", "word " * 100) for n in range(5)]
    sources = pack([hit_of(one) for one in chunks], 320)
    assert sum(estimate_tokens(source.text) for source in sources) <= 320
    assert len(sources) == 3
    assert len(sources[-1].text) < len(chunks[0].text)


@given(st.text("ab ", max_size=40), st.text("ab ", min_size=12, max_size=30), st.text("ab ", max_size=40))
def test_an_overlap_is_a_true_one_and_at_least_as_long_as_the_one_that_was_made(
    a: str, b: str, c: str
) -> None:
    size = overlap(a + b, b + c)
    assert size >= len(b)
    assert (a + b).endswith((b + c)[:size])


def test_siblings_are_more_of_the_first_documents_and_stand_behind_the_hits() -> None:
    shelf = shelf_of(household())
    found = retrieve(shelf.index, shelf.embedder, Query("descale the kettle", 2)).hits
    assert shelf.embedder is not None
    read = with_siblings(shelf.index, found, "descale the kettle", shelf.embedder.embed(["descale"])[0])
    assert read[: len(found)] == found
    assert len({hit.chunk.id for hit in read}) == len(read) == 3
    assert [hit.rank for hit in read] == [1, 2, 3]
    assert with_siblings(shelf.index, (), "kettle", None) == ()


def test_a_sibling_is_as_near_as_it_is_itself_and_not_as_what_found_it() -> None:
    parts = ("Descale the kettle with citric acid.", "The lid is blue.", "Descale the kettle each spring.")
    shelf = shelf_of([chunk("kettle.md", text, number) for number, text in enumerate(parts)])
    assert shelf.embedder is not None
    vector = shelf.embedder.embed(["descale the kettle with citric acid"])[0]
    first = retrieve(shelf.index, shelf.embedder, Query("descale the kettle with citric acid", 1)).hits
    read = with_siblings(shelf.index, first, "descale the kettle with citric acid", vector)
    near = {hit.chunk.text: hit.cosine or 0.0 for hit in read}
    assert near[parts[0]] > near[parts[2]] > near[parts[1]]
    assert {hit.cosine for hit in with_siblings(shelf.index, first, "kettle", None)[1:]} == {None}


def test_more_is_read_of_a_page_that_the_question_is_about_as_a_whole() -> None:
    parts = [chunk("kettle.md", f"Kettle part {number} is of steel.", number) for number in range(12)]
    shelf = shelf_of([one._replace(breadcrumb=f"Kettle parts › {n}") for n, one in enumerate(parts)])
    first = retrieve(shelf.index, shelf.embedder, Query("kettle parts", 1)).hits
    assert len(with_siblings(shelf.index, first, "What are kettle parts?", None)) == 10
    assert len(with_siblings(shelf.index, first, "Which steel is each kettle made of?", None)) == 6


def test_a_model_reads_where_words_of_a_source_lead() -> None:
    links = ("[the tracker](https://t.example.org/new)", "[forum](https://f.example.org)")
    first = chunk("help.md", "Report faults in the tracker.\n\nAsk in our forum.", chunk_index=0)
    second = chunk("help.md", "Ask in our forum. The forum is slow.", chunk_index=1)
    second = second._replace(id="b" * 16, metadata={**second.metadata, "links": links[1:]})
    first = first._replace(metadata={**first.metadata, "links": links})
    (source,) = pack([hit_of(first), hit_of(second)], 500)
    assert source.text.startswith("Report faults in [the tracker](https://t.example.org/new).")
    assert "f.example.org" not in source.text, "which of the two forums is meant is not known"


def test_what_words_alone_put_first_is_read_though_its_page_was_found_by_another_section() -> None:
    shelf = shelf_of(
        [
            chunk("lamp.md", "# Lamp\n\nA lamp gives light."),
            chunk("lamp.md", "# Log level\n\n`LAMP_LOG` sets the log level of the lamp.", 1),
            *pages(8),
        ]
    )
    every = shelf.index.fetch([0])
    found = [hit_of(every[0])]
    read = leading_hits(shelf.index, found, "log level", None, filters={})
    assert "LAMP_LOG" in read[0].chunk.text
    assert read[0].rank > found[0].rank
    assert read[0].score < found[0].score
    assert leading_hits(shelf.index, (), "log level", None, filters={}) == ()

from __future__ import annotations

import numpy as np
import pytest

from quire.analysis.keywords import CALL_MARK, call_terms
from quire.analysis.symbols import fold_symbol
from quire.analysis.terms import analyze
from quire.chunking.source_code import chunk_source_code
from quire.documents import Chunk, Document
from quire.ports import Ordinals
from quire.ranking import Ranking
from quire.search.candidates import find_callees, find_callers
from quire.search.intent import read_intent
from tests.support.plain_indexes import CountedKeywords

PAD = "    do_nothing_of_note_in_this_line()\n" * 12
FILES = {
    "shop/money.py": f"def floor(value):\n{PAD}    return int(value)\n",
    "shop/basket.py": (
        f"def total(prices):\n{PAD}    return floor(sum(prices))\n\n\n"
        f"def show(prices):\n{PAD}    print(total(prices))\n    store(prices)\n"
    ),
    "shop/store.py": f"def store(prices):\n{PAD}    open_file().write(prices)\n",
}


class Graph:
    """What chunks in a list refer to and define."""

    def __init__(self, chunks: list[Chunk]) -> None:
        self.chunks = chunks
        self.keywords = CountedKeywords([call_terms(chunk) for chunk in chunks], [1.0] * len(chunks))

    def chunks_of(self, name: str) -> Ordinals:
        folded = fold_symbol(name)
        defining = [n for n, chunk in enumerate(self.chunks) if folded in map(fold_symbol, chunk.symbols)]
        return np.array(defining, np.uint32)

    def named(self, ranking: Ranking) -> list[str]:
        return [str(self.chunks[ordinal].metadata["symbol"]) for ordinal in ranking.ordinals.tolist()]


@pytest.fixture(scope="module")
def graph() -> Graph:
    documents = (
        Document(path, text, "source_code", {"path": path, "lang": "python"}) for path, text in FILES.items()
    )
    return Graph([chunk for document in documents for chunk in chunk_source_code(document)])


def test_callers_of_a_name_are_the_chunks_that_call_it(graph: Graph) -> None:
    assert graph.named(find_callers(graph.keywords, ["total"], 8)) == ["show"]
    assert graph.named(find_callers(graph.keywords, ["shop.money.floor"], 8)) == ["total"]
    assert graph.named(find_callers(graph.keywords, ["missing"], 8)) == []


def test_callees_of_a_chunk_are_the_definitions_of_what_it_calls(graph: Graph) -> None:
    [show] = [chunk for chunk in graph.chunks if chunk.metadata["symbol"] == "show"]
    assert graph.named(find_callees(graph.chunks_of, [show], 8)) == ["total", "store"]
    assert len(find_callees(graph.chunks_of, [show], 1)) == 1


def test_names_that_many_define_are_not_followed() -> None:
    many = [Chunk(str(n), "a", "", symbols=("get",)) for n in range(9)]
    caller = Chunk("x", "a", "", metadata={"calls": ("get",)})
    assert len(find_callees(Graph([*many, caller]).chunks_of, [caller], 8)) == 0


def test_marked_names_never_meet_search_terms() -> None:
    assert not [term for term in analyze("a & b &retry R&D @x") if term.startswith(CALL_MARK)]


@pytest.mark.parametrize(
    ("question", "callers", "callees"),
    [
        ("What calls Task.retry?", True, False),
        ("Where is maybe_make_aware used?", True, False),
        ("find usages of as_task_v2", True, False),
        ("Which classes inherit from Backend?", True, False),
        ("What are the side effects of calling Task.retry?", False, True),
        ("What happens when doCurlGet fails?", False, True),
        ("Where is doCurlGet implemented and what are its side effects?", False, True),
        ("Where is the memcached session handler configured?", False, False),
        ("Where are Google Sheets calls made?", False, False),
        ("How do I write a crontab schedule?", False, False),
    ],
)
def test_a_question_tells_which_side_of_the_graph_it_is_about(
    question: str, callers: bool, callees: bool
) -> None:
    asked = read_intent(question)
    assert (asked.callers, asked.callees) == (callers, callees)

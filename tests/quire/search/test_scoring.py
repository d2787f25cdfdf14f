"""What speaks for a whole file: its other chunks, its name, and the room that it leaves."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.analysis.terms import analyze
from quire.documents import Document
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.index.tables import FileNames
from quire.ports import Embedder
from quire.profiles import profile_named
from quire.ranking import NONE, rank
from quire.search.candidates import Candidates
from quire.search.intent import Intent
from quire.search.ordering import BEST_CHUNKS, decay_further, lift_files, score
from quire.search.query import Question
from quire.search.retrieval import Query, retrieve
from tests.support.corpus import write_corpus

CHUNKS = st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(0, 6)), min_size=1, max_size=60)


def arrays(pairs: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Scores and documents of chunks, and the chunks' places, best first."""
    scores = np.array([score for score, _ in pairs], np.float32)
    documents = np.array([document for _, document in pairs], np.uint32)
    return (
        scores,
        documents,
        rank(np.arange(len(pairs), dtype=np.uint32), scores, len(pairs)).ordinals.tolist(),
    )


@given(CHUNKS)
def test_coherence_lifts_the_best_chunk_of_each_file_by_what_five_of_its_chunks_amount_to(
    pairs: list[tuple[float, int]],
) -> None:
    scores, documents, order = arrays(pairs)
    lifted = lift_files(scores, documents, coherence=0.3, by_name=np.zeros_like(scores))
    by_file: dict[int, list[int]] = {}
    for place in order:
        by_file.setdefault(int(documents[place]), []).append(place)
    sums = {
        file: sum(float(scores[place]) for place in places[:BEST_CHUNKS]) for file, places in by_file.items()
    }
    expected = scores.astype(float)
    for file, places in by_file.items():
        expected[places[0]] += 0.3 * sums[file] / max(*sums.values(), 1e-9)
    assert lifted.tolist() == pytest.approx(expected.tolist(), abs=1e-5)


@given(CHUNKS)
def test_further_chunks_of_a_file_count_less_and_less(pairs: list[tuple[float, int]]) -> None:
    scores, documents, order = arrays(pairs)
    decayed = decay_further(scores, documents, 0.8)
    shown: dict[int, int] = {}
    for place in order:
        file = int(documents[place])
        assert decayed[place] == pytest.approx(scores[place] * 0.8 ** shown.get(file, 0), abs=1e-6)
        shown[file] = shown.get(file, 0) + 1


@pytest.mark.parametrize(("ideal", "first"), [(2.0, 0), (400.0, 3)])
def test_a_files_chunks_speak_for_it_as_far_as_one_of_them_says_the_question(
    ideal: float, first: int
) -> None:
    """Three chunks of one file are nearly as near as one of another, and all hold the same words of it."""
    candidates = Candidates(
        ordinals=np.arange(5, dtype=np.uint32),
        cosines=np.array([0.58, 0.5, 0.5, 0.6, 0.4], np.float32),
        keywords=np.array([1, 1, 1, 1, 0], np.float32),
        ideal=ideal,
        priors=np.ones(5, np.float32),
        documents=np.array([0, 0, 0, 1, 2], np.uint32),
        likeness=np.zeros(5, np.float32),
        symbols=(),
        named=NONE,
        related=np.zeros(5, np.float32),
    )
    asked = Intent("What stops it?")
    question = Question(asked.text, {}, names=(), whole=False, mended={}, intent=asked, unmended=asked)
    assert score(candidates, question, profile_named("code"), "hybrid").ordinals[0] == first


def test_a_name_is_like_a_question_that_says_it_and_says_little_else() -> None:
    paths = ["shop/orders/refund_policy.py", "shop/orders/totals.py", "README"]
    names = FileNames(len(paths), paths.__getitem__)
    files = np.arange(3, dtype=np.uint32)

    def likeness(question: str) -> list[float]:
        return [round(float(one), 3) for one in names.likeness(files, analyze(question))]

    assert likeness("refund policy")[0] == pytest.approx(0.9, abs=0.1)
    assert likeness("orders") == [0.5, 0.5, 0.0]
    assert likeness("which bus goes to the airport") == [0.0, 0.0, 0.0]
    policy, totals, readme = likeness("how is the refund policy of an order read")
    assert policy > totals > readme == 0.0


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> OpenedIndex:
    """A trait that dozens of files have a member of the name of, and a class that is declared in many parts."""
    files = {
        f"crates/model_{n}.py": f"class Model{n}:\n    def serialize(self):\n        return {n}\n"
        for n in range(90)
    }
    files["crates/serialization.py"] = (
        "class Serialize:\n    def into(self):\n        raise NotImplementedError\n\n\ndef run():\n    pass\n"
    )
    files |= {f"parts/mapper_{n}.py": "class Mapper:\n    pass\n" for n in range(30)}
    files |= {f"pages/mapper_{n}.txt": f"How the mapper is told of table {n}." for n in range(12)}
    documents = [
        Document(
            path, text, "source_code", {"path": path, "lang": "python" if path.endswith("py") else "text"}
        )
        for path, text in files.items()
    ]
    folder = tmp_path_factory.mktemp("shop")
    write_corpus(folder / "segment", embedder, documents, profile="code")
    return OpenedIndex([(open_segment(folder / "segment"), 0)])


def test_a_bare_name_finds_its_own_definition_first_however_many_members_are_called_so(
    shop: OpenedIndex, embedder: Embedder
) -> None:
    hits = retrieve(shop, embedder, Query("Serialize")).hits
    assert hits[0].chunk.metadata["path"] == "crates/serialization.py"


@pytest.mark.parametrize("question", ["OrderBook", "class OrderBook", "Where is OrderBook defined?"])
def test_of_a_class_in_parts_the_file_of_its_name_comes_first(
    tmp_path: Path, embedder: Embedder, question: str
) -> None:
    texts = {
        f"shop/order_book_{name}.py": f"class OrderBook:\n    {name} = 'the order book'\n"
        for name in ("price", "row", "total")
    }
    limits = "".join(f"    limit_{n} = Tariff.of(year={n}, country='any', rebate=None)\n" for n in range(12))
    texts["shop/order_book.py"] = f"class OrderBook:\n{limits}"
    documents = [
        Document(path, text, "source_code", {"path": path, "lang": "python"}) for path, text in texts.items()
    ]
    write_corpus(tmp_path / "segment", embedder, documents, profile="code")
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    assert retrieve(index, embedder, Query(question)).hits[0].chunk.metadata["path"] == "shop/order_book.py"


def test_as_many_hits_come_as_are_asked_for_although_most_are_copies(
    shop: OpenedIndex, embedder: Embedder
) -> None:
    hits = retrieve(shop, embedder, Query("Mapper", top_k=10)).hits
    assert len(hits) == 10
    assert len({hit.chunk.text for hit in hits}) == 10


def test_a_file_leads_by_its_name_and_a_profile_without_the_rule_does_not_ask_for_it(
    tmp_path: Path, embedder: Embedder
) -> None:
    texts = {
        "shop/billing.py": "LIMIT = 3\n\n# how invoices are sent to customers, sent, sent to customers\n",
        "shop/invoice_sender.py": "def run():\n    # to customers\n    return post()\n",
    }
    documents = [
        Document(path, text, "source_code", {"path": path, "lang": "python"}) for path, text in texts.items()
    ]
    write_corpus(tmp_path / "segment", embedder, documents, profile="code")
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    query = Query("invoice sender to customers")
    plain = profile_named("code")._replace(file_name=0.0)
    first = [
        str(retrieve(index, embedder, query, profile=one).hits[0].chunk.metadata["path"])
        for one in (None, plain)
    ]
    assert first == ["shop/invoice_sender.py", "shop/billing.py"]

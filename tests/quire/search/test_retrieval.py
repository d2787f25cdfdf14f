from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from quire.documents import Document
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.limits import TERMS_CHARACTERS
from quire.ports import Embedder, Vectors
from quire.search.ordering import LONG_DOCUMENT
from quire.search.retrieval import Query, retrieve
from tests.support.corpus import write_corpus
from tests.support.fakes import HashingEmbedder
from tests.support.shelves import chunk, shelf_of


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> OpenedIndex:
    folder = tmp_path_factory.mktemp("corpus") / "segment"
    write_corpus(folder, embedder)
    return OpenedIndex([(open_segment(folder), 0)], version="v1")


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("Humanoid.MoveTo", "Humanoid.MoveTo"),
        ("humanoid:moveto", "Humanoid.MoveTo"),
        ("what does Humanoid:WalkSpeed mean", "Humanoid.WalkSpeed"),
        ("Touched", "BasePart.Touched"),
        ("TweenService:Create arguments", "TweenService.Create"),
    ],
)
def test_an_exact_symbol_leads(index: OpenedIndex, embedder: Embedder, question: str, symbol: str) -> None:
    assert retrieve(index, embedder, Query(question)).hits[0].chunk.symbols[0] == symbol


@pytest.mark.parametrize(
    ("question", "symbol"),
    [("humaniod walkspede", "Humanoid.WalkSpeed"), ("tweensevice create", "TweenService.Create")],
)
def test_misspelt_identifiers_are_mended_against_the_collection(
    index: OpenedIndex, embedder: Embedder, question: str, symbol: str
) -> None:
    found = retrieve(index, embedder, Query(question))
    assert found.mended
    assert found.hits[0].chunk.symbols[0] == symbol


def test_a_paraphrase_finds_its_member_in_every_mode_that_has_vectors(
    index: OpenedIndex, embedder: Embedder
) -> None:
    for mode in ("hybrid", "vector"):
        hits = retrieve(index, embedder, Query("somebody enters the game", mode=mode)).hits
        assert hits[0].chunk.symbols[0] == "Players.PlayerAdded"


def test_scores_descend_and_are_probabilities(index: OpenedIndex, embedder: Embedder) -> None:
    hits = retrieve(index, embedder, Query("how fast does the character walk")).hits
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_an_off_topic_question_scores_below_an_answerable_one(index: OpenedIndex, embedder: Embedder) -> None:
    on_topic = retrieve(index, embedder, Query("how fast does the character walk")).hits[0].score
    off_topic = retrieve(index, embedder, Query("which bus goes to the airport")).hits[0].score
    assert off_topic < 0.5 < on_topic


def test_an_identifier_that_the_collection_does_not_know_lowers_the_score(
    index: OpenedIndex, embedder: Embedder
) -> None:
    known = retrieve(index, embedder, Query("Humanoid:MoveTo usage")).hits[0].score
    unknown = retrieve(index, embedder, Query("Humanoid:FlyAway usage")).hits[0].score
    assert unknown < known / 2


def test_without_an_embedder_keywords_rank_and_the_result_says_so(index: OpenedIndex) -> None:
    found = retrieve(index, None, Query("character health"))
    assert found.mode == "keyword"
    assert "embedding model unavailable" in found.degraded[0]
    assert found.hits[0].chunk.symbols[0] == "Humanoid.Died"
    assert found.hits[0].cosine is None


def test_filters_are_exact(index: OpenedIndex, embedder: Embedder) -> None:
    found = retrieve(index, embedder, Query("walk", filters={"class_name": "BasePart"}))
    assert {hit.chunk.metadata["class_name"] for hit in found.hits} == {"BasePart"}


def test_min_score_drops_what_is_below(index: OpenedIndex, embedder: Embedder) -> None:
    every = retrieve(index, embedder, Query("health of the character")).hits
    bound = every[1].score
    kept = retrieve(index, embedder, Query("health of the character", min_score=bound)).hits
    assert len(kept) < len(every)
    assert all(hit.score >= bound for hit in kept)


def test_a_copy_under_another_heading_is_not_shown_again(tmp_path: Path, embedder: Embedder) -> None:
    text = "A worker that leaks memory is replaced after a number of tasks."
    pages = {
        "changes.md": "Changes",
        "history/changes-5.md": "Versions › Five › Changes",
        "workers.md": "Workers",
    }
    documents = [
        Document(
            path,
            text
            if "changes" in path
            else "Workers start with a pool of processes, and the memory of each is watched.",
            "api_member",
            {"path": path, "heading": heading, "breadcrumb": heading},
        )
        for path, heading in pages.items()
    ]
    write_corpus(tmp_path / "segment", embedder, documents, profile="docs")
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    hits = retrieve(index, embedder, Query("memory leak of a worker", top_k=2)).hits
    assert [hit.chunk.text == text for hit in hits] == [True, False]
    assert [hit.rank for hit in hits] == [1, 2]


def test_a_long_document_has_several_hits_before_all_others_had_their_turn(
    tmp_path: Path, embedder: Embedder
) -> None:
    def option(page: str, number: int) -> Document:
        text = f"Option {page}-{number}: how long a worker waits before it closes an idle connection."
        return Document(f"{page}#{number}", text, "api_member", {"path": page, "breadcrumb": page})

    # Of the reference only every tenth option is about what is asked.
    reference = [
        option("reference.md", n)
        if n % 10 == 0
        else Document(
            f"reference.md#{n}",
            f"Colour {n} of the lamp beside the door.",
            "api_member",
            {"path": "reference.md", "breadcrumb": "Lamps"},
        )
        for n in range(LONG_DOCUMENT)
    ]
    short = [option(f"page-{page}.md", n) for page in range(4) for n in range(2)]
    write_corpus(tmp_path / "segment", embedder, [*reference, *short], profile="docs")
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    hits = retrieve(index, embedder, Query("worker waits idle connection", top_k=6)).hits
    counts = Counter(hit.chunk.document_id for hit in hits)
    assert counts == {"reference.md": 2} | {f"page-{page}.md": 1 for page in range(4)}


def test_a_question_is_deterministic(index: OpenedIndex, embedder: Embedder) -> None:
    first, second = (retrieve(index, embedder, Query("animate a property")) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("query", "field"),
    [(Query("  "), "q"), (Query("x", mode="magic"), "mode"), (Query("x", top_k=0), "top_k")],
)
def test_a_wrong_value_names_its_field(
    index: OpenedIndex, embedder: Embedder, query: Query, field: str
) -> None:
    with pytest.raises(InputError) as refused:
        retrieve(index, embedder, query)
    assert refused.value.field == field


def test_any_embedder_of_the_port_serves(tmp_path: Path) -> None:
    fake = HashingEmbedder()
    write_corpus(tmp_path / "segment", fake)
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    hits = retrieve(index, fake, Query("gravity studs")).hits
    assert hits[0].chunk.metadata["title"] == "Physics units"
    assert np.isfinite(hits[0].score)


def test_terms_bring_what_the_question_says_in_other_words(index: OpenedIndex, embedder: Embedder) -> None:
    question = Query("who walks in through the door", top_k=3)
    before = retrieve(index, embedder, question)
    after = retrieve(index, embedder, question._replace(terms="TweenService Create tween"))
    assert "TweenService.Create" not in [name for hit in before.hits for name in hit.chunk.symbols]
    assert "TweenService.Create" in [name for hit in after.hits for name in hit.chunk.symbols]
    assert after.terms == "TweenService Create tween"


def test_scores_with_terms_are_those_of_the_question_alone(index: OpenedIndex, embedder: Embedder) -> None:
    question = Query("somebody enters the game")
    plain = retrieve(index, embedder, question)
    found = retrieve(index, embedder, question._replace(terms="Humanoid.MoveTo walk character"))
    assert found.plain == plain.hits
    assert [hit.score for hit in found.hits] == [hit.score for hit in plain.hits][: len(found.hits)]
    assert [hit.chunk.id for hit in found.hits] != [hit.chunk.id for hit in plain.hits]


def test_terms_cost_one_more_forward_pass_and_nothing_where_there_are_none(index: OpenedIndex) -> None:
    counting = Counting()
    retrieve(index, counting, Query("somebody enters the game"))
    assert counting.texts == ["somebody enters the game"]
    retrieve(index, counting, Query("somebody enters the game", terms=" PlayerAdded\n Players "))
    assert counting.texts[1:] == ["somebody enters the game", "somebody enters the game PlayerAdded Players"]


def test_long_terms_are_cut_and_that_is_told(index: OpenedIndex, embedder: Embedder) -> None:
    found = retrieve(index, embedder, Query("character health", terms="health " * 100))
    assert found.degraded == ("terms: read the first 400 of 699 characters",)
    assert len(found.terms) == TERMS_CHARACTERS


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_terms_count_in_every_mode(index: OpenedIndex, embedder: Embedder, mode: str) -> None:
    found = retrieve(index, embedder, Query("xyzzy frobnicate", terms="Humanoid.WalkSpeed speed", mode=mode))
    assert "Humanoid.WalkSpeed" in [name for hit in found.hits[:3] for name in hit.chunk.symbols]


@pytest.mark.parametrize(
    "question",
    ["¿Cómo cambio la velocidad con la que anda el personaje?", "как изменить скорость ходьбы персонажа"],
)
def test_a_question_in_another_language_is_found_and_scored_by_its_terms(
    index: OpenedIndex, embedder: Embedder, question: str
) -> None:
    english = "how fast does the character walk"
    found = retrieve(index, embedder, Query(question, terms=english))
    assert found.hits == retrieve(index, embedder, Query(english)).hits
    assert found.terms == english


def test_a_page_of_hits_with_terms_goes_on_where_the_one_before_ended(
    index: OpenedIndex, embedder: Embedder
) -> None:
    whole = retrieve(index, embedder, Query("character health", top_k=6, terms="MaxHealth")).hits
    page = retrieve(index, embedder, Query("character health", top_k=3, offset=3, terms="MaxHealth")).hits
    assert page == whole[3:]


class Counting(HashingEmbedder):
    """An embedder that remembers what it was given."""

    def __init__(self) -> None:
        super().__init__(384)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed(texts)


@pytest.mark.parametrize("name", ["lamp-docs", "handbook"])
def test_the_name_of_the_product_changes_no_order(name: str) -> None:
    pages = [
        chunk(f"docs/{n}.md", f"Lamp: page {n}\n\n{text}", 1)
        for n, text in enumerate(
            (
                "Lamp is a lamp server. Lamp runs wherever Lamp is installed; the Lamp project is old.",
                "The queue is emptied with `purge`, which cannot be undone.",
                "Lamp, Lamp and Lamp: names of the Lamp logo in Lamp colours.",
                "A worker stops when its last job is done.",
            )
        )
    ]
    built = shelf_of(pages).index
    named = OpenedIndex([(segment, 0) for segment in built.segments], name=name)
    embedder = HashingEmbedder()
    plain = retrieve(named, embedder, Query("How do I empty the queue?"))
    asked = retrieve(named, embedder, Query("Could you tell me how do I empty the queue in Lamp, please?"))
    assert [hit.chunk.id for hit in plain.hits] == [hit.chunk.id for hit in asked.hits]
    assert [hit.score for hit in plain.hits] == [hit.score for hit in asked.hits]

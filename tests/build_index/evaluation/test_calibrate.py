"""How the scores of a collection are fitted on itself, over real segments."""

import pytest

from build_index.evaluation.calibrate import OWN_QUESTIONS, calibrate, rank_background
from build_index.evaluation.golden import GoldenQuestion
from quire.answering.findings import AskedCollection
from quire.documents import Chunk
from quire.search.calibration import DEFAULT, Calibration
from quire.search.retrieval import Query, retrieve
from tests.support.fakes import HashingEmbedder
from tests.support.shelves import chunk, shelf_of

ROOMS = ("attic", "cellar", "garage", "kitchen", "pantry", "porch", "stable", "study", "veranda", "workshop")
TOOLS = ("anvil", "bellows", "chisel", "drill", "file", "gauge", "hammer", "jigsaw", "lathe", "mallet")


def inventory(count: int) -> list[Chunk]:
    """Notes on where which tool lies, every one a document of its own words."""
    pairs = [(tool, room) for tool in TOOLS for room in ROOMS]
    return [
        chunk(
            f"{tool}-{room}-{number}.md",
            f"# The {tool} in the {room} number {number}\n\nOil it in week {number}.",
        )
        for number, (tool, room) in zip(range(count), pairs * 2, strict=False)
    ]


def calibrated(shelf: AskedCollection, golden: list[GoldenQuestion] | None = None) -> Calibration:
    background = rank_background(shelf.index, HashingEmbedder())
    return calibrate(shelf.index, HashingEmbedder(), background, golden or [])


def slope(fitted: Calibration) -> float:
    return fitted.weights[0] / DEFAULT.weights[0]


@pytest.mark.parametrize("count", [3, 12, 30])
def test_a_collection_of_few_chunks_keeps_near_the_scores_that_all_start_from(count: int) -> None:
    fitted = calibrated(shelf_of(inventory(count)))
    assert 1 < slope(fitted) < 1 + count / OWN_QUESTIONS
    assert 0 > fitted.intercept - slope(fitted) * DEFAULT.intercept > -5 * count / OWN_QUESTIONS


def test_a_collection_that_asks_all_its_questions_is_fitted_on_them_alone() -> None:
    assert slope(calibrated(shelf_of(inventory(OWN_QUESTIONS)))) > 1.6


def test_golden_questions_make_up_for_chunks_that_are_missing() -> None:
    chunks = inventory(30)
    asked = [
        f"where is the {one.document_id.split('-')[0]} that is oiled in week {n}"
        for n, one in enumerate(chunks)
    ]
    golden = [
        GoldenQuestion(str(n), text, "concept", places=(({"path": one.document_id},),))
        for n, (text, one) in enumerate(zip(asked, chunks, strict=True))
    ]
    shelf = shelf_of(chunks)
    assert slope(calibrated(shelf, golden)) > slope(calibrated(shelf)) + 0.1


def test_fitting_changes_scores_and_never_the_order() -> None:
    chunks = inventory(30)
    plain = shelf_of(chunks)
    fitted = shelf_of(chunks, calibration=calibrated(plain).as_json())
    for text in ("the hammer in the study", "oil", "attic tools", "week 7"):
        before, after = (
            retrieve(shelf.index, HashingEmbedder(), Query(text)).hits for shelf in (plain, fitted)
        )
        assert [hit.chunk.id for hit in before] == [hit.chunk.id for hit in after]
        assert [hit.score for hit in before] != [hit.score for hit in after]


def test_a_ranking_that_was_made_before_gives_the_hits_of_a_new_one() -> None:
    index, embedder = shelf_of(inventory(30)).index, HashingEmbedder()
    for line, ranked in list(rank_background(index, embedder).items())[:10]:
        assert retrieve(index, embedder, Query(line), ranked=ranked) == retrieve(index, embedder, Query(line))

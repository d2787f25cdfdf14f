"""How the scores of a collection are fitted on itself, over real segments."""

import numpy as np

from build_index.evaluation.calibrate import background_questions, calibrate, rank_background
from quire.answering.findings import AskedCollection
from quire.documents import Chunk
from quire.search.calibration import DEFAULT, UNLIKELY, Calibration
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


def calibrated(shelf: AskedCollection) -> Calibration:
    return calibrate(rank_background(shelf.index, HashingEmbedder()))


def test_what_is_asked_of_every_collection_lowers_scores_and_leaves_weights() -> None:
    fitted = calibrated(shelf_of(inventory(30)))
    assert fitted.weights == DEFAULT.weights
    assert fitted.intercept <= DEFAULT.intercept


def test_a_collection_in_which_everyday_questions_find_their_own_words_is_lowered_until_they_seem_unlikely() -> (
    None
):
    chatter = [chunk(f"{n}.md", f"# {line}\n\n{line}") for n, line in enumerate(background_questions())]
    shelf = shelf_of(chatter)
    fitted = calibrated(shelf)
    assert fitted.intercept < DEFAULT.intercept - 1
    shelf = shelf_of(chatter, calibration=fitted.as_json())
    firsts = [
        retrieve(shelf.index, HashingEmbedder(), Query(line)).hits[0] for line in background_questions()
    ]
    assert sum(hit.score > UNLIKELY for hit in firsts) <= 6


def test_fitting_changes_scores_and_never_the_order() -> None:
    chunks = inventory(30)
    plain = shelf_of(chunks)
    fitted = shelf_of(chunks, calibration=DEFAULT.lowered(np.array([3.0])).as_json())
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

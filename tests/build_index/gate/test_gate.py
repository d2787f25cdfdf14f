"""The publish gate over collections of made-up topics: what it accepts, what it refuses, and the reason it gives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_index.evaluation.golden import GoldenQuestion
from build_index.gate.gate import ENOUGH, Answers, Side, ask, judge, lower_bound, unseen_loss
from build_index.gate.guards import find_shrinks, take_stock
from build_index.gate.review import as_json, headline, tell_changes
from quire.documents import Chunk, chunk_id
from quire.embedding.quantization import quantize
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.index.writer import IndexRow, SegmentFacts, write_segment
from quire.ingestion.rows import index_rows
from quire.ports import Embedder
from quire.profiles import profile_named
from tests.support.fakes import HashingEmbedder
from tests.support.rows import vocabulary

TOPICS, WORDS = 100, 40
EMBEDDER = HashingEmbedder(96)
Mess = Callable[[list[IndexRow]], list[IndexRow]]


@cache
def chunks() -> tuple[Chunk, ...]:
    """One page a topic, of words that it shares with its neighbours."""
    known = vocabulary(900)
    rng = np.random.default_rng(1)
    pages = []
    for topic in range(TOPICS):
        own = known[4 * topic : 4 * topic + 12]
        text = " ".join(rng.choice(own + known[700:900], WORDS, p=_shares(len(own), 200)))
        path = f"topic-{topic:03d}.md"
        pages.append(Chunk(chunk_id(path, "0"), path, text, metadata={"path": path, "source": "docs"}))
    return tuple(pages)


def _shares(own: int, common: int) -> np.ndarray:
    return np.concatenate([np.full(own, 0.6 / own), np.full(common, 0.4 / common)])


@cache
def golden(count: int = 66) -> tuple[GoldenQuestion, ...]:
    """A few words of a page each, with the page that they were taken from."""
    rng = np.random.default_rng(2)
    asked = []
    for number, topic in enumerate(rng.permutation(TOPICS)[:count]):
        page = chunks()[topic]
        words = " ".join(rng.choice(page.text.split()[:20], 4, replace=False))
        asked.append(GoldenQuestion(f"q{number:02d}", words, "question", (({"path": page.document_id},),)))
    return tuple(asked)


class Builds:
    """Writes segments that lie there for as long as the module's tests run."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __call__(
        self, pages: Iterable[Chunk], *, embedder: Embedder = EMBEDDER, mess: Mess = lambda rows: rows
    ) -> OpenedIndex:
        profile = profile_named("docs")
        rows = index_rows(pages, profile, lambda texts: map(quantize, embedder.embed_passages(list(texts))))
        facts = SegmentFacts("docs", profile.face, profile.filters, EMBEDDER.dimensions, EMBEDDER.digest)
        folder = Path(tempfile.mkdtemp(dir=self._root)) / "segment"
        write_segment(folder, mess(list(rows)), facts)
        return OpenedIndex([(open_segment(folder), 1)])


def answers(index: OpenedIndex, questions: Sequence[GoldenQuestion] | None = None) -> Answers:
    return ask(Side(index, EMBEDDER), golden() if questions is None else questions)


@pytest.fixture(scope="module")
def index_of(tmp_path_factory: pytest.TempPathFactory) -> Builds:
    return Builds(tmp_path_factory.mktemp("gate"))


@pytest.fixture(scope="module")
def served(index_of: Builds) -> OpenedIndex:
    return index_of(chunks())


@pytest.fixture(scope="module")
def served_answers(served: OpenedIndex) -> Answers:
    return answers(served)


def half(index_of: Builds, seed: int) -> OpenedIndex:
    rng = np.random.default_rng(seed)
    return index_of([chunks()[place] for place in sorted(rng.permutation(TOPICS)[: TOPICS // 2])])


def shuffled_vectors(index_of: Builds, seed: int) -> OpenedIndex:
    order = np.random.default_rng(seed).permutation(TOPICS)
    return index_of(
        chunks(),
        mess=lambda rows: [
            replace(row, vectors=rows[other].vectors) for row, other in zip(rows, order, strict=True)
        ],
    )


class WrongTokenizer(HashingEmbedder):
    """Reads other tokens than the questions' embedder does, under the same digest."""

    def __init__(self, seed: int) -> None:
        super().__init__(EMBEDDER.dimensions)
        self._seed = seed

    @property
    def digest(self) -> str:
        return EMBEDDER.digest

    def _row(self, text: str) -> np.ndarray:
        return super()._row(" ".join(f"{word}{self._seed}" for word in text.split()))


def wrong_tokenizer(index_of: Builds, seed: int) -> OpenedIndex:
    return index_of(chunks(), embedder=WrongTokenizer(seed))


def truncated(index_of: Builds, seed: int) -> OpenedIndex:
    rng = np.random.default_rng(seed)
    return index_of(one._replace(text=one.text[: int(rng.integers(20, 80))]) for one in chunks())


def edited(index_of: Builds, seed: int) -> OpenedIndex:
    """One page in a hundred says something more, something less, or something else."""
    rng = np.random.default_rng(seed)
    pages = list(chunks())
    for place in rng.permutation(TOPICS)[: round(TOPICS / 100)]:
        words = pages[place].text.split()
        cut = int(rng.integers(len(words)))
        words = [words[:cut] + words[cut + 1 :], [*words, "added", "later"], words[::-1]][seed % 3]
        pages[place] = pages[place]._replace(text=" ".join(words))
    return index_of(pages)


DEFECTS = {
    "half": (half, "documents", "answers"),
    "shuffled_vectors": (shuffled_vectors, None, "vector search alone"),
    "wrong_tokenizer": (wrong_tokenizer, None, "vector search alone"),
    "truncated": (truncated, "characters", "answers"),
}


def check_refused(name: str, seed: int, index_of: Builds, served_answers: Answers) -> None:
    spoil, shrunk, reason = DEFECTS[name]
    built = spoil(index_of, seed)
    shrinks = {one.measure for one in find_shrinks(take_stock(served_answers.side.index), take_stock(built))}
    assert (shrunk in shrinks) if shrunk else not shrinks
    reasons = judge(served_answers, answers(built)).reasons
    assert any(one.startswith(reason) for one in reasons), (seed, reasons)
    if reason.startswith("vector"):
        assert not any(one.startswith("keyword") for one in reasons)


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_refused_for_its_own_reason(name: str, index_of: Builds, served_answers: Answers) -> None:
    for seed in range(3):
        check_refused(name, seed, index_of, served_answers)


@pytest.mark.soak
@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_refused_whatever_the_seed(name: str, index_of: Builds, served_answers: Answers) -> None:
    for seed in range(20):
        check_refused(name, seed, index_of, served_answers)


def test_benign_edits_pass(index_of: Builds, served_answers: Answers) -> None:
    assert all(not judge(served_answers, answers(edited(index_of, seed))).reasons for seed in range(3))


@pytest.mark.soak
def test_of_a_hundred_benign_edits_95_pass(index_of: Builds, served_answers: Answers) -> None:
    passed = sum(not judge(served_answers, answers(edited(index_of, seed))).reasons for seed in range(100))
    assert passed >= 95


def test_the_same_version_is_never_inferior_to_itself(served_answers: Answers) -> None:
    judgement = judge(served_answers, served_answers, margin=0.0001)
    assert judgement.reasons == ()
    assert judgement.changes == ()
    assert "66 questions, mrr@10" in headline(judgement)
    assert "0 better, 0 worse" in headline(judgement)


def test_the_report_shows_what_changed_with_both_rankings(index_of: Builds, served: OpenedIndex) -> None:
    asked = golden()[:62]
    gone = str(asked[3].places[0][0]["path"])
    built = index_of(page for page in chunks() if page.document_id != gone)
    report = as_json(judge(answers(served, asked), answers(built, asked)))
    [change] = [one for one in report["changes"] if one["id"] == asked[3].id]
    assert change["rank"]["built"] is None
    assert gone in change["served"][change["rank"]["served"] - 1]
    assert gone not in " ".join(change["built"])
    assert set(report["mrr@10"]) == {"hybrid", "vector", "keyword"}


def test_the_refusal_names_the_questions_that_got_worse(index_of: Builds, served_answers: Answers) -> None:
    told = tell_changes(judge(served_answers, answers(half(index_of, 0))), 5)
    assert len(told) == 5
    assert all("-> -" in one and "first was topic-" in one for one in told)


def test_without_golden_questions_nothing_is_held_against_a_version(
    index_of: Builds, served: OpenedIndex
) -> None:
    judgement = judge(answers(served, ()), answers(half(index_of, 0), ()))
    assert (judgement.reasons, judgement.questions) == ((), 0)
    assert judgement.remarks == ("no golden questions: nothing was compared",)


def test_questions_that_find_nothing_in_either_version_are_remarked(served: OpenedIndex) -> None:
    lost = [replace(one, places=(({"path": "nowhere.md"},),)) for one in golden()]
    judgement = judge(answers(served, lost), answers(served, lost))
    assert any("of another collection" in one for one in judgement.remarks)


def test_a_small_set_says_how_little_it_proves(index_of: Builds, served: OpenedIndex) -> None:
    few = golden()[:12]
    before = answers(served, few)
    gone = str(few[0].places[0][0]["path"])
    one_lost = judge(before, answers(index_of(p for p in chunks() if p.document_id != gone), few))
    assert any("fewer than 60 questions prove little" in one for one in one_lost.remarks)
    assert any("12 questions: up to 22.1%" in one for one in one_lost.remarks)
    assert judge(before, answers(half(index_of, 0), few)).reasons


def test_a_served_version_without_its_model_is_compared_by_keywords(served: OpenedIndex) -> None:
    judgement = judge(ask(Side(served, None), golden()), answers(served))
    assert list(judgement.comparisons) == ["keyword"]
    assert any("model could not be opened" in one for one in judgement.remarks)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_the_bound_lies_below_the_mean_and_is_the_same_each_time(values: list[float]) -> None:
    bound = lower_bound(values)
    assert min(values) - 1e-9 <= bound <= np.mean(values) + 0.05
    assert bound == lower_bound(values)


def test_the_bound_holds_the_true_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    draws = rng.choice([0.0, 0.0, 0.0, 0.5, -0.5, -1.0], (60, 150))
    missed = sum(lower_bound(row) > -1 / 6 for row in draws)
    assert missed <= 8


def test_what_stays_unseen_shrinks_with_the_set() -> None:
    shares = [unseen_loss(count) for count in (1, ENOUGH, 10_000)]
    assert shares == sorted(shares, reverse=True)
    assert 0.04 < shares[1] < 0.05

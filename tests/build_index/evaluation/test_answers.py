from __future__ import annotations

import json
from pathlib import Path

import pytest

from build_index.evaluation.answers import METHODS, judge_answers, read_answered, run, token_f1
from build_index.evaluation.calibrate import calibrate_answers, rank_background
from build_index.evaluation.golden import GoldenQuestion
from build_index.pipeline.plan import Tools
from quire.answering.abstention import BOUNDS
from quire.errors import InputError
from tests.support.fakes import HashingEmbedder
from tests.support.shelves import household, shelf_of

DOCUMENTS = {
    "kettle": "A kettle boils water. It was invented in 1891 by Carpenter. It is made of steel.",
    "lamp": "A lamp gives light. An E14 bulb fits the lamp. The bulb draws 40 watts.",
}
QUESTIONS = [
    ("When was the kettle invented, by Carpenter?", ["1891"]),
    ("Which bulb fits the lamp?", ["E14", "An E14 bulb"]),
    ("Who sells the Zorbatron in Reykjavik?", []),
    ("Which Zorbatron fits the airship?", []),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"_id": name, "title": name, "text": text} for name, text in DOCUMENTS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = [
        {"_id": str(n), "text": text, "metadata": {"is_impossible": not answers, "answers": answers}}
        for n, (text, answers) in enumerate(QUESTIONS)
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    return tmp_path


def test_the_sentence_with_the_answer_beats_the_first_sentence(folder: Path, tmp_path: Path) -> None:
    figures = judge_answers(folder, Tools(HashingEmbedder(), tmp_path, tmp_path / "cache"))
    assert list(figures) == list(METHODS)
    assert figures["extracted"]["holds_answer"] == 1.0
    assert figures["first sentence"]["holds_answer"] == 0.0
    assert figures["extracted"]["f1"] > figures["first sentence"]["f1"]
    assert figures["extracted"]["refusal_auc"] == 1.0
    assert (figures["extracted"]["answerable"], figures["extracted"]["impossible"]) == (2, 2)


def test_what_is_printed_is_a_table_or_json(folder: Path, tmp_path: Path) -> None:
    tools = Tools(HashingEmbedder(), tmp_path, tmp_path / "cache")
    assert "2 answerable and 2 impossible" in run(folder, tools)
    assert json.loads(run(folder, tools, as_json=True))["extracted"]["holds_answer"] == 1.0


def test_a_sample_is_the_same_each_time_and_keeps_the_order(folder: Path) -> None:
    sample = read_answered(folder, 3)
    assert sample == read_answered(folder, 3)
    places = [[text for text, _ in QUESTIONS].index(one.text) for one in sample]
    assert places == sorted(places)
    assert len(read_answered(folder, 0)) == 4


def test_a_folder_without_answers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_answered(tmp_path)
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "Why?"}')
    with pytest.raises(InputError, match="metadata has `answers`"):
        read_answered(tmp_path)


def test_f1_counts_shared_words_as_squad_does() -> None:
    assert token_f1("The Eiffel Tower!", "eiffel tower") == 1.0
    assert token_f1("tower tower", "tower") == pytest.approx(2 / 3)
    assert token_f1("Rome", "Paris") == 0.0


def golden(query: str, kind: str, document: str = "") -> GoldenQuestion:
    places = (({"path": document},),) if document else ()
    return GoldenQuestion(query, query, kind, places)


def test_golden_questions_measure_false_answers_and_refusals() -> None:
    shelf = shelf_of(household())
    questions = [
        golden("How often do I descale the kettle?", "howto", "kettle.md"),
        golden("Which bulb does the lamp take?", "lookup", "lamp.md"),
        golden("Who won the Zorbatron championship?", "off_topic"),
        golden("help", "vague"),
    ]
    assert shelf.embedder is not None
    background = rank_background(shelf.index, shelf.embedder)
    found = calibrate_answers(shelf.index, shelf.embedder, background, questions)
    assert found.examples == 3
    assert (found.false_answers, found.false_refusals) == (0.0, 0.0)


def test_without_golden_questions_the_threshold_is_where_everyday_questions_end() -> None:
    shelf = shelf_of(household())
    assert shelf.embedder is not None
    background = rank_background(shelf.index, shelf.embedder)
    found = calibrate_answers(shelf.index, shelf.embedder, background)
    assert BOUNDS[0] <= found.threshold <= BOUNDS[1]
    assert found.examples >= 50
    assert found.false_refusals is None
    assert found.false_answers is not None

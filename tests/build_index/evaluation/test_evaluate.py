import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_index.evaluation.evaluate import AskedQuestion, ask_golden, report, table
from build_index.evaluation.golden import matches, read_golden
from build_index.evaluation.metrics import bootstrap_interval, ndcg, separation
from build_index.evaluation.report_page import write_page
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.search.retrieval import retrieve
from tests.support.corpus import write_corpus
from tests.support.fakes import HashingEmbedder

ROWS = [
    {"id": "a", "query": "gravity in studs", "kind": "concept", "relevant": [{"title": "Physics units"}]},
    {"id": "b", "query": "sound", "kind": "concept", "relevant": [{"title": "Playing sounds", "line": 3}]},
    {"id": "c", "query": "sound", "kind": "howto", "relevant": [{"title": "Nowhere"}]},
    {"id": "d", "query": "airport bus", "kind": "off_topic", "relevant": []},
]


@pytest.fixture
def asked(tmp_path: Path) -> list[AskedQuestion]:
    fake = HashingEmbedder()
    write_corpus(tmp_path / "segment", fake)
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    golden = tmp_path / "golden.jsonl"
    golden.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n")
    return ask_golden(lambda query: retrieve(index, fake, query), read_golden([golden]))


def test_the_report_counts_hits_by_kind_and_names_the_missed(asked: list[AskedQuestion]) -> None:
    figures = report(asked)
    assert figures["all"]["n"] == 3
    assert figures["by_kind"]["concept"]["hit@5"] == 1.0
    assert figures["missed"] == ["c"]
    assert (
        0
        <= figures["intervals"]["hit@5"][0]
        <= figures["all"]["hit@5"]
        <= figures["intervals"]["hit@5"][1]
        <= 1
    )
    assert "off-topic AUC" in table(figures)


def test_the_page_is_one_file_without_links_and_escapes_questions(
    asked: list[AskedQuestion], tmp_path: Path
) -> None:
    write_page(tmp_path / "page.html", {"collection": "<quire>", **report(asked)}, asked)
    page = (tmp_path / "page.html").read_text()
    assert "<svg" in page
    assert "&lt;quire&gt;" in page
    assert "http" not in page


def test_a_malformed_golden_file_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "golden.jsonl").write_text('{"id": "a", "query": "x", "kind": "vague"}\n{"id": 3}\n')
    with pytest.raises(InputError, match=r"golden\.jsonl:2"):
        read_golden([tmp_path / "golden.jsonl"])
    with pytest.raises(InputError, match="no such file"):
        read_golden([tmp_path / "none.jsonl"])


@pytest.mark.parametrize(
    ("target", "holds"),
    [({"path": "a.py", "line": 5}, True), ({"path": "a.py", "line": 6}, False), ({"path": "b.py"}, False)],
)
def test_a_target_holds_where_every_key_does(target: dict[str, object], holds: bool) -> None:
    assert matches({"path": "a.py", "start_line": 2, "end_line": 5}, target) is holds


@given(
    st.lists(st.sampled_from("abcdef"), unique=True),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 3)),
)
def test_ndcg_lies_between_nothing_and_the_ideal_order(ranked: list[str], gains: dict[str, int]) -> None:
    ideal = sorted(gains, key=lambda name: -gains[name])
    assert 0.0 <= ndcg(ranked, gains, 10) <= 1.0 + 1e-9
    assert ndcg(ideal, gains, 10) == pytest.approx(1.0 if gains else 0.0)


def test_ndcg_agrees_with_a_worked_example() -> None:
    assert ndcg(["x", "a"], {"a": 1}, 10) == pytest.approx(0.6309297)


def test_separation_and_intervals() -> None:
    assert separation([0.9, 0.8], [0.1, 0.8]) == pytest.approx(0.875)
    assert separation([], [0.1]) is None
    low, high = bootstrap_interval([1.0] * 8 + [0.0] * 2)
    assert low < 0.8 < high


def test_a_row_needs_no_more_than_a_query_and_a_place(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('{"query": "sound", "relevant": [{"path": "a.md"}]}\n', encoding="utf-8")
    [row] = read_golden([file])
    assert (row.id, row.kind, row.answerable) == ("golden.jsonl:1", "question", True)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            '{"question": "sound", "relevant": []}',
            "no text at 'query', found question, relevant; wanted such as",
        ),
        (
            '{"query": "sound", "expected": [{"path": "a.md"}]}',
            "nothing at 'relevant'; a question that has no answer",
        ),
        ("[1]", "not a golden question"),
        ("nonsense", "golden.jsonl:1: not a golden question: Expecting value"),
    ],
)
def test_a_row_that_would_ask_nothing_is_an_error_that_shows_what_is_wanted(
    tmp_path: Path, line: str, complaint: str
) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a golden question") as raised:
        read_golden([file])
    assert complaint in str(raised.value)

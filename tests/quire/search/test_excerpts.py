"""Excerpts hold what was asked for, wherever it stands in a long text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.search.excerpts import find_excerpt, stems_of

FILLER = "Nothing of interest stands here, line after line.\n" * 40


def shown(text: str, question: str, size: int = 200) -> str:
    start, end = find_excerpt(text, dict.fromkeys(stems_of(question), 1.0), size)
    return text[start:end]


def test_an_excerpt_centres_on_the_match() -> None:
    text = f"{FILLER}The CSRF token is validated before every write.\n{FILLER}"
    part = shown(text, "validateCSRFToken")
    assert "CSRF token is validated" in part
    assert part[0] == "N"  # a line begins whole
    assert len(part) <= 200


def test_the_heaviest_place_wins_and_the_earliest_of_equals() -> None:
    text = f"gravity first\n{FILLER}gravity in studs second\n{FILLER}gravity in studs third\n{FILLER}"
    part = shown(text, "gravity in studs")
    assert "second" in part
    assert "third" not in part


def test_parts_of_other_words_are_no_matches() -> None:
    text = f"A particular party.\n{FILLER}The apart, and then a Part itself; BasePart too.\n"
    assert "BasePart" in shown(f"Apartment.\n{FILLER}BasePart moves.\n", "part")
    assert shown(text, "unheard") == text[:200]


def test_an_excerpt_that_would_begin_inside_of_code_begins_at_its_fence() -> None:
    text = f"{FILLER}```python\nimport quire\nquire.open_the_gate()\n```\n{FILLER}"
    assert shown(text, "open_the_gate", 120).startswith("```python")


@given(st.text(max_size=600), st.text(min_size=1, max_size=60), st.integers(80, 300))
def test_an_excerpt_is_a_part_of_the_text_and_no_longer_than_asked(
    text: str, question: str, size: int
) -> None:
    start, end = find_excerpt(text, dict.fromkeys(stems_of(question), 1.0), size)
    assert 0 <= start <= end <= len(text)
    assert end - start <= size
    assert (start, end) == (0, len(text)) or len(text) > size

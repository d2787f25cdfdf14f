"""Questions about one release, over a list of releases that say nearly the same words."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.findings import AskedCollection
from quire.answering.request import Inquiry
from quire.search.retrieval import Query, retrieve
from tests.support.shelves import chunk, shelf_of

RECENT = """\
## 3.0.0 (2026-03-01)

The 3.0.0 release is a new major release of the lamp. This release needs no oil.

- Remove the oil tank.

## 2.10.0 (2026-01-02)

- Mend the switch that 2.1.0 broke."""
OLD = """\
## 2.1.1 (2025-06-01)

- Mend the plug.

## 2.1.0 (2025-05-01)

- Add a second switch.

## 2.0.0rc1 (2025-04-01)

- Try the lamp without a shade."""
UNDERLINED = """\
1.2.0
=====

:release-date: 2024-02-03

- Add a wick.

1.0.2
=====

:release-date: 2024-01-02

- Mend the chimney."""
GUIDE = """\
# Wick

The wick of the lamp is set by the wheel. Turn the wheel to the right for a longer wick.

# Switch

A second switch stands below the first one."""
FORMS = ("What changed in version {}?", "When was {} released?", "release notes for {}", "lamp v{} changes")
RELEASED = {
    "3.0.0": ("3.0.0", "Remove the oil tank"),
    "2.10.0": ("2.10.0", "Mend the switch that"),
    "2.1.1": ("2.1.1", "Mend the plug"),
    "2.1.0": ("2.1.0", "Add a second switch"),
    "2.0.0rc1": ("2.0.0rc1", "without a shade"),
    "1.2.0": ("1.2.0", "Add a wick"),
    "1.0.2": ("1.0.2", "Mend the chimney"),
}


@pytest.fixture(scope="module")
def lamp() -> AskedCollection:
    texts = {"CHANGES.md": RECENT, "docs/old.md": OLD, "docs/first.rst": UNDERLINED, "docs/guide.md": GUIDE}
    return shelf_of([chunk(path, text) for path, text in texts.items()])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("version", RELEASED)
def test_an_answer_about_a_release_shows_that_one_alone(
    lamp: AskedCollection, version: str, form: str
) -> None:
    title, said = RELEASED[version]
    given = answer(lamp, Inquiry(form.format(version)))
    assert given.text.startswith(f"**{title}")
    assert said in given.text
    others = [other for other, (_, words) in RELEASED.items() if other != version and words in given.text]
    assert others == []


def test_versions_compared_are_both_shown(lamp: AskedCollection) -> None:
    given = answer(lamp, Inquiry("What changed between 2.1.0 and 2.1.1?"))
    assert "Mend the plug" in given.text
    assert "Add a second switch" in given.text


def test_a_version_that_is_a_condition_does_not_bring_its_release_notes(lamp: AskedCollection) -> None:
    question = "How do I set the wick by the wheel in 2.1.0?"
    assert retrieve(lamp.index, lamp.embedder, Query(question)).hits[0].chunk.document_id == "docs/guide.md"
    assert "Turn the wheel to the right" in answer(lamp, Inquiry(question)).citations[0].quote

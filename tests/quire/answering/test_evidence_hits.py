from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.evidence_hits import evidence_of, is_data, is_listing
from quire.answering.request import Inquiry
from quire.ports import Embedder
from tests.support.shelves import chunk, hit_of, household, shelf_of


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("LICENSE", "Which licence does the pump have?"),
        ("docs/THIRD_PARTY_LICENSES.md", "Which licences do its parts have?"),
        ("ThirdPartyNotices.txt", "Which licences do its parts have?"),
        ("CONTRIBUTORS.txt", "Who are the contributors?"),
        ("app/locale/de/LC_MESSAGES/django.po", "How is it translated?"),
        ("docs/spelling/wordlist.txt", "Which words does the spelling list allow?"),
        ("package-lock.json", "Which version of the pump does the lock file pin?"),
        ("static/app.min.js", "What does the minified code hold?"),
    ],
)
def test_what_only_lists_words_is_no_evidence_unless_it_is_asked_for(path: str, asked: str) -> None:
    hits = [hit_of(chunk(path, "The pump is descaled.", path=path))]
    assert evidence_of("How is the pump descaled?", hits) == ()
    assert evidence_of(asked, hits) == tuple(hits)


@pytest.mark.parametrize(
    "path",
    [
        "licensing.md",
        "authors_api.md",
        "docs/locale.md",
        "words.md",
        "unlock.md",
        "modules/third_party_rules.md",
        "security/third-party-risks.md",
    ],
)
def test_pages_about_such_things_stay_evidence(path: str) -> None:
    hits = [hit_of(chunk(path, "The pump is descaled.", path=path))]
    assert evidence_of("How is the pump descaled?", hits) == tuple(hits)


@pytest.mark.parametrize(
    "path",
    ["CHANGELOG.md", "docs/release-notes.rst", "docs/releases/4.2.txt", "docs/history/whatsnew-4.0.rst"],
)
def test_notes_of_releases_speak_last_unless_a_release_is_asked_for(path: str) -> None:
    notes = hit_of(chunk(path, "The pump can be descaled with -d.", path=path), 1)
    page = hit_of(chunk("pump.md", "Descale the pump with acid.", path="pump.md"), 2)
    told = evidence_of("How do I descale the pump?", [notes, page])
    assert [(one.chunk.document_id, one.rank) for one in told] == [("pump.md", 1), (path, 2)]
    assert evidence_of("In which version was descaling added?", [notes, page]) == (notes, page)


@pytest.mark.parametrize(
    "path", ["docs/releases/levels.md", "changes_api.py", "src/history/store.ts", "newsroom.md"]
)
def test_pages_about_releases_stay_where_they_are(path: str) -> None:
    hits = [hit_of(chunk(one, "The pump.", path=one), rank) for rank, one in enumerate((path, "pump.md"), 1)]
    assert evidence_of("How is the pump descaled?", hits) == tuple(hits)


def test_a_file_of_words_or_questions_is_a_listing_and_a_paragraph_is_none() -> None:
    assert is_listing("\n".join(["How do I bake bread?", "Who won?", "What is a fork?"] * 3))
    assert is_listing("\n".join(["Ada Lovelace, 2012/01/04", "Alan Turing <alan@example.com>"] * 4))
    assert not is_listing("The pump is quiet and\nruns for years. When it stops,\nturn it off and wait\n" * 3)
    assert not is_listing("one\ntwo")


def test_code_that_is_strings_line_by_line_speaks_only_where_its_name_is_asked_for() -> None:
    text = "SAMPLES = (\n" + '    "Bread rises because yeast turns sugar into gas.",\n' * 8 + ")\n"
    assert is_data(text)
    assert not is_data('def stop(self):\n    """Stop it."""\n    self.motor.stop()\n' * 3)
    hits = [hit_of(chunk("samples.py", text, lang="python")._replace(symbols=("SAMPLES",)))]
    assert evidence_of("Why does bread rise?", hits) == ()
    assert evidence_of("What is in SAMPLES?", hits) == tuple(hits)


@pytest.mark.parametrize("question", ["How do I bake sourdough bread?", "How do I bake bread of rye flour?"])
def test_a_word_list_answers_nothing_although_it_holds_the_words(question: str, embedder: Embedder) -> None:
    words = "\n".join(["sourdough", "bread", "bake", "kettle", "lamp", "flour", "oven", "rye"])
    listed = chunk("words.txt", words, path="words.txt", lang="text")
    shelf = shelf_of([*household(), listed], embedder=embedder)
    given = answer(shelf, Inquiry(question))
    assert not given.answerable
    assert given.hits, "it stays findable"

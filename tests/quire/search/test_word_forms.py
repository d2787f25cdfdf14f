"""A question finds names that say its words in another form, and scores stay what the question's own words earn."""

from __future__ import annotations

import pytest

from quire.documents import Document
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.ports import Embedder
from quire.search.query import read_question
from quire.search.retrieval import Query, retrieve
from tests.support.corpus import write_corpus
from tests.support.shelves import chunk, household, shelf_of

FILES = {
    "shop/lexer.py": "class Lexer:\n    def advance(self):\n        return self.rest.pop()\n",
    "shop/throttler.py": "class Throttler:\n    def admit(self, caller):\n        return self.left > 0\n",
    "shop/colors.py": "PALETTE = ['red', 'green']\n\n\ndef next_color():\n    return PALETTE.pop()\n",
    "shop/db.py": "def open_db(path):\n    return connect(path)\n",
    "shop/basket.py": "class Basket:\n    def total(self):\n        return sum(self.prices)\n",
    "shop/prices.py": "def round_up(amount):\n    return int(amount) + 1\n",
}


ASKED = "throttled and parsed by it"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> OpenedIndex:
    folder = tmp_path_factory.mktemp("shop")
    documents = [
        Document(path, text, "source_code", {"path": path, "lang": "python"}) for path, text in FILES.items()
    ]
    write_corpus(folder / "segment", embedder, documents, profile="code")
    return OpenedIndex([(open_segment(folder / "segment"), 0)])


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Which class throttles callers?", "shop/throttler.py"),
        ("Which file has the colours?", "shop/colors.py"),
        ("How is the database made?", "shop/db.py"),
    ],
)
def test_names_in_another_form_are_found_by_keywords_alone(
    shop: OpenedIndex, question: str, path: str
) -> None:
    [hit, *_] = retrieve(shop, None, Query(question, mode="keyword")).hits
    assert hit.chunk.metadata["path"] == path


def test_only_forms_that_the_collection_holds_are_searched_for(shop: OpenedIndex) -> None:
    read = read_question(ASKED, shop, heading_weight=0.25, is_ordinary=lambda _: True, word_forms=True)
    assert read.forms == {"throttler": 0.7, "@throttler": 0.175}
    assert read.searched == {**read.terms, **read.forms}
    assert not read_question("Lexer", shop, heading_weight=0.25, word_forms=True).forms, (
        "a name asks for itself"
    )


def test_other_forms_are_no_part_of_what_a_question_says(shop: OpenedIndex) -> None:
    read = read_question(ASKED, shop, heading_weight=0.25, is_ordinary=lambda _: True, word_forms=True)
    assert read.known_share == 0.0
    assert set(read.terms) == {"throttl", "pars", "@throttl", "@pars"}


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Which colours are there?", "Which colors are there?"),
        ("How many of the PALETTES are Red?", "How many of the PALETTES are Red?"),
        ("What is basket.colours?", "What is basket.colours?"),
        ("Is there an auth of the callers?", "Is there an auth of the callers?"),
    ],
)
def test_a_word_is_read_as_the_collection_writes_it_however_ordinary_it_is(
    shop: OpenedIndex, question: str, read: str
) -> None:
    found = read_question(question, shop, heading_weight=0.25, is_ordinary=lambda _: True)
    assert found.text == read


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Where is the config?", "The configuration lies beside the lamp."),
        ("Does it print PDFs?", "It prints a PDF."),
        ("Which licence has it?", "License: MIT"),
        ("How do I cancle it?", "To cancel, press the button."),
        ("I forgot it", "Who forgets it may write."),
    ],
)
def test_what_others_write_otherwise_counts_as_said(said: str, told: str) -> None:
    index = shelf_of([chunk("told.md", told), *household()]).index
    assert read_question(said, index, heading_weight=0.25, is_ordinary=None).known_share == 1.0
    other = shelf_of([chunk("other.md", "HTTP and a candle."), *household()]).index
    for word in ("https", "candel"):
        share = read_question(f"What is the {word} of it?", other, heading_weight=0.25).known_share
        assert share == (word == "candel")

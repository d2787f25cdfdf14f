"""Files beside the code (examples, tests, notes of releases) come after it unless a question asks for them, and so do
pages of documentation about what is no longer used.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources.files.types import page_role, role_of
from quire.documents import Document
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.ports import Embedder
from quire.search.intent import read_intent
from quire.search.retrieval import Query, retrieve
from tests.support.corpus import write_corpus

SOURCE = (
    'def refund(order):\n    """Pay a customer back in the currency of the order."""\n'
    "    return order.bank.pay_back(order.customer, order.currency)\n"
)
EXAMPLE = (
    '"""Pay a customer back in the currency of the order: how it is done."""\n\n'
    "customer_order = load()\nrefund(customer_order)  # pays the customer back in the currency of the order\n"
)
NOTES = (
    "# Changelog\n\n## Release 5.1\n\n"
    "This release pays back: a customer is paid back in the currency of the order: pay back, customer, currency.\n"
)
FILES = {
    "shop/money.py": ("python", SOURCE, ""),
    "examples/refunds.py": ("python", EXAMPLE, "example"),
    "CHANGELOG.md": ("markdown", NOTES, "history"),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> OpenedIndex:
    folder = tmp_path_factory.mktemp("shop")
    documents = [
        Document(path, text, "source_code", {"path": path, "lang": lang} | ({"role": role} if role else {}))
        for path, (lang, text, role) in FILES.items()
    ]
    write_corpus(folder / "segment", embedder, documents, profile="code")
    return OpenedIndex([(open_segment(folder / "segment"), 0)])


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("pay a customer back in the currency of the order", "shop/money.py"),
        ("example: pay a customer back in the currency of the order", "examples/refunds.py"),
        ("Which release pays back a customer in the currency of the order?", "CHANGELOG.md"),
    ],
)
def test_code_comes_first_unless_an_example_or_a_release_is_asked_for(
    shop: OpenedIndex, embedder: Embedder, question: str, path: str
) -> None:
    assert retrieve(shop, embedder, Query(question)).hits[0].chunk.metadata["path"] == path


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("How do I hoist the sail of the boat?", "boats/sails.md"),
        ("How did I hoist the sail of the legacy boat?", "legacy/hoisting.md"),
    ],
)
def test_pages_of_what_is_no_longer_used_come_later_unless_they_are_asked_for(
    tmp_path: Path, embedder: Embedder, question: str, path: str
) -> None:
    pages = {
        "boats/sails.md": "# Sails\n\nHoist the sail of the boat with the winch, whose button does all the work.\n",
        "boats/oars.md": "# Oars\n\nOars lie below the bench.\n",
        "legacy/hoisting.md": "# Hoist the sail\n\nHoist the sail of the boat by hand: pull the rope to hoist it.\n",
    }
    documents = [
        Document(one, text, "docs", {"path": one} | ({"role": role} if (role := page_role(one)) else {}))
        for one, text in pages.items()
    ]
    write_corpus(tmp_path / "segment", embedder, documents, profile="docs")
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    assert retrieve(index, embedder, Query(question)).hits[0].chunk.metadata["path"] == path


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("pay a customer back in the currency of the order", "shop/money.py"),
        ("the migration to pay a customer back in the currency of the order", "db/migrate/refunds.py"),
    ],
)
def test_steps_of_a_database_come_after_the_code_unless_they_are_asked_for(
    tmp_path: Path, embedder: Embedder, question: str, path: str
) -> None:
    code = SOURCE.replace("in the currency of the order", "as their bank wants")
    documents = [
        Document(
            one,
            text,
            "source_code",
            {"path": one, "lang": "python"} | ({"role": role} if (role := role_of(one)) else {}),
        )
        for one, text in {
            "shop/money.py": code,
            "db/migrate/refunds.py": SOURCE,
            "shop/b.py": "def boil(water):\n    heat(water)\n",
        }.items()
    ]
    write_corpus(tmp_path / "segment", embedder, documents, profile="code")
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    assert retrieve(index, embedder, Query(question)).hits[0].chunk.metadata["path"] == path


def test_a_role_can_be_filtered_by(shop: OpenedIndex, embedder: Embedder) -> None:
    found = retrieve(shop, embedder, Query("pay a customer back", filters={"role": ["example", "history"]}))
    assert {hit.chunk.metadata["path"] for hit in found.hits} == {"examples/refunds.py", "CHANGELOG.md"}


@pytest.mark.parametrize(
    ("question", "roles"),
    [
        ("How is a basket stored?", set()),
        ("an example of a basket", {"example"}),
        ("What breaks when upgrading to 5.1?", {"history"}),
        ("Which variable turns logging on?", {"interface"}),
        ("Which migration adds the lid?", {"history", "upkeep"}),
        ("Which demos were removed in the last release?", {"example", "history"}),
    ],
)
def test_a_question_says_which_files_beside_the_code_it_wants(question: str, roles: set[str]) -> None:
    assert read_intent(question).roles == roles


TESTED = "def test_refund():\n    assert refund(order) == order.customer\n"


@pytest.mark.parametrize(
    ("question", "first"),
    [("How is refund tested?", "tests/test_money.py"), ("How is refund done?", "shop/money.py")],
)
def test_tests_come_after_code_unless_they_are_asked_for(
    tmp_path: Path, embedder: Embedder, question: str, first: str
) -> None:
    files = {"shop/money.py": (SOURCE, False), "tests/test_money.py": (TESTED * 2, True)}
    documents = [
        Document(path, text, "source_code", {"path": path, "lang": "python", "is_test": is_test})
        for path, (text, is_test) in files.items()
    ]
    write_corpus(tmp_path / "segment", embedder, documents, profile="code")
    index = OpenedIndex([(open_segment(tmp_path / "segment"), 0)])
    assert retrieve(index, embedder, Query(question)).hits[0].chunk.metadata["path"] == first

"""Questions that name a symbol, or ask for its place, over a small code base with documents and tests beside it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from quire.answering.answerer import answer
from quire.answering.findings import AskedCollection, find
from quire.answering.request import Inquiry
from quire.documents import Document, Value
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.ports import Embedder
from quire.search.intent import read_intent
from quire.search.query import read_question
from quire.search.retrieval import Query, retrieve
from tests.support.corpus import write_corpus

FILES = {
    "shop/basket.py": (
        'class Basket:\n    """What a customer wants to buy."""\n\n'
        "    def refund(self, order):\n        return -order.total\n\n\n"
        "def basket(name):\n    return Basket()\n"
    ),
    "shop/orders.py": (
        "def close(order):\n    for line in order.lines:\n        line.ship()\n    order.refund()\n\n\n"
        "def get_total(order):\n    return order.total or set()\n"
    ),
    "docs/refunds.rst": (
        "Refunds\n=======\n\n.. method:: Basket.refund\n\nA refund of a Basket gives the total of the order back. "
        "Basket.refund is called by hand, refund after refund, where an order is returned.\n"
    ),
    "docs/returns.rst": (
        "Returns\n=======\n\nGoods may come back within 30 days, and the refund is on its way a day later.\n"
    ),
    "docs/basket.rst": (
        "Basket\n======\n\n.. class:: Basket\n\nThe class Basket holds what a customer wants. A basket is a class.\n"
    ),
    "tests/test_basket.py": (
        "def test_refund():\n    assert Basket().refund(order) == -3\n\n\nclass Basket:\n    refund = None\n"
    ),
}
LANGUAGES = {".py": "python", ".rst": "rst"}
MEMBERS = (
    ("Camera", "focus", "Camera.focus: CFrame. Camera focus, focus, focus of the Camera. Deprecated.", True),
    ("Camera", "Focus", "Camera.Focus: CFrame. The area that gets its detail first.", False),
    ("Lens", "Zoom", "Lens.Zoom: number. How near things look.", False),
    (
        "Mount",
        "Grip",
        "Mount.Grip: number. Below 1 Lens.Zoom returns nothing, above it Lens.Zoom returns the grip.",
        False,
    ),
    ("Enum.View", "Camera", "Enum.View.Camera. Camera, camera, the view of the camera.", False),
    ("Camera", "", "Camera. A view of the world on the screen of a player.", False),
)


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> OpenedIndex:
    documents = [
        Document(
            path,
            text,
            "source_code",
            {"path": path, "lang": LANGUAGES[Path(path).suffix], "is_test": path.startswith("tests/")},
        )
        for path, text in FILES.items()
    ]
    return opened(tmp_path_factory.mktemp("code"), embedder, documents, "code")


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> OpenedIndex:
    documents = [
        api_member(owner, name, text, {"deprecated": is_deprecated})
        for owner, name, text, is_deprecated in MEMBERS
    ]
    return opened(tmp_path_factory.mktemp("members"), embedder, documents, "roblox")


@pytest.mark.parametrize("question", ["Pump.Editor", "Pump:Editor", "Editor"])
def test_a_member_that_no_page_documents_comes_first_where_its_name_is_the_question(
    tmp_path: Path, embedder: Embedder, question: str
) -> None:
    members = [
        ("Pump", "Editor", "A property (undocumented).", {"undocumented": True, "internal": True}),
        (
            "Pump",
            "Edit",
            "Pump.Edit. In Pump.Editor, the Pump Editor, an Editor of the Pump opens; Pump.Editor.",
            {},
        ),
        ("Pump", "", "Pump. Moves oil; the editor of a Pump is opened by its owner.", {}),
        ("Valve", "Edited", "Valve.Edited: the editor of the Pump has edited the valve of the Pump.", {}),
    ]
    documents = [api_member(*one) for one in members]
    index = opened(tmp_path, embedder, documents, "roblox")
    assert first(index, embedder, question)[1] == "Pump.Editor"


@pytest.mark.parametrize(
    "question",
    [
        "What type does the Part's Shade property hold?",
        "Does a Part have Shade?",
        "is Shade a property of Part",
        "Part's Shade",
    ],
)
def test_a_member_that_is_named_apart_from_its_class_is_meant_with_it_and_opens_the_answer(
    tmp_path: Path, embedder: Embedder, question: str
) -> None:
    members: list[tuple[str, str, str, Mapping[str, Value]]] = [
        ("BasePart", "Shade", "BasePart.Shade: boolean. How dark it is.", {}),
        ("Part", "", "Part, inherits BasePart. A Part is a brick of any form.", {}),
        ("Lamp", "Shade", "Lamp.Shade: string. What a Lamp has around its light, which is a part of it.", {}),
        ("Part", "Form", "Part.Form: string. How the Part looks from afar, in the Shade too.", {}),
    ]
    index = opened(tmp_path, embedder, [api_member(*one) for one in members], "roblox")
    assert first(index, embedder, question)[1] == "BasePart.Shade"
    told = answer(AskedCollection(index, embedder, "parts"), Inquiry(question))
    assert told.citations[0].quote.startswith("BasePart.Shade")


@pytest.mark.parametrize("question", ["Oven.bake", "bake", "Oven", "Where is Oven.bake defined?"])
def test_what_defines_a_symbol_comes_before_a_stub_that_declares_it(
    tmp_path: Path, embedder: Embedder, question: str
) -> None:
    files = {
        "kitchen/oven.py": (
            'class Oven:\n    """Warms food."""\n\n    def bake(self, dish):\n        self.heat()\n'
            "        return dish.after(self.minutes)\n"
        ),
        "typings/kitchen/oven.pyi": "class Oven:\n    def bake(self, dish: Dish) -> Dish: ...\n",
    }
    documents = [
        Document(path, text, "source_code", {"path": path, "lang": "python", "is_test": False})
        for path, text in files.items()
    ]
    index = opened(tmp_path, embedder, documents, "code")
    assert first(index, embedder, question)[0] == "kitchen/oven.py"


def api_member(owner: str, name: str, text: str, told: Mapping[str, Value]) -> Document:
    """A member of a class, or the class itself where it has no name; `told` is further metadata."""
    known: dict[str, Value] = {
        "class_name": owner,
        "member_name": name,
        "member_type": "Property" if name else "Class",
        "symbols": (f"{owner}.{name}".strip("."), name or owner),
    }
    return Document(f"{owner}.{name}", text, "api_member", {**known, **told})


def opened(folder: Path, embedder: Embedder, documents: list[Document], profile: str) -> OpenedIndex:
    write_corpus(folder / "segment", embedder, documents, profile=profile)
    return OpenedIndex([(open_segment(folder / "segment"), 0)])


def first(index: OpenedIndex, embedder: Embedder, question: str) -> tuple[str, str]:
    chunk = retrieve(index, embedder, Query(question)).hits[0].chunk
    return str(chunk.metadata.get("path") or ""), chunk.symbols[0] if chunk.symbols else ""


@pytest.mark.parametrize(
    "question",
    [
        "Where is Basket.refund implemented?",
        "where is refund defined",
        "definition of the refund method",
        "def refund",
        "refund method",
        "refund deprecated replacement",
        "What should I use instead of refund()?",
        "where do we implement refund, and who calls it?",
        "side effects of refund",
    ],
)
def test_the_definition_that_is_asked_for_comes_before_documents_tests_and_usages(
    code: OpenedIndex, embedder: Embedder, question: str
) -> None:
    assert first(code, embedder, question) == ("shop/basket.py", "Basket")


@pytest.mark.parametrize("question", ["class Basket", "where is the class Basket defined?"])
def test_a_class_is_told_from_a_function_of_its_name_and_from_the_page_about_it(
    code: OpenedIndex, embedder: Embedder, question: str
) -> None:
    assert first(code, embedder, question)[0] == "shop/basket.py"


@pytest.mark.parametrize("question", ["what calls refund?", "callers of refund", "where is refund used"])
def test_callers_come_before_pages_that_mention_the_name(
    code: OpenedIndex, embedder: Embedder, question: str
) -> None:
    paths = [hit.chunk.metadata["path"] for hit in retrieve(code, embedder, Query(question)).hits]
    assert paths.index("shop/orders.py") < paths.index("docs/returns.rst")


@pytest.mark.parametrize("question", ["callers of refund", "where is refund used"])
def test_an_answer_to_who_calls_a_symbol_begins_with_a_caller(
    code: OpenedIndex, embedder: Embedder, question: str
) -> None:
    citation = answer(AskedCollection(code, embedder, title="the shop"), Inquiry(question)).citations[0]
    assert citation.hit.chunk.metadata["path"] in ("shop/orders.py", "tests/test_basket.py")
    assert ".refund(" in citation.quote


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what is refund() for", ("refund",)),
        ("what is `refund` for", ("refund",)),
        ("what is a refund for", ()),
        ("what does refund do?", ("refund",)),
        ("when does refund raise an error?", ("refund",)),
        ("what does a refund do?", ()),
        ("what does refund do to an order?", ()),
    ],
)
def test_a_plain_word_is_a_name_where_it_is_marked_as_code_or_acts_without_an_article(
    code: OpenedIndex, question: str, names: tuple[str, ...]
) -> None:
    assert read_question(question, code, heading_weight=0.0).names == names


@pytest.mark.parametrize(
    ("question", "mended"),
    [
        ("what does refnud do", {"refnud": "refund"}),
        ("who may test a backet", {"backet": "basket"}),
        ("may a casket be green", {}),
        ("may a basket be bought", {"bought": "buy"}),
        ("set_total", {}),
    ],
)
def test_a_slip_is_mended_and_an_ordinary_word_or_a_name_of_known_words_is_not(
    code: OpenedIndex, embedder: Embedder, question: str, mended: dict[str, str]
) -> None:
    assert retrieve(code, embedder, Query(question)).mended == mended


@pytest.mark.parametrize(
    ("question", "is_strange"),
    [
        ("what reimbursement does Basket.refund initiate", False),
        ("what reimbursement does refund() initiate", False),
        ("what reimbursement do customers get", True),
        ("is anything initialized or reordered", False),
    ],
)
def test_what_is_asked_of_a_symbol_that_was_found_may_be_called_anything(
    code: OpenedIndex, embedder: Embedder, question: str, is_strange: bool
) -> None:
    shelf = AskedCollection(code, embedder, title="")
    assert find(shelf, Inquiry(question), question).evidence.strange is is_strange


def test_a_question_for_a_place_prefers_code_and_one_for_documents_does_not(
    code: OpenedIndex, embedder: Embedder
) -> None:
    assert first(code, embedder, "where is an order given back")[0].startswith("shop/")
    assert first(code, embedder, "where is it documented how a refund works")[0].startswith("docs/")


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("Camera.Focus", "Camera.Focus"),
        ("Camera:Focus", "Camera.Focus"),
        ("Focus", "Camera.Focus"),
        ("focus", "Camera.Focus"),
        ("class Camera", "Camera"),
        ("Camera class", "Camera"),
        ("Focus property", "Camera.Focus"),
    ],
)
def test_of_symbols_alike_but_for_their_case_the_one_as_written_leads_and_a_deprecated_one_does_not(
    members: OpenedIndex, embedder: Embedder, question: str, symbol: str
) -> None:
    assert first(members, embedder, question)[1] == symbol


@pytest.mark.parametrize("question", ["what is the Camera", "explain Camera", "what is the Camera for"])
def test_a_question_that_says_little_beside_a_name_is_about_what_has_it_as_its_whole_name(
    members: OpenedIndex, embedder: Embedder, question: str
) -> None:
    assert first(members, embedder, question)[1] == "Camera"
    assert read_question(question, members, heading_weight=0.0).focus > 0.5


def test_a_question_that_says_much_beside_a_name_is_about_more_than_it(members: OpenedIndex) -> None:
    question = "which area gets its detail first on the screen of the player of a Camera"
    assert read_question(question, members, heading_weight=0.0).focus == 0.0
    assert read_question("how near do things look", members, heading_weight=0.0).focus == 0.0


@pytest.mark.parametrize("question", ["Where is price_of defined?", "definition of price_of"])
def test_an_answer_to_where_a_symbol_is_defined_begins_where_its_definition_does(
    tmp_path: Path, embedder: Embedder, question: str
) -> None:
    body = "\n".join(f"    # Where the price_of part {number} is defined." for number in range(9))
    text = f"def price_of(part):\n    total = 1\n\n{body}\n    return total\n"
    document = Document("a.py", text, "source_code", {"path": "a.py", "lang": "python"})
    index = opened(tmp_path, embedder, [document], "code")
    citation = answer(AskedCollection(index, embedder, title="the shop"), Inquiry(question)).citations[0]
    assert citation.quote.startswith("def price_of(part):")


def test_an_answer_about_a_symbol_begins_with_what_defines_it(
    members: OpenedIndex, embedder: Embedder
) -> None:
    given = answer(
        AskedCollection(members, embedder, title="the engine"), Inquiry("What does Lens.Zoom return?")
    )
    assert given.citations[0].hit.chunk.symbols[0] == "Lens.Zoom"


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Where is doCurlGet implemented and what are its side effects?", "doCurlGet"),
        ("where is std::vector declared", "std::vector"),
        ("Where's the Basket class defined", "Basket"),
        ("which class replaced Basket?", "Basket"),
        ("alternatives to Basket.refund", "Basket.refund"),
        ("what should I use instead of a loop over baskets", None),
        ("where is the retry logic for tasks implemented", None),
        ("where are the default settings", None),
        ("how is a class defined in this language", None),
    ],
)
def test_the_name_whose_definition_is_asked_for_is_read_from_the_question(
    question: str, name: str | None
) -> None:
    wanted = read_intent(question).definition
    assert (wanted.name if wanted else None) == name


@pytest.mark.parametrize(
    ("question", "is_place"),
    [
        ("Which function computes the remaining time?", True),
        ("what calls send", True),
        ("How does it work, and where?", False),
        ("where can I read about sessions", False),
    ],
)
def test_a_question_for_a_place_is_told_from_others(question: str, is_place: bool) -> None:
    assert read_intent(question).is_place is is_place


def test_an_option_that_an_index_does_not_hold_whole_is_read_by_its_words(
    tmp_path: Path, embedder: Embedder
) -> None:
    text = "# Pools\n\nThe concurrency of a pool is how many tasks it runs at once."
    write_corpus(
        tmp_path / "s", embedder, [Document("pools.md", text, "docs", {"path": "pools.md"})], profile="docs"
    )
    index = OpenedIndex([(open_segment(tmp_path / "s"), 0)], version="v1")
    whole, words, strange = (
        read_question(f"What does {name} do?", index, heading_weight=1.0)
        for name in ("--concurrency", "concurrency", "--frobnicate")
    )
    assert (whole.known_share, whole.foreign, dict(whole.terms)) == (1.0, False, dict(words.terms))
    assert (strange.known_share, strange.foreign) == (0.0, True)

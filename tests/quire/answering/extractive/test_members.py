"""Questions about all that a type or a file of code defines: they stand in many chunks, and each has its own source."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.rendering import quoted_part
from quire.answering.findings import AskedCollection
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk, Turn
from tests.support.answer_checks import problems
from tests.support.shelves import chunk, pages, shelf_of

HEAD = '''\
class Pump:
    """A pump.

    size
        How large it is.
    """

    size = 3
'''
FILL = '''\
    def fill(self, oil, level=0.5):
        """Fill the pump with oil
        up to the level. It takes a while.
        """
        self.oil = oil
'''
DRAIN = """\
    # Let all of the oil out.
    @logged
    def drain(
        self,
        slowly=True,
    ):
        self.oil = None
"""
HIDDEN = "    def _seal(self):\n        self.lid = 1\n"
PROPERTY = "    @property\n    def volume(self):\n        return self.size**3\n"
MODULE = "import os\n\nLIMIT = 9\n"
HELPER = '''\
def measure(pump):
    """Say how full the pump is."""
    return pump.level
'''


def part(
    text: str, symbol: str, line: int, *, kind: str = "method", path: str = "oil/pump.py", **facts: object
) -> Chunk:
    names = {symbol: None, symbol.rpartition(".")[2]: None}
    known = {
        "lang": "python",
        "kind": kind,
        "symbol": symbol,
        "start_line": line,
        "is_test": "test" in path,
        **facts,
    }
    made = chunk(path, text, line, **known)
    return made._replace(symbols=tuple(names) if symbol else (), breadcrumb=f"{path} › {symbol}")


PUMP = (
    part(MODULE, "LIMIT", 1, kind="module"),
    part(HELPER, "measure", 4, kind="function"),
    part(HEAD, "Pump", 8, kind="class")._replace(symbols=("Pump", "Pump.size", "size")),
    part(FILL, "Pump.fill", 17),
    part(DRAIN, "Pump.drain", 22),
    part(HIDDEN, "Pump._seal", 29),
    part(PROPERTY, "Pump.volume", 31),
    part("class Pump:\n    def test_it(self): ...\n", "Pump", 1, kind="class", path="tests/test_pump.py"),
)


def ask(question: str, *more: Chunk, profile: str = "code") -> Answer:
    shelf: AskedCollection = shelf_of([*PUMP, *more, *pages(20)], profile=profile)
    given = answer(shelf, Inquiry(question))
    assert problems(given) == []
    return given


def items(given: Answer) -> list[str]:
    return [line for line in given.text.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    "question",
    [
        "Which methods does Pump have?",
        "What methods does the Pump class have?",
        "List all methods of Pump",
        "what public methods are there in Pump?",
        "methods of class `Pump`",
        "What methods can I call on a Pump?",
    ],
)
def test_methods_are_told_with_signature_first_sentence_and_place(question: str) -> None:
    given = ask(question)
    assert items(given) == [
        "- `fill(self, oil, level=0.5)`: Fill the pump with oil up to the level. [2]",
        "- `drain(self, slowly=True)`: Let all of the oil out. [3]",
    ]
    assert given.text.startswith("`Pump`, oil/pump.py:8 [1]\n\n- ")
    assert given.notices == ("Beside them 1 for internal use.",)
    assert given.citations[1].quote == FILL.partition("\n        self.oil")[0]
    assert given.citations[2].quote == DRAIN.partition("\n        self.oil")[0]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does oil/pump.py contain?", ["LIMIT", "measure(pump)", "Pump"]),
        ("What is in pump.py?", ["LIMIT", "measure(pump)", "Pump"]),
        ("Which classes are defined in oil/pump.py", ["Pump"]),
    ],
)
def test_what_a_file_defines_are_its_own_names_and_no_members(question: str, names: list[str]) -> None:
    bucket = part("class Bucket:\n    lid = 1\n", "Bucket", 40, kind="class")
    listed = [line.partition("`")[2].partition("`")[0] for line in items(ask(question, bucket))]
    assert listed == [*names, "Bucket"]


def test_methods_beside_the_type_are_found_where_a_language_has_them_so() -> None:
    def go(text: str, symbol: str, path: str, kind: str = "method") -> Chunk:
        return part(text, symbol, len(symbol), kind=kind, path=path, lang="go")

    lamp = (
        go("type Lamp struct {\n\tOn bool\n}\n", "Lamp", "lamp.go", "type"),
        go(
            "// Light turns it on. Twice.\nfunc (lamp *Lamp) Light(n int) error {\n}\n",
            "Lamp.Light",
            "light.go",
        ),
        go("func (lamp *Lamp) Dim[T any](by T) {\n}\n", "Lamp.Dim", "dim.go"),
        go("\nfunc (lamp *Lamp) reset() {\n}\n", "Lamp.reset", "dim.go"),
        go("func (lamp *Lamp) Break() {\n}\n", "Lamp.Break", "lamp_test.go")._replace(
            metadata={
                "is_test": True,
                "lang": "go",
                "kind": "method",
                "path": "lamp_test.go",
                "start_line": 1,
            }
        ),
    )
    told = sorted(line.rpartition(" ")[0] for line in items(ask("Which methods does Lamp have?", *lamp)))
    assert told == ["- `Dim`", "- `Light(n int)`: Light turns it on."]


def test_a_follow_up_that_names_another_type_asks_the_same_of_it() -> None:
    jug = [part("class Jug:\n    lid = 1\n", "Jug", 60, kind="class", path="jug.py")]
    jug += [
        part(f"    def {name}(self): ...\n", f"Jug.{name}", n, path="jug.py")
        for n, name in enumerate(("a", "b"))
    ]
    shelf = shelf_of([*PUMP, *jug, *pages(20)], profile="code")
    turns = ["Which methods does Pump have?"]
    for question in ("and what does Jug have?", "and Pump?", "What about Jug?"):
        talk = tuple(
            turn for one in turns for turn in (Turn("user", one), Turn("assistant", "So it is. [1]"))
        )
        turns.append(question)
        told = items(answer(shelf, Inquiry(question, history=talk)))
        assert told[0].startswith("- `fill(" if "Pump" in question else "- `a(self)`")
    assert not items(answer(shelf, Inquiry("and Jug?", history=(Turn("user", "Who made it?"),))))


def test_what_is_asked_of_the_list_is_not_answered_by_the_list_again() -> None:
    use = part("pump = Pump()\npump.fill(oil)\n", "use", 1, kind="function", path="examples/use.py")
    shelf = shelf_of([*PUMP, use, *pages(20)], profile="code")
    first = answer(shelf, Inquiry("Which methods does Pump have?"))
    talk = (Turn("user", "Which methods does Pump have?"), Turn("assistant", first.text))
    assert "pump.fill(oil)" in answer(shelf, Inquiry("show me an example", history=talk)).text
    assert "- `fill(" not in answer(shelf, Inquiry("Where is it defined?", history=talk)).text


def test_a_file_that_is_not_there_is_named() -> None:
    given = ask("What does oil/notes.py contain?")
    assert not given.answerable
    assert given.text == "There is no file called `oil/notes.py` in the Household code base."
    assert "no file" not in ask("What is in Node.js?").text


def test_a_file_that_holds_one_type_is_told_by_its_methods() -> None:
    jug = [part("class Jug:\n    lid = 1\n", "Jug", 3, kind="class", path="jug.py")]
    jug.append(part("    def pour(self): ...\n", "Jug.pour", 9, path="jug.py"))
    given = ask("What does jug.py contain?", *jug)
    assert given.text == "`Jug`, jug.py:3 [1]\n\n- `pour(self)` [2]"


def test_each_source_is_called_by_what_its_line_defines() -> None:
    text = (
        "class Tap:\n    action = 1\n    def run(self):\n        '''Call the action.'''\n\n"
        "class Valve(Tap):\n    '''A Tap of iron.'''\n"
    )
    tap = part(text, "Tap", 1, kind="class", path="tap.py")
    tap = tap._replace(symbols=("Tap", "Tap.action", "action", "Tap.run", "run", "Valve"))
    named = [
        quoted_part(one).metadata["symbol"] for one in ask("What does tap.py contain?", tap).citations[1:]
    ]
    assert named == ["Tap", "Valve"]
    assert [
        quoted_part(one).metadata["symbol"] for one in ask("methods of Tap", tap, tap_drip()).citations[1:]
    ] == [
        "Tap.run",
        "Tap.drip",
    ]


def tap_drip() -> Chunk:
    return part("    def drip(self): ...\n", "Tap.drip", 20, path="tap.py")


def test_overloads_are_told_once_and_long_signatures_are_cut_at_their_brackets() -> None:
    long = ", ".join(f"argument_{n}" for n in range(12))
    texts = (
        "    def pour(self): ...\n",
        "    def pour(self, oil): ...\n",
        f"    def shut(self, {long}): ...\n",
    )
    jug = [part("class Jug:\n    pass\n", "Jug", 1, kind="class", path="jug.py")]
    jug += [
        part(text, f"Jug.{text.split()[1].partition('(')[0]}", n, path="jug.py")
        for n, text in enumerate(texts, 3)
    ]
    assert items(ask("methods of Jug", *jug)) == ["- `pour(self)` [2]", "- `shut(…)` [3]"]


@pytest.mark.parametrize(
    "question", ["Which methods does Lid have?", "What is in lid.py?", "methods of Pump.fill"]
)
def test_what_is_not_there_is_answered_as_any_question(question: str) -> None:
    assert not any(line.startswith("- `") for line in ask(question).text.splitlines())


ENTRY = """\
Kiln — Class, inherits Oven

It burns clay.

**Firing**

- Slowly, and then fast.

Inheritance: Kiln → Oven
Properties: Heat, Door
Methods: Fire, Cool
"""


def test_the_entry_of_a_class_in_a_reference_is_asked_for_its_line() -> None:
    entry = chunk("kiln.yaml", ENTRY, breadcrumb="Kiln")._replace(symbols=("Kiln",))
    given = ask("Which methods does the Kiln have?", entry, profile="roblox")
    assert given.text == (
        "Kiln — Class, inherits Oven [1]\n\nInheritance: Kiln → Oven [2]\n\nMethods: Fire, Cool [3]"
    )

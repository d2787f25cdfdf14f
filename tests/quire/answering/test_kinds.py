"""The kinds of questions that answers without a model failed at: several sections, side effects, usage, how-to."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.findings import AskedCollection
from quire.answering.request import Inquiry
from quire.documents import Chunk
from tests.support.answer_checks import problems
from tests.support.shelves import chunk, shelf_of

BOILER = """\
# Boiler

The boiler heats the water of the house.

## Winter mode

In winter mode the boiler keeps the pipes above 8 degrees. The pump runs every hour.

## Summer mode

In summer mode the boiler heats tap water alone. The pump stands still.

## Bleeding the boiler

To bleed the boiler, do the following:

1. Switch the pump off.

```bash
boilerctl pump off
```

2. Open the valve at the top until water comes.
3. Close the valve and switch the pump on.

The pressure must be above 1 bar then.
"""
FORGET = '''\
def forget_result(key, store):
    """Forget a stored result."""
    store.delete(key)
    # children hold a copy,
    # which would answer for it
    for child in store.children(key):
        forget_result(child, store)
    notify_listeners(key)
'''
SETTINGS = """\
LEAST_LITRES = 1
# Above it the valve opens.
LARGEST_PRESSURE = 3.5
SEAL_LIFE_DAYS = 365
"""
REFUSING = """\
def fill(litres):
    if litres < LEAST_LITRES:
        raise KettleRefused("too little water in the kettle")
    valve.open(litres)
"""
FILL_TEST = """\
def test_fill():
    kettle = Kettle(seal=None)
    kettle.fill(0)
    fill(0)
"""
README = """\
# Kettle

A kettle is filled with fill, which opens the valve.

## Filling

```python
kettle = Kettle()
kettle.fill(litres=2)
```
"""
LONG = "def brew_tea(tea):\n    pot.warm(tea)\n" + "".join(
    f"    step_{n} = pot.prepare(tea, {n}, {n + 1})\n" for n in range(30)
)
BREW_END = """\
    pot.pour(tea)
    journal.write(tea)
    notify(tea)
"""
USES = """\
def clear_finished(store):
    for key in store.finished():
        forget_result(key, store)
"""


def code(path: str, text: str, symbol: str, line: int) -> Chunk:
    made = chunk(
        path, text, line, lang="python", start_line=line, end_line=line + text.count("\n"), symbol=symbol
    )
    return made._replace(symbols=(symbol,), breadcrumb=f"{path} › {symbol}")


SHELF = shelf_of([chunk("boiler.md", BOILER)])
CODE = shelf_of(
    [code("store.py", FORGET, "forget_result", 10), code("jobs.py", USES, "clear_finished", 3)],
    profile="code",
)


ENTRY = """\
Kettle:Pour(cup: Cup | Mug, litres: float = 0.2): float — Function of Kettle

Pours water into a cup.

"""
LONG_ENTRY = "".join(
    f"Case {n} of pouring: the lid stays closed while water runs, and the seal is watched all the time, as "
    "the handbook of the maker asks of everybody who pours.\n\n"
    for n in range(9)
)


def entry(text: str) -> AskedCollection:
    made = chunk("Kettle.Pour", text, class_name="Kettle", member_name="Pour")
    return shelf_of([made._replace(symbols=("Kettle.Pour", "Pour")), chunk("lamp.md", "# Lamp\n\nIt glows.")])


def brew() -> list[Chunk]:
    further = code("pot.py", BREW_END, "brew_tea", 1 + LONG.count("\n"))
    further = further._replace(
        symbols=(), metadata={**further.metadata, "calls": ("pour", "write", "notify")}
    )
    return [code("pot.py", LONG, "brew_tea", 1), further]


def kitchen() -> AskedCollection:
    settings = code("settings.py", SETTINGS, "LEAST_LITRES", 1)
    test = code("test_kettle.py", FILL_TEST, "test_fill", 1)
    calling = {**test.metadata, "is_test": True, "calls": ("Kettle", "fill")}
    return shelf_of(
        [
            settings._replace(symbols=("LEAST_LITRES", "LARGEST_PRESSURE", "SEAL_LIFE_DAYS")),
            code("kettle.py", REFUSING, "fill", 8),
            test._replace(metadata=calling),
            chunk("README.md", README, lang="markdown", kind="section"),
            *brew(),
        ],
        profile="code",
    )


KITCHEN = kitchen()


def text_of(shelf: AskedCollection, question: str) -> str:
    given = answer(shelf, Inquiry(question))
    assert given.answerable
    assert problems(given) == []
    return given.text


def test_a_question_about_two_sections_is_answered_from_both_in_their_order() -> None:
    text = text_of(
        SHELF, "What does the boiler do in winter mode and what in summer mode, and does the pump run?"
    )
    assert 0 <= text.index("above 8 degrees") < text.index("tap water alone")


def test_how_to_brings_every_step_with_its_command_and_what_leads_them_in() -> None:
    text = text_of(SHELF, "How do I bleed the boiler with the valve?")
    steps = [
        "do the following:",
        "1. Switch",
        "boilerctl pump off",
        "2. Open the valve",
        "3. Close the valve",
    ]
    places = [text.index(step) for step in steps]
    assert places == sorted(places)


def test_side_effects_of_a_function_bring_its_whole_body() -> None:
    text = text_of(CODE, "What are the side effects of forget_result?")
    assert text.startswith("`forget_result`, store.py:10-17 [1]\n\n```python\ndef forget_result")
    assert "notify_listeners(key)" in text


def test_usage_of_a_function_names_the_place_that_calls_it() -> None:
    text = text_of(CODE, "Where is forget_result used for finished keys?")
    assert "`clear_finished`, jobs.py:3-5" in text


def test_a_default_is_answered_with_the_line_that_sets_it_and_its_comment() -> None:
    text = text_of(KITCHEN, "What is the default value of LARGEST_PRESSURE?")
    code_shown = "# Above it the valve opens.\nLARGEST_PRESSURE = 3.5"
    assert text.startswith(f"`LARGEST_PRESSURE`, settings.py:2-3 [1]\n\n```python\n{code_shown}\n```")


def test_a_quoted_error_is_answered_with_the_lines_that_raise_it() -> None:
    text = text_of(KITCHEN, 'What does "too little water in the kettle" mean?')
    assert text.startswith("`fill`, kettle.py:8-11 [1]")


def test_an_example_is_code_that_uses_what_is_asked_for() -> None:
    text = text_of(KITCHEN, "Show me an example of filling a kettle with fill")
    assert "kettle.fill(litres=2)" in text.partition("[1]")[0]


def test_callers_are_all_shown_code_before_tests_and_counted_where_they_are_too_many() -> None:
    many = [code(f"use{n}.py", f"def use_{n}():\n    forget_result({n})\n", f"use_{n}", 1) for n in range(10)]
    calling = [one._replace(metadata={**one.metadata, "calls": ("forget_result",)}) for one in many]
    first = calling[0]._replace(metadata={**calling[0].metadata, "is_test": True})
    given = answer(
        shelf_of([code("store.py", FORGET, "forget_result", 10), first, *calling[1:]], profile="code"),
        Inquiry("Which functions call forget_result?"),
    )
    assert problems(given) == []
    assert given.notices == ("8 of 10 places that refer to `forget_result`.",)
    assert "`use_1`, use1.py:1-2 [1]" in given.text
    assert "use_0" not in given.text
    assert "store.py" not in given.text


def test_a_caller_in_one_endless_line_does_not_hide_the_others() -> None:
    endless = code("a.js", "forget_result(1);" + "x=[1,2,3,4];" * 400, "bundle", 1)
    plain = code("b.py", "def use():\n    forget_result(2)\n", "use", 1)
    calling = [
        one._replace(metadata={**one.metadata, "calls": ("forget_result",)}) for one in (endless, plain)
    ]
    store = code("store.py", FORGET, "forget_result", 10)
    asked = Inquiry("Which functions call forget_result?")
    given = answer(shelf_of([store, *calling], profile="code"), asked)
    assert given.text.startswith("`use`, b.py:1-2 [1]")
    assert given.notices == ("1 of 2 places that refer to `forget_result`.",)
    alone = answer(shelf_of([store, calling[0]], profile="code"), asked)
    assert not any("places that refer" in one for one in alone.notices)


def test_effects_of_a_long_function_are_its_head_and_the_part_that_calls_most() -> None:
    text = text_of(KITCHEN, "What are the side effects of brew_tea()?")
    assert text.index("def brew_tea(tea):") < text.index("notify(tea)")


def test_a_long_function_is_cut_at_its_statements_and_a_docstring_at_its_paragraphs() -> None:
    body = "".join(f"    if (tea_{n}) {{\n      pour({n});\n    }}\n" for n in range(60))
    java = code("Pot.java", f"void brew_tea() {{\n{body}}}\n", "brew_tea", 1)
    java = java._replace(metadata={**java.metadata, "lang": "java"})
    paragraphs = "\n\n".join(f"    Paragraph {n} says {'much ' * 40}." for n in range(12))
    documented = code(
        "tea.py", f'def steep_tea(tea):\n    """Steep it.\n\n{paragraphs}\n    """\n', "steep_tea", 1
    )
    shelf = shelf_of([java, documented], profile="code")
    assert len(text_of(shelf, "Where is brew_tea defined?")) < 1_500
    text = text_of(shelf, "What does steep_tea() do?")
    assert text.startswith("`steep_tea`, tea.py:1-")
    assert 'def steep_tea(tea):\n    """Steep it.' in text
    assert text.endswith('.\n    ..."""\n```')


FACTS_LINE = "Security: None · Thread safety: Unsafe · Capabilities: Heat, Water · Category: Boiling"


def test_a_short_entry_of_a_reference_is_shown_whole_without_the_facts_that_nobody_asks_for() -> None:
    text = text_of(entry(f"{ENTRY}It beeps above 2 litres.\n\n{FACTS_LINE}\n"), "When does Kettle:Pour beep?")
    assert text.startswith("Kettle:Pour(cup: Cup | Mug, litres: float = 0.2): float — Function of Kettle\n\n")
    assert text.endswith("It beeps above 2 litres. [1]")
    assert "Thread safety" in text_of(
        entry(f"{ENTRY}{FACTS_LINE}\n"), "What thread safety and security has Kettle:Pour?"
    )


def test_the_midst_of_a_long_entry_is_shown_below_its_signature() -> None:
    text = text_of(entry(f"{ENTRY}{LONG_ENTRY}It beeps above 2 litres.\n"), "When does Kettle:Pour beep?")
    assert text.startswith("Kettle:Pour(cup: Cup | Mug")
    assert "Pours water into a cup." in text
    assert "It beeps above 2 litres." in text


def test_windows_of_a_file_that_overlap_say_their_lines_once() -> None:
    lines = [f"set PUMP_{n}=C:\\pump\\{n}" for n in range(40)]
    windows = [
        chunk("run.cmd", "\n".join(lines[a:b]), a, lang="batch", start_line=a + 1)
        for a, b in ((0, 22), (20, 40))
    ]
    text = text_of(shelf_of(windows, profile="code"), "Where is PUMP_21 set to C, beside PUMP_22 and PUMP_1?")
    assert text.count("set PUMP_21=") == 1


STATES = """\
LIMIT = 3
BREW_STATES = frozenset({COLD, WARM})


class BrewMode(Enum):
    SLOW = 1
    FAST = 2


brewer = 1
"""
JAVA_ENUM = """\
public enum LidState
{
   OPEN,
   CLOSED;
}
"""


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (
            "Which brew_states are there?",
            "`BREW_STATES`, tea.py:2 [1]\n\n```python\nBREW_STATES = frozenset({COLD, WARM})\n```",
        ),
        ("Which BrewMode values are supported?", "`BrewMode`, tea.py:5-7 [1]"),
        ("Which LidState values exist?", "`LidState`, Lid.java:1-5 [1]"),
    ],
)
def test_which_values_there_are_is_answered_with_the_collection_that_has_them(
    question: str, shown: str
) -> None:
    tea = code("tea.py", STATES, "BREW_STATES", 1)._replace(symbols=("LIMIT", "BREW_STATES", "BrewMode"))
    lid = code("Lid.java", JAVA_ENUM, "LidState", 1)
    lid = lid._replace(metadata={**lid.metadata, "lang": "java"})
    assert text_of(shelf_of([tea, lid], profile="code"), question).startswith(shown)


def test_a_page_that_takes_its_text_from_elsewhere_is_not_quoted_empty() -> None:
    page = '{%\n   include-markdown "../boiler/README.md"\n%}'
    facts = {"heading": "How the boiler heats the water", "lang": "markdown", "start_line": 5, "end_line": 7}
    empty = chunk("docs/boiler.md", page, **facts)  # type: ignore[arg-type]
    told = chunk("boiler/README.md", BOILER, lang="markdown", heading="Boiler", start_line=1, end_line=28)
    given = answer(shelf_of([empty, told], profile="code"), Inquiry("How does the boiler heat the water?"))
    assert [cited.hit.chunk.document_id for cited in given.citations] == ["boiler/README.md"]

"""The kinds of questions that answers without a model failed at: several sections, side effects, usage, how-to."""

from __future__ import annotations

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
USES = """\
def clear_finished(store):
    for key in store.finished():
        forget_result(key, store)
"""


def code(path: str, text: str, symbol: str, line: int) -> Chunk:
    made = chunk(path, text, lang="python", start_line=line, end_line=line + text.count("\n"), symbol=symbol)
    return made._replace(symbols=(symbol,), breadcrumb=f"{path} › {symbol}")


SHELF = shelf_of([chunk("boiler.md", BOILER)])
CODE = shelf_of(
    [code("store.py", FORGET, "forget_result", 10), code("jobs.py", USES, "clear_finished", 3)],
    profile="code",
)


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
    assert text.startswith("`forget_result`, store.py:10–17 [1]\n\n```python\ndef forget_result")
    assert "notify_listeners(key)" in text


def test_usage_of_a_function_names_the_place_that_calls_it() -> None:
    text = text_of(CODE, "Where is forget_result used for finished keys?")
    assert "`clear_finished`, jobs.py:3–5" in text

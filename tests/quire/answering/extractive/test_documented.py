"""What a long docstring says of a function's errors is shown, and not its beginning."""

from __future__ import annotations

import time

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.documented import documented_errors
from quire.answering.request import Inquiry
from quire.documents import Chunk
from tests.support.answer_checks import problems
from tests.support.pace import takes_cpu_within
from tests.support.shelves import chunk, pages, shelf_of

STORY = (
    "    The oil is warmed first, as the handbook of the press asks, and stirred by hand for a while.\n" * 22
)
PRESS = f'''\
def press_oil(seeds, *, heat=60):
    """Press the seeds.

{STORY}
    Example:
        >>> raise_the_lid()
        >>> raise LidError(press_oil(seeds))

    Arguments:
        seeds (list): What is pressed.
        heat (int): In degrees.

    Returns:
        float: Litres of oil.

    Raises:
        TooCold: below forty degrees.
    """
    if heat < 40:
        raise TooCold(heat)
    return seeds.weight * heat
'''


def code(text: str, symbol: str, path: str, lang: str) -> Chunk:
    made = chunk(path, text, lang=lang, kind="function", symbol=symbol, start_line=1, is_test=False)
    return made._replace(symbols=(symbol,), breadcrumb=f"{path} › {symbol}")


def test_a_docstring_is_read_on_where_a_chunk_begins_with_a_parameter_and_its_type() -> None:
    torn = PRESS[PRESS.index("        heat (int)") :]
    found = documented_errors(torn) or (0, 0)
    assert torn[slice(*found)] == "    Raises:\n        TooCold: below forty degrees."


def test_what_a_docstring_says_of_errors_is_shown_without_its_examples() -> None:
    shelf = shelf_of([code(PRESS, "press_oil", "press.py", "python"), *pages(20)], profile="code")
    given = answer(shelf, Inquiry("Which errors does press_oil raise?"))
    assert problems(given) == []
    assert "TooCold: below forty degrees." in given.text
    assert "raise LidError" not in given.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/// Fills.\n///\n/// # Errors\n///\n/// When it is full.\n///\n/// # Panics\n///\n/// Never.\nfn fill() {}",
         "/// # Errors\n///\n/// When it is full."),
        ("# Fills.\n# @param lid [Lid] it\n# @raise [Full] if so\ndef fill(lid)\nend", "# @raise [Full] if so"),
        ('def fill(lid):\n    """Fill.\n\n    :param lid: it\n    :raises Full: if so\n    :returns: litres\n    """',
         "    :raises Full: if so"),
        ('def fill():\n    """Fill.\n\n    Raises\n    ------\n    Full\n        if so\n    """',
         "    Raises\n    ------\n    Full\n        if so"),
        ("/// <exception cref=\"Full\">if so</exception>\n/// <returns>litres</returns>\nfloat Fill(Lid lid) {}",
         "/// <exception cref=\"Full\">if so</exception>"),
        ("def fill():\n    Raises = 3\n    return Raises\n", None),
    ],
)  # fmt: skip
def test_the_ways_of_languages_to_document_are_read(text: str, said: str | None) -> None:
    span = documented_errors(text)
    assert (text[slice(*span)] if span else None) == said


@pytest.mark.parametrize(
    "line", [" " * 20_000 + "x", "# " * 10_000, "/// " + "Raises" * 3_000, "@throws " * 3_000]
)
def test_a_long_line_takes_no_time(line: str) -> None:
    began = time.process_time()
    documented_errors(f"# a\n{line}\n# {line}\n")
    assert takes_cpu_within(time.process_time() - began, 0.2)

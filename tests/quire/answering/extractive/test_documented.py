"""What a long docstring says of a function's errors, result and parameters is shown, and not its beginning."""

from __future__ import annotations

import time

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.documented import ERRORS, PARAMETERS, RESULT, documented
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
    assert torn[slice(*documented(torn, RESULT) or (0, 0))] == "    Returns:\n        float: Litres of oil."


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("What does press_oil return?", "float: Litres of oil.", "What is pressed."),
        ("Which arguments does press_oil take?", "heat (int): In degrees.", "Litres of oil."),
        ("What parameters does press_oil() accept?", "seeds (list): What is pressed.", "TooCold"),
        ("Which errors does press_oil raise?", "TooCold: below forty degrees.", "raise LidError"),
    ],
)
def test_the_part_of_a_docstring_that_is_asked_for_is_shown(question: str, said: str, unsaid: str) -> None:
    shelf = shelf_of([code(PRESS, "press_oil", "press.py", "python"), *pages(20)], profile="code")
    given = answer(shelf, Inquiry(question))
    assert problems(given) == []
    assert said in given.text
    assert unsaid not in given.text


@pytest.mark.parametrize(
    ("text", "about", "said"),
    [
        ("/// Fills.\n///\n/// # Errors\n///\n/// When it is full.\n///\n/// # Panics\n///\n/// Never.\nfn fill() {}",
         ERRORS, "/// # Errors\n///\n/// When it is full."),
        ("# Fills.\n# @param lid [Lid] it\n# @return [Float] litres\ndef fill(lid)\nend", RESULT,
         "# @return [Float] litres"),
        ('def fill(lid):\n    """Fill.\n\n    :param lid: it\n    :type lid: Lid\n    :returns: litres\n    """',
         PARAMETERS, "    :param lid: it\n    :type lid: Lid"),
        ('def fill():\n    """Fill.\n\n    Returns\n    -------\n    float\n        litres\n    """', RESULT,
         "    Returns\n    -------\n    float\n        litres"),
        ("/// <param name=\"lid\">it</param>\n/// <returns>litres</returns>\nfloat Fill(Lid lid) {}", RESULT,
         "/// <returns>litres</returns>"),
        ("def fill():\n    Returns = 3\n    return Returns\n", RESULT, None),
    ],
)  # fmt: skip
def test_the_ways_of_languages_to_document_are_read(text: str, about: str, said: str | None) -> None:
    span = documented(text, about)
    assert (text[slice(*span)] if span else None) == said


@pytest.mark.parametrize(
    "line", [" " * 20_000 + "x", "# " * 10_000, "/// " + "Returns" * 3_000, "@param " * 3_000]
)
def test_a_long_line_takes_no_time(line: str) -> None:
    began = time.process_time()
    for about in (ERRORS, RESULT, PARAMETERS):
        documented(f"# a\n{line}\n# {line}\n", about)
    assert takes_cpu_within(time.process_time() - began, 0.2)

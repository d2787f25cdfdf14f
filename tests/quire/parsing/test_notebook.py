"""Notebooks as people save them, in each version of the format and whatever their schema says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quire.errors import SourceError
from quire.parsing.notebook import notebook_cells


def cells(**told: Any) -> list[str]:
    return notebook_cells(json.dumps(told), "a.ipynb")


def test_a_notebook_that_does_not_follow_its_schema_is_read_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cell = {"cell_type": "markdown", "id": "of a later version", "metadata": {}, "source": "# Pumps"}
    assert cells(cells=[cell], metadata={}, nbformat=4, nbformat_minor=2) == ["# Pumps"]
    assert caplog.text == ""


def test_code_stands_in_a_fence_of_its_language_with_what_it_printed_below() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
        {"output_type": "execute_result", "data": {"text/plain": ["'```'"], "text/html": "<b>"}},
        {"output_type": "error", "ename": "KeyError", "traceback": ["…"]},
    ]
    code = {"cell_type": "code", "source": ["put(1)\n", "get()"], "outputs": outputs}
    told = {"cells": [code], "metadata": {"kernelspec": {"language": "julia"}}, "nbformat": 4}
    assert cells(**told) == [
        "```julia\nput(1)\nget()\n```\n\n```text\none\ntwo\n```\n\n````text\n'```'\n````"
    ]


def test_names_of_pictures_that_cannot_be_shown_are_left_out() -> None:
    told = ["<Figure size 640x480 with 1 Axes>", "[<matplotlib.lines.Line2D at 0x7f>]", "<0.1> and <0.2>"]
    outputs = [
        {"output_type": "display_data", "data": {"text/plain": [one], "image/png": ""}} for one in told
    ]
    printed = {"output_type": "stream", "name": "stdout", "text": ["<Figure 1>\n"]}
    code = {"cell_type": "code", "source": "plot()", "outputs": [*outputs, printed]}
    [shown] = cells(cells=[code], metadata={}, nbformat=4)
    assert shown == "```python\nplot()\n```\n\n```text\n<0.1> and <0.2>\n```\n\n```text\n<Figure 1>\n```"


@pytest.mark.parametrize("version", [2, 3])
def test_older_versions_have_worksheets_and_other_names(version: int) -> None:
    end = "" if version == 2 else "\n"
    code = {"cell_type": "code", "language": "python", "input": [f"a = 1{end}", "a"]}
    printed = {"output_type": "pyout", "text": ["1"], "html": "<b>1</b>"}
    title = {"cell_type": "heading", "level": 2, "source": [f"Pumps{end}", "and tides"]}
    sheets = [{"cells": [title]}, {"cells": [code | {"outputs": [printed]}]}]
    told = cells(worksheets=sheets, metadata={"name": ""}, nbformat=version, nbformat_minor=0)
    assert told == ["## Pumps and tides", "```python\na = 1\na\n```\n\n```text\n1\n```"]


def test_the_first_version_is_read() -> None:
    told = cells(cells=[{"cell_type": "text", "text": "# Pumps"}, {"cell_type": "code", "code": "a = 1"}])
    assert told == ["# Pumps", "```python\na = 1\n```"]


@pytest.mark.parametrize(
    "text",
    [
        '{"cells": [',
        "[]",
        "7",
        "{}",
        '{"cells": 7}',
        '{"cells": [{}]}',
        '{"cells": [{"source": "a"}]}',
        '{"worksheets": [{}]}',
    ],
)
def test_what_is_no_notebook_is_named(text: str) -> None:
    with pytest.raises(SourceError, match=r"^a\.ipynb: not a notebook: "):
        notebook_cells(text, "a.ipynb")

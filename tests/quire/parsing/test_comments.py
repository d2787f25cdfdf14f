from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.comments import comment_text, docstring_text, is_legal_notice
from quire.parsing.outline import LONGEST_DOC


@pytest.mark.parametrize(
    "raw",
    [
        "# Opens the door.\n# Twice.",
        "// Opens the door.\n// Twice.",
        "/// Opens the door.\n/// Twice.",
        "/** Opens the door.\n  * Twice. */",
        "/**\n * Opens the door.\n *\n * Twice.\n */",
        "/* Opens the door.\n   Twice. */",
        "-- Opens the door.\n-- Twice.",
        "--[[ Opens the door.\nTwice. ]]",
        "#!/bin/sh\n# Opens the door.\n# Twice.",
        "/// <summary>Opens the door.</summary>\n/// <remarks>Twice.</remarks>",
        "/// Opens the door.\n#[derive(Debug)]\n/// Twice.",
    ],
)
def test_comments_of_all_languages_say_the_same(raw: str) -> None:
    assert " ".join(comment_text(raw).split()) == "Opens the door. Twice."


@pytest.mark.parametrize(
    "literal", ['"""Say so.\n\n    Now.\n    """', "'''Say so.\nNow.'''", 'r"""Say so.\nNow."""']
)
def test_docstrings_lose_their_quotes_and_indentation(literal: str) -> None:
    assert docstring_text(literal) == "Say so.\nNow."


@given(st.text(st.sampled_from("ab #/*-<>\n\"'[]!"), max_size=2000))
def test_documentation_is_short_and_without_blank_lines(text: str) -> None:
    for said in (comment_text(text), docstring_text(text)):
        assert len(said) <= LONGEST_DOC
    assert "\n\n" not in docstring_text(text)


@pytest.mark.parametrize(
    "text", ["SPDX-License-Identifier: MIT", "Copyright 2020 A. B.", "-*- coding: utf-8 -*-"]
)
def test_legal_notices_and_directives_are_no_documentation(text: str) -> None:
    assert is_legal_notice(text)


def test_documentation_is_no_legal_notice() -> None:
    assert not is_legal_notice("Parses dates of any kind.")

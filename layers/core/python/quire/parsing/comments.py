"""Comments and docstrings of any language to the text that they say."""

from __future__ import annotations

import re

from quire.parsing.outline import LONGEST_DOC

_LINE_MARK = re.compile(
    r"""
    ^[ \t]*(?:
      ///?!?|//!|/\*+!?|\*+/?          # C and its heirs
    | \#+!?                            # scripts
    | --+(?:\[=*\[|[ ][|^])?           # Lua, SQL; Haskell, whose documentation adds a bar
    | \(\*+                            # OCaml
    | @(?:module|type)?doc\b[ \t]*(?:~[sS])?"{0,3}|"{3}  # Elixir's attributes
    | ;+|=begin|=end
    )?[ \t]?
    """,
    re.VERBOSE,
)
_NOT_SAID = re.compile(r"^[ \t]*#[!\[].*$", re.MULTILINE)  # an interpreter's path, an attribute
_CLOSE = re.compile(r'(?<![ \t])[ \t]*+(?:(?<!\*)\*++[/)]|\]=*+\]|"{3})[ \t]*+$', re.MULTILINE)
_XML = re.compile(
    r"""
    </?(?: summary | remarks | param | returns | c | code | see | para | value | exception | typeparam )\b
    [^<>]*>  # attributes
    """,
    re.VERBOSE,
)
_QUOTES = re.compile(r"""^[A-Za-z]{0,2}(\"{3}|'{3}|\"|')(.*?)\1?$""", re.DOTALL)
_LEGAL = re.compile(
    r"""
    copyright | licen[sc]e | spdx | all[ ]rights[ ]reserved  # for lawyers
    | @generated | eslint | -\*-                            # for programs
    | \A(?:frozen_string_literal|encoding|coding|typed|warn_indent)[ ]?[:=]
    """,
    re.IGNORECASE | re.VERBOSE,
)


def comment_text(raw: str) -> str:
    r"""The words of one or more comments, their markers removed; at most `LONGEST_DOC` characters.

    >>> comment_text("/**\n * Opens the door.\n * @param key\n */")
    'Opens the door.\n@param key'
    >>> comment_text("-- Adds one.\n-- Twice."), comment_text("/// <summary>Runs</summary>")
    ('Adds one.\nTwice.', 'Runs')
    """
    lines = (
        _LINE_MARK.sub("", line, count=1).rstrip()
        for line in _CLOSE.sub("", _NOT_SAID.sub("", raw[: 4 * LONGEST_DOC])).split("\n")
    )
    return _XML.sub("", "\n".join(line for line in lines if line)).strip()[:LONGEST_DOC]


def docstring_text(literal: str) -> str:
    r"""What a string literal says, its quotes and indentation removed; at most `LONGEST_DOC` characters.

    >>> docstring_text('\"\"\"Open the door.\n\n        Twice.\n    \"\"\"')
    'Open the door.\nTwice.'
    """
    match = _QUOTES.match(literal.strip())
    body = match[2] if match else literal
    lines = (line.strip() for line in body[: 4 * LONGEST_DOC].split("\n"))
    return "\n".join(line for line in lines if line)[:LONGEST_DOC]


def is_legal_notice(text: str) -> bool:
    """Whether a leading comment is a licence or a tool's directive instead of documentation.

    >>> is_legal_notice("Copyright 2020 The Authors."), is_legal_notice("Parses dates.")
    (True, False)
    """
    return bool(_LEGAL.search(text))

"""What is written above or inside a definition about its errors, its result or its parameters: of a long docstring the
paragraph that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.answering.extractive.code_lines import in_comments, in_docstrings, line_span

ERRORS, RESULT, PARAMETERS = "errors", "result", "parameters"
ASKED_CHARACTERS = 200
_ASKED = {
    RESULT: re.compile(
        r"""
        ^\W*+ (?: what )\b [^?]{1,100}? [ ](?: return | yield )s? \W*$        # "What does X return?"
        | \breturn[ ](?:value|type)[ ]of\b | \bwhat\b [^?]{0,20} \breturned[ ]by\b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    PARAMETERS: re.compile(
        r"""
        \b(?: which | what | list | explain )\b [^?]{0,30}? \b(?: arguments? | parameters? | params | args )\b
        [^?]{0,20}? \b(?: takes? | accepts? | have | has | do | does | can | of | for )\b  # of what
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
}
_TITLES = {
    ERRORS: "raises?|throws?|exceptions?|errors?|panics?",
    RESULT: "returns?|return value|yields?|result",
    PARAMETERS: "args|arguments?|parameters?|params|keyword arguments",
}
_TAGS = {
    ERRORS: r"[@\\]throws?|[@\\]exception|@raise|:raises?|<exception",
    RESULT: r"[@\\]returns?|:returns?|:rtype|<returns",
    PARAMETERS: r"[@\\]t?param|:param|:type|<(?:type)?param\b|:keyword",
}
_SIGNS = r"^ (?P<indent>[ \t]*+ (?: /?\*{1,2}(?!/) | ///?!? | \#(?!\[) | -- )?+ [ \t]*+)"
"""What stands before the words of a comment."""
_TITLED = {
    about: re.compile(
        rf"{_SIGNS} (?:\#+[ ])? (?:\*\*)? (?:{said}) (?:\*\*)? :? \s*$", re.IGNORECASE | re.VERBOSE
    )
    for about, said in _TITLES.items()
}
_TAGGED = {
    about: re.compile(rf"{_SIGNS} (?:{said})", re.IGNORECASE | re.VERBOSE) for about, said in _TAGS.items()
}
_ANY_TAG = re.compile(rf"{_SIGNS} (?:[@\\]\w|:\w+[ :]|<\w)", re.VERBOSE)
_ANY_TITLE = re.compile(rf"{_SIGNS} (?:\#+[ ]\w | [A-Z]\w+(?:[ ]\w+)?:\s*$)", re.VERBOSE)
_ENDS = re.compile(r"\*/|\"\"\"|'''")


def asked_about(question: str) -> str:
    """`RESULT` or `PARAMETERS`, where the question asks what something returns or takes; else "".

    >>> asked_about("What does fill() return?"), asked_about("Which arguments does fill take?"), asked_about("Why?")
    ('result', 'parameters', '')
    """
    read = question[:ASKED_CHARACTERS]
    return next((about for about, form in _ASKED.items() if form.search(read)), "")


def documented(text: str, about: str) -> tuple[int, int] | None:
    r'''Span of the lines of a chunk that document the errors, the result or the parameters; None where none do.

    >>> text = 'def fill():\n    """Fill.\n\n    Returns:\n        int: litres.\n\n    Raises:\n        Full.\n    """'
    >>> text[slice(*documented(text, RESULT))], text[slice(*documented(text, ERRORS))]
    ('    Returns:\n        int: litres.', '    Raises:\n        Full.')
    >>> text = "/**\n * Fill it.\n * @param lid it,\n *   shut\n * @throws Full if so\n */\nvoid fill(Lid lid) {}"
    >>> text[slice(*documented(text, PARAMETERS))]
    ' * @param lid it,\n *   shut'
    '''
    lines = text.splitlines(keepends=True)
    noted = list(map(max, in_comments(lines), in_docstrings(lines)))
    found = next(_sections(lines, noted, about), None)
    if found is None:
        return None
    first, last = found
    while not lines[last - 1].strip(" \t\r\n/*#!-"):
        last -= 1
    return line_span(lines, first, last)


def _sections(lines: Sequence[str], noted: Sequence[bool], about: str) -> Iterator[tuple[int, int]]:
    """First line of each section about it, and the line behind its last one."""
    for at, line in enumerate(lines):
        if not noted[at]:
            continue
        if title := _TITLED[about].match(line.rstrip()):
            end = _end_of_titled(lines, noted, at, len(title["indent"]))
            if end > at + 1:
                yield at, end
        elif _TAGGED[about].match(line):
            yield at, _end_of_tagged(lines, noted, at, about)


def _end_of_titled(lines: Sequence[str], noted: Sequence[bool], at: int, indent: int) -> int:
    """Behind what stands below a title: as far as it is set in more, or up to the next title."""
    for n in range(at + 1, len(lines)):
        line = lines[n].rstrip()
        signs = _ANY_TAG.match(line) or _ANY_TITLE.match(line)
        if not noted[n] or _ENDS.match(line.strip()) or (signs and len(signs["indent"]) <= indent):
            return n
    return len(lines)


def _end_of_tagged(lines: Sequence[str], noted: Sequence[bool], at: int, about: str) -> int:
    """Behind the last of the tags about it that follow one another."""
    for n in range(at + 1, len(lines)):
        line = lines[n].rstrip()
        is_other = _ANY_TAG.match(line) and not _TAGGED[about].match(line)
        if not noted[n] or _ENDS.match(line.strip()) or is_other or not line.strip(" */#-"):
            return n
    return len(lines)

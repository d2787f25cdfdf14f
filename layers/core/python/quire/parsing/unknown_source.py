r"""Source code whose grammar nobody brought, to an Outline: what a line at the left margin defines by a usual word.

A definition goes up to the next one. Only words that define in many languages count, where what follows the name is
what stands behind one: `def map(f):`, `proc total*(n: int)`, `(defun row (boat)`; and rules of yacc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from quire.parsing.declarations import up_to_next
from quire.parsing.outline import Outline, paragraph_cuts

LEAST_DEFINITIONS = 2
"""One alone may be a line of prose or of an example."""
YACC = (".y", ".yy", ".ypp")
_PROSE = ("", ".txt", ".text", ".textile", ".rdoc", ".pod", ".wiki", ".log")
_LANGUAGES = frozenset("text perl powershell groovy clojure r".split())
_HEAD = re.compile(
    r"""
    (?: (?:export|pub|public|private|protected|static|local|async|inline)[ \t]{1,8} ){0,3}
    (?:
        (?P<word> def | fn | func | function!? | sub | proc | procedure | macro )[ \t]{1,8}
        (?P<name> [A-Za-z_$][\w$]{0,80} (?:(?:::?|[.-])[A-Za-z_$][\w$]{0,80}){0,6} [?!*]? )
        [ \t]{0,8} (?: [(:{<\[;] | $ | --?\w )                   # def map(f):, fn row<T>(, function row --argument
      | \((?P<form> defun | defmacro | defn-? | define )[ \t]{1,8}   # Lisp, Scheme, Clojure
        \(?(?P<lisp> [^\s()\[\]{}"',;]{1,80} )
      | (?P<value> [A-Za-z.][\w.]{0,80} )[ \t]{0,8}(?:<-|=)[ \t]{0,8}function[ \t]{0,8}\(  # R
    )
    """,
    re.VERBOSE,
)
_RULE = re.compile(r"([A-Za-z_][\w.]{0,80})(?:\[\w{1,40}\])?[ \t]{0,8}:(?![:=])")
_COMMENTS = ("#", ";", "//", "--", "/*", "*", "%%%", '"')
_PERCENTS = "%%"


def is_unknown_source(path: str, language: str) -> bool:
    """Whether a file is of a kind that is looked into for definitions: code of an unknown language, by its ending.

    >>> is_unknown_source("builtin.jq", "text"), is_unknown_source("notes.txt", "text"), is_unknown_source("a.y", "c")
    (True, False, False)
    """
    suffix = PurePosixPath(path).suffix.lower()
    return language in _LANGUAGES and (language != "text" or suffix not in _PROSE)


def parse_unknown_source(text: str, path: str) -> Outline:
    """What a file defines, in order; nothing where it is less than `LEAST_DEFINITIONS`.

    >>> outline = parse_unknown_source("# Doubles.\\ndef twice: . + .;\\ndef map(f): [.[] | f];\\n", "a.jq")
    >>> [(one.names, one.kind, one.start_line, one.end_line, one.doc) for one in outline.definitions]
    [(('twice',), 'function', 1, 2, 'Doubles.'), (('map',), 'function', 3, 3, '')]
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    is_yacc = PurePosixPath(path).suffix.lower() in YACC
    heads = [*(_rules(lines) if is_yacc else _heads(lines))]
    if len(heads) < LEAST_DEFINITIONS:
        return Outline()
    definitions = up_to_next(lines, [(row, kind, (name,)) for row, kind, name in heads], _COMMENTS)
    return Outline(tuple(definitions), paragraph_cuts(lines))


def _heads(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    for row, line in enumerate(lines):
        found = _HEAD.match(line.rstrip())
        if found:
            kind = "macro" if (found["word"] or found["form"]) in ("macro", "defmacro") else "function"
            yield row, kind, (found["name"] or found["lisp"] or found["value"]).rstrip("*")


def _rules(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Rules of a grammar, which stand between the first `%%` and the second."""
    begun = False
    for row, line in enumerate(lines):
        if line.rstrip() == _PERCENTS:
            if begun:
                return
            begun = True
        elif begun and (found := _RULE.match(line)):
            yield row, "rule", found[1]

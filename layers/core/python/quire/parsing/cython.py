"""Cython as Python of the same lines: what its own statements declare is kept by name, so that one grammar reads both.

Source: Cython's language basics. Types, casts and heads of C are what Python's grammar stumbles over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MOST_HEADER_LINES = 40
"""Lines of a function's head, whose parameters may stand one a line."""
_OWN = frozenset(("cdef", "cpdef", "ctypedef", "DEF", "IF", "ELIF", "ELSE", "include"))
_FUNCTIONS = frozenset(("def", "cdef", "cpdef", "async"))
_TYPES = frozenset(("class", "struct", "union", "enum"))
_NAME = re.compile(r"\w+")
_CAST = re.compile(
    r"""
    <[ \t]*+[A-Za-z_][\w. \t*\[\]:,]*+>[ \t]*+(?=[\w(&*"'])  # <unsigned char*> before what it casts
    | (?<=[(,=\s])&(?=\w)                                     # the address of something
    """,
    re.VERBOSE,
)
_NO_CODE = re.compile(r"#.*|\"[^\"\n]*+\"|'[^'\n]*+'")


def as_python(text: str) -> str:
    """The text with the same lines, each as near to Python as its names need.

    >>> print(as_python("cdef class Knot(Rope):\\n    cdef int tie(self, int n) except -1:\\n        return <int>n"))
    class Knot(Rope):
        def tie():
            return n
    """
    lines = text.split("\n")
    shown: list[str] = []
    while len(shown) < len(lines):
        shown += _statement(lines, len(shown))
    return "\n".join(shown)


def _statement(lines: Sequence[str], at: int) -> Iterator[str]:
    """The line, or the lines of a function's head."""
    line = lines[at]
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    words = _NAME.findall(bare[:200])
    head, opens, _ = bare.partition("(")
    names = _NAME.findall(head.partition("[")[0])
    if not words or words[0] not in _OWN | _FUNCTIONS:
        yield _plain(line)
    elif words[0] in _OWN and "extern" not in words[:2] and _TYPES & set(words[1:4]):
        yield f"{indent}class {_type_name(bare, words)}"
    elif words[0] in _FUNCTIONS and opens and "=" not in head and len(names) > 1:
        last = _header_end(lines, at)
        is_defined = _NO_CODE.sub("", lines[last]).rstrip().endswith(":")
        yield f"{indent}def {names[-1]}():" if is_defined else f"{indent}pass"
        yield from ("" for _ in range(last - at))
    elif bare.rstrip().endswith(":") and words[0] == "cdef":  # extern from, or a block of declarations
        yield f"{indent}if True:"
    else:
        before, assigns, value = bare.partition("=")
        named = _NAME.findall(before)
        yield (
            f"{indent}{named[-1]} = {_plain(value).strip()}"
            if assigns and len(named) > 1
            else f"{indent}pass"
        )


def _type_name(bare: str, words: Sequence[str]) -> str:
    """Name and bases of a class or structure, as a class of Python is declared."""
    kind = next(at for at, word in enumerate(words) if word in _TYPES)
    if words[kind + 1 : kind + 2] == ["class"]:  # enum class
        kind += 1
    name = next(iter(words[kind + 1 :]), "_")
    bases = bare.partition("(")[2].partition(")")[0]
    return f"{name}({bases}):" if bases else f"{name}:"


def _plain(line: str) -> str:
    if "<" in line or "&" in line:
        line = _CAST.sub("", line)
    return line.replace("cimport", "import") if "cimport" in line else line


def _header_end(lines: Sequence[str], at: int) -> int:
    """The line on which a function's head closes its parentheses."""
    depth = 0
    for number in range(at, min(len(lines), at + MOST_HEADER_LINES)):
        bare = _NO_CODE.sub("", lines[number])
        depth += bare.count("(") - bare.count(")")
        if depth <= 0:
            return number
    return at

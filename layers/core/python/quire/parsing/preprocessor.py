"""C, C++ and C# with the same lines, where a condition of the preprocessor tears a statement or a block in two, and C
and C++ without macros that a grammar takes for types.

A grammar reads `#if` around whole statements. Two heads of one method (`#if A`, a head, `#else`, another, `#endif`,
then their body), half a block or one argument more leave it without the class around them. Of such a condition one
branch is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_DIRECTIVE = re.compile(r"[ \t]*+#[ \t]*+((?:el)?if\w*|else|endif)\b[ \t]*+(.*)")
_ANY_DIRECTIVE = re.compile(r"[ \t]*+#")
_NO_CODE = re.compile(
    r"""
    "(?:\\.|[^"\\\n])*+" | '(?:\\.|[^'\\\n])*+'  # strings and characters
    | //[^\n]*+ | /\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)  # comments; one that nothing closes is the rest of the file
    """,
    re.VERBOSE,
)
_MACROS = r"""
    (?P<macros> (?: [A-Z][A-Z0-9]*_[A-Z0-9_]*+ (?:\([^()\n]{0,80}\))?+ [ \t]++ )++ )  # with arguments or without
"""
_PREFIX = re.compile(
    rf"""
    ^ [ \t]*+
    (?: (?:class|struct|union|enum|static|inline|virtual|explicit|extern|friend|constexpr) [ \t]++ )*+
    {_MACROS}
    # before a type and a name, as LIB_API
    (?= [\w:]++ (?:<[^\n;(]{{0,120}}>)?+ (?: [ \t*&]++ [~\w] | [ \t]*+ (?:[:{{]|$) ) )
    """,
    re.MULTILINE | re.VERBOSE,
)
_OF_CONSTRUCTOR = re.compile(
    rf"""
    ^ [ \t]*+ (?: (?:inline|explicit|constexpr) [ \t]++ )++ {_MACROS}
    (?= \w++ [ \t]*+ \( )  # what is constructed
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Before a constructor's name, which has no type; in C this would be a function's type."""
_SUFFIX = re.compile(
    r"""
    ^ (?! [ \t]*+ (?:\#|\}|(?:if|else|for|while|switch|return|case|do)\b) )  # what is behind a condition is done
    [^\n]*? (?<=\)) (?:[ \t]++const\b)?+ [ \t]++
    (?P<macros> [A-Z][A-Z0-9]*_[A-Z0-9_]*+ (?:\([^()\n]{0,80}\))?+ )
    (?= [ \t]*+ (?: [{;] | $ ) )  # behind what a function takes, as LIB_NOEXCEPT
    """,
    re.MULTILINE | re.VERBOSE,
)
_ALONE = re.compile(
    r"""
    [ \t]*+ [A-Z][A-Z0-9]*_[A-Z0-9_]*+ [ \t]*+ (?:\([^()\n]{0,200}\))?+ [ \t]*+  # with arguments or without
    """,
    re.VERBOSE,
)
"""A line that is a macro alone, without a semicolon, as those that declare the same members in each class."""
_NEVER = re.compile(r"(?:0|false|(?:defined[ (]*+)?__cplusplus)\b")
"""Conditions whose first branch is left out: what is cut out, and what C++ alone reads of a header."""
_ENDED = (";", "{", "}", ":")
_GOES_ON = re.compile(r"[{,:;.|&+?)=]|(?:or|and|where)\b")
"""How a line begins that goes on with what stands above it."""


@dataclass(slots=True)
class _Condition:
    """An open `#if`.

    Attributes:
        above: the line of code above it.
        depth: how many brackets are open where it stands.
        is_never: whether its first branch is the one to leave out.
        directives: the numbers of its lines so far.
        depths: how many brackets are open where each branch ends.
    """

    above: str
    depth: int
    is_never: bool
    directives: list[int]
    depths: list[int] = field(default_factory=list)


def whole_branches(text: str) -> str:
    r"""The text with the same lines, in which no condition tears what stands around it.

    >>> print(whole_branches("#if A\nint f(a)\n#else\nint f(b)\n#endif\n{ }").replace("\n", "|"))
    |int f(a)||||{ }
    """
    lines = text.split("\n")
    if not any(map(_DIRECTIVE.match, lines)):
        return text
    code = _NO_CODE.sub(lambda match: "\n" * match[0].count("\n") or "_", text).split("\n")
    waiting: list[_Condition] = []
    above, depth = "", 0
    for number, line in enumerate(code):
        match = _DIRECTIVE.match(line)
        if match is None:
            if line.strip() and not _ANY_DIRECTIVE.match(line):
                above = line.strip()
                depth = 0 if line.startswith("}") else max(0, depth + _balance(line, "([", ")]"))
        elif match[1].startswith("if"):
            is_never = bool(match[1] != "ifndef" and _NEVER.match(match[2]))
            waiting.append(_Condition(above, depth, is_never, [number]))
        elif waiting:
            waiting[-1].directives.append(number)
            waiting[-1].depths.append(depth)
            depth = waiting[-1].depth
            if match[1] == "endif":
                condition = waiting.pop()
                depth = condition.depths[0]
                _mend(lines, code, condition)
    return "\n".join(lines)


def without_macros(text: str, *, constructs: bool = True) -> str:
    r"""The text with the same lines, and blanks for macros before types and names and for those alone on a line.

    `constructs` says that its language has constructors, as C has not.

    >>> without_macros("class LIB_API Shop {\n  LIB_MEMBERS(Shop)\n  LIB_INLINE int f();\n};").split("\n")
    ['class         Shop {', '                   ', '             int f();', '};']
    """
    for pattern in (_PREFIX, *([_OF_CONSTRUCTOR] if constructs else []), _SUFFIX):
        text = pattern.sub(_blanked, text)
    lines = text.split("\n")
    above = ""
    for number, line in enumerate(lines):
        below = next((one.strip() for one in lines[number + 1 : number + 4] if one.strip()), "")
        if _ALONE.fullmatch(line) and _is_apart(above, below, is_call="(" in line):
            lines[number] = " " * len(line)
        elif line.strip():
            above = line.strip()
    return "\n".join(lines)


def _is_apart(above: str, below: str, *, is_call: bool) -> bool:
    """Whether a line stands between statements; the last one of an enumeration does not, nor what opens a body."""
    begins = not above or above.endswith(_ENDED) or above.startswith(("//", "*", "#"))
    goes_on = below.startswith(("{", ",", "(", ".", "=", "?")) or (below.startswith("}") and not is_call)
    return begins and not goes_on and not above.endswith("\\")


def _blanked(found: re.Match[str]) -> str:
    before, macros = found[0][: found.start("macros") - found.start()], found["macros"]
    return before + " " * len(macros) + found[0][len(before) + len(macros) :]


def _mend(lines: list[str], code: list[str], condition: _Condition) -> None:
    """Empty the directives of a condition that tears something, and all its branches but one."""
    marks = condition.directives
    branches = [range(first + 1, last) for first, last in pairwise(marks)]
    behind = next((line.strip() for line in code[marks[-1] + 1 : marks[-1] + 4] if line.strip()), "")
    said = ([code[n].strip() for n in branch if code[n].strip()] for branch in branches)
    if not condition.depth and not any(_is_torn(one, condition.above, behind) for one in said if one):
        return
    kept = branches[condition.is_never] if condition.is_never < len(branches) else range(0)
    for number in range(marks[0], marks[-1] + 1):
        if number not in kept:
            lines[number] = code[number] = ""


def _is_torn(branch: Sequence[str], above: str, behind: str) -> bool:
    """Whether a branch opens or closes what it does not close or open, or is a part of what stands around it."""
    depth = 0
    for line in branch:
        depth += _balance(line, "{([", "})]")
        if depth < 0:
            return True
    is_listed = above == ":" or above.endswith(",")  # what a constructor sets, one after the other
    begins = is_listed or (not above.endswith(_ENDED) and bool(_GOES_ON.match(branch[0])))
    ends = not branch[-1].endswith(_ENDED) and behind.startswith(("{", ";", "where ", "=>"))
    return depth != 0 or begins or ends


def _balance(line: str, opens: str, closes: str) -> int:
    return sum((sign in opens) - (sign in closes) for sign in line)

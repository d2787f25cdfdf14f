"""Which lines of source code are shown: a whole definition, or whole statements of a longer one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import accumulate

from quire.analysis.terms import analyze, split_identifier, words
from quire.analysis.word_forms import SHORTENED, other_forms
from quire.answering.extractive.weighing import Weighed

LEAST_LIKE = 0.65
"""How much of its name a line that sets a value shares with a question that asks for it."""
HELD = 0.5
"""What a word of the question counts that the name of the line's holder says and its own does not."""
LONG_DOC = 600
"""A docstring of more characters is shown in whole paragraphs, so that its definition has room."""
WHOLE = 1.25
"""A definition that is longer than the room by a quarter is shown whole: a cut would save little."""

HEAD_LINES = 16
"""Lines that the head of a definition may have."""
FEWEST_LEFT_OUT = 2
"""Lines that a cut leaves out at least: what stands for them has one itself."""

_QUOTES = re.compile(r"\"\"\"|'''")
_BEGINS_CODE = re.compile(r"\s*(?:@|#|def\b|class\b|async\b|\"\"\"|'''|\w+(?: *=|\())")
"""How what is no docstring's midst begins."""
_COMMENT = re.compile(r"\s*(?:#|//|--|\*|/\*)")
_OPENS_FRAME = re.compile(r"[{(\[]|#(?:else|endif)\b.*|#endregion\b.*")
_CLOSES_FRAME = re.compile(r"(?:[})\]]|end)[;,)]*")
_DIRECTIVE = re.compile(r"#(?:if|ifdef|ifndef|elif|else|region)\b.*")
"""Of a preprocessor; one that ends the lines says nothing of them."""
_ENDS_PART = ("#endif", "#endregion")
_HANDS_OUT = re.compile(
    r"""
    (?: (?:module\.)?exports (?:\.\w++)? [ ]? = [ ]? [\w.]++ | export[ ]default[ ] [\w.]++ ) ;?  # told elsewhere
    | ["']use[ ](?:strict|client|server)["'];?                                          # how all of it is read
    """,
    re.VERBOSE,
)
_BEFORE_NAME = re.compile(r"^\s*+(?:func|pub)\s*+\([^()]*\)")
"""Brackets that stand before a name: of what a method of Go is called on, of who sees what Rust defines."""
_NAME = re.compile(r"\w++[?!]?+")
"""Ruby's names may end in a sign."""
_FENCE = re.compile(r"\s*(?:```|~~~)")
_STRINGS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_SETS = re.compile(
    r"""
    \s*+ (?P<name>[^=\n(){};]{1,120}?) \s* (?:[?:]?=|:(?=\s*+["'\d\[{])) (?![=>])  # a name with its type; a key of JSON
    \s*+ (?: ["'`\d\[{(&-] | :\w | %[wi]\b                                          # a literal, a symbol of Ruby
      | [A-Z]\w*(?:::|[({.]) | \w+(?:\.\w+)*\( | (?:true|false|null|nil|None)\b )  # what is made or read off
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ENUMERATES = re.compile(
    r"""
    \s*+ (?:(?:pub(?:\([a-z]+\))?|public|export|const|declare|private|internal)\s+)*+  # what may come first
    (?: enum\s+(?:class\s+|struct\s+)?(?P<name>\w+) | class\s+(?P<python>\w+)\((?:\w+\.)?\w*Enum\) )
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[\w-]+")
_ASKING = frozenset(
    analyze("default defaults value values constant setting set use used name may might could")
)
_GO_TYPE = re.compile(r"u?int\d*+|float\d++|string|bool|byte|rune|Duration")
"""Of Go, where the type of a value stands behind its name."""
_HOW_MUCH = re.compile(r"\bhow[ ](\w++)", re.IGNORECASE)
_MEASURES = {
    "large big heavy": "size bytes length limit",
    "long": "timeout duration ttl delay interval age length lifetime time wait",
    "many much": "limit count size number total",
    "often frequently": "interval frequency period rate",
    "fast quickly": "rate speed",
    "deep": "depth level levels",
    "old": "age",
}
"""What names of values say where a question says how large, long or many; "max" and "min" of each."""
_MEASURED = {
    asked: frozenset(analyze(f"{names} max maximum min minimum"))
    for each, names in _MEASURES.items()
    for asked in each.split()
}
_MEASURE = "how much"
_BLANK = re.compile(r"\n(?:[ \t]*+\n)+")
_OPENERS, _CLOSERS = "([{", ")]}"
_IMPORT = re.compile(
    r"""(?: (?:from\s+\S+\s+)? import\b               # Python, Java, Kotlin, Swift, Go, Haskell, JavaScript
          | (?:const|let|var)\s [^=\n]*+ = \s*+ require\( # Node
          | (?:pub\s+)? use \s | using \s             # Rust, PHP; C#, C++
          | require(?:_relative|_once)?\b | include\b  # Ruby, Lua, PHP
          | \#\s*+(?:include|import|pragma)\b | package\b | namespace\s | extern\s+crate\b | @import\b)""",
    re.VERBOSE,
)


def best_lines(
    question: Weighed,
    text: str,
    at: int,
    room: int,
    *,
    within: tuple[int, int] | None = None,
    stays: bool = False,
) -> tuple[int, int]:
    """Span of whole statements around character `at`, at most `room` long where they allow it; all of a short text.
    Others that say more of the question are shown in their place, unless it `stays`.

    A docstring, a comment of several lines and a bracket that spans lines are never cut. Of a module's head either what
    stands before its imports is shown or what stands behind them, unless the imports are what answers.
    """
    start, end = within or (0, len(text))
    if not within and (inside := end_of_torn_docstring(text)):
        if at < inside or not text[inside:].strip():
            return start, len(text[:inside].rstrip().removesuffix('"""').removesuffix("'''").rstrip())
        start = inside
    whole = list(_statements(text, start, end))
    parts = [part for one in whole for part in _paragraphs(text, *one)]
    if not parts:
        return start, end
    held = [question.coverage(set(analyze(text[one:other]))) for one, other in parts]
    near = next((number for number, part in enumerate(parts) if part[0] <= at < part[1]), 0)
    place = held.index(max(held)) if not stays and (within or max(held) > held[near]) else near
    first, last = _beside_imports(text, parts, place)
    if parts[place] not in whole:  # the beginning of a docstring explains the rest of it
        at = max(begin for begin, _ in whole if begin <= parts[place][0])
        place = max(first, [begin for begin, _ in parts].index(at))
    parts, place = parts[first:last], place - first
    begin, stop = parts[0][0], parts[-1][1]
    if stop - begin > room * WHOLE:
        left, right = _around(text, parts, place, room)
        begin = begin if text.count("\n", begin, left) <= FEWEST_LEFT_OUT else left
        stop = stop if text.count("\n", right, stop) <= FEWEST_LEFT_OUT else right
    return _without_frame(text, begin, stop)


@lru_cache(maxsize=64)
def value_line(
    question: str, text: str, *, several: bool = False, around: str = ""
) -> tuple[float, int, int] | None:
    """How well a line that sets a value is called what the question asks, 0 to 1, and its span with its comment.

    None where no line is called so, with `several` none that sets a collection: `DEFAULT_POOL_SIZE = 10` is the answer
    to what the pool size is by default. `around` names what the lines stand in: `SIZE = 10` of a pool is as well.
    """
    asked, holding = _parts(question), _parts(around)
    short = ((one, other_forms(one).items()) for one in asked)
    meant = {form: one for one, forms in short for form, weight in forms if weight == SHORTENED}
    measure = next((one for one in map(str.lower, _HOW_MUCH.findall(question)) if one in _MEASURED), "")
    if measure:
        asked = asked - set(analyze(measure)) | {_MEASURE}
        meant |= dict.fromkeys(_MEASURED[measure] - asked, _MEASURE)
    lines = text.splitlines(keepends=True)
    likes = [
        0.0 if is_note or (several and not _is_collection(line)) else _likeness(asked, line, holding, meant)
        for line, is_note in zip(lines, in_comments(lines), strict=True)
    ]
    best = max(likes, default=0.0)
    if best < LEAST_LIKE or (measure and likes.count(best) > 1):  # two that may be meant
        return None
    first = likes.index(best)
    last = end_of_value(lines, first)
    while first and _COMMENT.match(lines[first - 1]):
        first -= 1
    return best, *line_span(lines, first, last + 1)


def in_comments(lines: Sequence[str]) -> list[bool]:
    """Which lines are comments or begin with one, also where those of a block have no sign of their own: an example in
    it sets and raises nothing. The first lines may be the rest of a block that the border of two chunks tears.

    >>> in_comments(["wait = 9", "*/", "wait = 3", "/* so:", "wait = 5 */", "accept('*/*')"])
    [True, True, False, True, True, False]
    """
    signs = (line.lstrip() for line in lines)
    inside = next((sign.startswith("*/") for sign in signs if sign.startswith(("/*", "*/"))), False)
    found: list[bool] = []
    for line in lines:
        inside = inside or line.lstrip().startswith("/*")
        found.append(inside or bool(_COMMENT.match(line)))
        inside = inside and "*/" not in line
    return found


def line_span(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Where the lines from `first` to the one before `last` begin and end in their text, without blanks at their end;
    `lines` keep their ends.

    >>> line_span(["a\\n", "bc\\n", "\\n", "d"], 1, 3)
    (2, 4)
    """
    start = sum(map(len, lines[:first]))
    return start, start + len("".join(lines[first:last]).rstrip())


def defined_words(line: str) -> set[str]:
    """The words of a line up to what it is set to or takes: what it defines is among them.

    >>> sorted(defined_words("func (p *Pump) Fill(lid Lid) {")), sorted(defined_words("size = lid"))
    (['Fill'], ['size'])
    """
    line = _BEFORE_NAME.sub("", line).partition("(")[0].partition("=")[0]
    return {form for word in _NAME.findall(line) for form in (word, word.rstrip("?!"))}


def in_docstrings(lines: Sequence[str]) -> list[bool]:
    """Which lines are of docstrings. The first ones may be the rest of one that the border of two chunks tears.

    >>> in_docstrings(["def fill():", "    \'\'\'Fill it.", "    So.", "    \'\'\'", "    fill()"])
    [False, True, True, True, False]
    """
    inside = end_of_torn_docstring("".join(lines)) > 0
    found: list[bool] = []
    for line in lines:
        found.append(inside or line.lstrip().startswith(('"""', "'''")))
        inside ^= (line.count('"""') + line.count("'''")) % 2 == 1
    return found


def signature_lines(lines: Sequence[str], at: int) -> int:
    """How many lines from `at` on it takes until the brackets that are opened in them are closed."""
    opened = accumulate(line.count("(") - line.count(")") for line in lines[at : at + HEAD_LINES])
    return next((n for n, still in enumerate(opened, 1) if still <= 0), 1)


def _is_collection(line: str) -> bool:
    """Whether the line begins an enumeration, or sets a list, a set or what a call makes of one."""
    found = _SETS.match(line)
    return bool(_ENUMERATES.match(line)) or bool(found and found[0].rstrip()[-1] in "[{(")


def end_of_value(lines: list[str], first: int) -> int:
    """The last line of what a line sets: where its brackets close, of an enumeration where its block does."""
    depth = 0
    if _ENUMERATES.match(lines[first]):
        first += [line.strip() for line in lines[first + 1 : first + 2]] == ["{"]
        inside = len(lines[first]) - len(lines[first].lstrip())
        ends = (
            n
            for n in range(first + 1, len(lines))
            if lines[n].strip() and len(lines[n]) - len(lines[n].lstrip()) <= inside
        )
        end = next(ends, len(lines))
        return end if end < len(lines) and lines[end].startswith(" " * inside + "}") else end - 1
    for last in range(first, len(lines)):
        _, depth = _after(lines[last].rstrip(), "", depth)
        if depth <= 0:
            return last
    return len(lines) - 1


def _likeness(asked: set[str], line: str, holding: Set[str], meant: Mapping[str, str]) -> float:
    """How much what the line sets is called as asked: the harmonic mean of both shares; 0 where it sets nothing.

    What alone the name of what holds it says counts by `HELD`; `meant` has short forms with the words asked.
    """
    set_to = _ENUMERATES.match(line) or _SETS.match(line)
    said = next(filter(None, set_to.groups()), "") if set_to else ""
    names = _WORD.findall(said.partition(":")[0])
    if len(names) > 1 and _GO_TYPE.fullmatch(names[-1]):
        names = _WORD.findall(said.split()[-2])
    own = {meant.get(part, part) for part in _parts(names[-1])} if names else set[str]()
    shared = asked & own
    if not shared - {_MEASURE}:
        return 0.0
    of_own, rest = len(shared) / len(own), asked - shared
    of_asked = min(1.0, (len(shared) + HELD * len(rest & holding)) / len(asked))
    return 2 * of_own * of_asked / (of_own + of_asked)


def _parts(text: str) -> set[str]:
    """Stems of the words and of the parts of identifiers, without those that only say that a value is asked for."""
    parts = " ".join(part for word in words(text) for part in split_identifier(word))
    return set(analyze(parts)) - _ASKING


def _without_frame(text: str, begin: int, stop: int) -> tuple[int, int]:
    """Without the signs at either end that open or close what stands around the lines: they are set in less.

    Where nothing else is left, all stays.
    """
    lines = text[begin:stop].splitlines(keepends=True)
    first, last = 0, len(lines)
    while first < last and (not lines[first].strip() or _OPENS_FRAME.fullmatch(lines[first].strip())):
        first += 1
    depth = len(lines[first]) - len(lines[first].lstrip()) if first < last else 0
    while last > first and (
        not lines[last - 1].strip()
        or (_CLOSES_FRAME.fullmatch(lines[last - 1].strip()) and _is_less(lines[last - 1], depth))
        or _DIRECTIVE.fullmatch(lines[last - 1].strip())
        or _ends_nothing(lines[first:last])
    ):
        last -= 1
    if first >= last:
        return begin, stop
    first = _behind_what_is_closed(lines, first, last)
    start = begin + sum(map(len, lines[:first]))
    return start, start + len("".join(lines[first:last]).rstrip())


def _behind_what_is_closed(lines: list[str], first: int, last: int) -> int:
    """The first line behind the end of a block that the lines do not open, in their first half; else `first`."""
    depth, start = 0, first
    for number in range(first, first + (last - first) // 2):
        if _COMMENT.match(lines[number]):
            continue
        bare = _STRINGS.sub("", lines[number])
        depth += bare.count("{") - bare.count("}")
        if depth < 0 and not _CLOSES_FRAME.fullmatch(lines[number + 1].strip()):
            depth, start = 0, number + 1
    return start


def _ends_nothing(lines: list[str]) -> bool:
    """Whether the last line ends a part for the preprocessor that none of the lines begins."""
    signs = [line.lstrip() for line in lines]
    begun = sum(line.startswith(("#if", "#region")) for line in signs)
    return signs[-1].startswith(_ENDS_PART) and begun < sum(line.startswith(_ENDS_PART) for line in signs)


def is_import(line: str) -> bool:
    """Whether a line names what is used from elsewhere.

    >>> is_import("const pump = require('pump')"), is_import("const pump = 9")
    (True, False)
    """
    return _IMPORT.match(line.lstrip()) is not None


def says_nothing(code: str) -> bool:
    """Whether code is nothing but what opens and closes something around it, such as `}` or `#endif`, imports, exports.

    >>> says_nothing("}\\n#endif"), says_nothing("import os\\nimport sys"), says_nothing("import os\\nx = 1")
    (True, True, False)
    >>> says_nothing("'use strict'\\n\\nmodule.exports = fill;"), says_nothing("module.exports = { fill, drain }")
    (True, False)
    """
    signs = (_OPENS_FRAME, _CLOSES_FRAME, _DIRECTIVE, _HANDS_OUT)
    lines = (line.strip() for line in code.splitlines() if line.strip())
    return all(_IMPORT.match(line) or any(sign.fullmatch(line) for sign in signs) for line in lines)


def _is_less(line: str, depth: int) -> bool:
    return len(line) - len(line.lstrip()) < depth


def docstring_around(text: str, start: int, end: int) -> tuple[str, str]:
    r'''What begins a docstring that `text[start:end]` is in the midst of, and what ends one that it breaks off in; ""
    where it does not.

    >>> text = 'def stop():\n    """It stops.\n\n    Never fails.\n    """'
    >>> docstring_around(text, 0, 28), docstring_around(text, 30, len(text))
    (('', '\n    ..."""'), ('    """...\n', ''))
    '''
    torn = end_of_torn_docstring(text)
    before = list(_QUOTES.finditer(text, torn if torn <= start else 0, start))
    marks = list(_QUOTES.finditer(text, start, end))
    inside = before[-1:] if len(before) % 2 else []
    line = text.rfind("\n", 0, start) + 1
    indent = text[line : line + len(text[line:]) - len(text[line:].lstrip(" \t"))]
    begin = f"{indent if start == line else ''}{inside[0].group()}...\n" if inside else ""
    last = [*inside, *marks][-1:] if (len(inside) + len(marks)) % 2 else []
    if not last:
        return begin, ""
    line = text.rfind("\n", 0, last[0].start()) + 1
    return begin, f"\n{' ' * (last[0].start() - line)}...{last[0].group()}"


def end_of_torn_docstring(text: str) -> int:
    """Where the rest of a docstring ends that the border of two chunks tears; 0 where the text begins with code."""
    marks = list(_QUOTES.finditer(text))
    if len(marks) % 2 == 0 or _BEGINS_CODE.match(text):
        return 0
    end = text.find("\n", marks[0].end())
    return len(text) if end < 0 else end + 1


def _beside_imports(text: str, parts: list[tuple[int, int]], place: int) -> tuple[int, int]:
    """The statements around `place` up to the next import on either side; all where `place` is an import itself."""
    imports = [number for number, (begin, _) in enumerate(parts) if _IMPORT.match(text, begin)]
    if place in imports:
        return 0, len(parts)
    first = max((number + 1 for number in imports if number < place), default=0)
    return first, min((number for number in imports if number > place), default=len(parts))


def _around(text: str, parts: list[tuple[int, int]], place: int, room: int) -> tuple[int, int]:
    """From the head where it fits, or half of the room before the place and the rest behind; no bare opening last."""
    first = last = place
    if parts[place][1] - parts[0][0] <= room:
        first = 0
    while first > 0 and parts[last][1] - parts[first - 1][0] <= room // 2:
        first -= 1
    while last + 1 < len(parts) and parts[last + 1][1] - parts[first][0] <= room:
        last += 1
    while last > place and last + 1 < len(parts) and text[: parts[last][1]].endswith((":", "{")):
        last -= 1
    return parts[first][0], parts[last][1]


def _statements(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of lines that belong together; blank lines and fences are in none."""
    position, begin, last, depth, quoted, noted = start, -1, -1, 0, "", False
    for line in text[start:end].splitlines(keepends=True):
        first, position = position, position + len(line)
        bare = line.rstrip()
        if not quoted and not depth and (not bare or _FENCE.match(bare)):
            if begin >= 0:
                yield begin, last
            begin, noted = -1, False
            continue
        is_note = not quoted and not depth and bool(_COMMENT.match(bare))
        if begin >= 0 and not quoted and depth <= 0 and not (noted and is_note):
            yield begin, last
            begin = -1
        begin = first if begin < 0 else begin
        last = first + len(bare)
        quoted, depth = _after(bare, quoted, depth)
        noted = is_note
    if begin >= 0:
        yield begin, last


def _opens_block(line: str) -> bool:
    """Whether it ends in the brace of a block, such as `func f() {` or `class X {`, or begins a list of constants.

    A brace behind `=`, `(` or a type's name is that of a value, as in `Config{`.
    """
    code = line.partition(" //")[0].rstrip()
    head = code.removesuffix("{")
    if head == code:
        return code in ("const (", "var (")
    is_apart = head.endswith(" ") or not head.strip()
    before = head.rstrip()
    return (
        is_apart and not before.endswith(("return", "=", "(", ",", ":", "[", "&", "|"))
    ) or before.endswith("=>")


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The paragraphs of a docstring that would fill an answer alone; else the statement as it is."""
    if end - start <= LONG_DOC or not _QUOTES.match(
        text, start + len(text[start:end]) - len(text[start:end].lstrip())
    ):
        yield start, end
        return
    for gap in _BLANK.finditer(text, start, end):
        if start < gap.start():
            yield start, gap.start()
        start = gap.end()
    if start < end:
        yield start, end


def _after(line: str, quoted: str, depth: int) -> tuple[str, int]:
    """The open docstring's quotes and how many brackets are open behind the line; none where it opens a block.

    Blocks of braces are no statements: a function would be shown whole or not at all.
    """
    for mark in _QUOTES.findall(line):
        quoted = "" if quoted == mark else quoted or mark
    if quoted or _QUOTES.search(line) or _COMMENT.match(line):
        return quoted, depth
    bare = _STRINGS.sub("", line).partition("#")[0]
    if _opens_block(bare):
        return quoted, 0
    depth += sum(bare.count(sign) for sign in _OPENERS) - sum(bare.count(sign) for sign in _CLOSERS)
    return quoted, max(depth, 0)

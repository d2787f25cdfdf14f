"""Texts that make a regular expression backtrack, made from its own syntax, and what matching them costs."""

from __future__ import annotations

import ast
import hashlib
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from re import _constants as sre
from re import _parser as parser
from types import FrameType
from typing import Any, NamedTuple

from tests.support.tree import CORE, ROOT, module_name, python_files

SIZE, CONFIRMED = 2_500, 20_000
"""Characters that are matched first, and those that a suspicion is confirmed with."""
QUICK_S = 1.0 / (100_000 / SIZE) ** 2
"""What is as quick costs less than a second for 100,000 characters, were it quadratic."""
GROWTH = 2**1.3
GIVEN_UP_S, SURE_S = 1.0, 0.1
"""When a run is given up; and from when on it is measured once, as the machine's noise is small beside it."""
MOST_S = 0.1
"""Of a pattern that reads bounded texts alone, for one of them."""
SUFFIXES = "\0!\n x"
REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
LETTERS = " a1A_-!\t\n.:/<>(){}[]\"'`*#=|,\\é"
CATEGORIES = {
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_NOT_WORD: "!",
}


NOTHING = re.compile("")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\.(search|match|fullmatch|subn?|split|findall|finditer)\b")


class Used(NamedTuple):
    """A pattern of the product: where it stands, and the methods that are called on it."""

    where: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


def patterns_of(path: Path, module: object, called: Mapping[str, Set[str]]) -> Iterator[Used]:
    """The patterns that a module holds, in collections and values too, and those that it writes where it uses them.

    `called` tells the methods that the product calls on a name that others may import. A pattern made of what a
    function was given is `NOTHING`: it cannot be known before.
    """
    text = path.read_text(encoding="utf-8")
    tree, own = ast.parse(text), methods_called(text)
    held: dict[re.Pattern[str], str] = {}
    for name, value in vars(module).items():
        for one in _held(value):
            held.setdefault(one, name)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and re.fullmatch(r"re\.[a-z]+|_compiled", ast.unparse(node.func))
            and node.args
        ):
            try:
                pattern, method = _written(node, vars(module)), ast.unparse(node.func).removeprefix("re.")
            except NameError:
                shown = ast.unparse(node.args[0]).replace("\\\\", "\\")  # Pythons differ in writing it
                yield Used(f"{path}: {shown}", NOTHING, frozenset({""}))
                continue
            if pattern is not None and pattern not in held:
                methods = {"search", "fullmatch"} if method in ("compile", "_compiled") else {method}
                argument = node.args[0]
                place = argument.id if isinstance(argument, ast.Name) else f"line {node.lineno}"
                yield Used(f"{path}: {place}", pattern, frozenset(methods))
    for one, name in held.items():
        known = (own if name.startswith("_") else called).get(name)
        yield Used(f"{path}: {name}", one, frozenset(known or {"search", "fullmatch"}))


def _held(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _held(one)
    elif isinstance(value, tuple | list | frozenset | set):
        for one in value:
            yield from _held(one)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _held(getattr(value, field.name))


def _written(call: ast.Call, names: Mapping[str, object]) -> re.Pattern[str] | None:
    """The pattern of `re.compile(...)`, `re.sub(...)` and the like; None of one over bytes, or of `re.escape`."""
    if ast.unparse(call.func) in ("re.escape", "re.purge"):
        return None
    flags = re.NOFLAG
    for one in [*call.args[1:], *(keyword.value for keyword in call.keywords)]:
        for name in (part for part in ast.walk(one) if isinstance(part, ast.Attribute)):
            flag = getattr(re, name.attr, None)
            flags |= flag if isinstance(flag, re.RegexFlag) else re.NOFLAG
    written = eval(compile(ast.Expression(call.args[0]), "a pattern", "eval"), dict(names))
    return re.compile(written, flags) if isinstance(written, str) else None


def methods_called(*texts: str) -> dict[str, set[str]]:
    """By name, the methods that code calls on it or hands on, in whatever module."""
    called: dict[str, set[str]] = {}
    for name, method in (found.groups() for text in texts for found in _CALLED.finditer(text)):
        called.setdefault(name, set()).add(method)
    return called


def product_patterns() -> list[Used]:
    """The patterns of all that runs, each once."""
    files = [
        path for path in python_files(str(CORE), "build_index", "functions") if path.name != "__main__.py"
    ]
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in files}
    called = methods_called(*texts.values())
    found = [
        one._replace(where=one.where.removeprefix(f"{ROOT}/"))
        for path, text in texts.items()
        if re.search(r"^import re$|re\.Pattern", text, re.MULTILINE)
        for one in patterns_of(ROOT / path, import_module(module_name(path)), called)
    ]
    return list(
        {(one.pattern, one.methods, one.where * (one.pattern is NOTHING)): one for one in found}.values()
    )


def digest(used: Used) -> str:
    """What tells whether a pattern is the one that was attacked before."""
    said = f"{used.pattern.pattern} {used.pattern.flags} {sorted(used.methods)}"
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def attacks(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Makers of texts of about so many characters: each repetition pumped, behind what leads to it."""
    nodes = list(parser.parse(pattern.pattern, pattern.flags))
    is_dot_all = bool(pattern.flags & re.DOTALL)
    letters = _distinct(LETTERS, nodes, is_dot_all)
    tails = ("", "\n!", *_distinct(SUFFIXES, nodes, is_dot_all))
    seen = set()
    for before, pump in _pumps(nodes, "", letters):
        for one in {pump, pump + " ", pump + "\n"}:
            for head, body in ((before, one), ("", before + one), ("", one)):
                for tail in tails:
                    if body and (head, body, tail) not in seen:
                        seen.add((head, body, tail))
                        yield lambda size, h=head, b=body, t=tail: h + b * (size // len(b)) + t  # type: ignore[misc]


def _distinct(letters: str, nodes: Sequence[Any], is_dot_all: bool) -> str:
    """Of the letters one of each kind: those that every part of the pattern takes alike are one to it."""
    atoms = [atom for atom in _atoms(nodes) if atom[0] is not sre.ANY or not is_dot_all]
    kinds: dict[tuple[bool, ...], str] = {}
    for letter in letters:
        kinds.setdefault(tuple(_holds(kind, value, letter) for kind, value in atoms), letter)
    return "".join(kinds.values())


def _atoms(nodes: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    for kind, value in nodes:
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            yield kind, value
        for inner in _inner(kind, value):
            yield from _atoms(inner)


def _inner(kind: Any, value: Any) -> list[list[Any]]:
    if kind in REPEATS:
        return [list(value[2])]
    if kind is sre.SUBPATTERN:
        return [list(value[3])]
    if kind is sre.ATOMIC_GROUP:
        return [list(value)]
    if kind is sre.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(value[1])]
    return []


def _pumps(nodes: Sequence[Any], before: str, letters: str) -> Iterator[tuple[str, str]]:
    for kind, value in nodes:
        if kind in REPEATS and value[1] > 20:
            for sample in _samples(list(value[2]), letters):
                yield before, sample
        for inner in _inner(kind, value):
            yield from _pumps(inner, before, letters)
        before += _sample([(kind, value)])


def _samples(nodes: Sequence[Any], letters: str) -> list[str]:
    """Different texts that the nodes match once: for a class of characters, each kind of character in it."""
    if len(nodes) == 1 and nodes[0][0] in (sre.IN, sre.NOT_LITERAL, sre.ANY):
        kind, value = nodes[0]
        return [letter for letter in letters if _holds(kind, value, letter)] or [_sample(nodes)]
    if len(nodes) == 1 and nodes[0][0] in (sre.SUBPATTERN, sre.BRANCH):
        return [text for branch in _inner(*nodes[0]) for text in _samples(branch, letters)]
    return [_sample(nodes)]


def _holds(kind: Any, value: Any, letter: str) -> bool:
    if kind is sre.ANY:
        return letter != "\n"
    if kind in (sre.LITERAL, sre.NOT_LITERAL):
        return bool((ord(letter) == value) is (kind is sre.LITERAL))
    negated = value[0][0] is sre.NEGATE
    return bool(negated != any(_is_of(one, letter) for one in value[negated:]))


def _is_of(one: Any, letter: str) -> bool:
    kind, value = one
    if kind is sre.LITERAL:
        return bool(ord(letter) == value)
    if kind is sre.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    shown = {
        sre.CATEGORY_DIGIT: letter.isdigit(),
        sre.CATEGORY_SPACE: letter.isspace(),
        sre.CATEGORY_WORD: letter.isalnum() or letter == "_",
    }
    opposite = {
        sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
        sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
        sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
    }
    return bool(shown[value] if value in shown else not shown[opposite[value]])


def _sample(nodes: Sequence[Any]) -> str:
    """A text that the nodes match, as a rule."""
    made = []
    for kind, value in nodes:
        if kind is sre.LITERAL:
            made.append(chr(value))
        elif kind in (sre.IN, sre.NOT_LITERAL, sre.ANY):
            made.append(next((one for one in "a 1!\n" + LETTERS if _holds(kind, value, one)), "a"))
        elif kind in REPEATS:
            made.append(_sample(list(value[2])) * max(value[0], 1 if value[1] and value[0] else value[0]))
        elif kind is sre.SUBPATTERN:
            made.append(_sample(list(value[3])))
        elif kind is sre.ATOMIC_GROUP:
            made.append(_sample(list(value)))
        elif kind is sre.BRANCH:
            made.append(_sample(list(value[1][0])))
    return "".join(made)


def slow(used: Used, most: int = 0) -> str:
    """What makes the pattern take more than n^1.3 and a second for 100 KB, as a sentence; "" where nothing does.

    Where something bounds the text that it reads to `most` characters, what makes one of these take `MOST_S`.
    """
    run = _runner(used)
    for make in attacks(used.pattern):
        if most and min(_took(run, make(most)) for _ in range(2)) >= MOST_S:
            return f"{used.where}: {MOST_S} s and more for {most:,} characters of {make(12)!r}"
        if most or (once := _took(run, make(SIZE))) < QUICK_S:
            continue
        if once < GIVEN_UP_S and min(_took(run, make(2 * SIZE)) for _ in range(2)) < GROWTH * once:
            continue
        size = CONFIRMED
        took, half, twice = (_least(run, make(n)) for n in (size, size // 2, 2 * size))
        grows = took > GROWTH * half and twice > GROWTH * took
        if took >= (size / 1e5) ** 2 and (twice >= GIVEN_UP_S or grows):
            shown = f"{size:,} characters of {make(12)!r}"
            return f"{used.where}: {took * 1e3:.0f} ms for {shown}, half takes {half * 1e3:.0f}"
    return ""


def _runner(used: Used) -> Callable[[str], object]:
    pattern = used.pattern
    if used.methods & {"search", "sub", "subn", "split", "findall", "finditer"}:
        return lambda text: deque(pattern.finditer(text), maxlen=0)
    return pattern.match if "match" in used.methods else pattern.fullmatch


class _GivenUpError(Exception):
    pass


def _least(run: Callable[[str], object], text: str) -> float:
    """CPU seconds of the quickest of three runs."""
    first = _took(run, text)
    return first if first >= SURE_S else min(first, *(_took(run, text) for _ in range(2)))


def _took(run: Callable[[str], object], text: str) -> float:
    """CPU seconds of the run; it is given up after `GIVEN_UP_S`."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise _GivenUpError

    usual = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, GIVEN_UP_S)
    began = time.process_time()
    try:
        run(text)
    except _GivenUpError:
        return GIVEN_UP_S
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, usual)
    return time.process_time() - began


NOTED = Path(__file__).with_name("attacked_patterns.txt")
"""Digests of patterns that were attacked in vain: a run of the suite attacks those that are new."""
BOUNDED = {
    "build_index/scan/characters.py: _TELLS_MODEL": (420, "a comment of `LONGEST_COMMENT`"),
    "build_index/sources/files/types.py: _SHEBANG": (200, "the beginning of a first line"),
    "build_index/sources/files/types.py: _LOCK": (255, "a file's name"),
    "build_index/sources/files/types.py: _MINIFIED": (255, "a file's name"),
    "build_index/sources/files/types.py: _GENERATED": (255, "a file's name"),
    "build_index/sources/files/types.py: _TEST_NAME": (255, "a file's name"),
    "build_index/sources/files/types.py: _TRANSLATED_PAGE": (255, "a file's name"),
    "build_index/sources/files/types.py: _TRANSLATED_ANYWHERE": (4_096, "a file's path"),
    "layers/core/python/quire/answering/citations.py: _WORD_BEFORE": (80, "what stands before a mark"),
    "layers/core/python/quire/answering/generative/prompt.py: _SIGNS": (
        400,
        "a line, to `LINE_CHARACTERS`",
    ),
    "layers/core/python/quire/answering/generative/judging.py: _TAIL": (
        200,
        "the end of a text, `TAIL_CHARACTERS`",
    ),
    "layers/core/python/quire/parsing/site_pages.py: _DATED": (4_096, "a page's path"),
    "layers/core/python/quire/search/intent.py: _CALLERS": (500, "a question's `RELATION_CHARACTERS`"),
    "layers/core/python/quire/answering/evidence_hits.py: _KINDS": (4_096, "a file's path"),
}
"""Patterns that are only given short texts: of at most how many characters, and why."""


def main() -> None:
    """Attack what is not noted yet, note it, and print what is slow."""
    noted = set(NOTED.read_text(encoding="utf-8").split()) if NOTED.exists() else set()
    patterns = [one for one in product_patterns() if one.pattern is not NOTHING]
    kept = sorted(noted & set(map(digest, patterns)))
    for one in patterns:
        if digest(one) not in noted:
            found = slow(one, BOUNDED.get(one.where, (0, ""))[0])
            print(found or f"{one.where}: fine", flush=True)
            kept += [] if found else [digest(one)]
            NOTED.write_text("\n".join(sorted(set(kept))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    import onnxruntime  # noqa: F401  before usearch, which crashes otherwise

    main()

"""Texts that make a regular expression backtrack, made from its own syntax, and what matching them costs."""

from __future__ import annotations

import ast
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]  # typeshed leaves it out
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType
from typing import Any, NamedTuple

SIZE = 8_000
"""Characters that are matched first: what is quick there costs less than a second for 100,000, were it quadratic."""
QUICK_S = 1.0 / (100_000 / SIZE) ** 2
GROWTH = 2**1.3
GIVEN_UP_S = 1.0
SUFFIXES = ("", "\0", "!", "\n", " ", "x", "\n!")
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


class Used(NamedTuple):
    """A pattern of the product: where it stands, and the methods that are called on it."""

    where: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


def patterns_of(path: Path, module: object) -> Iterator[Used]:
    """The patterns that a module holds under a name, and those that it writes where it uses them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for name, value in vars(module).items():
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            yield Used(f"{path}: {name}", value, _methods(tree, name))
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        function = call.func
        inline = isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "re"
        if inline and call.args and isinstance(call.args[0], ast.Constant):
            assert isinstance(function, ast.Attribute)
            flags = re.compile("").flags
            for one in [*call.args[1:], *(keyword.value for keyword in call.keywords)]:
                with suppress(AttributeError):
                    flags |= getattr(re, one.attr)  # type: ignore[attr-defined]
            if function.attr != "compile" and isinstance(call.args[0].value, str):
                pattern = re.compile(call.args[0].value, flags & ~re.UNICODE)
                yield Used(f"{path}:{call.lineno}", pattern, frozenset({function.attr}))


def _methods(tree: ast.Module, name: str) -> frozenset[str]:
    called = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == name
    }
    return frozenset(called) or frozenset({"search", "fullmatch"})


def attacks(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Makers of texts of about so many characters: each repetition pumped, behind what leads to it."""
    seen = set()
    for before, pump in _pumps(list(parser.parse(pattern.pattern, pattern.flags)), ""):
        for one in {pump, pump + " ", pump + "\n"}:
            for head, body in ((before, one), ("", before + one), ("", one)):
                for tail in SUFFIXES:
                    if body and (head, body, tail) not in seen:
                        seen.add((head, body, tail))
                        yield lambda size, h=head, b=body, t=tail: h + b * (size // len(b)) + t  # type: ignore[misc]


def _pumps(nodes: Sequence[Any], before: str) -> Iterator[tuple[str, str]]:
    for kind, value in nodes:
        if kind in REPEATS:
            inner = list(value[2])
            if value[1] > 20:
                for sample in _samples(inner):
                    yield before, sample
            yield from _pumps(inner, before)
        elif kind is sre.SUBPATTERN:
            yield from _pumps(list(value[3]), before)
        elif kind is sre.ATOMIC_GROUP:
            yield from _pumps(list(value), before)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from _pumps(list(branch), before)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from _pumps(list(value[1]), before)
        before += _sample([(kind, value)])


def _samples(nodes: Sequence[Any]) -> list[str]:
    """Different texts that the nodes match once: for a class of characters, each kind of character in it."""
    if len(nodes) == 1 and nodes[0][0] in (sre.IN, sre.NOT_LITERAL, sre.ANY):
        kind, value = nodes[0]
        made = [letter for letter in LETTERS if _holds(kind, value, letter)]
        return made or [_sample(nodes)]
    if len(nodes) == 1 and nodes[0][0] is sre.SUBPATTERN:
        return _samples(list(nodes[0][1][3]))
    if len(nodes) == 1 and nodes[0][0] is sre.BRANCH:
        return [text for branch in nodes[0][1][1] for text in _samples(list(branch))]
    return [_sample(nodes)]


def _holds(kind: Any, value: Any, letter: str) -> bool:
    if kind is sre.ANY:
        return letter != "\n"
    if kind is sre.NOT_LITERAL:
        return bool(ord(letter) != value)
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


def slow(used: Used) -> str:
    """What makes the pattern take more than n^1.3 and a second for 100 KB, as a sentence; "" where nothing does."""
    run = _runner(used)
    for make in attacks(used.pattern):
        text, shorter = make(SIZE), make(SIZE // 2)
        if _took(run, text) < QUICK_S:
            continue
        took = min(_took(run, text) for _ in range(3))
        half = min(_took(run, shorter) for _ in range(3))
        twice = min(_took(run, make(2 * SIZE)) for _ in range(3))
        grows = took > GROWTH * half and twice > GROWTH * took
        if took >= QUICK_S and (took >= GIVEN_UP_S or grows):
            shown = f"{SIZE:,} characters of {make(12)!r}"
            return f"{used.where}: {took * 1e3:.0f} ms for {shown}, half takes {half * 1e3:.0f}"
    return ""


def _runner(used: Used) -> Callable[[str], object]:
    pattern = used.pattern
    if used.methods & {"search", "sub", "subn", "split", "findall", "finditer"}:
        return lambda text: sum(1 for _ in pattern.finditer(text))
    return pattern.match if "match" in used.methods else pattern.fullmatch


class _GivenUpError(Exception):
    pass


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

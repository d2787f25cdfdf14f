"""Object literals of a JavaScript or TypeScript file, read without running it: configurations say their settings so.

What is computed stays unread; a setting counts where its value is a string, a number, `true` or `false`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_WORD = re.compile(
    r"""
    (?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))
    |(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`)  # a template only without `${}`
    |(?P<word>[A-Za-z_$][\w$]*|-?\d[\w.]*)                              # a name or a number
    |(?P<mark>[{}\[\](),:=])
    """,
    re.VERBOSE | re.DOTALL,
)
COLON = ":"
_CONSTANTS: Mapping[str, bool] = {"true": True, "false": False}


@dataclass(slots=True)
class ObjectLiteral:
    """An object: the keys that lead to it, the last string before it in its array, and its plain settings."""

    keys: tuple[str, ...]
    label: str = ""
    values: dict[str, str | bool] = field(default_factory=dict)


@dataclass(slots=True)
class _Level:
    """A bracket that is open: an object, or anything else; `key` is the one whose value comes."""

    made: ObjectLiteral | None
    key: str = ""
    last: str = ""
    expects_value: bool = False


def read_objects(text: str) -> list[ObjectLiteral]:
    """Every object literal of the text, outer ones first.

    >>> [outer, inner] = read_objects("export default { base: '/x/', docs: { path: \\"d\\", strict: true } }")
    >>> outer.values, inner.keys, inner.values
    ({'base': '/x/'}, ('docs',), {'path': 'd', 'strict': True})
    """
    found: list[ObjectLiteral] = []
    levels = [_Level(None)]
    for kind, word in _words(text):
        level = levels[-1]
        if word in ("{", "[", "("):
            made = None
            if word == "{":
                keys = tuple(one.key for one in levels if one.key)
                made = ObjectLiteral(keys, level.last)
                found.append(made)
            levels.append(_Level(made))
        elif word in ("}", "]", ")"):
            if len(levels) > 1:
                levels.pop()
            levels[-1].key = levels[-1].key if levels[-1].made is None else ""
        else:
            _note(level, kind, word)
    return found


def _note(level: _Level, kind: str, word: str) -> None:
    """Take in a word, a string, a colon, a comma or an equals sign."""
    if kind == "mark":
        is_key = word == COLON
        level.key, level.expects_value = (level.last if is_key else ""), is_key
        return
    value = word[1:-1] if kind == "string" else word
    if level.expects_value and level.made is not None:
        plain = value if kind == "string" else _CONSTANTS.get(word)
        if plain is not None:
            level.made.values[level.key] = plain
        level.expects_value = False
    level.last = value


def _words(text: str) -> Iterator[tuple[str, str]]:
    for match in _WORD.finditer(text):
        if match.lastgroup != "comment":
            yield str(match.lastgroup), match[0]

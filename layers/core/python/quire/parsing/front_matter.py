"""Front matter: the part of YAML that documentation uses, read without a YAML library, and the rest with one.

Top-level `key: value` pairs, quoted or plain, folded (`>`) and literal (`|`) blocks, and lists, inline or one item a
line, are read here: the heads of 230 pages take 9 ms, PyYAML 91. What this refuses goes to PyYAML, which reads all
of YAML. A nested mapping is skipped. Hugo's heads of TOML are read too.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

from quire.errors import SourceError

_PAIR = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]++(.*))?$")
_CLOSE = ("---", "...")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Values of a file's head.

    Attributes:
        values: strings and lists of strings, by key.
        lines: line of each key, from 1.
        end_line: line of the closing `---` or `+++`; 0 where the file has no front matter.
    """

    values: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    end_line: int = 0

    def string(self, key: str) -> str:
        """The value as one string; "" where it is missing."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ", ".join(value)


def read_front_matter(text: str, path: str = "") -> FrontMatter:
    """Read the head of a file, if it has one.

    Raises:
        SourceError: the head is not closed, or a line of it is not `key: value`; the message names file and line.

    >>> read_front_matter("---\\ntitle: 'Mover constraints'\\n---\\n").string("title")
    'Mover constraints'
    """
    if re.match(r"\ufeff?\+\+\+[ \t]*\r?\n", text):
        return _read_toml(text.lstrip("\ufeff").replace("\r\n", "\n").split("\n"), path)
    if not re.match(r"\ufeff?---[ \t]*\r?\n", text):
        return FrontMatter()
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in _CLOSE), 0)
    if not end:
        if len(lines) > 1 and _PAIR.match(lines[1]):
            raise SourceError(f"{path}:1: front matter is opened by '---' and never closed", path=path)
        return FrontMatter()
    try:
        values, numbers = _read_pairs(lines, end, path)
    except SourceError as error:
        values, numbers = _read_yaml(lines, end, error)
    return FrontMatter(values, numbers, end + 1)


def _read_pairs(
    lines: list[str], end: int, path: str
) -> tuple[dict[str, str | tuple[str, ...]], dict[str, int]]:
    """Values and lines of the keys between the marks."""
    values: dict[str, str | tuple[str, ...]] = {}
    numbers: dict[str, int] = {}
    index = 1
    while index < end:
        line = lines[index]
        if not line.strip() or line.lstrip().startswith("#"):
            index += 1
            continue
        pair = _PAIR.match(line.rstrip())
        if not pair:
            raise SourceError(
                f"{path}:{index + 1}: front matter: wanted 'key: value', found {line.strip()!r}", path=path
            )
        rest = _continuation(lines, index + 1, end)
        numbers[pair[1]] = index + 1
        values[pair[1]] = _value((pair[2] or "").strip(), rest, f"{path}:{index + 1}")
        index += 1 + len(rest)
    return values, numbers


def _read_toml(lines: list[str], path: str) -> FrontMatter:
    """The head of a page of Hugo, in TOML between lines of three plus signs.

    Raises:
        SourceError: it is no TOML.
    """
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == "+++"), 0)
    if not end:
        return FrontMatter()
    try:
        read = tomllib.loads("\n".join(lines[1:end]))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SourceError(f"{path}:1: front matter: {error}", path=path) from error
    values = {key: _plain(value) for key, value in read.items() if not isinstance(value, dict)}
    return FrontMatter(values, {key: _line_of(key, lines, end) for key in values}, end + 1)


MOST_YAML_BYTES = 65_536
DEEPEST_YAML = 30


def _read_yaml(
    lines: list[str], end: int, refused: SourceError
) -> tuple[dict[str, str | tuple[str, ...]], dict[str, int]]:
    """The same by PyYAML, for what the reader above refused; what is no mapping, or has aliases, stays refused.

    Raises:
        SourceError: `refused`, where this is no YAML either.
    """
    import yaml

    head = "\n".join(lines[1:end])
    if len(head) > MOST_YAML_BYTES or is_deep(head):
        raise refused
    try:
        if any(isinstance(one, yaml.AliasToken) for one in yaml.scan(head)):
            raise refused
        read = yaml.safe_load(head)
    # Of a date such as 2024-99-99, and of the escapes "\U00110000" and "\UFFFFFFFF", which are no characters.
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise refused from error
    if not isinstance(read, dict):
        raise refused
    values = {str(key): _plain(value) for key, value in read.items() if not isinstance(value, dict)}
    return values, {key: _line_of(key, lines, end) for key in values}


def is_deep(text: str) -> bool:
    """Whether brackets of a YAML text stand deeper in one another than any that was written by hand.

    PyYAML's time grows with the square of the depth: 2,000 brackets take 3 s.
    """
    depth = 0
    for mark in re.finditer(r"[\[{\]}]", text):
        depth += 1 if mark.group() in "[{" else -1
        if depth > DEEPEST_YAML:
            return True
    return False


def _plain(value: object) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(one) for one in value if not isinstance(one, dict | list))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _line_of(key: str, lines: list[str], end: int) -> int:
    """The first line that begins with the key, quoted or not; the first line of the head where none does."""
    marks = (key, f'"{key}"', f"'{key}'")
    found = (number for number in range(1, end) if lines[number].lstrip(" {").startswith(marks))
    return next(found, 1) + 1


def _continuation(lines: list[str], start: int, end: int) -> list[str]:
    """Lines that belong to the key before: indented ones, list items, and blank ones between them."""
    stop = start
    for index in range(start, end):
        line = lines[index]
        if line.strip() and not line[0].isspace() and not line.startswith("- ") and line.strip() not in "]}":
            break
        stop = index + 1
    return lines[start:stop]


def _value(first: str, rest: list[str], where: str) -> str | tuple[str, ...]:
    body = [line.strip() for line in rest if line.strip() and not line.strip().startswith("#")]
    if first[:1] in ("|", ">"):
        return ("\n" if first[0] == "|" else " ").join(body)
    if first.startswith("["):
        joined = " ".join([_uncomment(first), *body])
        if not joined.endswith("]"):
            raise SourceError(
                f"{where}: front matter: list is opened by '[' and never closed", path=_path(where)
            )
        return tuple(_scalar(item, where) for item in _split_items(joined[1:-1]))
    if not first and body and all(item.startswith("- ") or item == "-" for item in body):
        return tuple(_scalar(item[1:].strip(), where) for item in body)
    if not first:
        return ""
    return _scalar(" ".join([first, *body]), where)


def _split_items(text: str) -> list[str]:
    items = re.findall(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)\s*(?:,|$)""", text)
    return [item.strip() for item in items if item.strip()]


def _scalar(text: str, where: str) -> str:
    quote = text[:1]
    if quote not in ('"', "'"):
        return _uncomment(text)
    pattern = r'"((?:[^"\\]|\\.)*)"' if quote == '"' else r"'((?:[^']|'')*)'"
    match = re.match(pattern + r"\s*(?:#.*)?$", text, re.DOTALL)
    if not match:
        raise SourceError(
            f"{where}: front matter: string is opened by {quote} and never closed", path=_path(where)
        )
    if quote == "'":
        return match[1].replace("''", "'")
    if set(re.findall(r"\\(.)", match[1], re.DOTALL)) - _ESCAPES.keys():
        raise SourceError(f"{where}: front matter: unknown escape in {text!r}", path=_path(where))
    return re.sub(r"\\(.)", lambda escape: _ESCAPES[escape[1]], match[1])


def _uncomment(text: str) -> str:
    return re.split(r"(?<!\s)\s++#", text, maxsplit=1)[0].strip()


def _path(where: str) -> str:
    return where.rsplit(":", 1)[0]

"""Front matter: the head of a page in YAML, as strings and lists of strings, or as Hugo has it in TOML.

Values are taken as they are written: `2024-01-01` and `no` stay such, and a nested mapping is skipped. What is no YAML
because a value holds what YAML means something by (`title: Mover: basics`) is read as if that value stood in quotes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quire.errors import SourceError

_PAIR = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]++(.*))?$")
_LINE_PAIR = re.compile(r"^([A-Za-z_][\w.-]*+)[ \t]*+:[ \t]++([^\s\"'|>#].*)$", re.MULTILINE)
_LINE_ITEM = re.compile(r"^([ \t]*+-)[ \t]++(\S.*)$", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\s)\s++#.*")
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_CLOSE = ("---", "...")
_OPENED = re.compile(r"[\[{]|[-?:][ \t]++(?=[-?:][ \t])")
MOST_YAML_BYTES = 65_536
DEEPEST_YAML = 30
MOST_OPENED = 200
"""Lists and mappings in one line that the reader in C may meet: it goes down on a stack that nobody guards."""


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
    values, numbers = _read_yaml("\n".join(lines[1:end]), path)
    return FrontMatter(values, numbers, end + 1)


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


def _read_yaml(head: str, path: str) -> tuple[dict[str, str | tuple[str, ...]], dict[str, int]]:
    """Values and lines of the keys. Nothing is made of the nodes but their texts, and aliases are refused.

    Raises:
        SourceError: it is no mapping, or nothing that anybody wrote by hand.
    """
    import yaml

    head, at = _UNREADABLE.sub("\ufffd", head), 0
    try:
        try:
            root = _compose(head)
        except yaml.YAMLError:
            root = _compose(_LINE_ITEM.sub(_item_in_quotes, _LINE_PAIR.sub(_in_quotes, head)))
        if root is None:
            return {}, {}
        if isinstance(root, yaml.MappingNode):
            pairs = [(key, value) for key, value in root.value if isinstance(key, yaml.ScalarNode)]
            read = {
                key.value: _texts(value) for key, value in pairs if not isinstance(value, yaml.MappingNode)
            }
            return read, {key.value: key.start_mark.line + 2 for key, _ in pairs if key.value in read}
    except RecursionError:
        pass
    except yaml.YAMLError as error:
        mark = getattr(error, "context_mark", None) or getattr(error, "problem_mark", None)
        at = min(mark.line, head.count("\n")) if mark else 0
    line = head.split("\n")[at].strip()[:200]
    raise SourceError(f"{path}:{at + 2}: front matter: wanted 'key: value', found {line!r}", path=path)


def _compose(head: str) -> Any:
    """The nodes of a text of YAML; None where it has none."""
    import yaml

    if len(head) > MOST_YAML_BYTES or is_deep(head):
        raise yaml.MarkedYAMLError(problem="larger or deeper than any head")
    is_flat = len(_OPENED.findall(head)) <= MOST_OPENED
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader) if is_flat else yaml.BaseLoader
    if "*" in head and any(isinstance(one, yaml.AliasEvent) for one in yaml.parse(head, loader)):
        raise yaml.MarkedYAMLError(problem="an alias")
    return yaml.compose(head, loader)


def _in_quotes(pair: re.Match[str]) -> str:
    """The line with its value in quotes, and no comment; a list or mapping stays, whole (`[a, b]`) or begun (`[a,`)."""
    if pair[2][0] in "[{" and (not re.search(r"[]}]", pair[2]) or _is_yaml(pair[2])):
        return pair[0]
    value = _COMMENT.sub("", pair[2]).strip().replace("'", "''")
    return f"{pair[1]}: '{value}'"


def _item_in_quotes(item: re.Match[str]) -> str:
    """The line with the item of its list in quotes, where it is no YAML: `- "a" is a letter`."""
    quoted = item[2].replace("'", "''")
    return item[0] if _is_yaml(item[2]) else f"{item[1]} '{quoted}'"


def _is_yaml(value: str) -> bool:
    import yaml

    try:
        _compose(value)
    except yaml.YAMLError:
        return False
    return True


def _texts(node: Any) -> str | tuple[str, ...]:
    """What a value says; of a list, its items that are no lists."""
    if isinstance(node.value, str):
        return node.value.strip()
    return tuple(one.value for one in node.value if isinstance(one.value, str))


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

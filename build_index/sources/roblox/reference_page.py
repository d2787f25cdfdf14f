"""One yaml page of the engine reference with the line range of each of its entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import yaml

SECTIONS = tuple(
    "constructors constants properties methods functions events callbacks items math_operations".split()
)
"""The lists of members that a page may hold, in the order in which the web page shows them."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = "tag:yaml.org,2002:null"
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


class PageError(ValueError):
    """A page does not have the reference's form; the message names the line."""


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """A page's own head, or one member of it.

    Attributes:
        fields: the yaml values, member lists left out.
        start_line: first line in the file, from 1.
        end_line: last line that is not blank, inclusive.
        description_line: the line in the file of the description's first line; 0 where the lines of the value are
            not those of the file.
    """

    fields: Mapping[str, Any]
    start_line: int
    end_line: int
    description_line: int = 0

    def text(self, key: str) -> str:
        """The value of `key` as stripped text; "" where there is none."""
        value = self.fields.get(key)
        return "" if value is None else str(value).strip()

    def items(self, key: str) -> list[Any]:
        """The list under `key`; empty where it is missing or no list."""
        value = self.fields.get(key)
        return value if isinstance(value, list) else []

    @property
    def member(self) -> str:
        """The bare member name: `new` of `CFrame.new`, `Lerp` of `CFrame:Lerp`."""
        return self.text("name").replace(":", ".").rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class ReferencePage:
    """A parsed reference page.

    Attributes:
        path: starts with `content/en-us/`.
        folder: `classes`, `enums`, `datatypes`, `libraries` or `globals`.
        name: the file's stem, which its URL uses.
        head: what the page says about the type itself.
        sections: member list name -> entries in file order.
    """

    path: str
    folder: str
    name: str
    head: ReferenceEntry
    sections: Mapping[str, tuple[ReferenceEntry, ...]]

    def entries(self) -> dict[tuple[str, str], ReferenceEntry]:
        """(member list, bare name) -> entry; the first of overloads."""
        found: dict[tuple[str, str], ReferenceEntry] = {}
        for section, entries in self.sections.items():
            for entry in entries:
                found.setdefault((section, entry.member), entry)
        return found


def parse_page(text: str, path: str) -> ReferencePage:
    """Parse the text of the page at `path` (`content/en-us/reference/engine/<folder>/<name>.yaml`).

    Raises:
        PageError: it is not valid yaml, or not of the reference's form.
    """
    try:
        return _read_page(_compose(text), text, path)
    except yaml.YAMLError as error:
        raise PageError(_problem(error)) from error
    except RecursionError:
        raise PageError("line 1: nested too deeply") from None


def _compose(text: str) -> yaml.Node | None:
    """The tree of `yaml.compose`, whose tags know null alone: every other value is read as it is written.

    A third of composing went into trying each scalar as a date, a number and so on.
    """
    loader: Any = _LOADER(text)
    loader.resolve = _tag
    try:
        return cast("yaml.Node | None", loader.get_single_node())
    finally:
        loader.dispose()


def _tag(kind: type[yaml.Node], value: str, implicit: tuple[bool, bool]) -> str:
    return _NULL if kind is yaml.ScalarNode and implicit[0] and value in _NULLS else ""


def _read_page(root: yaml.Node | None, text: str, path: str) -> ReferencePage:
    if not isinstance(root, yaml.MappingNode):
        raise PageError("line 1: wanted a mapping with the key 'name', found something else")
    lines = text.splitlines()
    folder, _, file = path.rpartition("/")
    own = [(key, value) for key, value in root.value if key.value not in SECTIONS]
    lists = {
        key.value: _entries(key.value, value, lines) for key, value in root.value if key.value in SECTIONS
    }
    head = _entry(own, lines)
    return ReferencePage(path, folder.rpartition("/")[2], file.removesuffix(".yaml"), head, lists)


def _entries(section: str, node: yaml.Node, lines: list[str]) -> tuple[ReferenceEntry, ...]:
    if isinstance(node, yaml.ScalarNode) and node.value in {"", "null", "~"}:
        return ()
    if not isinstance(node, yaml.SequenceNode):
        raise PageError(f"line {node.start_mark.line + 1}: {section}: wanted a list of members")
    for item in node.value:
        if not isinstance(item, yaml.MappingNode):
            raise PageError(
                f"line {item.start_mark.line + 1}: {section}: wanted a mapping with the key 'name'"
            )
    return tuple(_entry(item.value, lines) for item in node.value)


def _entry(pairs: list[tuple[yaml.Node, yaml.Node]], lines: list[str]) -> ReferenceEntry:
    fields = {str(key.value): _plain(value) for key, value in pairs}
    start = pairs[0][0].start_mark.line + 1 if pairs else 1
    if not str(fields.get("name") or "").strip():
        raise PageError(f"line {start}: 'name': wanted the entry's name, found nothing")
    end = _last_line(*pairs[-1], lines)
    described = next((value for key, value in pairs if key.value == "description"), None)
    literal = isinstance(described, yaml.ScalarNode) and described.style == "|"
    return ReferenceEntry(
        fields, start, max(start, end), described.start_mark.line + 2 if described and literal else 0
    )


def _last_line(key: yaml.Node, node: yaml.Node, lines: list[str]) -> int:
    """Block values end where the next token begins: step back over that line and the blank ones before it.

    An alias carries the marks of its anchor: then the key's line is the last.
    """
    mark = node.end_mark
    if node.start_mark.line < key.start_mark.line:
        return int(key.start_mark.line) + 1
    end = mark.line + 1 if mark.column and not _is_block(node) else mark.line
    end = max(end, node.start_mark.line + 1)
    while end > node.start_mark.line + 1 and not lines[end - 1].strip():
        end -= 1
    return min(end, len(lines))


def _is_block(node: yaml.Node) -> bool:
    if isinstance(node, yaml.ScalarNode):
        return node.style in {"|", ">"}
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def _plain(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value) for value in node.value]
    return None if node.tag == _NULL else node.value


def _problem(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = " ".join(str(getattr(error, "problem", None) or error).split())
    return f"line {mark.line + 1}: {problem}" if mark else f"line 1: {problem}"

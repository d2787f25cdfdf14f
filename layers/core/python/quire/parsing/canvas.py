"""A canvas of Obsidian (`.canvas`, JSON) to a page of HTML: its cards as they are read, and its arrows."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from quire.errors import NoText, SourceError
from quire.parsing.zipped_xml import holds_words

_HEADING = re.compile(r"#{1,6}[ \t]+(\S.*)")
_ITEM = re.compile(r"[ \t]*[-*+][ \t]+(?:\[[ x]\][ \t]+)?(\S.*)")
_LINK = re.compile(r"!?\[\[([^\]|\n]{1,200})(?:\|([^\]\n]{1,200}))?\]\]")
_MARKS = re.compile(r"\*\*|__|==|`")
_MOST_NAME = 60


def canvas_html(text: str, path: str) -> str:
    """The canvas as HTML: groups, cards from the top left to the bottom right, then its arrows by what they lead from.

    Raises:
        SourceError: it is no canvas.
        NoText: no card of it holds a word.
    """
    try:
        read = json.loads(text)
        nodes = [one for one in read.get("nodes", ()) if isinstance(one, dict)]
        edges = [one for one in read.get("edges", ()) if isinstance(one, dict)]
        nodes.sort(key=lambda one: (_number(one, "y"), _number(one, "x")))
    except (ValueError, AttributeError, TypeError, RecursionError, OverflowError) as error:
        raise SourceError(f"{path}: the canvas cannot be read: {error}", path=path) from error
    cards = [line for one in nodes for line in _card(one)]
    names = {str(one.get("id")): _name(one) for one in nodes}
    arrows = [line for one in edges if (line := _arrow(one, names))]
    if not holds_words("".join(cards)):
        raise NoText(f"{path}: the canvas holds no text", path=path)
    title = html.escape(PurePosixPath(path).stem)
    return "\n".join([f"<title>{title}</title>", f"<h1>{title}</h1>", *cards, *arrows])


def _number(node: dict[str, Any], name: str) -> float:
    value = node.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _card(node: dict[str, Any]) -> Iterator[str]:
    """A card as HTML. Of a card that shows a file its name says enough: the file is read by itself."""
    kind = node.get("type")
    if kind != "text":
        said = str(node.get("label") or node.get("file") or node.get("url") or "")
        tag = "h2" if kind == "group" else "p"
        yield from (f"<{tag}>{html.escape(said)}</{tag}>",) if said else ()
        return
    for line in filter(str.strip, str(node.get("text") or "").splitlines()):
        if heading := _HEADING.match(line):
            yield f"<h3>{_shown(heading[1])}</h3>"
        elif item := _ITEM.match(line):
            yield f"<ul><li>{_shown(item[1])}</li></ul>"
        else:
            yield f"<p>{_shown(line)}</p>"


def _shown(line: str) -> str:
    return html.escape(_MARKS.sub("", _LINK.sub(lambda found: found[2] or found[1], line)).strip())


def _name(node: dict[str, Any]) -> str:
    """What an arrow calls a card: its label or file, or the beginning of its first line."""
    said = str(node.get("label") or node.get("file") or node.get("url") or node.get("text") or "")
    first = next(filter(str.strip, said.splitlines()), "")
    heading = _HEADING.match(first)
    shown = html.unescape(_shown(heading[1] if heading else first))
    return shown if len(shown) <= _MOST_NAME else f"{shown[:_MOST_NAME]}…"


def _arrow(edge: dict[str, Any], names: dict[str, str]) -> str:
    """What leads from one card to another, where both say something."""
    ends = [names.get(str(edge.get(one)), "") for one in ("fromNode", "toNode")]
    label = f" ({edge['label']})" if isinstance(edge.get("label"), str) and edge["label"] else ""
    return f"<p>{html.escape(f'{ends[0]} → {ends[1]}{label}')}</p>" if all(ends) else ""

"""The headings that a place in a chunk stands under, where small sections were merged into one chunk."""

from __future__ import annotations

import re
from collections.abc import Callable

from quire.answering.extractive.blocks import HEADING, QuoteBlock, split_blocks
from quire.answering.extractive.rst_text import defined_names

_LINK = re.compile(r"(?<!!)\[([^\[\]\n]++)\]\([^()\n]*+\)")


def trail_at(text: str, place: int, names: tuple[str, ...], *, read: Callable[[str], str]) -> tuple[str, ...]:
    r"""The headings above `text[place:]`, outermost first.

    `names` are those above the first section of the text, its own last; `read` gives a heading's words from its lines.
    What stands under the first section has these names as they are.

    >>> text = "## Pump\n\nIt pumps.\n\n## Valve\n\nIt shuts.\n\n### Seal\n\nIt seals."
    >>> [trail_at(text, text.index(said), ("Parts", "Pump"), read=str) for said in ("It p", "It se")]
    [('Parts', 'Pump'), ('Parts', 'Valve', 'Seal')]
    """
    blocks = split_blocks(text)
    headings = [block for block in blocks if block.kind == HEADING and block.start <= place]
    found = [(block, said) for block in headings if (said := _name(text, block, read))]
    if not found:
        return names
    first, said = found[0]
    own = [number for number, name in enumerate(names, 1) if _bare(name) == _bare(said)]
    # A text that begins with a heading has that of its own section there, or of one around it.
    depth = own[-1] if own else len(names) if first is blocks[0] else 0
    behind = found[1:] if depth else found
    if not behind:
        return names[: depth or None]
    rows = dict[str, int]()  # how deep headings are whose rows have this sign
    names = names[: depth or None]
    last = _level(text, first, rows, depth - 1) if depth else len(names) + 1
    opened = [(last - len(names) + number, name) for number, name in enumerate(names, 1)]
    for block, name in behind:
        deepest = opened[-1][0] if opened else 0
        level = _level(text, block, rows, deepest)
        opened = [*(one for one in opened if one[0] < level), (level, name)]
    return tuple(name for _, name in opened)


def _name(text: str, block: QuoteBlock, read: Callable[[str], str]) -> str:
    """The heading's words; of the head of a directive the name that it defines."""
    written = text[block.start : block.end]
    if names := defined_names(written):
        return names[0].partition("(")[0]
    return _LINK.sub(r"\1", read(written)).strip().lstrip("#").strip()


def _bare(title: str) -> str:
    return "".join(filter(str.isalnum, title)).casefold()


def _level(text: str, block: QuoteBlock, rows: dict[str, int], deepest: int) -> int:
    """How deep the heading is: by its signs `#`, or by the sign of the row below.

    A sign that was not met before is deeper than what is open, but the first one, and so is a directive.
    """
    title = text[block.start : block.end].lstrip()
    marks = len(title) - len(title.lstrip("#"))
    sign = ".." if title.startswith("..") else text[block.end :].lstrip("\r\n")[:1]
    return marks or rows.setdefault(sign, deepest + (bool(rows) or sign == ".."))

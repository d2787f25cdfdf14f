"""The headings that a place in a chunk stands under, where small sections were merged into one chunk."""

from __future__ import annotations

import re
from collections.abc import Callable

from quire.answering.extractive.blocks import HEADING, QuoteBlock, split_blocks
from quire.answering.extractive.rst_text import defined_names
from quire.documents import Chunk

_GENERAL = frozenset(
    """
    a about additional advanced all also an and arguments available background basic basics by
    common config configuration configure configuring default defaults description detail details
    example examples for further general getting guide how in install installation introduction is
    it limitations method methods more next note notes of on option options other overview parameter
    parameters prerequisites properties property quick reading reference requirements returns see
    setting settings setup start started steps summary supported syntax the this to usage use using
    what when why with you
    """.split()
)
"""Words of headings that say nothing of what their page is about."""
_OPENING_TITLE = re.compile(r"\*\*(?P<title>[^*\n]{1,80}+)\*\*(?=\n|\Z)")
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


def with_page_title(said: str, chunk: Chunk) -> str:
    r"""What an answer shows of a chunk, with its page's title where the heading that it opens with names none.

    >>> pump = Chunk("", "a.md", "", "Pump › Options", {"title": "Pump"})
    >>> with_page_title("**Options**\n\nOil.", pump), with_page_title("**Oil options**\n\nOil.", pump)
    ('**Pump › Options**\n\nOil.', '**Oil options**\n\nOil.')
    >>> [with_page_title("**Options**", pump._replace(metadata={"path": "a.rst", "title": "a.rst", "chapter": one}))
    ...  for one in ("Pump", "")]
    ['**Pump › Options**', '**Options**']
    """
    known = chunk.metadata
    title = known.get("title")
    # Of some the path is said.
    page = str((title if title != known.get("path") else known.get("chapter")) or "")
    found = _OPENING_TITLE.match(said)
    if not found or not is_general(found["title"]) or not page or _bare(page) == _bare(found["title"]):
        return said
    return f"**{page} › {found['title']}**{said[found.end() :]}"


def is_general(title: str) -> bool:
    """Whether the title says nothing of what its page is about.

    >>> is_general("Getting started"), is_general("Oil options")
    (True, False)
    """
    return all(word in _GENERAL for word in re.findall(r"\w+", title.casefold()))


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

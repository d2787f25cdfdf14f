"""HTML pages as pages of sections, on selectolax: what a reader sees of them, without menus, scripts and footers."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quire.parsing.page import Block, Page, Part, Section

_UNSHOWN = (
    "script, style, template, noscript, svg, iframe, nav, footer, aside, form, [hidden], [aria-hidden=true]"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset("p pre ul ol dl table blockquote figure".split())
_MOST_DEEP = 200


def parse_html(text: str) -> Page:
    """The main part of a page as sections, each with its heading's `id`; lines are not known, and are all 1."""
    tree = LexborHTMLParser(text)
    title = tree.css_first("title")
    for node in tree.css(_UNSHOWN):
        node.decompose()
    root = tree.css_first("main") or tree.css_first("article") or tree.body
    sections = _sections(root) if root is not None else []
    shown = next((one.heading for one in sections if one.level == 1), "")
    return Page(shown or (_words(title) if title else ""), "", (), tuple(sections))


def _sections(root: LexborNode) -> list[Section]:
    sections, opened = list[Section](), Section("", 0, 1)
    blocks: list[Block] = []
    for item in _flow(root, 0):
        if isinstance(item, Block):
            blocks.append(item)
            continue
        if blocks or opened.level:
            sections.append(Section(opened.heading, opened.level, 1, opened.anchor, tuple(blocks)))
        opened, blocks = item, []
    if blocks or opened.level:
        sections.append(Section(opened.heading, opened.level, 1, opened.anchor, tuple(blocks)))
    return sections


def _flow(node: LexborNode, depth: int) -> Iterator[Section | Block]:
    """Headings and blocks in the order of the page; text between blocks is a paragraph of its own."""
    loose: list[str] = []
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        is_text = tag == "-text"
        if is_text or (tag not in _HEADINGS and tag not in _BLOCKS and not _holds_blocks(child)):
            loose.append(child.text(deep=True) if not is_text else child.text())
            continue
        yield from _paragraph(" ".join(loose))
        loose = []
        if tag in _HEADINGS:
            yield _heading(child, _HEADINGS[tag])
        elif tag in _BLOCKS:
            yield from _block(child, tag)
        elif depth < _MOST_DEEP:
            yield from _flow(child, depth + 1)
    yield from _paragraph(" ".join(loose))


def _holds_blocks(node: LexborNode) -> bool:
    return node.css_first("h1, h2, h3, h4, h5, h6, p, pre, ul, ol, dl, table, blockquote, figure") is not None


def _heading(node: LexborNode, level: int) -> Section:
    named = node.css_first("[id]")
    above = node.parent
    anchor = node.id or (named.id if named else None)
    if not anchor and above is not None and above.tag in ("section", "div", "article"):
        anchor = above.id  # Sphinx names the section, not its heading
    return Section(_words(node).rstrip("¶#").strip(), level, 1, anchor or "")


def _block(node: LexborNode, tag: str) -> Iterator[Block]:
    if tag == "pre":
        code = node.text(deep=True).strip("\n")
        if code.strip():
            yield Block("code", (Part(f"```\n{code}\n```", 1, 1, code=True),))
    elif tag in ("ul", "ol", "dl"):
        parts = [f"- {words}" for one in node.iter() if (words := _words(one))]
        if parts:
            yield Block("list", tuple(Part(one, 1, 1) for one in parts))
    elif tag == "table":
        rows = [
            " | ".join(_words(cell) for cell in row.iter() if cell.tag in ("th", "td")) for row in _rows(node)
        ]
        kept = tuple(Part(row, 1, 1) for row in rows if row.strip(" |"))
        if kept:
            yield Block("table", kept, header=kept[0].text)
    else:
        yield from _paragraph(node.text(deep=True))


def _rows(node: LexborNode) -> Iterator[LexborNode]:
    """Of this table alone: one inside a cell is text of that cell, once and not again for each table around it."""
    for child in node.iter():
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from _rows(child)


def _paragraph(text: str) -> Iterator[Block]:
    words = " ".join(text.split())
    if words:
        yield Block("paragraph", (Part(words, 1, 1),))


def _words(node: LexborNode) -> str:
    return " ".join(node.text(deep=True).split())

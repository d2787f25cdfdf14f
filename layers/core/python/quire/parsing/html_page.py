"""HTML pages as pages of sections, on selectolax: what a reader sees of them, without menus, scripts and footers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from xml.etree import ElementTree

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quire.parsing.blocks import join_cells, marked_rows
from quire.parsing.formulas import formula_text
from quire.parsing.page import Block, Page, Part, Section

_UNSHOWN = (
    "script, style, template, noscript, svg, iframe, nav, footer, aside, form, [hidden], [aria-hidden=true],"
    " [role=navigation], [role=contentinfo], .toc-macro"  # the last is Confluence's contents of the page
)
_APART = "div, p, li, dt, dd, tr, section, figcaption"
"""Elements whose words are no part of the word before them, though nothing stands between their tags."""
_EXPANDS = "Click here to expand..."
"""What Confluence writes above text that is folded, unless its writer does."""
_MAIN = ("main", "article", "[role=main]", "div#main-content")  # the last is Confluence's
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset("p pre ul ol dl table blockquote figure".split())
_LANGUAGE = re.compile(
    r"""
    (?:^|\s)(?: language- | lang- | highlight-(?:source-)? | brush:\s? )  # Prism, Pygments with Sphinx, GitHub, ...
    ([a-z][\w+\#]*)
    """,
    re.VERBOSE,
)
_MOST_DEEP = 200
_DEEPEST_LIST = 8
_MOST_AROUND = 12


def parse_html(text: str) -> Page:
    """The main part of a page as sections, each with its heading's `id`; lines are not known, and are all 1."""
    tree = LexborHTMLParser(text)
    title = tree.css_first("title")
    for node in tree.css(_UNSHOWN):
        node.decompose()
    _set_apart(tree)
    for node in tree.css("math:not(math math)"):  # each is read whole
        node.replace_with(_formula(node))
    root = next(filter(None, map(tree.css_first, _MAIN)), tree.body)
    for node in root.css("code, kbd, samp") if root is not None else ():
        words = node.text(deep=True)
        if words.strip() and not {"`", "\n"} & set(words) and not _is_inside_code(node):
            node.replace_with(f"`{words.strip()}`")
    sections = _sections(root) if root is not None else []
    shown = next((one.heading for one in sections if one.level == 1), "")
    return Page(shown or (_words(title) if title else ""), (), tuple(sections))


def _set_apart(tree: LexborHTMLParser) -> None:
    """Part words that no white space parts in the source: those of lines, of blocks in a cell or an item."""
    for node in tree.css("br"):
        node.replace_with("\n")
    for node in tree.css(".expand-control-text"):
        if node.text().strip() == _EXPANDS:
            node.decompose()
    for node in tree.css("td li + li, th li + li"):
        node.insert_before("; ")
    for node in tree.css(_APART):
        if node.prev is not None and not _is_inside_code(node):
            node.insert_before(" ")


def _formula(node: LexborNode) -> str:
    """A formula as TeX; its words alone where it is no XML, whose elements could not be told apart."""
    try:
        return formula_text(ElementTree.fromstring((node.html or "").replace("&nbsp;", " ")))  # noqa: S314
    except ElementTree.ParseError:
        return node.text(deep=True)


def _is_inside_code(node: LexborNode) -> bool:
    return any(one.tag in ("pre", "code", "kbd", "samp") for one in _around(node))


def _around(node: LexborNode) -> Iterator[LexborNode]:
    """What a node stands in, from the inside, as far as a page that somebody wrote goes."""
    above = node.parent
    for _ in range(_MOST_AROUND):
        if above is None:
            return
        yield above
        above = above.parent


def _sections(root: LexborNode) -> list[Section]:
    sections, opened = list[Section](), Section("", 0, 1)
    blocks: list[Block] = []
    for item in chain(_flow(root, 0), [Section("", 0, 1)]):  # what ends the last one
        if isinstance(item, Block):
            blocks.append(item)
            continue
        if blocks or opened.level:
            sections.append(replace(opened, blocks=tuple(blocks)))
        opened, blocks = item, []
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
            yield Block("code", (Part(f"```{_language(node)}\n{code}\n```", 1, 1, code=True),))
    elif tag in ("ul", "ol", "dl"):
        parts = tuple(_items(node, 0))
        if parts:
            yield Block("list", parts)
    elif tag == "table":
        rows = [[_words(cell) for cell in row.iter() if cell.tag in ("th", "td")] for row in _rows(node)]
        kept = marked_rows([Part(join_cells(row), 1, 1) for row in rows if any(row)])
        if kept:
            yield Block("table", kept, header=kept[0].text)
    else:
        yield from _paragraph(node.text(deep=True))


def _language(node: LexborNode) -> str:
    """The language of code as highlighters note it: of itself, of the `code` in it, or of what stands around it."""
    around = [node.parent, node.parent.parent if node.parent is not None else None]
    for one in (node, node.css_first("code"), *around):
        found = _LANGUAGE.search((one.attributes.get("class") or "") if one is not None else "")
        if found and found[1] not in ("none", "default", "text"):
            return str(found[1])
    return ""


def _items(node: LexborNode, depth: int) -> Iterator[Part]:
    """The items of a list, those of lists inside of it below them, its code in fences."""
    number = 0
    for item in node.iter():
        mark = f"{(number := number + 1)}. " if node.tag == "ol" else "- "
        held = (
            [one for one in item.css("ul, ol, dl, pre") if _nearest(one, item)]
            if depth < _DEEPEST_LIST
            else []
        )
        below: list[Part] = []
        for one in held:
            blocks = _block(one, "pre") if one.tag == "pre" else ()
            below += [part for block in blocks for part in block.parts] or _items(one, depth + 1)
            one.remove()
        if words := _words(item):
            yield Part(f"{'  ' * depth}{mark}{words}", 1, 1)
        yield from below


def _nearest(node: LexborNode, item: LexborNode) -> bool:
    """Whether no other list or code of the item stands around the node."""
    for one in _around(node):
        if one.mem_id == item.mem_id:
            return True
        if one.tag in ("ul", "ol", "dl", "pre"):
            return False
    return False


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

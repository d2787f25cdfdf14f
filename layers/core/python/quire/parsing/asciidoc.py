"""AsciiDoc to an Outline of sections, and to readable text.

Source: https://docs.asciidoctor.org/asciidoc/latest/, read by lines: sections by `==`, delimited blocks whole.
"""

from __future__ import annotations

import re

from quire.parsing.asciidoc_markdown import underlined_level
from quire.parsing.outline import Heading, Outline, identifier_in, outline_sections

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_BLOCK = re.compile(
    r"""
    ( -{4,} | \.{4,} | ={4,} | \*{4,} | _{4,} | \+{4,} | /{4,}  # listing, literal, example, sidebar, quote, ...
    | ```[\w+#.-]*+  # code, as in Markdown
    | \|={3,}   # a table
    | --        # an open block
    )[ \t\r]*
    """,
    re.VERBOSE,
)
_LABEL = re.compile(r"\[(?:\[[^\]]+\]|[#.\w][^\]]*)\][ \t\r]*")
_LINK = re.compile(
    r"""
    (?: link: | xref: | https?:// )[^\s\[]{0,500}+\[([^\]]{0,500}+)\]  # link:address[text]
    | <<[^,>]{1,200}+(?:,\s*+([^>]{0,500}+))?>>                       # <<anchor, text>>
    """,
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"^(?::[\w!-]+:.*|\[[^\]]*\]|include::.*|//(?!//).*)$")
_ANCHOR = re.compile(r"\[\[[^\[\]\n]{1,200}+\]\]")
_QUOTED = re.compile(r"(?<!\w)([*_`+#])(\S(?:.{0,300}?\S)?)\1(?!\w)")


def parse_asciidoc(text: str) -> Outline:
    r"""Sections of a document; what looks like a heading inside a delimited block is none.

    >>> [title] = parse_asciidoc("= Title\n\n----\n== Code\n----\n\n== Usage\nText\n").definitions
    >>> [(member.names, member.start_line, member.end_line) for member in title.members]
    [(('Usage',), 7, 8)]
    """
    lines = text.split("\n")
    headings: list[Heading] = []
    block, label = "", -1
    underlined = -1
    for number, line in enumerate(lines):
        fence = _BLOCK.fullmatch(line)
        if number == underlined:
            continue
        if fence:
            block = "" if block == fence[1] else block or fence[1]
            label = -1
            continue
        bare = line.rstrip(" \t\r")
        if not block and (not number or not lines[number - 1].strip() or label >= 0):
            level = underlined_level(bare, "".join(lines[number + 1 : number + 2]).rstrip(" \t\r"))
            underlined = number + 1 if level else -1
            bare = f"{'=' * level} {bare}" if level else bare
        heading = None if block else _HEADING.fullmatch(bare)
        if heading:
            title = _title(heading[2], heading[1])
            own = identifier_in(title)
            first = label if label >= 0 else number
            headings.append(Heading(first + 1, len(heading[1]), _inline(title), (own,) if own else ()))
            label = -1
        elif _LABEL.fullmatch(line):
            label = number if label < 0 else label
        elif line.strip():
            label = -1
    return outline_sections(lines, headings)


def readable_asciidoc(text: str) -> str:
    r"""The text as one reads it: links by their words, delimiters and attributes left out.

    >>> readable_asciidoc("[source,c]\n----\nint a;\n----\nSee link:a.html[the page], *now*.")
    'int a;\nSee the page, now.'
    """
    kept = (line for line in text.split("\n") if not _BLOCK.fullmatch(line) and not _ATTRIBUTE.match(line))
    return "\n".join(_inline(line) for line in kept).strip("\n")


def _title(text: str, mark: str) -> str:
    """The text of a heading without its anchor and the mark that may close it."""
    text = _ANCHOR.sub("", text).rstrip()
    bare = text.removesuffix(mark)
    return bare.rstrip() if bare != text and bare[-1:].isspace() else text


def _inline(line: str) -> str:
    return _QUOTED.sub(r"\2", _LINK.sub(lambda link: link[1] or link[2] or "", line))

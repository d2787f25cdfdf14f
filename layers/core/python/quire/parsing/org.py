r"""Org to an Outline of sections, and to readable text.

Source: https://orgmode.org/worg/org-syntax.html, read by lines: headlines by their stars, blocks whole.
"""

from __future__ import annotations

import re

from quire.parsing.outline import Heading, Outline, identifier_in, outline_sections

_HEADLINE = re.compile(
    r"""
    (\*{1,12})[ \t]+                                        # its level
    (?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?
    (?:\[\#\w\][ \t]+)?                                     # a priority
    (\S.*)
    """,
    re.VERBOSE,
)
_TAGS = re.compile(r"(?<=\s):[\w@#%:]{1,200}:$")
_TITLE = re.compile(r"\#\+title:[ \t]*+(.*)", re.IGNORECASE)
_BEGIN = re.compile(r"[ \t]*\#\+begin_(\w+)", re.IGNORECASE)
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t\r]*")
_LINK = re.compile(r"\[\[([^\[\]]{1,1000})\](?:\[([^\[\]]{1,1000})\])?\]")
_MARKED = re.compile(
    r"""
    (?<![\w*/=~+]) ([*/=~+])                  # bold, italic, verbatim, code, struck through
    (\S(?:[^\n]{0,300}?\S)?) \1 (?![\w*/=~+])
    """,
    re.VERBOSE,
)


def parse_org(text: str) -> Outline:
    r"""Sections of a document, below its `#+title` where it has one; stars inside a block are no headline.

    >>> [title] = parse_org("#+title: Guide\n\n* Setup :easy:\nText\n** More\n").definitions
    >>> [(one.names, one.start_line, one.end_line) for one in title.members]
    [(('Setup',), 3, 5)]
    """
    lines = text.split("\n")
    headings: list[Heading] = []
    end = ""
    for number, line in enumerate(lines, 1):
        if end:
            end = "" if line.strip().lower() == end else end
        elif begin := _BEGIN.match(line):
            end = f"#+end_{begin[1].lower()}"
        elif title := _TITLE.match(line):
            if not headings and title[1].strip():
                headings.append(Heading(1, 0, _inline(title[1].strip())))
        elif headline := _HEADLINE.fullmatch(line.rstrip()):
            name = _inline(_TAGS.sub("", headline[2]).strip())
            own = identifier_in(name)
            headings.append(Heading(number, len(headline[1]), name, (own,) if own else ()))
    return outline_sections(lines, headings)


def readable_org(text: str) -> str:
    r"""The text as one reads it: links by their words, without settings, drawers and the marks of blocks.

    >>> readable_org("#+begin_src c\nint a;\n#+end_src\nSee [[file:b.org][the page]], =now=.")
    'int a;\nSee the page, now.'
    """
    kept: list[str] = []
    in_drawer = False
    for line in text.split("\n"):
        if _DRAWER.fullmatch(line):
            in_drawer = line.strip().lower() != ":end:"
        elif not in_drawer and not line.lstrip(" \t").startswith(("#+", "# ")):
            kept.append(_inline(line))
    return "\n".join(kept).strip("\n")


def _inline(line: str) -> str:
    if "[[" in line:
        line = _LINK.sub(lambda link: link[2] or link[1], line)
    return _MARKED.sub(r"\2", line)

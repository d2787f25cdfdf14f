"""Inline Markdown to readable text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.entities import html5

from markdown_it.token import Token

from quire.parsing.page import Part
from quire.parsing.scan import BREAK, NOTHING, TICK

# Spaces of other widths become a space, hyphens that do not break a hyphen; invisible characters go.
_NORMAL = {
    **dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\t"), " "),
    ord("\u2011"): "-",
    **dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200E, 0x200F, *range(0x2028, 0x202F), 0x2060, 0xFEFF), None),
    ord(BREAK): "\n",
    ord(TICK): "`",
    ord(NOTHING): None,
}
_SIGNS = frozenset("!\"#$%&'()+,-./:;<=>?@[\\]^_`{|}~")

_PUNCTUATION = r"!-/:-@\[-`{-~"
_SCHEME = "(?!(?i:vbscript|javascript|file|data):)"
_IN_WORD = r"(?<=[^\W_])_+(?=[^\W_])"
_CODE = r"`[^`\s\0](?:[^`\n\0]*[^`\s\0])?`(?!`)"
_MAYBE = re.compile(r"[\\`*_~!\[<&\0]")
_UNDERSTOOD = re.compile(
    rf"(?P<same>{_CODE}|{_IN_WORD}|\[(?=[^\[\]\\`<]*\](?![(\[]))|!(?!\[)|~(?!~)|<(?!\S)|&(?![#\w])|\\(?![{_PUNCTUATION}\n]))"
    rf"|!?\[(?P<label>(?:[^\[\]\\`*_~<&\0]|{_CODE}|{_IN_WORD})*)\]"
    rf"\({_SCHEME}[^\s()<>\\&\0]*(?: \"[^\"\\&\n\0]*\")?\)"
    rf"|\\(?P<escaped>[{_PUNCTUATION}])|(?P<stars>\*+)|&(?P<entity>[a-zA-Z][a-zA-Z0-9]{{1,31}};)"
)


def read_plainly(text: str) -> str | None:
    """What `readable` gives for the tokens of `text`, but for spaces at line breaks, without making them.

    It knows code, links, escapes, entities and stars around words, where nothing defines references: 99 of 100
    texts that documentation consists of. None where the text needs more than that.

    >>> read_plainly("**Set** `Part.Size` as [the guide](size.md) says"), read_plainly("a *b")
    ('Set `Part.Size` as the guide says', None)
    """
    if " \n" in text:
        return None
    pieces: list[str] = []
    done = end = 0
    opened = ""
    while found := _MAYBE.search(text, end):
        start = found.start()
        match = _UNDERSTOOD.match(text, start)
        if not match:
            return None
        kind, end = str(match.lastgroup), match.end()
        if kind == "same":
            continue
        shown = html5.get(match[kind]) if kind == "entity" else match[kind]
        if kind == "stars":
            shown = "" if _may_stand(text, start, end, opened) else None
            opened = "" if opened else match[0]
        if shown is None:
            return None
        pieces += (text[done:start], shown)
        done = end
    return None if opened else "".join((*pieces, text[done:]))


def _may_stand(text: str, start: int, end: int, opened: str) -> bool:
    """Whether a run of stars closes what is `opened`, or else opens emphasis, for certain."""
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    if opened:
        before, after = after, before
    if opened not in ("", text[start:end]):
        return False
    return after.isalnum() or (after in _SIGNS and (before in _SIGNS or before in " \n"))


def readable(children: Sequence[Token] | None) -> str:
    """Text of inline tokens; a source line break is `\\n`, a rendered one the `BREAK` mark."""
    pieces: list[str] = []
    for token in children or ():
        kind = token.type
        if kind in ("text", "text_special"):
            pieces.append(token.content)
        elif kind == "code_inline":
            pieces.append(f"`{token.content}`")
        elif kind == "softbreak":
            pieces.append("\n")
        elif kind == "hardbreak":
            pieces.append(f"{BREAK}\n")
        elif kind == "image":
            pieces.append(readable(token.children))
    return "".join(pieces)


def normal_line(text: str) -> str:
    """One source line without marks, invisible characters and runs of spaces; a rendered break becomes `\\n`."""
    if not text.isascii():
        text = text.translate(_NORMAL)
    if "\n" not in text:
        return " ".join(text.split())
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def make_part(raw: str, start_line: int, prefix: str = "") -> Part | None:
    """A part from text whose line breaks are the source's; None where nothing is left of it.

    `prefix` is put before the text, such as a list mark.
    """
    text, breaks = prefix, []
    lines = raw.split("\n")
    for number, line in enumerate(lines):
        if number:
            breaks.append(len(text))
        clean = normal_line(line)
        if not clean:
            continue
        if number and text and text != prefix:
            text += "\n" if BREAK in lines[number - 1][-1:] else " "
            breaks[-1] = len(text)
        text += clean
    if text == prefix:
        return None
    return Part(text, start_line, start_line + len(lines) - 1, breaks=tuple(breaks))

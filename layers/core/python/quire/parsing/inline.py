"""Inline Markdown to readable text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
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


_OPEN_BRACKETS = re.compile(r"(?:!?\[)++")
_FORMULA = re.compile(
    r"""
    \$\$(?:[^\\$]|\\.){1,4000}+\$\$                           # shown by itself
    | \$(?!\s)(?:[^\\$`]|\\.){1,1000}+(?<!\s)\$(?!\w)  # in a line; two prices or names of variables are none
    """,
    re.DOTALL | re.VERBOSE,
)
_LAST_BRACKET = -1  # in the cache of a state, whose other keys are positions


_OUTWARD = re.compile(r"https?://[^\s()<>\\]{4,300}")
PICTURE = "Picture"
_FILE_NAME = re.compile(
    r"""
    \S+\.(?:png|jpe?g|gif|svg|webp|avif)             # a file
    | (?:image|img|screenshot|untitled)[-_ ]?\d*     # what programs call one
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_open_brackets(parser: MarkdownIt) -> MarkdownIt:
    """The parser, which takes a bracket that nothing closes for text at once: rules would look for its end 20 times."""
    parser.inline.ruler.before("link", "open_bracket", _open_bracket)
    return parser


def with_formulas(parser: MarkdownIt) -> MarkdownIt:
    """The parser, which leaves a formula of TeX as it is written: its stars and backslashes mark nothing."""
    parser.inline.ruler.before("escape", "formula", _formula)
    return parser


def _formula(state: StateInline, silent: bool) -> bool:
    found = _FORMULA.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "$" else None
    if found is None:
        return False
    if not silent:
        state.append_pending(found[0])
    state.pos = found.end()
    return True


def _open_bracket(state: StateInline, silent: bool) -> bool:
    run = _OPEN_BRACKETS.match(state.src, state.pos, state.posMax)
    if run is None:
        return False
    if _LAST_BRACKET not in state.cache:
        state.cache[_LAST_BRACKET] = state.src.rfind("]")
    if state.cache[_LAST_BRACKET] > state.pos:
        return False
    if not silent:
        state.append_pending(run[0])
    state.pos = run.end()
    return True


def readable(children: Sequence[Token] | None) -> str:
    """Text of inline tokens; a source line break is `\\n`, a rendered one the `BREAK` mark.

    Pictures with nothing beside them are told as such: their words alone would be a stray line. Several that are links
    are badges, which say nothing of what the page is about.
    """
    if children and any(token.type == "image" for token in children) and not any(map(_has_words, children)):
        return _pictures(children)
    pieces: list[str] = []
    for token in children or ():
        kind = token.type
        if kind in ("text", "text_special"):
            pieces.append(token.content)
        elif kind == "code_inline":
            pieces.append(_code_span(token.content))
        elif kind == "softbreak":
            pieces.append("\n")
        elif kind == "hardbreak":
            pieces.append(f"{BREAK}\n")
        elif kind == "image":
            pieces.append(readable(token.children))
    return "".join(pieces)


def _code_span(code: str) -> str:
    """The code between ticks, more of them than stand together inside: else it would end at its own."""
    if "`" not in code:
        return f"`{code}`"
    ticks = "`" * (max(map(len, re.findall("`+", code))) + 1)
    return f"{ticks} {code} {ticks}"


def without_badges(children: Sequence[Token]) -> list[Token]:
    """The tokens of a heading without the pictures that are links, which stand beside its words and are none."""
    kept: list[Token] = []
    depth = 0
    for token in children:
        depth += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type != "image" or not depth:
            kept.append(token)
    return kept if any(map(_has_words, kept)) else list(children)


def outward_links(children: Sequence[Token] | None, addresses: Mapping[str, str]) -> Iterator[str]:
    """The links of inline tokens that lead to other sites, as Markdown: their words, then the address.

    One to a page of the same site does too, where `addresses` have its target.

    An address that is its own words needs no link, and words that hold brackets could not be one again.
    """
    address, opened = "", 0
    for number, token in enumerate(children or ()):
        if token.type == "link_open":
            address, opened = str(token.attrs.get("href", "")), number
            address = addresses.get(unquote(address), address)
        elif token.type == "link_close" and _OUTWARD.fullmatch(address):
            words = normal_line(readable((children or ())[opened + 1 : number]).replace("\n", " "))
            if re.search(r"[^\W\d_]", words) and not re.search(r"[\[\]\n]|://", words):
                yield f"[{words}]({address})"


def _has_words(token: Token) -> bool:
    """Whether a reader sees more of the token than a picture or white space."""
    return token.type == "code_inline" or (
        token.type in ("text", "text_special") and bool(token.content.strip())
    )


def _pictures(children: Sequence[Token]) -> str:
    images = [token for token in children if token.type == "image"]
    if len(images) > 1 and sum(token.type == "link_open" for token in children) == len(images):
        return ""
    said = lines = ""
    for token in children:
        lines += "\n" * (token.type in ("softbreak", "hardbreak"))
        words = readable(token.children).strip() if token.type == "image" else ""
        if words and not _FILE_NAME.fullmatch(words):
            said += f"{BREAK if said.strip() else ''}{lines}{PICTURE}: {words}"
            lines = ""
    return said


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

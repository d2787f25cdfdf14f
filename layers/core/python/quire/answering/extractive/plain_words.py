"""Words and code of a quote in Markdown: without debris of MDX and HTML, what would pass for a mark escaped."""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from html import unescape

from quire.parsing.formats import fenced

_TICKS = re.compile(r"`++")
_OPENING = re.compile(r"^ *+(?P<ticks>`{3,}+)[^\n]*+\n", re.M)
_CLOSING = re.compile(r"^ *+(?P<ticks>`{3,}+)[ \t]*+$", re.M)
_MARK = re.compile(r"(?<!\\)\[(?=\d{1,3}(?:,\s*\d{1,3})*\](?!\())")
_FORMULA = re.compile(
    r"""
    ( (?<!\\)\$\$[^$]{1,1000}+\$\$
    | (?<![\\$])\$(?![\s$])(?:[^$\\`\n]|\\.){1,1000}+(?<!\s)\$(?![\w$]) )  # no price: what is inside touches both signs
    """,
    re.VERBOSE,
)
# A name that ends in `__`; `_as_code` looks whether it begins so.
_DUNDER = re.compile(r"(?<![\w`\\*])(\w++(?<=__)(?:\.\w++){0,4}(?:\(\))?)(?![\w`*])")
_CHECKBOX = re.compile(r"^([^\S\n]*+(?:[-*+]|\d{1,3}[.)])\s++)\[([ xX]?)\]\s+", re.M)
_BARE_CHECKBOX = re.compile(r"^([^\S\n]*+)\[([ xX]?)\]\s+", re.M)
_PICTURES = r"""
    (?: (?: \[[ ]?!\[[^\[\]\n]*+\]\([^()\n]*+\)[ ]?\]\([^()\n]*+\)   # a badge: a picture that is a link
        | !\[[^\[\]\n]*+\](?:\([^()\n]*+\)|\[[^\[\]\n]*+\]) )        # a picture
      (?: \{[^{}\n]*+\} )?+ [ \t]*+ )++                                # its attributes
"""
IMAGES = re.compile(rf"^[ \t]*+ {_PICTURES} $\n?", re.MULTILINE | re.VERBOSE)
"""Lines of pictures alone."""
_IMAGE = re.compile(r"!\[(?P<alt>[^\[\]\n]*+)\](?:\([^()\n]*+\)|\[[^\[\]\n]*+\])")
_SPACES_ALONE = re.compile(r"^[ \t]*+(?:&nbsp;[ \t]*+)++$\n?", re.MULTILINE)
_BREAK = re.compile(r"<br\s*/?>", re.I)
_TOUCHING = re.compile(r"(?<=[^\s>])(</[a-z]+>)(?=<[a-z])", re.I)
"""Between two elements: pages show the one or the other, such as the words for two interfaces, or set them apart."""
_HTML = re.compile(
    r"""</?+ (?:a|abbr|aside|b|big|center|dd|details|dfn|div|dl|dt|em|figcaption|figure|font|footer|header|i|img|ins
        |kbd|main|mark|nav|p|section|small|span|strong|sub|summary|sup|u)  # elements that hold words of a page
        (?:\s[^<>]*+)?+ /?+>                                              # their attributes, none with an angle""",
    re.IGNORECASE | re.VERBOSE,
)
_PRE = re.compile(r"<pre[^<>]*+>\s*+<code[^<>]*+>([^<]{1,2000})</code>\s*+</pre>", re.I)
_INLINE_CODE = re.compile(r"<code[^<>]*+>([^<`\n]{1,200})</code>", re.I)
_ENTITY = re.compile(r"&(?:(?!(?:lt|gt|amp|quot|nbsp);)[A-Za-z]{2,10}|#[0-9]{4,7});")
"""Those that Markdown needs, and a space that keeps its place, stay; so do numbers of what a keyboard has."""
_GAP = re.compile(r"\n(?:[ \t]*+\n){2,}")


def code_block(code: str, language: str = "") -> str:
    """A fenced block around code that was dedented.

    >>> print(code_block("    x = 1", "python"))
    ```python
    x = 1
    ```
    """
    code = code.replace("\r\n", "\n")  # a blank line with a carriage return would be one that is not set in
    body = _set_out(code.expandtabs(4) if "\t" in code else code).strip("\n").rstrip()
    return fenced(body, language)


def _set_out(code: str) -> str:
    r"""The code less far in, as far as its lines are, but for those at a line's beginning of a long string and of a
    preprocessor, which stay where they are.

    >>> _set_out("    a = 1\n#if OIL\n    b = 2"), _set_out("    a = 1\n}\n    b = 2")
    ('a = 1\n#if OIL\nb = 2', '    a = 1\n}\n    b = 2')
    >>> _set_out("      end\n  rescue\n    stop()")
    '    end\nrescue\n  stop()'
    """
    lines = code.splitlines()
    told = [line for line in lines if line.strip()]
    apart = [line for line in told if not depth_of(line)]
    ends = (*told[:1], *told[-1:])
    is_code = any(
        line.rstrip().endswith(("{", "}", ";", ":", ")", "end")) for line in apart if line[0] != "#"
    )
    if is_code or any(line in apart for line in ends):
        return textwrap.dedent(code)
    depth = min((depth_of(line) for line in told if line not in apart), default=0)
    return "\n".join(line[min(depth, depth_of(line)) :] for line in lines)


def depth_of(paragraph: str) -> int:
    """Characters before the first word of the line that is set in least."""
    return min((len(line) - len(line.lstrip()) for line in paragraph.splitlines() if line.strip()), default=0)


def plain_words(text: str) -> str:
    """Prose without debris of MDX, HTML and check lists; what would pass for a mark or for emphasis is escaped.

    >>> plain_words("- [ ] Take items[0], see [1] and __init__.")
    '- Take items\\\\[0], see \\\\[1] and `__init__`.'
    """
    if "<pre" in text:
        text = _PRE.sub(lambda found: f"\n\n{code_block(unescape(found[1]))}\n\n", text)
        text = _GAP.sub("\n\n", text)
    blocks = [span for span in code_spans(text) if "\n" in text[slice(*span)]]
    text = _outside(text, blocks, _without_debris)
    return _outside(text, code_spans(text), escaped).strip("\n").rstrip()


def _outside(text: str, spans: Iterable[tuple[int, int]], change: Callable[[str], str]) -> str:
    """The text, changed outside of the spans of code, which stay as they are."""
    parts, end = [], 0
    for begin, past in spans:
        parts += [change(text[end:begin]), text[begin:past]]
        end = past
    return "".join([*parts, change(text[end:])])


def _without_comments(text: str) -> str:
    """Without comments of HTML. By hand: a pattern would look for the end of each one anew."""
    parts, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        parts.append(text[at:begin])
        at = end + len("-->")
    return "".join([*parts, text[at:]])


def _without_debris(text: str) -> str:
    text = _SPACES_ALONE.sub("", IMAGES.sub("", _without_comments(text)))
    text = _outside(text, code_spans(text), lambda words: _IMAGE.sub(r"\g<alt>", words))
    text = _INLINE_CODE.sub(lambda found: f"`{unescape(found[1])}`", text)
    return _BARE_CHECKBOX.sub(r"\1", _with_boxes(text))


def _with_boxes(text: str) -> str:
    """The text with the boxes of its items as signs, where some are checked and say what is done; without them else."""
    is_told = any(box[2].strip() for box in _CHECKBOX.finditer(text))
    return _CHECKBOX.sub(
        lambda box: f"{box[1]}{'☑ ' if box[2].strip() else '☐ '}" if is_told else box[1], text
    )


def code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where fenced and inline code begins and ends: as many ticks close it as opened it, the next ones that do.

    Not one pattern: it would look through the whole text again for each fence that nothing closes.
    """
    runs = [match.span() for match in _TICKS.finditer(text)]
    openings = {match.start("ticks"): match.span() for match in _OPENING.finditer(text)}
    fences = _by_length((len(match["ticks"]), match.span()) for match in _CLOSING.finditer(text))
    inline = _by_length((end - begin, (begin, end)) for begin, end in runs)
    at = 0
    for begin, end in runs:
        if begin < at:
            continue
        first, past = begin, -1
        if begin in openings:
            line, body = openings[begin]
            fitting = (
                _first_from(fences[one], body) for one in sorted(fences, reverse=True) if one <= end - begin
            )
            first, past = line, next((one for one in fitting if one > 0), -1)
        if past < 0:
            first, past = begin, _first_from(inline[end - begin], end)
        if past > 0:
            yield first, past
            at = past


_Spans = tuple[list[int], list[int]]


def _by_length(found: Iterable[tuple[int, tuple[int, int]]]) -> dict[int, _Spans]:
    """Where runs of each length begin and end, ascending."""
    kept: dict[int, _Spans] = {}
    for length, (begin, end) in found:
        begins, ends = kept.setdefault(length, ([], []))
        begins.append(begin)
        ends.append(end)
    return kept


def _first_from(spans: _Spans, at: int) -> int:
    """The end of the first one that begins at `at` or later; -1 where none does."""
    begins, ends = spans
    place = bisect_left(begins, at)
    return ends[place] if place < len(begins) else -1


def escaped(words: str) -> str:
    """Words outside of code: elements of HTML left out, formulas kept, marks and emphasis escaped."""
    bare = _HTML.sub(
        "", _TOUCHING.sub(r"\1 ", _BREAK.sub(" ", _ENTITY.sub(lambda found: unescape(found[0]), words)))
    )
    if bare != words:
        bare = _GAP.sub("\n\n", bare)
    parts = _FORMULA.split(bare)
    parts[::2] = (_DUNDER.sub(_as_code, _MARK.sub(r"\\[", words)) for words in parts[::2])
    parts[1::2] = (_MARK.sub("{[}", formula) for formula in parts[1::2])
    return "".join(parts)


def _as_code(match: re.Match[str]) -> str:
    """A name such as `__init__` between ticks: one that has two underscores at its end, and before."""
    name = match[1].partition(".")[0].removesuffix("()")
    return f"`{match[1]}`" if name.find("__") <= len(name) - len("__x__") else match[1]

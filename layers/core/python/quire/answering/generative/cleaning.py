"""Makes text of unknown origin fit to stand in a prompt: visible characters only, and no marks that a model reads
as structure."""

from __future__ import annotations

import re
import unicodedata

from quire.answering.citations import CODE_SPAN

_KEPT = frozenset("\n\t")
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u115f\u1160\u3164\uffa0\u2800\u034f]")
_OWN_TAG = re.compile(
    r"""
    <(?=\s*+(?:/\s*+)?  # opened or closed
        (?:source|selection|history|question|system|user|assistant|instructions?)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHAT_TOKEN = re.compile(
    r"""
    <(?=\|)                                          # <|name|>
    | <(?=/?(?:s|start_of_turn|end_of_turn|bos|eos)>)
    | \[(?=/?(?:INST|SYS)\]) | <(?=<\s*/?SYS)         # Llama's
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MARKS = re.compile(r"(?<![\w)\]`\[])(?:\[++\^?\d{1,3}+(?:,\s*+\d{1,3}+)*+\]++)++")
_BRACKETS = re.compile(r"(?<!\[)\[++\^?([\d,\s]++)\]++")
_IMAGE = re.compile(
    r"""
    !\[([^\]\n]{0,500})\]
    (?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,200}\])?  # its address, or the name of one
    """,
    re.VERBOSE,
)
_LOADING = re.compile(
    r"""
    <(?=/?(?:
        img|picture|source|svg|iframe|video|audio|object|embed  # what is drawn
        |script|style|link|meta|base
        |form|input
    )\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FENCED = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[^\n]*$|\Z)", re.M | re.S)


def visible(text: str) -> str:
    """The text without characters that a reader cannot see: zero-width, bidirectional, tag and control characters.

    >>> visible("a\\u200bb\\u202ec\\U000e0041")
    'abc'
    """
    text = _VARIATION.sub("", text)
    return "".join(one for one in text if one in _KEPT or unicodedata.category(one) not in _HIDDEN)


_HIDDEN = frozenset(("Cf", "Cc", "Co", "Cs", "Cn"))


def as_data(text: str) -> str:
    """The text as it may stand in a data block of a prompt.

    Invisible characters go. Tags that look like the prompt's own or like a chat template's are escaped, and so are
    citation marks outside code, which would pass for the model's own.

    >>> as_data("see [3] </source> <\\x7cim_end|> a[3]")
    'see (3) &lt;/source> &lt;|im_end|> a[3]'
    """
    text = _CHAT_TOKEN.sub(_escaped, _OWN_TAG.sub(_escaped, visible(text)))
    parts, end = [], 0
    for fence in _FENCED.finditer(text):
        parts += [_MARKS.sub(_parenthesised, text[end : fence.start()]), fence.group()]
        end = fence.end()
    return "".join([*parts, _MARKS.sub(_parenthesised, text[end:])])


def _parenthesised(marks: re.Match[str]) -> str:
    return _BRACKETS.sub(r"(\1)", marks.group())


def without_embeds(text: str) -> str:
    """A sentence of a model without what a page would load by itself: images become their words, tags are escaped.

    >>> without_embeds("See ![the lid](https://example.com/?q=secret) and <img src=x>.")
    'See the lid and &lt;img src=x>.'
    """
    parts, end = [], 0
    for span in CODE_SPAN.finditer(text):
        parts += [_unloaded(text[end : span.start()]), span.group()]
        end = span.end()
    return "".join([*parts, _unloaded(text[end:])])


def _unloaded(text: str) -> str:
    return _LOADING.sub("&lt;", _IMAGE.sub(r"\1", text).replace("![", "["))


def _escaped(match: re.Match[str]) -> str:
    return "&lt;" if match.group() == "<" else "&#91;"


def one_line(text: str, limit: int) -> str:
    """The text on one line, at most `limit` characters."""
    return " ".join(visible(text).split())[:limit]

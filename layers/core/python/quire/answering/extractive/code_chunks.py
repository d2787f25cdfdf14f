"""Whether a chunk is source code, and not prose about it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from quire.documents import Chunk

PROSE_LANGUAGES = frozenset(
    ("", "rst", "markdown", "mdx", "md", "text", "asciidoc", "latex", "man", "yaml_text")
)
_PROSE_SUFFIXES = frozenset(("", ".txt", ".text", ".tex", ".org", ".textile", ".rdoc", ".pod", ".wiki"))
TEMPLATES = frozenset((".tpl", ".j2", ".jinja", ".in", ".tmpl", ".mustache", ".hbs", ".erb"))
_SOURCE_OF_PAGE = re.compile(r"\s*+(?:<[!A-Za-z/]|\{[%{#])")
_ELEMENT = re.compile(r"</?(?:script|style|div|span|table|ul|li|form|body|html)\b")
_SIGNATURE = re.compile(r"^(?:func|def|class|type|fn|var|const|struct)\b", re.MULTILINE)
_STATEMENT = re.compile(
    r"""
    [\w.\[\]]++[ ]?=[^=]                                 # sets something
    | (?:import|from|def|return|let|const|var)\b.*[\w;:)]$  # begins as statements do
    """,
    re.VERBOSE,
)
_ROFF = re.compile(r"\.(?:$|(?:[A-Z]{1,2}|br|nf|fi|sp|ie?|el|de|so)(?![\w.]))")
"""A request of a manual page's source, under a suffix that nothing reads as one."""


def is_code_chunk(chunk: Chunk) -> bool:
    """Whether the chunk is source code, and not prose about it; a template is, whatever it makes."""
    language = str(chunk.metadata.get("lang") or "")
    if suffix_of_chunk(chunk) in TEMPLATES:
        return True
    if language == "html":  # what is left of its text, or the source of a page
        return bool(_SOURCE_OF_PAGE.match(chunk.text) or _ELEMENT.search(chunk.text))
    if language == "text":  # a file of no known kind, cut in windows
        is_prose = suffix_of_chunk(chunk) in _PROSE_SUFFIXES
        return _is_set_in(chunk.text) or _is_dump(chunk.text) if is_prose else looks_like_code(chunk.text)
    return language not in PROSE_LANGUAGES


def suffix_of_chunk(chunk: Chunk) -> str:
    """How the name of the chunk's file ends, in lower case."""
    return PurePosixPath(str(chunk.metadata.get("path") or "")).suffix.lower()


def _is_set_in(text: str) -> bool:
    """Whether a plain text is laid out by its indentation, as a dump of an API is: prose would join its lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    return (
        sum(line.startswith(("    ", "\t")) for line in lines) * 3 > len(lines)
        and _SIGNATURE.search(text) is not None
    )


def _is_dump(text: str) -> bool:
    """Whether a plain text lists signatures or settings, a line each: none of its lines is a sentence's."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    signed = sum(any(sign in line for sign in "(<=[{;") for line in lines)
    ended = sum(line.endswith((".", ":", ",")) or ". " in line for line in lines)
    return 2 * signed > len(lines) > 1 and 5 * ended < len(lines) and looks_like_code(text)


def looks_like_code(text: str) -> bool:
    """Whether it has the signs of code: prose has them in less than one character of a hundred, or data's commas."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    is_data = (
        len(lines) > 2 and sum(line[0] in '"}]' and line[-1] in ",{[}]" for line in lines) > len(lines) / 2
    )
    if 8 * sum(map(bool, map(_ROFF.match, lines))) > len(lines):
        return True
    is_listed = len(lines) > 1 and sum(map(bool, map(_STATEMENT.match, lines))) > len(lines) / 2
    return is_data or is_listed or sum(map(text.count, "{}();=<>[]_")) > len(text) / 40

"""Markup of notes that link as wikis do: Obsidian's, which Foam, Quartz, Dendron and Logseq share in part."""

from __future__ import annotations

import re

from markdown_it.rules_inline import StateInline

SIGNS = re.compile(r"!\[\[[^\[\]\n]|\[\[[^\[\]\n|#]*+[|#][^\[\]\n]++\]\]")
"""What no other Markdown has: an embedded file, a link with words of its own, a link to a heading."""

_MARKUP = re.compile(
    r"""
    !\[\[ [^\[\]\n]{1,500}+ \]\]                          # an embedded file is not on this page
    | \[\[ (?P<target>[^\[\]\n|]{1,500}+) (?:\\?\|(?P<words>[^\[\]\n]{1,500}+))? \]\](?!\()
    | %%(?:(?!%%).){0,5000}+%%                               # a comment of the writer
    | ==(?P<marked>\S(?:[^=\n]{0,500}\S)?)==
    | (?<=\s)\^[A-Za-z0-9-]{1,100}+ (?=[ \t]*(?:\n|\Z))     # the name that links give to a block
    """,
    re.VERBOSE | re.DOTALL,
)


_LINK_OR_CODE = re.compile(
    r"""
    (?P<code> ^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+(?:\n(?![ ]{0,3}(?P=fence))[^\n]*+)*+ (?:\n[^\n]*+)?+
      | `[^`\n]{1,500}+` )
    | !\[\[ [^\[\]\n]{1,500}+ \]\]                       # an embedded file
    | \[\[ (?P<target>[^\W_][^\[\]\n|]{0,500}+|\#[^\[\]\n|]{1,500}+) (?:\\?\|(?P<words>[^\[\]\n]{1,500}+))? \]\](?!\()
    | (?P<comment>%%(?:(?!%%)[\s\S]){0,5000}+%%)
    | ==(?P<marked>[^\s=][^=\n]{0,500}+(?<!\s))==
    | (?<=\s)\^[A-Za-z0-9-]{1,100}+ (?=[ \t]*(?:\n|\Z))
    """,
    re.MULTILINE | re.VERBOSE,
)


def plain_links(text: str, *, everywhere: bool = False) -> str:
    """Markdown with links of notes by what they show, as many lines as before; code stays as it is. In a vault
    they are links `everywhere`, else where the text has a sign of such notes.

    >>> plain_links("Use [[Oars|the oars]] of [[Boats#Kinds]], ![[oar.png]] or `[[a]]`. %%Mind%% ^oars")
    'Use the oars of Boats > Kinds,  or `[[a]]`.  '
    """
    if not everywhere and not SIGNS.search(text):
        return text
    return _LINK_OR_CODE.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    if found["comment"]:
        return "\n" * found["comment"].count("\n")
    return found["code"] or found["words"] or link_words(found["target"] or "") or found["marked"] or ""


def read_wiki_markup(state: StateInline, silent: bool) -> bool:
    """Rule of inline Markdown: a link says its words, or what it leads to; what is not shown says nothing."""
    found = _MARKUP.match(state.src, state.pos, state.posMax) if state.src[state.pos] in "![%=^" else None
    if found is None:
        return False
    if not silent:
        words = found["words"] or link_words(found["target"] or "") or found["marked"]
        state.append_pending(words or "\n" * found[0].count("\n"))  # lines stay where they are
    state.pos = found.end()
    return True


def link_words(target: str) -> str:
    """What a link without words of its own shows.

    >>> link_words("Plans#Storage limits"), link_words("#Storage limits"), link_words("Plans#^table")
    ('Plans > Storage limits', 'Storage limits', 'Plans')
    """
    page, *headings = (one.strip() for one in target.rstrip("\\").split("#"))
    return " > ".join(one for one in (page, *headings) if one and not one.startswith("^"))

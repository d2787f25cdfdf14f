"""Chunks that are no evidence for an answer: word lists, names of people, licences, locale files, generated data.

They hold words of any question and answer none; they stay findable, and speak where a question asks for them. Notes of
releases tell what was new once, which may be long gone: they speak last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents import Chunk, Hit

FEWEST_LINES = 6
LISTED = 0.8
"""A text file is a list where so many of its lines are whole in themselves."""
LONGEST_ENTRY = 16
_STRING_LINE = re.compile(r"""[rbuf]?(?:"[^"]*"|'[^']*'),?""")

_KINDS = (
    (
        re.compile(r"\b(?:licen[cs]|copyright|legal|warrant|open[- ]source)", re.I),
        re.compile(
            r"""
            (?:^|[/_.-]) (?:licen[cs]es?|copying|notice|patents) (?:[/_.-]|$)  # a whole word of the path
            | third[_-]?party (?:[_-]?(?:notices?|licen[cs]es?|software))? (?:\.\w+)?$  # and no page on a third party
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
    ),
    (
        re.compile(r"\b(?:contribut|author|maintain|credit|thank|people|who)", re.I),
        re.compile(
            r"""
            (?:^|/)
            (?:contributors?|authors?|thanks|credits|maintainers|codeowners|all-contributorsrc)
            (?:\.\w+)?$  # with any ending, or none
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
    ),
    (
        re.compile(r"\b(?:locale|translat|i18n|l10n|language)", re.I),
        re.compile(
            r"""
            (?:^|/)(?:locales?|lang|langs|translations?|i18n)/.*
            \.(?:po|pot|mo|json|ya?ml|xlf|properties|strings)$
            | \.(?:po|pot|xlf|strings)$  # wherever it lies
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
    ),
    (
        re.compile(r"\b(?:spell|stop ?words?|word ?lists?|dictionar|vocabular)", re.I),
        re.compile(
            r"""
            (?:^|[/_.-])(?:spelling|wordlists?|words|stop_?words|dictionary|vocab|dict)[\w-]*
            \.(?:txt|dic|csv|json)$
            | \.dic$  # of a spelling checker
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
    ),
    (
        re.compile(
            r"""
            \b(?:
                lock | depend | pin(?:ned|s)?\b | requirement  # of lock files
                | generated | minified | snapshot
                | bandit
            )
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        re.compile(
            r"""
            (?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|[\w.-]+\.lock|go\.sum|bandit\.json)$
            | \.min\.(?:js|css)$ | \.(?:map|snap)$
            | [._-]generated?\.\w+$ | (?:^|/)(?:generated|__snapshots__)/  # written by a program
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
    ),
)


_RELEASES = re.compile(
    r"""
    (?:^|/) (?: change[-_]?logs? | changes | history | news | release[-_]?notes? | releases? | what[-_]?s[-_]?new )
    (?: [-_/.]v?\d[\w.-]*+ )?          # of one version
    (?: \.(?:md|mdx|rst|txt|adoc|html) )?+ $
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKS_FOR_RELEASES = re.compile(
    r"""
    \b(?: versions? | releases? | releas(?:ed|ing) | change[ds]? | changelogs? | changing | new | news | added | removed
      | dropped | fixed | since | history | deprecat\w* | upgrad\w* | migrat\w* | breaking | renamed
      | introduced | bugs? | v?\d+\.\d+ )\b  # a version's number
    """,
    re.IGNORECASE | re.VERBOSE,
)


def evidence_of(question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits that may speak for an answer, in their order; notes of releases last, unless they are asked for."""
    told = [hit for hit in hits if not _is_no_evidence(question, hit.chunk)]
    if _ASKS_FOR_RELEASES.search(question):
        return tuple(told)
    last = sorted(told, key=lambda hit: bool(_RELEASES.search(str(hit.chunk.metadata.get("path") or ""))))
    ranks = (hit.rank for hit in told)
    return tuple(hit._replace(rank=rank) for hit, rank in zip(last, ranks, strict=True))


def _is_no_evidence(question: str, chunk: Chunk) -> bool:
    path = str(chunk.metadata.get("path") or "")
    kind = next((asked for asked, places in _KINDS if path and places.search(path)), None)
    if kind is not None:
        return not kind.search(question)
    if chunk.metadata.get("lang") == "text":
        return is_listing(chunk.text)
    return is_data(chunk.text) and not any(name.casefold() in question.casefold() for name in chunk.symbols)


def is_listing(text: str) -> bool:
    """Whether the lines of a text file are entries of a list rather than sentences of a paragraph.

    >>> is_listing("apple\\npear\\nplum\\ncherry\\nfig\\ndate"), is_listing("One sentence that is long\\nand goes on.")
    (True, False)
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < FEWEST_LINES:
        return False
    entries = sum(_is_entry(line) for line in lines)
    return entries >= LISTED * len(lines)


def is_data(text: str) -> bool:
    r"""Whether source code is little else than strings: samples, messages or words, one a line.

    >>> is_data('NAMES = (\n' + '    "Ada",\n' * 9 + ')')
    True
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    strings = sum(bool(_STRING_LINE.fullmatch(line)) for line in lines)
    return len(lines) >= FEWEST_LINES and strings >= LISTED * len(lines)


def _is_entry(line: str) -> bool:
    """A word or two, a name with a date or address, or one whole question or sentence."""
    words = line.split()
    whole = line[-1] in ".?!>)" or line[-1].isdigit()
    return len(words) <= 3 or (whole and len(words) <= LONGEST_ENTRY and not line[0].islower())

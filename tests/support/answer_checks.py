"""What a reader sees at once in an answer without a model: broken code, cut lists, reversed passages, dead marks.

Each check takes an answer as a whole, text and citations, and names what is wrong; an empty list means nothing is.
They look at the stored text beside the shown one, and share no code with what writes answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from quire.answering.request import Answer
from quire.documents import Citation

LONG_BLOCK = 1_500
"""A list or table longer than this may be shown in part, whole items at a time."""

_FENCED = re.compile(r"^( *)(`{3,}|~{3,})[^\n]*\n.*?^ *\2[`~]*[ \t]*$", re.M | re.S)
_EMPTY_FENCE = re.compile(r"[^\n]*\n\s*[`~]+\s*")
LONG_QUOTE = 80
_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_MARK = re.compile(r"(?<!\\)\[(\d{1,3})\](?!\()")
_CODE_LINE = re.compile(
    r"""\s*(?:
      (?:def|class|import|const|let|var|local|function|return|raise|elif|except|while|with|if)\b.*(?:[({:;=]|\))$
    | for\b(?:.*\bin\b.*:|.*[({;=]|.*\))$   # "for example, if you do:" is a sentence
    | (?:else|try|finally):$
    | from\ [\w.]+\ import\ | import\ [\w.]+$
    | @\w[\w.]*(?:\(.*)?$                  # a decorator
    | self\.\w | \"\"\" | [\w.\[\]]+\s*=\s*[\w"'({\[]
    | [\w.]+\(.*\)$                         # a call alone
    | .*(?:[)\]}"'];|[{}])$
    )""",
    re.X,
)
_DUNDER = re.compile(r"(?<![\w\\`])__\w+__")
_ROLE = re.compile(r"(?<!`):[a-z][\w:+.-]*:`|^\s*\.\. (?:[a-z]+:)?[\w-]+::|^\s*:param |<!--", re.M)
_OTHER_MARKUP = re.compile(
    r"""
    !\[[^\]\n]*\][(\[]                       # a picture
    | \{\{[<%].*[>%]\}\} | ^\s*\{%.*%\}      # a shortcode, a template's tag
    | (?:link|xref|image|include):[^\s\[]*\[ # of AsciiDoc
    | \{[a-z][\w-]*\}[^\s\[]*\[[^\]\n]*\]   # the same, whose target is an attribute
    | ^\s*</?[A-Z]\w*(?:\s[^<>\n]*)?/?>\s*$  # a component
    | </?(?:div|span|table|tr|td|p|a|img)\b   # HTML
    | ^={3,}\s*$                             # a title's row
    """,
    re.M | re.X,
)
_CODE_OF_PLACE = re.compile(r"\[\d{1,3}\]\n\n(```.*?^```)$", re.M | re.S)
_TORN_FENCE = re.compile(r"(?:(?! *```).*\n)*+ *```[ \t]*(?:\n[ \t]*(?=\n)|$)")
_CLOSER = re.compile(r"(?:[})\]]|end)[;,)]*|[{(\[]|\#(?:endif|else)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")
_ROW = re.compile(r"\S.* \| \S|^\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")


def problems(given: Answer) -> list[str]:
    """Every finding, by name: `unfenced code`, `cut list`, `table without head`, `said twice`, `dead mark`, ..."""
    if not given.answerable:
        return []
    bare = _SPAN.sub("`", _FENCED.sub("", given.text))
    return [
        *(["broken fence"] if _has_open_fence(given.text) else []),
        *(["empty fence"] if any(map(_EMPTY_FENCE.fullmatch, _fences(given.text))) else []),
        *(["said twice"] if _says_twice(given.citations) or _repeats_end(given.citations) else []),
        *(["unfenced code"] if _has_code(bare) else []),
        *(["markup left"] if _ROLE.search(bare) or _OTHER_MARKUP.search(bare) else []),
        *(["frame of code"] if any(map(_has_frame, _CODE_OF_PLACE.findall(given.text))) else []),
        *(["table without head"] if _has_headless_table(bare) else []),
        *(
            f"cut {kind}"
            for before, one, after in zip(
                [None, *given.citations], given.citations, [*given.citations[1:], None], strict=False
            )
            for kind in _cut(one, before, after)
        ),
        *(["reversed"] if _is_reversed(given.citations) else []),
        *_dead_marks(given, bare),
    ]


def _fences(text: str) -> list[str]:
    return [match.group() for match in _FENCED.finditer(text)]


def _says_twice(citations: tuple[Citation, ...]) -> bool:
    """Whether a quote of some length holds another one."""
    said = [" ".join(one.quote.split()) for one in citations]
    return any(
        one != other and len(said[other]) >= LONG_QUOTE and said[other] in said[one]
        for one in range(len(said))
        for other in range(len(said))
    )


def _repeats_end(citations: tuple[Citation, ...]) -> bool:
    """Whether a quote begins with the paragraph with which one before it in the document ends."""
    for place, one in enumerate(citations):
        opening = " ".join(one.quote.strip().partition("\n\n")[0].split())
        before = (
            other for other in citations[:place] if other.hit.chunk.document_id == one.hit.chunk.document_id
        )
        if len(opening) >= LONG_QUOTE and any(
            " ".join(other.quote.split()).endswith(opening) for other in before
        ):
            return True
    return False


def _has_frame(fence: str) -> bool:
    """Whether code shows nothing but signs, or closes at its end what it did not open."""
    lines = [line for line in fence.splitlines()[1:-1] if line.strip()]
    if not lines or all(_CLOSER.fullmatch(line.strip()) for line in lines):
        return True
    depths = [len(line) - len(line.lstrip()) for line in lines]
    return depths[-1] < depths[0] and bool(_CLOSER.fullmatch(lines[-1].strip()))


def _has_open_fence(text: str) -> bool:
    return bool(re.search(r"^ *(?:```|~~~)", _FENCED.sub("", text), re.M))


def _has_code(bare: str) -> bool:
    """Two lines of code in a row outside a fence, a heading that was a comment, or a name that lost its underscores."""
    lines = bare.splitlines()
    signs = [bool(_CODE_LINE.match(line)) and not _ITEM.match(line) for line in lines]
    return (
        any(one and other for one, other in pairwise(signs))
        or any(
            re.match(r" {4,}\S", line) and not _ITEM.match(line) and sign
            for line, sign in zip(lines, signs, strict=True)
        )
        or bool(_DUNDER.search(bare))
    )


def _has_headless_table(bare: str) -> bool:
    """A run of rows whose second line is no separator."""
    run: list[str] = []
    for line in [*bare.splitlines(), ""]:
        is_row = _ROW.search(line) and not _ITEM.match(line)
        if is_row or (line.strip() and _TABLE_RULE.match(line)):
            run.append(line)
        else:
            if len(run) > 1 and not _TABLE_RULE.match(run[1]):
                return True
            run = []
    return False


def _cut(citation: Citation, before: Citation | None, after: Citation | None) -> Iterator[str]:
    """Kinds of blocks of the stored text that the quote holds in part only.

    What the quotes before and after it say is not missing: chunks repeat each other's ends.
    """
    text = citation.hit.chunk.text
    lang = str(citation.hit.chunk.metadata.get("lang") or "")
    if lang not in ("", "rst", "markdown", "md"):
        return
    for kind, start, end in _blocks(text):
        if kind == "code" and lang == "rst":  # rows of ~ underline titles there
            continue
        overlaps = citation.start < end and start < citation.end
        said = before is not None and text[start : citation.start].strip() in before.quote
        goes_on = after is not None and after.quote.lstrip().startswith(text[citation.end : end].strip())
        # Code may end early, at a statement, but not begin in its midst.
        goes_on = goes_on or kind == "code"
        whole = (said or citation.start <= start) and (goes_on or end <= citation.end)
        if overlaps and not whole and end - start <= LONG_BLOCK:
            yield kind


def _blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """Lists, tables and fenced code of a text with their spans; what stands in code is none."""
    fenced = _spans(text)
    if torn := _TORN_FENCE.match(text):  # the chunk begins in the midst of code
        fenced = [
            torn.span(),
            *((torn.end() + one, torn.end() + end) for one, end in _spans(text[torn.end() :])),
        ]
    yield from (("code", *span) for span in fenced)
    kind, first, last, position, marker = "", 0, 0, 0, 0
    for line in [*text.splitlines(keepends=True), ""]:
        start, position = position, position + len(line)
        stripped = line.rstrip()
        inside = any(begin <= start < end for begin, end in fenced)
        new = "" if inside else "list" if _ITEM.match(line) else "table" if _ROW.search(stripped) else ""
        indent = len(line) - len(line.lstrip())
        deep = max(2, marker + 1)  # what an item holds stands deeper than its mark
        continues = kind == "list" and not inside and (not stripped or indent >= deep)
        if new == kind and kind:
            last = start + len(stripped)
        elif continues and line:
            last = start + len(stripped) if stripped else last
        else:
            if kind and text[first:last].count("\n"):
                yield kind, first, last
            kind, first, last, marker = new, start + indent, start + len(stripped), indent


def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _FENCED.finditer(text)]


def _is_reversed(citations: tuple[Citation, ...]) -> bool:
    """Whether two passages of one chunk, or of one file, one after the other, stand against their order."""
    for one, other in pairwise(citations):
        if one.hit.chunk.id == other.hit.chunk.id and other.start < one.start:
            return True
    places: dict[str, int] = {}
    for citation in citations:
        before = places.get(citation.hit.chunk.id, -1)
        if citation.start < before:
            return True
        places[citation.hit.chunk.id] = citation.start
    return False


def _dead_marks(given: Answer, bare: str) -> list[str]:
    marks = {int(number) for number in _MARK.findall(bare)}
    numbers = {citation.n for citation in given.citations}
    return [
        *(["dead mark"] if marks - numbers else []),
        *(["source without mark"] if numbers - marks else []),
    ]

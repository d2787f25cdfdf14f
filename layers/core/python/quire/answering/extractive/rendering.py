"""How a quote looks in an answer: Markdown that renders as the source meant it, while the citation keeps exact bytes.

Code is fenced with its language and dedented. Tables get their head and separator, reStructuredText and MDX lose their
markup, and what looks like a citation mark in the source's own words is escaped.
"""

from __future__ import annotations

import re
import textwrap
from functools import reduce
from itertools import accumulate, groupby, takewhile
from operator import itemgetter
from typing import TYPE_CHECKING

from quire.analysis.symbols import written_symbol
from quire.answering.citations import linked, section_at, sections_of, where_of
from quire.answering.extractive.blocks import (
    CODE,
    HEADING,
    LIST,
    PARAGRAPH,
    TABLE,
    QuoteBlock,
    is_table_row,
    split_blocks,
)
from quire.answering.extractive.code_chunks import TEMPLATES, is_code_chunk, looks_like_code, suffix_of_chunk
from quire.answering.extractive.code_lines import (
    defined_words,
    docstring_around,
    end_of_torn_docstring,
    in_comments,
    in_docstrings,
)
from quire.answering.extractive.passages import CSV_ROW
from quire.answering.extractive.plain_words import (
    IMAGES,
    code_block,
    code_spans,
    depth_of,
    escaped,
    plain_words,
)
from quire.answering.extractive.rst_text import (
    INDEX_PAGES,
    KEPT_LINES,
    SUBSTITUTION,
    csv_cells,
    defined_names,
    drawn_rows,
    grid_with_head,
    plain_cell,
    plain_roles,
    plain_rst,
    titled_references,
    told_names,
    told_options,
)
from quire.answering.extractive.trails import trail_at
from quire.documents import Chunk, Citation
from quire.parsing.formats import CONVERTED, UNITS, fence_of
from quire.parsing.line_maps import LINE_MAP, PART_MAP, lines_at, parts_at
from quire.parsing.rst import TITLES, rst_anchors
from quire.parsing.scan import fence_behind

if TYPE_CHECKING:
    from quire.parsing.readable import ReadablePart

WRITTEN = frozenset(("markdown", "asciidoc"))
"""Languages of pages; where code is indexed, their chunks have lines of their files."""
_MARKDOWN_SUFFIXES = frozenset((".md", ".mdx", ".markdown", ".qmd", ".rmd"))
SET_IN = 4
"""Characters before each line of what a plain text shows as code."""
MOST_SYMBOLS = 3
FENCE_NAMES = {"shell": "bash", "makefile": "make", "c_sharp": "csharp", "batch": "bat"}
HASH_COMMENTS = frozenset(
    ("python", "ruby", "shell", "yaml", "toml", "makefile", "elixir", "perl", "r", "julia")
)

_FENCE_LINE = re.compile(r"( {0,3})(`{3,}|~{3,})[^\S\n]*([\w+#.-]*)[^\n]*")
_FENCE_TITLE = re.compile(
    r"""
    \b (?:title|filename) = (?: "([^"`\n]{1,120})" | '([^'`\n]{1,120})' )  # as Docusaurus, MkDocs and Nextra do
    """,
    re.VERBOSE,
)
_COMMENT_ENDS = r"[ \t]*+(?:-->|\*/\}?+)?+[ \t]*+"
_LIT = re.compile(
    rf"""
    ^[ \t]*+(?://|\#|--|<!--|\{{?/\*)[ \t]*+highlight-(?:next-line|start|end){_COMMENT_ENDS}(?:\n|\Z)  # Docusaurus
    | (?<![ \t])[ \t]*+(?://|\#|--|<!--|\{{?/\*)[ \t]*+\[!code[ ][^\]\n]{{1,40}}+\]{_COMMENT_ENDS}$  # VitePress, Shiki
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Comments that say which lines of code a page lights up."""
_TOLD = re.compile(
    r"""
    ["'(]*+[A-Za-z](?:[^\W\d_]|[\s,;:'"()/-]|\d++(?![ ]?[=;+*])|\.(?=\s)){40,}+[.:;,]?+  # sentences, of letters
    """,
    re.VERBOSE,
)
"""What is set in for the look of it: prose, of several lines or one."""
_COLUMNS = re.compile(r"\S[ \t]{3,}+\S")
_ANY_FENCE = re.compile(r"( *+)(`{3,}+|~{3,}+)(.*)")
_COMMENT = re.compile(r"<!--[^<>]*-->")
_HOLDS_BLOCKS = re.compile(
    r"""
    [ ]{0,3}(?:[-*+•:] | \d{1,3}[.)] | \[\^ | > | </?[A-Za-z] | \{[%{<] )  # an item, a footnote, a quote, an element
    """,
    re.VERBOSE,
)
_EMPHASIS = re.compile(r"\*\*(\S[^*\n]{0,200})\*\*")
"""Of words in a title, which is all set in bold."""
_HEADING_MARK = re.compile(r"#{1,6} +")
_CLOSING_MARK = re.compile(r"(?<=\S)[ \t]++#++$")
"""Markdown lets a heading end as it begins: `## Options ##`."""
_WORD = re.compile(r"\w++")
_NAME = re.compile(r"\w++[?!]?+")
"""Ruby's names may end in a sign."""
_TAGGED = re.compile(
    r"""
    (?<![\w.:\\])[\w.:]*+<[A-Za-z/!][^<>]{0,200}+>  # a whole one, with the name before it
    | (?<!\\)<(?=[A-Za-z/!])            # what begins one
    """,
    re.VERBOSE,
)
"""In a title without its ticks: what shows Markdown would take `Box<T>` for an element, and leave it out."""
_NOTE_SIGNS = re.compile(r"(?<=\s)\*++$")
_TITLE_END = re.compile(r"(?<!\s)\s*+\\?\{(?::?[ \t]*+[#.]|/\*)[^{}\n]*+\}\s*+$")
"""The fragment or class of a heading, as `{#install}` or `{/* #install */}`."""
_UNDER_LINE = re.compile(r"[-=`:.'\"~^_*+#<>]{3,}\s*")
_RST = re.compile(
    r"""
    :[a-z]+:`[^`\n]+` | `[^`\n]+`__?(?!\w)  # a role, a link
    | ^\.\.[ ](?:[\w-]+::|_) | \w::\n\n[ ]+\S  # a directive, a target, a literal block
    """,
    re.MULTILINE | re.VERBOSE,
)
_GRID = re.compile(r"^[ \t]*+\+(?:[-=]++\+)++[ \t]*+$", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(
    r"""
    \s*+(?:\|\s*+)?:?-{2,}+:?          # the first column, with how it is aligned
    \s*+(?:\|\s*+:?-{2,}+:?\s*+)*+     # the others
    (?:\|\s*+)?
    """,
    re.VERBOSE,
)


LEFT_OUT = "…"
"""Stands below a list or table of which more follows than an answer shows."""


def shown(*parts: Citation, is_cut: bool = False) -> str:
    """A quote as Markdown, with its mark outside of every block; several parts that one block is torn into as one.

    Below a list or table that `is_cut`, of which the source has more, stands `LEFT_OUT`.
    """
    if is_code_chunk(parts[0].hit.chunk):
        return _code(parts[0])
    text = reduce(_gone_on, map(_prose, parts))
    marks = " ".join(f"[{part.n}]" for part in parts)
    if is_cut:
        return f"{text}\n\n{LEFT_OUT} {marks}"
    last = text.rpartition("\n")[2].strip()
    if last.startswith(("|", ">")):
        return f"{text}\n\n{marks}"
    is_block = last.startswith(("```", "~~~")) or re.match(r"\s*(?:[-*+]|\d{1,3}[.)])\s", last)
    return f"{text}\n{marks}" if is_block else f"{text} {marks}"


def _gone_on(before: str, after: str) -> str:
    """Two parts of what one block is torn into; rows of a table stand below the head that they have already."""
    head, _, rows = after.partition("\n")
    is_row = before.rpartition("\n")[2].startswith("|") and head.startswith("|")
    if is_row and (not head.strip("| ") or head in before.splitlines()):
        return "\n".join((before, rows.partition("\n")[2]))
    return ("\n\n" if is_row else "\n").join((before, after))


def place_line(chunk: Chunk, start: int, end: int) -> str:
    """Symbols and place of `chunk.text[start:end]`, such as "`Task.retry`, app/task.py:680-721"."""
    path, line = str(chunk.metadata.get("path") or chunk.document_id), chunk.metadata.get("start_line")
    symbols = [one for one in _symbols_in(chunk, start, end) if not path.endswith(one)]
    if isinstance(line, int):
        first, last = _lines(chunk.text, line, start, end)
        path = f"{path}:{first}-{last}" if last > first else f"{path}:{first}"
    place = f"`{path}`" if "__" in path else path
    return ", ".join([*(f"`{_written(one, chunk)}`" for one in symbols), place])


def _written(symbol: str, chunk: Chunk) -> str:
    return written_symbol(symbol, str(chunk.metadata.get("lang") or ""), chunk.text)


def _lines(text: str, line: int, start: int, end: int) -> tuple[int, int]:
    """First and last line of `text[start:end]` in a file in which the text begins on that line."""
    first = line + text.count("\n", 0, start)
    return first, first + text[start:end].rstrip("\n").count("\n")


def _symbols_in(chunk: Chunk, start: int, end: int) -> list[str]:
    """What the shown part defines: up to three symbols beside one another, without their members; of a part from the
    midst of a definition that one. What stands between definitions has none."""
    if apart := _defined_in(chunk, start, end):
        return apart[:MOST_SYMBOLS]
    if chunk.metadata.get("kind") == "module":
        return []
    before = _defined_in(chunk, 0, start)
    own = before[-1] if before else chunk.metadata.get("symbol") or next(iter(chunk.symbols), "")
    return [str(own)] if own else []


def _defined_in(chunk: Chunk, start: int, end: int) -> list[str]:
    named = dict[str, str]()
    for symbol in chunk.symbols:
        named.setdefault(symbol.rpartition(".")[2], symbol)
    names = [name for name in named if name.strip("_")]
    lines = chunk.text[start:end].splitlines()
    noted = map(max, in_comments(lines), in_docstrings(lines))
    strict = set().union(
        *(defined_words(line) for line, is_note in zip(lines, noted, strict=True) if not is_note)
    )
    # What stands behind a sign of equality is used there, and defined elsewhere.
    words = (
        strict
        if strict.intersection(names)
        else {
            word
            for line in lines
            for name in _NAME.findall(line.partition("=")[0])
            for word in (name, name.rstrip("?!"))
        }
    )
    visible = [named[name] for name in names if name in words]
    own = str(chunk.metadata.get("symbol") or "")  # modules that are opened around it are named by it
    visible = [one for one in visible if not own.startswith(f"{one}.")]
    return [one for one in visible if not any(one.startswith(f"{holder}.") for holder in visible)]


def quoted_part(citation: Citation) -> Chunk:
    """The chunk with the place of what is quoted of it.

    That are its lines, where they are known, of code what the quote defines, of a page the section that it was
    chosen for: a chunk may hold several.
    """
    chunk, known = citation.hit.chunk, dict(citation.hit.chunk.metadata)
    for name in (LINE_MAP, PART_MAP):  # of the whole text
        known.pop(name, None)
    if (lines := lines_at(chunk, citation.start, citation.end)) is not None:
        known["start_line"], known["end_line"] = lines
    if is_code_chunk(chunk):
        symbol = next(iter(_symbols_in(chunk, citation.start, citation.end)), "")
        known["symbol"] = known["heading"] = symbol
        path = str(known.get("path") or chunk.document_id)
        told = f"{path} › {_written(symbol, chunk)}" if symbol else path
        return chunk._replace(metadata=known, breadcrumb=told)
    if known.get("kind") not in (None, "section"):
        return chunk._replace(metadata=known)
    names = section_trail(chunk, citation.answers_at)
    if sections_of(chunk)[0]:
        _, known["heading"], known["url"] = where_of(chunk, section_at(chunk, citation.answers_at))
    elif names and "kind" in known:
        known["symbol"] = known["heading"] = " › ".join(names)
        known["url"] = _section_url(chunk, citation.answers_at)
    known.update(_parts_quoted(citation, str(known.get("url") or "")))
    page = chunk.breadcrumb.partition(" › ")[0]
    return chunk._replace(metadata=known, breadcrumb=" › ".join((page, *names)))


def _parts_quoted(citation: Citation, url: str) -> dict[str, int | str]:
    """The pages, cells or slides that the quote stands on, and the address of the first page, where that is one."""
    chunk = citation.hit.chunk
    first, last = parts_at(chunk, citation.start, citation.end) or (0, 0)
    unit = next((one for one in UNITS.values() if first and one in chunk.metadata), "")
    address = {"url": f"{url.partition('#')[0]}#page={first}"} if url and unit == "page" else {}
    return {unit: first, f"end_{unit}": last, **address} if unit else {}


def section_trail(chunk: Chunk, place: int) -> tuple[str, ...]:
    """The headings of its page that `chunk.text[place:]` stands under, outermost first."""
    page, *names = chunk.breadcrumb.split(" › ")

    def read(title: str) -> str:
        words = as_read(chunk._replace(text=title.strip())).strip()
        words = plain_roles(words) if chunk.metadata.get("lang") == "rst" else words
        words = _CLOSING_MARK.sub("", words) if words.startswith("#") else words
        return _TITLE_END.sub("", words)

    found = trail_at(chunk.text, place, tuple(names), read=read)
    return found[1:] if found[:1] == (page,) else found  # a page's own title opens its trail


def _section_url(chunk: Chunk, place: int) -> str:
    """Where a site that Sphinx makes shows the section; of other pages of code bases no fragments are known."""
    page = chunk.url.partition("#")[0]
    if chunk.metadata.get("lang") != "rst" or not page or page.endswith(suffix_of_chunk(chunk)):
        return chunk.url
    line = chunk.text.count("\n", 0, place) + 1
    above = [fragment for row, fragment in rst_anchors(chunk.text) if row <= line]
    return f"{page}#{above[-1]}" if len(above) > 1 else chunk.url


def _code(citation: Citation) -> str:
    chunk = citation.hit.chunk
    language = str(chunk.metadata.get("lang") or "")
    line = place_line(chunk, citation.start, citation.end)
    suffix = suffix_of_chunk(chunk)
    unknown = language == "text" and suffix not in TEMPLATES
    name = fence_of(suffix) if unknown else FENCE_NAMES.get(language, language)
    if citation.start < end_of_torn_docstring(chunk.text):
        return f"{line} [{citation.n}]\n\n{code_block(citation.quote, 'text')}"
    begin, end = docstring_around(chunk.text, citation.start, citation.end)
    body = f"{begin}{citation.quote}{end or _ending(citation)}"
    return f"{line} [{citation.n}]\n\n{code_block(body, name)}"


def _ending(citation: Citation) -> str:
    """What stands below lines that end within a definition: that there is more of it."""
    chunk = citation.hit.chunk
    rest = chunk.text[citation.end :].lstrip("\n")
    depth = len(rest) - len(rest.lstrip())
    lines = citation.quote.splitlines()
    first = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    sign = "#" if chunk.metadata.get("lang") in HASH_COMMENTS else "//"
    if lines and not rest.strip() and lines[-1].endswith("{"):  # its members have chunks of their own
        last = len(lines[-1]) - len(lines[-1].lstrip())
        return f"\n{' ' * (last + SET_IN)}{sign} ..."
    if not rest.strip() or depth <= first or not any(map(_WORD.search, rest.splitlines()[:1])):
        return ""
    return f"\n{rest[:depth]}{sign} ..."


def _prose(citation: Citation) -> str:
    """The quote's blocks, each shown as its kind asks."""
    chunk = citation.hit.chunk
    if _is_written(chunk):
        text, start, end = _as_read(chunk, citation.start, citation.end)
        chunk = chunk._replace(text=text)
        hit = citation.hit._replace(chunk=chunk)
        citation = citation._replace(hit=hit, quote=text[start:end], start=start, end=end)
    # Behind the end of inline code in Markdown, "`, and `_`" has the form of a link of reStructuredText.
    is_markdown = suffix_of_chunk(chunk) in _MARKDOWN_SUFFIXES
    is_rst = chunk.metadata.get("lang") == "rst" or (not is_markdown and bool(_RST.search(citation.quote)))
    torn = _torn_code(chunk.text) if is_rst else 0
    parts = (
        [code_block(chunk.text[citation.start : min(torn, citation.end)])] if citation.start < torn else []
    )
    for block in split_blocks(chunk.text):
        start, end = max(block.start, citation.start, torn), min(block.end, citation.end)
        if start < end:
            parts.append(_block(chunk, block, chunk.text[start:end], is_rst=is_rst))
    said = linked(_closed("\n\n".join(part for part in parts if part.strip())), (chunk,))
    # Directives that only say how to lay out leave nothing to read: then they are shown as they stand.
    return said or (code_block(citation.quote, "rst") if is_rst else plain_words(citation.quote))


def as_read(chunk: Chunk) -> str:
    """The chunk's text as a reader of its page sees it, where it has the lines of its file; still Markdown."""
    return _as_read(chunk, 0, len(chunk.text)).text if _is_written(chunk) else chunk.text


def _is_written(chunk: Chunk) -> bool:
    """Whether the chunk has a page's lines as they are written."""
    return chunk.metadata.get("lang") in WRITTEN and suffix_of_chunk(chunk) not in CONVERTED


def _as_read(chunk: Chunk, start: int, end: int) -> ReadablePart:
    from quire.parsing.readable import readable_part  # 20 ms that other collections have no use for

    names = tuple(told_names(chunk.metadata.get(TITLES)).items())
    path, is_wiki = str(chunk.metadata.get("path") or ""), bool(chunk.metadata.get("wiki"))
    return readable_part(chunk.text, path, start, end, wiki=is_wiki, names=names)


def title_above(chunk: Chunk, place: int) -> str:
    """The title of the section that `chunk.text[place:]` stands in, as answers show it; "" for source code and where no
    section is known. It stands in the chunk, or above its text: then the metadata have it."""
    if is_code_chunk(chunk):
        return ""
    above = [block for block in split_blocks(chunk.text) if block.kind == HEADING and block.start <= place]
    title = chunk.text[above[-1].start : above[-1].end] if above else where_of(chunk, 0)[1]
    return _heading(as_read(chunk._replace(text=title)).strip())


def _torn_code(text: str) -> int:
    """Where the indented code ends that a text begins with, whose announcement stands in the chunk before; else 0.

    A directive ends it, and so does a sentence that is set in less: a directive's body is all indented.
    """
    lines = text.splitlines(keepends=True)
    indented = takewhile(lambda line: not line.strip() or line[0].isspace(), lines)
    parts = "".join(indented).split("\n\n")
    depth = depth_of(parts[0])

    def is_inside(part: str) -> bool:
        is_sentence = depth_of(part) < depth and part.rstrip().endswith((".", ":", "!", "?"))
        return not is_sentence and not part.lstrip().startswith(".. ")

    head = "\n\n".join(takewhile(is_inside, parts)).rstrip()
    is_table = any(map(CSV_ROW.fullmatch, head.splitlines()))
    return len(head) if head and not is_table and looks_like_code(head) else 0


def _closed(text: str) -> str:
    """With an end to a fence that the quote cuts: all that follows would be code, its mark and the next source too.

    >>> print(_closed("- It is:\\n\\n  ```diff\\n  -a"))
    - It is:
    <BLANKLINE>
      ```diff
      -a
      ```
    """
    opening: re.Match[str] | None = None
    for line in text.splitlines():
        if fence := _ANY_FENCE.fullmatch(line):
            if opening is None:
                opening = fence
            elif fence[2].startswith(opening[2]) and not fence[3].strip():
                opening = None
    return f"{text}\n{opening[1]}{opening[2]}" if opening else text


def _block(chunk: Chunk, block: QuoteBlock, quote: str, *, is_rst: bool) -> str:
    stored = chunk.text[block.start : block.end]
    if is_rst:
        quote = titled_references(quote, chunk.metadata.get(TITLES))
        lines = filter(str.strip, quote.splitlines())  # of which names of pictures leave none
        if INDEX_PAGES.fullmatch(quote.strip()) or all(map(SUBSTITUTION.fullmatch, lines)):
            return ""
    if block.kind == TABLE and not (is_rst and KEPT_LINES.fullmatch(stored)):
        is_torn = not chunk.text[: block.start].strip() and not any(map(_RULE.fullmatch, stored.splitlines()))
        # What stands above a torn table's columns is searched with the chunk, though its text begins below it.
        above = (
            next(filter(is_table_row, chunk.aliases.splitlines()), "") if is_torn else stored.splitlines()[0]
        )
        return _table(stored, quote, above, is_rst=is_rst)
    if block.kind == HEADING:
        return _heading(quote)
    if (shown_code := _own_fence(stored, quote, is_code=block.kind == CODE)) is not None:
        return shown_code
    if block.kind == PARAGRAPH and _is_bare_code(chunk, block, quote):
        return code_block(quote)
    if is_rst:
        is_literal = block.kind == CODE and not quote.lstrip().startswith("..")
        return code_block(quote) if is_literal else plain_words(plain_rst(_dedented(_one_colon(quote))))
    return _list(_set_in(_dedented(quote))) if block.kind == LIST else plain_words(_dedented(quote))


def _set_in(quote: str) -> str:
    """With every line of a fence as far in as the fence: one that is less far in would end the item, and the fence."""
    lines: list[str] = []
    mark, indent = "", 0
    for line in quote.splitlines(keepends=True):
        before, mark = mark, fence_behind(mark, line)
        if not before:
            indent = len(line) - len(line.lstrip(" "))
        is_out = before and mark and line.strip() and not line.startswith(" " * indent)
        lines.append(" " * indent + line.lstrip(" ") if is_out else line)
    return "".join(lines)


def _list(quote: str) -> str:
    """The items, with the rows that stand below one as a table: bare, they would be words of the item."""
    fences = [span for span in code_spans(quote) if "\n" in quote[slice(*span)]]
    lines = quote.splitlines(keepends=True)
    starts = accumulate(map(len, lines), initial=0)
    rows = [
        is_table_row(line) and not any(begin <= at < end for begin, end in fences)
        for at, line in zip(starts, lines, strict=False)
    ]
    parts: list[str] = []
    words = ""
    for is_table, run in groupby(zip(rows, lines, strict=True), key=itemgetter(0)):
        said = [line for _, line in run]
        if is_table and len(said) > 1:
            table = "".join(said)
            parts += [plain_words(words), _table(table, table, said[0], is_rst=False)]
            words = ""
        else:
            words += "".join(said)
    return "\n\n".join(part for part in [*parts, plain_words(words)] if part.strip())


def _heading(quote: str) -> str:
    if not quote:
        return ""
    if names := defined_names(quote):
        named = f"**{', '.join(f'`{name}`' for name in names)}**"
        return "\n\n".join(filter(None, (named, told_options(quote))))
    words, marked = _HEADING_MARK.subn("", _COMMENT.sub("", quote).strip(), count=1)
    words = _EMPHASIS.sub(r"\1", _without_badges(words))
    title = _TITLE_END.sub("", _CLOSING_MARK.sub("", words) if marked else words)
    title = _NOTE_SIGNS.sub(lambda signs: signs[0].replace("*", r"\*"), title.replace("`", ""))
    title = _TAGGED.sub(lambda one: f"`{one[0]}`" if one[0] != "<" else r"\<", escaped(title))
    return f"**{title}**" if not _UNDER_LINE.fullmatch(title) else ""


def _without_badges(title: str) -> str:
    """The title without the pictures at its end."""
    at = title.find("![")
    at -= title[at - 1 : at] == "["
    return title[:at].rstrip() if at > 0 and IMAGES.fullmatch(title[at:]) else title


def _own_fence(stored: str, quote: str, *, is_code: bool) -> str | None:
    """A block in a fence of its own, "" where nothing stands in it; None where the block has none.

    Of one that begins a chunk only the end may be there, as the first lines stand in the chunk before.
    """
    opening = _FENCE_LINE.match(stored)
    mark = opening or (_ANY_FENCE.match(stored.rpartition("\n")[2]) if is_code else None)
    if mark is None:
        return None
    lines = [line for line in quote.splitlines() if not line.strip().startswith(mark[2])]
    if not any(map(str.strip, lines)):
        return ""
    titled = (
        _FENCE_TITLE.search(quote.partition("\n")[0]) if opening and quote.startswith(opening[0]) else None
    )
    above = f"{_file_or_words(titled[1] or titled[2])}:\n\n" if titled else ""
    return above + code_block(_LIT.sub("", "\n".join(lines)), opening[3] if opening else "")


def _file_or_words(title: str) -> str:
    """What code in a fence is called: the name of a file as code, else as the words that a tab has."""
    return escaped(title.rstrip(":")) if " " in title or not re.search(r"[./]", title) else f"`{title}`"


def _is_bare_code(chunk: Chunk, block: QuoteBlock, quote: str) -> bool:
    """Whether a paragraph is code without a fence: it begins with a shell's prompt, or is set in.

    In Markdown what is set in is code where the line above, which is not, holds no block; in a plain text always.
    """
    if quote.lstrip().startswith("$ "):
        return True
    language = chunk.metadata.get("lang")
    if depth_of(quote) < SET_IN or language != "markdown":
        return language == "text" and depth_of(quote) >= SET_IN and not _is_told(quote)
    above = [
        line for line in chunk.text[: block.start].splitlines() if line.strip() and depth_of(line) < SET_IN
    ]
    return bool(above) and not _HOLDS_BLOCKS.match(above[-1])


def _is_told(quote: str) -> bool:
    """Whether lines that are set in are prose, and no table or drawing."""
    return bool(_TOLD.fullmatch(quote.strip())) and not _COLUMNS.search(quote)


def _one_colon(quote: str) -> str:
    """Without the second colon that announces code, which is fenced here; without both where they stand alone."""
    if quote.strip() == "::":
        return ""
    return quote[:-1].removesuffix("\n:") if quote.endswith("::") else quote


def _dedented(quote: str) -> str:
    """Without the indentation that all lines have."""
    return textwrap.dedent(quote.expandtabs(4))


def _table(stored: str, quote: str, above: str, *, is_rst: bool) -> str:
    """Rows below the table's head, the line `above`, and a separator.

    A table that begins a chunk, above which no heading stands, is the rest of one that was torn: its head may be
    unknown.
    """
    if _GRID.search(stored):
        return grid_with_head(stored, quote) or code_block(quote)
    if is_rst and (drawn := drawn_rows(stored, quote)):
        return drawn
    rows = [
        _cells(line, is_rst=is_rst)
        for line in quote.splitlines()
        if line.strip() and not _RULE.fullmatch(line)
    ]
    head = _cells(above, is_rst=is_rst) if above else []
    rows = [row for row in rows if row != head]
    width = max(map(len, [head, *rows]))
    lines = [head, ["---"] * width, *rows]  # an empty head keeps the table a table
    return "\n".join(f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in lines)


def _cells(line: str, *, is_rst: bool) -> list[str]:
    bare = line.strip()
    if is_rst and CSV_ROW.fullmatch(line):
        return [plain_words(plain_cell(cell)).replace("|", "\\|") for cell in csv_cells(line)]
    # As it is drawn; stored rows begin with a bar only where their first cell is empty.
    if bare.endswith("|"):
        bare = bare.removeprefix("|")
    cells = (cell.strip() for cell in _BAR.split(bare.removesuffix("|")))
    return [plain_words(plain_cell(cell) if is_rst else cell) for cell in cells]

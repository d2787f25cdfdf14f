"""Files of a code base to chunks: symbols of source code, sections of documents, windows of the rest."""

from __future__ import annotations

import logging
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from quire.analysis.terms import split_identifier
from quire.chunking.markdown import chunk_docs
from quire.chunking.spans import CODE, SECTIONS, Lines, Span, cut_spans, read_lines
from quire.documents import Chunk, Document, Value, chunk_id, text_sha256
from quire.errors import SourceError
from quire.parsing.asciidoc import parse_asciidoc, readable_asciidoc
from quire.parsing.components import COMPONENTS, script_blocks
from quire.parsing.contents import contents_lines
from quire.parsing.declarations import DECLARED, parse_declarations
from quire.parsing.front_matter import read_front_matter
from quire.parsing.languages import GRAMMARS
from quire.parsing.org import parse_org, readable_org
from quire.parsing.outline import Outline
from quire.parsing.rst import TITLES, is_label, parse_rst, readable_rst, rst_anchors, with_names
from quire.parsing.source_code import parse_source
from quire.parsing.unknown_source import is_unknown_source, parse_unknown_source

WINDOW = 800
OVERLAP = 120
LONG_LINE = 4 * WINDOW
"""Of Markdown: a longer line is not stored with each of its pieces, which would take the square of its length."""
MOST_CALLS = 64
MOST_SYMBOLS = 192
_ROOTS = frozenset(("src", "lib"))
_MARKUP: Mapping[str, tuple[Callable[[str], Outline], Callable[[str], str]]] = {
    "rst": (parse_rst, readable_rst),
    "asciidoc": (parse_asciidoc, readable_asciidoc),
    "org": (parse_org, readable_org),
}
_EVERYDAY = frozenset("key table stage target resource".split())
"""Kinds whose names are words such as `build` and `users`: they are symbols only by their path, `services.web`."""
_LOG = logging.getLogger(__name__)


class _SourceFile(NamedTuple):
    """A document being cut.

    `module` is what its symbols are qualified with, `anchors` the lines of headings with their fragments on its site.
    """

    document: Document
    path: str
    lines: Lines
    outline: Outline
    module: str
    anchors: Sequence[tuple[int, str]] = ()


def chunk_source_code(document: Document) -> Iterator[Chunk]:
    """Cut a file of a code base; reads `path` and `lang` of its metadata.

    A chunk's text is the file's lines `start_line` to `end_line` without the last line feed. Every line is in a chunk,
    but for blank files and for what Markdown does not show or lists as its contents. `summary` is the text to embed.

    Raises:
        ConfigError: the grammar of the file's language is not installed.
    """
    if not document.text.strip():
        return
    path = str(document.metadata.get("path") or document.id)
    language = str(document.metadata.get("lang") or "")
    lines = read_lines(document.text)
    if language in GRAMMARS:
        outline = parse_source(document.text, language, long=CODE.whole)
        if document.metadata.get("is_test") and GRAMMARS[language].tests:
            outline = _without_props(outline)
        file = _SourceFile(document, path, lines, outline, module_name(path, outline.package))
        spans = cut_spans(outline, lines, CODE)
        yield from _symbols_of(
            file, _component(document.text, lines, spans) if language in COMPONENTS else spans
        )
    elif language in DECLARED:
        yield from _declarations(document, path, lines, parse_declarations(document.text, language))
    elif language in _MARKUP:
        yield from _sections(document, path, lines, language)
    elif language == "markdown":
        yield from _markdown(document, path, lines)
    elif is_unknown_source(path, language) and not document.metadata.get("is_test"):
        yield from _declarations(document, path, lines, parse_unknown_source(document.text, path))
    else:
        yield from _windows(document, path, lines)


def _without_props(outline: Outline) -> Outline:
    """The outline of a file of tests without what a line of it loads or sets for them: nobody looks for that."""
    kept = (one for one in outline.definitions if one.kind != "variable" or one.end_line > one.start_line)
    return replace(outline, definitions=tuple(kept))


def _symbols_of(file: _SourceFile, spans: Iterable[Span]) -> Iterator[Chunk]:
    language, place = str(file.document.metadata.get("lang") or ""), place_in_words(file.path)
    for span in spans:
        text = file.lines.text(span.start_line, span.end_line)
        summary = f"{place}\n{text}" if span.kind == "window" else summarize(place, span, text, language)
        yield _chunk(file, span, text, summary)._replace(headline=headline(span))


def _component(text: str, lines: Lines, spans: Sequence[Span]) -> Iterator[Span]:
    """Spans of a component: its script as it is cut, with its tags, and windows of the template and styles between."""
    line, last = 1, len(lines.texts)
    for block in script_blocks(text):
        yield from _template(lines, line, block.opened - 1)
        line = block.closed + 1
        while line <= last and lines.is_blank(line):
            line += 1
        inside = [one for one in spans if one.start_line <= block.last and one.end_line >= block.first]
        starts = [block.opened, *(one.start_line for one in inside[1:])]
        ends = [*(one.end_line for one in inside[:-1]), line - 1]
        for span, start, end in zip(inside, starts, ends, strict=True):
            yield span._replace(start_line=start, end_line=end)
    yield from _template(lines, line, last)


def _template(lines: Lines, first: int, last: int) -> Iterator[Span]:
    for start, end in cut_windows(lines, first=first, last=last):
        if lines.text(start, end).strip():
            yield Span(start, end, "window")


def module_name(path: str, package: str = "") -> str:
    """What a file's symbols are qualified with: its declared package, else its path in dots.

    >>> module_name("src/celery/app/task.py"), module_name("celery/__init__.py"), module_name("a/B.java", "org.a")
    ('celery.app.task', 'celery', 'org.a')
    """
    if package:
        return package
    parts = PurePosixPath(path).with_suffix("").parts
    if parts and parts[0] in _ROOTS:
        parts = parts[1:]
    return ".".join(parts[:-1] if parts and parts[-1] in ("__init__", "index", "mod") else parts)


def _declarations(document: Document, path: str, lines: Lines, outline: Outline) -> Iterator[Chunk]:
    if outline.definitions:
        file = _SourceFile(document, path, lines, outline, module_name(path))
        yield from _symbols_of(file, cut_spans(outline, lines, CODE))
    else:
        yield from _windows(document, path, lines)


def _sections(document: Document, path: str, lines: Lines, language: str) -> Iterator[Chunk]:
    parse, readable = _MARKUP[language]
    outline = parse(document.text)
    shown = language == "rst" and document.anchors.generator == "sphinx"
    file = _SourceFile(document, path, lines, outline, "", rst_anchors(document.text) if shown else ())
    for span in cut_spans(outline, lines, SECTIONS):
        text = lines.text(span.start_line, span.end_line)
        yield _chunk(
            file, span, text, f"{' › '.join(span.path)}\n{readable(with_names(text, document.links))}"
        )


def _markdown(document: Document, path: str, lines: Lines) -> Iterator[Chunk]:
    """Sections as the Markdown chunker cuts them; what it reads is embedded, the file's lines are stored."""
    try:
        pieces = list(chunk_docs(document))
    except SourceError as error:
        _LOG.info("%s: read as plain text: %s", path, error)
        yield from _windows(document, path, lines)
        return
    file = _SourceFile(document, path, lines, Outline(), "")
    head = read_front_matter(document.text, path).end_line
    contents = contents_lines(document.text)
    for piece in pieces:
        start, end = piece.metadata["start_line"], piece.metadata["end_line"]
        if not isinstance(start, int) or not isinstance(end, int):
            continue
        aliases = [piece.aliases]
        if end < head:  # a fact of several lines is shown whole
            end = next((n for n in range(end + 1, head) if lines.texts[n - 1][:1].strip()), head) - 1
        if start <= head < end:  # a page's own facts are searched with it, but half of them shown is debris
            aliases.append(lines.text(start, head - 1))
            start = next((n for n in range(head + 1, end) if not lines.is_blank(n)), end)
        title, _, trail = piece.breadcrumb.partition(" › ")
        names = tuple(trail.split(" › ")) if trail else (title,)
        parts = _beside(start, end, contents, lines)
        for first, last in parts:
            text = lines.text(first, last)
            if first == last and len(text) > LONG_LINE:
                text = piece.text
            read = piece.text if len(parts) == 1 else text
            identity = piece.id if first == parts[0][0] else ""
            span = Span(first, last, "section", names)
            chunk = _chunk(file, span, text, f"{piece.breadcrumb}\n{read}", identity=identity)
            yield chunk._replace(aliases="\n".join(filter(None, aliases)))


def _beside(start: int, end: int, contents: Sequence[tuple[int, int]], lines: Lines) -> list[tuple[int, int]]:
    """What of the lines `start` to `end` stands beside tables of contents and says more than a title.

    All of them where nothing does: a page may be nothing else.
    """
    found = [one for one in contents if one[0] <= end and start <= one[1]]
    if not found:
        return [(start, end)]
    begins = [start, *(last + 1 for _, last in found)]
    ends = [*(first - 1 for first, _ in found), end]
    parts = []
    for first, last in zip(begins, ends, strict=True):
        told = [n for n in range(first, last + 1) if not lines.is_blank(n)]
        if any(not lines.texts[n - 1].startswith("#") for n in told):
            parts.append((told[0], told[-1]))
    return parts or [(start, end)]


def _windows(document: Document, path: str, lines: Lines) -> Iterator[Chunk]:
    file = _SourceFile(document, path, lines, Outline(), "")
    for start, end in cut_windows(lines):
        text = lines.text(start, end)
        if text.strip():
            yield _chunk(file, Span(start, end, "window"), text, f"{place_in_words(path)}\n{text}")


def _chunk(file: _SourceFile, span: Span, text: str, summary: str, *, identity: str = "") -> Chunk:
    symbol = (" › " if span.kind in ("section", "test") else ".").join(span.path)
    metadata: dict[str, Value] = {
        **file.document.metadata,
        "path": file.path,
        "start_line": span.start_line,
        "end_line": span.end_line,
        "symbol": symbol,
        "kind": span.kind,
        "title": file.path,
        "heading": symbol,
        "sha256": text_sha256(text),
    }
    if not metadata.get("is_test") and _is_test(span, text, file.outline):
        metadata["role"] = "test"
    anchor = _anchor(span, text, file.anchors)
    if anchor and metadata.get("url"):
        metadata["url"] = f"{metadata['url']}#{anchor}"
    calls = _calls(span, file.outline)
    if calls:
        metadata["calls"] = calls
    links = file.document.links
    if titles := tuple(f"{one}={title}" for one, title in links.items() if _written(one) in text):
        metadata[TITLES] = titles
    return Chunk(
        id=identity or chunk_id(file.document.id, f"{span.start_line}-{span.end_line}"),
        document_id=file.document.id,
        text=text,
        breadcrumb=f"{file.path} › {symbol}" if symbol else file.path,
        metadata=metadata,
        symbols=_symbols(span, file.module),
        summary=summary,
    )


def _written(reference: str) -> str:
    """A reference of reStructuredText as pages write it; a name that stands for a text is written so.

    >>> _written(":ref:oars")
    ':ref:`oars`'
    """
    if reference[0] != ":":
        return reference
    role, _, target = reference[1:].partition(":")
    return f":{role}:`{target}`"


def _anchor(span: Span, text: str, anchors: Sequence[tuple[int, str]]) -> str:
    """The fragment of the section that a span begins with or stands in; "" for a page's first, its title."""
    heading = next(
        (row for row, line in enumerate(text.split("\n")) if line.strip() and not is_label(line)), 0
    )
    first = span.start_line + heading
    at = bisect_left(anchors, (first + 1, "")) - 1
    return anchors[at][1] if at > 0 else ""


def _symbols(span: Span, module: str) -> tuple[str, ...]:
    """Each definition by its path, its own name, and its path in its module.

    A constructor that is called like its class has no name of its own: whoever writes that name means the class.
    """
    names: dict[str, None] = {}
    for path in span.defines[:MOST_SYMBOLS]:
        if span.kind in _EVERYDAY and len(path) == 1:
            continue
        own = ".".join(path)
        names[own] = None
        is_constructor = span.kind == "method" and path[-1] in path[-2:-1]
        if span.kind not in _EVERYDAY and not is_constructor:
            names[path[-1]] = None
        names[f"{module}.{own}" if module else own] = None
    return tuple(names)


def _is_test(span: Span, text: str, outline: Outline) -> bool:
    """Whether a span is a test or its support, in a file of other code: for that file it speaks like the rest of it."""
    at = bisect_right(outline.tests, (span.start_line, sys.maxsize)) - 1
    last = span.start_line + text.rstrip().count("\n")
    return span.kind == "test" or (at >= 0 and last <= outline.tests[at][1])


def _calls(span: Span, outline: Outline) -> tuple[str, ...]:
    low = bisect_left(outline.references, (span.start_line, ""))
    high = bisect_left(outline.references, (span.end_line + 1, ""))
    names = dict.fromkeys(name for _, name in outline.references[low:high])
    return tuple(names)[:MOST_CALLS]


def cut_windows(
    lines: Lines, *, first: int = 1, last: int | None = None, window: int = WINDOW, overlap: int = OVERLAP
) -> Iterator[tuple[int, int]]:
    r"""`(first line, last line)` of each window of the lines `first` to `last`, from 1 and inclusive, in order.

    Every line is in one at least.

    A window holds at most `window` characters, but for a line that is longer by itself, and repeats as many whole
    lines of the one before as fit into `overlap` characters.

    >>> from quire.chunking.spans import read_lines
    >>> list(cut_windows(read_lines("one\ntwo\nthree\nfour\n"), window=10, overlap=5))
    [(1, 2), (2, 3), (4, 4)]
    """
    last, start = len(lines.texts) if last is None else last, first
    while start <= last:
        end = min(lines.last_within(start, window), last)
        yield start, end
        if end == last:
            return
        following = end + 1
        repeated = following
        while repeated - 1 > start and lines.size(repeated - 1, end) <= overlap:
            repeated -= 1
        room = lines.size(repeated, following) <= window
        start = repeated if room else following


LONGEST_DOC = 200
_SYNTAX = b'(){}[]:;,=<>+*/%&|^~!@$`\\"_'
_BLANKED = bytes(ord(" ") if byte in _SYNTAX else byte for byte in range(256))
_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SNAKE_CASE = frozenset("python ruby rust c shell sql".split())


def summarize(place: str, span: Span, text: str, language: str) -> str:
    r"""Where a span stands and what it is called, what documents it in a line, then its code as words.

    >>> summarize("shop basket", Span(1, 1, "function", ("isEmpty",)), "isEmpty(my_basket)", "php")
    'shop basket is Empty\n\nis Empty my basket '
    """
    name = " ".join(word for part in span.path for word in split_identifier(part))
    doc = span.doc.partition("\n")[0][:LONGEST_DOC]
    head = "" if span.defines else span.signature  # what a later part of a long function lacks
    words = f"{head}\n{text}".encode(errors="replace").translate(_BLANKED).decode().replace("self.", "")
    if language not in _SNAKE_CASE:
        words = _SEAM.sub(" ", words)
    return f"{place} {name}\n{doc}{words}"


def headline(span: Span) -> str:
    r"""What a span defines, in words, and the first sentences of what documents it; "" where it defines nothing.

    >>> headline(Span(1, 9, "class", ("MyBasket",), (("MyBasket",),), doc="What one wants.\nIt may be empty."))
    'My Basket: What one wants. It may be empty.'
    """
    name = " ".join(word for part in span.path for word in split_identifier(part))
    said = " ".join(span.doc.split())
    cut = said[:LONGEST_DOC]
    if len(said) > LONGEST_DOC:
        cut = cut.rpartition(". ")[0] or cut.rpartition(" ")[0]
    return f"{name}: {cut}" if cut else name


def place_in_words(path: str) -> str:
    """The words of a path.

    >>> place_in_words("celery/app/taskSet.py")
    'celery app task Set py'
    """
    return " ".join(split_identifier(path))

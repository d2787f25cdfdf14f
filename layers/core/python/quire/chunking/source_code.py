"""Files of a code base to chunks: symbols of source code, sections of documents, windows of the rest."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import PurePosixPath

from quire.chunking.lines import Lines, read_lines
from quire.chunking.spans import WHOLE, Span, cut_spans
from quire.chunking.windows import cut_windows
from quire.documents import Chunk, Document, Value, chunk_id, text_sha256
from quire.parsing.grammars import GRAMMARS
from quire.parsing.outline import Outline
from quire.parsing.source_code import parse_source
from quire.terms import split_identifier

MOST_CALLS = 64
MOST_SYMBOLS = 96
_ROOTS = frozenset(("src", "lib"))
_DOC_STARTS = re.compile(r"\s*(?:[@:\\][\w:]|Arguments:|Args:|Parameters\b|Returns?:)")


def chunk_source_code(document: Document) -> Iterator[Chunk]:
    """Cut a file of a code base.

    Reads `path` and `lang` of the metadata. Each chunk's text is the file's lines `start_line` to `end_line`, without
    the last line feed; every line is in a chunk, unless the file is blank.

    Raises:
        ConfigError: the grammar of the file's language is not installed.
    """
    lines = read_lines(document.text)
    if not document.text.strip():
        return
    language = str(document.metadata.get("lang") or "")
    if language in GRAMMARS:
        outline = parse_source(document.text, language, long=WHOLE)
        spans = cut_spans(outline, lines)
    else:
        outline = Outline()
        spans = [Span(start, end, "window") for start, end in cut_windows(lines)]
    for span in spans:
        yield _chunk(document, span, outline, lines)


def _chunk(document: Document, span: Span, outline: Outline, lines: Lines) -> Chunk:
    path = str(document.metadata.get("path") or document.id)
    text = lines.text(span.start_line, span.end_line)
    symbol = ".".join(span.path)
    metadata: dict[str, Value] = {
        **document.metadata,
        "path": path,
        "start_line": span.start_line,
        "end_line": span.end_line,
        "symbol": symbol,
        "kind": span.kind,
        "title": path,
        "heading": symbol,
        "sha256": text_sha256(text),
    }
    calls = _calls(span, outline)
    if calls:
        metadata["calls"] = calls
    return Chunk(
        id=chunk_id(document.id, f"{span.start_line}-{span.end_line}"),
        document_id=document.id,
        text=text,
        breadcrumb=f"{path} › {symbol}" if symbol else path,
        metadata=metadata,
        symbols=_symbols(span, module_name(path, outline.package)),
        summary=_summary(path, span, text),
    )


def module_name(path: str, package: str = "") -> str:
    """What a file's names are qualified with: its declared package, else its path in dots.

    >>> module_name("src/celery/app/task.py"), module_name("celery/__init__.py"), module_name("a/B.java", "org.a")
    ('celery.app.task', 'celery', 'org.a')
    """
    if package:
        return package
    parts = PurePosixPath(path).with_suffix("").parts
    if parts and parts[0] in _ROOTS:
        parts = parts[1:]
    return ".".join(parts[:-1] if parts and parts[-1] in ("__init__", "index", "mod") else parts)


def _symbols(span: Span, module: str) -> tuple[str, ...]:
    """Each definition by its path, its own name, and its path in its module."""
    names: dict[str, None] = {}
    for path in span.defines[:MOST_SYMBOLS]:
        own = ".".join(path)
        names.update(dict.fromkeys((own, path[-1], f"{module}.{own}" if module else own)))
    return tuple(names)


def _calls(span: Span, outline: Outline) -> tuple[str, ...]:
    low = bisect_left(outline.references, (span.start_line, ""))
    high = bisect_left(outline.references, (span.end_line + 1, ""))
    names = dict.fromkeys(name for _, name in outline.references[low:high])
    return tuple(names)[:MOST_CALLS]


def _summary(path: str, span: Span, text: str) -> str:
    """The text to embed: where it stands and what it is for in words, then the code."""
    place = " ".join(split_identifier(path))
    name = " ".join(word for part in span.path for word in split_identifier(part))
    return f"{place} {name}\n{span.doc}\n{text}"

"""The tools: what a model reads about each, and the use case behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from functions.faces.mcp import arguments as a
from functions.faces.mcp.passages import Reply, listed
from functions.web.access import Caller
from functions.web.reading import ask, compare, look_up, read_around, read_document
from functions.web.service import Knowledge
from quire.answering.request import Inquiry
from quire.documents import Chunk
from quire.errors import InputError
from quire.search.retrieval import Query
from quire.store.catalog import Served

MOST_NAMES = 60
"""Names of changed documents that are listed of each kind."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        takes: the model of its arguments.
        about: when to use it and what it returns, for models.
        work: answers one call.
    """

    takes: type[a.Arguments]
    about: str
    work: Callable[[Knowledge, Caller, Any], Reply]


def list_collections(service: Knowledge, caller: Caller, _: a.ListCollections) -> Reply:
    """Every readable collection with what it can be filtered by."""
    reply = Reply(None, 4_000)
    for name, state in service.survey(caller):
        if not isinstance(state, Served):
            reply.say(f"{name}: cannot be served now ({type(state).__name__})")
            continue
        label = f" ({state.label})" if state.label else ""
        reply.say(
            f"{name}: {service.title(name)}. Version {state.version}{label}, {state.index.chunk_count:,} passages."
            f" Filters: {', '.join(state.index.filter_fields) or 'none'}."
        )
    if not reply.parts:
        reply.say("There is no collection that you may read.")
    return reply


def search(service: Knowledge, caller: Caller, args: a.Search) -> Reply:
    """Passages for a question."""
    question = Query(args.query, args.limit, args.filters)
    found = service.search(caller, args.collection, question, args.version)
    reply = Reply(found.served, args.max_tokens)
    for line in found.degraded:
        reply.say(f"Note: {line}")
    # A fair share for each, so that one long passage does not hide the others.
    share = max(reply.left // max(len(found.hits), 1), 400)
    for hit in found.hits:
        chunk = hit.chunk
        if not reply.cite(_shortened(chunk, share), number=hit.rank, extra=f" — relevance {hit.score:.2f}"):
            break
    if not found.hits:
        reply.say("Nothing found. Try fewer or other words, or leave out the filters.")
    return reply


def answer(service: Knowledge, caller: Caller, args: a.Ask) -> Reply:
    """A cited answer."""
    inquiry = Inquiry(args.question, args.selected_text, max_tokens=args.max_tokens, filters=args.filters)
    served, given = ask(service, caller, args.collection, inquiry, version=args.version)
    reply = Reply(served, args.max_tokens)
    if not given.answerable:
        reply.say("Not answered from the sources:")
    reply.say(given.text)
    for line in (*given.notices, *given.degraded):
        reply.say(f"Note: {line}")
    quoted = {citation.n: citation for citation in given.citations}
    for number, citation in quoted.items():
        known = citation.hit.chunk
        shown = Chunk(
            known.id, known.document_id, citation.quote, known.breadcrumb, known.metadata, known.symbols
        )
        if not reply.cite(shown, number=number):
            break
    return reply


def read(service: Knowledge, caller: Caller, args: a.ReadArguments) -> Reply:
    """A document or a part of one."""
    if (args.id is None) == (args.document is None):
        raise InputError("id, document: wanted exactly one of the two", field="id")
    if args.id is not None:
        found = read_around(service, caller, args.collection, args.id, version=args.version)
    else:
        found = read_document(service, caller, args.collection, args.document or "", version=args.version)
    first, last = args.start_line or 1, args.end_line or 10**9
    chunks = [chunk for chunk in found.chunks[found.start :] if _overlaps(chunk, first, last)]
    if not chunks:
        raise InputError(
            f"start_line, end_line: the document has nothing there; {_extent(found.chunks)}",
            field="start_line",
        )
    reply = Reply(found.served, args.max_tokens)
    shown = 0
    for chunk in chunks:
        shown += 1
        if not reply.cite(chunk, number=shown):
            break
    if shown < len(chunks):
        reply.parts.append(f"{len(chunks) - shown} more passages follow: read on with id {chunks[shown].id}.")
    return reply


def lookup(service: Knowledge, caller: Caller, args: a.LookUp) -> Reply:
    """The definition of a symbol."""
    served, chunks, near = look_up(service, caller, args.collection, args.symbol, version=args.version)
    reply = Reply(served, args.max_tokens)
    for number, chunk in enumerate(chunks, 1):
        if not reply.cite(chunk, number=number):
            break
    if not chunks:
        hint = f" Symbols that come near: {', '.join(near)}." if near else ""
        reply.say(
            f"{args.symbol}: this version defines no such symbol.{hint} Do not use it unchecked; search may help."
        )
    return reply


def changes(service: Knowledge, caller: Caller, args: a.ChangesArguments) -> Reply:
    """What differs between two versions."""
    found = compare(service, caller, args.collection, args.since, after=args.until)
    reply = Reply(found.after, args.max_tokens)
    groups = {"added": found.added, "changed": found.changed, "removed": found.removed}
    wanted = groups if args.kind == "all" else {args.kind: groups[args.kind]}
    reply.say(
        f"Since {found.before.version}: "
        + ", ".join(f"{len(names)} {kind}" for kind, names in groups.items())
    )
    for kind, names in wanted.items():
        if names:
            reply.say(f"{kind.capitalize()}:\n{listed(names, MOST_NAMES)}")
    return reply


def _shortened(chunk: Chunk, share: int) -> Chunk:
    if len(chunk.text) <= share:
        return chunk
    text = f"{chunk.text[:share].rstrip()} …(cut: read this id for the rest)"
    return Chunk(chunk.id, chunk.document_id, text, chunk.breadcrumb, chunk.metadata, chunk.symbols)


def _overlaps(chunk: Chunk, first: int, last: int) -> bool:
    start, end = chunk.metadata.get("start_line"), chunk.metadata.get("end_line")
    if not isinstance(start, int) or not isinstance(end, int):
        return True
    return start <= last and end >= first


def _extent(chunks: tuple[Chunk, ...]) -> str:
    ends = [end for chunk in chunks if isinstance(end := chunk.metadata.get("end_line"), int)]
    return f"it ends at line {max(ends)}" if ends else "it has no lines"


TOOLS: Mapping[str, Tool] = {
    "list_collections": Tool(
        a.ListCollections,
        "List the bodies of knowledge here with their versions and filter fields. Call it first, once.",
        list_collections,
    ),
    "search": Tool(
        a.Search,
        "Find passages in documentation or code by meaning and by words. Returns passages with path, lines, link, id"
        " and version. Use it to gather evidence; use `lookup` where you know the exact name of a symbol.",
        search,
    ),
    "answer": Tool(
        a.Ask,
        "Answer one question from a collection, with numbered quotes from its sources. It says so where the sources do"
        " not cover the question: then do not answer from memory as if they did.",
        answer,
    ),
    "read": Tool(
        a.ReadArguments,
        "Read a document, or read on from a cited passage. Give `id` (from another tool) or `document` (path or id),"
        " with lines if you want only some.",
        read,
    ),
    "lookup": Tool(
        a.LookUp,
        "Look up the exact definition of a class, member, function or enum. Use it before writing code with a symbol:"
        " if this says that the symbol does not exist in this version, it does not.",
        lookup,
    ),
    "changes": Tool(
        a.ChangesArguments,
        "List what an update added, changed and removed between two versions of a collection.",
        changes,
    ),
}

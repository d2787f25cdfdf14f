"""The tools over the stored text: read a document, see its outline, list documents, search plainly, check passages."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import chain

from functions.faces.mcp import arguments as a
from functions.faces.mcp.choosing import collections, from_each, likeness, one_collection
from functions.faces.mcp.passages import CHARACTERS_A_TOKEN, Reply, headline
from quire.documents import Chunk, counted
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.parsing.formats import first_line
from quire.service.access import Caller
from quire.service.documents import (
    CURRENT,
    GONE,
    CheckedPassage,
    Match,
    Read,
    check_passage,
    grep,
    holders,
    list_documents,
    moved_passage,
    near_documents,
    read_around,
    read_document,
)
from quire.service.knowledge import Knowledge
from quire.store.pointers import PREVIOUS

LAST_LINE = 10**9
MOST_TOLD = 8
"""Near documents that an error names, of all collections together."""


def read(service: Knowledge, caller: Caller, args: a.ReadArguments) -> Reply:
    """A document or a part of one."""
    if args.id is None and args.document is None:
        raise InputError("id, document: wanted one of the two", field="id")
    found, first, last, note = _found(service, caller, args)
    chunks = [chunk for chunk in found.chunks[found.start :] if _overlaps(chunk, first, last)]
    if not chunks:
        raise InputError(
            f"start_line, end_line: the document has nothing there; {_extent(found.chunks)}",
            field="start_line",
        )
    reply = Reply((found.served,), args.max_tokens)
    if note:
        reply.say(f"Note: {note}")
    shown = 0
    for chunk in chunks:
        held = len(reply.parts)
        is_whole = _cite_lines(reply, found, chunk, number=shown + 1, wanted=(first, last))
        if not is_whole and shown:  # one that the budget cuts is left to the next call, which begins with it
            del reply.parts[held:], reply.citations[held:]
            break
        shown += 1
        if not is_whole:
            break
    if shown < len(chunks):
        reply.parts.append(f"{len(chunks) - shown} more passages follow: read on with id {chunks[shown].id}.")
    return reply


def _cite_lines(reply: Reply, found: Read, chunk: Chunk, *, number: int, wanted: tuple[int, int]) -> bool:
    """Cite the wanted lines of a passage, all of it where its stored lines are not the file's one to one."""
    start, breaks = first_line(chunk), [match.start() for match in re.finditer("\n", chunk.text)]
    end = (start or 0) + len(breaks)
    first, last = max(wanted[0], start or 0), min(wanted[1], end)
    if start is None or (first, last) == (start, end):
        return reply.cite(chunk, found.served, number=number, text=chunk.text)
    begins = [0, *(place + 1 for place in breaks), len(chunk.text)]
    span = begins[first - start], begins[last - start + 1]
    part = chunk._replace(metadata={**chunk.metadata, "start_line": first, "end_line": last})
    told = f" (lines {first}-{last} of this passage, which has {start}-{end})"
    text = chunk.text[slice(*span)].rstrip("\n")
    return reply.cite(part, found.served, number=number, extra=told, text=text, span=span)


def _found(service: Knowledge, caller: Caller, args: a.ReadArguments) -> tuple[Read, int, int, str]:
    """The document with the first and the last line that are wanted of it, and what is read in place of what was asked
    for; "" where that is what it is. Where an id is unknown the document beside it is read."""
    names = collections(service, caller, args.collection)
    try:
        found = _passage(service, caller, names, args.id or "", version=args.version) if args.id else None
    except InputError:
        if args.document is None:
            raise
        found = None
    if found is None:
        note = f"there is no passage {args.id}, so the document is read" if args.id else ""
        return *_lines_of_document(service, caller, names, args), note
    first, note = found.chunks[found.start], ""
    if first.id != args.id:
        note = f"this version has {args.id} as {first.id}, since lines above it came or went"
    elif args.document and not _is_of(service, caller, found, args.document):
        note = f"the id is of {first.document_id}, not of {args.document}; leave it out to read that"
    return found, args.start_line or 1, args.end_line or LAST_LINE, note


def _is_of(service: Knowledge, caller: Caller, found: Read, document: str) -> bool:
    """Whether the passages are those of the document, by its id or a name that it is known by, be it with lines."""
    path, _, lines = document.rpartition(":")
    for name in (document, path) if lines.partition("-")[0].isdecimal() else (document,):
        with suppress(InputError):
            named = _document(service, caller, [found.served.name], name, version=found.served.version)
            return named.chunks[0].document_id == found.chunks[0].document_id
    return False


def _lines_of_document(
    service: Knowledge, caller: Caller, names: list[str], args: a.ReadArguments
) -> tuple[Read, int, int]:
    """The document, and the lines that are wanted of it: `notes.md:3-9` says them too."""
    first, last, document = args.start_line or 1, args.end_line or LAST_LINE, args.document or ""
    try:
        return _document(service, caller, names, document, version=args.version), first, last
    except InputError:
        path, _, lines = document.rpartition(":")
        begin, _, end = lines.partition("-")
        if not path or not begin.isdecimal() or not (end or begin).isdecimal():
            raise
        found = _document(service, caller, names, path, version=args.version)
        return found, args.start_line or int(begin), args.end_line or (int(end) if end else last)


def _passage(
    service: Knowledge, caller: Caller, names: list[str], passage: str, *, version: str | None
) -> Read:
    try:
        reads, _ = from_each(names, lambda name: read_around(service, caller, name, passage, version=version))
    except InputError as error:
        moved = {name: moved_passage(service, caller, name, passage) for name in names if version is None}
        for name in filter(moved.get, moved):
            return read_around(service, caller, name, moved[name])
        found = str(error) if len(names) == 1 else f"id {passage!r}: no collection has such a passage"
        raise InputError(f"{found}. It may be of another version: search again", field="id") from error
    return _only(reads)


def _document(
    service: Knowledge, caller: Caller, names: list[str], document: str, *, version: str | None
) -> Read:
    try:
        reads, _ = from_each(
            names, lambda name: read_document(service, caller, name, document, version=version)
        )
    except InputError as error:
        if len(names) == 1:
            raise
        near, _ = from_each(
            names, lambda name: _near(service.serve(caller, name, version).index, name, document)
        )
        best = sorted(chain.from_iterable(near), key=lambda one: likeness(document, one[0]), reverse=True)
        told = ", ".join(f"{path} of {name}" for path, name in best[:MOST_TOLD])
        hint = f". Near it: {told}" if told else ""
        raise InputError(f"document {document!r}: no collection has it{hint}", field="document") from error
    return _only(reads)


def _near(index: OpenedIndex, collection: str, document: str) -> list[tuple[str, str]]:
    return [(one, collection) for one in near_documents(index, document)]


def _only(reads: list[Read]) -> Read:
    if len(reads) > 1:
        held = ", ".join(one.served.name for one in reads)
        raise InputError(f"collection: say which, one of {held} has it", field="collection")
    return reads[0]


def outline(service: Knowledge, caller: Caller, args: a.OutlineArguments) -> Reply:
    """What a document consists of, without its text."""
    names = collections(service, caller, args.collection)
    found = _document(service, caller, names, args.document, version=args.version)
    reply = Reply((found.served,), args.max_tokens)
    size = sum(len(chunk.text) for chunk in found.chunks) // CHARACTERS_A_TOKEN
    reply.say(f"{args.document}: {counted(len(found.chunks), 'passage')}, about {size:,} tokens")
    lines = [f"{_lines(chunk)}{_title(chunk)} — id: {chunk.id}" for chunk in found.chunks]
    _say_lines(reply, lines, "passages of this document")
    return reply


def list_(service: Knowledge, caller: Caller, args: a.ListArguments) -> Reply:
    """Documents of a collection."""
    name = one_collection(service, caller, args.collection)
    served = service.serve(caller, name, args.version)
    found = list_documents(served, args.under, args.after, limit=args.limit)
    reply = Reply((served,), args.max_tokens)
    reply.say(
        counted(found.total, "document") + (f" with {args.under!r} in their path" if args.under else "")
    )
    lines = [
        f"{chunk.document_id} — {title}, {counted(count, 'passage')}"
        if (title := chunk.metadata.get("title") or _title(chunk)) != chunk.document_id
        else f"{chunk.document_id} — {counted(count, 'passage')}"
        for chunk, count in found.documents
    ]
    said = _say_lines(reply, lines, "documents of this page")
    left = found.left + len(lines) - said
    if left and said:
        last = found.documents[said - 1][0].document_id
        reply.parts.append(f'{left} more follow: list on with after: "{last}".')
    return reply


def grep_(service: Knowledge, caller: Caller, args: a.GrepArguments) -> Reply:
    """Lines that hold a text as it is written."""
    names = collections(service, caller, args.collection)
    founds, notes = from_each(
        names,
        lambda name: grep(
            service.serve(caller, name, args.version),
            args.pattern,
            args.under,
            ignore_case=args.ignore_case,
            limit=args.limit,
        ),
    )
    matching = [found for found in founds if found.matches]
    reply = Reply(tuple(found.served for found in matching or founds), args.max_tokens)
    for found in matching:
        where = f"{found.served.name}: " if len(matching) > 1 else ""
        stopped = f", {found.stopped}: narrow it by `under`" if found.stopped else ""
        reply.say(f"{where}{len(found.matches)} lines{stopped}")
        _say_lines(reply, [_matching_line(match) for match in found.matches], "lines")
    if not matching:
        stopped_early = "; ".join(found.stopped for found in founds if found.stopped)
        reply.say(
            f"No line holds {args.pattern!r}{f' ({stopped_early})' if stopped_early else ''}. {_hint(args)}"
        )
    for line in notes:
        reply.say(f"Note: {line}")
    return reply


def _hint(args: a.GrepArguments) -> str:
    if any(mark in args.pattern for mark in (".*", "\\", "|", "[", "^", "$")):
        return "The pattern is plain text, not a regular expression: search for a word of it."
    return "Case matters unless ignore_case is true; `search` finds by meaning."


def verify(service: Knowledge, caller: Caller, args: a.VerifyArguments) -> Reply:
    """Whether passages are what they were."""
    names = collections(service, caller, args.collection)
    standings = [_standing(service, caller, names, passage, read_at=args.read_at) for passage in args.ids]
    served = tuple(dict.fromkeys(one.served for one in standings))
    reply = Reply(served, 1_500)
    for one in standings:
        place = f" — {headline(one.chunk)}" if one.chunk else ""
        moved = f"; now id: {one.chunk.id}" if one.chunk and one.status == GONE else ""
        reply.say(f"{one.id}: {one.status}. {one.detail.capitalize()}{moved}{place}")
    if args.read_at is None and any(one.status == CURRENT for one in standings):
        reply.say("Say `read_at`, the version that you read them from, to have their texts compared.")
    return reply


def _standing(
    service: Knowledge, caller: Caller, names: list[str], passage: str, *, read_at: str | None
) -> CheckedPassage:
    """What the collection says that has the passage, or that had it when it was read."""
    having = holders(service, caller, names, passage)
    if not having:
        read_at = read_at or PREVIOUS
        having = holders(service, caller, names, passage, version=read_at)
    served = service.serve(caller, (having or names)[0])
    return check_passage(service, served, caller, passage, read_at=read_at)


def _say_lines(reply: Reply, lines: list[str], what: str) -> int:
    """Say as many lines as fit, whole; how many were said. What is left out is told."""
    said, room = 0, reply.left
    while said < len(lines) and room >= (cost := len(lines[said].encode()) + 1):
        room -= cost
        said += 1
    if said:
        reply.say("\n".join(lines[:said]))
    if said < len(lines):
        reply.parts.append(f"{len(lines) - said} more {what} do not fit: raise max_tokens.")
    return said


def _matching_line(match: Match) -> str:
    known = match.chunk.metadata
    path = known.get("path") or known.get("file_path") or match.chunk.document_id
    start, end = known.get("start_line"), known.get("end_line")
    place = match.line if match.line is not None else f"{start}-{end}" if start else ""
    return f"{path}:{place}: {match.text[:240]} — id: {match.chunk.id}"


def _title(chunk: Chunk) -> str:
    return chunk.breadcrumb or str(chunk.metadata.get("heading") or "") or chunk.text.split("\n", 1)[0][:80]


def _lines(chunk: Chunk) -> str:
    start, end = chunk.metadata.get("start_line"), chunk.metadata.get("end_line")
    return f"{start}-{end} " if start else ""


def _overlaps(chunk: Chunk, first: int, last: int) -> bool:
    start, end = chunk.metadata.get("start_line"), chunk.metadata.get("end_line")
    if not isinstance(start, int) or not isinstance(end, int):
        return True
    return start <= last and end >= first


def _extent(chunks: tuple[Chunk, ...]) -> str:
    ends = [end for chunk in chunks if isinstance(end := chunk.metadata.get("end_line"), int)]
    return f"it ends at line {max(ends)}" if ends else "it has no lines"

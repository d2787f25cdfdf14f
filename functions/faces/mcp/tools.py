"""The tools that answer questions. What a model reads about them is in `functions.faces.mcp.catalog`."""

from __future__ import annotations

from functions.faces.mcp import arguments as a
from functions.faces.mcp.choosing import collections, from_each, likeness, one_collection
from functions.faces.mcp.passages import Reply, listed, shown_label
from functions.web.leaving import ended_by
from functions.web.wire import SEND_TERMS
from quire.analysis.language import advice
from quire.answering.extractive.rendering import quoted_part
from quire.answering.request import EXTRACTIVE, Inquiry
from quire.documents import Hit, counted
from quire.errors import QuireError
from quire.search.retrieval import Query
from quire.service.access import Caller
from quire.service.ask import ask
from quire.service.diff import compare
from quire.service.documents import look_up
from quire.service.knowledge import Found, Knowledge, nothing_to_read, survey
from quire.store.catalog import Served

MOST_NAMES = 60
"""Names of changed documents that are listed of each kind."""
MOST_NEAR = 12
"""Near symbols that are told, of all collections together."""
LEAST_SHARE = 400
"""Bytes that a passage is given at least, however many share the budget."""


def list_collections(service: Knowledge, caller: Caller, _: a.ListCollections) -> Reply:
    """Every readable collection with what it can be filtered by."""
    reply = Reply((), 4_000)
    for name, state in survey(service, caller):
        if isinstance(state, QuireError):
            reply.say(f"{name}: cannot be served now ({type(state).__name__})")
            continue
        label = shown_label(state.label)
        fields = dict.fromkeys(field for manifest in state.manifests for field in manifest.filters)
        reply.say(
            f"{name}: {service.title(name)}. Version {state.version}{label}, {counted(state.chunk_count, 'passage')}."
            f" Filters: {', '.join(fields) or 'none'}."
        )
    if not reply.parts:
        reply.say(f"Of collections the store holds {nothing_to_read(service)}.")
    return reply


def search(service: Knowledge, caller: Caller, args: a.Search) -> Reply:
    """Passages for a question, of one collection or the best of all."""
    names = collections(service, caller, args.collection)
    question = Query(args.query, args.limit, args.filters, terms=args.terms)
    founds, notes = from_each(names, lambda name: service.search(caller, name, question, args.version))
    best = best_hits(founds, args.limit)
    spoke = tuple(dict.fromkeys(served for served, _ in best)) or tuple(found.served for found in founds)
    reply = Reply(spoke, args.max_tokens)
    told = (
        line
        for found in founds
        for line in (*found.degraded, *found.notices, *advice(found.notices, SEND_TERMS))
    )
    for line in dict.fromkeys((*notes, *told)):
        reply.say(f"Note: {line}")
    _say_terms(reply, founds[0].terms)
    # A fair share for each, so that one long passage does not hide the others.
    share = max(reply.left // max(len(best), 1), LEAST_SHARE)
    for number, (served, hit) in enumerate(best, 1):
        text = shortened(hit.chunk.text, share)
        if not reply.cite(hit.chunk, served, number=number, extra=f" — relevance {hit.score:.2f}", text=text):
            break
    if not best:
        reply.say("Nothing found. Try fewer or other words, or leave out the filters.")
    return reply


def best_hits(founds: list[Found], limit: int) -> list[tuple[Served, Hit]]:
    """Hits of several collections, best first: by their calibrated scores, which mean the same everywhere.

    Scores near 1 are equal when they are rounded; then the cosine decides, which is of the same model.
    """
    pairs = [(found.served, hit) for found in founds for hit in found.hits]
    if len(founds) > 1:
        pairs.sort(key=lambda pair: (-round(pair[1].score, 2), -(pair[1].cosine or 0.0), pair[0].name))
    return pairs[:limit]


def answer(service: Knowledge, caller: Caller, args: a.Ask) -> Reply:
    """A cited answer, from the collection that knows most about it where none is named."""
    names = collections(service, caller, args.collection)
    founds: list[Found] = []
    notes: list[str] = []
    if len(names) > 1:
        question = Query(args.question, 1, args.filters, terms=args.terms)
        founds, notes = from_each(names, lambda name: service.search(caller, name, question, args.version))
        best = best_hits(founds, 1)
        names = [best[0][0].name if best else founds[0].served.name]
    inquiry = Inquiry(
        args.question,
        args.selected_text,
        max_tokens=args.max_tokens,
        filters=args.filters,
        terms=args.terms,
    )
    served, given = ask(service, caller, names[0], inquiry, version=args.version, ended_by=ended_by)
    reply = Reply((served,), args.max_tokens)
    if not given.answerable:
        reply.say("Not answered from the sources:")
    cited = {one.n: (quoted_part(one), one) for one in given.citations}
    heads = [reply.head(part, served, number=number) for number, (part, _) in cited.items()]
    # Marks of the text have their sources, however little is wanted, but the text comes first.
    room = min(sum(len(head.encode()) + 2 for head in heads), reply.left // 2)
    reply.left -= room
    reply.say(given.text)
    for line in (*given.notices_beside, *advice(given.notices, SEND_TERMS), *given.degraded, *notes):
        reply.say(f"Note: {line}")
    if founds:
        reply.say(f"Note: {_nearest(names[0], len(founds), is_answered=given.answerable)}")
    _say_terms(reply, given.terms)
    reply.left = max(reply.left, 0) + room
    for left, (number, (part, citation)) in zip(range(len(cited), 0, -1), cited.items(), strict=True):
        quote = "" if given.model_used == EXTRACTIVE else shortened(citation.quote, reply.left // left)
        if not reply.cite(part, served, number=number, text=quote, span=(citation.start, citation.end)):
            if more := len(cited) - len(reply.citations):
                reply.parts.append(f"{more} more sources: raise max_tokens.")
            break
    return reply


def _nearest(name: str, asked: int, *, is_answered: bool) -> str:
    told = f"{name}, the nearest of {asked} collections"
    return (
        f"answered from {told}" if is_answered else f"asked {told}: name another as `collection` to ask that"
    )


def _say_terms(reply: Reply, terms: str) -> None:
    if terms:
        reply.say(f"Terms: {terms}")


def lookup(service: Knowledge, caller: Caller, args: a.LookUp) -> Reply:
    """The definition of a symbol."""
    names = collections(service, caller, args.collection)
    founds, notes = from_each(
        names, lambda name: look_up(service, caller, name, args.symbol, version=args.version)
    )
    defining = [found for found in founds if found[1]]
    reply = Reply(tuple(served for served, _, _ in defining or founds), args.max_tokens)
    pairs = [(served, chunk) for served, chunks, _ in defining for chunk in chunks]
    for number, (served, chunk) in enumerate(pairs, 1):
        if not reply.cite(chunk, served, number=number, text=chunk.text):
            if more := len(pairs) - len(reply.citations):
                reply.parts.append(f"{more} more define it: raise max_tokens, or name what it belongs to.")
            break
    if not pairs and all(served.index.symbols.is_empty for served, _, _ in founds):
        reply.say(
            f"{args.symbol}: documentation declares no symbols, so this says nothing of it. Use search."
        )
    elif not pairs:
        told = dict.fromkeys(name for _, _, near in founds for name in near)
        near = sorted(told, key=lambda name: likeness(args.symbol, name), reverse=True)[:MOST_NEAR]
        hint = f" Symbols that come near: {', '.join(near)}." if near else ""
        reply.say(
            f"{args.symbol}: this version defines no such symbol.{hint} Do not use it unchecked; search may help."
        )
    for line in notes:
        reply.say(f"Note: {line}")
    return reply


def changes(service: Knowledge, caller: Caller, args: a.ChangesArguments) -> Reply:
    """What differs between two versions."""
    collection = one_collection(service, caller, args.collection)
    found = compare(service, caller, collection, args.since, after=args.until)
    reply = Reply((found.after,), args.max_tokens)
    groups = found.diff.by_document()
    wanted = groups if args.kind == "all" else {args.kind: groups[args.kind]}
    reply.say(
        f"Since {found.before.version}: "
        + ", ".join(f"{len(names)} {kind}" for kind, names in groups.items())
    )
    for kind, names in wanted.items():
        if names:
            reply.say(f"{kind.capitalize()}:\n{listed(names, MOST_NAMES)}")
    return reply


def shortened(text: str, share: int) -> str:
    """The text, cut to its share of the budget in bytes."""
    written = text.encode()
    if len(written) <= share:
        return text
    return f"{written[:share].decode(errors='ignore').rstrip()} …(cut: read this id for the rest)"

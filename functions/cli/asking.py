"""`quire search` and `quire ask`."""

from __future__ import annotations

import typer

from functions.cli.common import (
    NOTHING,
    CollectionOption,
    JsonOption,
    QuestionArgument,
    StoreOption,
    TermsOption,
    TopOption,
    VersionOption,
    choose,
    open_knowledge,
    place_of,
    print_json,
    snippet,
    symbol_of,
    warn,
)


def search(
    question: QuestionArgument,
    collection: CollectionOption = "",
    top: TopOption = 8,
    *,
    terms: TermsOption = "",
    version: VersionOption = "",
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Find passages and show where they stand."""
    from functions.web.access import ANYONE
    from functions.web.wire import hit_wire
    from quire.search.retrieval import Query

    service = open_knowledge(store)
    name = choose(service, collection)
    query = Query(question, top, terms=terms)
    found = service.search(ANYONE, name, query, version or None)
    warn(found.degraded)
    for line in found.notices:
        typer.echo(line, err=True)
    if as_json:
        hits = [hit_wire(hit) for hit in found.hits]
        facts = {"version": found.served.version, "mode": found.mode, "terms": found.terms}
        print_json({"collection": name, **facts, "hits": hits})
    else:
        for hit in found.hits:
            typer.echo(f"{place_of(found.served, hit.chunk)}  {symbol_of(hit.chunk)}  {hit.score:.2f}")
            typer.echo(snippet(hit.chunk.text, question))
    if not found.hits:
        typer.echo("nothing found", err=True)
        raise typer.Exit(NOTHING)


def ask(
    question: QuestionArgument,
    collection: CollectionOption = "",
    top: TopOption = 8,
    *,
    terms: TermsOption = "",
    version: VersionOption = "",
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Answer a question from the indexed files alone, with the places that say so."""
    from functions.web.access import ANYONE
    from functions.web.wire import citation_wire
    from quire.answering.request import Inquiry
    from quire.service.ask import ask as ask_collection

    service = open_knowledge(store)
    name = choose(service, collection)
    inquiry = Inquiry(question, top_k=top, terms=terms)
    served, answer = ask_collection(service, ANYONE, name, inquiry, version=version or None)
    warn(answer.degraded)
    cited = [(one, one.hit.chunk) for one in answer.citations]
    if as_json:
        citations = [
            citation_wire(chunk, answer.version)
            | {"n": one.n, "quote": one.quote, "start": one.start, "end": one.end, "sha256": one.sha256}
            for one, chunk in cited
        ]
        known = {"answer": answer.text, "answerable": answer.answerable, "notices": list(answer.notices)}
        facts = {"model_used": answer.model_used, "version": answer.version, "terms": answer.terms}
        print_json({"collection": name, **known, "citations": citations, **facts})
    else:
        typer.echo("\n\n".join([answer.text, *answer.notices]))
        if cited:
            typer.echo("\nSources:")
        for one, chunk in cited:
            typer.echo(f"[{one.n}] {place_of(served, chunk, one.start)}  {symbol_of(chunk)}".rstrip())
    if not answer.answerable:
        raise typer.Exit(NOTHING)

"""`quire search` and `quire ask`."""

from __future__ import annotations

from typing import Annotated

import typer

from functions.cli.choosing import open_chosen
from functions.cli.common import (
    NOTHING,
    CollectionOption,
    FilterOption,
    JsonOption,
    QuestionArgument,
    StoreOption,
    TermsOption,
    TopOption,
    VersionOption,
    file_of,
    place_of,
    print_json,
    read_filters,
    snippet,
    symbol_of,
    warn,
)

GIVE_TERMS = "give `--terms`"


def search(
    words: QuestionArgument,
    collection: CollectionOption = "",
    top: TopOption = 8,
    *,
    terms: TermsOption = "",
    filters: FilterOption = None,
    min_score: Annotated[
        float | None, typer.Option("--min-score", help="Leave out what scores lower.", show_default="none")
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="Print the files alone, best first.")] = False,
    version: VersionOption = "",
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Find passages and show where they stand."""
    from quire.analysis.language import advice
    from quire.answering.extractive.rendering import as_read
    from quire.search.retrieval import Query
    from quire.service.access import ANYONE

    question, (service, name) = " ".join(words), open_chosen(store, collection)
    query = Query(question, top, read_filters(filters), min_score, terms=terms)
    found = service.search(ANYONE, name, query, version or None)
    warn(found.degraded)
    for line in (*found.notices, *advice(found.notices, GIVE_TERMS)):
        typer.echo(line, err=True)
    if as_json:
        from functions.web.wire import hit_wire  # pydantic's models: 0.1 s to import

        hits = [hit_wire(hit) for hit in found.hits]
        facts = {"version": found.served.version, "mode": found.mode, "terms": found.terms}
        print_json({"collection": name, **facts, "hits": hits})
    elif files:
        for file in dict.fromkeys(file_of(found.served, hit.chunk) for hit in found.hits):
            typer.echo(file)
    else:
        for hit in found.hits:
            typer.echo(f"{place_of(found.served, hit.chunk)}  {symbol_of(hit.chunk)}  {hit.score:.2f}")
            typer.echo(snippet(as_read(hit.chunk), question))
    if not found.hits:
        typer.echo("nothing found", err=True)
        raise typer.Exit(NOTHING)


def ask(
    words: QuestionArgument,
    collection: CollectionOption = "",
    top: TopOption = 8,
    *,
    terms: TermsOption = "",
    filters: FilterOption = None,
    version: VersionOption = "",
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Answer a question from the indexed files alone, with the places that say so."""
    from quire.analysis.language import advice
    from quire.answering.extractive.rendering import quoted_part
    from quire.answering.request import Inquiry
    from quire.service.access import ANYONE
    from quire.service.ask import ask as ask_collection

    service, name = open_chosen(store, collection)
    inquiry = Inquiry(" ".join(words), top_k=top, filters=read_filters(filters), terms=terms)
    served, answer = ask_collection(service, ANYONE, name, inquiry, version=version or None)
    warn(answer.degraded)
    notices = (*answer.notices, *advice(answer.notices, GIVE_TERMS))
    cited = [(one, quoted_part(one)) for one in answer.citations]
    if as_json:
        from functions.web.wire import citation_wire

        citations = [
            citation_wire(chunk, answer.version)
            | {"n": one.n, "quote": one.quote, "start": one.start, "end": one.end, "sha256": one.sha256}
            for one, chunk in cited
        ]
        known = {"answer": answer.text, "answerable": answer.answerable, "notices": list(notices)}
        facts = {"model_used": answer.model_used, "version": answer.version, "terms": answer.terms}
        print_json({"collection": name, **known, "citations": citations, **facts})
    else:
        typer.echo("\n\n".join([answer.text, *(one for one in notices if one != answer.text)]))
        if cited:
            typer.echo("\nSources:")
        for one, chunk in cited:
            typer.echo(f"[{one.n}] {place_of(served, chunk)}  {symbol_of(chunk)}".rstrip())
    if not answer.answerable:
        raise typer.Exit(NOTHING)

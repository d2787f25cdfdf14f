"""`quire list` and `quire get`: what is indexed, and one passage of it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from functions.cli.choosing import choose
from functions.cli.common import (
    NOTHING,
    CollectionOption,
    JsonOption,
    StoreOption,
    VersionOption,
    open_knowledge,
    place_of,
    print_json,
)
from functions.cli.places import settings_for


def list_indexes(store: StoreOption = "", *, as_json: JsonOption = False) -> None:
    """List what is indexed: its name, what it holds, when it was indexed, and from where."""
    from quire.errors import ArtifactError

    catalog = open_knowledge(settings_for(store)).catalog
    held: list[dict[str, Any]] = []
    for name in catalog.names():
        try:
            served = catalog.get(name)
        except ArtifactError as error:
            typer.echo(f"{name}: {error}", err=True)
            continue
        manifests = served.index.manifests
        held.append(
            {
                "collection": name,
                "files": sum(one.counts.documents for one in manifests),
                "passages": served.index.chunk_count,
                "indexed_at": served.pointer.fresh_at,
                "version": served.version,
                "sources": sorted({source.location for one in manifests for source in one.sources}),
            }
        )
    if as_json:
        print_json(held)
        return
    for one in held:
        counts = f"{one['files']} files, {one['passages']} passages"
        typer.echo(f"{one['collection']}  {counts}, {one['indexed_at']}  {' '.join(one['sources'])}".rstrip())
    if not held:
        typer.echo("nothing is indexed in this store yet: run `quire index PATH`", err=True)


def get(
    passage: Annotated[str, typer.Argument(help="The id of a passage, as `search --json` prints it.")],
    collection: CollectionOption = "",
    *,
    version: VersionOption = "",
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Print one passage whole, with the place that it stands at."""
    from quire.service.access import ANYONE

    settings = settings_for(store)
    service = open_knowledge(settings)
    name = choose(service, collection, settings)
    served = service.serve(ANYONE, name, version or None)
    found = served.index.find(passage)
    if found is None:
        typer.echo(f"{name}: has no passage {passage!r}", err=True)
        raise typer.Exit(NOTHING)
    (chunk,) = served.index.fetch([found])
    place = place_of(served, chunk)
    if as_json:
        print_json({"collection": name, "version": served.version, "place": place, "text": chunk.text})
    else:
        typer.echo(f"{place}\n{chunk.text}")

"""`quire list`, `status`, `get` and `remove`: what is indexed, how far, one passage of it, and away with it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from functions.cli.choosing import complete_name, open_chosen, read_held
from functions.cli.common import (
    NOTHING,
    CollectionOption,
    JsonOption,
    StoreOption,
    VersionOption,
    log_of,
    open_catalog,
    place_of,
    print_json,
)
from functions.cli.user_directories import settings_for
from quire.adapters.chosen import open_objects, open_server
from quire.documents import counted
from quire.errors import ArtifactError, BuildInProgress, InputError, SourceError, UnknownCollection

if TYPE_CHECKING:
    from quire.ports import ObjectStore
    from quire.settings import Settings
    from quire.store.catalog import Catalog
    from quire.store.lock import BuildState

EMPTY = "nothing is indexed in this store yet: run `quire index PATH`"
ENDS_S = 10.0
NameArgument = Annotated[
    str,
    typer.Argument(help="The collection, or the folder that it was made of.", autocompletion=complete_name),
]


def list_indexes(store: StoreOption = "", *, as_json: JsonOption = False) -> None:
    """List what is indexed: its name, what it holds, when it was indexed, and from where."""
    settings = settings_for(store)
    catalog = open_catalog(settings, open_objects(settings.store))
    held = [facts for name in catalog.names() if (facts := _facts(catalog, name))]
    if as_json:
        print_json(held)
        return
    for one in held:
        typer.echo(
            f"{one['collection']}  {_counts(one)}, {one['indexed_at']}  {' '.join(one['sources'])}".rstrip()
        )
    if not held:
        typer.echo(EMPTY, err=True)


def status(
    name: Annotated[
        str,
        typer.Argument(help="A collection, or its folder; without one all.", autocompletion=complete_name),
    ] = "",
    store: StoreOption = "",
    *,
    as_json: JsonOption = False,
) -> None:
    """Tell how far each index is: its vectors, a build under way or one that was ended, files changed since."""
    from build_index.pipeline.file_ledger import Ledger
    from quire.store.lock import read_builds

    settings = settings_for(store)
    objects = open_objects(settings.store)
    catalog, builds = open_catalog(settings, objects), read_builds(objects, time.time())
    names = sorted({*catalog.names(), *builds})
    found: list[dict[str, Any]] = []
    for one in [_named(catalog, settings.cache, names, name)] if name else names:
        is_there = one in catalog.names()
        facts = (_facts(catalog, one) if is_there else None) or {
            "collection": one,
            "version": None,
            "is_damaged": is_there,
            "sources": read_held(catalog, settings.cache)[one].locations if is_there else (),
        }
        changed, unread = None, ""
        try:
            changed = (
                Ledger(settings.cache, one).changes_since(facts["version"]) if facts["version"] else None
            )
        except SourceError as error:  # its folder was moved or deleted, which hides none of the others
            unread = str(error)
        build = _build(settings, one, builds.get(one))
        found.append(facts | {"files_changed": changed, "unread": unread, "build": build})
    if as_json:
        print_json(found)
        return
    for facts in found:
        typer.echo("\n  ".join(_told(facts)))
    typer.echo(f"store: {settings.store}" if found else EMPTY, err=True)


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

    service, name = open_chosen(store, collection)
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


def remove(
    name: NameArgument,
    store: StoreOption = "",
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Remove documents too that were written over HTTP.")
    ] = False,
) -> None:
    """Remove an index, its versions and what the cache keeps of its texts; ends a build of it that runs here."""
    from build_index.cache.last_build import hold_cache
    from build_index.pipeline.folder_job import forget
    from quire.store.keys import lock_key, segment_key, server_alias
    from quire.store.lock import BuildLock, read_builds
    from quire.store.retired import delete_collection

    settings = settings_for(store)
    objects = open_objects(settings.store)
    catalog = open_catalog(settings, objects)
    name = _named(
        catalog, settings.cache, sorted({*catalog.names(), *read_builds(objects, time.time())}), name
    )
    if not force and _has_written(catalog, name):
        raise InputError(
            f"{name}: holds documents that were written over HTTP, gone for good if removed; --force does it",
            field="force",
        )
    _end(objects, name)
    # Not by way of the store, which reads the pointer too: that may be what is damaged.
    with BuildLock(objects, lock_key(name), clock=time.time), hold_cache(settings.cache, name):
        if server := open_server(settings.opensearch, is_serving=False):
            for index in server.indexes(server_alias(name)):
                server.delete(index)
        held = [one.rstrip("/") for one in objects.list(segment_key(name, "")[:-1])]
        delete_collection(objects, name)
        forget(settings.cache, name, held)
    log_of(settings, name).unlink(missing_ok=True)
    typer.echo(f"{name}: removed")


def _named(catalog: Catalog, cache: Path, names: list[str], wanted: str) -> str:
    """The collection of that name, or the one that was made of that folder."""
    if wanted in names:
        return wanted
    folder = str(Path(wanted).expanduser().resolve())
    of_folder = [one.name for one in read_held(catalog, cache).values() if one.locations == (folder,)]
    if len(of_folder) != 1:
        held = ", ".join(of_folder or names) or "nothing"
        raise UnknownCollection(f"{wanted}: not in this store, which holds {held}", field="name")
    return of_folder[0]


def _facts(catalog: Catalog, name: str) -> dict[str, Any] | None:
    """What a collection holds; None where it is damaged, which is told."""
    from quire.index.opened import vector_share

    try:
        served = catalog.get(name)
    except ArtifactError as error:
        typer.echo(f"{name}: {error}", err=True)
        return None
    manifests = served.index.manifests
    return {
        "collection": name,
        "files": sum(one.counts.documents for one in manifests),
        "passages": served.index.chunk_count,
        "vectors": vector_share(served.index.manifests),
        "indexed_at": served.pointer.fresh_at,
        "version": served.version,
        "sources": sorted({source.location for one in manifests for source in one.sources}),
    }


def _counts(facts: Mapping[str, Any]) -> str:
    vectors = f", vectors {facts['vectors']:.0%}" if facts["vectors"] < 1 else ""
    return f"{counted(facts['files'], 'file')}, {counted(facts['passages'], 'passage')}{vectors}"


def _build(settings: Settings, name: str, build: BuildState | None) -> dict[str, Any] | None:
    """A build that runs or was killed, and where the one in the background says how it goes."""
    if build is None:
        return None
    log, since = log_of(settings, name), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(build.since))
    facts = {"is_running": build.is_running, "since": since, "process": build.process or None}
    facts |= {"progress": build.progress or None}
    return facts | {"log": str(log) if log.exists() else None}


def _told(facts: Mapping[str, Any]) -> list[str]:
    """A collection in lines, of which the first is its heading."""
    build, is_served = facts["build"], facts["version"] is not None
    where = " ".join(facts.get("sources", ())) or "PATH"
    lines = [f"{facts['collection']}: {_counts(facts) if is_served else 'nothing can be searched yet'}"]
    if facts.get("is_damaged"):
        return [f"{facts['collection']}: is damaged, and not searched: `quire index {where}` makes it again"]
    if is_served:
        lines.append(f"of {where}, indexed {facts['indexed_at']}, version {facts['version']}")
    if build and build["is_running"]:
        process = f" by process {build['process']}" if build["process"] else ""
        far = f": {build['progress']}" if build["progress"] else ""
        lines.append(f"being indexed since {build['since']}{process}{far}")
    elif build or (is_served and facts["vectors"] < 1):
        lines.append(f"indexing was ended before it was done: `quire index {where}` goes on from there")
    if build and build["log"]:
        lines.append(f"log: {build['log']}")
    if facts["unread"]:
        name = facts["collection"]
        lines.append(
            f"{facts['unread']}: it answers as it was; `quire index PATH --name {name}` makes it of another folder,"
            f" `quire remove {name}` removes it"
        )
    if facts["files_changed"]:
        changed = counted(facts["files_changed"], "file")
        lines.append(
            f"{changed} changed since: `quire index {where}` takes {'it' if changed == '1 file' else 'them'} in"
        )
    return lines


def _has_written(catalog: Catalog, name: str) -> bool:
    """Whether documents were written to it beside the build's; not where nothing can be read of it any more."""
    from quire.store.pointers import BUILD

    with suppress(ArtifactError, UnknownCollection):
        return any(ref.origin != BUILD for ref in catalog.pointer(name).segments)
    return False


def _end(objects: ObjectStore, name: str) -> None:
    """End the process of a build, which keeps what it embedded.

    Raises:
        BuildInProgress: it does not run here.
    """
    from quire.store.lock import read_build

    for sent in (signal.SIGTERM, signal.SIGKILL):
        build, until = read_build(objects, name, time.time()), time.monotonic() + ENDS_S
        if build and build.is_running and not build.process:
            raise BuildInProgress(f"{name}: is being indexed by another machine: end that first, or wait")
        if build and build.is_running:
            typer.echo(f"{name}: ending process {build.process}, which indexes it", err=True)
            with suppress(ProcessLookupError):
                os.kill(build.process, sent)
        while build and build.is_running and time.monotonic() < until:
            time.sleep(0.05)
            build = read_build(objects, name, time.time())

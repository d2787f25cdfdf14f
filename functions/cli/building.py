"""`quire index` and `quire serve`.

`quire index --background` is the same command as a process of its own, left alone once its index can be searched.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from functions.cli.choosing import PROFILE, HeldIndex, free_name, name_of, read_held
from functions.cli.common import INTERRUPTED, JsonOption, StoreOption, log_of, print_json
from functions.cli.user_directories import export, settings_for
from quire.adapters.chosen import open_objects
from quire.collections import check_name
from quire.documents import counted
from quire.errors import BuildInProgress, InputError, UnknownCollection
from quire.folders import demand_readable

if TYPE_CHECKING:
    from build_index.pipeline.file_ledger import Order
    from build_index.pipeline.folder_job import JobOutcome
    from quire.ports import ObjectStore
    from quire.settings import Settings

EMPTY = "nothing is indexed there yet: run `quire index PATH`"
LOOKS_S = 0.1


def index(
    path: Annotated[str, typer.Argument(help="The folder.")],
    name: Annotated[
        str,
        typer.Option(
            "--name", "--collection", "-c", help="What to call the index.", show_default="its folder's"
        ),
    ] = "",
    *,
    pattern: Annotated[
        list[str] | None, typer.Option(help="Files to take, as in .gitignore; may come again.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Files to leave out; may come again.")] = None,
    clean: Annotated[bool, typer.Option("--clean", help="Embed everything again.")] = False,
    background: Annotated[
        bool,
        typer.Option("--background", help="Return once it can be searched; `quire status` tells the rest."),
    ] = False,
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Index a folder of code and documents; again, it takes only what changed.

    Names and words can be searched first, from any shell; what is ended before its vectors are there goes on when it is
    called again.
    """
    folder, name, settings = _folder(path), name and check_name(name), settings_for(store)
    objects = open_objects(settings.store)
    # The build's libraries cost half a second to import: only this command needs them. At a first build the processes
    # that cut files import theirs meanwhile.
    if not background and not served_version(objects, name or name_of(folder)):
        from build_index.pipeline.readers import start_readers

        start_readers()
    from build_index.pipeline.file_ledger import Order
    from build_index.pipeline.folder_job import run_order
    from build_index.progress import say
    from build_index.wiring import open_tools
    from quire.store.catalog import Catalog
    from quire.store.store import SegmentStore

    segments = SegmentStore(objects, settings.cache / "store")
    held = read_held(Catalog(segments, refresh_s=0), settings.cache)
    order = Order(
        collection=name or free_name(folder, held),
        root=str(folder),
        store=settings.store,
        patterns=tuple(pattern or ()),
        exclude=tuple(exclude or ()),
        clean=clean,
        incremental=not clean,
    )
    _demand_idle(objects, order.collection)
    _warn_of_replacing(held, order.collection, folder)
    if background:
        go_on_behind(order, objects, settings, as_json=as_json)
        return
    try:
        outcome = run_order(order, segments, partial(open_tools, cache=settings.cache), settings.cache)
    except KeyboardInterrupt:
        say(
            f"{order.collection}: stopped; what is read and embedded is kept, the same command goes on from there"
        )
        raise typer.Exit(INTERRUPTED) from None
    _keep_out_of_git(settings.store)
    if as_json:
        print_json({"collection": order.collection, **asdict(outcome)})
    else:
        typer.echo(f"{order.collection}: {_summary(outcome)}")


def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8000,
    store: StoreOption = "",
    bundle: Annotated[str, typer.Option(help="Serve this file of `quire bundle`, offline.")] = "",
    *,
    ask: Annotated[str, typer.Option(help="A question to suggest.")] = "",
    collection: Annotated[str, typer.Option(help="The collection to open, where there are several.")] = "",
) -> None:
    """Serve every index over HTTP: the page at /, the API reference at /reference, MCP at /mcp."""

    from functions.app.listening import demand_free
    from functions.app.serving import serve as serve_app
    from functions.app.wiring import open_service

    if bundle and store:
        raise InputError(
            "--bundle, --store: wanted one of the two, a bundle is a store of its own", field="bundle"
        )
    if bundle:
        from functions.cli.bundle import open_bundle

        store = str(open_bundle(Path(bundle), settings_for("").cache))
    settings = settings_for(store)
    export(settings)
    demand_free(host, port)
    held = open_service(settings).catalog.names()
    from functions.local import app  # takes a second or more: what is said next is true at once

    where = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    where += f"?c={collection}" if len(held) > 1 and collection in held else ""
    hint = f"ask it: {ask}" if ask else "ask it something"
    typer.echo(
        f"serving {bundle or settings.store} ({', '.join(held) or EMPTY}): open {where} and {hint}", err=True
    )
    serve_app(host, port, app=app, log_level="warning")


def _demand_idle(objects: ObjectStore, name: str) -> None:
    """Say who indexes it already, before anything is read.

    Raises:
        BuildInProgress: somebody does.
    """
    from quire.store.lock import read_build

    build = read_build(objects, name, time.time())
    if build and build.is_running:
        process = f" by process {build.process}" if build.process else " on another machine"
        raise BuildInProgress(
            f"{name}: is being indexed already{process}; `quire status` tells how far it is"
        )


def _warn_of_replacing(held: Mapping[str, HeldIndex], name: str, folder: Path) -> None:
    """Say where a name that was given takes the place of another folder's index, or of one of another profile."""
    if name not in held or not (before := held[name]).locations:
        return
    if str(folder) not in before.locations or before.profile != PROFILE:
        kind = "" if before.profile == PROFILE else f" as profile {before.profile}"
        typer.echo(
            f"{name}: held {', '.join(before.locations)}{kind} until now; another --name keeps both", err=True
        )


def _keep_out_of_git(store: str) -> None:
    """What is kept beside the user's files is none of his repository's."""
    kept = Path(store).parent
    if kept.name == ".quire" and kept.is_dir() and not (kept / ".gitignore").exists():
        (kept / ".gitignore").write_text("*\n", encoding="utf-8")


def _summary(outcome: JobOutcome) -> str:
    """What was done, and on a second line what was left out."""
    failed = f"{counted(len(outcome.failed), 'file')} failed, " if outcome.failed else ""  # each is said why
    done = (
        f"{counted(outcome.files, 'file')}, {counted(outcome.chunks, 'passage')}, {failed}"
        f"{counted(outcome.changed, 'file')} changed, {outcome.seconds:.1f} s; version {outcome.version}"
    )
    return done + _left_out(outcome.excluded or {}, outcome.left_out or {})


def _left_out(excluded: Mapping[str, int], paths: Mapping[str, Sequence[str]]) -> str:
    """What was not read for a reason that the user did not give, as a further line; "" where that is nothing."""
    from build_index.sources.files.selection import ASKED, told

    counts = told({one: count for one, count in excluded.items() if one not in ASKED}, paths)
    return f"\nleft out: {counts}" if counts else ""


_ADDRESS = re.compile(r"(https?|ssh|git|s3):/+(.+)", re.DOTALL)


def _folder(path: str) -> Path:
    if not path.strip():  # a variable of the shell that is not set would stand for the folder one is in
        raise InputError("'': wanted a folder, found an empty name; `.` is this one", field="path")
    folder = Path(path).expanduser().resolve()
    if address := _ADDRESS.match(path):
        raise InputError(
            f"{address[1]}://{address[2].rstrip('/')}: wanted a folder, found an address: clone or unpack what is"
            " there and index that, or read it with `python -m build_index build NAME --source`",
            field="path",
        )
    demand_readable(folder)
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise InputError(f"{path}: wanted a folder, found {found}", field="path")
    return folder


def mcp(store: StoreOption = "") -> None:
    """Speak MCP over standard input and output, for an agent on this machine."""
    if sys.stdin is None or sys.stdout is None:
        raise InputError("mcp: standard input or output is closed: the agent that starts it speaks over both")
    parent = os.getppid()  # before the imports, which take long enough for it to end meanwhile
    from functions.app.wiring import open_service
    from functions.faces.mcp.endpoint import serve_stdio

    serve_stdio(open_service(settings_for(store)), parent)


def bundle(
    name: Annotated[str, typer.Argument(help="The collection.")],
    out: Annotated[str, typer.Option(help="The file to write; by default NAME.quire.")] = "",
    store: StoreOption = "",
) -> None:
    """Write a collection with its model into one file, which `quire serve --bundle FILE` runs offline."""
    from functions.cli.bundle import write_bundle

    settings, target = settings_for(store), Path(out or f"{name}.quire")
    size = write_bundle(open_objects(settings.store), settings.cache, name, target)
    typer.echo(f"{target}: {size / 1e6:.1f} MB")


def go_on_behind(order: Order, objects: ObjectStore, settings: Settings, *, as_json: bool) -> None:
    """Start the command anew, detached, and return when what it indexes can be searched, or when it has ended."""
    # With `multiprocessing`, a tenth of what other commands take to start.
    from quire.killable import interpreter

    log = log_of(settings, order.collection)
    log.parent.mkdir(parents=True, exist_ok=True)
    flags = [("--pattern", one) for one in order.patterns] + [("--exclude", one) for one in order.exclude]
    words = ["--name", order.collection, "--store", order.store, *(word for flag in flags for word in flag)]
    words += ["--clean"] * order.clean + ["--json"] * as_json
    command, environment = interpreter("functions.cli", "index", *words, "--", order.root)
    before = served_version(objects, order.collection)
    with log.open("wb") as said, tempfile.TemporaryFile() as results:
        process = subprocess.Popen(
            command,
            env={**environment, "QUIRE_CACHE": str(settings.cache)},
            stdin=subprocess.DEVNULL,
            stdout=results,
            stderr=said,
            start_new_session=True,  # the end of the terminal is not its end
        )
        while process.poll() is None:
            if _can_be_searched(objects, order.collection, before):
                _tell(order.collection, process.pid, str(log), as_json=as_json)
                process.returncode = 0  # not waited for: it outlives this process
                return
            time.sleep(LOOKS_S)
        typer.echo(log.read_text(encoding="utf-8", errors="replace"), err=True, nl=False)
        results.seek(0)
        typer.echo(results.read().decode(errors="replace"), nl=False)
    if process.returncode:
        sys.exit(process.returncode)


def _can_be_searched(objects: ObjectStore, name: str, before: str) -> bool:
    """Whether a stage was published, or what was served before is being replaced."""
    from quire.store.lock import read_build

    build = read_build(objects, name, time.time())
    return served_version(objects, name) != before or bool(before and build and build.is_running)


def served_version(objects: ObjectStore, name: str) -> str:
    """What is served of a collection; "" where nothing is."""
    from quire.store.pointers import Pointers

    try:
        return Pointers(objects).read(name).version
    except UnknownCollection:
        return ""


def _tell(name: str, process: int, log: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"collection": name, "status": "running", "process": process, "log": log})
        return
    typer.echo(
        f"{name}: can be searched; process {process} goes on, `quire status {name}` tells how far it is"
    )

"""`quire index --background`: the same command as a process of its own, left alone once its index can be searched."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import typer

from functions.cli.common import log_of, print_json
from quire.errors import UnknownCollection

if TYPE_CHECKING:
    from build_index.pipeline.file_ledger import Order
    from quire.ports import ObjectStore
    from quire.settings import Settings

LOOKS_S = 0.1


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

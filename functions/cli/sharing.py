"""`quire mcp` and `quire bundle`: a collection for agents, and as one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from functions.cli.common import StoreOption
from functions.cli.user_directories import settings_for


def mcp(store: StoreOption = "") -> None:
    """Speak MCP over standard input and output, for an agent on this machine."""
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
    from functions.app.wiring import open_objects
    from functions.cli.bundle import write_bundle

    settings, target = settings_for(store), Path(out or f"{name}.quire")
    size = write_bundle(open_objects(settings.store), settings.cache, name, target)
    typer.echo(f"{target}: {size / 1e6:.1f} MB")

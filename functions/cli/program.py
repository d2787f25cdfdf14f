"""The user's command line: index a folder, ask it, search it, serve it, without HTTP between.

Exit codes: 0 done; 1 nothing found or not answered; 2 wrong or refused; 130 stopped. Messages go to standard
error, results to standard output; `--json` makes them one JSON value.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from functions.cli.asking import ask, search
from functions.cli.building import bundle, index, mcp, serve
from functions.cli.common import INTERRUPTED, NOTHING, WRONG
from functions.cli.indexes import get, list_indexes, remove, status
from functions.cli.user_directories import adopt_env_file
from functions.cli.verification import diff, verify_citation
from quire import __version__
from quire.errors import QuireError, explain

SERVING = ("serve", "mcp")
"""Commands that stay. The others have numpy's algebra in one thread: starting its others costs .12 s of CPU."""

app = typer.Typer(name="quire", no_args_is_help=True, pretty_exceptions_enable=False)
app.command("list")(list_indexes)
for command in (index, status, ask, search, get, remove, serve, verify_citation, diff, bundle, mcp):
    app.command()(command)


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"quire {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Turns folders of code and documents into answers with path:line."""
    del version  # its callback has told it
    if context.invoked_subcommand not in SERVING:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@cache
def program() -> Callable[..., object]:
    """What typer makes of the commands: reading the parameters of all of them takes 15 ms, once a process."""
    return get_command(app)


def _stands() -> bool:
    """Whether there is a folder to stand in; relative paths have no place without."""
    try:
        return Path.cwd().is_dir()
    except FileNotFoundError:
        return False


def run() -> None:
    """Run one command; an error that has a name is one line, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a sign is shown its number
            stream.reconfigure(errors="backslashreplace")
    try:
        adopt_env_file()
        program()(prog_name="quire")
    except QuireError as error:
        typer.echo(f"quire: {error}", err=True)
        sys.exit(WRONG)
    except BrokenPipeError:
        # Whoever read had enough; without this Python complains when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(NOTHING)
    except OSError as error:
        typer.echo(
            f"quire: {explain(error) if _stands() else 'the folder that you stand in is gone: go to another'}",
            err=True,
        )
        sys.exit(WRONG)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)

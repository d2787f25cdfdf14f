"""The user's own file of settings. The `.env` of a folder is nobody's until its reader names it.

It may have come in an archive, and could choose who writes answers, and where: passages of the reader's own indexes
would go there. Nothing in a folder tells whose it is: an archive may bring a `.git` that says anything.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer
from dotenv import dotenv_values

from functions.cli.user_directories import user_directories
from quire.errors import ConfigError
from quire.settings import IN_FILES, NO_ENV_FILES, adopt

VARIABLE = "QUIRE_ENV_FILE"
NAME = "quire.env"
HERE = Path(".env")
COMPLETING = "_QUIRE_COMPLETE"


def adopt_env_file() -> None:
    """Take settings from the file that QUIRE_ENV_FILE names, else from the user's own; tell of a `.env` with others.

    Raises:
        ConfigError: the named file is not there.
    """
    named = os.environ.get(VARIABLE, "")
    own = user_directories(os.environ, sys.platform).settings / NAME
    if named and not Path(named).is_file():
        raise ConfigError(f"{VARIABLE}: no file {named}")
    adopt(dotenv_values(named or own))
    if not named and COMPLETING not in os.environ and any(map(IN_FILES.fullmatch, dotenv_values(HERE))):
        typer.echo(
            f"quire: the settings in .env are not read, since a folder may be somebody else's: {VARIABLE}=.env takes"
            f" them, or put them into {own}",
            err=True,
        )
    os.environ[NO_ENV_FILES] = "1"  # neither here nor in a server or a build that this command starts

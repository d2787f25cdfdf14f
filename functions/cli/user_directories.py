"""Where a user's indexes are: in a store that was named, in `.quire` here or above, else in the user's data directory.

So are his settings, in a file of his own. The `.env` of a folder is nobody's until its reader names it: it may have
come in an archive, and could choose who writes answers, and where: passages of the reader's own indexes would go there.
Nothing in a folder tells whose it is: an archive may bring a `.git` that says anything.

Source of the folders: XDG Base Directory Specification 0.8; Apple, "File System Programming Guide"; Microsoft,
"KNOWNFOLDERID" (LocalAppData).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from dotenv import dotenv_values

from quire.errors import ConfigError
from quire.settings import IN_FILES, LOCAL_ROOT, NO_ENV_FILES, Settings, adopt, read_settings

STORE_VARIABLES = ("QUIRE_STORE", "RAG_INDEX_DIR")
VARIABLE = "QUIRE_ENV_FILE"
NAME = "quire.env"
HERE = Path(".env")
COMPLETING = "_QUIRE_COMPLETE"


@dataclass(frozen=True, slots=True)
class UserDirectories:
    """The folders of a user: what he keeps, what can be made again, and what he chose."""

    data: Path
    cache: Path
    settings: Path


def find_upwards(folder: Path) -> Path | None:
    """The nearest `.quire` folder in `folder` or above it that may hold a store; None where there is none.

    One with a cache alone is left by `python -m build_index build --store` of another place.
    """
    near = (one / LOCAL_ROOT for one in (folder, *folder.parents))
    return next((one for one in near if one.is_dir() and not _is_cache_alone(one)), None)


def _is_cache_alone(folder: Path) -> bool:
    try:
        return [one.name for one in folder.iterdir()] == ["cache"]
    except OSError:  # whoever opens it says why
        return False


def user_directories(environ: Mapping[str, str], platform: str) -> UserDirectories:
    """The folders that the platform gives a program for one user.

    >>> found = user_directories({"XDG_DATA_HOME": "/d", "HOME": "/h"}, "linux")
    >>> found.data.as_posix(), found.cache.as_posix(), found.settings.as_posix()
    ('/d/quire', '/h/.cache/quire', '/h/.config/quire')
    >>> user_directories({"HOME": "/h"}, "darwin").data.as_posix()
    '/h/Library/Application Support/quire'
    """
    home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    if platform == "darwin":
        kept = home / "Library" / "Application Support" / "quire"
        return UserDirectories(kept, home / "Library" / "Caches" / "quire", kept)
    if platform == "win32":
        local = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "quire"
        return UserDirectories(local, local / "cache", local)
    usual = {"DATA": ".local/share", "CACHE": ".cache", "CONFIG": ".config"}
    return UserDirectories(
        *(Path(environ.get(f"XDG_{one}_HOME") or home / at) / "quire" for one, at in usual.items())
    )


def settings_for(store: str, environ: Mapping[str, str] | None = None) -> Settings:
    """The process's settings, with the places of a user's command where the environment names none."""
    env = os.environ if environ is None else environ
    settings = read_settings(env)
    near = find_upwards(Path.cwd())
    home = user_directories(env, sys.platform)
    kept, cache = (near, near / "cache") if near else (home.data, home.cache)
    settings = replace(
        settings,
        cache=settings.cache if env.get("QUIRE_CACHE") else cache,
        memory=settings.memory if env.get("QUIRE_MEMORY") else str(kept / "memory.sqlite"),
    )
    if store:
        return replace(settings, store=store)
    if any(env.get(one) for one in STORE_VARIABLES):
        return settings
    settings = replace(settings, store=str(kept / "store"))
    if env.get("QUIRE_COLLECTIONS"):
        return settings
    return replace(settings, collections_file=(near.parent if near else home.data) / "collections.toml")


def export(settings: Settings) -> None:
    """Tell these places to what reads the environment itself: the server, and the builds that it starts."""
    os.environ |= {
        "QUIRE_STORE": settings.store,
        "QUIRE_CACHE": str(settings.cache),
        "QUIRE_MEMORY": settings.memory,
    }
    if settings.collections_file.is_file():
        os.environ["QUIRE_COLLECTIONS"] = str(settings.collections_file)


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

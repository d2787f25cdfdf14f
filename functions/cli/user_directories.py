"""Where a user's indexes are: in a store that was named, in `.quire` here or above, else in the user's data directory.

Source of the folders: XDG Base Directory Specification 0.8; Apple, "File System Programming Guide"; Microsoft,
"KNOWNFOLDERID" (LocalAppData).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from quire.settings import LOCAL_ROOT, Settings, read_settings

STORE_VARIABLES = ("QUIRE_STORE", "RAG_INDEX_DIR")


@dataclass(frozen=True, slots=True)
class UserDirectories:
    """The folders of a user: what he keeps, what can be made again, and what he chose."""

    data: Path
    cache: Path
    settings: Path


def find_upwards(folder: Path) -> Path | None:
    """The nearest `.quire` folder in `folder` or above it; None where there is none."""
    near = (one / LOCAL_ROOT for one in (folder, *folder.parents))
    return next((one for one in near if one.is_dir()), None)


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

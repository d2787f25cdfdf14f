"""From a location to a local folder: a path, a git repository or a file behind a URL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quire.errors import SourceError


@dataclass(frozen=True, slots=True)
class Located:
    """A source as it lies here.

    Attributes:
        folder: the folder to read, or the file where the location names one.
        revision: the commit that was read; "" without one.
        version: the source's own version, from `version.txt` or a release's name; "" without one.
    """

    folder: Path
    revision: str = ""
    version: str = ""


def locate(location: str, cache: Path) -> Located:
    """Make the source available here; `cache` holds what is fetched.

    Raises:
        SourceError: there is nothing at the location.
    """
    path = Path(location)
    if path.exists():
        return Located(path, version=_version_beside(path))
    raise SourceError(f"{location}: no such file or folder", path=location)


def _version_beside(path: Path) -> str:
    file = (path if path.is_dir() else path.parent) / "version.txt"
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""

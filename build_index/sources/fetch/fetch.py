"""From a location to a local folder: a path, a git repository or what lies behind a URL, optionally at a revision."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from build_index.sources.fetch.git import fetch_repository, head_commit
from quire.errors import SourceError
from quire.folders import demand_readable

# Sites whose address of two segments is a repository: https://github.com/OWNER/NAME.
FORGES = frozenset(("github.com", "gitlab.com", "codeberg.org", "bitbucket.org"))
_REPOSITORY = re.compile(r"(?P<url>.+?\.git)/?(?:@(?P<revision>.+))?", re.DOTALL)
_RELEASE = re.compile(
    r"""
    /releases/download/([^/]+)/                              # an asset of a release
    | /archive/(?:refs/tags/)?([^/]+?)\.(?:zip|tar\.gz)$     # the sources of a tag
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Located:
    """A source as it lies here.

    Attributes:
        folder: the folder to read, or the file where the location names one; what was fetched must not be written to.
        revision: the commit that was read; "" where there is none.
        version: the source's own version: `version.txt` beside it, else the revision or release that was asked for.
    """

    folder: Path
    revision: str = ""
    version: str = ""


def locate(location: str, cache: Path) -> Located:
    """Make a source available here.

    Locations: a path; `git+URL`, `URL.git`, a repository's address on a known forge, or `file://….git`, each
    optionally with `@REVISION` (branch, tag or commit); any other http(s) URL, of a zip or tar archive or of one file.

    Args:
        location: as above.
        cache: folder that keeps what is fetched: repositories by commit, URLs by their ETag.

    Raises:
        SourceError: nothing is there, it may not be read, the network fails, or the archive is broken; the
            message names the location.
    """
    path = Path(location)
    demand_readable(path)
    if _is_there(path):
        return Located(path, head_commit(path), version_beside(path))
    url, revision = split_revision(location)
    if url:
        folder, commit = fetch_repository(url, revision, cache / "git")
        return Located(folder, commit, version_beside(folder) or revision)
    if location.startswith(("http://", "https://")):
        # httpx costs 0.1 s to import: only a build that fetches pays for it.
        from build_index.sources.fetch.url import fetch_url

        folder = fetch_url(location, cache / "http")
        released = _RELEASE.search(urlsplit(location).path)
        return Located(folder, "", version_beside(folder) or (released[1] or released[2] if released else ""))
    raise SourceError(
        f"{location}: wanted a path, a git URL or a web URL, found no such file or folder", path=location
    )


def _is_there(path: Path) -> bool:
    """Whether there is a file or folder; a location that is too long for a path is an address, or nothing."""
    try:
        return path.exists()
    except OSError:
        return False


def split_revision(location: str) -> tuple[str, str]:
    """The repository's URL and the revision of a git location; ("", "") for any other location.

    >>> split_revision("git+https://example.org/team/docs@release/2")
    ('https://example.org/team/docs', 'release/2')
    >>> split_revision("https://example.org/docs.zip")
    ('', '')
    """
    bare = location.removeprefix("git+")
    named = _REPOSITORY.fullmatch(bare)
    if named and (bare != location or "://" in bare or _is_there(Path(named["url"]))):
        return named["url"], named["revision"] or ""
    scheme, _, rest = bare.partition("://")
    host, _, path = rest.partition("/")
    path, _, revision = path.partition("@")
    is_forge = scheme == "https" and host in FORGES and re.fullmatch(r"[\w.-]+/[\w.-]+/?", path)
    if bare != location or is_forge:
        return f"{scheme}://{host}/{path}", revision
    return "", ""


def version_beside(path: Path) -> str:
    """What `version.txt` in a folder, or beside a file, says, such as `0.735.0.7351131`; "" where there is none."""
    file = (path if path.is_dir() else path.parent) / "version.txt"
    return file.read_text(encoding="utf-8", errors="replace").strip()[:100] if file.is_file() else ""

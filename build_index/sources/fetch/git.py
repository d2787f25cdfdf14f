"""Git repositories, fetched shallowly with the git command and kept by commit."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from quire.errors import SourceError

TIMEOUT_S = 600
_COMMIT = re.compile(r"[0-9a-f]{40}")
_MAYBE_COMMIT = re.compile(r"[0-9a-f]{4,39}(?:[~^]|$)|.+[~^]")
_REVISION = re.compile(r"(?!-)[\w./+^~-]+")
PROTOCOLS = ("https", "http", "file", "ssh", "git")
# Never ask for a password, never run what a repository or a template brings along, never speak `ext::`.
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
    "GIT_LFS_SKIP_SMUDGE": "1",
    "LC_ALL": "C",
}
_SSH = "ssh -oBatchMode=yes"


def fetch_repository(url: str, revision: str, cache: Path) -> tuple[Path, str]:
    """A folder with the files of `revision` ("" is the default branch), and its commit.

    The folder is named by the commit and is complete once it exists; a commit that is there is not fetched again.

    Raises:
        SourceError: the address is none that git may be given, git is missing, the repository or revision is not
            found, or it takes too long.
    """
    demand_address(url)
    if revision and not _REVISION.fullmatch(revision):
        raise SourceError(f"{url}: {revision!r} is no revision", path=url)
    home = cache / hashlib.sha256(url.encode()).hexdigest()[:16]
    commit = revision if _COMMIT.fullmatch(revision) else _remote_commit(url, revision)
    if not commit and revision and not _MAYBE_COMMIT.match(revision):
        raise SourceError(f"{url}: found no branch or tag {revision!r}", path=url)
    if commit and (home / commit).is_dir():
        return home / commit, commit
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix="fetching-") as scratch:
        clone = Path(scratch) / "clone"
        commit = _clone(url, commit or revision, clone)
        target = home / commit
        if not target.is_dir():
            shutil.move(clone, target)
    return target, commit


def demand_address(url: str) -> str:
    """The address, unless git would read it as an option or as the name of a program to run.

    Raises:
        SourceError: it begins like an option, or speaks another protocol than those of `PROTOCOLS`.
    """
    protocol, is_url, rest = url.partition("://")
    place = rest if is_url else url
    host = place.partition("/")[0]
    is_helper = "::" in host and not is_url  # `ext::program` runs it
    is_option = any(part.startswith("-") for part in (url, *host.split("@")))
    if not place or is_helper or is_option or (is_url and protocol.lower() not in PROTOCOLS):
        wanted = f"wanted a path, host:path or an address by {', '.join(PROTOCOLS)}"
        raise SourceError(f"{url}: no address of a repository; {wanted}", path=url)
    return url


def head_commit(path: Path) -> str:
    """The commit checked out at a local path; "" where it is no repository's top folder or git is missing."""
    if not (path / ".git").exists():
        return ""
    try:
        return _git("rev-parse", "--verify", "HEAD", folder=path, url=str(path)).strip()
    except SourceError:
        return ""


def _remote_commit(url: str, revision: str) -> str:
    """The commit that the remote's branch, tag or HEAD names; "" where no name matches."""
    listing = _git(
        "ls-remote", "--", url, revision or "HEAD", *([f"{revision}^{{}}"] if revision else []), url=url
    )
    named = {name: commit for commit, _, name in (line.partition("\t") for line in listing.splitlines())}
    names = (f"refs/tags/{revision}^{{}}", f"refs/heads/{revision}", f"refs/tags/{revision}")
    wanted = (*names, revision or "HEAD")
    return next((named[name] for name in wanted if name in named), "")


def _clone(url: str, wanted: str, folder: Path) -> str:
    """Fetch one commit without history; where the server gives no single commits, everything."""
    _git("init", "--quiet", "--template=", str(folder), url=url)
    _git("remote", "add", "--", "origin", url, folder=folder, url=url)
    try:
        fetch = "fetch --quiet --depth=1 --no-tags -- origin".split()
        _git(*fetch, wanted or "HEAD", folder=folder, url=url)
        found = "FETCH_HEAD"
    except SourceError:
        fetch = "fetch --quiet --tags -- origin +refs/heads/*:refs/remotes/origin/*".split()
        _git(*fetch, folder=folder, url=url)
        found = wanted
    commit = _git("rev-parse", "--verify", "--quiet", f"{found}^{{commit}}", folder=folder, url=url).strip()
    _git("checkout", "--quiet", "--detach", commit, folder=folder, url=url)
    return commit


def _git(*arguments: str, url: str, folder: Path | None = None) -> str:
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", *arguments]
    environment = {"GIT_SSH_COMMAND": _SSH, **os.environ, **_ENVIRONMENT}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise SourceError(f"{url}: fetching it needs the git command, found none", path=url) from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"{url}: git {arguments[0]} took longer than {TIMEOUT_S} s", path=url) from error
    if done.returncode:
        said = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no such revision")
        raise SourceError(f"{url}: git {arguments[0]}: {said.strip()}", path=url)
    return done.stdout

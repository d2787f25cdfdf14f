"""Local git repositories for tests, reached through `file://` URLs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass(frozen=True)
class Repository:
    """A bare repository `books.git` with a working copy that commits go through."""

    bare: Path
    work: Path

    @property
    def url(self) -> str:
        """Where others fetch it from."""
        return self.bare.as_uri()

    def commit(self, files: Mapping[str, str], *, tag: str = "", branch: str = "main") -> str:
        """Write the files, commit them on the branch, push, and return the commit."""
        git("checkout", "-q", "-B", branch, folder=self.work)
        for name, text in files.items():
            file = self.work / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        git("add", "-A", folder=self.work)
        git("commit", "-q", "-m", "Change", folder=self.work)
        if tag:
            git("tag", "-a", tag, "-m", tag, folder=self.work)
        git("push", "-q", "--follow-tags", "origin", branch, folder=self.work)
        return git("rev-parse", "HEAD", folder=self.work)


def make_repository(folder: Path) -> Repository:
    """A fresh repository below `folder`."""
    bare, work = folder / "books.git", folder / "work"
    git("init", "-q", "--bare", "-b", "main", str(bare), folder=folder)
    git("clone", "-q", str(bare), str(work), folder=folder)
    return Repository(bare, work)


def git(*arguments: str, folder: Path) -> str:
    """Run git and return what it prints; warnings about an empty clone stay unseen."""
    done = subprocess.run(
        ("git", *arguments),
        cwd=folder,
        env={**os.environ, **_ENVIRONMENT},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()

"""Profiles that are read from trees of files: `textbook`, `docs` and `code`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from build_index.sources.files.repository import open_repository, read_repositories
from build_index.sources.files.selection import Excluded, as_selection
from build_index.sources.registry import Folders, OpenedSources, Source


# What reads documentation comes with all that reads Markdown, and code needs none of it.
def _read_textbook(folders: Folders, options: Mapping[str, Any], cache: Path) -> OpenedSources:
    from build_index.sources.files.documentation import read_textbook

    return read_textbook(folders, options, cache)


def _read_docs(folders: Folders, options: Mapping[str, Any], cache: Path) -> OpenedSources:
    from build_index.sources.files.documentation import read_docs

    return read_docs(folders, options, cache)


def _read_code(folders: Folders, options: Mapping[str, Any], _: Path) -> OpenedSources:
    roots = folders["repository"]
    usual, excluded = (options.get("patterns", ()), options.get("exclude", ())), Excluded()
    wanted: Mapping[str, Any] = options.get("wanted", {})
    repositories = [
        replace(open_repository(root), selection=as_selection(*wanted.get(str(root), usual)))
        for root in roots
    ]
    return OpenedSources(read_repositories(repositories, None, excluded), excluded=excluded)


SOURCES = (
    Source("textbook", ("docs",), _read_textbook),
    Source("docs", ("docs",), _read_docs),
    Source("code", ("repository",), _read_code),
)

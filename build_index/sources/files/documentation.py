"""Profiles `textbook` and `docs`: pages of documentation, with the addresses at which their site shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pathspec import GitIgnoreSpec

from build_index.progress import say
from build_index.sources import Documents, Failure
from build_index.sources.files.markdown_tree import files_outside, read_markdown_tree
from build_index.sources.files.selection import Excluded
from build_index.sources.files.table_of_contents import contents_file
from build_index.sources.files.textbook import UNKNOWN_SITE, read_book
from build_index.sources.registry import Folders, OpenedSources
from build_index.sources.site_config import FoundSite, find_site
from quire.documents import Document
from quire.parsing.site_pages import site_of


def read_textbook(folders: Folders, options: Mapping[str, Any], _: Path) -> OpenedSources:
    """Chapters, as Docusaurus or another site shows them."""
    opened = _opened(folders, options, read_book, UNKNOWN_SITE)
    contents = filter(None, map(contents_file, folders["docs"]))
    return replace(opened, files=tuple(dict.fromkeys((*opened.files, *contents))))


def read_docs(folders: Folders, options: Mapping[str, Any], _: Path) -> OpenedSources:
    """Pages of documentation below each folder."""
    return _opened(folders, options, read_markdown_tree, FoundSite())


def _opened(
    folders: Folders,
    options: Mapping[str, Any],
    read: Callable[[Path, FoundSite, Excluded], Documents],
    unknown: FoundSite,
) -> OpenedSources:
    """What `read` gives of each folder, without the pages that `options.exclude` leaves out."""
    excluded = Excluded()
    sites = {root: _site(root, options, unknown) for root in folders["docs"]}
    unwanted = GitIgnoreSpec.from_lines(options.get("exclude", ()))

    def documents() -> Documents:
        for root, site in sites.items():
            for one in read(root, site, excluded):
                if unwanted.match_file(_path(one)):
                    excluded.add("exclude", _path(one))
                else:
                    yield one

    outside = (file for root, site in sites.items() for file in files_outside(root, site))
    files = tuple(dict.fromkeys([*(file for site in sites.values() for file in site.files), *outside]))
    return OpenedSources(documents(), excluded=excluded, files=files)


def _site(root: Path, options: Mapping[str, Any], unknown: FoundSite) -> FoundSite:
    """The site that shows the files below a folder: as options say it, else as its configuration does."""
    found = find_site(root)
    if found is None and not options.keys() & {"site", "base_url"}:
        return unknown
    usual = found.site if found else unknown.site
    if found is None and unknown.site.anchors.generator != "plain":
        usual = replace(usual, generator=unknown.site.anchors.generator)
    site = site_of(options, usual)
    if site.generator != "plain":
        say(f"docs: addresses as {site.generator} makes them, at {site.base_url or 'an unknown host'}")
    return FoundSite(site, found.files, found.hidden) if found else FoundSite(site)


def _path(one: Document | Failure) -> str:
    return one.path if isinstance(one, Failure) else str(one.metadata["path"])

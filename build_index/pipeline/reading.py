"""Which reader reads which source: the sources of a build, located and opened by profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pathspec import GitIgnoreSpec

from build_index.cache.documents import remember
from build_index.cache.inputs import digest_inputs
from build_index.progress import say
from build_index.sources import Failure, Provenance
from build_index.sources.fetch.fetch import Located, locate
from build_index.sources.fetch.git import head_commit
from build_index.sources.files.docusaurus import UNKNOWN_SITE, read_docusaurus
from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.repository import open_repository, read_repositories
from build_index.sources.files.selection import DEFAULT_EXCLUDE, Excluded, Selection
from build_index.sources.roblox.api_dump import (
    find_dump,
    read_engine_version,
    read_hierarchy,
    read_roblox_api,
)
from build_index.sources.roblox.creator_docs import CONTENT, find_checkout, read_creator_docs
from build_index.sources.roblox.engine_reference import ENGINE, read_reference
from build_index.sources.site_config import FoundSite, find_site
from quire.canonical_json import json_sha256
from quire.documents import Document
from quire.errors import InputError
from quire.parsing.secret_forms import find_secret, is_secret_name
from quire.parsing.site_pages import site_of

Documents = Iterator[Document | Failure]
Folders = Mapping[str, Sequence[Path]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Opened sources.

    Attributes:
        documents: read lazily, in the sources' order.
        provenance: one row a source.
        label: the engine version or release that names the index; "" where the sources have none.
        extra: what serving needs beside chunks, such as the class hierarchy.
        excluded: files left out by rule, counted by reason while `documents` is read.
        folders: where the sources lie now, fetched ones included.
        files: what was read beside them, such as the configuration of the site that shows them.
    """

    documents: Documents
    provenance: tuple[Provenance, ...]
    label: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    excluded: Excluded = field(default_factory=Excluded)
    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """What one profile's reader gives; the fields are those of `Reading`."""

    documents: Documents
    label: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    excluded: Excluded = field(default_factory=Excluded)
    files: tuple[Path, ...] = ()


KEYS: Mapping[str, tuple[str, ...]] = {
    "roblox": ("api_dump", "creator_docs"),
    "textbook": ("docs",),
    "docs": ("docs",),
    "code": ("repository",),
}


def open_reading(
    profile: str, sources: Sequence[tuple[str, str]], cache: Path, options: Mapping[str, Any]
) -> Reading:
    """Locate every source (fetching those that are remote) and open its reader.

    Raises:
        InputError: a key that the profile does not read, or no source at all.
        SourceError: a source cannot be fetched.
    """
    known = KEYS.get(profile, ("docs",))
    folders: dict[str, list[Path]] = defaultdict(list)
    provenance: list[Provenance] = []
    for key, location in sources:
        if key not in known:
            raise InputError(f"source {key!r}: profile {profile} reads {', '.join(known)}", field="source")
        found = _settled(key, locate(location, cache / "sources"))
        folders[key].append(found.folder)
        provenance.append(Provenance(key, location, found.revision, found.version))
    if not folders:
        raise InputError(
            f"source: profile {profile} needs {' and '.join(f'{key}=PATH' for key in known)}", field="source"
        )
    opened = _READERS[profile](folders, options, cache)
    label = str(options.get("engine_version") or opened.label)
    located = tuple(folder for listed in folders.values() for folder in listed)
    return Reading(
        without_secrets(opened.documents, opened.excluded),
        tuple(provenance),
        label,
        opened.extra,
        opened.excluded,
        located,
        opened.files,
    )


def without_secrets(documents: Documents, excluded: Excluded) -> Documents:
    """All but the documents whose names or texts, included ones too, are secret: each is told, never what it says."""
    for one in documents:
        if isinstance(one, Failure) or not (told := _secret_in(one)):
            yield one
        else:
            say(f"{one.id}: left out as secret: {told}")
            excluded.add("secret")


def _secret_in(document: Document) -> str:
    """What is secret in a document, without saying it; "" where nothing is."""
    if "path" in document.metadata and is_secret_name(str(document.metadata["path"])):
        return "files of this name hold keys or passwords"
    found = find_secret(document.text) or next(
        filter(None, map(find_secret, document.includes.values())), None
    )
    return f"it holds {found}" if found else ""


def _settled(key: str, found: Located) -> Located:
    """What was located, or the checkout of the creator docs near it: from another folder paths would be wrong."""
    folder = find_checkout(found.folder) if key == "creator_docs" else found.folder
    if folder == found.folder:
        return found
    say(f"{key}: reading {folder}, which holds {CONTENT}")
    return Located(folder, found.revision or head_commit(folder), found.version)


def _read_roblox(folders: Folders, _: Mapping[str, Any], cache: Path) -> Opened:
    dumps, docs = folders.get("api_dump", ()), folders.get("creator_docs", ())
    reference = docs[0] if docs else None

    def reference_documents() -> Documents:
        for dump in dumps:
            yield from read_roblox_api(dump, reference)
        for root in docs:
            yield from read_reference(root, dump_joined=bool(dumps))

    def documents() -> Documents:
        places = [str(path) for path in (*dumps, *docs)]
        kept = cache / "documents" / f"reference-{json_sha256(places)[:16]}.json"
        read_from = [*map(find_dump, dumps), *(root / ENGINE for root in docs)]
        yield from remember(kept, digest_inputs(places, read_from), reference_documents)
        for root in docs:
            yield from read_creator_docs(root, excluded=excluded)

    excluded = Excluded()
    if not dumps:
        return Opened(documents(), excluded=excluded)
    hierarchy = {"hierarchy": read_hierarchy(dumps[0])}
    return Opened(documents(), read_engine_version(dumps[0]) or "", hierarchy, excluded)


def _read_textbook(folders: Folders, options: Mapping[str, Any], _: Path) -> Opened:
    excluded = Excluded()
    sites = {root: _site(root, options, UNKNOWN_SITE) for root in folders["docs"]}
    documents = (one for root, site in sites.items() for one in read_docusaurus(root, site, excluded))
    return Opened(documents, excluded=excluded, files=_files(sites))


def _read_docs(folders: Folders, options: Mapping[str, Any], _: Path) -> Opened:
    excluded = Excluded()
    sites = {root: _site(root, options, FoundSite()) for root in folders["docs"]}
    unwanted = GitIgnoreSpec.from_lines(options.get("exclude", ()))

    def documents() -> Documents:
        for root, site in sites.items():
            for one in read_markdown_tree(root, site, excluded):
                if unwanted.match_file(_path(one)):
                    excluded.add("exclude")
                else:
                    yield one

    return Opened(documents(), excluded=excluded, files=_files(sites))


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


def _files(sites: Mapping[Path, FoundSite]) -> tuple[Path, ...]:
    return tuple(file for site in sites.values() for file in site.files)


def _path(one: Document | Failure) -> str:
    return one.path if isinstance(one, Failure) else str(one.metadata["path"])


def _read_code(folders: Folders, options: Mapping[str, Any], _: Path) -> Opened:
    roots = folders["repository"]
    selection = Selection(
        patterns=tuple(options.get("patterns", ())),
        exclude=(*DEFAULT_EXCLUDE, *options.get("exclude", ())),
    )
    excluded = Excluded()
    repositories = [open_repository(root) for root in roots]
    return Opened(read_repositories(repositories, selection, excluded), excluded=excluded)


_READERS: Mapping[str, Callable[[Folders, Mapping[str, Any], Path], Opened]] = {
    "roblox": _read_roblox,
    "textbook": _read_textbook,
    "docs": _read_docs,
    "code": _read_code,
}

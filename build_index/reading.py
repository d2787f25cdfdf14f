"""Which reader reads which source: the sources of a build, located and opened by profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from build_index.sources import Failure, Provenance
from build_index.sources.creator_docs import read_creator_docs
from build_index.sources.docusaurus import read_docusaurus
from build_index.sources.engine_reference import read_reference
from build_index.sources.fetch import locate
from build_index.sources.markdown_tree import read_markdown_tree
from build_index.sources.roblox_api import read_engine_version, read_hierarchy, read_roblox_api
from quire.documents import Document
from quire.errors import InputError

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
    """

    documents: Documents
    provenance: tuple[Provenance, ...]
    label: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


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
        found = locate(location, cache / "sources")
        folders[key].append(found.folder)
        provenance.append(Provenance(key, location, found.revision, found.version))
    if not folders:
        raise InputError(
            f"source: profile {profile} needs {' and '.join(f'{key}=PATH' for key in known)}", field="source"
        )
    documents, label, extra = _READERS[profile](folders, options)
    return Reading(documents, tuple(provenance), str(options.get("engine_version") or label), extra)


def _read_roblox(folders: Folders, _: Mapping[str, Any]) -> tuple[Documents, str, dict[str, Any]]:
    dumps, docs = folders.get("api_dump", ()), folders.get("creator_docs", ())
    reference = docs[0] if docs else None

    def documents() -> Documents:
        for dump in dumps:
            yield from read_roblox_api(dump, reference)
        for root in docs:
            yield from read_reference(root, dump_joined=bool(dumps))
            yield from read_creator_docs(root)

    if not dumps:
        return documents(), "", {}
    return documents(), read_engine_version(dumps[0]) or "", {"hierarchy": read_hierarchy(dumps[0])}


def _each(
    read: Callable[[Path], Documents],
) -> Callable[[Folders, Mapping[str, Any]], tuple[Documents, str, dict[str, Any]]]:
    def opened(folders: Folders, _: Mapping[str, Any]) -> tuple[Documents, str, dict[str, Any]]:
        return (one for root in folders["docs"] for one in read(root)), "", {}

    return opened


_READERS: Mapping[str, Callable[[Folders, Mapping[str, Any]], tuple[Documents, str, dict[str, Any]]]] = {
    "roblox": _read_roblox,
    "textbook": _each(read_docusaurus),
    "docs": _each(read_markdown_tree),
}

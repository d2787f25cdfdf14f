"""Profile `roblox`: the engine API dump joined with the creator documentation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from build_index.cache.documents import remember
from build_index.cache.inputs import digest_inputs
from build_index.cache.store import ContentStore
from build_index.progress import say
from build_index.sources import Documents
from build_index.sources.fetch.fetch import Located, version_beside
from build_index.sources.fetch.git import head_commit
from build_index.sources.files.selection import Excluded
from build_index.sources.registry import Folders, OpenedSources, Source
from build_index.sources.roblox.api_dump import find_dump, read_hierarchy, read_roblox_api
from build_index.sources.roblox.creator_docs import CONTENT, find_checkout, read_creator_docs
from build_index.sources.roblox.engine_reference import ENGINE, read_reference
from quire.canonical_json import json_sha256


def _settled(key: str, found: Located) -> Located:
    """What was located, or the checkout of the creator docs near it: from another folder paths would be wrong."""
    folder = find_checkout(found.folder) if key == "creator_docs" else found.folder
    if folder == found.folder:
        return found
    say(f"{key}: reading {folder}, which holds {CONTENT}")
    return Located(folder, found.revision or head_commit(folder), found.version)


def _read_roblox(folders: Folders, _: Mapping[str, Any], cache: Path) -> OpenedSources:
    dumps, docs = folders.get("api_dump", ()), folders.get("creator_docs", ())
    reference = docs[0] if docs else None

    def reference_documents() -> Documents:
        for dump in dumps:
            yield from read_roblox_api(dump, reference)
        for root in docs:
            yield from read_reference(root, dump_joined=bool(dumps))

    def documents() -> Documents:
        places = [str(path) for path in (*dumps, *docs)]
        kind = f"reference of {json_sha256(places)[:16]}"
        read_from = [*map(find_dump, dumps), *(root / ENGINE for root in docs)]
        inputs = digest_inputs(places, read_from).encode()
        with closing(ContentStore(cache)) as store:
            yield from remember(store, kind, inputs, reference_documents)
        for root in docs:
            yield from read_creator_docs(root, excluded=excluded)

    excluded = Excluded()
    if not dumps:
        return OpenedSources(documents(), excluded=excluded)
    hierarchy = {"hierarchy": read_hierarchy(dumps[0])}
    return OpenedSources(documents(), version_beside(find_dump(dumps[0])), hierarchy, excluded)


SOURCES = (Source("roblox", ("api_dump", "creator_docs"), _read_roblox, _settled),)

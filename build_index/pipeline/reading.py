"""Which reader reads which source: the sources of a build, located and opened by profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from build_index.progress import say
from build_index.sources import Documents, Failure
from build_index.sources.fetch.fetch import locate
from build_index.sources.files.selection import Excluded
from build_index.sources.registry import OpenedSources, source_of
from quire.documents import Document
from quire.errors import InputError
from quire.index.layout import SourceFacts
from quire.parsing.secret_forms import find_secret, is_secret_name


def open_reading(
    profile: str, sources: Sequence[tuple[str, str]], cache: Path, options: Mapping[str, Any]
) -> OpenedSources:
    """Locate every source (fetching those that are remote) and open its reader.

    Raises:
        InputError: a key that the profile does not read, or no source at all.
        SourceError: a source cannot be fetched.
    """
    source = source_of(profile)
    known = source.keys
    folders: dict[str, list[Path]] = defaultdict(list)
    provenance: list[SourceFacts] = []
    for key, location in sources:
        if key not in known:
            raise InputError(f"source {key!r}: profile {profile} reads {', '.join(known)}", field="source")
        found = source.settle(key, locate(location, cache / "sources"))
        folders[key].append(found.folder)
        provenance.append(SourceFacts(key, location, found.revision, found.version))
    if not folders:
        raise InputError(
            f"source: profile {profile} needs {' and '.join(f'{key}=PATH' for key in known)}", field="source"
        )
    opened = source.read(folders, options, cache)
    return replace(
        opened,
        documents=without_secrets(opened.documents, opened.excluded),
        provenance=tuple(provenance),
        label=str(options.get("engine_version") or opened.label),
        folders=tuple(folder for listed in folders.values() for folder in listed),
    )


def without_secrets(documents: Documents, excluded: Excluded) -> Documents:
    """All but the documents whose names or texts, included ones too, are secret: each is told, never what it says."""
    for one in documents:
        if isinstance(one, Failure) or not (told := _secret_in(one)):
            yield one
        else:
            say(f"{one.id}: left out as secret: {told}")
            excluded.add("secret", one.id, first=True)


def _secret_in(document: Document) -> str:
    """What is secret in a document, without saying it; "" where nothing is."""
    if "path" in document.metadata and is_secret_name(str(document.metadata["path"])):
        return "files of this name hold keys or passwords"
    found = find_secret(document.text) or next(
        filter(None, map(find_secret, document.includes.values())), None
    )
    return f"it holds {found}; shorten it there to have the file read" if found else ""

"""The engine's API dump: every class, member, enum and enum item as one document, told with the reference's words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from build_index.sources import Failure
from build_index.sources.roblox.api_document import DUMP_NAME
from build_index.sources.roblox.dump_classes import class_documents, relate
from build_index.sources.roblox.dump_enums import enum_documents
from build_index.sources.roblox.dump_values import Raw, is_named
from build_index.sources.roblox.engine_reference import load_reference, read_leftovers
from build_index.sources.roblox.reference_documents import page_documents
from build_index.sources.roblox.reference_page import ReferencePage
from quire.documents import Document
from quire.errors import SourceError


def read_roblox_api(dump: Path, reference: Path | None = None) -> Iterator[Document | Failure]:
    """Yield one document for each class, member, enum and enum item, in the dump's order.

    With `reference` (a creator-docs folder), descriptions are joined by name, and whatever its pages of classes and
    enums hold beyond the dump follows as `creator_docs` documents: read the rest of that folder with
    `read_reference(root, dump_joined=True)`. A page or entry that cannot be read is a Failure, and so is a dump that
    is no JSON; the rest goes on.

    Raises:
        SourceError: there is no dump, or `reference` is no folder.
    """
    joined = load_reference(reference)
    yield from joined.failures
    try:
        data = load_dump(dump)
    except SourceError as error:
        if not find_dump(dump).is_file():
            raise
        yield Failure(DUMP_NAME, str(error))
        data = {"Classes": [], "Enums": []}
    left = dict(joined.pages)
    family = relate(hierarchy_of(data))
    yield from _read_list(data["Classes"], "classes", left, partial(class_documents, family=family))
    yield from _read_list(data["Enums"], "enums", left, enum_documents)
    for page in left.values():
        yield from page_documents(page)


def read_hierarchy(dump: Path) -> dict[str, str]:
    """Class -> superclass for every class of the dump that has one; what `quire.analysis.inheritance.resolve` walks.

    Raises:
        SourceError: as `load_dump`.
    """
    return hierarchy_of(load_dump(dump))


def hierarchy_of(data: dict[str, Any]) -> dict[str, str]:
    """Class -> superclass; roots, whose superclass the dump writes as `<<<ROOT>>>`, are left out."""
    known = {owner["Name"] for owner in data["Classes"] if is_named(owner)}
    pairs = ((owner["Name"], owner.get("Superclass")) for owner in data["Classes"] if is_named(owner))
    return {name: above for name, above in pairs if isinstance(above, str) and above in known}


def read_engine_version(dump: Path) -> str | None:
    """The engine version in `version.txt` beside the dump, such as `0.735.0.7351131`; None where there is none."""
    file = find_dump(dump).parent / "version.txt"
    try:
        return file.read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def find_dump(dump: Path) -> Path:
    """The dump's file: `dump` itself, or the one in that folder."""
    return dump / DUMP_NAME if dump.is_dir() else dump


def load_dump(dump: Path) -> dict[str, Any]:
    """Parse the dump.

    Raises:
        SourceError: it is missing, no JSON, or without the lists `Classes` and `Enums`.
    """
    file = find_dump(dump)
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceError(f"{file}: {error.strerror}; wanted {DUMP_NAME}", path=str(file)) from error
    except json.JSONDecodeError as error:
        raise SourceError(f"{file}: line {error.lineno}: {error.msg}", path=str(file)) from error
    except RecursionError as error:
        raise SourceError(f"{file}: nested too deeply to be read", path=str(file)) from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{file}: byte {error.start}: not UTF-8", path=str(file)) from error
    if not isinstance(data, dict) or not all(isinstance(data.get(key), list) for key in ("Classes", "Enums")):
        raise SourceError(f"{file}: wanted an object with the lists 'Classes' and 'Enums'", path=str(file))
    return data


def _read_list(
    raws: list[Raw],
    folder: str,
    pages: dict[tuple[str, str], ReferencePage],
    write: Callable[[Raw, ReferencePage | None], Iterator[Document | Failure]],
) -> Iterator[Document | Failure]:
    """Documents of each entry and of what its page holds beyond it; its page is taken out of `pages`."""
    for number, raw in enumerate(raws):
        if not is_named(raw):
            found = f"wanted an object with a 'Name', found {str(raw)[:80]}"
            yield Failure(DUMP_NAME, f"{folder}[{number}]: {found}")
            continue
        page = pages.pop((folder, raw["Name"]), None)
        yield from write(raw, page)
        if page:
            members = raw.get("Members") or raw.get("Items") or ()
            yield from read_leftovers(page, {member["Name"] for member in members if is_named(member)})

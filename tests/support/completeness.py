"""Proves that an index holds each entry of its Roblox sources once: none missing, none twice, none made up.

    python -m tests.support.completeness --api-dump PATH --creator-docs PATH [--store DIR --collection NAME]

Without a store the sources are read and cut anew; with one, the chunks are those that the store serves. The sources are
listed here by other means than the readers use: raw JSON, and file names. Exit status 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from build_index.sources import Failure
from build_index.sources.roblox.api_dump import read_roblox_api
from build_index.sources.roblox.creator_docs import read_creator_docs
from build_index.sources.roblox.engine_reference import read_reference
from quire.adapters.folder import FolderStore
from quire.chunking import chunk_document
from quire.documents import Chunk, Document
from quire.store.store import SegmentStore

DUMP_NAME = "Full-API-Dump.json"
SHOWN = 20


@dataclass(frozen=True)
class Sources:
    """Where the sources lie: the dump or its folder, and the folder that holds `content/en-us`."""

    api_dump: Path
    creator_docs: Path


@dataclass(frozen=True)
class Verdict:
    """What the comparison found; complete where `problems` is empty."""

    entries: int
    files: int
    chunks: int
    problems: tuple[str, ...]


def compare(sources: Sources, chunks: Iterable[Chunk]) -> Verdict:
    """Compare the chunks with what the sources hold."""
    held = list(chunks)
    wanted = Counter(list_entries(sources.api_dump))
    found = Counter(_entry(chunk) for chunk in held if chunk.metadata.get("source") == "api_dump")
    files = set(list_files(sources.creator_docs))
    told = {path for chunk in held if (path := str(chunk.metadata.get("file_path") or ""))}
    ids = Counter(chunk.id for chunk in held)
    problems = [
        *(f"missing entry: {entry}" for entry in wanted - found),
        *(f"entry not in the dump, or twice: {entry}" for entry in found - wanted),
        *(f"missing file: {path}" for path in sorted(files - told)),
        *(f"no such file: {path}" for path in sorted(told - files)),
        *(f"chunk id {count} times: {chunk_id}" for chunk_id, count in ids.items() if count > 1),
        *_wrong_lines(sources.creator_docs, held),
    ]
    return Verdict(wanted.total(), len(files), len(held), tuple(problems))


def list_entries(dump: Path) -> Iterator[tuple[str, str, str]]:
    """(member_type, class_name, member_name) of each class, member, enum and item of the raw dump."""
    data = json.loads((dump / DUMP_NAME if dump.is_dir() else dump).read_bytes())
    for owner in data["Classes"]:
        yield "Class", owner["Name"], ""
        for member in owner["Members"]:
            yield member["MemberType"], owner["Name"], member["Name"]
    for owner in data["Enums"]:
        yield "Enum", owner["Name"], ""
        for item in owner["Items"]:
            yield "EnumItem", owner["Name"], item["Name"]


def list_files(root: Path) -> Iterator[str]:
    """Every Markdown and yaml file below `content/en-us`, as `content/en-us/…`."""
    for suffix in ("md", "yaml"):
        for file in (root / "content" / "en-us").rglob(f"*.{suffix}"):
            yield file.relative_to(root).as_posix()


def read_api(sources: Sources) -> list[Document | Failure]:
    """The documents of the dump and of the engine's reference."""
    return [
        *read_roblox_api(sources.api_dump, sources.creator_docs),
        *read_reference(sources.creator_docs, dump_joined=True),
    ]


def read_chunks(
    sources: Sources, api: Iterable[Document | Failure] | None = None
) -> Iterator[Chunk | Failure]:
    """Read and cut the sources as a build does; `api` is what `read_api` gave, where it was read already."""
    for document in (*(read_api(sources) if api is None else api), *read_creator_docs(sources.creator_docs)):
        if isinstance(document, Failure):
            yield document
        else:
            yield from chunk_document(document)


def stored_chunks(store: Path, collection: str) -> list[Chunk]:
    """Every chunk that the store serves for the collection."""
    with tempfile.TemporaryDirectory() as cache:
        index = SegmentStore(FolderStore(store), Path(cache)).open(collection)
        return index.fetch(range(index.chunk_count))


def _entry(chunk: Chunk) -> tuple[str, str, str]:
    metadata = chunk.metadata
    name = metadata.get("member_name") or ""
    return str(metadata.get("member_type")), str(metadata.get("class_name")), str(name)


def _wrong_lines(root: Path, chunks: Iterable[Chunk]) -> Iterator[str]:
    """Chunks whose line range does not lie in their file."""
    lengths: dict[str, int | None] = {}
    for chunk in chunks:
        path, first, last = (chunk.metadata.get(key) for key in ("file_path", "start_line", "end_line"))
        if not path or first is None:
            continue
        if path not in lengths:
            lengths[str(path)] = _line_count(root / str(path))
        length = lengths[str(path)]
        if length is not None and not (
            isinstance(first, int) and isinstance(last, int) and 1 <= first <= last <= length
        ):
            yield f"lines {first} to {last} of {length}: {path}"


def _line_count(file: Path) -> int | None:
    return len(file.read_text(encoding="utf-8").splitlines()) if file.is_file() else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the verdict; 0 where all is there."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.completeness")
    parser.add_argument("--api-dump", type=Path, required=True)
    parser.add_argument("--creator-docs", type=Path, required=True)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--collection", default="roblox")
    options = parser.parse_args(arguments)
    sources = Sources(options.api_dump, options.creator_docs)
    read = list(stored_chunks(options.store, options.collection) if options.store else read_chunks(sources))
    failures = [f"failure: {one.path}: {one.reason}" for one in read if isinstance(one, Failure)]
    verdict = compare(sources, (one for one in read if isinstance(one, Chunk)))
    problems = [*failures, *verdict.problems]
    counted = f"{verdict.entries} entries of the dump, {verdict.files} files, {verdict.chunks} chunks"
    print(f"{counted}: {len(problems)} problems")
    for problem in problems[:SHOWN]:
        print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

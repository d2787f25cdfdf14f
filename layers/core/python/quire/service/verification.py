"""Checks citations against the artifacts alone: no model, no ranking, no trust in who quotes.

The chain is closed: a version id is the digest of the segments it names, a segment's name is the digest of its
manifest, the manifest holds the digest of each file, and the file holds the cited text. Each link is computed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from quire.answering.extractive.blocks import HEADING, split_blocks
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.rendering import section_trail
from quire.documents import Chunk, Value, text_sha256
from quire.errors import ArtifactCorrupt, InputError, UnknownVersion
from quire.filter_values import Filters
from quire.index.layout import payload_shard
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment
from quire.index.tensors import file_facts
from quire.parsing.formats import first_line
from quire.parsing.line_maps import lines_at
from quire.service.access import Caller
from quire.service.knowledge import Knowledge

VERIFIED = "verified"
TEXT_CHANGED = "text changed"
NOT_IN_VERSION = "not in this version"
UNKNOWN_VERSION = "unknown version"

PLACES = ("path", "start_line", "end_line", "heading", "url")
"""What a citation says of where its text stands; checked where it is said."""

NEEDED = ("id", "version", "sha256")
WANTED = "an object with `id`, `version` and `sha256`, as `hits` and `citations` of a reply are"

_VERSION_ID = re.compile(r"[0-9a-f]{12}")
_TEXT_FRAGMENT = ":~:"


@dataclass(frozen=True, slots=True)
class Claim:
    """A citation as somebody shows it.

    Attributes:
        id: of the chunk.
        version: id of the collection version; labels and dates are not proof and count as unknown.
        sha256: hexadecimal digest of the quoted text, by default the whole chunk's.
        quote: the quoted text itself, where it is shown.
        start, end: character offsets of the quote in the chunk; None where they are not said.
        place: the entries of `PLACES` that it says.
    """

    id: str
    version: str
    sha256: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    place: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the artifacts say to a claim.

    Attributes:
        status: one of the four words of this module.
        detail: what was found and what was wanted; "" where it is verified.
        segment: digest of the segment that holds the chunk; "" where none does.
        file: the segment's file with the text, whose digest was computed for this verdict.
        file_sha256: that digest, as the segment's manifest has it too.
    """

    status: str
    detail: str = ""
    segment: str = ""
    file: str = ""
    file_sha256: str = ""


def verify_citation(claim: Claim, open_version: Callable[[str], OpenedIndex]) -> Verdict:
    """Compare a claim with the version that it names.

    `open_version` opens the version of an id, or raises UnknownVersion.

    Raises:
        ArtifactCorrupt: the version's own files are not what its manifest promises.
    """
    if not _VERSION_ID.fullmatch(claim.version):
        return Verdict(UNKNOWN_VERSION, f"{claim.version!r}: wanted the 12 digits of a version id")
    try:
        index = open_version(claim.version)
    except UnknownVersion as error:
        return Verdict(UNKNOWN_VERSION, str(error))
    found = _find(index, claim.id)
    if found is None:
        return Verdict(NOT_IN_VERSION, f"chunk {claim.id!r}: version {claim.version} has none of that id")
    segment, ordinal = found
    [chunk] = segment.payloads.fetch([ordinal])
    file, sha256 = _prove(segment, ordinal)
    if chunk.id != claim.id:
        raise ArtifactCorrupt(f"columns: chunk {claim.id} expected, its place holds {chunk.id}")
    difference = _difference(claim, chunk)
    status = TEXT_CHANGED if difference else VERIFIED
    return Verdict(status, difference, segment.manifest.digest, file, sha256)


def _prove(segment: Segment, ordinal: int) -> tuple[str, str]:
    """Name and digest of the file that holds the chunk, whose bytes are what the manifest says."""
    name = payload_shard(segment.payloads.shard_of(ordinal))
    path, expected = segment.folder / name, segment.manifest.files[name].sha256
    stat = path.stat()
    found = _sha256(path, stat.st_ino, stat.st_mtime_ns)
    if found != expected:
        raise ArtifactCorrupt(f"{name}: sha256 {found} expected {expected}")
    return name, found


@lru_cache(maxsize=4096)
def _sha256(path: Path, _inode: int, _modified_ns: int) -> str:
    """Digest of a file, computed once for as long as it stays the same to the operating system."""
    return file_facts(path).sha256


def read_claims(value: Any) -> list[Claim]:
    """Claims from JSON: a citation, a list of them, or a whole response with `hits`, `citations` or `results`.

    Raises:
        InputError: there is no citation in it, or one says no id, version or sha256.
    """
    claims = [_claim(one) for one in _citations(value)]
    if not claims:
        raise InputError(f"citations: wanted at least one, {WANTED}; found none", field="citations")
    return claims


def _citations(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        for one in value:
            yield from _citations(one)
    elif isinstance(value, dict):
        parts = [value[name] for name in ("hits", "citations", "results", "sources") if name in value]
        if parts:  # some responses name their version once, for all
            said = {"version": value["version"]} if "version" in value else {}
            yield from ({**said, **one} for one in _citations(parts))
        else:
            yield _flat(value)
    else:
        raise InputError(f"citations: wanted {WANTED}; found {str(value)[:40]!r}", field="citations")


def _flat(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A citation as one object, whichever part of a hit has its fields."""
    for name in ("citation", "payload", "metadata"):
        inner = value.get(name)
        if isinstance(inner, dict) and "sha256" in inner:
            text = inner.get("text") if name == "payload" else value.get("text")
            return {"id": value.get("id"), "quote": text, **inner}
    return value


def _claim(said: Mapping[str, Any]) -> Claim:
    for name in NEEDED:
        if not isinstance(said.get(name), str):
            found = f"{str(said[name])[:40]!r}" if said.get(name) is not None else f"no `{name}`"
            raise InputError(f"{name}: a citation is {WANTED}; found {found}", field=name)
    quote, start, end = said.get("quote"), said.get("start"), said.get("end")
    if not isinstance(quote, str | None):
        raise InputError(f"quote: wanted a text, found {quote!r}", field="quote")
    for name, offset in (("start", start), ("end", end)):
        if not isinstance(offset, int | None) or (offset or 0) < 0:
            raise InputError(f"{name}: wanted a character offset, found {offset!r}", field=name)
    place = {name: said[name] for name in PLACES if said.get(name) not in (None, "")}
    return Claim(said["id"], said["version"], said["sha256"], quote, start, end, place)


def _find(index: OpenedIndex, chunk_id: str) -> tuple[Segment, int] | None:
    ordinal = index.find(chunk_id) if re.fullmatch(r"[0-9a-f]{16}", chunk_id) else None
    if ordinal is None:
        return None
    for segment in index.segments:
        if ordinal < segment.chunk_count:
            return segment, ordinal
        ordinal -= segment.chunk_count
    return None


def _difference(claim: Claim, chunk: Chunk) -> str:
    """In what the claim differs from the stored chunk; "" where it does not."""
    text = chunk.text
    if claim.start is not None or claim.end is not None:
        text = text[claim.start or 0 : len(text) if claim.end is None else claim.end]
    elif claim.quote is not None and claim.quote in text:
        text = claim.quote
    if claim.quote is not None and claim.quote != text:
        return "quote: the stored text reads otherwise"
    if text_sha256(text) != claim.sha256:
        return f"sha256: the stored text has {text_sha256(text)}, the citation says {claim.sha256}"
    for name, said in claim.place.items():
        start = claim.start or chunk.text.find(text)
        part = _on_line(name, said, chunk, (start, start + len(text)))
        part = part or (name == "heading" and said in _trails(chunk, start, start + len(text)))
        if not (part or _stands(name, said, chunk.metadata) or _in_part(name, said, chunk)):
            return f"{name}: the version says {_place(name, chunk.metadata)!r}, the citation {said!r}"
    return ""


def _place(name: str, metadata: Mapping[str, Value]) -> Value:
    return metadata.get(name) or (metadata.get("file_path") if name == "path" else None)


def _trails(chunk: Chunk, start: int, end: int) -> Iterator[Value]:
    """The headings that the sections of `chunk.text[start:end]` stand under, as answers name a section."""
    if is_code_chunk(chunk):
        return
    headings = (block.end for block in split_blocks(chunk.text) if block.kind == HEADING)
    for place in (start, *(at for at in headings if start < at <= end)):
        yield " › ".join(section_trail(chunk, place))


def _in_part(name: str, said: Value, chunk: Chunk) -> bool:
    """Whether one of the sections or definitions that the chunk was merged of stands there."""
    metadata = chunk.metadata
    headings, anchors = metadata.get("headings"), metadata.get("anchors")
    if name == "heading" and said in chunk.symbols:
        return True
    if name == "heading" and isinstance(headings, tuple):
        return said in headings
    if name == "url" and isinstance(anchors, tuple):
        page, _, anchor = str(said).partition(_TEXT_FRAGMENT)[0].rstrip("#").partition("#")
        return page == str(metadata.get("url") or "").partition("#")[0] and anchor in ("", *anchors)
    return False


def _on_line(name: str, said: Value, chunk: Chunk, span: tuple[int, int]) -> bool:
    """Whether these characters begin or end on that line, where their lines are known."""
    if name not in ("start_line", "end_line"):
        return False
    lines = lines_at(chunk, *span)
    if lines and said == lines[name == "end_line"]:
        return True
    if (first := first_line(chunk)) is None:
        return False
    at = span[0] if name == "start_line" else max(span[0], span[1] - 1)
    return said == first + chunk.text.count("\n", 0, at)


def _stands(name: str, said: Value, metadata: Mapping[str, Value]) -> bool:
    """Whether the chunk stands where the citation says."""
    if name == "url" and isinstance(said, str):
        said = said.partition(_TEXT_FRAGMENT)[0].rstrip("#")
    if name == "path" and said == metadata.get("file_path"):
        return True
    return said == _place(name, metadata)


def verify_claims(
    service: Knowledge,
    caller: Caller,
    collection: str,
    claims: Sequence[Claim],
    *,
    filters: Filters | None = None,
) -> list[Verdict]:
    """What the collection's artifacts say to each claim; `filters` name the site where the collection has sites.

    Raises:
        ScopeMissing, UnknownCollection, InputError: as their names say.
        ArtifactCorrupt: a file of a version is not what its manifest promises.
    """
    served = service.serve(caller, collection, filters=filters)

    def open_version(version: str) -> OpenedIndex:
        if version == served.version:
            return served.index
        if served.name != collection:  # one site of several
            raise UnknownVersion(f"version {version!r}: a site keeps its current one alone", field="version")
        return service.catalog.get(collection, version).index

    return [verify_citation(claim, open_version) for claim in claims]

"""The format's one source of truth: its version, its file names, and the manifest.

The manifest is canonical JSON (sorted keys, no spaces, UTF-8). Its `digest` is the sha256 of the canonical JSON of
everything but `digest`, `notes` and `notes_sha256`: it names the segment, and through the files' digests it proves
every byte of the content. `notes` say how and where this copy was built and how it was judged; they differ between
machines and runs, so they do not name the segment, but have a digest of their own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from quire.canonical_json import canonical_json, json_sha256
from quire.documents import NOTHING
from quire.errors import ArtifactCorrupt, ArtifactMismatch
from quire.index.tensors import FileFacts

FORMAT_VERSION = 1

MANIFEST = "manifest.json"
VECTORS = "vectors.safetensors"
KEYWORDS = "keywords.safetensors"
COLUMNS = "columns.safetensors"
SPELLING = "spelling.safetensors"
GRAPH = "graph.usearch"
CELLS = "cells.safetensors"
PAYLOADS = "payloads"

_UNNAMED = ("digest", "notes", "notes_sha256")

EMBEDDED = "embedded"
"""In `extra` of a segment whose vectors follow: of how many chunks they are there, in the order of the ordinals."""


def payload_shard(number: int) -> str:
    """File name of a payload shard, from 0."""
    return f"{PAYLOADS}/{number:05d}.jsonl"


class SourceFacts(NamedTuple):
    """A source as it was read. `revision` is a commit, `version` the engine's or release's; "" where it has none."""

    key: str
    location: str = ""
    revision: str = ""
    version: str = ""


class Counts(NamedTuple):
    """What a segment, or one source in it, amounts to; characters are those of the chunks' stored text."""

    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    characters: int = 0
    symbols: int = 0


class Manifest(NamedTuple):
    """A segment's table of contents; fields shared with `quire.index.writer.SegmentFacts` are described there.

    Attributes:
        counts: of the whole segment.
        source_counts: of each source, by the key that its rows carried; "" where they carried none.
        files: every file but the manifest, by name.
    """

    profile: str
    face: str
    filters: tuple[str, ...]
    dimensions: int
    model: str
    sources: tuple[SourceFacts, ...]
    calibration: Mapping[str, Any]
    extra: Mapping[str, Any]
    notes: Mapping[str, Any]
    counts: Counts
    source_counts: Mapping[str, Counts]
    files: Mapping[str, FileFacts]
    format: int = FORMAT_VERSION

    @property
    def embedded(self) -> int:
        """Chunks whose vectors are there: all of them, but in a segment that is published before its vectors."""
        return int(self.extra.get(EMBEDDED, self.counts.chunks))

    @property
    def is_whole(self) -> bool:
        """Whether this is what its build ends in, and no stage on the way there."""
        return EMBEDDED not in self.extra

    @property
    def digest(self) -> str:
        """Hexadecimal sha256 that names the segment."""
        return json_sha256({key: value for key, value in self._tree().items() if key not in _UNNAMED})

    def to_json(self) -> bytes:
        """The bytes of `manifest.json`."""
        tree = self._tree()
        return (
            canonical_json(tree | {"digest": self.digest, "notes_sha256": json_sha256(tree["notes"])}) + b"\n"
        )

    def _tree(self) -> dict[str, Any]:
        tree = self._asdict()
        tree |= {name: dict(tree[name]) for name in ("calibration", "extra", "notes")}
        tree["filters"] = list(self.filters)
        tree["sources"] = [source._asdict() for source in self.sources]
        tree["counts"] = self.counts._asdict()
        tree["source_counts"] = {key: counts._asdict() for key, counts in self.source_counts.items()}
        tree["files"] = {name: facts._asdict() for name, facts in self.files.items()}
        return tree


def read_manifest(data: bytes) -> Manifest:
    """Read the bytes of a `manifest.json` and check them against the digests inside.

    Raises:
        ArtifactCorrupt: they are not what `Manifest.to_json` writes.
        ArtifactMismatch: the format is another than this program reads.
    """
    tree = _read_json(data, MANIFEST)
    try:
        manifest = _manifest(tree)
        expected, bytes_again = tree["digest"], manifest.to_json()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ArtifactCorrupt(f"{MANIFEST}: a field is missing or of a wrong type ({error!r})") from error
    if manifest.digest != expected:
        raise ArtifactCorrupt(f"{MANIFEST}: sha256 {manifest.digest} expected {expected}")
    if bytes_again != data:
        raise ArtifactCorrupt(f"{MANIFEST}: its bytes or its notes differ from the digests inside")
    return manifest


def _manifest(tree: Mapping[str, Any]) -> Manifest:
    plain = {key: value for key, value in tree.items() if key not in ("digest", "notes_sha256")}
    plain["filters"] = tuple(tree["filters"])
    plain["sources"] = tuple(SourceFacts(**source) for source in tree["sources"])
    plain["counts"] = Counts(**tree["counts"])
    plain["source_counts"] = {key: Counts(**counts) for key, counts in tree["source_counts"].items()}
    plain["files"] = {name: FileFacts(**facts) for name, facts in tree["files"].items()}
    return Manifest(**plain)


class SegmentRef(NamedTuple):
    """A segment as a pointer names it.

    Attributes:
        digest: of its manifest.
        sequence: tombstones of a higher sequence hide documents in it.
        origin: `build` or `write`; a new build takes the place of builds and leaves what was written live.
    """

    digest: str
    sequence: int
    origin: str = "build"


class Pointer(NamedTuple):
    """What a collection serves: the state that one version names.

    Attributes:
        label: the engine's or release's version, for people; "" where there is none.
        segments: in the order of their ordinals.
        tombstones: document id -> sequence; hides it in segments of a lower sequence.
        published_at: UTC, such as `2026-11-21T22:58:41Z`.
        next_sequence: what the next write takes.
        checked_at: when a build last found the sources as they were and had nothing to publish; "" where none did.
        etag: of the stored object that it was read from; "" when it was not; takes no part in comparisons.
    """

    collection: str
    profile: str
    face: str
    segments: tuple[SegmentRef, ...] = ()
    tombstones: Mapping[str, int] = NOTHING
    label: str = ""
    published_at: str = ""
    next_sequence: int = 1
    checked_at: str = ""
    etag: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.collection, self.version))

    @property
    def version(self) -> str:
        """12 hexadecimal digits that stand for the segments and tombstones."""
        return json_sha256({"segments": self._refs(), "tombstones": dict(self.tombstones)})[:12]

    @property
    def fresh_at(self) -> str:
        """When it was last known to be what its sources say."""
        return self.checked_at or self.published_at

    def _refs(self) -> list[dict[str, Any]]:
        return [ref._asdict() for ref in self.segments]

    def to_json(self) -> bytes:
        """The bytes of `current.json`, and of the version's record."""
        tree = self._asdict()
        del tree["etag"]
        tree["tombstones"] = dict(self.tombstones)
        tree |= {"segments": self._refs(), "version": self.version, "format": FORMAT_VERSION}
        if not self.checked_at:
            del tree["checked_at"]
        return canonical_json(tree) + b"\n"


def read_pointer(data: bytes, etag: str = "") -> Pointer:
    """Read the bytes of a pointer or of a version's record.

    Raises:
        ArtifactCorrupt: they are not what `Pointer.to_json` writes.
        ArtifactMismatch: the format is another than this program reads.
    """
    tree = _read_json(data, "pointer")
    try:
        version = tree.pop("version")
        tree["segments"] = tuple(SegmentRef(**ref) for ref in tree["segments"])
        pointer = Pointer(**tree, etag=etag)
    except (KeyError, TypeError) as error:
        raise ArtifactCorrupt(f"pointer: a field is missing or unknown ({error!r})") from error
    _demand_kinds(pointer)
    if pointer.version != version:
        raise ArtifactCorrupt(f"pointer: version {pointer.version} expected {version}")
    return pointer


def _demand_kinds(pointer: Pointer) -> None:
    """Refuse what is none of the types that `Pointer` promises, and times that are none.

    Raises:
        ArtifactCorrupt: naming the field.
    """
    kinds = dict.fromkeys(("collection", "profile", "face", "label", "published_at", "checked_at"), str)
    wanted: list[tuple[str, Any, type]] = [
        (name, getattr(pointer, name), kind) for name, kind in kinds.items()
    ]
    wanted += [("next_sequence", pointer.next_sequence, int), ("tombstones", pointer.tombstones, dict)]
    for ref in pointer.segments:
        wanted += [("digest", ref.digest, str), ("sequence", ref.sequence, int), ("origin", ref.origin, str)]
    if isinstance(pointer.tombstones, dict):
        wanted += [(f"tombstones.{name}", sequence, int) for name, sequence in pointer.tombstones.items()]
    for name, value, kind in wanted:
        if type(value) is not kind:
            raise ArtifactCorrupt(f"pointer: {name}: wanted {kind.__name__}, found {value!r:.80}")
    for name, text in (("published_at", pointer.published_at), ("checked_at", pointer.checked_at)):
        if text and not _is_moment(text):
            raise ArtifactCorrupt(f"pointer: {name}: wanted a time with its zone, found {text!r:.80}")


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _read_json(data: bytes, name: str) -> dict[str, Any]:
    """The JSON object without its `format`, which is checked."""
    try:
        tree: dict[str, Any] = json.loads(data)
        found = tree.pop("format")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactCorrupt(f"{name}: wanted a JSON object with a format, found {data[:40]!r}") from error
    if found != FORMAT_VERSION:
        raise ArtifactMismatch(f"{name}: format {found!r}, this program reads {FORMAT_VERSION}")
    return tree

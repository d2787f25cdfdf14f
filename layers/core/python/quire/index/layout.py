"""The format's one source of truth: its version, its file names, and the manifest.

The manifest is canonical JSON (sorted keys, no spaces, UTF-8). Its `digest` is the sha256 of the canonical JSON of
everything but `digest`, `notes` and `notes_sha256`: it names the segment, and through the files' digests it proves
every byte of the content. `notes` say how and where this copy was built and how it was judged; they differ between
machines and runs, so they do not name the segment, but have a digest of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from quire.canonical_json import canonical_json, json_sha256
from quire.documents import NOTHING
from quire.errors import ArtifactCorrupt, ArtifactMismatch
from quire.index.tensors import FileFacts

FORMAT_VERSION = 1
SEVERAL_VERSION = 2
"""Of a pointer whose build has several segments; all others are written as programs of the first version read them."""

MANIFEST = "manifest.json"
VECTORS = "vectors.safetensors"
KEYWORDS = "keywords.safetensors"
COLUMNS = "columns.safetensors"
SPELLING = "spelling.safetensors"
GRAPH = "graph.usearch"
CELLS = "cell_residuals.safetensors"
PAYLOADS = "payloads"

_UNNAMED = ("digest", "notes", "notes_sha256")

EMBEDDED = "embedded"
"""In `extra` of a segment whose vectors follow: of how many chunks they are there, in the order of the ordinals."""


def payload_shard(number: int) -> str:
    """File name of a payload shard, from 0."""
    return f"{PAYLOADS}/{number:05d}.jsonl"


def part_folder(number: int) -> str:
    """Folder of a segment of a build that has several, from 0."""
    return f"{number:05d}"


class SourceFacts(NamedTuple):
    """A source as it was read. `revision` is a commit, `version` the engine's or release's; "" where it has none."""

    key: str
    location: str = ""
    revision: str = ""
    version: str = ""


class Counts(NamedTuple):
    """What a segment, or one source in it, amounts to; characters of stored text, symbols that lookups tell apart."""

    documents: int = 0
    chunks: int = 0
    vectors: int = 0
    characters: int = 0
    symbols: int = 0

    def plus(self, other: Counts) -> Counts:
        """Both together, where no document lies in both."""
        return Counts(*map(sum, zip(self, other, strict=True)))


class BuildFacts(NamedTuple):
    """What holds for a build as a whole; fields as in `quire.index.writer.SegmentFacts`.

    A segment that is a whole build has them in its manifest. Where a build has several segments the pointer has them,
    and a segment whose own documents stayed is the one that was stored before.
    """

    calibration: Mapping[str, Any] = NOTHING
    sources: tuple[SourceFacts, ...] = ()
    extra: Mapping[str, Any] = NOTHING
    notes: Mapping[str, Any] = NOTHING

    def as_json(self) -> dict[str, Any]:
        """The value that a pointer holds."""
        plain = {name: dict(getattr(self, name)) for name in ("calibration", "extra", "notes")}
        return plain | {"sources": [source._asdict() for source in self.sources]}


class Manifest(NamedTuple):
    """A segment's table of contents; fields shared with `quire.index.writer.SegmentFacts` are described there.

    Attributes:
        counts: of the whole segment.
        source_counts: of each source, by the key that its rows carried; "" where they carried none.
        files: every file but the manifest, by name; of a build of several segments, which lies beside them in its
            folder alone, those of all of them.
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
    def parts(self) -> tuple[str, ...]:
        """Folders of the segments of a build that has several, in the order of their ordinals; else none."""
        return tuple(
            sorted(name[: -len(MANIFEST) - 1] for name in self.files if name.endswith(f"/{MANIFEST}"))
        )

    @property
    def facts(self) -> BuildFacts:
        """What holds for the build as a whole."""
        return BuildFacts(self.calibration, self.sources, self.extra, self.notes)

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


def joined_manifest(manifests: Sequence[Manifest], facts: BuildFacts) -> Manifest:
    """The manifest of a build as a whole, of those of its several segments."""
    counts, source_counts, files = Counts(), dict[str, Counts](), dict[str, FileFacts]()
    for number, one in enumerate(manifests):
        counts = counts.plus(one.counts)
        for source, held in one.source_counts.items():
            source_counts[source] = source_counts.get(source, Counts()).plus(held)
        data = one.to_json()
        own = FileFacts(len(data), hashlib.sha256(data).hexdigest())
        files |= {
            f"{part_folder(number)}/{name}": file for name, file in {**one.files, MANIFEST: own}.items()
        }
    return manifests[0]._replace(**facts._asdict(), counts=counts, source_counts=source_counts, files=files)


def read_manifest(data: bytes) -> Manifest:
    """Read the bytes of a `manifest.json` and check them against the digests inside.

    Raises:
        ArtifactCorrupt: they are not what `Manifest.to_json` writes.
        ArtifactMismatch: the format is another than this program reads.
    """
    tree = _read_json(data, MANIFEST, (FORMAT_VERSION,))
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
    plain = {key: value for key, value in tree.items() if key not in ("digest", "notes_sha256", "format")}
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
        build: of a build that has several segments, what holds for all of them; else None.
        engine: what searches its builds where they do not do so themselves, such as `opensearch`; else "".
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
    build: BuildFacts | None = None
    engine: str = ""
    etag: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.collection, self.version))

    @property
    def version(self) -> str:
        """12 hexadecimal digits that stand for the segments and tombstones, and for what else names a build."""
        named: dict[str, Any] = {"segments": self._refs(), "tombstones": dict(self.tombstones)}
        if self.build:
            named["build"] = {
                key: value for key, value in self.build.as_json().items() if key not in _UNNAMED
            }
        if self.engine:
            named["engine"] = self.engine
        return json_sha256(named)[:12]

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
        for name in ("checked_at", "engine"):
            if not tree[name]:
                del tree[name]
        if self.build:
            tree |= {"build": self.build.as_json(), "format": SEVERAL_VERSION}
        else:
            del tree["build"]
        return canonical_json(tree) + b"\n"


def read_pointer(data: bytes, etag: str = "") -> Pointer:
    """Read the bytes of a pointer or of a version's record.

    Raises:
        ArtifactCorrupt: they are not what `Pointer.to_json` writes.
        ArtifactMismatch: the format is another than this program reads.
    """
    tree = _read_json(data, "pointer", (FORMAT_VERSION, SEVERAL_VERSION))
    try:
        version = tree.pop("version")
        tree["segments"] = tuple(SegmentRef(**ref) for ref in tree["segments"])
        build = _build_facts(tree.pop("build")) if tree.pop("format") == SEVERAL_VERSION else None
        if "build" in tree:
            raise TypeError("build, before version 2")
        pointer = Pointer(**tree, build=build, etag=etag)
    except (KeyError, TypeError, AttributeError) as error:
        raise ArtifactCorrupt(f"pointer: a field is missing or unknown ({error!r})") from error
    _demand_kinds(pointer)
    if pointer.version != version:
        raise ArtifactCorrupt(f"pointer: version {pointer.version} expected {version}")
    return pointer


def _build_facts(tree: Mapping[str, Any]) -> BuildFacts:
    return BuildFacts(**{**tree, "sources": tuple(SourceFacts(**source) for source in tree["sources"])})


def _demand_kinds(pointer: Pointer) -> None:
    """Refuse what is none of the types that `Pointer` promises, and times that are none.

    Raises:
        ArtifactCorrupt: naming the field.
    """
    texts = ("collection", "profile", "face", "label", "published_at", "checked_at", "engine")
    kinds = dict.fromkeys(texts, str)
    wanted: list[tuple[str, Any, type]] = [
        (name, getattr(pointer, name), kind) for name, kind in kinds.items()
    ]
    wanted += [("next_sequence", pointer.next_sequence, int), ("tombstones", pointer.tombstones, dict)]
    for ref in pointer.segments:
        wanted += [("digest", ref.digest, str), ("sequence", ref.sequence, int), ("origin", ref.origin, str)]
    if isinstance(pointer.tombstones, dict):
        wanted += [(f"tombstones.{name}", sequence, int) for name, sequence in pointer.tombstones.items()]
    if pointer.build:
        told = pointer.build
        wanted += [(f"build.{name}", getattr(told, name), dict) for name in ("calibration", "extra", "notes")]
        wanted += [
            (f"build.sources.{key}", value, str)
            for one in told.sources
            for key, value in one._asdict().items()
        ]
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


def _read_json(data: bytes, name: str, formats: tuple[int, ...]) -> dict[str, Any]:
    """The JSON object, whose `format` is one of those."""
    try:
        tree: dict[str, Any] = json.loads(data)
        found = tree["format"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactCorrupt(f"{name}: wanted a JSON object with a format, found {data[:40]!r}") from error
    if found not in formats:
        newest = formats[-1]
        is_newer = isinstance(found, int) and found > newest
        raise ArtifactMismatch(
            f"{name}: format {found!r}, this program reads {newest}; "
            + (
                "use the Quire that wrote it, or a newer one"
                if is_newer
                else "build the index again, into an empty store"
            )
        )
    return tree

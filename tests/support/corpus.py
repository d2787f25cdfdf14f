"""A small corpus in our own words, as documents and as published collections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quire.chunking import chunk_document
from quire.documents import Document
from quire.embedding.quantization import quantize
from quire.index.layout import Manifest, SourceFacts
from quire.index.writer import SegmentFacts, write_segment
from quire.ingestion.rows import VectorSource, index_rows
from quire.ports import Embedder
from quire.profiles import profile_named

ENGINE = "0.735.0.7350832"
HIERARCHY = {"Part": "BasePart", "BasePart": "Instance", "Humanoid": "Instance"}

_MEMBERS = (
    (
        "Humanoid",
        "MoveTo",
        "Function",
        "Humanoid:MoveTo(location: Vector3) walks the character towards a point.",
    ),
    ("Humanoid", "Died", "Event", "Humanoid.Died fires once the character has lost all of its health."),
    (
        "Humanoid",
        "WalkSpeed",
        "Property",
        "Humanoid.WalkSpeed: number. How fast the character walks, in studs a second.",
    ),
    (
        "BasePart",
        "Touched",
        "Event",
        "BasePart.Touched(otherPart: BasePart) fires when another part comes in contact.",
    ),
    (
        "BasePart",
        "Anchored",
        "Property",
        "BasePart.Anchored: boolean. Whether physics leaves the part where it is.",
    ),
    (
        "TweenService",
        "Create",
        "Function",
        "TweenService:Create(instance, tweenInfo, goals) animates properties smoothly.",
    ),
    (
        "DataStoreService",
        "GetDataStore",
        "Function",
        "DataStoreService:GetDataStore(name) opens saved data by name.",
    ),
    (
        "Players",
        "PlayerAdded",
        "Event",
        "Players.PlayerAdded(player: Player) fires when somebody joins the game.",
    ),
)
_GUIDES = (
    (
        "guides/saving.md",
        "Saving progress",
        "Coins survive between sessions when you write them to a data store.",
    ),
    (
        "guides/physics.md",
        "Physics units",
        "A stud is the engine's unit of length; gravity pulls at 196.2 studs.",
    ),
    ("guides/lighting.md", "Lighting a scene", "Shadows soften when the sun's angular size grows."),
    ("guides/audio.md", "Playing sounds", "A sound inside a part is heard from where that part stands."),
)


def api_documents() -> list[Document]:
    """Eight members of an engine and four guides."""
    members = [
        Document(
            id=f"api_dump/{owner}.{name}",
            text=text,
            kind="api_member",
            metadata={
                "source": "api_dump",
                "class_name": owner,
                "member_name": name,
                "member_type": kind,
                "tags": ("Safe",) if kind == "Event" else (),
                "url": f"https://create.roblox.com/docs/reference/engine/classes/{owner}#{name}",
                "breadcrumb": f"{owner} › {name}",
                "symbols": (f"{owner}.{name}", name),
            },
        )
        for owner, name, kind, text in _MEMBERS
    ]
    guides = [
        Document(
            id=f"creator_docs/{path}#0",
            text=text,
            kind="api_member",
            metadata={
                "source": "creator_docs",
                "file_path": f"content/en-us/{path}",
                "title": title,
                "heading": title,
                "start_line": 3,
                "end_line": 3,
                "url": f"https://create.roblox.com/docs/{path.removesuffix('.md')}",
            },
        )
        for path, title, text in _GUIDES
    ]
    return members + guides


def write_corpus(
    folder: Path,
    embedder: Embedder,
    documents: Sequence[Document] | None = None,
    *,
    profile: str = "roblox",
    engine: str = ENGINE,
    vectors: VectorSource | None = None,
) -> Manifest:
    """Write a segment of the documents, through the real ingestion; `vectors` takes the place of the embedder's own."""
    chosen = profile_named(profile)
    chunks = [chunk for document in documents or api_documents() for chunk in chunk_document(document)]
    rows = index_rows(
        chunks, chosen, vectors or (lambda passages: map(quantize, embedder.embed_passages(list(passages))))
    )
    facts = SegmentFacts(
        profile=profile,
        face=chosen.face,
        filters=chosen.filters,
        dimensions=embedder.dimensions,
        model=embedder.digest,
        sources=(SourceFacts("api_dump", "Full-API-Dump.json", version=engine),),
        extra={"hierarchy": HIERARCHY} if profile == "roblox" else {},
    )
    return write_segment(folder, rows, facts)

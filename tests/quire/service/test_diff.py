"""Differences between versions: of an invented engine, of guides, and of the real dumps against another comparison."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from build_index.sources.roblox.api_dump import read_roblox_api
from quire.chunking import chunk_document
from quire.documents import Chunk, Document, chunk_id
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment, open_segment
from quire.index.writer import IndexRow, SegmentFacts, write_segment
from quire.service.diff import Diff, compare_chunks, compare_versions
from tests.support.engine import DUMP, engine_class, member, primitive, write_engine
from tests.support.rows import no_vectors
from tests.support.shared import shared_path

Key = tuple[str, str]


def engine_chunks(folder: Path, dump: object = DUMP) -> list[Chunk]:
    return dump_chunks(*write_engine(folder, dump))


def dump_chunks(dump: Path, reference: Path | None) -> list[Chunk]:
    documents = (one for one in read_roblox_api(dump, reference) if isinstance(one, Document))
    return [chunk for document in documents for chunk in chunk_document(document)]


def changed_engine() -> dict[str, Any]:
    dump = copy.deepcopy(DUMP)
    boat = dump["Classes"][1]
    boat["Members"][0]["ValueType"] = primitive("double")
    boat["Members"][1]["Parameters"].append({"Name": "gently", "Type": primitive("bool")})
    boat["Members"][3]["Security"] = "None"
    boat["Members"][4]["Tags"] = ["Deprecated"]
    boat["Members"].append(member("Event", "Launched"))
    dump["Classes"][2]["Superclass"] = "Thing"
    del dump["Classes"][3]
    dump["Classes"].append(engine_class("Anchor", "Thing", [member("Function", "Drop")]))
    del dump["Enums"][0]["Items"][0]
    dump["Enums"][0]["Items"][0]["Value"] = 6
    return dump


def changes(diff: Diff) -> dict[str, set[str]]:
    return {one.member.name: set(one.fields) for one in diff.changed}


def test_each_kind_of_change_is_told_once(tmp_path: Path) -> None:
    diff = compare_chunks(engine_chunks(tmp_path / "a"), engine_chunks(tmp_path / "b", changed_engine()))
    assert [one.name for one in diff.added] == ["Anchor", "Anchor.Drop", "Boat.Launched"]
    assert [one.name for one in diff.removed] == ["Enum.Wind.Calm", "HarbourService"]
    assert [one.name for one in diff.deprecated] == ["Boat.OnHail"]
    assert changes(diff) == {
        "Boat.TopSpeed": {"signature"},
        "Boat.SailTo": {"signature", "description"},  # the page describes its parameters no longer
        "Boat.Sunk": {"security"},
        "Boat.OnHail": {"tags"},
        "Dinghy": {"signature"},
        "Enum.Wind.FreshBreeze": {"signature"},
    }
    fields = {one.member.name: one.fields for one in diff.changed}
    assert fields["Boat.Sunk"]["security"] == ("RobloxScriptSecurity", "None")
    assert fields["Dinghy"]["signature"] == ("Dinghy, inherits Boat", "Dinghy, inherits Thing")


def test_words_that_changed_are_a_change_of_the_description_alone(tmp_path: Path) -> None:
    folder, docs = write_engine(tmp_path)
    before = dump_chunks(folder, docs)
    page = docs / "content/en-us/reference/engine/classes/Boat.yaml"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("Where the journey ends.", "Surely where it ends."), encoding="utf-8")
    diff = compare_chunks(before, dump_chunks(folder, docs))
    assert {frozenset(one.fields) for one in diff.changed} == {frozenset({"description"})}
    [change] = diff.changed
    told = change.fields["description"]
    assert "Surely" in " ".join(told[1] if isinstance(told[1], tuple) else ())
    assert (diff.added, diff.removed, diff.documents_changed) == ((), (), ())


def guide(path: str, *texts: str, line: int = 1) -> list[Chunk]:
    return [
        Chunk(
            chunk_id(path, str(n)),
            path,
            text,
            metadata={"path": path, "start_line": line + n, "end_line": line + n},
        )
        for n, text in enumerate(texts)
    ]


GUIDES = [*guide("a.md", "one", "two"), *guide("b.md", "three"), *guide("c.md", "four", "five")]


@pytest.mark.parametrize(
    ("after", "added", "changed", "removed"),
    [
        (GUIDES, [], [], []),
        ([*guide("a.md", "one", "two", line=40), *GUIDES[2:]], [], [], []),
        ([*guide("a.md", "one"), *GUIDES[2:]], [], ["a.md"], []),
        ([*guide("a.md", "one", "2"), *GUIDES[2:]], [], ["a.md"], []),
        ([*guide("a.md", "one", "two", "more"), *GUIDES[2:]], [], ["a.md"], []),
        ([*GUIDES[:3], *guide("d.md", "six")], ["d.md"], [], ["c.md"]),
    ],
)
def test_documents_differ_by_their_text_and_not_by_their_lines(
    tmp_path: Path, after: list[Chunk], added: list[str], changed: list[str], removed: list[str]
) -> None:
    of_chunks = compare_chunks(GUIDES, after)
    of_versions = compare_versions(index(tmp_path / "a", GUIDES), index(tmp_path / "b", after))
    for diff in (of_chunks, of_versions):
        found = (diff.documents_added, diff.documents_changed, diff.documents_removed)
        assert tuple(map(list, found)) == (added, changed, removed)


def segment(folder: Path, chunks: Iterable[Chunk]) -> Segment:
    rows = (IndexRow(chunk, {}, 0.0, no_vectors(4)) for chunk in chunks)
    write_segment(folder, rows, SegmentFacts("docs", "chatbot", (), 4))
    return open_segment(folder)


def index(folder: Path, chunks: Iterable[Chunk]) -> OpenedIndex:
    return OpenedIndex([(segment(folder, chunks), 1)])


def test_what_a_tombstone_hides_is_removed(tmp_path: Path) -> None:
    held = segment(tmp_path / "a", GUIDES)
    hidden = OpenedIndex([(held, 1)], tombstones={"b.md": 2})
    assert compare_versions(OpenedIndex([(held, 1)]), hidden).documents_removed == ("b.md",)
    assert compare_versions(hidden, OpenedIndex([(held, 1)])).documents_added == ("b.md",)
    assert compare_versions(hidden, hidden) == Diff()


def test_versions_and_chunks_are_compared_alike(tmp_path: Path) -> None:
    before, after = engine_chunks(tmp_path / "a"), engine_chunks(tmp_path / "b", changed_engine())
    diff = compare_versions(index(tmp_path / "c", before), index(tmp_path / "d", after))
    assert diff == compare_chunks(before, after)
    json.dumps(diff.as_json())


def entries(dump: Path) -> dict[Key, Mapping[str, Any]]:
    """Every entry of a raw dump by its kind and name."""
    data = json.loads((dump / "Full-API-Dump.json").read_bytes())
    found: dict[Key, Mapping[str, Any]] = {}
    for owner in data["Classes"]:
        found["Class", owner["Name"]] = {key: value for key, value in owner.items() if key != "Members"}
        for one in owner["Members"]:
            found[one["MemberType"], f"{owner['Name']}.{one['Name']}"] = one
    for owner in data["Enums"]:
        found["Enum", f"Enum.{owner['Name']}"] = {
            key: value for key, value in owner.items() if key != "Items"
        }
        for one in owner["Items"]:
            found["EnumItem", f"Enum.{owner['Name']}.{one['Name']}"] = one
    return found


RAW = {
    "signature": ("Parameters", "ReturnType", "ValueType", "Default", "Superclass", "Value"),
    "tags": ("Tags",),
    "security": ("Security",),
    "thread_safety": ("ThreadSafety",),
}


def is_deprecated(entry: Mapping[str, Any]) -> bool:
    return "Deprecated" in entry.get("Tags", ())


@pytest.mark.shared
def test_the_real_dumps_differ_as_another_comparison_says() -> None:
    old_root, new_root = shared_path("data/roblox/0.732"), shared_path("data/roblox/0.735")
    old, new = entries(old_root), entries(new_root)
    diff = compare_chunks(dump_chunks(old_root, None), dump_chunks(new_root, None))
    assert {(one.kind, one.name) for one in diff.added} == new.keys() - old.keys()
    assert {(one.kind, one.name) for one in diff.removed} == old.keys() - new.keys()
    both = old.keys() & new.keys()
    assert {(one.kind, one.name) for one in diff.deprecated} == {
        key for key in both if is_deprecated(new[key]) and not is_deprecated(old[key])
    }
    found = {(one.member.kind, one.member.name): set(one.fields) for one in diff.changed}
    for field, names in RAW.items():
        wanted = {key for key in both if any(old[key].get(name) != new[key].get(name) for name in names)}
        assert {key for key, fields in found.items() if field in fields} == wanted, field
    assert len(diff.added) == 183
    assert len(diff.removed) == 10
    assert not any("description" in fields for fields in found.values())

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from build_index.sources import Failure
from build_index.sources.fetch.fetch import version_beside
from build_index.sources.roblox.api_dump import find_dump, read_hierarchy, read_roblox_api
from quire.chunking import CHUNKERS
from quire.documents import Chunk, Document
from quire.errors import SourceError
from quire.profiles import profile_named
from tests.support.completeness import list_entries
from tests.support.engine import DUMP, engine_class, member, write_engine
from tests.support.engine_pages import BOAT, PAGES


def read(dump: Path, reference: Path | None = None) -> dict[str, Chunk]:
    chunks: list[Chunk] = []
    for document in read_roblox_api(dump, reference):
        assert isinstance(document, Document), document
        chunks.extend(CHUNKERS[document.kind](document))
    named = {f"{chunk.metadata['source']} {chunk.metadata['heading']}": chunk for chunk in chunks}
    assert len(named) == len(chunks) == len({chunk.id for chunk in chunks})
    return named


@pytest.fixture
def chunks(tmp_path: Path) -> dict[str, Chunk]:
    return read(*write_engine(tmp_path))


def test_every_entry_of_the_dump_is_one_chunk_and_so_is_what_only_the_pages_know(tmp_path: Path) -> None:
    folder, docs = write_engine(tmp_path)
    found = read(folder, docs)
    entries = list(list_entries(folder))
    assert len([name for name in found if name.startswith("api_dump ")]) == len(entries)
    assert {name for name in found if name.startswith("creator_docs ")} == {
        "creator_docs Boat:Anchor",
        "creator_docs Enum.Wind.Storm",
        "creator_docs Enum.Sails",
        "creator_docs Enum.Sails.Calm",
        "creator_docs Enum.Sails.Gale",
        "creator_docs Enum.Sails.Storm",
    }


def test_a_function_says_what_it_takes_and_gives_before_any_boilerplate(chunks: dict[str, Chunk]) -> None:
    chunk = chunks["api_dump Boat:SailTo"]
    assert chunk.text == (
        "Boat:SailTo(harbour: Thing, slowly: boolean = false): List<Thing> — Function of Boat, yields\n\n"
        "Sails to another place.\n\n"
        "```lua\nboat:SailTo(pier)\n```\n\n"
        "Parameters:\n"
        "- `harbour` (Thing): Where the journey ends.\n"
        "- `slowly` (boolean, default false): Whether to take in sail.\n\n"
        "Returns:\n- List<Thing>: What was met on the way.\n\n"
        "Security: None · Thread safety in parallel: Unsafe · Tags: Yields"
    )
    assert chunk.symbols == ("Boat.SailTo", "SailTo")
    assert chunk.breadcrumb == "Boat › SailTo"
    assert "lua" not in chunk.summary
    assert "Security" not in chunk.summary


def test_metadata_names_the_entry_and_the_lines_that_tell_of_it(tmp_path: Path) -> None:
    folder, docs = write_engine(tmp_path)
    metadata = read(folder, docs)["api_dump Boat.TopSpeed"].metadata
    assert {key: metadata[key] for key in ("source", "class_name", "member_name", "member_type", "tags")} == {
        "source": "api_dump",
        "class_name": "Boat",
        "member_name": "TopSpeed",
        "member_type": "Property",
        "tags": (),
    }
    assert metadata["url"] == "https://create.roblox.com/docs/reference/engine/classes/Boat#TopSpeed"
    assert metadata["path"] == metadata["file_path"] == "content/en-us/reference/engine/classes/Boat.yaml"
    lines = (docs / str(metadata["path"])).read_text(encoding="utf-8").splitlines()
    cited = lines[int(str(metadata["start_line"])) - 1 : int(str(metadata["end_line"]))]
    assert cited[0] == "  - name: Boat.TopSpeed"
    assert cited[-1] == "    deprecation_message: ''"


def test_a_property_shows_a_short_default_and_its_cross_references_read_plainly(
    chunks: dict[str, Chunk],
) -> None:
    text = chunks["api_dump Boat.TopSpeed"].text
    assert text.startswith(
        "Boat.TopSpeed: float = 12.1 — Property of Boat\n\nHow fast it may go.\n\nSet it before"
    )
    assert "before `SailTo()` is called; `Thing.Name` does not matter." in text


def test_a_class_tells_its_family_and_the_members_that_scripts_use(chunks: dict[str, Chunk]) -> None:
    chunk = chunks["api_dump Boat"]
    assert chunk.text == (
        "Boat — Class, inherits Thing\n\n"
        "Floats, and carries `Things`.\n\n"
        "A hull that the `Enum.Wind` moves. See Sailing.\n\n"
        "Inherited by: Dinghy\nProperties: TopSpeed\nMethods: SailTo\nCallbacks: OnHail\n"
        "Deprecated, hidden or internal members: 2\n\n"
        "Code samples on the web page: boat race\n\n"
        "Memory category: Instances"
    )
    assert chunk.metadata["superclass"] == "Thing"
    assert "member_name" not in chunk.metadata
    assert "Inheritance: Dinghy → Boat → Thing" in chunks["api_dump Dinghy"].text


def test_the_first_line_says_what_scripts_may_not_do(tmp_path: Path) -> None:
    security = {"Read": "None", "Write": "PluginSecurity"}
    members = [
        member("Property", "Depth", Tags=["ReadOnly", "NotReplicated", "Hidden"]),
        member("Property", "Keel", Security=security),
        member("Function", "Dive", Security="PluginSecurity"),
    ]
    chunks = read(*write_engine(tmp_path, {"Classes": [engine_class("Sub", "", members)], "Enums": []}))
    assert "Property of Sub, read-only, not replicated\n" in chunks["api_dump Sub.Depth"].text
    assert "Property of Sub, written by plugins and the command bar\n" in chunks["api_dump Sub.Keel"].text
    assert "Function of Sub, for plugins and the command bar\n" in chunks["api_dump Sub:Dive"].text


def test_a_member_without_a_description_is_found_by_the_words_of_its_name(chunks: dict[str, Chunk]) -> None:
    chunk = chunks["api_dump Boat.OnHail"]
    assert "On hail (undocumented)." in chunk.text
    assert chunk.summary == "Boat.OnHail (on hail), Callback of Boat."
    assert chunk.metadata["path"] == "Full-API-Dump.json"
    assert "start_line" not in chunk.metadata


def test_members_that_nobody_described_are_marked_so_that_they_rank_below_those_that_are(
    chunks: dict[str, Chunk],
) -> None:
    assert chunks["api_dump Boat.OnHail"].metadata["undocumented"] is True
    assert "undocumented" not in chunks["api_dump Boat"].metadata
    assert ("undocumented", True, 0.5) in profile_named("roblox").demotions


def test_a_deprecated_member_names_its_replacement(chunks: dict[str, Chunk]) -> None:
    chunk = chunks["api_dump Boat:sailTo"]
    assert "deprecated Function of Boat\n\nDeprecated. Use `SailTo` instead." in chunk.text
    assert chunk.metadata["preferred"] == "Boat.SailTo"
    assert chunk.metadata["deprecated"] is True
    assert chunk.metadata["tags"] == ("Deprecated",)


def test_members_that_scripts_cannot_reach_are_marked(chunks: dict[str, Chunk]) -> None:
    assert chunks["api_dump Boat.Sunk"].metadata["internal"] is True
    assert "Roblox's own scripts only" in chunks["api_dump Boat.Sunk"].text
    assert chunks["api_dump Boat.OnHail"].metadata["internal"] is False


def test_an_enum_lists_its_items_and_each_item_stands_alone(chunks: dict[str, Chunk]) -> None:
    assert "Items: Calm (0), FreshBreeze (5), Gale (8)" in chunks["api_dump Enum.Wind"].text
    calm = chunks["api_dump Enum.Wind.Calm"]
    assert calm.text == (
        "Enum.Wind.Calm = 0 — Item of Enum.Wind\n\nSmoke rises straight up.\n\nEnum.Wind: How hard it blows."
    )
    assert calm.symbols == ("Enum.Wind.Calm", "Wind.Calm", "Calm")
    assert (calm.metadata["class_name"], calm.metadata["member_name"]) == ("Wind", "Calm")
    assert chunks["api_dump Enum.Wind.FreshBreeze"].aliases == "Brisk"
    assert (
        "\n\nThis value is deprecated; use `Enum.Wind.FreshBreeze`.\n\n"
        in chunks["api_dump Enum.Wind.Gale"].text
    )


def test_a_service_is_found_by_the_call_that_gets_it(chunks: dict[str, Chunk]) -> None:
    assert (
        chunks["api_dump HarbourService"].aliases == 'game:GetService("HarbourService") superclass base class'
    )


def test_an_enum_and_a_class_of_one_name_stay_two(chunks: dict[str, Chunk]) -> None:
    assert chunks["api_dump Wind"].metadata["member_type"] == "Class"
    assert chunks["api_dump Enum.Wind"].metadata["member_type"] == "Enum"


def test_the_global_objects_members_go_by_their_global_names(tmp_path: Path) -> None:
    dump = {"Classes": [engine_class("DataModel", "", [member("Event", "Loaded")])], "Enums": []}
    folder, _ = write_engine(tmp_path, dump, {})
    assert read(folder)["api_dump DataModel.Loaded"].symbols == ("DataModel.Loaded", "game.Loaded", "Loaded")


def test_without_a_reference_the_dump_tells_all_it_knows(tmp_path: Path) -> None:
    folder, _ = write_engine(tmp_path)
    found = read(folder / "Full-API-Dump.json")
    assert len(found) == len(list(list_entries(folder)))
    assert found["api_dump Boat:SailTo"].text.startswith(
        "Boat:SailTo(harbour: Thing, slowly: boolean = false): List<Instance> — Function of Boat"
    )


def test_a_malformed_page_is_a_failure_and_its_class_is_told_by_the_dump(tmp_path: Path) -> None:
    broken = BOAT.replace("tags: []", "tags: [", 1)
    folder, docs = write_engine(tmp_path, DUMP, {**PAGES, "classes/Boat": broken})
    read_all = list(read_roblox_api(folder, docs))
    failures = [one for one in read_all if isinstance(one, Failure)]
    assert [failure.path for failure in failures] == ["content/en-us/reference/engine/classes/Boat.yaml"]
    assert failures[0].reason.startswith("line 1")
    ids = {one.id for one in read_all if isinstance(one, Document)}
    assert {"api_dump/Boat.SailTo", "api_dump/Enum.Wind.Calm"} <= ids


@pytest.mark.parametrize(
    ("dump", "reason"),
    [
        ({"Classes": [{"Superclass": "Thing"}], "Enums": []}, "classes[0]: wanted an object with a 'Name'"),
        ({"Classes": [], "Enums": ["Wind"]}, "enums[0]: wanted an object with a 'Name'"),
        (
            {"Classes": [engine_class("Boat", "Thing", [{"Name": "X", "MemberType": "Sail"}])], "Enums": []},
            "Boat.Members[0]: wanted a 'Name' and one of Property",
        ),
        ({"Classes": [], "Enums": [{"Name": "Wind", "Items": [7]}]}, "Enum.Wind.Items[0]: wanted an object"),
    ],
)
def test_a_malformed_entry_is_a_failure_that_names_it(tmp_path: Path, dump: Any, reason: str) -> None:
    folder, _ = write_engine(tmp_path, dump, {})
    failures = [one for one in read_roblox_api(folder) if isinstance(one, Failure)]
    assert len(failures) == 1
    assert failures[0].reason.startswith(reason)


@pytest.mark.parametrize("superclass", [{"Name": "Thing"}, ["Thing"], 7, None])
def test_a_class_whose_superclass_is_no_name_stands_alone(tmp_path: Path, superclass: Any) -> None:
    odd = {"Name": "Boat", "Superclass": superclass, "Members": [], "Tags": []}
    folder, _ = write_engine(tmp_path, {"Classes": [odd], "Enums": []}, {})
    assert read_hierarchy(folder) == {}
    assert [one.id for one in read_roblox_api(folder) if isinstance(one, Document)] == ["api_dump/Boat"]


def test_a_dump_that_is_no_json_is_a_failure_and_the_pages_stand_for_themselves(tmp_path: Path) -> None:
    folder, docs = write_engine(tmp_path)
    (folder / "Full-API-Dump.json").write_text('{"Classes": [', encoding="utf-8")
    read_all = list(read_roblox_api(folder, docs))
    assert [one.path for one in read_all if isinstance(one, Failure)] == ["Full-API-Dump.json"]
    assert "content/en-us/reference/engine/classes/Boat.yaml" in {
        one.id for one in read_all if isinstance(one, Document)
    }


def test_a_missing_dump_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"wanted Full-API-Dump\.json"):
        list(read_roblox_api(tmp_path))


def test_the_hierarchy_leads_from_each_class_to_its_superclass(tmp_path: Path) -> None:
    folder, _ = write_engine(tmp_path)
    hierarchy = read_hierarchy(folder)
    assert hierarchy == {"Boat": "Thing", "Dinghy": "Boat", "HarbourService": "Thing", "Wind": "Thing"}
    assert json.loads(json.dumps(hierarchy)) == hierarchy


def test_the_engine_version_stands_beside_the_dump(tmp_path: Path) -> None:
    folder, _ = write_engine(tmp_path)
    assert version_beside(find_dump(folder)) == version_beside(folder / "Full-API-Dump.json") == "0.1.2.3"
    (folder / "version.txt").unlink()
    assert version_beside(find_dump(folder)) == ""

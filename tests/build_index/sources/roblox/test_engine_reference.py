from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources import Failure
from build_index.sources.roblox.engine_reference import read_reference
from quire.chunking import CHUNKERS
from quire.documents import Chunk, Document
from quire.errors import SourceError
from tests.support.engine import write_engine
from tests.support.engine_pages import PAGES


def read(root: Path, *, dump_joined: bool = False) -> dict[str, Chunk]:
    chunks: list[Chunk] = []
    for document in read_reference(root, dump_joined=dump_joined):
        assert isinstance(document, Document), document
        chunks.extend(CHUNKERS[document.kind](document))
    return {str(chunk.metadata["heading"]): chunk for chunk in chunks}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_engine(tmp_path)[1]


def test_beside_a_dump_only_datatypes_libraries_and_globals_are_read(docs: Path) -> None:
    assert list(read(docs, dump_joined=True)) == [
        "Knot",
        "Knot.new",
        "Knot.zero",
        "Knot:Double",
        "Knot + Knot",
        "tide",
        "tide.next",
        "Sea globals",
        "hoist",
    ]


def test_without_a_dump_classes_and_enums_stand_for_themselves(docs: Path) -> None:
    found = read(docs)
    assert found["Boat:SailTo"].metadata["source"] == "creator_docs"
    assert found["Boat:SailTo"].metadata["member_type"] == "Function"
    assert found["Enum.Wind"].symbols == ("Enum.Wind", "Wind")
    assert found["Enum.Wind.Calm"].text.startswith("Enum.Wind.Calm = 0 — Item of Enum.Wind\n\nSmoke rises")


def test_overloads_are_one_member_told_one_by_one(docs: Path) -> None:
    chunk = read(docs)["Knot.new"]
    assert chunk.text == (
        "Knot.new — Constructor of Knot, 2 overloads\n\n"
        "`Knot.new()`\n\nA knot of nothing.\n\n"
        "`Knot.new(count: number = 1)`\n\nSo many knots.\n\n"
        "Parameters:\n- `count` (number, default 1): How many."
    )
    lines = (docs / str(chunk.metadata["path"])).read_text(encoding="utf-8").splitlines()
    cited = lines[int(str(chunk.metadata["start_line"])) - 1 : int(str(chunk.metadata["end_line"]))]
    assert sum(line == "  - name: Knot.new" for line in cited) == 2
    assert "constants:" not in cited


def test_the_members_of_a_file_share_its_document(docs: Path) -> None:
    path = "content/en-us/reference/engine/datatypes/Knot.yaml"
    chunks = [chunk for chunk in read(docs).values() if chunk.metadata["class_name"] == "Knot"]
    assert {chunk.document_id for chunk in chunks} == {path}
    assert {chunk.metadata["file_path"] for chunk in chunks} == {path}
    assert len({chunk.id for chunk in chunks}) == len(chunks) == 5


def test_members_are_filtered_by_the_dumps_words_and_pages_by_their_own(docs: Path) -> None:
    found = read(docs)
    types = {name: chunk.metadata["member_type"] for name, chunk in found.items()}
    assert (
        types["Knot.new"] == types["Knot:Double"] == types["Knot + Knot"] == types["tide.next"] == "Function"
    )
    assert types["Knot.zero"] == "Property"
    assert (types["Knot"], types["tide"], types["Sea globals"]) == ("DataType", "Library", "Globals")


def test_a_type_lists_its_members_and_a_method_its_result(docs: Path) -> None:
    found = read(docs)
    assert found["Knot"].text == (
        "Knot — Data type\n\nA speed at sea.\n\nOne nautical mile an hour.\n\n"
        "Constructors: new\nConstants: zero\nProperties: zero\nMethods: Double\nMath operations: Knot + Knot"
    )
    assert found["Knot:Double"].text.startswith("Knot:Double(): Knot — Method of Knot")
    assert found["Knot + Knot"].text.startswith("Knot + Knot: Knot — Operator of Knot")


def test_globals_go_by_their_bare_names_and_links_lead_to_the_web_page(docs: Path) -> None:
    found = read(docs)
    base = "https://create.roblox.com/docs/reference/engine"
    assert found["hoist"].symbols == ("hoist",)
    assert found["hoist"].metadata["url"] == f"{base}/globals/SeaGlobals#hoist"
    assert found["hoist"].metadata["deprecated"] is True
    assert found["tide.next"].metadata["url"] == f"{base}/libraries/tide#next"
    assert found["Knot + Knot"].metadata["url"] == f"{base}/datatypes/Knot"


def test_a_long_description_is_cut_into_parts_with_their_own_lines(tmp_path: Path) -> None:
    paragraphs = "\n\n".join(f"  #### Part {number}\n\n  " + f"wave {number} " * 60 for number in range(12))
    text = PAGES["datatypes/Knot"].replace("  One nautical mile an hour.", paragraphs)
    _, docs = write_engine(tmp_path, pages={"datatypes/Knot": text})
    parts = [
        document
        for document in read_reference(docs)
        if isinstance(document, Document) and document.metadata["member_type"] == "DataType"
    ]
    assert len(parts) == 12
    lines = (docs / str(parts[0].metadata["path"])).read_text(encoding="utf-8").splitlines()
    for number, part in enumerate(parts):
        cited = "\n".join(
            lines[int(str(part.metadata["start_line"])) - 1 : int(str(part.metadata["end_line"]))]
        )
        assert f"wave {number} wave {number}" in cited
        assert f"wave {number + 1} " not in cited
        assert f"wave {number} wave {number}" in part.text
    assert parts[3].metadata["heading"] == "Knot: Part 3"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name: [", "line 4: did not find"),
        ("- a\n- b\n", "line 1: wanted a mapping"),
        ("type: datatype\n", "line 3: 'name'"),
        ("", "line 1: wanted a mapping"),
        ("name: Knot\nmethods: many\n", "line 4: methods: wanted a list"),
        ("name: Knot\nmethods:\n  - one\n", "line 5: methods: wanted a mapping"),
        ("name: Knot\nmethods:\n  - summary: x\n", "line 5: 'name'"),
        ("name: " + "[" * 5000 + "]" * 5000, "line 1: nested too deeply"),
    ],
)
def test_a_malformed_page_is_a_failure_with_its_line_and_the_rest_is_read(
    tmp_path: Path, text: str, reason: str
) -> None:
    _, docs = write_engine(tmp_path, pages={**PAGES, "datatypes/Anvil": text})
    read_all = list(read_reference(docs))
    [failure] = [one for one in read_all if isinstance(one, Failure)]
    assert failure.path == "content/en-us/reference/engine/datatypes/Anvil.yaml"
    assert failure.reason.startswith(reason)
    assert "Knot:Double" in {one.metadata["heading"] for one in read_all if isinstance(one, Document)}


def test_bytes_that_are_no_text_are_a_failure(tmp_path: Path) -> None:
    _, docs = write_engine(tmp_path)
    (docs / "content/en-us/reference/engine/libraries/tide.yaml").write_bytes(b"name: \xff\xfe\n")
    failures = [one for one in read_reference(docs) if isinstance(one, Failure)]
    assert [failure.reason for failure in failures] == ["byte 6: not UTF-8"]


def test_the_root_may_be_the_checkout_or_its_language(docs: Path) -> None:
    assert read(docs / "content" / "en-us") == read(docs)


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="found no folder"):
        list(read_reference(tmp_path / "nowhere"))

from __future__ import annotations

from pathlib import Path

import pytest

from build_index.pipeline.reading import open_reading
from build_index.sources import Failure
from build_index.sources.roblox.creator_docs import find_checkout, page_url, read_creator_docs
from quire.chunking import CHUNKERS
from quire.documents import Chunk, Document
from quire.errors import SourceError
from tests.support.shared import shared_path

PAGES = {
    "physics/index.md": "---\ntitle: Physics\ndescription: How things move.\n---\n\n## Units\n\nOne stud.\n",
    "physics/springs.md": "import Note from '../includes/note.md'\n\n# Springs\n\n<Note on=\"us\" />\n",
    "includes/note.md": "---\ntitle: include\n---\nimport Deep from './deep.md'\n\nIt is {props.on}.\n\n<Deep />\n",
    "includes/deep.md": "Deeper `Class.Part.Size|Size`.\n",
    "empty.md": "---\ntitle: Nothing else\n---\n",
}


def write(root: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        file = root / "content/en-us" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def documents(root: Path) -> dict[str, Document]:
    found = [one for one in read_creator_docs(root) if isinstance(one, Document)]
    return {document.id: document for document in found}


def chunks(document: Document) -> list[Chunk]:
    return list(CHUNKERS[document.kind](document))


def test_every_file_is_one_document_from_either_root(tmp_path: Path) -> None:
    root = write(tmp_path, PAGES)
    assert list(documents(root)) == sorted(f"content/en-us/{name}" for name in PAGES)
    assert documents(root) == documents(root / "content/en-us")


@pytest.mark.parametrize("named", ["", "releases", "releases/0.735", "releases/0.735/docs/content"])
def test_a_folder_above_the_pages_leads_to_them(named: str, tmp_path: Path) -> None:
    root = write(tmp_path / "releases/0.735/docs", PAGES)
    if not named:
        assert find_checkout(root) == root
        assert find_checkout(root / "content/en-us") == root / "content/en-us"
        return
    reading = open_reading("roblox", [("creator_docs", str(tmp_path / named))], tmp_path / "cache", {})
    assert reading.folders == (root,)
    found = [one for one in reading.documents if isinstance(one, Document)]
    assert {str(one.metadata["file_path"]) for one in found} == {f"content/en-us/{name}" for name in PAGES}


def test_a_folder_above_several_checkouts_is_refused_with_their_names(tmp_path: Path) -> None:
    for version in ("0.732", "0.735"):
        write(tmp_path / version, PAGES)
    with pytest.raises(SourceError, match=r"found several: name one of .*0\.732, .*0\.735"):
        find_checkout(tmp_path)


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="wanted a folder with content/en-us, found no page in it"):
        find_checkout(tmp_path)
    assert find_checkout(tmp_path / "nothing") == tmp_path / "nothing"
    (tmp_path / "page.md").write_text("# Alone\n")
    assert find_checkout(tmp_path) == tmp_path


def test_a_part_of_the_pages_is_refused_with_the_folder_that_is_whole(tmp_path: Path) -> None:
    root = write(tmp_path, PAGES)
    with pytest.raises(
        SourceError, match=r"wanted a whole content/en-us, found a folder in one: name .*en-us$"
    ):
        find_checkout(root / "content/en-us/physics")


def test_every_document_has_a_chunk_even_without_a_body(tmp_path: Path) -> None:
    found = {name: chunks(document) for name, document in documents(write(tmp_path, PAGES)).items()}
    assert all(found.values())
    assert found["content/en-us/empty.md"][0].text == "# Nothing else"


def test_metadata_names_source_file_title_heading_and_page(tmp_path: Path) -> None:
    page = documents(write(tmp_path, PAGES))["content/en-us/physics/index.md"]
    (chunk,) = chunks(page)
    assert chunk.text == "# Physics\n\nHow things move.\n\n## Units\n\nOne stud."
    wanted = {
        "source": "creator_docs",
        "file_path": "content/en-us/physics/index.md",
        "title": "Physics",
        "url": "https://create.roblox.com/docs/physics",
        "start_line": 2,
        "end_line": 8,
    }
    assert {name: chunk.metadata[name] for name in wanted} == wanted


def test_the_heading_of_level_one_comes_before_the_front_matters_title(tmp_path: Path) -> None:
    page = documents(write(tmp_path, PAGES))["content/en-us/physics/springs.md"]
    assert chunks(page)[0].metadata["title"] == "Springs"


def test_included_files_stand_in_the_page_and_in_their_own_document(tmp_path: Path) -> None:
    found = documents(write(tmp_path, PAGES))
    assert "It is us.\n\nDeeper `Part.Size`." in chunks(found["content/en-us/physics/springs.md"])[0].text
    assert "Deeper `Part.Size`." in chunks(found["content/en-us/includes/deep.md"])[0].text


def test_files_that_cannot_be_read_are_failures_and_the_rest_is_read(tmp_path: Path) -> None:
    root = write(tmp_path, {**PAGES, "lost.md": "import Gone from '../includes/gone.md'\n\n<Gone />\n"})
    (root / "content/en-us/bytes.md").write_bytes(b"\xff\xfe")
    failures = {one.path: one.reason for one in read_creator_docs(root) if isinstance(one, Failure)}
    assert list(failures) == ["content/en-us/bytes.md", "content/en-us/lost.md"]
    assert "includes '../includes/gone.md'" in failures["content/en-us/lost.md"]
    assert len(documents(root)) == len(PAGES)


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("index.md", "https://create.roblox.com/docs"),
        ("a/b.md", "https://create.roblox.com/docs/a/b"),
        ("a/index.md", "https://create.roblox.com/docs/a"),
        ("a/README.md", "https://create.roblox.com/docs/a"),
    ],
)
def test_a_page_has_the_address_of_the_site(path: str, url: str) -> None:
    assert page_url(path) == url


@pytest.mark.shared
def test_the_real_pages_are_all_read_and_every_eighth_is_cut_whole() -> None:
    root = shared_path("data/roblox/0.735/creator-docs")
    found = list(read_creator_docs(root))
    assert len(found) == len(list((root / "content/en-us").rglob("*.md")))
    assert not [one for one in found if isinstance(one, Failure)]
    for document in found[::8]:
        assert isinstance(document, Document)
        cut = chunks(document)
        last = document.text.count("\n") + 1
        assert [chunk.metadata["chunk_index"] for chunk in cut] == list(range(len(cut)))
        for chunk in cut:
            first, end = chunk.metadata["start_line"], chunk.metadata["end_line"]
            assert isinstance(first, int)
            assert isinstance(end, int)
            assert 1 <= first <= end <= last
            assert chunk.text.count("```") % 2 == 0

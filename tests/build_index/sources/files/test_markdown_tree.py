from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources import Failure
from build_index.sources.files.docusaurus import read_docusaurus
from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.selection import Excluded
from build_index.sources.site_config import FoundSite
from quire.chunking import CHUNKERS
from quire.documents import Document
from quire.parsing.site_pages import site_of
from tests.support.shared import shared_path


def write(root: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_metadata_names_path_top_folder_and_title(tmp_path: Path) -> None:
    root = write(tmp_path, {"docs/run/fast.md": "# Running fast\n\nText.\n", "README.md": "Read me.\n"})
    readme, page = read_markdown_tree(root)
    assert isinstance(page, Document)
    assert isinstance(readme, Document)
    assert page.metadata == {
        "path": "docs/run/fast.md",
        "filename": "fast.md",
        "chapter": "Running fast",
        "chapters": ("Running fast", "Run"),
        "section": "Running fast",
        "url": "docs/run/fast.md",
    }
    assert (readme.metadata["chapter"], readme.metadata["section"]) == ("README", "README")


def test_the_same_content_is_read_once_and_a_broken_file_is_a_failure(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {"a.md": "Same.\n", "b.md": "Same.\n", "c.mdx": "---\ntitle: [x\n---\n", "d.markdown": "D\n"},
    )
    found = list(read_markdown_tree(root))
    assert [one.id for one in found if isinstance(one, Document)] == ["a.md", "d.markdown"]
    assert [one.path for one in found if isinstance(one, Failure)] == ["c.mdx"]


def test_a_base_url_makes_addresses(tmp_path: Path) -> None:
    site = FoundSite(site_of({"base_url": "https://x.org/tree/"}))
    (page,) = read_markdown_tree(write(tmp_path, {"a/b.md": "B\n"}), site)
    assert isinstance(page, Document)
    assert page.metadata["url"] == "https://x.org/tree/a/b.md"


@pytest.mark.shared
def test_the_real_tree_is_read_whole() -> None:
    root = shared_path("data/react-native")
    found = list(read_markdown_tree(root))
    assert len(found) == len([*root.rglob("*.md"), *root.rglob("*.mdx")])
    documents = [one for one in found if isinstance(one, Document)]
    assert len(documents) == len(found)
    assert all(list(CHUNKERS[document.kind](document)) for document in documents)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "net.rst",
            "Networking\n==========\n\nThe gateway listens on port 1194.\n\n.. option:: --retries N\n\n   Again.\n",
        ),
        ("net.adoc", "= Networking\n\nThe gateway listens on port 1194.\n"),
    ],
)
def test_other_markup_is_read_by_its_sections_and_keeps_its_lines(
    tmp_path: Path, name: str, text: str
) -> None:
    [document] = read_markdown_tree(write(tmp_path, {name: text}))
    assert isinstance(document, Document)
    assert (document.metadata["section"], document.metadata["filename"]) == ("Networking", name)
    [chunk] = CHUNKERS[document.kind](document)
    assert chunk.text == text.removesuffix("\n")
    assert (chunk.metadata["heading"], chunk.metadata["start_line"]) == ("Networking", 1)


def test_documents_of_other_kinds_are_counted_by_the_ends_of_their_names(tmp_path: Path) -> None:
    pages = {
        "a.md": "A\n",
        "b.html": "<p>B\n",
        "c/D.PDF": "%PDF",
        "c/e.pdf": "%PDF",
        "x.css": "x",
        ".f.html": "no",
    }
    excluded = Excluded()
    assert len(list(read_markdown_tree(write(tmp_path, pages), excluded=excluded))) == 1
    assert excluded.reasons == {".html": 1, ".pdf": 2}
    excluded = Excluded()
    (tmp_path / "g.rst").write_text("G\n", encoding="utf-8")
    assert len(list(read_docusaurus(tmp_path, excluded=excluded))) == 1
    assert excluded.reasons == {".html": 1, ".pdf": 2, ".rst": 1}


def test_a_folder_is_called_by_its_category_file_or_its_index_page_or_its_name(tmp_path: Path) -> None:
    pages = {
        "01-ros/_category_.json": '{"label": "ROS 2 Architecture"}',
        "01-ros/topics.md": "# Topics\n\nA\n",
        "nav/index.md": "# Navigation\n\nB\n",
        "nav/maps.md": "# Maps\n\nC\n",
        "03-arm_control/grip.md": "# Grip\n\nD\n",
    }
    found = {one.id: one for one in read_markdown_tree(write(tmp_path, pages)) if isinstance(one, Document)}
    assert found["01-ros/topics.md"].metadata["chapters"] == ("Topics", "ROS 2 Architecture")
    assert found["nav/maps.md"].metadata["chapters"] == ("Maps", "Navigation")
    assert "chapters" not in found["nav/index.md"].metadata
    assert found["03-arm_control/grip.md"].metadata["chapters"] == ("Grip", "Arm control")

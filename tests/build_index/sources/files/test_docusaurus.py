from __future__ import annotations

import re
from pathlib import Path

import pytest

from build_index.sources import Failure
from build_index.sources.files.docusaurus import read_docusaurus
from build_index.sources.site_config import FoundSite
from quire.chunking import CHUNKERS
from quire.documents import Chunk, Document
from quire.parsing.site_pages import site_of
from tests.support.shared import shared_path

BOOK = {
    "01-part/01-chapter-1-senses/index.mdx": "---\ntitle: Chapter 1 - Senses\n---\n\n# Chapter 1: The Senses\n\nSee.\n",
    "01-part/01-chapter-1-senses/02-touch.mdx": "# Touch\n\nSkin feels.\n",
    "01-part/02-chapter-2-ai-limbs/00-intro.mdx": "---\ntitle: AI moves Limbs\n---\n\nArms move.\n",
    "01-part/02-chapter-2-ai-limbs/copy.mdx": "# Touch\n\nSkin feels.\n",
    "02-extra/_category_.json": '{"label": "Chapter 9: More"}',
    "02-extra/chapter-notes.md": "# Notes\n\nKept.\n",
    "03-plain/one.md": "# One\n\nPlain.\n",
    "chapter-07-alone.mdx": "---\ntitle: 'Chapter 7: Alone - On Its Own'\n---\n\nBy itself.\n",
    "index.md": "# The Book\n\nWelcome.\n",
}


def write(root: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def documents(root: Path) -> dict[str, Document]:
    return {one.id: one for one in read_docusaurus(root) if isinstance(one, Document)}


def test_chapters_are_named_by_index_folder_category_or_file(tmp_path: Path) -> None:
    found = documents(write(tmp_path, BOOK))
    assert {path: document.metadata["chapter"] for path, document in found.items()} == {
        "01-part/01-chapter-1-senses/02-touch.mdx": "Chapter 1: The Senses",
        "01-part/01-chapter-1-senses/index.mdx": "Chapter 1: The Senses",
        "01-part/02-chapter-2-ai-limbs/00-intro.mdx": "Chapter 2: AI Limbs",
        "02-extra/chapter-notes.md": "Chapter 9: More",
        "03-plain/one.md": "Plain",
        "chapter-07-alone.mdx": "Chapter 7: Alone - On Its Own",
        "index.md": "The Book",
    }


def test_metadata_names_folder_section_file_and_path(tmp_path: Path) -> None:
    page = documents(write(tmp_path, BOOK))["01-part/01-chapter-1-senses/02-touch.mdx"]
    (chunk,) = CHUNKERS[page.kind](page)
    wanted = {
        "chapter_dir": "01-chapter-1-senses",
        "section": "02-touch",
        "filename": "02-touch.mdx",
        "path": "01-part/01-chapter-1-senses/02-touch.mdx",
        "url": "01-part/01-chapter-1-senses/02-touch.mdx",
        "title": "Touch",
        "heading": "Touch",
        "chunk_index": 0,
    }
    assert {name: chunk.metadata[name] for name in wanted} == wanted


def test_the_same_content_is_read_once(tmp_path: Path) -> None:
    assert "01-part/02-chapter-2-ai-limbs/copy.mdx" not in documents(write(tmp_path, BOOK))


def test_a_broken_head_is_a_failure_and_the_rest_is_read(tmp_path: Path) -> None:
    root = write(tmp_path, {**BOOK, "broken.mdx": "---\ntitle: 'x\n---\n"})
    (root / "bytes.mdx").write_bytes(b"\xff")
    failures = [one for one in read_docusaurus(root) if isinstance(one, Failure)]
    assert sorted(one.path for one in failures) == ["broken.mdx", "bytes.mdx"]
    assert documents(root) == documents(write(tmp_path / "again", BOOK))


def test_a_base_url_makes_addresses(tmp_path: Path) -> None:
    root = write(tmp_path, {"01-a/02-b.md": "# B\n\nText.\n"})
    site = FoundSite(site_of({"site": "docusaurus", "base_url": "https://book.org/docs/"}))
    (page,) = read_docusaurus(root, site)
    assert isinstance(page, Document)
    assert page.metadata["url"] == "https://book.org/docs/a/b"


@pytest.mark.shared
@pytest.mark.parametrize(("layout", "count"), [("split-layout", 22), ("full", 28)])
def test_the_real_book_is_read_whole_in_both_layouts(layout: str, count: int) -> None:
    found = documents(shared_path(f"data/textbook/{layout}/frontend/docs"))
    cut: list[Chunk] = [chunk for document in found.values() for chunk in CHUNKERS[document.kind](document)]
    assert len({chunk.document_id for chunk in cut}) == count
    for chunk in cut:
        path = str(chunk.metadata["path"])
        if "chapter" in path:
            assert re.match(r"Chapter \d+: \w", str(chunk.metadata["chapter"]))
    if layout == "split-layout":
        chapters = {str(chunk.metadata["chapter_dir"]): chunk.metadata["chapter"] for chunk in cut}
        assert chapters["03-chapter-3-physical-ai-architecture"] == "Chapter 3: Physical AI Architecture"


@pytest.mark.shared
@pytest.mark.parametrize("layout", ["split-layout", "full"])
def test_every_code_block_of_the_real_book_is_whole_in_one_chunk(layout: str) -> None:
    for document in documents(shared_path(f"data/textbook/{layout}/frontend/docs")).values():
        texts = [chunk.text for chunk in CHUNKERS[document.kind](document)]
        fences = re.findall(r"^```[^`\n]*\n(.*?)^```[ \t]*$", document.text, re.MULTILINE | re.DOTALL)
        assert all(any(body.rstrip("\n") in text for text in texts) for body in fences)

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from build_index.sources import Failure
from build_index.sources.files.documentation import read_textbook
from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.textbook import read_book
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
    return {one.id: one for one in read_book(root) if isinstance(one, Document)}


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
    failures = [one for one in read_book(root) if isinstance(one, Failure)]
    assert sorted(one.path for one in failures) == ["broken.mdx", "bytes.mdx"]
    assert documents(root) == documents(write(tmp_path / "again", BOOK))


def test_a_base_url_makes_addresses(tmp_path: Path) -> None:
    root = write(tmp_path, {"01-a/02-b.md": "# B\n\nText.\n"})
    site = FoundSite(site_of({"site": "docusaurus", "base_url": "https://book.org/docs/"}))
    (page,) = read_book(root, site)
    assert isinstance(page, Document)
    assert page.metadata["url"] == "https://book.org/docs/a/b"


def test_a_book_of_quarto_is_read_with_what_its_chapters_include(tmp_path: Path) -> None:
    pages = {
        "_quarto.yml": "project:\n  type: book\nbook:\n  site-url: https://harbour.example/course/\n",
        "moor.qmd": "# Mooring {#sec-moor}\n\n{{< include _knots.qmd >}}\n\n```{r}\n#| echo: true\ntie()\n```\n",
        "_knots.qmd": "Two bends hold.\n",
    }
    root = write(tmp_path, pages)
    [page] = _read(root)
    assert page.metadata == {
        "chapter": "Mooring",
        "chapter_dir": "",
        "section": "moor",
        "filename": "moor.qmd",
        "path": "moor.qmd",
        "url": "https://harbour.example/course/moor.html",
    }
    [chunk] = CHUNKERS[page.kind](page)
    assert (chunk.text, chunk.metadata["heading"]) == (
        "# Mooring\n\nTwo bends hold.\n\n```r\ntie()\n```",
        "Mooring",
    )


def test_a_book_of_mdbook_shows_the_lines_that_it_includes(tmp_path: Path) -> None:
    pages = {
        "book.toml": "[book]\ntitle = 'Harbour'\n",
        "src/SUMMARY.md": "# Summary\n\n- [Mooring](ch01-moor.md)\n",
        "src/ch01-moor.md": (
            "## Mooring\n\nA line of type Rope<Wet> holds `{`.\n\n"
            "```rust\n{{#rustdoc_include ../listings/pier.rs:knot}}\n```\n"
        ),
        "listings/pier.rs": "// ANCHOR: knot\ntie();\n// ANCHOR_END: knot\nrow();\n",
    }
    root = write(tmp_path, pages)
    [page] = _read(root / "src")
    [chunk] = CHUNKERS[page.kind](page)
    assert chunk.text == "## Mooring\n\nA line of type Rope<Wet> holds `{`.\n\n```rust\ntie();\n```"
    assert [one.metadata["chapter"] for one in (*_read(root), page)] == ["Chapter 1: Mooring"] * 2
    opened = read_textbook({"docs": [root / "src"]}, {}, tmp_path)
    assert {one.name for one in opened.files} == {"book.toml", "SUMMARY.md", "pier.rs"}


def test_files_that_begin_with_the_number_of_their_chapter_belong_to_it(tmp_path: Path) -> None:
    pages = {
        "ch00-00-foreword.md": "# Foreword\n\nHello.\n",
        "ch04-00-sails.md": "# Sails\n\nOf cloth.\n",
        "ch04-01-reefing.md": "# Reefing\n\nTake them in.\n",
        "chapter-10-tides.md": "# Tides\n\nThey turn.\n",
        "ch5.md": "# Chapter 5 - Winds\n\nThey blow.\n",
        "chart.md": "# Charts\n\nOn paper.\n",
        "ch6-untitled.md": "Words alone.\n",
    }
    found = {one.id: one.metadata["chapter"] for one in _read(write(tmp_path, pages))}
    assert found == {
        "ch00-00-foreword.md": "Foreword",
        "ch04-00-sails.md": "Chapter 4: Sails",
        "ch04-01-reefing.md": "Chapter 4: Sails",
        "chapter-10-tides.md": "Chapter 10: Tides",
        "ch5.md": "Chapter 5: Winds",
        "chart.md": "Charts",
        "ch6-untitled.md": "Ch6 untitled",
    }


def test_a_book_of_other_kinds_of_documents_has_chapters_too(tmp_path: Path) -> None:
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    cell = {
        "id": "a",
        "cell_type": "markdown",
        "metadata": {},
        "source": "# Tides\n\nThe moon moves the sea.",
    }
    pages = {
        "02-chapter-2-sails/index.adoc": "= Chapter 2: Sails\n\ninclude::cloth.txt[]\n\n== Jib\n\nIt is small.\n",
        "02-chapter-2-sails/cloth.txt": "Cotton rots.\n",
        "02-chapter-2-sails/reef.rst": "Reefing\n=======\n\nTake sail in.\n",
        "03-chapter-3-tides/moon.ipynb": json.dumps({**notebook, "cells": [cell]}),
    }
    found = {one.id: one for one in _read(write(tmp_path, pages))}
    assert {path: (one.metadata["chapter"], one.metadata["section"]) for path, one in found.items()} == {
        "02-chapter-2-sails/cloth.txt": ("Chapter 2: Sails", "cloth"),
        "02-chapter-2-sails/index.adoc": ("Chapter 2: Sails", "index"),
        "02-chapter-2-sails/reef.rst": ("Chapter 2: Sails", "reef"),
        "03-chapter-3-tides/moon.ipynb": ("Chapter 3: Tides", "moon"),
    }
    cut = {path: "".join(chunk.text for chunk in CHUNKERS[one.kind](one)) for path, one in found.items()}
    assert (
        cut["02-chapter-2-sails/index.adoc"] == "# Chapter 2: Sails\n\nCotton rots.\n\n## Jib\n\nIt is small."
    )
    assert "Take sail in." in cut["02-chapter-2-sails/reef.rst"]
    assert "The moon moves the sea." in cut["03-chapter-3-tides/moon.ipynb"]


def test_a_section_in_a_file_of_its_own_belongs_to_the_chapter_that_includes_it(tmp_path: Path) -> None:
    pages = {
        "harbour.asc": "= Harbour\nA. Author\n:toc:\n\ninclude::ch01-sails.asc[]\n\ninclude::ch02-tides.asc[]\n",
        "ch01-sails.asc": "== Sails\n\ninclude::book/sections/reef.asc[]\n",
        "ch02-tides.asc": "== Tides\n\nThey rise.\n",
        "book/sections/reef.asc": "=== Reefing\n\n" + "Take sail in before the wind asks for it. " * 40,
    }
    found = {one.id: one.metadata["chapter"] for one in _read(write(tmp_path, pages))}
    assert found == {
        "book/sections/reef.asc": "Chapter 1: Sails",
        "ch01-sails.asc": "Chapter 1: Sails",
        "harbour.asc": "Harbour",
    }


def test_a_book_is_read_with_its_translations(tmp_path: Path) -> None:
    for path in ("lamp.md", "oil.md", "de/lamp.md", "de/oil.md"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Lamp\n\nA lamp as {path} has it.", encoding="utf-8")
    read = {one.id for one in read_markdown_tree(tmp_path) if isinstance(one, Document)}
    assert read == {"lamp.md", "oil.md"}
    assert documents(tmp_path).keys() == {*read, "de/lamp.md", "de/oil.md"}


def test_pages_that_a_collection_excludes_are_none_of_its_book(tmp_path: Path) -> None:
    root = write(tmp_path, BOOK)
    opened = read_textbook({"docs": [root]}, {"exclude": ["01-part/", "02-extra/"]}, tmp_path)
    kept = [one.id for one in opened.documents if isinstance(one, Document)]
    assert kept == ["03-plain/one.md", "chapter-07-alone.mdx", "index.md"]


def _read(root: Path) -> list[Document]:
    opened = read_textbook({"docs": [root]}, {}, root)
    return [one for one in opened.documents if isinstance(one, Document)]


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

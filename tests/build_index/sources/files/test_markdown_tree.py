from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from build_index.sources import Failure
from build_index.sources.files.documentation import read_docs
from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.repository import Repository, read_repository
from build_index.sources.files.selection import Excluded
from build_index.sources.files.textbook import read_book
from build_index.sources.site_config import FoundSite
from quire.answering.citations import cite
from quire.answering.extractive.rendering import quoted_part
from quire.chunking import CHUNKERS
from quire.documents import Chunk, Document
from quire.parsing.site_pages import site_of
from tests.support.books import Slide, Styled, make_docx, make_epub, make_pptx, shape
from tests.support.pdfs import make_pdf
from tests.support.shared import shared_path
from tests.support.shelves import hit_of


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


def test_a_name_that_is_no_text_is_left_out_and_counted(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.md": "# A\n\nWords.\n"})
    folder = root / os.fsdecode(b"f\xff")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes no such names")
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    (root / os.fsdecode(b"bad\xff.md")).write_text("# Bad\n", encoding="utf-8")
    (root / os.fsdecode(b"bad\xff.odt")).write_bytes(b"odt")
    (root / "c.textile").write_text("h1. C\n", encoding="utf-8")
    excluded = Excluded()
    opened = read_docs({"docs": [root]}, {"exclude": ["nothing"]}, tmp_path)
    assert [one.id for one in opened.documents if isinstance(one, Document)] == ["a.md"]
    list(read_markdown_tree(root, None, excluded))
    assert excluded.reasons == {"name": 3, ".textile": 1}


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
        ("net.org", "* Networking\n\nThe gateway listens on port 1194.\n"),
        ("net.tex", "\\section{Networking}\n\nThe gateway listens on port 1194.\n"),
    ],
)
def test_other_markup_is_read_by_its_sections_and_keeps_its_lines(
    tmp_path: Path, name: str, text: str
) -> None:
    [document] = read_markdown_tree(write(tmp_path, {name: text}))
    assert isinstance(document, Document)
    assert (document.metadata["section"], document.metadata["filename"]) == ("Networking", name)
    [chunk] = CHUNKERS[document.kind](document)
    shown = (
        text.removesuffix("\n").replace("= Net", "# Net").replace("\\section{Networking}", "## Networking")
    )
    assert chunk.text == shown
    assert (chunk.metadata["heading"], chunk.metadata["start_line"]) == ("Networking", 1)


def test_the_description_of_an_api_is_read_by_its_paths_and_other_settings_are_not(tmp_path: Path) -> None:
    api = (
        "openapi: 3.1.0\ninfo:\n  title: Shop's API\npaths:\n"
        + "".join(
            f"  /{name}/{{id}}:\n    get:\n      summary: {'Show it. ' * 150}\n"
            for name in ("baskets", "orders")
        )
        + "components:\n  schemas:\n    Order:\n      type: object\n"
    )
    pages = {"a.md": "A\n", "api/openapi.yaml": api, "mkdocs.yml": "site_name: Shop\n"}
    [_, document] = read_markdown_tree(write(tmp_path, pages))
    assert isinstance(document, Document)
    assert (document.id, document.metadata["chapter"]) == ("api/openapi.yaml", "Shop's API")
    chunks = list(CHUNKERS[document.kind](document))
    assert [chunk.metadata["heading"] for chunk in chunks][-3:] == [
        "paths./baskets/{id}",
        "paths./orders/{id}",
        "components",
    ]


def test_files_of_other_kinds_are_counted_by_the_ends_of_their_names(tmp_path: Path) -> None:
    pages = {
        "a.md": "A\n",
        "b.odt": "<p>B\n",
        "c/D.DOC": "PK",
        "c/e.doc": "PK",
        "x.css": "x",
        "LICENSE": "x",
        ".f.odt": "no",
        "requirements-dev.txt": "x==1\n",
        "_build/html/a.html": "<p>made of a.md",
        "modules/ROOT/nav.adoc": "* xref:a.adoc[]\n\n.More\n** xref:b.adoc[B]\n",
        "docs/_sidebar.md": "- [A](a.md)\n  - [B](b.md)\n",
    }
    excluded = Excluded()
    assert len(list(read_markdown_tree(write(tmp_path, pages), excluded=excluded))) == 1
    assert excluded.reasons == {".odt": 1, ".doc": 2, ".css": 1, "type": 1, "settings": 1, "built": 3}
    excluded = Excluded()
    (tmp_path / "g.rst").write_text("G\n", encoding="utf-8")
    assert [one.id for one in read_book(tmp_path, excluded=excluded) if isinstance(one, Document)] == [
        "a.md",
        "g.rst",
    ]
    assert excluded.reasons == {".odt": 1, ".doc": 2, ".css": 1, "type": 1, "settings": 1, "built": 3}


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


NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}},
    "cells": [
        {"id": "a", "cell_type": "markdown", "metadata": {}, "source": "# Tides\n\nThe moon moves the sea."},
        {
            "id": "b",
            "cell_type": "code",
            "metadata": {},
            "execution_count": 1,
            "source": "height = 3\nprint(height)",
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "3\n"}],
        },
        {"id": "c", "cell_type": "markdown", "metadata": {}, "source": "## Neap\n\n" + "Low range. " * 120},
    ],
}


def cut(root: Path) -> dict[str, list[Chunk]]:
    found = list(read_markdown_tree(root))
    assert [one for one in found if isinstance(one, Failure)] == []
    return {one.id: list(CHUNKERS[one.kind](one)) for one in found if isinstance(one, Document)}


def test_pages_of_a_pdf_are_its_places(tmp_path: Path) -> None:
    pages = [
        "Mooring\nTie two lines.",
        "\n".join(f"Line {n} holds the boat in the tide." for n in range(40)),
        "Anchors",
    ]
    (tmp_path / "harbour.pdf").write_bytes(make_pdf(pages))
    site = FoundSite(site_of({"base_url": "https://host/files"}))
    [document] = read_markdown_tree(tmp_path, site)
    assert isinstance(document, Document)
    chunks = list(CHUNKERS[document.kind](document))
    places = [pages_of(one) for one in chunks]
    assert (places[0][0], places[-1][1]) == (1, 3)
    assert all(first <= last for first, last in places)
    assert not any("start_line" in one.metadata for one in chunks)
    assert chunks[0].metadata["url"] == "https://host/files/harbour.pdf#page=1"
    for word in ("Mooring", "Line 7 ", "Line 33 ", "Anchors"):
        page = next(number for number, text in enumerate(pages, 1) if word in text)
        held = [pages_of(one) for one in chunks if word in one.text]
        assert held
        assert all(first <= page <= last for first, last in held)


def test_a_quote_is_cited_by_its_own_page_of_a_chunk_that_stands_on_several(tmp_path: Path) -> None:
    pages = [
        "Mooring\nTie two lines to the quay.",
        "Anchors\nDrop the anchor at slack water.",
        "Oars\nDry them.",
    ]
    (tmp_path / "harbour.pdf").write_bytes(make_pdf(pages))
    [document] = read_markdown_tree(tmp_path, FoundSite(site_of({"base_url": "https://host/files"})))
    assert isinstance(document, Document)
    [chunk] = CHUNKERS[document.kind](document)
    assert pages_of(chunk) == (1, 3)
    for page, words in enumerate(("Tie two lines", "Drop the anchor", "Dry them"), 1):
        at = chunk.text.index(words)
        part = quoted_part(cite(1, hit_of(chunk), at, at + len(words)))
        assert pages_of(part) == (page, page)
        assert part.metadata["url"] == f"https://host/files/harbour.pdf#page={page}"
        assert "part_map" not in part.metadata
    whole = quoted_part(cite(1, hit_of(chunk), chunk.text.index("Drop"), len(chunk.text)))
    assert pages_of(whole) == (2, 3)


def pages_of(chunk: Chunk) -> tuple[int, int]:
    first, last = chunk.metadata["page"], chunk.metadata["end_page"]
    assert isinstance(first, int)
    assert isinstance(last, int)
    return first, last


def test_cells_of_a_notebook_are_its_places(tmp_path: Path) -> None:
    [chunks] = cut(write(tmp_path, {"tides.ipynb": json.dumps(NOTEBOOK)})).values()
    text = "\n".join(one.text for one in chunks)
    assert "```python\nheight = 3\nprint(height)\n```" in text
    assert "```text\n3\n```" in text
    assert (chunks[0].metadata["chapter"], chunks[0].metadata["cell"]) == ("Tides", 1)
    assert {one.metadata["heading"]: one.metadata["cell"] for one in chunks}["Neap"] == 3


def test_html_is_read_by_its_headings_without_menus(tmp_path: Path) -> None:
    page = """<!doctype html><title>Knots - Harbour</title><nav>Menu</nav><main><h1>Knots</h1><p>Rope is <b>wet</b>.</p>
    <section id="bowline"><h2>Bowline\u00b6</h2>
    <ul><li>Make a loop<li>Pull</ul><pre>tie()\n  now()</pre></section></main>
    <script>steal()</script><footer>Imprint</footer>"""
    site = FoundSite(site_of({"base_url": "https://host"}))
    [document] = read_markdown_tree(write(tmp_path, {"knots.html": page}), site)
    assert isinstance(document, Document)
    [chunk] = CHUNKERS[document.kind](document)
    assert chunk.text == (
        "# Knots\n\nRope is wet.\n\n## Bowline\n\n- Make a loop\n- Pull\n\n```\ntie()\n  now()\n```"
    )
    assert (chunk.metadata["chapter"], chunk.metadata["anchors"]) == ("Knots", ("", "bowline"))


def test_plain_text_keeps_its_lines(tmp_path: Path) -> None:
    [[chunk]] = cut(write(tmp_path, {"log.txt": "\nOne.\n\nTwo.\n"})).values()
    assert (chunk.text, chunk.metadata["start_line"], chunk.metadata["end_line"]) == ("One.\n\nTwo.", 2, 4)


def test_books_and_documents_of_word_are_cut_by_their_headings(tmp_path: Path) -> None:
    lesson = "A sheet bend joins two ropes of unlike size. " * 12
    (tmp_path / "ropes.epub").write_bytes(make_epub("Ropes", [f"<h1>Bends</h1><p>{lesson}</p>"]))
    (tmp_path / "safety.docx").write_bytes(
        make_docx([Styled("Boats", "heading 1"), Styled(lesson.replace("sheet bend", "boat"))])
    )
    book, word = (one for one in read_markdown_tree(tmp_path) if isinstance(one, Document))
    assert (book.metadata["chapter"], word.metadata["chapter"]) == ("Ropes", "safety")
    chunks = [next(iter(CHUNKERS[one.kind](one))) for one in (book, word)]
    assert [one.breadcrumb for one in chunks] == ["Ropes › Bends", "Safety › Boats"]
    assert [one.metadata["heading"] for one in chunks] == ["Bends", "Boats"]


def test_chunks_of_a_presentation_name_their_slides(tmp_path: Path) -> None:
    lesson = "A sheet bend joins two ropes of unlike size. " * 12
    slides = [
        Slide([shape(title, placeholder="title"), shape(lesson.replace("sheet bend", title))])
        for title in ("Ropes", "Bends", "Hitches")
    ]
    (tmp_path / "ropes.pptx").write_bytes(make_pptx(slides))
    [deck] = (one for one in read_markdown_tree(tmp_path) if isinstance(one, Document))
    assert (deck.kind, deck.metadata["chapter"]) == ("slides", "Ropes")
    chunks = list(CHUNKERS[deck.kind](deck))
    assert [
        (one.metadata["heading"], one.metadata["slide"], one.metadata["end_slide"]) for one in chunks
    ] == [
        ("Ropes", 1, 2),
        ("Hitches", 3, 3),
    ]


def test_a_pdf_of_pictures_is_left_out_and_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logo.pdf").write_bytes(make_pdf(["", " "]))
    excluded = Excluded()
    assert list(read_markdown_tree(tmp_path, excluded=excluded)) == []
    assert excluded.reasons == {"no text": 1}
    assert "logo.pdf: the PDF holds no text; a scan needs recognising first: left out" in "".join(
        capfd.readouterr()
    )


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.pdf", b"%PDF-1.4\nbroken", "the PDF cannot be read"),
        ("c.ipynb", b"{}", "not a notebook"),
        ("d.ipynb", b"no json", "not a notebook"),
    ],
)
def test_a_damaged_file_is_a_failure_and_the_rest_is_read(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "z.md").write_text("# Z\n", encoding="utf-8")
    failed, page = read_markdown_tree(tmp_path)
    assert isinstance(failed, Failure)
    assert message in failed.reason
    assert isinstance(page, Document)


def test_bytes_under_the_name_of_a_page_are_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "row.md").write_text("# Row\n\nOn.\n", encoding="utf-8")
    (tmp_path / "data.md").write_bytes(b"\0\1\2" * 100)
    excluded = Excluded()
    [page] = read_markdown_tree(tmp_path, excluded=excluded)
    assert isinstance(page, Document)
    assert (page.id, excluded.paths["binary"]) == ("row.md", ["data.md"])


def test_pages_of_a_pdf_without_a_word_are_told_beside_those_that_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "half.pdf").write_bytes(make_pdf(["Mooring\nTie two lines.", "", "Anchors\nDrop one."]))
    (tmp_path / "cover.pdf").write_bytes(
        make_pdf(["", *[f"{word}s\nTie the {word} to a ring." for word in WORDS]])
    )
    told = "half.pdf: page 2 of 3 holds no text; a scan needs recognising first\n"
    assert len(list(read_markdown_tree(tmp_path))) == 2
    assert capsys.readouterr().err == told
    assert len(list(read_repository(Repository(tmp_path, "quay")))) == 2
    assert capsys.readouterr().err == told


WORDS = "boat lamp rope oar sail mast keel net lid".split()

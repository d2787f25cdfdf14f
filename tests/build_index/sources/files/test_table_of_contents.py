from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources.files.table_of_contents import contents_file
from build_index.sources.files.textbook import read_book
from quire.documents import Document
from quire.errors import SourceError

MDBOOK = {
    "book.toml": "[book]\ntitle = 'Boats'\n",
    "src/SUMMARY.md": (
        "# Summary\n\n[Foreword](foreword.md)\n\n- [Oars](oars.md)\n  - [Blades](blades.md)\n- [Not yet]()\n\n"
        "# Under sail\n\n* [Sails](sails/index.md#top)\n\n-----------\n\n[Sources](sources.md)\n"
    ),
    "src/foreword.md": "# Before\n\nHello.\n",
    "src/oars.md": "# Of oars\n\nRow.\n",
    "src/blades.md": "# Blades\n\nWide.\n",
    "src/sails/index.md": "# Sails\n\nWhite.\n",
    "src/sources.md": "# Sources\n\nBooks.\n",
}
QUARTO = {
    "_quarto.yml": (
        "project:\n  type: book\nbook:\n  chapters:\n    - index.qmd\n    - intro.qmd\n    - part: rowing.qmd\n"
        "      chapters:\n        - oars.qmd\n        - text: Sails, briefly\n          file: sails.qmd\n"
        "    - part: Rest\n      chapters: [moor.qmd]\n  appendices: [words.qmd]\n"
    ),
    "index.qmd": "# Boats\n\nWelcome.\n",
    "intro.qmd": "# Introduction {#sec-intro .unnumbered}\n\nHello.\n",
    "rowing.qmd": "# Rowing {#sec-rowing}\n\nA part.\n",
    "oars.qmd": "# Oars\n\nRow.\n\n## Blades {-}\n\nWide.\n",
    "sails.qmd": "# Sails\n\nWhite.\n",
    "moor.qmd": "# Mooring {-}\n\nTie.\n",
    "words.qmd": "# Words\n\nBow.\n",
}
JUPYTER_BOOK = {
    "_toc.yml": (
        "format: jb-book\nroot: intro\nparts:\n  - caption: Rowing\n    numbered: true\n    chapters:\n"
        "      - file: oars\n        sections:\n          - file: blades\n            sections: [{file: tips}]\n"
        "  - caption: Rest\n    chapters: [{file: moor, title: At rest}]\n"
    ),
    "intro.md": "# Boats\n\nWelcome.\n",
    "oars.md": "# Oars\n\nRow.\n",
    "blades.md": "# Blades\n\nWide.\n",
    "tips.md": "# Tips\n\nThin.\n",
    "moor.md": "# Mooring\n\nTie.\n",
}
MYST = {
    "myst.yml": (
        "version: 1\nproject:\n  numbering:\n    title: true\n  toc:\n    - file: intro.md\n    - file: 01/oars.md\n"
        "      children:\n        - file: 01/2/blades.md\n    - title: At rest\n      children: [{file: 02/moor.md}]\n"
    ),
    "intro.md": "# Boats\n\nWelcome.\n",
    "01/oars.md": "Oars\n====\n\nRow.\n",
    "01/2/blades.md": "# Blades\n\nWide.\n",
    "02/moor.md": "# Mooring\n\nTie.\n",
    "03/unlisted.md": "# Unlisted\n\nNobody's.\n",
}


def write(root: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def chapters(root: Path) -> dict[str, object]:
    return {one.id: one.metadata["chapter"] for one in read_book(root) if isinstance(one, Document)}


@pytest.mark.parametrize(
    ("pages", "below", "wanted"),
    [
        (
            MDBOOK,
            "src",
            {
                "foreword.md": "Foreword",
                "oars.md": "Chapter 1: Oars",
                "blades.md": "Chapter 1: Oars",
                "sails/index.md": "Chapter 3: Sails",
                "sources.md": "Sources",
            },
        ),
        (
            QUARTO,
            "",
            {
                "index.qmd": "Boats",
                "intro.qmd": "Introduction",
                "rowing.qmd": "Rowing",
                "oars.qmd": "Chapter 1: Oars",
                "sails.qmd": "Chapter 2: Sails, briefly",
                "moor.qmd": "Mooring",
                "words.qmd": "Words",
            },
        ),
        (
            JUPYTER_BOOK,
            "",
            {
                "intro.md": "Boats",
                "oars.md": "Chapter 1: Oars",
                "blades.md": "Chapter 1: Oars",
                "tips.md": "Chapter 1: Oars",
                "moor.md": "At rest",
            },
        ),
        (
            MYST,
            "",
            {
                "intro.md": "Boats",
                "01/oars.md": "Chapter 1: Oars",
                "01/2/blades.md": "Chapter 1: Oars",
                "02/moor.md": "Chapter 2: At rest",
                "03/unlisted.md": "03",
            },
        ),
    ],
    ids=["mdbook", "quarto", "jupyter-book", "myst"],
)
def test_a_page_belongs_to_the_chapter_that_the_contents_list_it_in(
    pages: dict[str, str], below: str, wanted: dict[str, str], tmp_path: Path
) -> None:
    assert chapters(write(tmp_path, pages) / below) == wanted


def test_a_part_of_a_book_keeps_the_numbers_of_the_whole(tmp_path: Path) -> None:
    assert chapters(write(tmp_path, MYST) / "02") == {"moor.md": "Chapter 2: At rest"}


def test_chapters_of_a_book_without_numbers_have_none(tmp_path: Path) -> None:
    settings = QUARTO["_quarto.yml"] + "format:\n  html:\n    number-sections: false\n"
    assert chapters(write(tmp_path, {**QUARTO, "_quarto.yml": settings}))["oars.qmd"] == "Oars"


def test_lists_of_pages_that_are_no_book_are_not_read(tmp_path: Path) -> None:
    site = {"_quarto.yml": "project:\n  type: website\n", "SUMMARY.md": "* [Oars](oars.md)\n"}
    assert contents_file(write(tmp_path, site)) is None


def test_contents_that_are_malformed_are_named(tmp_path: Path) -> None:
    write(tmp_path, {**JUPYTER_BOOK, "_toc.yml": "parts:\n  - caption: [\n"})
    with pytest.raises(SourceError, match=r"_toc\.yml"):
        chapters(tmp_path)
    (tmp_path / "_toc.yml").write_text("parts: 3\n")
    with pytest.raises(SourceError, match=r"_toc\.yml: cannot be read"):
        chapters(tmp_path)

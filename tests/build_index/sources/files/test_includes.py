from __future__ import annotations

from pathlib import Path

import pytest

from build_index.pipeline.reading import open_reading
from build_index.sources.files.includes import select_lines
from build_index.sources.files.markdown_tree import files_outside, read_markdown_tree
from build_index.sources.files.selection import Excluded
from build_index.sources.site_config import FoundSite, find_site
from quire.chunking import CHUNKERS
from quire.documents import Chunk, Document
from quire.errors import SourceError
from tests.support.doc_sites import write_site

PIER = "pub fn moor(lines: u8) {\n    // ANCHOR: knot\n    tie(lines);\n    // ANCHOR_END: knot\n}\n"


def documents(root: Path) -> list[Document]:
    found = read_markdown_tree(root, find_site(root) or FoundSite())
    return [one for one in found if isinstance(one, Document)]


def chunks(document: Document) -> list[Chunk]:
    return list(CHUNKERS[document.kind](document))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return write_site(
        tmp_path,
        {
            "book.toml": "[book]\ntitle = 'Harbour'\n[output.html]\nsite-url = '/harbour/'\n",
            "src/SUMMARY.md": "# Summary\n\n- [Mooring](moor.md)\n",
            "src/README.md": "# Harbour\n\nStart here.\n",
            "src/moor.md": (
                "## Mooring\n\nBefore.\n\n```rust\n{{#rustdoc_include ../listings/pier.rs:knot}}\n```\n\n"
                "Whole:\n\n```rust\n{{#include ../listings/pier.rs}}\n```\n\nAfter.\n"
            ),
            "listings/pier.rs": PIER,
        },
    )


def test_a_book_shows_the_lines_that_its_page_includes(book: Path) -> None:
    readme, page = documents(book / "src")
    [chunk] = chunks(page)
    assert "```rust\n    tie(lines);\n```" in chunk.text
    assert "```rust\npub fn moor(lines: u8) {\n    tie(lines);\n}\n```" in chunk.text
    assert "ANCHOR" not in chunk.text
    assert (readme.metadata["url"], page.metadata["url"]) == ("/harbour/index.html", "/harbour/moor.html")


def test_what_is_included_stands_on_the_line_that_includes_it(book: Path) -> None:
    page = documents(book / "src")[1]
    text = page.text.replace("After.", "After. " + "Long words follow here. " * 60)
    last = chunks(page._replace(text=text))[-1]
    lines = text.split("\n")
    assert "After." in lines[int(str(last.metadata["end_line"])) - 1]


def test_a_page_whose_only_headings_are_lower_ones_is_called_by_the_one_it_opens_with(book: Path) -> None:
    page = documents(book / "src")[1]
    assert page.metadata["chapter"] == "Mooring"
    assert chunks(page)[0].breadcrumb == "Mooring"


def test_nothing_outside_the_project_is_included(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "outside.txt": "the vault opens at nine",
            "project/book.toml": "[book]\ntitle = 'x'\n",
            "project/src/a.md": "# A\n\n{{#include ../../outside.txt}}\n\n{{#include /etc/hostname}}\n",
            "project/src/b.rst": "B\n=\n\n.. include:: ../../outside.txt\n\nText.\n",
            "project/src/c.md": "# C\n\n{{#include ../.env}}\n",
            "project/.env": "PASSWORD=hunter2\n",
        },
    )
    (root / "project/src/linked.rs").symlink_to(root / "outside.txt")
    (root / "project/src/d.md").write_text("# D\n\n{{#include linked.rs}}\n")
    found = documents(root / "project/src")
    assert [one.id for one in found] == ["a.md", "b.rst", "c.md", "d.md"]
    assert not any("vault" in text or "hunter2" in text for one in found for text in one.includes.values())


def test_files_that_mkdocs_plugins_include_stand_in_their_page(tmp_path: Path) -> None:
    write_site(
        tmp_path,
        {
            ".git/HEAD": "",
            "docs/mkdocs.yml": "site_name: Harbour\n",
            "docs/docs/moor.md": (
                "# Moor\n\nBefore.\n\n{* ../code/pier.rs ln[1:3] hl[2] *}\n\n```rust\n{!> ../code/pier.rs!}\n```\n"
            ),
            "code/pier.rs": PIER,
        },
    )
    (page,) = documents(tmp_path / "docs/docs")
    chosen, whole = PIER.replace("    // ANCHOR: knot\n", "").split("    // ANCHOR_END")[0], "}\n```"
    (chunk,) = chunks(page)
    assert chunk.text.startswith(f"# Moor\n\nBefore.\n\n```rs\n{chosen}```")
    assert chunk.text.endswith(f"```rust\n{chosen}{whole}")


def test_what_a_page_of_asciidoc_includes_stands_in_it(tmp_path: Path) -> None:
    pages = {
        "modules/sea/pages/moor.adoc": (
            "= Moor\n\ninclude::partial$knots.adoc[leveloffset=+1]\n\n"
            "----\ninclude::air:example$pier.rs[tags=tie;end]\n----\n"
            "\ninclude::../notes.adoc[lines=1..1]\n\ninclude::air:partial$none.adoc[]\n"
        ),
        "modules/sea/partials/knots.adoc": "= Knots\n\nTwo of them.\n",
        "modules/sea/notes.adoc": "First note.\n\nSecond note.\n",
        "modules/air/examples/pier.rs": (
            "// tag::tie[]\ntie();\n// end::tie[]\nrow();\n// tag::end[]\nend();\n// end::end[]\n"
        ),
    }
    (page,) = documents(write_site(tmp_path, pages))
    (chunk,) = chunks(page)
    assert chunk.text == ("# Moor\n\n## Knots\n\nTwo of them.\n\n```\ntie();\nend();\n```\n\nFirst note.")


def test_a_path_of_asciidoc_may_begin_with_an_attribute_of_the_page(tmp_path: Path) -> None:
    pages = {
        "moor.adoc": "= Moor\n:code: src\n\n----\ninclude::{code}/pier.rs[]\n----\n\n"
        "----\ninclude::{far}/pier.rs[]\n----\n",
        "src/pier.rs": "tie();\n",
    }
    (page,) = documents(write_site(tmp_path, pages))
    (chunk,) = chunks(page)
    assert chunk.text == "# Moor\n\n```\ntie();\n```\n\n```\n{far}/pier.rs\n```"


def test_a_long_section_of_asciidoc_in_a_file_of_its_own_is_cited_by_its_lines(tmp_path: Path) -> None:
    rope = "[[rope]]\n// How to keep it.\n== Rope\n\n" + "Hemp rots where it stays wet. " * 60
    pages = {
        "book.asc": "= Harbour\n:toc:\n\ninclude::part/moor.asc[]\n",
        "part/moor.asc": (
            "= Moor\n\nBefore.\n\ninclude::rope.asc[leveloffset=+1]\n\ninclude::short.asc[]\n\n"
            "include::tagged.asc[tag=tie]\n\ninclude::.hidden/oil.asc[]\n"
        ),
        "part/rope.asc": rope,
        "part/tagged.asc": f"== Knots\n\n// tag::tie[]\nTie it twice.\n// end::tie[]\n\n{'It slips. ' * 200}\n",
        "part/.hidden/oil.asc": f"== Oil\n\n{'It drips. ' * 200}\n",
        "part/short.asc": "== Short\n\nTwo words.\n",
        "release.tar.asc": "-----BEGIN PGP SIGNATURE-----\n\niQIzBAAB\n-----END PGP SIGNATURE-----\n",
    }
    excluded = Excluded()
    found = read_markdown_tree(write_site(tmp_path, pages), None, excluded)
    cut = {one.id: chunks(one) for one in found if isinstance(one, Document)}
    assert {path: any("Hemp" in one.text for one in parts) for path, parts in cut.items()} == {
        "book.asc": False,
        "part/moor.asc": False,
        "part/rope.asc": True,
        "part/tagged.asc": False,
    }
    assert cut["part/rope.asc"][0].metadata["start_line"] == 3
    moor = "\n\n".join(one.text for one in cut["part/moor.asc"])
    assert moor.startswith(
        "# Moor\n\nBefore.\n\n## Short\n\nTwo words.\n\nTie it twice.\n\n## Oil\n\nIt drips."
    )
    assert "It slips." not in moor
    assert excluded.reasons == {"included": 1, "signature": 1}


def test_what_a_page_of_quarto_includes_stands_in_it(tmp_path: Path) -> None:
    pages = {
        "_quarto.yml": "project:\n  type: book\nbook:\n  site-url: https://harbour.example/course/\n",
        "moor.qmd": "# Moor {.x}\n\n{{< include _knots.qmd >}}\n\n{{< include none.qmd >}}\n",
        "_knots.qmd": "Two of @sec-bends.\n\n```{r}\n#| eval: false\ntie()\n```\n",
    }
    (page,) = documents(write_site(tmp_path, pages))
    (chunk,) = chunks(page)
    assert chunk.text == "# Moor\n\nTwo of “bends”.\n\n```r\ntie()\n```"
    assert page.metadata["url"] == "https://harbour.example/course/moor.html"


def test_what_a_page_of_quarto_includes_stands_in_it_without_its_site_too(tmp_path: Path) -> None:
    pages = {"moor.qmd": "# Moor\n\n{{< include _knots.qmd >}}\n", "_knots.qmd": "Two bends.\n"}
    (page,) = documents(write_site(tmp_path, pages))
    assert [chunk.text for chunk in chunks(page)] == ["# Moor\n\nTwo bends."]


def test_snippets_of_mkdocs_stand_in_their_page(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "mkdocs.yml": "site_name: Harbour\n",
            "docs/index.md": '# Tides\n\n```py\n--8<-- "examples/tide.py:main"\n```\n\n--8<-- "shared/note.md"\n',
            "examples/tide.py": "import x\n# --8<-- [start:main]\nx.tide()\n# --8<-- [end:main]\n",
            "shared/note.md": "Tides **turn** twice.\n",
        },
    )
    [page] = documents(root / "docs")
    [chunk] = chunks(page)
    assert "```py\nx.tide()\n```" in chunk.text
    assert "Tides turn twice." in chunk.text


def test_code_and_pages_of_vitepress_stand_in_their_page(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            ".vitepress/config.ts": "export default { title: 'Harbour' }\n",
            "guide.md": "# Guide\n\n<<< @/parts/dock.ts#open{1}\n\n<!--@include: ./parts/note.md{2,2}-->\n",
            "parts/dock.ts": "// #region open\nopenDock()\n// #endregion open\nclose()\n",
            "parts/note.md": "First.\nSecond line.\n",
        },
    )
    page = next(one for one in documents(root) if one.id == "guide.md")
    [chunk] = chunks(page)
    assert "```ts\nopenDock()\n```" in chunk.text
    assert "Second line." in chunk.text
    assert "First." not in chunk.text


def test_what_pages_of_sphinx_include_is_read_at_their_address_and_its_lines_are_its_own(
    tmp_path: Path,
) -> None:
    root = write_site(
        tmp_path,
        {
            "docs/conf.py": "project = 'harbour'\nextensions = []\n",
            "docs/about.rst": "About\n=====\n\n.. include:: usage/options.rst.inc\n",
            "docs/usage/dock.rst": (
                "Dock\n====\n\n.. include:: options.rst.inc\n\n.. literalinclude:: /../examples/dock.py\n\n"
                ".. include:: other.rst\n"
            ),
            "docs/usage/options.rst.inc": "Options\n-------\n\n``--lines N``\n    how many lines to tie\n",
            "docs/usage/other.rst": "Other\n=====\n\nText.\n",
            "examples/dock.py": "def dock(lines):\n    return tie(lines)\n",
            ".git/HEAD": "ref: refs/heads/main\n",
        },
    )
    found = {one.id: one for one in documents(root / "docs")}
    options, example = found["usage/options.rst.inc"], found["../examples/dock.py"]
    assert (options.metadata["url"], options.metadata["chapter"]) == ("/usage/dock.html", "Dock")
    assert (options.metadata["lang"], example.metadata["lang"]) == ("rst", "python")
    assert len(found) == 5
    [chunk] = chunks(options)
    assert (chunk.metadata["start_line"], chunk.metadata["end_line"]) == (1, 5)
    assert "def dock" in chunks(example)[0].text


def test_a_build_says_which_files_outside_its_pages_hang_on(tmp_path: Path, book: Path) -> None:
    assert set(files_outside(book / "src", find_site(book / "src") or FoundSite())) == {
        book / "listings/pier.rs"
    }
    reading = open_reading("docs", [("docs", str(book / "src"))], tmp_path / ".cache", {})
    assert reading.files == (book / "book.toml", book / "listings/pier.rs")


def test_files_that_include_each_other_end(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "a.md": "# A\n\n{{#include b.md}}\n",
            "b.md": "# B\n\n{{#include a.md}}\n",
            "c.rst": "C\n=\n\n.. include:: d.inc\n",
            "d.inc": ".. include:: d.inc\n\nText.\n",
        },
    )
    assert [one.id for one in documents(root)] == ["a.md", "b.md", "c.rst", "d.inc"]


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ("", "a\nb\nc\nd\ne"),
        ("3", "b"),
        ("3:5", "b\nc"),
        ("7:", "d\ne"),
        (":3", "a\nb"),
        ("3,5", "b\nc"),
        ("1:1,7:9", "a\nd\ne"),
        ("90:120", ""),
        ("inner", "c"),
        ("outer", "b\nc\nd"),
        ("nobody", ""),
    ],
)
def test_parts_are_chosen_by_lines_and_by_names(chosen: str, shown: str) -> None:
    marked = "a\n# region outer\nb\n# region inner\nc\n# endregion inner\nd\n# endregion outer\ne\n"
    assert select_lines(marked, chosen) == shown


def test_a_partial_of_docusaurus_is_at_the_address_of_the_page_that_imports_it(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "docusaurus.config.js": "module.exports = { url: 'https://harbour.example', baseUrl: '/', presets: [] };\n",
            "docs/boats/mooring.mdx": (
                "---\ntitle: Mooring\n---\n\nimport Knots from './_knots.mdx';\n"
                "import Ropes from '@site/docs/_ropes.md';\n\n<Knots />\n\n<Ropes />\n"
            ),
            "docs/boats/_knots.mdx": "## Knots\n\nTie a bowline.\n",
            "docs/_ropes.md": "## Ropes\n\nUse hemp.\n",
            "docs/_alone.md": "Nobody imports it.\n",
        },
    )
    found = {one.id: one.metadata["url"] for one in documents(root / "docs")}
    assert found == {
        "_alone.md": "",
        "_ropes.md": "https://harbour.example/docs/boats/mooring",
        "boats/_knots.mdx": "https://harbour.example/docs/boats/mooring",
        "boats/mooring.mdx": "https://harbour.example/docs/boats/mooring",
    }


def test_includes_that_multiply_end_soon_and_small(tmp_path: Path) -> None:
    many = "{{#include next.md}}\n"
    names = [f"x{n}" for n in range(12)]
    pages = {
        f"{name}.md": "# A\n\n" + many.replace("next", f"x{n + 1}") * 1000 for n, name in enumerate(names)
    }
    root = write_site(tmp_path, {**pages, "x12.md": "word " * 1000})
    for page in documents(root):
        assert sum(map(len, page.includes.values())) < 10_000_000


def test_a_page_that_includes_more_than_a_page_holds_is_refused(tmp_path: Path) -> None:
    root = write_site(
        tmp_path, {"a.md": "# A\n\n" + "{{#include b.txt}}\n" * 100, "b.txt": "words " * 100_000}
    )
    page = documents(root)[0]
    with pytest.raises(SourceError, match=r"a\.md:16: includes more than 8,000,000 characters"):
        chunks(page)


def test_a_line_whose_file_cannot_be_read_stays(tmp_path: Path) -> None:
    lines = "{{#include drawn.png}}\n\n{{#include a.rs:nobody}}\n\n{{#include missing.rs}}\n"
    root = write_site(tmp_path, {"a.md": f"# A\n\n{lines}", "a.rs": "fn a() {}\n"})
    (root / "drawn.png").write_bytes(b"\x89PNG\xff\xfe")
    [chunk] = chunks(documents(root)[0])
    assert [chunk.text.count(name) for name in ("drawn.png", "a.rs:nobody", "missing.rs")] == [1, 1, 1]

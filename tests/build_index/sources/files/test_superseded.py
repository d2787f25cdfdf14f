from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.repository import Repository, read_repository
from build_index.sources.files.selection import Excluded
from build_index.sources.files.superseded import superseded_pages
from quire.documents import Document
from tests.support.doc_sites import write_site


@pytest.mark.parametrize(
    ("paths", "left_out"),
    [
        # the same pages below a language's folder, whatever stands above
        (["d/a.md", "d/b/c.md", "d/pt/a.md", "d/pt/b/c.md", "d/pt/d.md"], ["d/pt/a.md", "d/pt/b/c.md", "d/pt/d.md"]),
        # a folder of English pages beside it, whatever the pages are called
        (["en/oars.md", "de/ruder.md", "fr/rames.md", "news.md"], ["de/ruder.md", "fr/rames.md"]),
        # a department, a country's own documentation, a language alone
        (["index.md", "it/index.md", "it/racks.md", "it/desks.md"], []),
        (["de/a.md", "de/b.md"], []),
        (["boat.md", "boat.id.md", "boat_is.md", "boat.id_ID.md"], ["boat.id_ID.md"]),  # members of a boat
        (["sail.md", "sail_ro.md", "sail_lt.md", "sail_de.md"], ["sail_de.md"]),  # read only; less than
        (["a.md", "oars.de.md", "oars.md", "oars-it.md", "oars-pt-BR.md"], ["oars-pt-BR.md", "oars.de.md"]),
        (["v/version-9.1/a.md", "v/version-10.0/a.md", "v/version-10.0/b.md"], ["v/version-9.1/a.md"]),
        (  # versions that are kept apart from the newer ones
            ["s/versioned_docs/version-10.x/a.md", "s/versioned_docs_archived/version-9.x/a.md"],
            ["s/versioned_docs_archived/version-9.x/a.md"],
        ),
        (["w/version-1.0/a.md", "api/v1/a.md", "api/v2/a.md"], []),
        (["docs/v1.9/a.md", "docs/v1.10/a.md", "docs/dev/a.md"], ["docs/v1.9/a.md"]),
        (["docs/1.x/a.rst", "docs/1.x/b.rst", "docs/2.x/a.rst"], ["docs/1.x/a.rst", "docs/1.x/b.rst"]),
        (["docs/1.0/a.md", "docs/1.0/b.md", "docs/1.0/c.md", "docs/1.1/a.md"], []),  # few are there again
        (["docs/releases/1.0/a.md", "docs/releases/1.1/a.md"], []),  # what is new in each
        (["images/1.0/README.md", "images/1.1/README.md"], []),
        ([f"{n}/{page}.md" for n in ("2.0", "2.1") for page in "abc"], ["2.0/a.md", "2.0/b.md", "2.0/c.md"]),
    ],
)  # fmt: skip
def test_pages_that_others_stand_for_are_found(paths: list[str], left_out: list[str]) -> None:
    assert sorted(superseded_pages(paths)) == left_out


def test_older_versions_of_documentation_are_known_whatever_their_format(tmp_path: Path) -> None:
    for version in ("v1.6", "v1.10", "dev"):
        for path in (
            f"docs/manual/{version}/manual.yml",
            f"docs/man/{version}/oar.1",
            f"api/{version}/oars.yml",
        ):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(
                f"title: Oars of {version}\nbody: Row with them.\n", encoding="utf-8"
            )
    excluded = Excluded()
    list(read_repository(Repository(tmp_path, "boats"), None, excluded))
    assert excluded.paths == {"older version": ["docs/man/v1.6/oar.1", "docs/manual/v1.6/manual.yml"]}


def test_what_is_left_out_is_told_and_can_be_a_source_of_its_own(tmp_path: Path) -> None:
    pages = {
        f"docs/{folder}{name}.md": f"# {name}\n\n{folder} text of {name}.\n"
        for folder in ("", "de/")
        for name in "ab"
    }
    root = write_site(tmp_path, pages | {"docs/versioned_docs/version-1.0/a.md": "# Old\n\nOld.\n"})
    write_site(tmp_path, {"docs/versioned_docs/version-2.0/a.md": "# New\n\nNew.\n"})
    excluded = Excluded()
    found = [one.id for one in read_markdown_tree(root / "docs", None, excluded) if isinstance(one, Document)]
    assert found == ["a.md", "b.md", "versioned_docs/version-2.0/a.md"]
    assert dict(excluded.reasons) == {"translation": 2, "older version": 1}
    assert [one.id for one in read_markdown_tree(root / "docs/de") if isinstance(one, Document)] == [
        "a.md",
        "b.md",
    ]

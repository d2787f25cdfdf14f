from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources import Failure
from build_index.sources.files.built_pages import built_pages
from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.repository import open_repository, read_repository
from build_index.sources.files.selection import Excluded, Selection

OARS = "Oars of ash weigh little and bend before they break; feather them against the wind.\n"
ROPES = "Tie every rope twice around its cleat, then coil what remains beside the mast.\n"


def page(title: str, said: str) -> str:
    return f"<!doctype html>\n<html><head><title>{title}</title></head>\n<body><h1>{title}</h1><p>{said}</p></body>\n"


SITE = {"guide/oars.md": f"# Oars\n\n{OARS}", "guide/ropes.md": f"# Ropes\n\n{ROPES}"}


def built(files: dict[str, str]) -> list[str]:
    return sorted(built_pages(sorted(files), lambda path: files[path]))


@pytest.mark.parametrize(
    ("folder", "sources", "names"),
    [
        ("public", "content/", ("guide/oars/index.html", "guide/ropes/index.html")),
        ("site", "docs/", ("guide/oars/index.html", "guide/ropes/index.html")),
        ("dist", "", ("guide/oars.html", "guide/ropes.html")),
        ("docs/_build/html", "docs/", ("guide/oars.html", "guide/ropes.html")),
        ("docs", "src/", ("guide/oars.html", "guide/ropes.html")),
    ],
)
def test_pages_that_stand_where_sources_do_and_say_the_same_are_built(
    folder: str, sources: str, names: tuple[str, str]
) -> None:
    files = {f"{sources}{path}": text for path, text in SITE.items()}
    made = {
        f"{folder}/{names[0]}": page("Oars", OARS),
        f"{folder}/{names[1]}": page("Ropes", ROPES),
        f"{folder}/index.html": page("Boats", "All of them."),
        f"{folder}/search.html": page("Search", ""),
        f"{folder}/search/search_index.json": "{}",
    }
    own = {"web/app.js": "row();\n", "README.md": "# Boats\n"}
    expected = sorted(one for one in made if "_build" not in folder or one.endswith(".html"))
    assert [one for one in built({**files, **made, **own}) if one in expected] == expected
    assert not {*files, *own} & {*built({**files, **made, **own})}


@pytest.mark.parametrize(
    "files",
    [
        {"templates/oars.html": page("Order", "{% for oar in oars %}"), "docs/oars.md": f"# Oars\n\n{OARS}"},
        {"examples/oars/index.html": page("Try", OARS), "examples/oars/README.md": f"# Oars\n\n{OARS}"},
        {"site/oars.html": page("Oars", OARS), "site/ropes.html": page("Ropes", ROPES)},
        {"site/a.html": page("A", ROPES), "site/b.html": page("B", OARS), "site/oars.html": page("O", OARS), **SITE},
    ],
)  # fmt: skip
def test_pages_of_no_sources_are_nobodys_build(files: dict[str, str]) -> None:
    assert built(files) == []


def test_what_is_built_is_left_out_of_code_and_of_documentation_and_counted(tmp_path: Path) -> None:
    made = {"public/oars/index.html": page("Oars", OARS), "public/ropes/index.html": page("Ropes", ROPES)}
    for path, text in {**SITE, "public/row.py": "def row(): ...\n", **made}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    excluded = Excluded()
    read = [
        one
        for one in read_repository(open_repository(tmp_path), None, excluded)
        if not isinstance(one, Failure)
    ]
    assert [one.id for one in read] == ["guide/oars.md", "guide/ropes.md", "public/row.py"]
    assert excluded.reasons["built"] == 2
    pages = [one.id for one in read_markdown_tree(tmp_path) if not isinstance(one, Failure)]
    assert pages == ["guide/oars.md", "guide/ropes.md"]
    named = read_repository(open_repository(tmp_path), Selection(patterns=("*.html",)))
    assert len(list(named)) == 2

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from build_index.pipeline.reading import open_reading
from build_index.sources.javascript_objects import read_objects
from build_index.sources.site_config import find_site
from quire.chunking import CHUNKERS
from quire.documents import Document
from quire.errors import ConfigError, SourceError
from quire.parsing.markdown import parse_markdown
from quire.parsing.site_pages import site_of
from tests.support.doc_sites import DOCUSAURUS, MKDOCS, SITES, write_site


def urls(root: Path, options: Mapping[str, object], profile: str = "docs") -> dict[str, str]:
    reading = open_reading(profile, [("docs", str(root))], root / ".cache", options)
    return {one.id: str(one.metadata["url"]) for one in reading.documents if isinstance(one, Document)}


@pytest.mark.parametrize("name", SITES)
def test_the_generator_is_found_by_its_configuration(name: str, tmp_path: Path) -> None:
    found = find_site(write_site(tmp_path, SITES[name]))
    assert found is not None
    assert found.site.generator == name.partition("-")[0]


def test_a_folder_of_docs_is_a_part_of_the_site_above_it(tmp_path: Path) -> None:
    root = write_site(tmp_path, DOCUSAURUS)
    assert (
        urls(root / "docs/01-start", {})["02-install.md"]
        == "https://harbour.example/handbook/guide/start/install"
    )
    assert urls(root / "docs", {})["intro.md"] == "https://harbour.example/handbook/guide/"


def test_the_docs_stand_at_the_root_where_the_newest_version_is_made_of_them(tmp_path: Path) -> None:
    config = """
        function named<T extends Record<string, object>> (all: T): T { return all; }
        const newest = '2.x';
        const site = {
          url: 'https://harbour.example', baseUrl: '/',
          presets: [['classic', { docs: { path: './docs', routeBasePath: '/', lastVersion: newest } }]],
          plugins: [['@docusaurus/plugin-content-docs', { id: 'api', path: './api', routeBasePath: 'api' }]],
        } satisfies Config;
    """
    pages = {"docs/use.md": "# Use\n", "versioned_docs/version-1.x/use.md": "# Old\n", "api/a.md": "# A\n"}
    root = write_site(tmp_path, {"docusaurus.config.ts": config, "versions.json": '["2.x", "1.x"]', **pages})
    assert urls(root, {}) == {
        "api/a.md": "https://harbour.example/api/a",
        "docs/use.md": "https://harbour.example/use",
        "versioned_docs/version-1.x/use.md": "https://harbour.example/1.x/use",
    }


def test_nothing_above_a_repository_is_looked_at(tmp_path: Path) -> None:
    write_site(
        tmp_path, {"mkdocs.yml": "site_url: https://other.example/\ndocs_dir: .\n", "own/a.md": "# A\n"}
    )
    assert find_site(tmp_path / "own") is not None
    (tmp_path / "own/.git").mkdir()
    assert find_site(tmp_path / "own") is None
    assert urls(tmp_path / "own", {}) == {"a.md": "a.md"}


def test_a_book_of_mdbook_has_its_addresses_by_option_too(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"guide/README.md": "# Guide\n\n## Two words?\n\nText.\n", "a.md": "# A\n"})
    options = {"site": "mdbook", "base_url": "https://host/book"}
    assert urls(root, options) == {
        "a.md": "https://host/book/a.html",
        "guide/README.md": "https://host/book/guide/index.html",
    }


def test_a_book_of_quarto_has_its_addresses_and_anchors(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "_quarto.yml": "project:\n  type: website\nwebsite:\n  site-url: https://harbour.example\n",
            "index.qmd": "# Harbour\n\nText.\n",
            "knots/index.Rmd": "# Knots\n\n## 2.1 What's a `bend`?\n\nText.\n\n## Hitches {#sec-h .x}\n\nText.\n",
            "knots/bends.qmd": "# Bends\n\nText.\n",
            "knots/_part.qmd": "A part that nobody includes.\n",
        },
    )
    assert urls(root, {}) == {
        "index.qmd": "https://harbour.example/",
        "knots/_part.qmd": "",
        "knots/bends.qmd": "https://harbour.example/knots/bends.html",
        "knots/index.Rmd": "https://harbour.example/knots/",
    }
    reading = open_reading("docs", [("docs", str(root))], tmp_path / ".cache", {})
    knots = next(
        one for one in reading.documents if isinstance(one, Document) and one.id == "knots/index.Rmd"
    )
    page = parse_markdown(knots.text, knots.id, anchors=knots.anchors)
    assert [one.anchor for one in page.sections] == ["knots", "whats-a-bend", "sec-h"]
    (tmp_path / "_quarto.yml").write_text("project:\n  type: default\n")
    assert find_site(root) is None


def test_a_space_of_gitbook_is_found_and_its_summary_and_tags_are_no_text(tmp_path: Path) -> None:
    tree = {
        ".gitbook.yaml": "root: ./docs/\n",
        "docs/SUMMARY.md": "# Summary\n\n* [Install](guide/install.md)\n",
        "docs/README.md": "# Welcome\n\nHello.\n",
        "docs/guide/README.md": "# Guide\n\nAll of it.\n",
        "docs/guide/install.md": '# Install\n\n{% hint style="info" %}\nNeeds 4 GB.\n{% endhint %}\n\n'
        '{% code title="a.yml" %}\n```yaml\nport: 1\n```\n{% endcode %}\n\n![](<../.gitbook/assets/image (1).png>)\n',
    }
    root = write_site(tmp_path, tree)
    assert urls(root / "docs", {"base_url": "https://host/space"}) == {
        "README.md": "https://host/space/",
        "guide/README.md": "https://host/space/guide",
        "guide/install.md": "https://host/space/guide/install",
    }
    by_summary = write_site(
        tmp_path / "other", {"SUMMARY.md": "# Summary\n", "a.md": "# A\n", ".gitbook/assets/a.md": ""}
    )
    assert urls(by_summary, {})["a.md"] == "/a"
    reading = open_reading("docs", [("docs", str(root / "docs"))], tmp_path / ".cache", {})
    [install] = [
        one for one in reading.documents if isinstance(one, Document) and one.id == "guide/install.md"
    ]
    shown = "\n".join(chunk.text for chunk in CHUNKERS["docs"](install))
    assert "Needs 4 GB." in shown
    assert "port: 1" in shown
    assert "a.yml" in shown
    assert "{%" not in shown


def test_a_build_says_which_files_its_addresses_hang_on(tmp_path: Path) -> None:
    root = write_site(tmp_path, MKDOCS)
    reading = open_reading("docs", [("docs", str(root / "docs"))], tmp_path / ".cache", {})
    assert reading.files == (root / "mkdocs.yml",)


def test_options_outrank_the_configuration(tmp_path: Path) -> None:
    root = write_site(tmp_path, MKDOCS) / "docs"
    page = "guide/install.md"
    assert urls(root, {})[page] == "https://harbour.example/manual/guide/install/"
    assert urls(root, {"base_url": "https://new.example"})[page] == "https://new.example/guide/install/"
    flat = {"site": {"use_directory_urls": False}}
    assert urls(root, flat)[page] == "https://harbour.example/manual/guide/install.html"
    plain = {"site": "plain", "base_url": "https://host/o/r/blob/main/docs"}
    assert urls(root, plain)[page] == f"https://host/o/r/blob/main/docs/{page}"
    assert urls(root, {"site": "vitepress", "base_url": "https://v"})[page] == "https://v/guide/install.html"


def test_a_book_without_a_configuration_is_docusaurus_where_its_address_is_known(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"01-a/02-b.md": "# B\n\nText.\n"})
    options: dict[str, object] = {"base_url": "https://book.example/docs/"}
    assert urls(root, options, "textbook") == {"01-a/02-b.md": "https://book.example/docs/a/b"}
    assert urls(root, {}, "textbook") == {"01-a/02-b.md": "01-a/02-b.md"}


def test_the_address_of_the_docs_stands_for_that_of_their_site(tmp_path: Path) -> None:
    root = write_site(tmp_path, DOCUSAURUS) / "docs"
    for given in ("https://new.example", "https://new.example/guide/"):
        assert urls(root, {"base_url": given})["with space.md"] == "https://new.example/guide/with%20space"


def test_a_host_that_docusaurus_made_up_is_none(tmp_path: Path) -> None:
    config = DOCUSAURUS["docusaurus.config.js"].replace("harbour.example", "your-docusaurus-site.example.com")
    root = write_site(tmp_path, {**DOCUSAURUS, "docusaurus.config.js": config}) / "docs"
    assert urls(root, {})["01-start/other.md"] == "/handbook/guide/start/other"


def test_what_a_site_does_not_show_has_no_address(tmp_path: Path) -> None:
    found = urls(write_site(tmp_path, dict(DOCUSAURUS) | {"README.md": "# Harbour's code\n"}), {})
    assert (found["docs/03 - deep/_part.md"], found["README.md"]) == ("", "")
    assert urls(write_site(tmp_path / "m", MKDOCS), {})["docs/drafts/later.md"] == ""


@pytest.mark.parametrize(
    ("site", "message"),
    [
        (
            "gatsby",
            (
                "wanted one of docusaurus, gitbook, hugo, jekyll, mdbook, mkdocs, plain, quarto, sphinx, vitepress, "
                "found 'gatsby'"
            ),
        ),
        ({"generator": "mkdocs", "clean": True}, "'clean' is unknown"),
        ({"generator": "mkdocs", "use_directory_urls": "no"}, "wanted bool, found 'no'"),
        (3, "or a table, found 3"),
    ],
)
def test_a_wrong_setting_is_told(site: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        site_of({"site": site})


def test_a_broken_configuration_is_told(tmp_path: Path) -> None:
    write_site(tmp_path, {"mkdocs.yml": "site_name: [\n"})
    with pytest.raises(SourceError, match=r"mkdocs\.yml"):
        find_site(tmp_path)


def test_settings_of_javascript_are_read_without_running_it() -> None:
    code = """
    // url: 'no'
    import x from 'y';
    const options: Options = { path: `a`, /* b */ 'route-base': "c", on: true, n: 3, made: f('z') };
    export default defineConfig({ docs: [['one', { id: 'two' }]], base: process.env.BASE ?? '/x/' });
    """
    found = [(one.keys, one.label, one.values) for one in read_objects(code)]
    assert found == [
        ((), "Options", {"path": "a", "route-base": "c", "on": True}),
        ((), "", {}),
        (("docs",), "one", {"id": "two"}),
    ]


def test_pages_of_hugo_are_at_their_lower_case_paths(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "hugo.toml": "baseURL = 'https://harbour.example/docs/'\n[languages.en]\ncontentDir = 'content/en'\n",
            "content/en/_index.md": "+++\ntitle = 'Harbour'\n+++\n\nStart.\n",
            "content/en/Boats/_index.md": "---\ntitle: Boats\n---\n\nAll.\n",
            "content/en/Boats/Row Boat.md": "---\ntitle: Row\n---\n\nRow.\n",
            "content/en/Boats/sail/index.md": "---\ntitle: Sail\n---\n\nSail.\n",
            "content/en/a.md": "---\ntitle: A\nslug: first\n---\n\nA.\n",
            "content/en/b.md": "---\ntitle: B\nurl: /moved/here/\n---\n\nB.\n",
            "content/en/c.md": "---\ntitle: C\ndraft: true\n---\n\nC.\n",
        },
    )
    assert urls(root / "content/en", {}) == {
        "Boats/Row Boat.md": "https://harbour.example/docs/boats/row-boat/",
        "Boats/_index.md": "https://harbour.example/docs/boats/",
        "Boats/sail/index.md": "https://harbour.example/docs/boats/sail/",
        "_index.md": "https://harbour.example/docs/",
        "a.md": "https://harbour.example/docs/first/",
        "b.md": "https://harbour.example/docs/moved/here/",
        "c.md": "",
    }


def test_pages_of_jekyll_are_at_their_permalinks(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "_config.yml": (
                "url: https://harbour.example\nbaseurl: /docs\n"
                "collections:\n  guides:\n    output: true\n    permalink: /:collection/:path/\n  parts: {}\n"
            ),
            "index.md": "---\ntitle: Harbour\n---\n\nStart.\n",
            "about.md": "---\ntitle: About\npermalink: /us/\n---\n\nUs.\n",
            "boats/row.md": "---\ntitle: Row\n---\n\nRow.\n",
            "_guides/moor/tie.md": "---\ntitle: Tie\n---\n\nTie.\n",
            "_parts/x.md": "Part.\n",
            "_posts/2024-05-06-new-pier.md": "---\ntitle: Pier\n---\n\nNew.\n",
        },
    )
    assert urls(root, {}) == {
        "_guides/moor/tie.md": "https://harbour.example/docs/guides/moor/tie/",
        "_parts/x.md": "",
        "_posts/2024-05-06-new-pier.md": "https://harbour.example/docs/2024/05/06/new-pier.html",
        "about.md": "https://harbour.example/docs/us/",
        "boats/row.md": "https://harbour.example/docs/boats/row.html",
        "index.md": "https://harbour.example/docs/",
    }
    assert urls(root / "_guides", {}) == {"moor/tie.md": "https://harbour.example/docs/guides/moor/tie/"}


def test_the_documentation_of_a_repository_comes_before_its_pages_on_github(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {"_config.yml": "theme: x\n", "docs/conf.py": "project = 'x'\n", "docs/a.rst": "A\n=\n\nText.\n"},
    )
    found = find_site(root)
    assert found is not None
    assert found.site.generator == "sphinx"
    (root / "docs/conf.py").unlink()
    (root / "_toc.yml").write_text("format: jb-book\n")
    assert find_site(root) is None

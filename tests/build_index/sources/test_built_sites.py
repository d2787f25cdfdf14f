"""Addresses of an index, opened in sites that the generators themselves built."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from build_index.sources.files.superseded import superseded_pages
from build_index.sources.site_config import find_site
from tests.support.built_sites import facts, indexed_urls, mixed_up, why_dead
from tests.support.doc_sites import SITES, write_site

MEASURED = Path(__file__).parents[2] / "support" / "doc_sites_facts.tsv"
"""What Docusaurus 3.10.2, VitePress 1.6.4, MkDocs 1.6.1 and Sphinx 9.0.4 gave: each address was opened."""
SECONDS = 600
NPM = ("@docusaurus/core@3", "@docusaurus/preset-classic@3", "react@18", "react-dom@18", "vitepress@1")


def measured() -> dict[str, list[tuple[str, int, str]]]:
    found: dict[str, list[tuple[str, int, str]]] = {}
    for row in MEASURED.read_text(encoding="utf-8").splitlines():
        site, path, line, url = row.split("\t")
        found.setdefault(site, []).append((path, int(line), url))
    return found


def test_every_site_was_measured() -> None:
    assert {site: len(rows) > 5 for site, rows in measured().items()} == dict.fromkeys(SITES, True)


@pytest.mark.parametrize("name", SITES)
def test_pages_and_headings_have_the_addresses_that_the_generator_gave_them(
    name: str, tmp_path: Path
) -> None:
    root, wanted = write_site(tmp_path, SITES[name]), measured()[name]
    older = superseded_pages([path for path, *_ in wanted])
    assert sorted(facts(root)) == sorted(one for one in wanted if one[0] not in older)
    for folder in {str(Path(path).parent) for path in older}:
        known = [(path.removeprefix(f"{folder}/"), *rest) for path, *rest in wanted if path in older]
        assert sorted(facts(root / folder)) == sorted(known)


def dead_links(root: Path, built: Path) -> dict[str, str]:
    """Addresses of an index of the tree that do not open in the built site, and why.

    Versions that are no more the newest have an index of their own.
    """
    site = find_site(root)
    assert site is not None
    older = superseded_pages([file.relative_to(root).as_posix() for file in sorted(root.rglob("*.md"))])
    folders = [root, *sorted({root / Path(path).parent for path in older})]
    urls = set[str]().union(*map(indexed_urls, folders), (url for one in folders for *_, url in facts(one)))
    assert len(urls) >= 8
    dead = {url: why for url in sorted(urls) if (why := why_dead(url, built, site.site.base_url))}
    return dead | dict.fromkeys(mixed_up(facts(root), built, site.site.base_url), "another heading's")


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def build(name: str, root: Path, built: Path) -> None:
    """Have the generator build the site; `node_modules` stands beside, where it is one of npm's."""
    generator = name.partition("-")[0]
    if generator == "mkdocs":
        run([sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(built)], root)
    elif generator == "sphinx":
        builder = "dirhtml" if name == "sphinx-folders" else "html"
        run([sys.executable, "-m", "sphinx", "-q", "-b", builder, str(root / "docs"), str(built)], root)
    elif generator == "vitepress":
        (root / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        vitepress = root.parents[1] / "node_modules/vitepress/bin/vitepress.js"
        run(["node", str(vitepress), "build", "docs", "--outDir", str(built)], root)
    else:
        project = root / "website" if (root / "website").is_dir() else root
        (project / "package.json").write_text('{"name": "site", "version": "1.0.0"}', encoding="utf-8")
        docusaurus = root.parents[1] / "node_modules/@docusaurus/core/bin/docusaurus.mjs"
        run(["node", str(docusaurus), "build", "--no-minify", "--out-dir", str(built)], project)


@pytest.mark.parametrize("name", ["mkdocs", "sphinx"])
def test_every_link_opens_in_the_site_that_the_generator_builds_now(name: str, tmp_path: Path) -> None:
    root = write_site(tmp_path / "tree", SITES[name])
    build(name, root, tmp_path / "built")
    assert dead_links(root, tmp_path / "built") == {}


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("needs npm")
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text(json.dumps({"private": True}), encoding="utf-8")
    run(["npm", "install", "--no-audit", "--no-fund", *NPM], folder)
    return folder


@pytest.mark.soak
@pytest.mark.parametrize("name", SITES)
def test_every_link_opens_in_every_site_that_any_generator_builds(name: str, node_modules: Path) -> None:
    tree = write_site(node_modules / name / "tree", SITES[name])  # npm's packages are found above it
    build(name, tree, node_modules / name / "built")
    assert dead_links(tree, node_modules / name / "built") == {}


def test_a_wrong_address_is_seen(tmp_path: Path) -> None:
    write_site(tmp_path, {"guide/index.html": '<h2 id="there">There</h2>', "flat.html": "<p>Flat</p>"})
    base = "https://host/x"
    assert why_dead(f"{base}/guide/#there", tmp_path, base) == ""
    assert why_dead(f"{base}/flat", tmp_path, base) == ""
    assert why_dead(f"{base}/guide/#here", tmp_path, base) == "no such anchor"
    assert why_dead(f"{base}/none/", tmp_path, base) == "no such page"
    assert why_dead("https://host/guide/", tmp_path, base) == f"not below {base}"

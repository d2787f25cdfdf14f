"""What references of reStructuredText without words show: titles that stand in other files."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.repository import open_repository, read_repository
from build_index.sources.site_config import find_site
from quire.answering.citations import cite
from quire.answering.extractive.rendering import shown
from quire.chunking import chunk_document
from quire.documents import Document
from tests.support.shelves import hit_of

PAGES = {
    "docs/guide/row.rst": "Row\n===\n\nSee :ref:`Oar-Care`, :doc:`/core/boat`, :doc:`sail`, :ref:`nowhere-known`,"
    " :ref:`the-oar`, :ref:`sizes`, :ref:`code`, :ref:`bare`.\n",
    "docs/core/oar.rst": ".. _the-oar:\n\n.. figure:: oar.png\n   :alt: x\n\n"
    "   An oar of *oak*,\n   and its ``grip``\n\n   Legend.\n\n"
    ".. _sizes:\n\n.. list-table:: Sizes of oars\n\n   * - a\n\n"
    ".. _code:\n\n.. code-block:: python\n   :caption: Rowing in code\n\n   row()\n\n"
    ".. _bare:\n\n.. figure:: bare.png\n\nOars\n====\n",
    "docs/guide/sail.rst": "How to sail\n===========\n\nUp.\n",
    "docs/core/boat.rst": ".. _boat:\n\nThe boat\n========\n\n.. _oar-care:\n\n"
    "Care for ``oars``\n-----------------\n\nOil.\n",
}
READ = (
    "See Care for oars, The boat, How to sail, nowhere known,"
    " An oar of oak, and its grip, Sizes of oars, Rowing in code, bare. [1]"
)


@pytest.mark.parametrize("is_code", [False, True], ids=["documentation", "code"])
def test_a_reference_shows_the_title_that_it_leads_to(tmp_path: Path, *, is_code: bool) -> None:
    for name, text in PAGES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    read = read_repository(open_repository(tmp_path)) if is_code else read_markdown_tree(tmp_path / "docs")
    documents = [one for one in read if isinstance(one, Document) and one.id.endswith("row.rst")]
    [chunk] = chunk_document(documents[0])
    said = shown(cite(1, hit_of(chunk), chunk.text.index("See"), len(chunk.text)))
    assert said == READ


def test_a_reference_of_myst_shows_the_title_that_it_leads_to(tmp_path: Path) -> None:
    pages = {
        "conf.py": 'extensions = ["myst_parser"]\n',
        "row.md": "# Row\n\nSee {ref}`Oar-Care`, {ref}`oils <oar-care>`, {doc}`sail`, [](#oar-care), [](sail.md),"
        " {ref}`nowhere`, [](#nowhere) and {doc}`torn`.\n\n```md\n{ref}`oar-care`\n```\n",
        "sail.md": "# How to sail\n\nUp.\n",
        "torn.md": "---\ntitle: [open\n---\n# Torn\n",
        "oar.md": "# Oars\n\n(oar-care)=\n## Care for `oars`\n\nOil.\n",
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    site = find_site(tmp_path)
    documents = [one for one in read_markdown_tree(tmp_path, site) if isinstance(one, Document)]
    [chunk] = chunk_document(next(one for one in documents if one.id == "row.md"))
    assert (
        "See Care for oars, oils, How to sail, Care for oars, How to sail, nowhere, nowhere and torn."
        in chunk.text
    )
    assert "```md\n{ref}`oar-care`\n```" in chunk.text

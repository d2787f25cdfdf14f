"""Names that stand for a text which is set elsewhere: substitutions of Sphinx, attributes of Antora."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.named_texts import NamedTexts
from build_index.sources.files.repository import open_repository, read_repository
from quire.answering.citations import cite
from quire.answering.extractive.rendering import shown
from quire.chunking import chunk_document
from quire.documents import Document
from tests.support.shelves import hit_of

CONF = (
    'import os\nrelease = "4.2.1"\nversion = os.environ["V"]\n'
    'rst_prolog = """\n.. |boat| replace:: **the gig**\n"""\n'
)
PAGES = {
    "docs/conf.py": CONF,
    "docs/row.rst": "Row\n===\n\n.. include:: /parts/names.txt\n\n"
    "Take |boat|, |oars| and |copy| |release| of |version| or |x|.\n\n"
    "|built| |told|\n\n.. |built| image:: built.svg\n   :alt: Built\n.. |told| image:: told.svg\n\n"
    ".. |x| replace:: |boat| for\n   two\n\n.. include:: parts/mind.txt\n\nRest.\n",
    "docs/parts/mind.txt": ".. warning::\n\n   Mind |boat|.\n",
    "docs/parts/names.txt": ".. |oars| replace:: two `oars`_\n.. |copy| unicode:: 0xA9 .. sign\n.. _oars: oars.html\n",
    "kiln/antora.yml": "name: kiln\nasciidoc:\n  attributes:\n    product: Kiln Server\n    max-cone: '10@'\n"
    "nav:\n- a\n",
    "kiln/modules/ROOT/pages/fire.adoc": "= Firing\n:hours: 12\n\n"
    "{product} fires to {max-cone} in {hours} hours.\n\n== More\n\n"
    "{hours} of {nothing}.\n",
}


@pytest.mark.parametrize("is_code", [False, True], ids=["documentation", "code"])
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("docs/row.rst", "Take **the gig**, two oars and © 4.2.1 of |version| or **the gig** for two."),
        ("docs/row.rst", "Warning: Mind **the gig**.\n\nRest."),
        ("kiln/modules/ROOT/pages/fire.adoc", "Kiln Server fires to 10 in 12 hours."),
        ("kiln/modules/ROOT/pages/fire.adoc", "12 of {nothing}."),
    ],
)
def test_a_name_is_shown_by_the_text_that_it_stands_for(
    tmp_path: Path, path: str, said: str, *, is_code: bool
) -> None:
    for name, text in PAGES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    read = read_repository(open_repository(tmp_path)) if is_code else read_markdown_tree(tmp_path)
    [document] = [one for one in read if isinstance(one, Document) and one.id == path]
    told = [shown(cite(1, hit_of(one), 0, len(one.text))) for one in chunk_document(document)]
    assert said in "\n".join(told)
    assert "|built|" not in "\n".join(told)


def test_settings_that_are_no_python_set_nothing() -> None:
    pages = {"conf.py": "release = (", "a/b.rst": ""}
    assert NamedTexts(lambda path: pages.get(path, "")).of("a/b.rst", "|release| |a|") == {}

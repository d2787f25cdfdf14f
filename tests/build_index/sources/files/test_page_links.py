from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.page_links import PageLinks
from build_index.sources.files.textbook import read_book
from build_index.sources.site_config import find_site
from quire.answering.citations import cite
from quire.answering.extractive.rendering import shown
from quire.chunking import chunk_document
from quire.documents import Document
from tests.support.shelves import hit_of

PAGES = frozenset(("guide/oars.md", "guide/ropes.mdx", "sails/index.md", "faq (old).md"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See [oars](oars.md#ash).", {}),  # its own page
        ("[a](ropes.mdx#knots), [b](./ropes)", {
            "ropes.mdx#knots": "https://b.example/guide/ropes.mdx#knots", "./ropes": "https://b.example/guide/ropes.mdx",
        }),
        ("[a](../sails/) and [b]\n\n[b]: /sails/index.md", {
            "../sails/": "https://b.example/sails/index.md", "/sails/index.md": "https://b.example/sails/index.md",
        }),
        ("[a](https://x.example/ropes.mdx) [b](gone.md) [c](mailto:a@b) [d](#ash) [e](../../ropes.mdx)", {}),
    ],
)  # fmt: skip
def test_targets_lead_to_pages_of_the_source(text: str, found: dict[str, str]) -> None:
    links = PageLinks(PAGES, lambda path: f"https://b.example/{path}")
    assert links.addresses("guide/oars.md", text) == found


def test_a_target_may_be_the_place_of_a_page_on_its_host() -> None:
    links = PageLinks(PAGES, lambda path: f"https://b.example/docs/{path.rpartition('.')[0]}/")
    text = "[a](/docs/guide/ropes/#knots), [b](/docs/guide/ropes.html), [c](/docs/guide/oars/), [d](/docs/), [e](/)"
    assert links.addresses("guide/oars.md", text) == {
        "/docs/guide/ropes/#knots": "https://b.example/docs/guide/ropes/#knots",
        "/docs/guide/ropes.html": "https://b.example/docs/guide/ropes/",
    }


def test_a_page_whose_host_nobody_knows_is_no_address() -> None:
    assert PageLinks(PAGES, lambda path: f"/{path}").addresses("guide/oars.md", "[a](ropes.mdx)") == {}
    assert PageLinks(PAGES, lambda _: "").addresses("guide/oars.md", "[a](ropes.mdx)") == {}


def test_an_answer_leads_to_the_page_that_its_source_links_to(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_url: https://boats.example/\n",
        "docs/oars.md": "# Oars\n\nTie them as [Knots](ropes/knots.md#bow) says, or see [the tides](tides.md).\n",
        "docs/ropes/knots.md": "# Knots\n\nTie them twice.\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    root = tmp_path / "docs"
    for read in (read_markdown_tree(root, find_site(root)), read_book(root, find_site(root))):
        [oars, _] = [one for one in read if isinstance(one, Document)]
        [chunk] = chunk_document(oars)
        assert chunk.metadata["links"] == ("[Knots](https://boats.example/ropes/knots/#bow)",)
        assert "as Knots says, or see the tides." in chunk.text
        quote = shown(cite(1, hit_of(chunk), chunk.text.index("Tie"), len(chunk.text)))
        assert (
            quote == "Tie them as [Knots](https://boats.example/ropes/knots/#bow) says, or see the tides. [1]"
        )

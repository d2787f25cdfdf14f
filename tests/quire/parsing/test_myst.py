"""Pages of Sphinx in Markdown: a directive is no code because it is fenced."""

from __future__ import annotations

import pytest

from quire.documents import AnchorRules
from quire.parsing.markdown import dialect_of, parse_markdown

SPHINX = AnchorRules("sphinx")


def parts(source: str, anchors: AnchorRules = SPHINX) -> list[tuple[str, int]]:
    page = parse_markdown(source, "page.md", dialect_of("page.md", source), anchors=anchors)
    every = (block for section in page.sections for block in section.blocks)
    return [(part.text, part.start_line) for block in every for part in block.parts]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("```{note}\nMind *this*.\n```\n", ["Note: Mind this."]),
        (":::{warning}\n:class: wide\n\nThe tide.\n:::\n", ["Warning:", "The tide."]),
        (
            "```{tip} Oars\nUse two.\n\n- left\n- right\n```\nOut.\n",
            ["Tip: Oars\nUse two.", "- left", "- right", "Out."],
        ),
        ("```{admonition} Oars\n:class: tip\n\nUse two.\n```\n", ["Oars:", "Use two."]),
        ("::::{tab-set}\n:::{tab-item} Linux\nRow.\n:::\n::::\n\nOut.\n", ["Linux: Row.", "Out."]),
        ("```{versionadded} 2.1\nSails.\n```\n", ["Added in version 2.1: Sails."]),
        ("```{code-block} python\n:linenos:\n\nx = 1\n```\n", ["```python\nx = 1\n```"]),
        ("```{code-cell} ipython3\n---\ntags: [hide]\n---\ny = 2\n```\n", ["```ipython3\ny = 2\n```"]),
        ("```{eval-rst}\n:hidetoc: 1\n```\n\nText.\n", ["Text."]),
        ("```{literalinclude} oar.py\n```\nText.\n", ["Text."]),
        ("```{mermaid}\ngraph TD\n```\n", ["```mermaid\ngraph TD\n```"]),
        ("```{figure} a.png\n:name: fig\nThe pier.\n```\n", ["The pier."]),
        ("Text.\n\n```{toctree}\n:maxdepth: 2\nintro\n```\n", ["Text."]),
        ("(target)=\n% nobody\nText.\n\n+++\n\nMore.\n", ["Text.", "More."]),
        ("````{note}\n```{tip}\nDeep.\n```\n````\n", ["Note:", "Tip: Deep."]),
        ("```python\n:::{note}\n```\n", ["```python\n:::{note}\n```"]),
    ],
)
def test_directives_say_what_they_show(source: str, said: list[str]) -> None:
    assert [text for text, _ in parts(source)] == said


def test_roles_say_their_words() -> None:
    source = "See {ref}`the guide <guide>`, {doc}`intro`, {py:func}`~boats.row`, [](#oars) and `{ref}`.\n"
    assert parts(source) == [("See the guide, intro, `boats.row`, oars and `{ref}`.", 1)]


def test_lines_stay_where_they_are_in_a_site_that_nobody_knows() -> None:
    source = "# Boats\n\n```{note}\nMind.\n```\n\n```{code-block} sh\n:name: a\n\nrow\n```\n\nEnd.\n"
    assert parts(source, AnchorRules()) == [("Note: Mind.", 3), ("```sh\nrow\n```", 9), ("End.", 13)]


@pytest.mark.parametrize(
    "source", ["```{note}\nopen", "```{code-block}", ":::{tab-item} A", "```{note}\n---\na: b\n"]
)
def test_what_is_never_closed_ends_with_its_page(source: str) -> None:
    assert all(text for text, _ in parts(source))

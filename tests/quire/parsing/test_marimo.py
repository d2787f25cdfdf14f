"""Notebooks of marimo as pages."""

from __future__ import annotations

from pathlib import Path

from build_index.sources.files.repository import open_repository, read_repository
from quire.documents import Document
from quire.parsing.marimo import is_marimo, marimo_as_markdown
from quire.parsing.markdown import parse_markdown

NOTEBOOK = '''import marimo

__generated_with = "0.13.9"
app = marimo.App(width="medium")


@app.cell(hide_code=True)
def _(mo):
    mo.md(
        r"""
    # How to brew

    Heat the water,
    then pour.
    """
    )
    return


@app.cell
def _(
    kettle,
    mo,
):
    pot = kettle.brew()
    returned = 1
    mo.md(f"""Steep for {pot} minutes.""").callout(kind="warn")

    pot.serve()
    return pot, returned


if __name__ == "__main__":
    app.run()
'''


def test_the_text_of_a_notebook_of_marimo_is_prose_and_its_cells_are_code_on_their_lines() -> None:
    page = parse_markdown(NOTEBOOK, "brew.py")
    parts = [part for section in page.sections for block in section.blocks for part in block.parts]
    assert page.title == "How to brew"
    assert [(part.text, part.start_line, part.end_line) for part in parts] == [
        ("Heat the water, then pour.", 13, 14),
        ("```python\npot = kettle.brew()\nreturned = 1\n```", 25, 26),
        ("Steep for {pot} minutes.", 27, 27),
        ("```python\npot.serve()\n```", 29, 29),
    ]


def test_what_a_notebook_defines_for_others_and_sets_up_is_code_of_it() -> None:
    defined = """@app.function
def pour(
    cup,
):
    return cup


@app.class_definition
class Cup:
    size = 3

    def full(self):
        return self.size
"""
    text, numbers = marimo_as_markdown(f"with app.setup:\n    import tea\n\n\n{defined}")
    bare = [line for line in text.split("\n") if line.strip() and "```" not in line]
    wanted = ["import tea", *(line for line in defined.split("\n") if line.strip() and "@app" not in line)]
    assert bare == wanted
    assert numbers[text.split("\n").index("class Cup:")] == 13


def test_a_notebook_of_marimo_among_code_is_read_as_a_page(tmp_path: Path) -> None:
    (tmp_path / "brew.py").write_text(NOTEBOOK, encoding="utf-8")
    (tmp_path / "tea.py").write_text("import marimo as mo\n\nmo.md('Tea')\n", encoding="utf-8")
    (tmp_path / "app.py").write_text(NOTEBOOK.replace("def _(", "def brewing("), encoding="utf-8")
    read = [one for one in read_repository(open_repository(tmp_path)) if isinstance(one, Document)]
    assert {one.id: one.kind for one in read} == {
        "app.py": "source_code",
        "brew.py": "docs",
        "tea.py": "source_code",
    }


def test_texts_that_nothing_closes_are_read_in_time_in_proportion() -> None:
    torn = "import marimo\napp = marimo.App()\n@app.cell\ndef _():\n" + '    mo.md("""a\n' * 20_001
    assert is_marimo("a.py", torn)
    text, numbers = marimo_as_markdown(torn)
    assert text.count("\n") + 1 == len(numbers)

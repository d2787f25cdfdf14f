from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_index.sources.files.repository import Repository, read_repository
from quire.chunking import CHUNKERS
from quire.documents import Document
from quire.parsing.yaml_text import is_yaml_text, yaml_as_markdown

SAID = "Long oars are for long boats, and short ones for the small, which turn more often on their way.\n"
MANUAL = f"""---
headline: Rowing by hand
body: |

  {SAID}
intro: |
  Boats
  =====
  ## NAMES

  {SAID}
sections:
  - title: 'The "oars"'
    body: |
      {SAID}
      # Left and right
      {SAID}
    entries:
      - id: lengths
        title: "Lengths: `cm`"
        body: >
          {SAID}
        examples:
          - program: 'oar 3'
            output: ['3 cm']
      - title: 'It''s short'
        description: Short oars are for boats of two, and
          for those that turn often.
"""


def test_an_item_with_a_title_is_a_section_and_its_texts_are_text() -> None:
    made = yaml_as_markdown(MANUAL)
    assert made is not None
    lines = made[0].split("\n")
    assert [line for line in lines if line.startswith("#")] == [
        "# Rowing by hand",
        "## Boats",
        "## NAMES",
        '## The "oars"',
        "### Left and right",
        "### Lengths: `cm`",
        "### It's short",
    ]
    at = lines.index("```yaml", lines.index("### Lengths: `cm`") + 4)
    assert lines[at : at + 5] == [
        "```yaml",
        "examples:",
        "  - program: 'oar 3'",
        "    output: ['3 cm']",
        "```",
    ]
    assert lines[-3:] == ["Short oars are for boats of two, and", "for those that turn often.", ""]
    source = MANUAL.split("\n")
    assert [source[row - 1].strip() for line, row in zip(lines, made[1], strict=True) if "oars" in line] == [
        SAID.strip(),
        SAID.strip(),
        "- title: 'The \"oars\"'",
        SAID.strip(),
        SAID.strip(),
        SAID.strip(),
        "description: Short oars are for boats of two, and",
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"jobs:\n  test:\n    steps:\n      - name: Test\n        description: |\n{('          ' + SAID) * 9}",
        f"openapi: 3.0.0\ntags:\n  - name: oars\n    description: |\n{('      ' + SAID) * 9}",
        "en:\n" + "".join(f"  said_{n}: {SAID}" for n in range(40)),
        "steps_of_a_play:\n"
        + "  - name: Row the boat to the shore\n    shell: |\n      row --fast --left\n" * 40,
        "models:\n" + "".join(f"  - name: oar_{n}\n    columns: [a, b]\n    rows: 12\n" for n in range(40)),
        "description: |\n" + f"  {SAID}" * 20,
        f"title: Oars\nbody: |\n  {SAID}",
        "a: [\n",
        "",
    ],
)
def test_settings_data_and_forms_are_no_text(text: str) -> None:
    assert yaml_as_markdown(text) is None


def test_what_hardly_ends_is_read_to_the_end() -> None:
    deep = "".join(f"{' ' * n}- title: Oars {n}\n" for n in range(0, 4_000, 2))
    assert yaml_as_markdown(f"title: Oars\n{deep}body: |\n" + f"  {SAID}" * 900) is not None


PIECES = [
    "a",
    ":",
    " ",
    "\n",
    "\n  ",
    "- ",
    "|",
    "'",
    '"',
    "title: ",
    f"body: |\n  {SAID * 8}",
    "#",
    "===",
    "\t",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_every_line_is_one_of_the_file(text: str) -> None:
    made = yaml_as_markdown(f"title: Oars\n{text}\n")
    if made:
        assert len(made[0].split("\n")) == len(made[1])
        assert list(made[1]) == sorted(made[1])
        assert 1 <= made[1][0] <= made[1][-1] <= text.count("\n") + 3


def test_a_manual_in_yaml_is_read_as_prose_and_cited_by_its_lines(tmp_path: Path) -> None:
    (tmp_path / "manual.yml").write_text(MANUAL, encoding="utf-8")
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / "form.yml").write_text(MANUAL, encoding="utf-8")
    found = [one for one in read_repository(Repository(tmp_path, "boats")) if isinstance(one, Document)]
    assert [one.metadata["lang"] for one in found] == ["yaml", "yaml_text"]
    chunks = list(CHUNKERS[found[1].kind](found[1]))
    first = MANUAL.split("\n").index("      - title: 'It''s short'") + 1
    assert "### It's short" in chunks[-1].text
    assert chunks[-1].metadata["end_line"] == first + 2
    assert not is_yaml_text("manual.txt", MANUAL)

"""Notes that link as wikis do, callouts, and tables whose cells are empty or hold bars of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.files.repository import open_repository, read_repository
from quire.answering.citations import cite
from quire.answering.extractive.rendering import shown
from quire.chunking.markdown import chunk_docs
from quire.chunking.source_code import chunk_source_code
from quire.documents import Document
from quire.parsing.markdown import dialect_of, parse_markdown
from tests.support.shelves import chunk, hit_of


def texts(source: str) -> list[str]:
    page = parse_markdown(source, "note.md", dialect_of("note.md", source))
    return [part.text for section in page.sections for block in section.blocks for part in block.parts]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("See [[Boats|the fleet]].", "See the fleet."),
        ("See [[Boats#Small ones]], [[Boats]] and [[#Oars]].", "See Boats > Small ones, Boats and Oars."),
        ("![[plan.png|300]] The [[Boats#^row|row]]. ^first", "The row."),
        ("A %%nobody\nsees%% ==bright== [[a|b]].", "A bright b."),
        ("Write `[[Page|words]]` as [[Links|it is]].", "Write `[[Page|words]]` as it is."),
        ("x == y [[a|b]], 2^10", "x == y b, 2^10"),
        ("The slot [[Prototype]] is hidden.", "The slot [[Prototype]] is hidden."),
        ("See [[a|b]].\n\n- Oil them ^oil\n- %%twice%%", "See b.|- Oil them"),
        ("See [[1]](https://example.com) in [[a|b]].", "See [1] in b."),
    ],
)
def test_links_of_wikis_say_their_words(source: str, said: str) -> None:
    assert "|".join(texts(source)) == said


def test_a_comment_over_lines_moves_no_line() -> None:
    source = "[[a|b]] %%one\ntwo%%\nend\n\nNext.\n"
    page = parse_markdown(source, "note.md", dialect_of("note.md", source))
    lines = [(part.text, part.start_line) for block in page.sections[0].blocks for part in block.parts]
    assert lines == [("b end", 1), ("Next.", 5)]


def test_every_note_of_a_vault_links_as_wikis_do(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/oars.md").write_text("Oars hang in the [[Boat house]].\n", encoding="utf-8")
    (document,) = read_markdown_tree(tmp_path / "notes")
    assert isinstance(document, Document)
    assert [one.text for one in chunk_docs(document)] == ["Oars hang in the Boat house."]


def test_a_note_of_a_vault_in_a_folder_of_any_files_is_shown_without_its_markup(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/app.json").write_text('{"theme": "obsidian"}', encoding="utf-8")
    note = "Oars hang in the [[Boat house]]. ^oars\n\n```sh\nrow [[a]]\n```\n\n%% ask Bo %%\n\nSee [[2024]]."
    (tmp_path / "oars.md").write_text(note, encoding="utf-8")
    (document,) = read_repository(open_repository(tmp_path))
    assert isinstance(document, Document)
    (found,) = chunk_source_code(document)
    told = shown(cite(1, hit_of(found), 0, len(found.text)))
    assert told.split() == "Oars hang in the Boat house. ```sh row [[a]] ``` See 2024. [1]".split()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("> [!NOTE]\n> Mind the gap.", "Note: Mind the gap."),
        ("> [!tip]- Tip\n> Fold it.", "Tip: Fold it."),
        ("> [!info|right] Tides\n> They turn.", "Info: Tides\nThey turn."),
        ("> [!warning] Only this", "Warning: Only this"),
        ("> [!important]", "Important:"),
    ],
)
def test_a_callout_is_opened_by_its_kind_and_title(source: str, said: str) -> None:
    assert texts(source) == [said]


def test_a_description_that_the_page_begins_with_is_not_said_twice() -> None:
    assert texts("---\ndescription: Oars move boats.\n---\n\nOars move boats. Sails do too.\n") == [
        "Oars move boats. Sails do too."
    ]


TABLE = "| | Free | Paid |\n|--|--|--|\n| Boats | 1 | 10 |\n| Rate `a \\| b` | | x |\n"


def test_columns_stay_below_their_heads() -> None:
    assert texts(TABLE) == ["| Free | Paid", "Boats | 1 | 10", "Rate `a \\| b` |  | x"]
    html = "<table><tr><td></td><td>Free</td></tr><tr><td>Oars</td><td>2 | 3</td></tr></table>\n"
    assert texts(html) == ["| Free", "Oars | 2 \\| 3"]


def test_a_shown_table_keeps_empty_cells_and_bars() -> None:
    text = "\n".join(["Plans.\n", *texts(TABLE)])
    quote = shown(cite(1, hit_of(chunk("boats.md", text)), 0, len(text)))
    assert quote == (
        "Plans.\n\n|  | Free | Paid |\n| --- | --- | --- |\n| Boats | 1 | 10 |\n| Rate `a \\| b` |  | x |\n\n[1]"
    )


def test_a_bar_inside_of_code_makes_no_table() -> None:
    text = "Do not name it with these: `# | ^`.\n\nCount with `ls | wc`."
    assert shown(cite(1, hit_of(chunk("names.md", text)), 0, len(text))) == f"{text} [1]"

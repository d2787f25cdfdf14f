"""Names by which a text calls its sections, rows and items, and the search for them."""

from __future__ import annotations

import time

import pytest

from quire.analysis.entries import LONGEST_LINE, MOST_ENTRIES, asked_entries, entry_terms
from quire.search.query import written_keys
from quire.search.retrieval import Query, retrieve
from tests.support.pace import takes_cpu_within
from tests.support.shelves import chunk, shelf_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("## pump-timeout", ["=pump-timeout"]),
        ("### `onStart` <div>Pumps</div>", ["=onstart"]),
        ("#### [`PUMP_PORT=<number>`](#PUMP_PORT) {#PUMP_PORT}", ["=pump_port"]),
        ("### `pump.stop(at)`: Time", ["=pump.stop"]),
        ("### --quiet, -q", ["=--quiet", "=-q"]),
        ("### Version 2.1.0 (May)", ["=2.1.0"]),
        ("2.1.0rc1\n========", ["=2.1.0rc1"]),
        ("The seal is whole [bad-seal]\n----------------------------", ["=bad-seal"]),
        ("## Heat recovery unit (HRU)", ["=hru"]),
        ("| [P3008](https://pump.example/P3008) | error | Off. |", ["|p3008"]),
        ("| `pump-mode` | `PUMP_MODE` | text | How. |", ["|pump-mode", "|pump_mode"]),
        ("`pump-mode` | `PUMP_MODE` | text | How.", ["|pump-mode", "|pump_mode"]),
        ("| 39 | EDRYWICK | Oil is short |", ["|edrywick"]),
        ("| 39 | Dry wick | Oil is short |", []),
        ("- `hours`: how long", ["|hours"]),
        ("* **`hours`** - how long", ["|hours"]),
        ("`hours` (int): how long", ["|hours"]),
        ("**-q** or **--quiet**", ["|-q", "|--quiet"]),
        ("```\n  -s, --speed int      turns so often\n# no-title\n```", ["|-s", "|--speed"]),
        ("- `hours`\n- [pump-mode](#pump-mode)", []),  # a list of what is told elsewhere
        ("| Key | Action |\n| --- | --- |\n| a | b |", []),
        ("## How pumps work\n\nUse `ls | wc` to count - `hours` are told.", []),
        ("# " + "a-b" * LONGEST_LINE, []),
    ],
)
def test_entries_are_headings_rows_and_items_that_begin_with_their_name(text: str, names: list[str]) -> None:
    assert list(entry_terms(text)) == names


def test_a_later_part_of_a_section_is_called_as_its_title_and_knows_the_release_around() -> None:
    assert list(entry_terms("More.", "Changes › 2.1.0 (May) › pump-mode")) == ["=2.1.0", "=pump-mode"]


def test_a_text_has_so_many_entries_at_most() -> None:
    assert len(entry_terms("".join(f"- `key_{n}`: it\n" for n in range(2 * MOST_ENTRIES)))) == MOST_ENTRIES


@pytest.mark.parametrize("attack", ["# `a", "- `a(", "| a", "a-", "[", "(", "--a ", "`a=", "a | ", "*", "-"])
def test_no_line_holds_the_reading_of_entries_up(attack: str) -> None:
    began = time.process_time()
    entry_terms(attack * (100_000 // len(attack)))
    entry_terms("\n".join([attack * (LONGEST_LINE // len(attack))] * 300))
    assert takes_cpu_within(time.process_time() - began, 0.5)


def test_a_section_of_a_name_comes_before_rows_of_it() -> None:
    known = {"=port", "|port", "|--all"}
    assert asked_entries(["port", "PORT", "--all", "none"], known.__contains__) == ["=port", "|--all"]


def test_a_key_is_a_name_where_the_question_writes_no_other() -> None:
    assert written_keys("Is pump-mode set by `hours`?") == ["hours"]
    assert written_keys("What does error code seal mean?") == ["seal"]
    assert written_keys("What is a well made pump?") == []


SETTINGS = """\
| Key | Variable | What it is |
| --- | --- | --- |
| `valve-mode` | `PUMP_VALVE_MODE` | Open or shut. |
| `pump-mode` | `PUMP_MODE` | Loud or quiet. |"""
SECTIONS = """\
## open-valve-count

So many at a time.

## open-pump-count

So many as there are."""
PROSE = """\
# Valves

A valve has a mode. The mode of the valve is its valve mode: in one mode the valve is open, in another mode it is not.
Count the open valves, an open valve count is a count of valves that are open. Is the pump open? Count open pumps."""


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("What does valve-mode do?", "settings.md"),
        ("valve-mode", "settings.md"),
        ("what is PUMP_VALVE_MODE for", "settings.md"),
        ("How do I set open-valve-count?", "sections.md"),
        ("Why is a valve open in one mode and not in another?", "valves.md"),
        ("In which mode are open valves counted, by valve-mode or by hand?", "valves.md"),
    ],
)
def test_a_search_for_a_name_finds_its_entry_first(question: str, document: str) -> None:
    texts = {"settings.md": SETTINGS, "sections.md": SECTIONS, "valves.md": PROSE}
    pages = [chunk(path, text, n, lang="markdown") for n, (path, text) in enumerate(texts.items())]
    further = [chunk(f"other/{n}.md", f"# Pipe {n}\n\nA pipe of {n} metres.", n + 9) for n in range(6)]
    shelf = shelf_of([*pages, *further], profile="docs")
    assert retrieve(shelf.index, shelf.embedder, Query(question)).hits[0].chunk.document_id == document


def test_an_option_that_many_commands_have_is_found_on_the_page_of_the_one_that_is_asked_for() -> None:
    help_text = "# pump {0}\n\n{1}\n\n```\n  -q, --quiet     says nothing of {0}\n```"
    commands = [
        f"{verb} {thing}" for verb in ("start", "stop", "clean") for thing in ("tank", "valve", "seal")
    ]
    told = [
        help_text.format(one, f"`pump {one}` does so. Be quiet, pump {one} quietly. ") for one in commands
    ]
    pages = [
        chunk(f"{one.replace(' ', '_')}.md", text, n, lang="markdown", heading=f"pump {one}")
        for n, (one, text) in enumerate(zip(commands, told, strict=True))
    ]
    shelf = shelf_of([*pages, chunk("about.md", "# Quiet\n\nA pump is quiet or loud.", 99)], profile="docs")
    for one in commands:
        hits = retrieve(shelf.index, shelf.embedder, Query(f"What does `--quiet` of pump {one} do?")).hits
        assert f"says nothing of {one}" in hits[0].chunk.text

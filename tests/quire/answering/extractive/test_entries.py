"""An option, a variable or a function that a question names is told by its own entry."""

from __future__ import annotations

import time

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.entries import entry_of
from quire.answering.extractive.scoring import score_passages
from quire.answering.extractive.weighing import weigh
from quire.answering.extractive.widening import widened
from quire.answering.request import Inquiry
from quire.documents import Chunk
from tests.support.pace import takes_cpu_within
from tests.support.shelves import chunk, code, hit_of, pages, shelf_of

HEADINGS = """\
### --quiet, -q

Says nothing of the lamps.

### --dry-run, -n

Lists the lamps that would be lit.
"""
DEFINITIONS = """\
The following options are available:

**-q** or **--quiet**
    Says nothing of the pumps.

**-n** *COUNT* or **--dry-run** *COUNT*
    Lists the pumps that would be started.
"""
ITEMS = """\
- `-q, --quiet`: Says nothing of the pipes.
- `-n, --dry-run`: Lists the pipes that would be opened.
"""
PROSE = """\
A dry run is what we do before we run anything else. Do a dry run, and run it again: what does a run do when it is dry?
"""


ATTACKS = [
    "- --a ",
    "--a",
    "-a, ",
    "| ",
    "--a [",
    "a.",
    "--a <b",
    "--a *b",
    "-",
    "--a A",
    "`",
    "a" * 39 + ".",
]


def page(name: str, text: str, at: int) -> Chunk:
    made = chunk(f"{name}.md", text, at, kind="section", lang="markdown", heading="Options")
    return made._replace(breadcrumb=f"{name} › Options")


PAGES = [
    page("light", HEADINGS, 1),
    page("pump", DEFINITIONS, 2),
    page("open", ITEMS, 3),
    page("habits", PROSE, 4),
]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("light", "**--dry-run, -n**\n\nLists the lamps that would be lit."),
        ("pump", "**-n** *COUNT* or **--dry-run** *COUNT*\n    Lists the pumps that would be started."),
        ("open", "Lists the pipes that would be opened."),
    ],
)
def test_an_option_is_told_by_its_entry_on_the_page_of_its_command(command: str, said: str) -> None:
    shelf = shelf_of(PAGES, profile="docs")
    given = answer(shelf, Inquiry(f"What does the `--dry-run` option of {command} do?"))
    first = given.text.partition("[1]")[0]
    assert said in first
    assert ("Says nothing" in first) == (command == "open"), "a list is shown whole, other entries alone"


def test_an_option_is_a_name_though_its_words_are_common() -> None:
    given = answer(shelf_of(PAGES[::3], profile="docs"), Inquiry("What does `--dry-run` do?"))
    assert given.text.startswith("**--dry-run, -n**\n\nLists the lamps")


def test_a_question_of_nothing_but_an_option_is_searched_for() -> None:
    given = answer(shelf_of(PAGES[::3], profile="docs"), Inquiry("What does `--quiet` do?"))
    assert given.text.startswith("**--quiet, -q**\n\nSays nothing")


@pytest.mark.parametrize(
    ("name", "line", "is_entry"),
    [
        ("--on-event", "**-e** *EVENT_NAME* or **--on-event** *EVENT_NAME*", True),
        ("--file", "  -f FILE, --file FILE   what is read", True),
        ("--file", "--file names what is read", False),
        ("--file", "--file-name", False),
        ("stop", "### `hooks.stop(at)`: Time", True),
        ("stop", "stop is what it does", False),
        ("PUMP_DEBUG", "| `PUMP_DEBUG` | Says more |", True),
        ("PUMP_DEBUG", "| `pump-debug` | `PUMP_DEBUG` | Says more |", True),
        ("pump-debug", "| Of `pump-debug` | Says more |", False),
        ("p3008", "| [P3008](https://pump.example/P3008)   | Error | Turn it off. |", True),
        ("bad-seal", "## The seal must be whole [bad-seal]", True),
        ("bad-seal", "The seal must be whole [bad-seal]\n---------------------------------", True),
        ("bad-seal", "pump(1)  # The seal must be whole [bad-seal]", False),
    ],
)
def test_an_entry_begins_with_its_name_and_is_no_sentence(name: str, line: str, is_entry: bool) -> None:
    assert bool(entry_of(name).search(line)) is is_entry


@pytest.mark.parametrize("name", ["--on", "on"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_holds_the_search_for_entries_up(name: str, attack: str) -> None:
    text = attack * (30_000 // len(attack))
    began = time.process_time()
    assert not entry_of(name).search(text)
    assert takes_cpu_within(time.process_time() - began, 0.3)


def test_what_only_names_a_thing_and_notes_of_releases_are_no_entry() -> None:
    named = page("light", "The lamps know:\n\n- `lamp_hours`\n- `lamp_colour`\n", 1)
    news = chunk("CHANGELOG.md", "- lamp_hours: one is 60 minutes.\n- lamp_colour: typo.", 2, role="history")
    told = page("lamps", "### lamp_hours\n\nHow long the lamps are lit at most.\n", 3)
    given = answer(shelf_of([named, news, told], profile="docs"), Inquiry("What does lamp_hours do?"))
    assert given.text.startswith("**lamp_hours**\n\nHow long")


HELP = """\
The pump is started so:

```
pump start \\
  --speed 3 \\
  --quiet

Options:
  -q, --quiet          says nothing of it
  -s, --speed int      turns so often a second (default 2)
      --timeout time   ends after it
```
"""


CODES = """\
| Code | Level | What to do |
|:-----|:------| :--------- |
| [P3008](https://pump.example/P3008) | error | Turn the pump off before you open it. |
| [P3009](https://pump.example/P3009) | error | Fill the pump first. |
"""
KEYS = """\
| Key | Variable | What it is |
| --- | --- | --- |
| `max-open-valves` | `PUMP_MAX_OPEN_VALVES` | Valves that may be open at a time. |
| `valve-mode` | `PUMP_VALVE_MODE` | How valves are opened. |
"""
CHECKS = """\
Seals
=====

The seal is whole [bad-seal]
----------------------------

A seal that leaks is changed.

The seal is dry [seal]
----------------------

A wet seal is dried.
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What does P3008 mean?", "Turn the pump off"),
        ("How do I fix P3008?", "Turn the pump off"),
        ("P3009", "Fill the pump"),
        ("What does max-open-valves do?", "Valves that may be open"),
        ("How do I set valve-mode?", "How valves are opened"),
        ("what is PUMP_VALVE_MODE for", "How valves are opened"),
        ("What does error code bad-seal mean?", "A seal that leaks"),
        ("What is [seal]?", "A wet seal is dried"),
    ],
)
def test_a_code_a_key_or_a_variable_is_told_by_its_row_or_section(question: str, said: str) -> None:
    about = "A valve is open or not. The mode of a valve, of valves and of pumps is set. Errors mean that pumps fail."
    pages = [page(*one) for one in (("codes", CODES, 0), ("keys", KEYS, 1), ("about", about, 3))]
    checks = chunk("checks.rst", CHECKS, 2, kind="section", lang="rst", heading="Seals")
    given = answer(shelf_of([*pages, checks, page("habits", PROSE, 4)], profile="docs"), Inquiry(question))
    assert said in given.citations[0].quote


def test_a_kind_that_the_sources_call_otherwise_is_no_strange_word() -> None:
    keys = "| Key | What it does |\n| --- | --- |\n| `<c-r>` | Refresh the pumps |\n| `<c-x>` | Stop all pumps |\n"
    shelf = shelf_of([page("keys", keys, 0), page("habits", PROSE, 1)], profile="docs")
    weighed = weigh("What is the shortcut to refresh the price of keys?", shelf.index).idf
    assert {*weighed} == {"refresh", "price", "key"}
    assert {*weigh("Which shortcut?", shelf.index).idf} == {"shortcut"}


def test_an_option_is_told_by_its_line_in_the_help_of_a_command() -> None:
    told = page(
        "pump",
        HELP.replace("      --timeout", f"  -l, --loud      is {'very, ' * 300}loud\n      --timeout"),
        1,
    )
    given = answer(
        shelf_of([told, page("habits", PROSE, 2)], profile="docs"), Inquiry("What does `--speed` do?")
    )
    first = given.text.partition("[1]")[0]
    assert "--speed int      turns so often a second" in first
    assert "pump start" not in first


def test_a_section_that_is_called_by_the_option_is_told_from_its_beginning() -> None:
    text = "### --speed\n\nHow often the pump turns.\n\n`--speed=3` turns three times, which --speed says.\n"
    given = answer(
        shelf_of([page("pump", text, 1), *PAGES[1:]], profile="docs"), Inquiry("What does `--speed` do?")
    )
    assert given.text.startswith("**--speed**\n\nHow often the pump turns.\n\n`--speed=3`")


def test_a_chunk_of_very_many_entries_is_answered_from_at_once() -> None:
    entries = "".join(f"**--lamp-{n}**\n    Lights {n}.\n\n" for n in range(800))
    shelf = shelf_of([page("lamps", entries, 0), page("dry", PROSE, 1)])
    began = time.process_time()
    text = answer(shelf, Inquiry("What does --lamp-150 do?")).text
    assert takes_cpu_within(
        time.process_time() - began, 6.0
    )  # 30 and more where each passage was tried for each
    assert "Lights 150." in text


def test_an_option_of_one_letter_is_told_by_its_own_entry_and_not_by_that_of_the_other_case() -> None:
    options = {"-o": "output", "-O": "optimize", "-s": "silent", "-S": "sort"}
    entries = [
        chunk("options.md", f"### `{short}`, `--{long}`\n\nMakes the kettle {long} all it has.", number)
        for number, (short, long) in enumerate(options.items())
    ]
    shelf = shelf_of([*entries, *pages(30)])
    for short, long in options.items():
        quoted = answer(shelf, Inquiry(f"What does {short} do?")).citations[0].quote
        assert f"kettle {long} all" in quoted


def test_a_name_is_told_by_what_is_written_like_it_and_not_by_one_of_another_case() -> None:
    said = "Lights the lamp, and says so."
    hits = [
        hit_of(code(f"{name}.rb", said, name, line), line)
        for line, name in enumerate(("lightLamp", "LightLamp"), 1)
    ]
    shelf = shelf_of([hit.chunk for hit in hits], profile="code")

    def first_for(name: str) -> str:
        asked = weigh(f"What does {name} do with the lamp?", shelf.index)
        return score_passages(asked, hits, None, None)[0].hit.chunk.symbols[0]

    assert (first_for("LightLamp"), first_for("lightLamp"), first_for("lightlamp")) == (
        "LightLamp",
        "lightLamp",
        "lightLamp",
    )


def test_a_code_of_capitals_alone_is_told_by_the_row_that_its_number_begins() -> None:
    rows = (
        ("1", "EPERM", "Nobody may"),
        ("11", "EDRYWICK", "Oil is short"),
        ("39", "ENOTTRIM", "The wick smokes"),
    )
    table = "\n".join(f"| {' | '.join(row)} |" for row in (("Number", "Name", "Says"), ("---",) * 3, *rows))
    shelf = shelf_of([chunk("codes.md", f"# Codes of the lamp\n\n{table}\n"), *pages(300)])
    given = answer(shelf, Inquiry("What does EDRYWICK mean?"))
    assert given.answerable
    assert "Oil is short" in given.citations[0].quote
    assert not answer(shelf, Inquiry("What does EWETWICK mean?")).answerable


def test_one_row_of_a_long_table_is_told_alone_below_its_head() -> None:
    rows = "\n".join(f"| `P{n}` | Pump {n} is dry | Fill pump {n} |" for n in range(300, 330))
    table = f"# Codes\n\n| Code | Meaning | What to do |\n| --- | --- | --- |\n{rows}\n"
    halves = [
        chunk("codes.md", table[: table.index("| `P316`")], 0),
        chunk("codes.md", table[table.index("| `P316`") :], 1),
    ]
    shelf = shelf_of([*halves, *pages(300)], profile="docs")
    given = answer(shelf, Inquiry("What is P307?"))
    assert given.text == (
        "**Codes**\n\n| Code | Meaning | What to do |\n| --- | --- | --- |\n"
        "| `P307` | Pump 307 is dry | Fill pump 307 |\n\n[1]"
    )
    weighed = weigh("What is P307?", shelf.index)
    hits = [hit_of(halves[0])]
    scored = score_passages(weighed, hits, None, None)
    row = next(one for one in scored if "P307" in one.text)
    assert widened(weighed, row, scored, 900, opens=True).text.count("\n") == 0
    assert widened(weighed, row, scored, 900).text.count("\n") > 2  # beside others
    few = chunk("codes.md", f"# Codes\n\n| Code | Meaning |\n| --- | --- |\n{rows[:90]}", 0)
    assert "P301" in answer(shelf_of([few, *pages(300)], profile="docs"), Inquiry("What is P300?")).text

"""What is compared is told of each side by the page or section that is about it."""

from __future__ import annotations

from quire.answering.answerer import answer
from quire.answering.extractive.parts import parts_of
from quire.answering.request import Inquiry
from tests.support.shelves import chunk, code, pages, shelf_of


def test_names_that_a_question_joins_with_or_are_each_told_by_their_own_entry() -> None:
    props = (
        "### softGlaze\n\nA coat that is brushed on at room heat and wiped off again.\n\n"
        "### hardGlaze\n\nA coat for pots that go outside. It overrides the prop softGlaze of the rack.\n\n"
        "### rackGlaze\n\nWith softGlaze or hardGlaze set it colours the rack that the pots stand on."
    )
    shelf = shelf_of([chunk("props.md", props, breadcrumb="Props › softGlaze"), *pages(6)])
    text = answer(shelf, Inquiry("softGlaze or hardGlaze, which one for what?")).text
    assert "brushed on at room heat" in text
    assert "pots that go outside" in text
    assert text.startswith(("**softGlaze**", "**hardGlaze**"))


def test_a_name_of_several_words_is_no_kind_of_the_others() -> None:
    assert parts_of("difference between LampEvent, LampCall and SlowLampEvent") == (
        "LampEvent",
        "LampCall",
        "SlowLampEvent",
    )


def test_three_things_are_each_told_whatever_the_search_finds_for_all_of_them() -> None:
    tests = (
        "def test_kiln_in_rack_and_shed(self):\n    kiln, rack, shed = plan()\n    assert kiln.rack is shed\n"
    )
    shelf = shelf_of(
        [
            code("plan.py", tests, "test_kiln_in_rack_and_shed", 1),
            chunk(
                "house.md", "## Kilns\n\nA kiln fires the pots that it is given.", breadcrumb="House › Kilns"
            ),
            chunk(
                "house.md", "## Racks\n\nA rack holds pots until they are dry.", 1, breadcrumb="House › Racks"
            ),
            code("shed.py", 'class shed:\n    """Keeps clay from the rain."""\n', "shed", 1),
            code("shed.py", 'class Wood:\n    shed = "where it is kept"\n', "Wood.shed", 9),
            *pages(6),
        ],
        profile="code",
    )
    text = answer(shelf, Inquiry("What is the difference between a kiln, a rack and a shed?")).text
    assert all(one in text for one in ("fires the pots", "until they are dry", "clay from the rain"))
    assert not text.startswith("`test_kiln")


def test_options_that_are_compared_are_told_by_their_sections_whatever_value_their_titles_show() -> None:
    options = [
        chunk(
            "usage.md",
            "### --dry-rack path\n\nPots dry on the rack at this path. See `--wet-rack`.",
            breadcrumb="Usage › --dry-rack path",
        ),
        chunk(
            "usage.md",
            "### --wait-time hours\n\nHow long the kiln waits.\n\n"
            "### --wet-rack path\n\nPots are kept damp under a cloth at this path.",
            1,
            breadcrumb="Usage › --wait-time hours",
            headings=["Usage › --wait-time hours", "Usage › --wet-rack path"],
        ),
        chunk(
            "log.md",
            "## Limits\n\nNot logged: `--dry-rack` / `--wet-rack`.",
            breadcrumb="Log › Limits",
        ),
    ]
    text = answer(
        shelf_of([*options, *pages(6)]),
        Inquiry("What is the difference between --dry-rack and --wet-rack?"),
    ).text
    assert "Pots dry on the rack" in text
    assert "kept damp under a cloth" in text


def test_what_is_compared_is_told_by_the_items_of_a_list_where_no_section_is_called_so() -> None:
    setting = (
        "## `FIRING_METHOD`\n\nHow pots are fired.\n\n"
        "- `'smoke'`: sawdust is burnt beside the pots, which turns them black.\n"
        "- `'steam'`: wet pots are pushed into the hot kiln and come out grey.\n"
    )
    shelf = shelf_of(
        [
            chunk("smoke.md", "## Smoke\n\nSmoke is seen above the shed.", breadcrumb="Smoke"),
            chunk("settings.md", setting, breadcrumb="Settings › `FIRING_METHOD`"),
            *pages(6),
        ]
    )
    text = answer(
        shelf, Inquiry("What is the difference between the smoke and steam methods for firing pots?")
    ).text
    assert text.index("turns them black") < text.index("come out grey")

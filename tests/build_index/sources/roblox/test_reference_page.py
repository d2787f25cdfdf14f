from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from build_index.sources.roblox.reference_page import SECTIONS, parse_page

WORD = st.text("abcdefgh XYZ:#'\"|-", min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
NAME = st.text("abcXYZ", min_size=1, max_size=8)
ENTRY = st.fixed_dictionaries(
    {
        "name": NAME,
        "summary": WORD,
        "tags": st.lists(NAME, max_size=3),
        "parameters": st.builds(lambda: [{"name": "a"}]),
    }
)
PAGE = st.fixed_dictionaries(
    {"name": NAME, "description": WORD},
    optional={section: st.lists(ENTRY, max_size=4) for section in SECTIONS},
)


@given(PAGE, st.booleans())
def test_a_page_holds_what_an_ordinary_yaml_reader_finds(page: dict[str, object], wide: bool) -> None:
    text = yaml.safe_dump(page, sort_keys=False, default_flow_style=False, width=1000 if wide else 20)
    parsed = parse_page(text, "content/en-us/reference/engine/datatypes/Knot.yaml")
    assert parsed.head.fields == {key: value for key, value in page.items() if key not in SECTIONS}
    assert {
        section: [dict(entry.fields) for entry in entries] for section, entries in parsed.sections.items()
    } == {key: value for key, value in page.items() if key in SECTIONS}


@given(PAGE)
def test_the_lines_of_each_entry_alone_are_that_entry(page: dict[str, object]) -> None:
    text = yaml.safe_dump(page, sort_keys=False, default_flow_style=False)
    lines = text.splitlines()
    parsed = parse_page(text, "content/en-us/reference/engine/datatypes/Knot.yaml")
    for entries in parsed.sections.values():
        for entry in entries:
            [alone] = yaml.safe_load("\n".join(lines[entry.start_line - 1 : entry.end_line]))
            assert alone == entry.fields


def test_a_block_value_at_the_end_does_not_reach_into_the_next_entry() -> None:
    text = "name: Knot\nmethods:\n  - name: a\n    description: |\n      One.\n\n\n  - name: b\n    summary: Two.\n"
    first, second = parse_page(text, "x/datatypes/Knot.yaml").sections["methods"]
    assert (first.start_line, first.end_line, first.description_line) == (3, 5, 5)
    assert (second.start_line, second.end_line) == (8, 9)


def test_an_alias_at_the_end_does_not_move_the_last_line_to_its_anchor() -> None:
    text = "name: Knot\nmethods:\n  - name: a\n    tags: &shared []\n  - name: b\n    tags: *shared\n"
    _, second = parse_page(text, "x/datatypes/Knot.yaml").sections["methods"]
    assert (second.start_line, second.end_line) == (5, 6)

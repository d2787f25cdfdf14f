from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_index.sources.roblox.api_text import bare, readable, split_words


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("`Class.Boat`", "`Boat`"),
        ("`Class.Boat|Boats`", "`Boats`"),
        ("`Class.Boat|the small craft`", "`the small craft (Boat)`"),
        ("`Class.Boat.TopSpeed|TopSpeed`", "`Boat.TopSpeed`"),
        ("`Class.Knot.Speed|Speed`", "`Speed`"),
        ("`Class.Boat:SailTo()|SailTo()`", "`Boat:SailTo()`"),
        ("`Enum.Wind.Gale`", "`Enum.Wind.Gale`"),
        ("`Enum.Wind|Gale`", "`Enum.Wind.Gale`"),
        ("`Enum.Wind|Wind.Gale`", "`Enum.Wind.Gale`"),
        ("`Datatype.Knot.new()`", "`Knot.new()`"),
        ("`Library.tide.next()`", "`tide.next()`"),
        ("`Global.SeaGlobals.hoist()`", "`hoist()`"),
        ("<code>Class.Boat</code>", "`Boat`"),
        ("a Class.Boat, Class.Dinghy|Dinghies", "a Boat, Dinghy"),
    ],
)
def test_cross_references_read_as_names(written: str, shown: str) -> None:
    assert readable(written, "Knot") == shown


def test_code_blocks_stay_as_they_are_and_paragraphs_are_joined() -> None:
    text = "One\ntwo.\n\n```lua\nlocal a  = `Class.Boat`\n\n\nreturn a\n```\n\n- first\n  more\n- second\n"
    assert readable(text) == (
        "One two.\n\n```lua\nlocal a  = `Class.Boat`\n\n\nreturn a\n```\n\n- first more\n- second"
    )


def test_a_table_becomes_rows() -> None:
    rows = "<tr>\n  <th>Wind</th>\n  <th>Force</th>\n</tr>\n<tr><td><b>Gale</b></td><td>8</td></tr>"
    text = f"<table>\n{rows}\n</table>\nEnd."
    assert readable(text) == "| Wind | Force |\n| Gale | 8 |\n\nEnd."


def test_pictures_go_and_types_in_angle_brackets_stay() -> None:
    assert readable(
        'A list.\n\n<img src="a.png" alt="A boat" />\n\n`List<Boat>` &mdash; ![x](y.png)done'
    ) == ("A list.\n\n`List<Boat>` — done")


@given(
    st.text(
        st.characters(
            codec="utf-8",
            exclude_characters="`<>&|[]#*-+>0123456789.()!\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029",
        )
    )
)
def test_plain_words_survive_in_their_order(text: str) -> None:
    assert readable(text).split() == text.split()
    assert bare(text).split() == text.split()


@given(st.from_regex(r"[A-Z][A-Za-z0-9]{0,20}", fullmatch=True))
def test_splitting_a_name_loses_no_letter(name: str) -> None:
    assert split_words(name).replace(" ", "") == name.lower()

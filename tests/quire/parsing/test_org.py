from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.org import parse_org, readable_org
from tests.support.outlines import assert_apart, sections

NOTES = """\
#+TITLE: The pump
#+AUTHOR: Ann

* TODO [#A] Setup :work:easy:
  :PROPERTIES:
  :ID: 7
  :END:
See [[https://example.org][the page]] and ~pump_rate~.
** =pump_rate=
#+begin_src conf
* no headline
#+end_src
* Second
"""


def test_headlines_nest_below_the_title_and_blocks_hold_none() -> None:
    assert list(sections(parse_org(NOTES).definitions)) == [
        (0, "The pump", 1, 13),
        (1, "Setup", 4, 12),
        (2, "pump_rate", 9, 12),
        (1, "Second", 13, 13),
    ]


def test_what_one_reads_has_no_settings_drawers_and_marks() -> None:
    shown = readable_org(NOTES)
    assert shown.startswith("* TODO [#A] Setup :work:easy:\nSee the page and pump_rate.\n** pump_rate\n")
    assert "PROPERTIES" not in shown


@given(st.text(st.sampled_from("ab *#+:[]=~\n\n"), max_size=200))
def test_sections_of_any_text_lie_in_the_file_and_in_one_another(text: str) -> None:
    assert_apart(parse_org(text).definitions, 1, len(text.split("\n")))
    readable_org(text)

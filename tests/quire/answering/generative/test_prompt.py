from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.adapters.provider_wire import event_data, failure, lines
from quire.answering.generative.cleaning import as_data, visible
from quire.answering.generative.context import PromptSource, quote_sources
from quire.answering.generative.prompt import is_code, new_nonce, write_prompt
from quire.answering.request import Inquiry
from quire.documents import Turn
from quire.errors import ModelMisconfigured, ModelUnavailable, QuotaExceeded
from tests.support.shelves import chunk, hit_of, household, shelf_of

SOURCES = [
    PromptSource(1, (hit_of(household()[0]),), household()[0].text),
    PromptSource(2, (hit_of(household()[2]),), "Lamp."),
]


def test_rules_stand_in_the_system_instruction_and_data_between_numbered_tags() -> None:
    prompt = write_prompt(Inquiry("Why?"), SOURCES, title="the manual", nonce="0123abcd", version="2.1")
    assert "questions are about the manual" in prompt.system
    assert "NOT_COVERED" in prompt.system
    assert prompt.system.count("0123abcd") == 6
    asked = prompt.turns[-1].text
    assert asked.index('<source-0123abcd n="1">') < asked.index('<source-0123abcd n="2">')
    assert asked.endswith("Question: Why?")
    assert "(Kettle › Care, kettle.md, version 2.1)" in asked


def test_the_rules_are_the_same_for_every_question_and_the_nonce_stands_behind_them() -> None:
    one, other = (
        write_prompt(Inquiry("Why?"), SOURCES, title="x", nonce=nonce) for nonce in ("0" * 8, "1" * 8)
    )
    shared = one.system.index("0" * 8)
    assert one.system[:shared] == other.system[:shared]
    assert shared > 0.8 * len(one.system)


def test_an_answer_is_wanted_in_the_language_in_which_it_can_be_checked() -> None:
    guided = write_prompt(Inquiry("Why?", guidance="Answer in French."), SOURCES, title="t", nonce="0" * 8)
    for system in (guided.system, write_prompt(Inquiry("Why?"), SOURCES, title="t", nonce="0" * 8).system):
        assert "in the language of the\n   sources" in system
        assert "English" not in system


def test_a_source_names_path_lines_heading_and_version() -> None:
    one = chunk(
        "app/Session.php",
        "code",
        breadcrumb="SessionManager",
        start_line=82,
        end_line=117,
        heading="configure",
    )
    assert PromptSource(1, (hit_of(one),), "code").place("5.3") == (
        "SessionManager, app/Session.php:82-117, configure, version 5.3"
    )


def test_history_and_selection_are_data_too() -> None:
    inquiry = Inquiry("And now?", "some marked words", (Turn("user", "Earlier?"), Turn("assistant", "Yes.")))
    asked = write_prompt(inquiry, SOURCES, title="the manual", nonce="0123abcd").turns[-1].text
    assert "<history-0123abcd>\nuser: Earlier?\nassistant: Yes.\n</history-0123abcd>" in asked
    assert "<selection-0123abcd>\nsome marked words\n</selection-0123abcd>" in asked
    assert "which the reader marked: And now?" in asked


def test_nonces_differ() -> None:
    assert len({new_nonce() for _ in range(100)}) == 100


@given(st.text(max_size=200))
def test_cleaning_twice_changes_nothing_more_and_leaves_no_closing_tag(text: str) -> None:
    once = as_data(text)
    assert visible(once) == once
    assert "</source" not in once.lower()
    assert "<|" not in once


def test_code_in_a_source_keeps_its_brackets() -> None:
    assert as_data("```js\nconst a = [1, 2];\n```\nsee [2]") == "```js\nconst a = [1, 2];\n```\nsee (2)"
    assert as_data("as shown [2][3], and [^4]") == "as shown (2)(3), and (4)"
    assert as_data("rows[3] and f(x)[1]") == "rows[3] and f(x)[1]"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def spin(self, speed: float) -> None:", True),
        ("sudo apt install -y some-package", True),
        ("for (let i = 0; i < n; i++) {\n  total += i;\n}", True),
        ("The controller spins the wheel at 30 Hz.", False),
        ("Version 2.0 (stable)", False),
        ("", False),
    ],
)
def test_code_is_told_from_prose(text: str, wanted: bool) -> None:
    assert is_code(text) is wanted


def test_each_number_quotes_the_passage_that_says_most_of_its_claim() -> None:
    shelf = shelf_of(household())
    text = "The scale goes with citric acid in 20 minutes [1]. The bulb draws 40 watts at most [2]."
    lamp = PromptSource(2, (hit_of(household()[2]),), household()[2].text)
    first, second = quote_sources(text, [2, 1], [SOURCES[0], lamp], shelf.index)
    assert (first.n, first.quote) == (1, "Citric acid removes the scale within 20 minutes.")
    assert (second.n, second.quote) == (2, "A bulb may draw at most 40 watts.")


def test_server_sent_events_may_be_cut_anywhere() -> None:
    stream = 'event: x\r\ndata: {"a": 1}\r\n\r\n: beat\n\ndata: ü\ndata: 2\n\ndata: [DONE]'.encode()
    wanted = ['{"a": 1}', "ü\n2", "[DONE]"]
    assert list(event_data([stream])) == wanted
    assert list(event_data(bytes([byte]) for byte in stream)) == wanted


@pytest.mark.parametrize("pieces", [[b"\xff\xfe"], [b"x" * 1_200_000]])
def test_a_stream_that_is_no_text_or_has_no_lines_is_refused(pieces: list[bytes]) -> None:
    with pytest.raises(ModelUnavailable, match="provider"):
        list(lines(pieces))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ModelMisconfigured),
        (401, ModelMisconfigured),
        (404, ModelMisconfigured),
        (408, ModelUnavailable),
        (429, QuotaExceeded),
        (500, ModelUnavailable),
        (529, ModelUnavailable),
    ],
)
def test_a_status_says_whether_waiting_helps(status: int, kind: type[Exception]) -> None:
    assert type(failure("somebody", status, "x" * 999)) is kind
    assert len(str(failure("somebody", status, "x" * 999))) < 400

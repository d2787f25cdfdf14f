from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from quire.answering.generative.deadline import within
from quire.answering.generative.generation import Draft, generate
from quire.answering.generative.prompt import Prompt
from quire.answering.request import Usage
from quire.documents import Turn
from quire.errors import (
    AnswerCut,
    ModelMisconfigured,
    ModelRefused,
    ModelUnavailable,
    QuireError,
    QuotaExceeded,
)
from quire.ports import Spent
from tests.support.shelves import Scripted

PROMPT = Prompt("Rules.", (Turn("user", "Question?"),))
GOOD = ["The kettle is steel ", "[1]. It is ", "heavy [2][7]."]


def drafted(*calls: Sequence[Any], deadline_s: float = 5.0) -> tuple[list[str], Draft, Scripted]:
    model, draft = Scripted(*calls), Draft()
    deadline = time.monotonic() + deadline_s
    pieces = list(generate(model, PROMPT, draft, known=range(1, 4), max_tokens=99, deadline=deadline))
    return pieces, draft, model


def test_pieces_join_to_the_draft_and_unknown_numbers_are_counted() -> None:
    pieces, draft, _ = drafted([*GOOD, Spent(40, 9)])
    assert "".join(pieces) == draft.text == "The kettle is steel [1]. It is heavy [2]."
    assert draft.used == (1, 2)
    assert draft.usage == Usage(prompt_tokens=40, answer_tokens=9, attempts=1, dropped_citations=1)
    assert (draft.notices, draft.degraded) == ([], [])


def test_nothing_is_shown_before_the_first_citation() -> None:
    arrived: list[str] = []

    def arrive(text: str) -> str:
        arrived.append(text)
        return text

    steps = [lambda: arrive("A claim. "), lambda: arrive("Its source [1]. "), "More."]
    model, draft = Scripted(steps), Draft()
    deadline = time.monotonic() + 5
    pieces = generate(model, PROMPT, draft, known=range(1, 2), max_tokens=9, deadline=deadline)
    shown_when = [len(arrived) for _ in pieces]
    assert shown_when[0] == 2
    assert draft.text == "A claim. Its source [1]. More."


def test_an_answer_without_a_citation_is_asked_for_once_more() -> None:
    _, draft, model = drafted(["Just trust me [9]."], GOOD)
    assert len(model.asked) == draft.usage.attempts == 2
    assert draft.text.startswith("The kettle is steel [1]")
    assert draft.usage.dropped_citations == 2


def test_a_second_answer_without_a_citation_is_given_up() -> None:
    pieces, draft, model = drafted(["Trust me."])
    assert (pieces, draft.text, len(model.asked)) == ([], "", 2)
    assert draft.degraded == ["answer model cited none of the sources: quoted from the sources instead"]


@pytest.mark.parametrize("text", ["NOT_COVERED", "`NOT_COVERED`.", " not_covered\n"])
def test_a_model_may_say_that_the_sources_do_not_answer(text: str) -> None:
    _, draft, model = drafted([text])
    assert draft.not_covered
    assert len(model.asked) == 1


def test_an_overload_is_tried_again_after_the_delay_that_the_server_named() -> None:
    began = time.monotonic()
    _, draft, model = drafted([ModelUnavailable("busy", retry_after_s=0.3)], GOOD)
    assert len(model.asked) == 2
    assert time.monotonic() - began >= 0.3
    assert draft.text


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (QuotaExceeded("daily"), "quota"),
        (QuotaExceeded("later", retry_after_s=30), "quota"),
        (ModelUnavailable("later", retry_after_s=30), "unavailable"),
        (ModelMisconfigured("bad key"), "not set up right"),
        (ModelRefused("blocked"), "filter"),
        (AnswerCut("long"), "length limit"),
    ],
)
def test_what_waiting_does_not_mend_within_the_deadline_fails_at_once(error: QuireError, word: str) -> None:
    began = time.monotonic()
    _, draft, model = drafted([error], GOOD)
    assert time.monotonic() - began < 0.5
    assert len(model.asked) == 1
    assert word in draft.degraded[0]
    assert draft.degraded[0].endswith("quoted from the sources instead")
    assert "key" not in draft.degraded[0].replace("keyword", ""), "a provider's words are not for users"


@pytest.mark.parametrize(
    ("error", "notice", "degraded"),
    [
        (AnswerCut("max"), "length limit", False),
        (ModelRefused("safety"), "filter", True),
        (ModelUnavailable("reset"), "incomplete", True),
    ],
)
def test_an_answer_that_broke_off_after_a_citation_stands_and_says_so(
    error: QuireError, notice: str, degraded: bool
) -> None:
    _, draft, model = drafted([*GOOD, error])
    assert draft.text == "The kettle is steel [1]. It is heavy [2]."
    assert notice in draft.notices[0]
    assert bool(draft.degraded) is degraded
    assert len(model.asked) == 1


def slowly() -> str:
    time.sleep(1.0)
    return "late [1]"


def test_a_model_that_hangs_is_left_at_the_deadline() -> None:
    began = time.monotonic()
    _, draft, _ = drafted([slowly], deadline_s=0.2)
    assert time.monotonic() - began < 0.8
    assert draft.degraded == [
        "answer model took longer than its time (script): quoted from the sources instead"
    ]


def test_a_drip_is_cut_at_the_deadline_even_between_pieces() -> None:
    def drip() -> Iterator[str]:
        while True:
            yield "x"
            time.sleep(0.01)

    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match="deadline"):
        for _ in within(began + 0.2, drip()):
            pass
    assert time.monotonic() - began < 0.6


def test_who_stops_listening_closes_the_pieces() -> None:
    closed = threading.Event()

    def pieces() -> Iterator[int]:
        try:
            yield from range(1000)
        finally:
            closed.set()

    bounded = within(time.monotonic() + 5, pieces())
    assert next(bounded) == 0
    bounded.close()
    assert closed.wait(2)


def test_errors_of_the_pieces_come_through() -> None:
    def pieces() -> Iterator[int]:
        yield 1
        raise QuotaExceeded("used up")

    with pytest.raises(QuotaExceeded):
        list(within(time.monotonic() + 5, pieces()))

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from quire.answering.generative.completion import within
from quire.answering.generative.context import PromptSource
from quire.answering.generative.generation import CHARACTERS_A_TOKEN, Draft, generate
from quire.answering.generative.judging import FLAG, Judge
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
from tests.support.pace import is_within
from tests.support.shelves import Scripted, chunk, hit_of, shelf_of

PROMPT = Prompt("Rules.", (Turn("user", "Question?"),))
TEXTS = ["The kettle is made of steel.", "The kettle is heavy: it weighs 3 kg.", "The lamp needs a bulb."]
CHUNKS = [chunk(f"page{number}.md", text) for number, text in enumerate(TEXTS)]
SOURCES = [PromptSource(n, (hit_of(one),), one.text) for n, one in enumerate(CHUNKS, 1)]
SHELF = shelf_of(CHUNKS)
GOOD = ["The kettle is steel ", "[1]. It is ", "heavy [2][7]."]


def judge() -> Judge:
    return Judge(SOURCES, SHELF.index)


def drafted(*calls: Sequence[Any], deadline_s: float = 5.0) -> tuple[list[str], Draft, Scripted]:
    model, draft = Scripted(*calls), Draft()
    deadline = time.monotonic() + deadline_s
    pieces = list(generate(model, PROMPT, draft, judge_of=judge, max_tokens=99, deadline=deadline))
    return pieces, draft, model


def test_pieces_join_to_the_draft_and_unknown_numbers_are_counted() -> None:
    pieces, draft, _ = drafted([*GOOD, Spent(40, 9)])
    assert "".join(pieces) == draft.text == "The kettle is steel [1]. It is heavy [2]."
    assert draft.used == (1, 2)
    assert draft.usage == Usage(prompt_tokens=40, answer_tokens=9, attempts=1, dropped_citations=1)
    assert (draft.notices, draft.degraded) == ([], [])


def test_nothing_is_shown_before_a_source_says_something_of_it() -> None:
    arrived: list[str] = []

    def arrive(text: str) -> str:
        arrived.append(text)
        return text

    steps = [
        lambda: arrive("Napoleon owned it. "),
        lambda: arrive("The kettle is steel [1]. "),
        lambda: arrive("It is "),
        lambda: arrive("heavy."),
    ]
    model, draft = Scripted(steps), Draft()
    deadline = time.monotonic() + 5
    pieces = generate(model, PROMPT, draft, judge_of=judge, max_tokens=9, deadline=deadline)
    shown_when = [len(arrived) for _ in pieces]
    assert shown_when == [3, 4], "a sentence is shown when the next one begins"
    assert draft.text == f"Napoleon owned it{FLAG}. The kettle is steel [1]. It is heavy [2]."
    assert "Napoleon owned it" in draft.notices[0]


def test_a_right_answer_without_a_mark_is_marked_and_costs_one_call() -> None:
    _, draft, model = drafted(["The kettle is made of steel. It weighs 3 kg."])
    assert len(model.asked) == 1
    assert draft.text == "The kettle is made of steel [1]. It weighs 3 kg [2]."
    assert (draft.used, draft.notices, draft.degraded) == ((1, 2), [], [])


def test_an_answer_of_which_the_sources_say_nothing_is_asked_for_once_more() -> None:
    _, draft, model = drafted(["Just trust my word [9]."], GOOD)
    assert len(model.asked) == draft.usage.attempts == 2
    assert draft.text.startswith("The kettle is steel [1]")
    assert draft.usage.dropped_citations == 2


def test_a_second_answer_of_which_the_sources_say_nothing_is_given_up() -> None:
    pieces, draft, model = drafted(["Trust my word."])
    assert (pieces, draft.text, len(model.asked)) == ([], "", 2)
    assert draft.degraded == [
        "answer model said nothing that the sources say: quoted from the sources instead"
    ]


def test_a_model_that_does_not_end_is_cut() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "The kettle is steel [1]. "

    _, draft, _ = drafted(endless())  # type: ignore[arg-type]
    assert len(draft.text) <= 99 * CHARACTERS_A_TOKEN
    assert draft.notices == ["The answer was cut at its length limit."]


def test_what_nobody_sees_and_what_a_page_would_load_does_not_pass() -> None:
    text = "The kettle\x00 is st\u202eeel [1]. ![](https://example.com/?leak=1) It is heavy <img src=x> [2]."
    _, draft, _ = drafted(list(text))
    assert draft.text.startswith("The kettle is steel [1].")
    assert "example.com" not in draft.text
    assert "<img" not in draft.text


@pytest.mark.parametrize(
    "text",
    [
        "NOT_COVERED",
        "`NOT_COVERED`.",
        " not_covered\n",
        "<think>Is there a price?</think>\n\nNOT_COVERED",
        "The sources do not say what the kettle costs.",
        "I'm sorry, but I cannot find this. There is no information about it.",
        "I don't know.",
    ],
)
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
        (QuotaExceeded("in a while", retry_after_s=10), "quota"),
        (ModelMisconfigured("bad key"), "not set up right"),
        (ModelRefused("blocked"), "filter"),
        (AnswerCut("long"), "length limit"),
    ],
)
def test_what_waiting_does_not_mend_within_the_deadline_fails_at_once(error: QuireError, word: str) -> None:
    began = time.monotonic()
    _, draft, model = drafted([error], GOOD, deadline_s=20.0)
    # Nothing was waited for: neither the delay of 30 s nor the deadline.
    assert is_within(time.monotonic() - began, 0.5)
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


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["The kettle is steel [1]. Then you sho"], "The kettle is steel [1]. "),
        (["The kettle is steel [1]. It is heavy [2]"], "The kettle is steel [1]. It is heavy [2]"),
        (["The kettle is made of steel"], "The kettle is made of steel [1]"),
        (
            ["The kettle is steel [1]:\n\n```sh\nboil --st"],
            "The kettle is steel [1]:\n\n```sh\nboil --st\n```",
        ),
    ],
)
def test_of_an_answer_that_broke_off_no_half_sentence_is_shown(pieces: list[str], text: str) -> None:
    shown, draft, _ = drafted([*pieces, AnswerCut("max")])
    assert "".join(shown) == draft.text
    assert draft.text.startswith(text.rstrip()[:-1])
    assert "Then" not in draft.text
    assert draft.text.count("```") in (0, 2)
    assert draft.notices[-1] == "The answer was cut at its length limit."


@pytest.mark.parametrize(
    "thought", ["<think>{}</think>", "<thinking>{}</thinking>\n", "[THINK]{}[/THINK]", "{}</think>"]
)
@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_what_a_model_thinks_aloud_is_no_part_of_its_answer(thought: str, size: int) -> None:
    said = thought.format("They ask about the kettle. Napoleon owned it, 3 of them. ") + "".join(GOOD)
    pieces, draft, _ = drafted([said[start : start + size] for start in range(0, len(said), size)])
    assert draft.text == "".join(pieces) == "The kettle is steel [1]. It is heavy [2]."
    assert draft.notices == []


def test_a_stream_that_showed_a_thought_ends_with_the_answer_alone() -> None:
    said = ["The kettle is steel, I read. ", "So I say that.</think>", "It is heavy [2]."]
    pieces, draft, _ = drafted(said)
    assert (draft.text, draft.used) == ("It is heavy [2].", (2,))
    assert "".join(pieces).endswith(draft.text)


def test_a_model_that_only_thought_gave_no_answer() -> None:
    _, draft, _ = drafted(["<think>The kettle is steel [1]. I should", AnswerCut("max")])
    assert draft.text == ""
    assert "length limit before it cited" in draft.degraded[0]


def test_a_model_that_hangs_is_left_at_the_deadline() -> None:
    let_go = threading.Event()
    woken: list[bool] = []

    def hangs() -> str:
        woken.append(let_go.wait(60))
        return "late [1]"

    _, draft, _ = drafted([hangs], deadline_s=0.2)
    assert not woken, "the draft waited for the model"
    let_go.set()
    assert draft.degraded == [
        "answer model took longer than its time (script): quoted from the sources instead"
    ]


def test_a_drip_is_cut_at_the_deadline_even_between_pieces() -> None:
    def drip() -> Iterator[str]:
        for _ in range(2_000):
            yield "x"
            time.sleep(0.01)

    pieces: list[str] = []
    with pytest.raises(ModelUnavailable, match="deadline"):
        pieces.extend(within(time.monotonic() + 0.2, drip()))
    assert len(pieces) <= 25, "a piece every 10 ms, for 200 ms"


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
    assert closed.wait(30)


def test_errors_of_the_pieces_come_through() -> None:
    def pieces() -> Iterator[int]:
        yield 1
        raise QuotaExceeded("used up")

    with pytest.raises(QuotaExceeded):
        list(within(time.monotonic() + 5, pieces()))

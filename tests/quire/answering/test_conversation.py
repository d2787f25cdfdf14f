from __future__ import annotations

import pytest

from quire.answering.conversation import complete, is_follow_up, is_vague, join, points_nowhere, read_message
from quire.answering.small_talk import bare_question
from quire.documents import Turn
from quire.search.intent import read_intent

VAGUE = """
Tell me more
continue
can you explain that again?
what do you mean
why?
ok and then?
I don't get it
show me another example
what else?
which one is better
Summarize this
and on the desktop?
what about the other one?
""".strip().splitlines()
CLEAR = """
What is a lidar?
state
How does DDS work?
task.spawn
show me an example of a state machine
why is the sky blue
help text of a button
""".strip().splitlines()
TALK = (
    Turn("user", "What does the lidar cost?"),
    Turn("assistant", "It costs 249 dollars [1]."),
    Turn("user", "thanks"),
    Turn("assistant", "You are welcome."),
)


@pytest.mark.parametrize("question", VAGUE)
def test_a_question_that_names_nothing_is_vague(question: str) -> None:
    assert is_vague(question)


@pytest.mark.parametrize("question", CLEAR)
def test_a_question_that_names_something_is_not_vague(question: str) -> None:
    assert not is_vague(question)


@pytest.mark.parametrize("question", ["And its range?", "How heavy is it?", "What are the drawbacks?"])
def test_a_follow_up_is_completed_by_the_last_question_that_said_something(question: str) -> None:
    assert complete(question, TALK) == f"{question}\nWhat does the lidar cost?"


@pytest.mark.parametrize(
    "question", ["tell me more", "why not?", "is that all", "Summarise that", "in Python?"]
)
def test_what_is_asked_of_the_answer_is_found_by_what_that_was_found_by(question: str) -> None:
    assert complete(question, TALK) == "What does the lidar cost?"


def test_a_follow_up_of_follow_ups_reaches_back_to_the_question_that_named_the_topic() -> None:
    asked = [
        "What is a gyroscope?",
        "What does the lidar cost?",
        "And how many days does it take to arrive?",
        "ok",
        "Can I send it back?",
    ]
    talk = [turn for text in asked for turn in (Turn("user", text), Turn("assistant", "So it is [1]."))]
    lines = complete("How long may I wait for that?", talk).split("\n")
    assert lines == ["How long may I wait for that?", "Can I send it back?", asked[2], asked[1]]


def test_the_twelfth_question_about_one_thing_is_searched_with_its_topic_and_the_last_follow_ups() -> None:
    asked = ["What does the lidar cost?"] + [f"And the weight of lens {n}?" for n in range(11)]
    talk = [turn for text in asked for turn in (Turn("user", text), Turn("assistant", "So it is [1]."))]
    lines = complete("And its range?", talk).split("\n")
    assert lines == ["And its range?", *asked[:-5:-1], asked[0]]


@pytest.mark.parametrize(
    "question",
    [
        "What is a gyroscope?",
        "What is a lidar and how does it measure distance?",
        "Why is it said that a body shapes a mind?",
    ],
)
def test_a_question_that_stands_alone_does_not_drag_the_old_topic_along(question: str) -> None:
    assert complete(question, TALK) == question


def test_without_a_history_nothing_is_rewritten() -> None:
    assert complete("And its range?", ()) == "And its range?"
    assert complete("tell me more", (Turn("user", "hello"), Turn("assistant", "Hello."))) == "tell me more"


def test_thanks_small_talk_and_other_languages_between_are_not_what_a_follow_up_follows() -> None:
    asked = [
        "What does the lidar cost?",
        "are you a bot?",
        "¿Cuánto cuesta y dónde lo puedo comprar?",
        "great",
    ]
    talk = [turn for text in asked for turn in (Turn("user", text), Turn("assistant", "So it is [1]."))]
    assert complete("Thanks! And its range?", talk) == f"And its range?\n{asked[0]}"
    assert join("¿y qué peso tiene?", talk) == f"¿y qué peso tiene?\n{asked[2]}"


@pytest.mark.parametrize(
    "question",
    [
        "no, I meant the camera",
        "Sorry, I meant the camera",
        "I mean the camera",
        "no, the camera",
        "not that, the camera",
    ],
)
def test_a_correction_is_searched_for_by_what_is_meant_with_what_it_corrects(question: str) -> None:
    assert complete(question, TALK) == "the camera\nWhat does the lidar cost?"


@pytest.mark.parametrize(
    "question", ["No module named tkinter", "Hello World in Rust", "Nice values of a process"]
)
def test_a_question_that_opens_like_a_correction_or_courtesy_is_left_as_it_is(question: str) -> None:
    assert complete(question, TALK) == question


@pytest.mark.parametrize(
    "said",
    ["I'm new to the lamp trade.", "I'm stuck in vim, help!", "Hi - quick question:", "Please: thanks!"],
)
def test_sentences_that_ask_nothing_are_left_out(said: str) -> None:
    assert bare_question(f"{said} How is a lamp lit?") == "How is a lamp lit?"


@pytest.mark.parametrize(
    "question",
    [
        "Hello, world in C",
        "nice -n 10 lamp, what does it do?",
        "question-answering pipeline",
        "help.txt is empty",
        "/help: what does the lamp show?",
        "I want to know if statements burn",
        "How do I print: thanks",
        "Compare mypy, pyright, ty",
    ],
)
def test_names_and_words_that_look_like_courtesy_belong_to_the_question(question: str) -> None:
    assert bare_question(question) == question


def test_a_pronoun_that_ends_the_question_refers_to_what_was_said_before() -> None:
    assert is_follow_up("How many people have installed it?")
    assert is_follow_up("How does Haskell compile them?")
    assert is_follow_up("How do I turn that off?")
    assert is_follow_up("What if I leave it out?")
    assert not is_follow_up("How do I write a test that for some reason fails?")
    assert not is_follow_up("What if a worker stops while it holds a lock?")
    assert not is_follow_up("How do I create a part and move it?")


def test_a_pronoun_that_refers_inside_the_question_makes_no_follow_up() -> None:
    assert not is_follow_up("What is domain randomization and why does it help?")


@pytest.mark.parametrize(
    ("before", "then", "question"),
    [
        ("What does hard_stop do?", "When is it called?", "When is hard_stop called?"),
        ("What does the Poller do?", "And how often does it run?", "And how often does Poller run?"),
        ("What does hard_stop do?", "What are its arguments?", "What are its arguments?"),
        ("Is hard_stop or Poller slower?", "When is it called?", "When is it called?"),
        ("What does a pump do?", "When is it called?", "When is it called?"),
        (
            "What does hard_stop do?",
            "What does Poller do when it waits?",
            "What does Poller do when it waits?",
        ),
    ],
)
def test_a_pronoun_is_read_as_the_one_symbol_that_was_asked_about(
    before: str, then: str, question: str
) -> None:
    told = (Turn("user", before), Turn("assistant", "So it is [1]."))
    read = read_message(then, told, lambda name: name in ("hard_stop", "Poller"))
    assert read.question == question
    assert before in read.searched or read.searched == then


def test_what_calls_a_symbol_is_asked_by_when_too() -> None:
    for question in ("When is Poller.wait called?", "How often does Poller.wait get called?"):
        assert read_intent(question).related == "Poller.wait"


@pytest.mark.parametrize(
    "question", ["which port?", "max length?", "what if the key doesn't exist?", "how often?", "Any limits?"]
)
def test_a_question_that_names_nothing_is_read_with_what_it_follows(question: str) -> None:
    assert complete(question, TALK) == f"{question}\nWhat does the lidar cost?"


@pytest.mark.parametrize(
    "question",
    [
        "如何安装这个软件?",
        "ロボットの重さはどのくらいですか",
        "Как установить робота?",
        "¿Cuánto cuesta el radar?",
    ],
)
def test_of_other_languages_no_question_is_taken_for_one_that_names_nothing(question: str) -> None:
    assert complete(question, TALK) == question


def test_a_third_question_that_names_nothing_reaches_back_to_the_first() -> None:
    talk = (*TALK, Turn("user", "which port?"), Turn("assistant", "Port 80 [1]."))
    assert complete("how often?", talk) == "how often?\nwhich port?\nWhat does the lidar cost?"


@pytest.mark.parametrize(
    ("before", "question", "whole"),
    [
        ("What is BRV-101?", "and 204?", "What is BRV-204?"),
        ("What does error 500 mean?", "What about 404?", "What does error 404 mean?"),
        ("What is new in 3.2.0?", "and in 3.1.0?", "What is new in 3.1.0?"),
        ("Where is the log file on Linux?", "What about macOS?", "Where is the log file on macOS?"),
        ("How do I install it on linux", "and on Windows 11?", "How do I install it on Windows 11"),
    ],
)
def test_a_few_words_are_put_in_place_of_what_was_asked_about(before: str, question: str, whole: str) -> None:
    history = Turn("user", before), Turn("assistant", "So [1].")
    assert read_message(question, history, bool)[:2] == (whole, whole)
    assert read_message(question, (*history, Turn("user", "thanks"), Turn("assistant", "Welcome.")), bool)[
        :2
    ] == (whole, whole)


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("How many printers are there?", "and 204?"),
        ("Is 20 mm enough, or 30 mm?", "and 40?"),
        ("What is new in 3.2.0?", "and 204?"),
        ("How do I find the mac address?", "and on Linux?"),
    ],
)
def test_where_nothing_can_be_replaced_a_follow_up_is_joined_to_what_it_follows(
    before: str, question: str
) -> None:
    history = Turn("user", before), Turn("assistant", "So [1].")
    assert read_message(question, history, bool).searched == f"{question}\n{before}"


@pytest.mark.parametrize(
    ("before", "question", "whole"),
    [
        ("How do I pass environment variables?", "and set one?", "How do I set environment variables?"),
        ("How can I print a label?", "or delete one", "How can I delete a label?"),
        ("How do I enable source maps?", "and disable them?", "How do I disable source maps?"),
        ("How to print labels", "how do I delete some?", "How to delete labels"),
    ],
)
def test_what_else_is_to_be_done_is_done_to_a_thing_of_the_kind(
    before: str, question: str, whole: str
) -> None:
    history = Turn("user", before), Turn("assistant", "So [1].")
    assert read_message(question, history, bool)[:2] == (whole, whole)


def test_i_is_no_symbol_that_a_pronoun_may_mean() -> None:
    history = Turn("user", "How do I set a cookie?"), Turn("assistant", "So [1].")
    assert read_message("and when is it sent?", history, bool).question == "and when is it sent?"


@pytest.mark.parametrize(
    ("question", "is_new"),
    [
        ("where are the logs?", True),
        ("how do sessions work?", True),
        ("where is it?", False),
        ("and logs?", False),
    ],
)
def test_few_words_that_point_at_nothing_may_be_a_new_topic(question: str, is_new: bool) -> None:
    assert points_nowhere(question) == is_new


def test_a_correction_is_put_in_place_of_what_was_asked_before_a_follow_up() -> None:
    history = [Turn("user", "How do I install Lamp on Debian?"), Turn("assistant", "So [1].")]
    history += [Turn("user", "why would I buy that?"), Turn("assistant", "So [1].")]
    assert read_message("no, I meant on a Mac", history, bool).question == "How do I install Lamp on Mac?"


def test_what_was_put_in_place_may_be_replaced_again() -> None:
    history = [Turn("user", "How do I install Lamp on Linux?"), Turn("assistant", "So [1].")]
    history += [Turn("user", "and on Windows?"), Turn("assistant", "So [1].")]
    assert read_message("and mac?", history, bool).question == "How do I install Lamp on mac?"
    assert (
        read_message("is it safe?", history, bool).searched
        == "is it safe?\nHow do I install Lamp on Windows?"
    )


@pytest.mark.parametrize(
    ("before", "question", "whole"),
    [
        ("How do I pause a printer?", "How do I undo that?", "How do I resume a printer?"),
        ("Enable the dark mode", "can I revert it later?", "disable the dark mode"),
    ],
)
def test_what_undoes_something_is_its_opposite_on_the_page_in_hand(
    before: str, question: str, whole: str
) -> None:
    history = Turn("user", before), Turn("assistant", "So [1].")
    assert read_message(question, history, bool)[:2] == (whole, f"{whole}\n{before}")

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from quire.analysis.language import NOTICE, OTHER_NOTICE
from quire.answering.answerer import answer, stream_answer
from quire.answering.events import Citations, Delta, Done, Sources
from quire.answering.findings import AskedCollection
from quire.answering.request import EXTRACTIVE, Answer, Inquiry
from quire.documents import Turn
from quire.errors import InputError, ModelUnavailable, QuotaExceeded
from quire.index.opened import OpenedIndex
from quire.search.retrieval import Query, retrieve
from tests.support.shelves import Scripted, chunk, household, pages, shelf_of

SHELF = shelf_of(household())
QUESTION = "How often do I descale the kettle, every how many months?"
GOOD = ["Every two months ", "[1]. It takes 20 minutes [1]."]


def check_quotes(given: Answer) -> None:
    for citation in given.citations:
        assert citation.quote == citation.hit.chunk.text[citation.start : citation.end]
        assert f"[{citation.n}]" in given.text


def test_without_a_model_the_answer_quotes_and_cites() -> None:
    given = answer(SHELF, Inquiry(QUESTION))
    assert given.answerable
    assert given.model_used == EXTRACTIVE
    assert given.usage.attempts == 0
    assert "Descale the kettle every two months." in given.text
    assert given.version == "v1"
    check_quotes(given)


def test_with_a_model_its_text_is_the_answer_and_the_quotes_support_it() -> None:
    model = Scripted(GOOD)
    given = answer(SHELF, Inquiry(QUESTION), model)
    assert given.text == "Every two months [1]. It takes 20 minutes [1]."
    assert given.model_used == "scripted"
    assert [citation.n for citation in given.citations] == [1]
    assert "months" in given.citations[0].quote or "minutes" in given.citations[0].quote
    assert given.usage.attempts == 1
    assert given.usage.prompt_tokens > 0
    check_quotes(given)


@pytest.mark.parametrize("model", [None, Scripted(GOOD)])
def test_a_stream_has_the_same_content_in_the_end(model: Scripted | None) -> None:
    events = list(stream_answer(SHELF, Inquiry(QUESTION), model))
    assert isinstance(events[0], Sources)
    assert isinstance(events[-2], Citations)
    assert isinstance(events[-1], Done)
    given = events[-1].answer
    assert "".join(event.text for event in events if isinstance(event, Delta)) == given.text
    assert events[0].hits == given.hits
    assert events[-2].citations == given.citations


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ([ModelUnavailable("down", retry_after_s=60)], "unavailable"),
        ([QuotaExceeded("used up")], "quota"),
        (["Nobody knows why."], "nothing that the sources say"),
    ],
)
def test_where_the_model_fails_quotes_answer_and_say_so(script: list[object], word: str) -> None:
    given = answer(SHELF, Inquiry(QUESTION), Scripted(script))
    assert given.answerable
    assert given.model_used == EXTRACTIVE
    assert word in given.degraded[0]
    assert given.usage.attempts >= 1
    check_quotes(given)


def test_the_deadline_of_the_inquiry_bounds_the_model() -> None:
    let_go = threading.Event()
    woken: list[bool] = []

    def slowly() -> str:
        woken.append(let_go.wait(60))
        return "late [1]"

    given = answer(SHELF, Inquiry(QUESTION, deadline_s=0.3), Scripted([slowly]))
    assert not woken, "the answer waited for the model"
    let_go.set()
    assert given.model_used == EXTRACTIVE
    assert given.citations


def test_a_topic_that_is_not_there_is_refused_with_headings_that_are() -> None:
    given = answer(SHELF, Inquiry("Who won the Zorbatron championship in Reykjavik?"))
    assert not given.answerable
    assert given.text.startswith("This topic is not covered in the Household documentation.")
    headings = {hit.chunk.breadcrumb for hit in given.hits}
    assert any(heading in given.text for heading in headings)
    assert given.citations == ()


def test_a_hopeless_question_costs_no_model_call() -> None:
    model = Scripted(GOOD)
    assert not answer(SHELF, Inquiry("Who won the Zorbatron championship in Reykjavik?"), model).answerable
    assert model.asked == []


def test_a_model_that_says_not_covered_is_believed() -> None:
    given = answer(SHELF, Inquiry(QUESTION), Scripted(["NOT_COVERED"]))
    assert not given.answerable
    assert given.model_used == "scripted"
    assert given.text.startswith("This topic is not covered in")


@pytest.mark.parametrize("question", ["Tell me more", "it does not work", "help"])
def test_a_vague_question_is_asked_back_without_a_search(question: str) -> None:
    given = answer(SHELF, Inquiry(question))
    assert not given.answerable
    assert (
        given.text == "I need more context. Please ask a specific question about the documentation content."
    )
    assert given.hits == ()


def test_a_follow_up_shows_what_its_own_words_ask_and_nothing_that_was_just_shown() -> None:
    chunks = [
        chunk(
            "store.md", "# Release\n\nFor iPhones, upload the finished app to the App Store with Transporter."
        ),
        chunk("store.md", "# More\n\nFor Android, upload the finished app to Google Play as a bundle.", 1),
    ]
    shelf = shelf_of(chunks)
    question = "How do I upload the finished app to the App Store?"
    assert "Transporter" in answer(shelf, Inquiry(question)).text
    shown = "For iPhones, upload the finished app to the App Store with Transporter. [1]"
    history = (Turn("user", question), Turn("assistant", shown))
    given = answer(shelf, Inquiry("and for Android?", history=history))
    assert "Google Play" in given.citations[0].quote
    assert all("Transporter" not in citation.quote for citation in given.citations)


DESCALED = (Turn("user", QUESTION), Turn("assistant", answer(SHELF, Inquiry(QUESTION)).text))


@pytest.mark.parametrize("question", ["Who painted it?", "And how loud does it whistle?"])
def test_a_follow_up_that_the_sources_do_not_answer_is_refused_though_they_know_its_topic(
    question: str,
) -> None:
    given = answer(SHELF, Inquiry(question, history=DESCALED))
    assert not given.answerable
    assert given.confidence is not None
    assert given.confidence < SHELF.abstention.threshold


@pytest.mark.parametrize(
    ("question", "said"), [("And do I rinse it afterwards?", "Rinse it twice"), ("Why?", "scale")]
)
def test_a_follow_up_that_the_sources_answer_is_answered(question: str, said: str) -> None:
    given = answer(SHELF, Inquiry(question, history=DESCALED))
    assert given.answerable
    assert said in given.text


def test_a_question_that_is_not_covered_by_itself_may_be_by_what_it_follows() -> None:
    chunks = [chunk("lathe.md", "# Lathe\n\nThe lathe turns at up to 900 rounds with two motors.")]
    shelf = shelf_of([*chunks, *household()])
    opening = Turn("user", "How fast does the lathe turn?")
    question = "With several motors?"
    assert not answer(SHELF, Inquiry(question)).answerable
    given = answer(shelf, Inquiry(question, history=(opening, Turn("assistant", "At 900 rounds [1]."))))
    assert given.answerable
    assert "two motors" in given.text
    strange = Inquiry("Which colours suit a wedding in Verona?", history=(opening,))
    assert not answer(shelf, strange).answerable


def test_a_model_is_asked_a_follow_up_whose_own_words_the_sources_do_not_hold() -> None:
    model = Scripted(["Every two months ", "[1]."])
    given = answer(SHELF, Inquiry("Can you shorten it for a child?", history=DESCALED), model)
    assert model.asked
    assert given.model_used == "scripted"


def test_a_vague_question_is_completed_by_the_history() -> None:
    history = (Turn("user", QUESTION), Turn("assistant", "Every two months [1]."))
    given = answer(SHELF, Inquiry("Tell me more", history=history))
    assert given.answerable
    assert given.hits[0].chunk.document_id == "kettle.md"


def test_a_vague_question_about_a_selection_is_about_the_selection() -> None:
    given = answer(SHELF, Inquiry("Explain this", selected_text="Citric acid removes the scale"))
    assert given.answerable
    assert "Citric acid removes the scale" in given.text


def test_a_question_in_another_language_is_noticed_and_hits_still_come() -> None:
    given = answer(SHELF, Inquiry("¿Cómo se limpia la kettle con citric acid?"))
    assert given.notices[0] == NOTICE
    assert given.hits


def test_a_collection_names_itself_by_its_kind() -> None:
    shelf = shelf_of(household(), profile="textbook", title="Robots for All")
    refused = answer(shelf, Inquiry("Who won the Zorbatron championship?"))
    assert refused.text.startswith("This topic is not covered in the Robots for All textbook.")
    vague = answer(shelf, Inquiry("Tell me more"))
    assert vague.text == "I need more context. Please ask a specific question about the textbook content."


def test_what_undoes_an_answer_is_shown_or_said_to_be_missing() -> None:
    asked = "How do I clean the kettle?"
    talk = (Turn("user", asked), Turn("assistant", answer(SHELF, Inquiry(asked)).text))
    given = answer(SHELF, Inquiry("How do I undo that?", history=talk))
    assert not given.answerable
    assert given.text.startswith("I found nothing on how to undo this in ")


def test_what_is_asked_of_an_answer_is_asked_of_what_that_was_found_by() -> None:
    talk = (Turn("user", "How often do I clean the lamp?"), Turn("assistant", "Every year [1]."))
    first = answer(SHELF, Inquiry("how do I descale?", history=talk))
    told = (*talk, Turn("user", "how do I descale?"), Turn("assistant", first.text))
    assert [one.hit.chunk.breadcrumb for one in first.citations] == ["Kettle › Care"]
    assert answer(SHELF, Inquiry("why?", history=told)).citations[0].hit.chunk.breadcrumb == "Kettle › Care"


def test_a_follow_up_of_a_follow_up_that_changed_the_topic_follows_that_one() -> None:
    said = [
        "Who won the Zorbatron cup?",
        "And the Florp quest?",
        "and the Murgle race?",
        "and descaling the kettle?",
    ]
    talk = [turn for text in said for turn in (Turn("user", text), Turn("assistant", "So [1]."))]
    found = answer(SHELF, Inquiry("And citric acid?", history=tuple(talk))).citations
    assert found[0].hit.chunk.breadcrumb == "Kettle › Care"


def test_a_new_topic_in_few_words_is_answered_by_itself_where_it_is_found_clearly() -> None:
    talk = (Turn("user", "Which bulb does the lamp take?"), Turn("assistant", "An E14 bulb [1]."))
    found = answer(SHELF, Inquiry("where do I unplug?", history=talk)).citations
    assert [one.hit.chunk.breadcrumb for one in found] == ["Kettle › Safety"]


def test_a_word_behind_turns_that_name_nothing_is_looked_up_and_not_asked_back() -> None:
    talk = (Turn("user", "that did not work"), Turn("assistant", "Then it is broken."))
    assert answer(SHELF, Inquiry("What about descaling?", history=talk)).answerable
    assert not answer(SHELF, Inquiry("What about that?", history=talk)).hits


def test_without_an_embedder_words_answer_and_the_answer_says_so() -> None:
    shelf = AskedCollection(SHELF.index, None, "Household")
    given = answer(shelf, Inquiry(QUESTION))
    assert given.answerable
    assert "keywords alone" in given.degraded[0]


def test_an_unknown_filter_is_the_caller_s_error() -> None:
    with pytest.raises(InputError, match="colour"):
        answer(SHELF, Inquiry(QUESTION, filters={"colour": "red"}))


def test_a_prompt_for_a_small_model_holds_two_answered_examples() -> None:
    model = Scripted(GOOD, wants_examples=True)
    answer(SHELF, Inquiry(QUESTION), model)
    _, turns = model.asked[0]
    assert [turn.role for turn in turns] == ["user", "assistant", "user", "assistant", "user"]
    plain = Scripted(GOOD)
    answer(SHELF, Inquiry(QUESTION), plain)
    assert [turn.role for turn in plain.asked[0][1]] == ["user"]


def test_every_call_has_a_nonce_of_its_own() -> None:
    model = Scripted(GOOD)
    answer(SHELF, Inquiry(QUESTION), model)
    answer(SHELF, Inquiry(QUESTION), model)
    assert model.asked[0][0] != model.asked[1][0]


def test_a_selection_that_is_code_is_explained_as_code() -> None:
    model = Scripted(GOOD)
    answer(
        SHELF,
        Inquiry("How does this work?", selected_text="kettlectl --power off; kettlectl(status=True)"),
        model,
    )
    assert "code; go through it step by step" in model.asked[0][1][-1].text


def test_an_empty_collection_covers_nothing() -> None:
    shelf = shelf_of([chunk("only.md", "One line about pumps.")])
    given = answer(AskedCollection(shelf.index, None, "Pumps"), Inquiry("quantum chromodynamics lattice"))
    assert not given.answerable


SPANISH = "¿Cada cuántos meses tengo que quitar la cal del hervidor?"


def test_a_question_in_another_language_is_not_answered_by_chance() -> None:
    given = answer(SHELF, Inquiry(SPANISH))
    assert not given.answerable
    assert given.text == NOTICE
    assert given.notices == (NOTICE,)


@pytest.mark.parametrize(
    ("told", "beside", "question", "quoted"),
    [
        (
            "# Entkalken\n\nDie Maschine muss alle zwei Monate entkalkt werden, und das ist nicht schwer.",
            "Die Lampe {} steht auf dem Regal, und der Schalter ist nicht bei der Tür.",
            "Wie oft muss ich die Maschine entkalken?",
            "alle zwei Monate",
        ),
        (
            "# 清洗\n\n每两个月清洗一次机器。请将清洗剂倒入水箱。",
            "灯 {} 在架子上。",
            "机器多久清洗一次",
            "每两个月清洗一次机器",
        ),
    ],
)
def test_sources_in_another_language_answer_questions_in_theirs(
    told: str, beside: str, question: str, quoted: str
) -> None:
    others = [chunk(f"{number}.md", beside.format(number)) for number in range(20)]
    given = answer(shelf_of([chunk("a.md", told), *others]), Inquiry(question))
    assert quoted in given.text
    assert NOTICE not in given.notices
    check_quotes(given)


def test_a_few_pages_in_another_language_answer_questions_in_theirs_among_much_code() -> None:
    pages = {
        "tor.md": "Das Tor bleibt offen, wenn der Sensor ausfällt, und die Anlage meldet einen Fehler.",
        "krank.md": "Wer krank ist, meldet sich bis neun Uhr bei der Leitung.",
        "reise.md": "Für eine Reise mit der Bahn wird die zweite Klasse erstattet.",
    }
    code = [chunk(f"{number}.py", f"def gate_{number}(sensor): return sensor") for number in range(200)]
    shelf = shelf_of([*code, *(chunk(path, text) for path, text in pages.items())])
    asked = "Was meldet die Anlage, wenn der Sensor ausfällt?"
    given = answer(shelf, Inquiry(asked))
    assert "meldet einen Fehler" in given.text
    check_quotes(given)
    turns = (Turn("user", asked), Turn("assistant", given.text))
    given = answer(shelf, Inquiry("Welche Klasse wird für eine Reise mit der Bahn erstattet?", history=turns))
    assert "zweite Klasse" in given.text
    assert answer(shelf, Inquiry(SPANISH)).notices == (OTHER_NOTICE,)


def test_with_terms_a_question_in_another_language_is_answered() -> None:
    given = answer(SHELF, Inquiry(SPANISH, terms=QUESTION))
    assert given.answerable
    assert given.terms == QUESTION
    assert NOTICE not in given.notices
    assert "Descale the kettle every two months." in given.text


def test_terms_do_not_make_the_collection_cover_what_it_does_not() -> None:
    question = "Which bus goes to the airport on Sundays?"
    given = answer(SHELF, Inquiry(question, terms="descale kettle every two months"))
    plain = answer(SHELF, Inquiry(question))
    assert not given.answerable
    assert given.confidence == plain.confidence
    assert given.hits[0].chunk.document_id == "kettle.md"


def test_terms_bring_the_passage_that_is_quoted() -> None:
    question = "How do I look after the kettle?"
    given = answer(SHELF, Inquiry(question, terms="descale every two months"))
    assert given.confidence == answer(SHELF, Inquiry(question)).confidence
    check_quotes(given)


def test_a_class_that_is_called_like_an_everyday_word_is_asked_about() -> None:
    part = chunk("parts.md", "Part — Class\n\nA Part is a solid block of clay.")._replace(symbols=("Part",))
    shelf = shelf_of([part, *pages(6)])
    for question in ("What is a Part?", "Explain Part", "How do I make a part?"):
        assert "solid block of clay" in answer(shelf, Inquiry(question)).text
    assert answer(shelf_of(pages(6)), Inquiry("What is a Part?")).text.startswith("I need more context")
    assert answer(shelf, Inquiry("What is next?")).text.startswith("I need more context")


PURPOSE = [
    chunk("index.md", "# Kettlery\n\nKettlery is a workshop in which kettles are mended by their owners."),
    chunk(
        "command.md",
        "# kettlery help\n\nWhat kettlery is used for: kettlery help does print what to use it for.",
    ),
    *pages(30),
]


@pytest.mark.parametrize(
    "question",
    [
        "What is Kettlery for?",
        "what is kettlery used for",
        "What does Kettlery do?",
        "Why should I use Kettlery?",
    ],
)
def test_what_a_product_is_for_is_told_by_what_it_is(question: str) -> None:
    shelf = shelf_of(PURPOSE)
    index = OpenedIndex(
        [(segment, 0) for segment in shelf.index.segments], version="v1", name="kettlery-docs"
    )
    given = answer(replace(shelf, index=index), Inquiry(question))
    assert "a workshop in which" in given.citations[0].quote
    assert retrieve(index, shelf.embedder, Query(question)).hits[0].chunk.document_id == "index.md"


def test_it_is_the_product_behind_a_question_on_that() -> None:
    install = chunk("guide/install.md", "# Installing\n\nCarry the workbench in.")
    shelf = shelf_of([*PURPOSE, install, chunk("guide/quickstart.md", "# Quickstart\n\nLight the stove.")])
    index = OpenedIndex(
        [(segment, 0) for segment in shelf.index.segments], version="v1", name="kettlery-docs"
    )
    talk: tuple[Turn, ...] = ()
    for question in ("What is Kettlery for?", "and how do I install it?", "How do I use it?"):
        given = answer(replace(shelf, index=index), Inquiry(question, history=talk))
        talk = (*talk, Turn("user", question), Turn("assistant", given.text))
        if "install" in question:
            assert "Carry the workbench in" in given.citations[0].quote
    assert "Light the stove" in given.citations[0].quote

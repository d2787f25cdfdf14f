from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.weighing import FEW_CHUNKS, strange_words
from quire.answering.refusing import absent_words, ask_back, named, near_topics
from quire.answering.request import Inquiry
from quire.documents import Turn
from tests.support.shelves import chunk, hit_of, household, pages, shelf_of

SHELF = shelf_of(household())
QUESTION = "How often do I descale the kettle, every how many months?"


def refused(question: str, *history: Turn) -> str:
    given = answer(SHELF, Inquiry(question, history=history))
    assert not given.answerable
    return given.text


def test_a_refusal_names_the_collection_and_up_to_three_headings() -> None:
    hits = [hit_of(chunk(f"{n}.md", "x", breadcrumb=f"Part {n % 4}")) for n in range(9)]
    assert near_topics(hits) == ["Part 0", "Part 1", "Part 2"]
    assert near_topics([hit_of(chunk("a.md", "x", breadcrumb="Lamp › Lamp › Bulb"))]) == ["Lamp › Bulb"]
    page = chunk("lamp.md", "x", breadcrumb="Lamp › Bulb", url="https://a.test/lamp#bulb")
    assert near_topics([hit_of(page)]) == ["[Lamp › Bulb](https://a.test/lamp#bulb)"]
    assert named("the Handbook textbook", "textbook") == "the Handbook textbook"
    assert named("shop", "code base") == "the shop code base"
    assert named("the shop code", "code base") == "the shop code base"


def test_a_folder_of_documents_is_no_code_base() -> None:
    pages = [chunk(f"{n}.md", f"Room {n} has a window.", lang="markdown") for n in range(9)]
    code = [chunk(f"{n}.py", f"ROOM = {n}", lang="python") for n in range(9)]
    assert ask_back(shelf_of([*pages, *code[:2]], profile="code").index).endswith(
        "about the documentation content."
    )
    assert ask_back(shelf_of([*pages[:2], *code], profile="code").index).endswith(
        "about the code base content."
    )


def test_a_refusal_says_which_words_the_sources_do_not_have() -> None:
    said = refused("How do I calibrate the Zorbatron of the lamp with a stroboscope?")
    assert said.startswith("This topic is not covered in the Household documentation.")
    assert "Nothing in it mentions “Zorbatron”, “calibrate” or “stroboscope”." in said
    assert "Related topics that are covered:\n\n- " in said


def test_a_refusal_does_not_call_absent_what_it_read_as_the_sources_write_it() -> None:
    paint = "The license of the paint allows every colour. A license is kept in the drawer of the painter."
    shelf = shelf_of([*household(), *(chunk(f"paint{n}.md", paint, breadcrumb="Paint") for n in range(4))])
    for asked in (
        "Which Zorbatron needs a licence for hockey?",
        "Which Zorbatron needs a licesne for hockey?",
    ):
        said = answer(shelf, Inquiry(asked)).text
        assert "Nothing in it mentions “Zorbatron” or “hockey”." in said, asked


def test_a_single_letter_that_nothing_defines_is_not_answered_with_what_happens_to_have_it() -> None:
    code = "def pump(q, w):\n    for q in w:\n        q.run()"
    shelf = shelf_of([*household(), chunk("pump.py", code, lang="python")])
    given = answer(shelf, Inquiry("What is q?"))
    assert (given.answerable, given.citations) == (False, ())
    assert given.text == (
        "I found nothing in the Household documentation that says what “q” is. Ask about what it is used in."
    )
    assert answer(shelf, Inquiry("What is q?", selected_text=code)).answerable
    defined = chunk("flow.md", "q is the flow of the pump, in litres.", breadcrumb="Flow")
    assert "the flow of the pump" in answer(shelf_of([*household(), defined]), Inquiry("What is q?")).text
    method = chunk("task.py", "def q(self):\n    return self.queue", lang="python")
    method = method._replace(symbols=("Task.q", "q"))
    assert answer(shelf_of([*household(), method]), Inquiry("What is q?")).citations


def test_a_refusal_in_words_that_the_sources_know_is_no_claim_that_they_do_not_cover_it() -> None:
    moon = "The moon is bright tonight.\n\nAt night the owl hunts mice in the garden, and frogs sing by the pond."
    paint = "Use a wide brush and two coats of paint for the wall of a shed."
    further = chunk("garden.md", moon, breadcrumb="Garden"), chunk("paint.md", paint, breadcrumb="Paint")
    shelf = shelf_of([*household(), *further])
    given = answer(shelf, Inquiry("How wide is the pond?"))
    assert (given.answerable, given.citations) == (False, ())
    assert given.text.startswith(
        "I found no clear answer to this in the Household documentation; it may be there in other words."
        " The closest sections:\n\n- Garden\n"
    )
    far = answer(shelf, Inquiry("Who won the Zorbatron cup?"))
    assert far.text.startswith("This topic is not covered in the Household documentation.")


class Words:
    """A word list of the language at large."""

    def has_word(self, word: str) -> bool:
        """See `quire.ports.WordList`."""
        return word in {"stop", "teenager", "tablet", "book", "keeping"}


def test_a_possessive_is_no_stranger_than_its_noun() -> None:
    asked = "stop my teenager's tablet, my teenager’s, and the zorbatron's"
    assert strange_words(asked, SHELF.index, Words()) == ("zorbatron's",)


def test_words_of_known_parts_and_known_bases_are_not_strange() -> None:
    asked = "does kettle.lamp:twice unstop, distablet or mistablet kettle.zorbatron?"
    assert strange_words(asked, SHELF.index, Words()) == ("kettle.zorbatron",)


def test_a_word_that_two_ordinary_ones_make_is_not_strange_where_it_is_written_as_no_name() -> None:
    asked = "does the bookkeeping of Bookkeeping stop the bookzorbatron?"
    assert strange_words(asked, SHELF.index, Words()) == ("Bookkeeping", "bookzorbatron")


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("How do I descale the kettle?", []),
        ("Does the kettle have Wi-Fi, or a zither and a harp and a lute?", ["Wi-Fi", "zither", "harp"]),
        ("¿Dónde está la tetera?", []),
        ("What happens if it works, and does it support a zither?", ["zither"]),
        ("How many zithers does it have, and how Far is the harp?", ["zithers", "harp"]),
    ],
)
def test_words_that_are_absent_are_told_names_first(question: str, absent: list[str]) -> None:
    assert absent_words(question, SHELF.index) == absent


def test_a_refused_follow_up_is_told_that_its_topic_is_covered_and_this_is_not() -> None:
    opened = answer(SHELF, Inquiry(QUESTION))
    history = (Turn("user", QUESTION), Turn("assistant", opened.text))
    said = refused("And who painted it?", *history)
    assert said.startswith("The Household documentation covers what this follows, but I found no answer")
    assert "Nothing in it mentions “painted”." in said
    assert refused("Who won the Zorbatron cup?", *history).startswith("This topic is not covered")


def test_what_is_no_evidence_is_no_related_topic() -> None:
    people = "\n".join(f"Ada Lamp {n}" for n in range(9))
    others = [*household(), *pages(FEW_CHUNKS)]
    shelf = shelf_of([chunk("AUTHORS.txt", people, lang="text"), *others], profile="code")
    said = answer(shelf, Inquiry("Which Ada lamp has a zither?"))
    assert not said.answerable
    assert "Authors" not in said.text


def test_what_is_turned_off_without_a_name_is_asked_back_unless_something_was_said_before() -> None:
    text = "# Lamp\n\nA lamp is a light. Turn the lamp off by its lid, and turn it on by its ring."
    shelf = shelf_of(
        [chunk("lamp.md", text, 0), *[chunk(f"{n}.md", f"# Oar {n}\n\nOar {n}.", n) for n in range(40)]]
    )
    for question in ("How do I turn it off?", "turn that on", "How can I switch it off?"):
        given = answer(shelf, Inquiry(question))
        assert (given.answerable, given.citations) == (False, ())
    turns = (Turn("user", "What is a lamp?"), Turn("assistant", "A lamp is a light. [1]"))
    assert answer(shelf, Inquiry("How do I turn it off?", history=turns)).citations

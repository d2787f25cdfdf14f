from __future__ import annotations

import re
from dataclasses import replace

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.arranging import ANSWER_CHARACTERS, said_once
from quire.answering.extractive.code_lines import best_lines
from quire.answering.extractive.continuing import beside_in
from quire.answering.extractive.extractive import choose_quotes, extract
from quire.answering.extractive.quotes import Quote, written
from quire.answering.extractive.scoring import score_passages
from quire.answering.extractive.weighing import cue, weigh
from quire.answering.findings import find, find_parts
from quire.answering.request import Inquiry
from quire.documents import Chunk, text_sha256
from tests.support.shelves import KETTLE, chunk, hit_of, household, shelf_of

SHELF = shelf_of(household())


def quotes(question: str) -> tuple[str, list[str]]:
    findings = find(SHELF, Inquiry(question), question)
    text, citations = extract(findings.weighed, findings.scored)
    for citation in citations:
        assert citation.quote == citation.hit.chunk.text[citation.start : citation.end]
        assert citation.sha256 == text_sha256(citation.quote)
        said = set(re.findall(r"\w+", text))
        assert said.issuperset(re.findall(r"\w+", citation.quote))
        assert f"[{citation.n}]" in text
    return text, [citation.quote for citation in citations]


def test_the_sentence_that_answers_is_quoted_first_with_what_follows() -> None:
    text, found = quotes("What removes the scale, is it citric acid?")
    paragraph = (
        "Descale the kettle every two months. Citric acid removes the scale within 20 minutes. Rinse it"
    )
    assert found[0].startswith(f"## Care\n\n{paragraph}")
    assert text.startswith(f"**Care**\n\n{paragraph}")


def test_the_first_quote_goes_on_under_the_next_heading_while_there_is_room() -> None:
    text = (
        "## Power modes\n\nThe pump has two power modes.\n\n"
        "### Switch\n\nHold the button until it blinks.\n\n### Cold\n\n" + "Cold pumps idle a while. " * 60
    )
    findings = find(shelf_of([chunk("pump.md", text)]), Inquiry("Which power modes does the pump have?"), "x")
    _, citations = extract(findings.weighed, findings.scored)
    assert citations[0].quote.startswith("## Power modes\n\nThe pump has")
    assert "### Switch\n\nHold the button until it blinks." in citations[0].quote


def test_the_first_quote_does_not_go_on_in_a_section_of_a_higher_level() -> None:
    text = "## Power\n\n### Modes\n\nThe pump has two power modes.\n\n{} Cold\n\nIn frost it idles."
    for mark, goes_on in (("###", True), ("##", False)):
        shelf = shelf_of([chunk("pump.md", text.format(mark))])
        question = "Which modes does the pump have?"
        findings = find(shelf, Inquiry(question), question)
        _, citations = extract(findings.weighed, findings.scored)
        assert ("it idles" in citations[0].quote) is goes_on


def test_a_further_heading_whose_text_says_nothing_of_the_question_is_left_out() -> None:
    text = (
        "# Pump\n\n## Refill\n\nThe tank is refilled by the lid on top of it.\n\n"
        "## Colours\n\n- [ ] Check whether Mon: grey, Tue: red\n"
    )
    findings = find(shelf_of([chunk("pump.md", text)]), Inquiry("How is the tank refilled?"), "x")
    _, citations = extract(findings.weighed, findings.scored)
    assert citations[0].quote == "# Pump\n\n## Refill\n\nThe tank is refilled by the lid on top of it."


def test_what_the_search_found_first_opens_the_answer_unless_another_place_is_clearly_better() -> None:
    asked = weigh("Which bulb does the lamp take?", SHELF.index)
    first = chunk("lamp.md", "The lamp takes an E14 bulb from the shop.")
    other = chunk("shop.md", "The lamp does take a bulb, which the shop sells.")
    scored = score_passages(asked, [hit_of(first, 1, cosine=None), hit_of(other, 2, cosine=None)], None, None)
    nearly = [replace(one, score=4.5 if one.hit.rank == 2 else 4.0) for one in scored]
    clearly = [replace(one, score=5.5 if one.hit.rank == 2 else 4.0) for one in scored]
    assert choose_quotes(asked, nearly)[0].hit.chunk.document_id == "lamp.md"
    assert choose_quotes(asked, clearly)[0].hit.chunk.document_id == "shop.md"


def test_quotes_of_one_section_stand_in_its_order_though_they_lie_in_two_chunks() -> None:
    first = chunk("pump.md", "## Care\n\nFirst the pump is oiled by hand.", 0, start_line=4, heading="Care")
    second = chunk("pump.md", "Then the care of the pump ends.", 1, start_line=9, heading="Care")
    other = chunk("lamp.md", "The lamp needs as much care as the pump of the well.", 0, start_line=1)
    asked = weigh("How is the pump oiled, which care does it need?", SHELF.index)
    found = [hit_of(one, rank, cosine=None) for rank, one in enumerate((second, other, first), 1)]
    scored = [replace(one, score=5.0 - one.hit.rank) for one in score_passages(asked, found, None, None)]
    texts = [quote.text for quote in choose_quotes(asked, scored)]
    assert texts.index(first.text) + 1 == texts.index(second.text)
    assert texts.index(second.text) < texts.index(other.text)


def test_a_question_about_a_page_as_a_whole_is_told_by_its_sections_in_their_order() -> None:
    told = (
        "A pump brings the house what its well holds.",
        "Oil the pump of a well each spring, or its leather dries.",
        "Well water that a pump lifts is cold: let it stand.",
        "In winter the pump of a well is wrapped in straw.",
    )
    parts = [chunk("pump.md", said, number, start_line=10 * number) for number, said in enumerate(told)]
    parts = [one._replace(breadcrumb=f"Well pumps › {number}") for number, one in enumerate(parts)]
    other = chunk("lamp.md", "A lamp near the pump of a well has a wire guard.", breadcrumb="Lamp")

    def shown(*chunks: Chunk) -> list[Chunk]:
        asked = weigh("What are well pumps?", SHELF.index)
        found = [hit_of(one, rank, cosine=None) for rank, one in enumerate(chunks, 1)]
        scored = [
            replace(one, score=5.0 - 0.1 * one.hit.rank) for one in score_passages(asked, found, None, None)
        ]
        return [quote.hit.chunk for quote in choose_quotes(asked, scored)]

    assert shown(parts[1], other, parts[3], parts[2], parts[0]) == [parts[1], parts[0], *parts[2:]]
    rival = other._replace(breadcrumb="Pump of a well")
    assert rival in shown(parts[1], rival, parts[3], parts[2], parts[0])


def test_what_an_answer_opens_with_stays_first_where_a_later_entry_is_given_its_head() -> None:
    lamp = chunk("lamp.yaml", "Lamp.Lit(by: Hand)\n\nFires when a lamp is lit by hand.", heading="Lamp.Lit")
    lamp = lamp._replace(symbols=("Lamp.Lit", "Lit"), breadcrumb="Lamp › Lit")
    wax = "\n\n".join(f"Wax of colour {n} drips off the table while nobody looks at it." for n in range(30))
    head = "Candle.Lit(by: Match)\n\nTells of a match."
    text = f"{head}\n\n{wax}\n\nA candle that is lit by hand fires too."
    candle = chunk("candle.yaml", text, heading="Candle.Lit")
    candle = candle._replace(symbols=("Candle.Lit", "Lit"), breadcrumb="Candle › Lit")
    asked = weigh("When is it lit by hand?", SHELF.index)
    found = [hit_of(lamp, 1, cosine=None), hit_of(candle, 2, cosine=None)]
    scored = [one for one in score_passages(asked, found, None, None) if "lit by hand" in one.text]
    texts = [one.text for one in choose_quotes(asked, scored)]
    assert texts[0] == lamp.text
    assert texts[1] == head
    assert texts[2].endswith("lit by hand fires too.")


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("When does Lamp.Lit fire?", "lamp.yaml"),
        ("When does Lamp:Lit fire?", "lamp.yaml"),
        ("How do I make Lamp.Lit fire?", "guide.md"),
        ("When does it fire?", "guide.md"),
        ("Does Lamp.Lit fire before Candle.Lit?", "guide.md"),
    ],
)
def test_asked_about_a_member_by_its_full_name_what_defines_it_opens_the_answer(
    question: str, opens: str
) -> None:
    entry = chunk("lamp.yaml", "Tells that somebody has put a match to the wick.", heading="Lamp.Lit")
    entry = entry._replace(symbols=("Lamp.Lit", "Lit"))
    guide = chunk("guide.md", "The events Lamp.Lit and Candle.Lit fire for each wick.")
    asked = weigh(question, SHELF.index)
    scored = score_passages(asked, [hit_of(entry, 1, cosine=None), hit_of(guide, 2, cosine=None)], None, None)
    clearly = [replace(one, score=7.0 if one.hit.rank == 2 else 4.0) for one in scored]
    assert choose_quotes(asked, clearly)[0].hit.chunk.document_id == opens


def test_asked_how_to_do_something_what_explains_it_comes_before_source_code() -> None:
    code = chunk("lamp.py", "def change_bulb(lamp):\n    lamp.bulb = None", lang="python")
    page = chunk("lamp.md", "To change the bulb of a lamp, unscrew it.")
    found = [hit_of(code, 1, cosine=None), hit_of(page, 2, cosine=None)]

    def opening(question: str) -> str:
        asked = weigh(question, SHELF.index)
        even = [replace(one, score=4.0) for one in score_passages(asked, found, None, None)]
        return choose_quotes(asked, even)[0].hit.chunk.document_id

    assert opening("How do I change the bulb of a lamp?") == "lamp.md"
    assert opening("What changes the bulb of a lamp?") == "lamp.py"


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("How do I change the bulb of a lamp?", "lamp.py"),
        ("How do I change the bulb of a lamp since version 2?", "news.md"),
    ],
)
def test_asked_how_to_notes_of_releases_come_no_sooner_than_code(question: str, opens: str) -> None:
    code = chunk("lamp.py", "def change_bulb(lamp):\n    lamp.bulb = None", lang="python")
    note = chunk("news.md", "Version 2: added a way to change the bulb of a lamp.", role="history")
    asked = weigh(question, SHELF.index)
    scored = score_passages(asked, [hit_of(note, 1, cosine=None), hit_of(code, 2, cosine=None)], None, None)
    scored = [replace(one, score=6.0 if one.hit.rank == 2 else 5.5) for one in scored]
    scored = [replace(one, hit=one.hit._replace(rank=1)) for one in scored]
    assert choose_quotes(asked, scored)[0].hit.chunk.document_id == opens


def test_a_short_opening_keeps_no_longer_quote_out_that_says_more() -> None:
    short = chunk("next.py", "# Calls the next pump.\ndef next(pump):\n    call(pump)", lang="python")
    text = "def run(pumps):\n    # Each pump must call the next pump by hand, or water stops.\n    pumps[0].start()"
    long = chunk("run.py", text, lang="python")
    asked = weigh("Which pump must call the next pump?", SHELF.index)
    found = [hit_of(short, 1, cosine=None), hit_of(long, 2, cosine=None)]
    scored = [replace(one, score=5.0) for one in score_passages(asked, found, None, None)]
    assert [one.hit.chunk.document_id for one in choose_quotes(asked, scored)] == ["next.py", "run.py"]


@pytest.mark.parametrize(
    ("question", "opens"),
    [("What heat has a test run?", "kiln.md"), ("Which test has the heat of a kiln?", "tests/test_kiln.py")],
)
def test_what_a_test_is_run_by_is_no_test(question: str, opens: str) -> None:
    trial = chunk("tests/test_kiln.py", "def test_run(): assert heat == 90", lang="python", is_test=True)
    page = chunk("kiln.md", "The heat of a test run is 80.")
    asked = weigh(question, SHELF.index)
    scored = score_passages(asked, [hit_of(trial, 1, cosine=None), hit_of(page, 2, cosine=None)], None, None)
    assert choose_quotes(asked, [replace(one, score=5.0) for one in scored])[0].hit.chunk.document_id == opens


def test_a_quote_does_not_begin_with_the_end_of_a_sentence_that_code_interrupts() -> None:
    lines = "\n".join(f"valve.{number}.state = closed" for number in range(60))
    text = (
        f"## Remote control\n\nWrite over what stands in the file, that is change\n\n```ini\n{lines}\n```\n\n"
        "to\n\n```ini\nremote = yes\n```\n\nThen the pump obeys from everywhere. Set a password for the remote pump."
    )
    asked = weigh("Does the remote pump have a password?", SHELF.index)
    scored = score_passages(asked, [hit_of(chunk("pump.md", text), 1, cosine=None)], None, None)
    assert choose_quotes(asked, scored)[0].text.startswith("Then the pump obeys")


def test_a_quote_does_not_begin_with_code_whose_sentence_has_no_room() -> None:
    code = "```js\n" + 'pump.open("left")\n' * 6 + "```\n\n"
    lead = "A pump may be opened by hand as well, in more ways than one, as the manual says: " * 7
    text = f"{lead}\n\n{code}{code.replace('left', 'right')}Each pump caches its pressure by what flows in.\n"
    asked = weigh("Which pressure does each pump cache?", shelf_of([chunk("pump.md", text)]).index)
    scored = score_passages(asked, [hit_of(chunk("pump.md", text), 1, cosine=None)], None, None)
    assert choose_quotes(asked, scored)[0].text.startswith("Each pump caches")


def test_a_page_of_which_nothing_but_its_title_is_known_is_no_answer() -> None:
    titled = chunk("examples.md", "title: Examples", heading="Examples", lang="markdown")
    said = chunk("pump.md", "Examples of the pump are opened by hand.")
    asked = weigh("Show me examples", SHELF.index)
    scored = score_passages(asked, [hit_of(titled, 1, cosine=None), hit_of(said, 2, cosine=None)], None, None)
    assert [quote.hit.chunk.document_id for quote in choose_quotes(asked, scored)] == ["pump.md"]


def test_a_quote_that_opens_with_its_title_is_shown_below_no_other() -> None:
    text = "== Oars\n\nOars of ash bend before they break."
    [hit] = [hit_of(chunk("boats.adoc", text, lang="asciidoc", heading="Boats › Oars"))]
    answered, _ = written([Quote(hit, 0, len(text), 0)])
    assert answered == "**Oars**\n\nOars of ash bend before they break. [1]"
    answered, _ = written([Quote(hit, text.index("Oars of"), len(text), text.index("Oars of"))])
    assert answered == "**Boats › Oars**\n\nOars of ash bend before they break. [1]"


def test_where_links_of_restructuredtext_lead_is_no_answer() -> None:
    text = ".. _lamp: https://example.org/lamp\n\n.. _lamp shop: https://example.org/lamp/shop\n"
    asked = weigh("Which shop sells the lamp?", SHELF.index)
    assert (
        score_passages(asked, [hit_of(chunk("links.rst", text, lang="rst"), 1, cosine=None)], None, None)
        == []
    )


def test_a_section_that_is_called_what_is_asked_about_comes_before_one_that_mentions_it() -> None:
    asked = weigh("What does lidColor do?", SHELF.index)
    mention = chunk("kettle.md", "### paint\n\nThe paint is used with lidColor alone.")
    section = chunk("kettle.md", "### lidColor\n\nOne of the names of the palette.")
    found = [hit_of(mention, 1, cosine=0.50), hit_of(section, 1, cosine=0.52)]
    assert score_passages(asked, found, None, None)[0].text == "One of the names of the palette."


def test_two_quotes_of_a_chunk_with_little_between_them_are_shown_as_one() -> None:
    text = (
        "## Boiler\n\nThe boiler takes water from the well.\n\n"
        + "A day is long. " * 10
        + "\n\n"
        + "## Valve\n\nThe valve of the boiler lets water out."
    )
    asked = weigh("How does water get into and out of the boiler?", SHELF.index)
    scored = score_passages(asked, [hit_of(chunk("boiler.md", text), 1, cosine=None)], None, None)
    assert [quote.text for quote in choose_quotes(asked, scored)] == [text]


def test_a_list_is_quoted_whole_with_the_line_that_introduces_it() -> None:
    _, found = quotes("How is the lid taken off, with which latches?")
    assert any(
        "The lid can be taken off:\n\n1. Press both latches.\n2. Lift the lid straight up." in one
        for one in found
    )


def test_a_list_that_may_be_shown_whole_is_not_cut_for_the_line_that_introduces_it() -> None:
    items = "\n".join(f"- Step {number:02} of the care of a lamp is to polish it." for number in range(28))
    text = f"{'The care of a lamp is long and takes these steps in this order'.ljust(200, '.')}:\n\n{items}"
    asked = weigh("Which steps has the care of a lamp?", SHELF.index)
    scored = score_passages(asked, [hit_of(chunk("lamp.md", text), cosine=None)], None, None)
    assert len(text) > 1_500
    assert choose_quotes(asked, scored)[0].text == text


def test_a_row_comes_with_the_head_of_its_table() -> None:
    _, found = quotes("What is the price of a filter?")
    assert any("Part | Price | Life" in one and "Filter | 4 euros" in one for one in found)


def test_code_is_quoted_where_the_question_asks_for_it_and_its_mark_stands_outside() -> None:
    text, found = quotes("Which command sets the kettle's power off, kettlectl?")
    assert any("kettlectl --power off" in one for one in found)
    assert "```\n[" in text


def test_a_question_in_the_text_is_no_answer() -> None:
    _, found = quotes("Is it safe to leave the kettle on?")
    assert not any(one.strip().endswith("?") for one in found)


def test_of_a_long_code_block_the_lines_that_are_asked_for_are_quoted_and_fenced_again() -> None:
    lines = [f"set_option_{number}(value={number})" for number in range(120)]
    long = "Options:\n\n```python\n" + "\n".join(lines) + "\n```\n"
    shelf = shelf_of([chunk("options.md", long)])
    findings = find(shelf, Inquiry("example of set_option_77"), "example of set_option_77")
    text, citations = extract(findings.weighed, findings.scored)
    assert "set_option_77(value=77)" in citations[0].quote
    assert len(citations[0].quote) < 1300
    assert text.startswith("```python\n")
    assert text.count("```") == 2


def test_a_quote_from_the_midst_of_a_section_has_its_title_above_it() -> None:
    def shown_of(text: str, asked: str, heading: str = "") -> str:
        findings = find(shelf_of([chunk("pump.md", text, heading=heading)]), Inquiry(asked), asked)
        return extract(findings.weighed, findings.scored)[0]

    filling = "Nothing is said here about it, only of hoses and of their colours in general. " * 16
    midst = f"## Seals\n\n{filling}\n\nThe tank is emptied by the valve below it."
    asked = "How is the tank emptied by the valve?"
    assert shown_of(midst, asked).startswith("**Seals**\n\nThe tank is emptied")
    goes_on = "The tank is emptied by the valve below it."
    assert shown_of(goes_on, asked, heading="Emptying `now`") == f"**Emptying now**\n\n{goes_on} [1]"
    assert shown_of(goes_on, asked, heading="The tank") == f"{goes_on} [1]"
    assert shown_of(f"## Emptying\n\n{goes_on}", asked, heading="Emptying").count("**Emptying**") == 1
    assert shown_of(goes_on, asked) == f"{goes_on} [1]"


MODULE = '''"""The kettle's guard: refuses to boil without water."""

from __future__ import annotations

from collections import Counter
from kitchen.errors import KettleRefused

LEAST_LITRES = 0.2
"""Below it the element would burn."""


def boil(litres):
    from kitchen.clock import wait  # only here: it is slow

    wait(litres)
'''


@pytest.mark.parametrize(
    ("question", "begin", "end"),
    [
        ("What does the kettle's guard refuse?", '"""The kettle', 'without water."""'),
        ("What is LEAST_LITRES?", "LEAST_LITRES", "wait(litres)"),
        ("Who imports KettleRefused?", '"""The kettle', "wait(litres)"),
    ],
)
def test_of_a_module_the_imports_are_shown_only_where_they_answer(
    question: str, begin: str, end: str
) -> None:
    start, stop = best_lines(weigh(question, SHELF.index), MODULE, 0, 1200)
    assert MODULE[start:stop].startswith(begin)
    assert MODULE[start:stop].endswith(end)


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [("How fast does a boiler heat the water?", False), ("What security does the boiler have?", True)],
)
def test_a_line_of_keys_and_values_is_quoted_where_one_of_its_keys_is_asked_for(
    question: str, is_shown: bool
) -> None:
    facts = (
        "Security: None · Thread safety: Unsafe · Tags: Hidden · Capabilities: Heat, Water · Category: Boiler"
    )
    shelf = shelf_of([chunk("boiler.md", f"# Boiler\n\nIt heats the water within a minute.\n\n{facts}\n")])
    findings = find(shelf, Inquiry(question), question)
    assert (facts in extract(findings.weighed, findings.scored)[0]) is is_shown


def test_an_answer_stays_within_its_bound_however_much_there_is() -> None:
    chunks = [
        chunk(f"page{n}.md", f"The pump number {n} moves water. " * 30 + f"Pump {n} ends.") for n in range(9)
    ]
    shelf = shelf_of(chunks)
    findings = find(shelf, Inquiry("Which pump moves water?"), "Which pump moves water?")
    text, citations = extract(findings.weighed, findings.scored)
    assert 1 <= len(citations) <= 4
    assert len(text) <= ANSWER_CHARACTERS + 40


def test_a_sentence_longer_than_a_quote_may_be_is_quoted_whole() -> None:
    sentence = "The pump moves water" + ", then it rests for a moment and moves water again" * 20 + "."
    findings = find(shelf_of([chunk("pump.md", sentence)]), Inquiry("What moves water?"), "What moves water?")
    _, citations = extract(findings.weighed, findings.scored)
    assert [one.quote for one in citations] == [sentence]


def test_the_same_text_on_two_pages_is_quoted_once() -> None:
    shelf = shelf_of([chunk("a.md", KETTLE), chunk("b.md", KETTLE.replace("two months", "three months"))])
    findings = find(shelf, Inquiry("What removes the scale?"), "What removes the scale?")
    _, citations = extract(findings.weighed, findings.scored)
    assert len([one for one in citations if "Citric acid" in one.quote]) == 1


def test_nothing_to_quote_gives_an_empty_answer() -> None:
    assert extract(weigh("why", SHELF.index), []) == ("", ())


def test_without_vectors_the_words_decide() -> None:
    hits = [hit_of(one, rank, cosine=None) for rank, one in enumerate(household(), 1)]
    scored = score_passages(weigh("Which bulb does the lamp take?", SHELF.index), hits, None, None)
    assert scored[0].text == "The lamp takes an E14 bulb."
    assert scored[0].cosine is None


@pytest.mark.parametrize(
    ("question", "passage", "wanted"),
    [
        ("How many watts may it draw?", "It draws 40 watts.", 1.0),
        ("How many watts may it draw?", "It draws little.", -1.0),
        ("When was it built?", "It was built in 1987.", 1.0),
        ("Who built it?", "It was built by Ada Byron.", 1.0),
        ("How many volts does model 40 take?", "Model 40 is blue.", -1.0),
        ("Why is it wet?", "It leaks because the seal is old.", 0.5),
        ("Describe the lamp", "It is 40 years old.", 0.0),
        ("Which environment variable dims it?", "Set `LAMP_DIM` to 1.", 2.0),
        ("Which environment variable dims it?", "Set `dim` to 1.", -2.0),
        ("Which versions of Python does it run on?", "It runs on 3.10 and later.", 2.0),
        ("Which version of Lamp 2.1 is it?", "It is 2.1.", -2.0),
        ("Which URL tells that it is on?", "`GET /lamp/{id}/state` does.", 2.0),
        ("Which URL tells that it is on?", "Read and/or write it.", -2.0),
    ],
)
def test_a_passage_that_holds_the_kind_of_thing_asked_for_is_preferred(
    question: str, passage: str, wanted: float
) -> None:
    assert cue(weigh(question, SHELF.index), passage) == wanted


def test_a_variable_may_stand_above_the_passage_that_explains_it() -> None:
    asked = weigh("Which environment variable dims it?", SHELF.index)
    assert cue(asked, "It dims the lamp.", "`LAMP_DIM`") == 2.0


@pytest.mark.parametrize(
    "question",
    ["What replaces KettleMotor?", "alternative to KettleMotor", "what should I use instead of KettleMotor"],
)
def test_asked_for_what_replaces_a_symbol_the_sentence_that_says_so_comes_first(question: str) -> None:
    note = "This class is deprecated. New kettles take `HeatPump` instead."
    text = f"{note}\n\nA KettleMotor turns the KettleMotor lid.\n\nSet its speed before the KettleMotor runs."
    motor = chunk("motor.md", text)._replace(symbols=("KettleMotor",))
    hits = [hit_of(motor, 1, cosine=None)]
    assert score_passages(weigh(question, SHELF.index), hits, None, None)[0].text in note
    other = score_passages(weigh("How fast does a KettleMotor turn?", SHELF.index), hits, None, None)
    assert other[0].text not in note


def test_of_a_long_list_whole_items_are_quoted_with_the_code_below_them() -> None:
    items = [
        f"- Step {number} turns valve {number} by {number} degrees.\n\n"
        f"    ```diff\n    -   old {number}\n    +   new {number}\n    ```\n"
        for number in range(10, 50)
    ]
    shelf = shelf_of([chunk("valves.md", "The valves:\n\n" + "\n".join(items))])
    findings = find(shelf, Inquiry("Which step turns valve 33 by 33 degrees?"), "valve 33")
    text, citations = extract(findings.weighed, findings.scored)
    assert "Step 33" in text
    for citation in citations:
        assert citation.quote.count("```") % 2 == 0
        assert citation.quote.startswith(("- Step", "The valves"))
        assert len(citation.quote) < 1300


def _answer(question: str, *found: Chunk) -> list[str]:
    """Documents of an answer's quotes, where the search finds these chunks in this order."""
    asked = weigh(question, SHELF.index)
    hits = [hit_of(one, rank, cosine=None) for rank, one in enumerate(found, 1)]
    scored = score_passages(asked, hits, None, None)
    return [quote.hit.chunk.document_id for quote in choose_quotes(asked, scored)]


def test_asked_how_to_do_something_code_follows_what_explains_it() -> None:
    page = chunk(
        "lamp.md", "The bulb of a lamp is changed by hand, when it is cold, on a ladder with four feet."
    )
    code = chunk(
        "lamp.py", "def change_bulb(lamp, watts, holder):\n    holder.put(Bulb(watts))", lang="python"
    )
    assert _answer("How do I change the bulb of a lamp?", code, page) == ["lamp.md", "lamp.py"]


def test_asked_where_a_constant_is_used_a_place_that_reads_it_comes_before_its_definition() -> None:
    define = chunk("limits.py", "MOST_BULBS = 3\nMOST_LAMPS = 4", lang="python")._replace(
        symbols=("MOST_BULBS",)
    )
    use = chunk("lamp.py", "def fits(lamp):\n    return lamp.bulbs < MOST_BULBS", lang="python")._replace(
        symbols=("fits",)
    )
    told = answer(shelf_of([define, use], profile="code"), Inquiry("Where is MOST_BULBS used?"))
    assert told.citations[0].hit.chunk.document_id == "lamp.py"


def test_what_a_comparison_opens_with_leaves_room_for_the_other_and_a_title_may_be_a_signature() -> None:
    told = [f"Step {step} of dim takes what was said to it. " * 6 for step in range(12)]
    dim = [
        chunk("lamp.md", "\n\n".join(["## dim(step)"][number:] + told[4 * number :][:4]), number)
        for number in range(3)
    ]
    dim = [one._replace(breadcrumb="Lamp › `dim(step)`") for one in dim]
    other = chunk("lamp.md", "## blink(times, pause)\n\n" + "It flashes. " * 60, 3)
    other = other._replace(breadcrumb="Lamp › `blink(times, pause)`")
    shelf = shelf_of([*dim, other])
    parts = find_parts(shelf, Inquiry("dim vs blink"))
    assert [part.best.hit.chunk.breadcrumb for part in parts] == [dim[0].breadcrumb, other.breadcrumb]
    asked = weigh("dim vs blink", shelf.index)
    scored = score_passages(asked, [hit_of(dim[0], 1, cosine=None)], None, None)
    quotes = choose_quotes(asked, scored, beside=beside_in(shelf.index), parts=parts)
    assert {quote.hit.chunk.breadcrumb for quote in quotes} == {dim[0].breadcrumb, other.breadcrumb}


def test_of_two_things_compared_each_has_its_place_though_most_of_their_words_are_the_same() -> None:
    told = (
        "{} stands where both rooms see it, and sends a sign to the bell that hangs in the hall of the house."
    )
    pages = [chunk(f"{name}.md", f"# {name}\n\n{told.format(name)}") for name in ("Lamp", "Torch")]
    pages = [page._replace(breadcrumb=name) for page, name in zip(pages, ("Lamp", "Torch"), strict=True)]
    shelf = shelf_of(pages)
    asked = weigh("Lamp vs Torch", shelf.index)
    scored = score_passages(
        asked, [hit_of(page, rank, cosine=None) for rank, page in enumerate(pages, 1)], None, None
    )
    parts = find_parts(shelf, Inquiry("Lamp vs Torch"))
    assert len(choose_quotes(asked, scored)) == 1
    assert len(choose_quotes(asked, scored, parts=parts)) == 2


def test_an_answer_that_opens_behind_a_heading_does_not_begin_with_the_end_of_the_section_before() -> None:
    tail = "The kettle is filled to the line, which the lamp lights."
    one = chunk("lamp.md", f"{tail}\n\n## Dim the lamp\n\nTurn the wheel of the lamp to dim it.\n")
    asked = weigh("How do I dim the lamp with its wheel?", shelf_of([one]).index)
    (quote,) = choose_quotes(asked, score_passages(asked, [hit_of(one, 1, cosine=None)], None, None))
    assert quote.text.startswith("## Dim the lamp")


def test_a_class_is_followed_by_its_method_that_does_what_is_asked() -> None:
    head = chunk(
        "lamp.py", 'class Lamp(Thing):\n    """A lamp: dims, blinks, lights the bulb."""', 0, lang="python"
    )
    head = head._replace(symbols=("Lamp",))
    method = chunk("lamp.py", "    def dim(self):\n        self.bulb -= 1", 1, lang="python")._replace(
        symbols=("Lamp.dim",)
    )
    other = chunk(
        "torch.py", 'class Torch:\n    """Lights, dims and blinks a bulb, as a lamp does."""', lang="python"
    )
    assert _answer("How does the lamp dim?", head, other, method)[:2] == ["lamp.py", "lamp.py"]


def test_of_two_things_compared_each_has_its_place() -> None:
    both = chunk("sold.md", "The shop sells a lamp and a torch, which have the same bulb. " * 3)
    lamp = chunk("desk.md", "# Lamp\n\nStands on a table.", heading="Lamp")._replace(breadcrumb="Lamp")
    torch = chunk("hand.md", "# Torch\n\nIs held by hand.", heading="Torch")._replace(breadcrumb="Torch")
    shelf = shelf_of([both, lamp, torch])
    question = "What is the difference between a lamp and a torch?"
    parts = find_parts(shelf, Inquiry(question))
    assert [part.best.hit.chunk.document_id for part in parts] == ["desk.md", "hand.md"]
    asked = weigh(question, shelf.index)
    scored = score_passages(asked, [hit_of(both, 1, cosine=None)], None, None)
    assert {quote.hit.chunk.document_id for quote in choose_quotes(asked, scored, parts=parts)} == {
        "sold.md",
        "desk.md",
        "hand.md",
    }


def test_nothing_is_said_twice_where_quotes_grow_into_each_other_or_chunks_repeat_their_ends() -> None:
    parts = [
        f"The valve of pump {n} opens by its lid, and the lid of pump {n} by its key." for n in range(14)
    ]
    ends = f"{parts[-1].replace(' and', chr(10) + 'and')}\n\nA valve that is stuck needs oil on the lid of the pump."
    asked = weigh("How does the valve of a pump open by its lid?", SHELF.index)
    chunks = [chunk("a.md", "\n\n".join(parts)), chunk("a.md", ends, 1)]
    hits = [hit_of(one, rank, cosine=None) for rank, one in enumerate(chunks, 1)]
    found = choose_quotes(asked, score_passages(asked, hits, None, None))
    said = "\n\n".join(" ".join(quote.text.split()) for quote in found)
    assert all(said.count(part) <= 1 for part in parts)
    spans = [(quote.hit.chunk.id, quote.start, quote.end) for quote in found]
    assert not any(a[0] == b[0] and a[1] < b[2] and b[1] < a[2] for a in spans for b in spans if a != b)


def test_a_paragraph_that_the_entries_of_two_things_share_stands_in_an_answer_once() -> None:
    both = "The lamp is lit by a match and the torch by its switch, so the torch is safer in a dry barn."
    lamp = chunk("lamp.md", f"The lamp hangs from a beam.\n\n{both}")._replace(breadcrumb="Lamp")
    torch = chunk("torch.md", f"{both}\n\nThe torch lies on a shelf.")._replace(breadcrumb="Torch")
    shelf = shelf_of([lamp, torch])
    asked = weigh("Lamp vs Torch", shelf.index)
    hits = [hit_of(page, rank, cosine=None) for rank, page in enumerate((lamp, torch), 1)]
    parts = find_parts(shelf, Inquiry("Lamp vs Torch"))
    quotes = choose_quotes(asked, score_passages(asked, hits, None, None), parts=parts)
    assert [quote.text for quote in quotes] == [lamp.text, "The torch lies on a shelf."]


def test_code_that_only_closes_what_stands_elsewhere_is_no_answer() -> None:
    closing = chunk("lid.cs", "#endif\n}\n", lang="c_sharp")
    telling = chunk("pump.cs", "void Endif() { Lid(); }\n", lang="c_sharp")
    assert _answer("Where does endif open the lid?", closing, telling) == ["pump.cs"]


def test_a_quote_opens_with_the_declaration_below_its_heading() -> None:
    text = (
        "### lower()\n\n```ts\nlower(depth: number): boolean;\n```\n\nLets the anchor down, and tells when."
    )
    findings = find(shelf_of([chunk("a.md", text)]), Inquiry("Which call lets the anchor down?"), "x")
    _, citations = extract(findings.weighed, findings.scored)
    assert citations[0].quote == text


def test_of_two_names_that_differ_in_case_alone_the_one_that_is_written_counts() -> None:
    members = [
        chunk(name, "Hangs the anchor at the bow of the boat.")._replace(symbols=(f"Boat.{name}",))
        for name in ("addAnchor", "AddAnchor")
    ]
    asked = weigh("What does Boat:AddAnchor do?", SHELF.index)
    found = [hit_of(one, rank, cosine=None) for rank, one in enumerate(members, 1)]
    assert score_passages(asked, found, None, None)[0].hit.chunk == members[1]


def test_a_quote_with_a_copy_of_an_earlier_one_takes_its_place() -> None:
    said = "The anchor is weighed by two hands who walk around the capstan and sing."
    first = chunk("log.md", said)
    second = chunk("history/log.md", f"In the year of the storm it was so.\n\n{said}")
    quotes = [Quote(hit_of(one, rank), 0, len(one.text), 0) for rank, one in enumerate((first, second), 1)]
    assert [quote.hit.chunk for quote in said_once(quotes)] == [second]

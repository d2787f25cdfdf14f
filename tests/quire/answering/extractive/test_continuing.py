from __future__ import annotations

import re

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.arranging import said_once
from quire.answering.extractive.continuing import beside_in, goes_on_at, rest_before, rest_behind
from quire.answering.extractive.quotes import Quote, written
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk, Turn
from tests.support.answer_checks import problems
from tests.support.shelves import chunk, hit_of, shelf_of

HEAD = "Part | Price | Life"
STEPS = [
    "## Descale the boiler\n\nDescale the boiler like this:\n\n1. Let the boiler cool.\n2. Pour in its acid.",
    "3. Wait for twenty minutes.\n4. Rinse the boiler twice.\n\nThen it is ready.\n\n## Storage\n\nKeep it dry.",
]
TABLE = [
    f"## Prices of the boiler\n\n{HEAD}\nLid of the boiler | 9 euros | 10 years\nFilter | 4 euros | a year or two",
    "Filter | 4 euros | a year or two\nHose of the boiler | 7 euros | 3 years\n\nPrices hold for a year.",
]


def pages(*texts: str, document: str = "boiler.md") -> list[Chunk]:
    return [chunk(document, text, number, heading="Boiler") for number, text in enumerate(texts)]


def ask(question: str, chunks: list[Chunk]) -> Answer:
    """An answer of which the first chunk alone is found."""
    shelf = shelf_of([*chunks, chunk("lamp.md", "# Lamp\n\nThe lamp takes a bulb.")])
    given = answer(shelf, Inquiry(question, top_k=1))
    for citation in given.citations:
        assert citation.quote == citation.hit.chunk.text[citation.start : citation.end]
    return given


def test_steps_go_on_in_the_next_chunk_up_to_the_next_heading() -> None:
    given = ask("How do I descale the boiler?", pages(*STEPS))
    steps = re.findall(r"^\d\. ", given.text, re.M)
    assert steps == ["1. ", "2. ", "3. ", "4. "]
    assert "Pour in its acid.\n3. Wait" in given.text
    assert "Then it is ready. [1] [2]" in given.text
    assert "Keep it dry" not in given.text
    assert problems(given) == []


def test_of_a_table_that_goes_on_no_row_is_shown_twice_and_the_rest_stands_below_its_head() -> None:
    first, second = pages(*TABLE)
    for aliases in (HEAD, ""):
        given = ask("What are the prices of the boiler?", [first, second._replace(aliases=aliases)])
        assert given.text.count("Filter") == 1
        assert given.text.count("| Part | Price | Life |") == given.text.count("\n| --- ") == 1
        assert "a year or two |\n| Hose of the boiler | 7 euros | 3 years |\n\n" in given.text
        assert problems(given) == []
    other = "Screw | Head\n--- | ---\nOf the boiler | cross"
    given = ask("What are the prices of the boiler?", pages(TABLE[0], other))
    assert "a year or two |\n| Screw" not in given.text
    assert problems(given) == []


def test_what_goes_on_in_the_next_chunk_ends_where_a_higher_section_begins() -> None:
    opening = chunk("pump.md", "## Usage\n\nThe pump moves water.", 0, breadcrumb="Pump › Usage")
    parts = "### Valve\n\nTurn it.\n\n#### Red\n\nFirst.\n\n## Care\n\nOil it."
    after = chunk("pump.md", parts, 1, breadcrumb="Pump › Usage › Valve")
    shown = rest_behind(opening, len(opening.text), lambda _chunk, _places: after, 900, crosses=True)
    assert shown is not None
    assert after.text[shown.start : shown.end].endswith("First.")


def test_the_opening_of_a_page_goes_on_with_its_first_part() -> None:
    opening = chunk("pump.md", "# Pump\n\nThe pump moves water.", 0, breadcrumb="Pump")
    usage = chunk("pump.md", "## Usage\n\nTurn the red valve first.", 1, breadcrumb="Pump › Usage")
    other = chunk("pump.md", "## Care\n\nOil it.", 1, breadcrumb="Care")
    shown = rest_behind(opening, len(opening.text), lambda _chunk, _places: usage, 900, crosses=True)
    assert shown is not None
    assert usage.text[shown.start : shown.end] == usage.text
    assert rest_behind(opening, len(opening.text), lambda _chunk, _places: usage, 900) is None
    assert rest_behind(opening, len(opening.text), lambda _chunk, _places: other, 900, crosses=True) is None


def test_a_quote_that_begins_in_the_midst_of_steps_has_the_steps_before_them() -> None:
    first, second = pages(*STEPS)
    beside = beside_in(shelf_of([first, second]).index)
    before = rest_before(second, 0, beside, 800)
    assert before is not None
    assert before.chunk.text[before.start : before.end].startswith("Descale the boiler like this:\n\n1. Let")
    assert rest_before(second, second.text.index("Then"), beside, 800) is None
    assert rest_before(second, 0, beside, 20) is None


def test_a_sentence_that_the_border_of_two_chunks_tears_is_one_with_both_marks() -> None:
    terms = pages(
        "Years\n    Old lids are kept for years, as long as 10. If", "only for one, say 1 year.\n\nLids last."
    )
    shelf = shelf_of([one._replace(metadata={**one.metadata, "lang": "rst"}) for one in terms])
    given = answer(shelf, Inquiry("For how many years are old lids kept?", top_k=1))
    assert "as long as 10. If\nonly for one, say 1 year." in given.text
    assert given.text.endswith("[1] [2]")
    assert problems(given) == []
    whole = pages("Old lids are kept for years.", "Of others only one is kept.\n\nLids last.")
    given = ask("For how many years are old lids kept?", whole)
    assert "for years. [1]\n\nOf others" in given.text


def test_a_step_and_its_code_behind_the_border_of_two_chunks_are_one() -> None:
    code = "```lua\n    fill(boiler)\nelse\n    drain(boiler)\nend\n```"
    given = ask(
        "How do I descale the boiler by a script?",
        pages(
            "## Descale the boiler by a script\n\nDescale the boiler like this:\n\n"
            "1. Let the boiler cool.\n2. Replace the branch of the script that descales it.",
            f"{code}\n\nThen the boiler is ready.",
        ),
    )
    assert f"2. Replace the branch of the script that descales it.\n{code}" in given.text
    assert given.text.endswith("[1] [2]")
    assert problems(given) == []


MERGE = [
    "## Joining payments\n\nTick both payments and press the key M, or choose Join from the menu on the right.",
    "The menu has Join only while two payments of one amount are ticked.\n\nThe older payment of the two is kept.",
]


def payments(*headings: str) -> list[Chunk]:
    return [
        chunk("pay.md", text, number, heading=heading)
        for number, (text, heading) in enumerate(zip(MERGE, headings, strict=True))
    ]


def test_a_quote_in_the_midst_of_a_section_is_shown_with_how_the_section_begins() -> None:
    first, second = payments("Joining payments", "Joining payments")
    shelf = shelf_of([first, second, chunk("lamp.md", "# Lamp\n\nThe lamp takes a bulb.")])
    given = answer(shelf, Inquiry("Which payment is the older one that is kept?", top_k=1))
    assert [one.quote for one in given.citations] == MERGE
    assert given.text.startswith("**Joining payments**\n\nTick both payments and press the key M")
    assert problems(given) == []


def test_a_further_quote_in_the_midst_of_a_section_has_its_beginning_too_where_there_is_room() -> None:
    chunks = [chunk("bank.md", "# Two payments\n\nBoth payments of one amount stand in the bank's list.")]
    chunks += payments("Joining payments", "Joining payments")
    given = answer(shelf_of(chunks), Inquiry("Which of two payments of one amount is kept?"))
    assert [one.quote for one in given.citations if one.hit.chunk.document_id == "pay.md"] == MERGE


def test_nothing_stands_before_a_quote_that_begins_its_section_or_stands_in_another() -> None:
    first, second = payments("Joining payments", "Kept payments")
    assert rest_before(second, 0, beside_in(shelf_of([first, second]).index), 800) is None
    first, second = payments("Joining payments", "Joining payments")
    headed = second._replace(text=f"## Kept\n\n{second.text}")
    assert rest_before(headed, 0, beside_in(shelf_of([first, headed]).index), 800) is None
    assert rest_before(second, 0, beside_in(shelf_of([first, second]).index), 40) is None


def test_a_step_that_both_chunks_say_is_shown_once_before_a_quote_too() -> None:
    first, second = pages(f"{STEPS[0]}\n3. Wait for twenty minutes.", STEPS[1])
    before = rest_before(second, 0, beside_in(shelf_of([first, second]).index), 800)
    assert before is not None
    assert before.chunk.text[before.start : before.end].endswith("2. Pour in its acid.")


def test_what_a_section_says_above_its_torn_list_is_shown_with_it() -> None:
    told = "## Oil\n\nThe pump reads no `oil.conf`.\n\nThere are reasons:\n\n1. It is old.\n2. It is slow."
    first, second = pages(told, "3. It is loud.\n4. It is wet.")
    before = rest_before(second, 0, beside_in(shelf_of([first, second]).index), 800)
    assert before is not None
    assert before.chunk.text[before.start : before.end] == told


def test_an_item_that_chunks_tear_is_shown_as_one() -> None:
    first, second = pages(
        "## Oil\n\n- The boiler has a lid, which every",
        "  boiler of that kind needs.\n- Its hose is oiled in winter alone.",
    )
    torn = ask("Which lid has the boiler, and which hose is oiled?", [first, second]).text
    assert "which every\nboiler of that kind needs." in torn


def test_the_head_of_a_table_is_not_shown_before_a_quote_that_has_all_its_rows() -> None:
    head, rows = "Boiler | Litres", "Small | 5\nLarge | 40"
    first, second = pages(f"The boilers:\n\n{head}\n{rows}", f"{rows}\nHuge | 90")
    assert rest_before(second, 0, beside_in(shelf_of([first, second]).index), 800) is None
    first, second = pages(f"The boilers:\n\n{head}\nTiny | 1\n{rows}", f"{rows}\nHuge | 90")
    before = rest_before(second, 0, beside_in(shelf_of([first, second]).index), 800)
    assert before is not None
    assert before.chunk.text[before.start : before.end].endswith("Tiny | 1")


def test_nothing_stands_behind_the_last_chunk_of_a_document_or_within_one() -> None:
    first, second = pages(*STEPS)
    beside = beside_in(shelf_of([first, second, chunk("other.md", "5. Go.")]).index)
    assert rest_behind(second, len(second.text), beside, 800) is None
    assert rest_behind(first, len(first.text) - 4, beside, 800) is None
    assert rest_before(first, 0, beside, 800) is None
    assert beside(chunk("unknown.md", "Nothing."), 1) is None


def test_what_the_end_of_a_further_quote_announces_is_shown_though_there_is_little_room() -> None:
    before = chunk("pump.md", "## Oil\n\nFill the pump so:", 0, breadcrumb="Pump › Oil")
    lines = "\n".join(f"fill(pump, part={number})" for number in range(20))
    after = chunk("pump.md", f"```python\n{lines}\n```\n\nThen wait.", 1, breadcrumb="Pump › Oil")
    found = rest_behind(before, len(before.text), lambda _chunk, _places: after, 100)
    assert found is not None
    assert found.chunk.text[found.start : found.end] == f"```python\n{lines}\n```"


@pytest.mark.parametrize(
    ("said", "leads"),
    [
        ("Here's an example that fills one pump.", True),
        ("Fill it as follows.", True),
        ("The code below fills it.", True),
        ("It takes oil.", False),
        ("Follow the pipe. It takes oil.", False),
    ],
)
def test_a_sentence_may_announce_code_without_a_colon(said: str, leads: bool) -> None:
    before = chunk("pump.md", f"## Oil\n\n{said}", 0, breadcrumb="Pump › Oil")
    lines = "\n".join(f"fill(pump, part={number})" for number in range(20))
    after = chunk("pump.md", f"```python\n{lines}\n```", 1, breadcrumb="Pump › Oil")
    assert bool(rest_behind(before, len(before.text), lambda _chunk, _places: after, 100)) is leads


def test_a_quote_begins_where_the_sentence_does_that_its_chunk_begins_in_the_midst_of() -> None:
    told = "It is old. " * 60
    before = chunk("pump.md", f"## Oil\n\n{told}The pump takes oil of the", 0, breadcrumb="Pump › Oil")
    after = chunk("pump.md", "third grade, and no other.", 1, breadcrumb="Pump › Oil")
    found = rest_before(after, 0, lambda _chunk, _places: before, 0)
    assert found is not None
    assert found.chunk.text[found.start : found.end] == "The pump takes oil of the"
    whole = chunk("pump.md", "Third grade is best.", 1, breadcrumb="Pump › Oil")
    assert rest_before(whole, 0, lambda _chunk, _places: before, 0) is None


def test_a_section_that_begins_at_the_end_of_a_chunk_of_others_is_shown_from_its_beginning() -> None:
    first = chunk(
        "kiln.md",
        "# Kilns\n\n## Settings\n\n### door\n\nHow the door opens.\n\n### heat\n\n- *low* - for drying pots.",
        0,
        breadcrumb="Kilns",
    )
    second = chunk(
        "kiln.md",
        "It takes a day.\n\n- *high* - for glaze alone, which melts.",
        1,
        breadcrumb="Kilns › Settings › heat",
    )
    before = rest_before(second, 0, beside_in(shelf_of([first, second]).index), 800)
    assert before is not None
    assert before.chunk.text[before.start : before.end].startswith("### heat\n\n- *low*")
    other = second._replace(breadcrumb="Kilns › Settings › door")
    assert rest_before(other, 0, beside_in(shelf_of([first, other]).index), 800) is None


def test_between_two_quotes_of_a_section_no_few_lines_are_left_out() -> None:
    modes = "## Modes of the boiler\n\nThe boiler has these modes.\n\nSlow warms it in an hour.\n\n"
    more = "Fast warms it in a minute.\n\nThe mode called eco of the boiler warms it by night.\n"
    chunks = [
        chunk("boiler.md", text, number, heading="Modes of the boiler")
        for number, text in enumerate((modes, more))
    ]
    first, last = chunks
    beside = {(first.id, 1): last, (last.id, -1): first}
    assert goes_on_at(first, len(modes), last, lambda one, places: beside.get((one.id, places))) == 0
    assert goes_on_at(first, 30, last, lambda one, places: beside.get((one.id, places))) is None
    elsewhere = last._replace(breadcrumb="boiler.md › Care")
    assert (
        goes_on_at(first, len(modes), elsewhere, lambda one, places: elsewhere if places == 1 else None)
        is None
    )


def steps(first: int, last: int, words: int) -> str:
    return "\n".join(
        f"{n}. Turn valve {n} of the boiler. {'Wait a while. ' * words}".rstrip() for n in range(first, last)
    )


def test_a_long_list_is_shown_over_three_borders_and_whole_items_of_the_rest_are_told_to_be_left_out() -> (
    None
):
    head = "## Flush the boiler\n\nFlush the boiler like this:\n\n"
    parts = [head + steps(1, 5, 14), steps(5, 9, 14), steps(9, 13, 14)]
    given = ask("How do I flush the boiler?", pages(*parts))
    assert re.findall(r"^(\d+)\. ", given.text, re.M) == [str(n) for n in range(1, 13)]
    assert "…" not in given.text
    long = ask("How do I flush the boiler?", pages(*parts, steps(13, 17, 14), steps(17, 21, 14)))
    shown = re.findall(r"^(\d+)\. .*", long.text, re.M)
    assert shown == [str(n) for n in range(1, len(shown) + 1)]
    assert 12 < len(shown) < 20
    assert long.text.endswith("Wait a while.\n\n… [1] [2] [3] [4]")


def test_rows_that_are_left_out_within_a_chunk_are_told_and_not_beside_one_that_is_asked_for() -> None:
    rows = "\n".join(f"| b{n} | Port {n} of boilers | {n} metres |" for n in range(60))
    table = f"## Berths\n\n| Berth | Port | Depth |\n| --- | --- | --- |\n{rows}"
    whole = ask("What berths are there for boilers?", pages(table))
    assert "| b3 |" in whole.text
    assert "| b59 |" not in whole.text
    assert whole.text.endswith("metres |\n\n… [1]")
    one = ask("What does `b7` mean?", pages(table))
    assert "| b7 | Port 7 of boilers | 7 metres |\n\n[1]" in one.text
    assert "…" not in one.text


def test_the_one_row_whose_name_a_question_says_in_plain_words_is_told_alone() -> None:
    rows = "\n".join(f"{name} | {at + 20} EUR | {at + 9} EUR" for at, name in enumerate(COUNTRIES))
    rates = pages(f"## Day rates\n\nCountry | Full day | Half day\n{rows}")
    one = ask("What is the half day rate for South Sudan?", rates)
    assert re.findall(r"^\| (?!Country|---)(.*?) \|", one.text, re.M) == ["South Sudan"]
    assert "| South Sudan | 24 EUR | 13 EUR |" in one.text
    turns = (
        Turn("user", "What is the half day rate for Mali?"),
        Turn("assistant", "Mali | 23 EUR | 12 EUR [1]"),
    )
    shelf = shelf_of([*rates, chunk("lamp.md", "# Lamp\n\nThe lamp takes a bulb.")])
    after = answer(shelf, Inquiry("And for Gabon?", history=turns))
    assert re.findall(r"^\| (?!Country|---)(.*?) \|", after.text, re.M) == ["Gabon"]
    two = ask("Is the day rate higher in Chad or in Benin?", rates)
    assert {"Chad", "Benin", "Togo"} <= set(re.findall(r"^\| (.*?) \|", two.text, re.M))
    some = ask("Which day rates are there?", rates)
    assert "Togo" in some.text


COUNTRIES = ["Benin", "Chad", "Togo", "Mali", "South Sudan", "Ghana", "Niger", "Gabon", "Kenya"]


def test_an_entry_of_a_reference_does_not_go_on_with_the_next_one() -> None:
    def entry(name: str, says: str, number: int) -> Chunk:
        made = chunk(
            "kiln.yaml", f"kiln.{name}(pot) — Function of kiln\n\n{says}", number, breadcrumb=f"kiln › {name}"
        )
        return made._replace(symbols=(f"kiln.{name}", name))

    entries = [
        entry("fire", "Fires the pot.", 0),
        entry("glaze", "Glazes the pot.", 1),
        entry("dry", "Dries the pot.", 2),
    ]
    assert "Dries" not in ask("kiln.glaze", entries).text.partition("[1]")[0]
    assert ask("kiln.glaze", entries).citations[0].quote.endswith("Glazes the pot.")
    assert rest_behind(entries[0], len(entries[0].text), lambda _, place: entries[place], 900) is None


def test_one_row_that_is_a_further_quote_tells_that_there_are_more() -> None:
    rows = "\n".join(f"| b{n} | Port {n} of boilers |" for n in range(20))
    table = f"## Berths\n\n| Berth | Port |\n| --- | --- |\n{rows}"
    one = hit_of(chunk("berths.md", table))
    at = table.index("| b7 ")
    quote = Quote(one, at, table.index("\n", at), at)
    assert written([quote])[0].endswith("| b7 | Port 7 of boilers |\n\n[1]")
    first = Quote(hit_of(chunk("ports.md", "Ports are many.")), 0, len("Ports are many."), 0)
    assert written([first, quote])[0].endswith("| b7 | Port 7 of boilers |\n\n… [2]")


def test_what_a_quote_repeats_of_several_paragraphs_before_it_is_said_once() -> None:
    text = "## Kiln\n\nIt fires pots.\n\nPots are fired twice.\n\nIt is hot."
    hit = hit_of(chunk("kiln.md", text))
    first = Quote(hit, 0, text.index("\n\nIt is hot"), 0)
    again = Quote(hit, text.index("It fires"), len(text), text.index("It fires"))
    assert [one.text for one in said_once([first, again])] == [first.text, "It is hot."]

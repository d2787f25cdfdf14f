"""What an answer opens with: the section, the entry or the definition that was asked for, and nothing that happens to
stand before it."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.openings import best_opening, rank_passages
from quire.answering.extractive.scoring import score_passages
from quire.answering.extractive.weighing import weigh
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk
from tests.support.answer_checks import problems
from tests.support.shelves import chunk, hit_of, pages, shelf_of

LADDER = """\
### Ladder A: Brass

A brass ladder bears ninety kilos. It is cleaned with vinegar, and every spring it is oiled at its hinges.

### Ladder B: Oak (for painters)

Painters lean the oak ladder against a wall.

Caution: the oak ladder warps when it rains, and a warped rung breaks. Carry it inside before it rains.
"""
KNOBS = """\
# Knobs

&#9203;``steamTimeout``<br/>
This knob sets how long steam is kept in the pot. *Default: 30 seconds*

&#9203;``lidTimeout``<br/>
This knob sets how long the lid stays shut. The least value is 2 seconds. *Default: 8 seconds*

&#9203;``oilTimeout``<br/>
This knob sets how long the oil is kept warm. *Default: 9 seconds*
"""
POT = """\
class Pot {
   private long steamTimeout;
   private long lidTimeout;
   private long oilTimeout;
   private long heat;
   private String name;
"""
PUBLIC = (
    "/**\n * Empty a jar of the shelf.\n */\n"
    "public void emptyJar(Jar jar) {\n   empty(jar, true, 9);\n   note(jar);\n}\n"
)
PRIVATE = (
    "/**\n * Softly empty a jar of the shelf.\n */\n"
    "private void softEmptyJar(Jar jar, boolean isOwner) {\n   jar.lock();\n   jar.tip();\n   jar.close();\n}\n"
)


def ask(question: str, *chunks: Chunk, profile: str = "docs") -> Answer:
    given = answer(shelf_of([*chunks, *pages(20)], profile=profile), Inquiry(question))
    assert problems(given) == []
    return given


def java(path: str, text: str, symbol: str, kind: str = "method") -> Chunk:
    made = chunk(path, text, lang="java", kind=kind, symbol=symbol, start_line=1, is_test=False)
    return made._replace(symbols=(symbol, symbol.rpartition(".")[2]), breadcrumb=f"{path} › {symbol}")


def test_the_section_that_answers_comes_without_the_one_before_it() -> None:
    given = ask("Why is the oak ladder carried inside before it rains?", chunk("ladders.md", LADDER))
    assert given.text.startswith("**Ladder B: Oak (for painters)**")
    assert "vinegar" not in given.text


def test_an_earlier_section_that_says_as_much_stays_before_it() -> None:
    text = LADDER.replace(
        "It is cleaned with vinegar", "The brass ladder warps when it rains, carry it inside"
    )
    given = ask("Which ladder warps when it rains?", chunk("ladders.md", text))
    assert given.text.index("The brass ladder warps") < given.text.index("the oak ladder warps")


@pytest.mark.parametrize("profile", ["docs", "code"])
def test_of_named_paragraphs_the_one_is_quoted_that_was_asked_for(profile: str) -> None:
    holder = [java("Pot.java", POT, "Pot", "class")] if profile == "code" else []
    readme = chunk("README.md", KNOBS, lang="markdown", kind="section")
    given = ask("What is the least value of lidTimeout?", readme, *holder, profile=profile)
    assert given.citations[0].quote.startswith(
        "&#9203;``lidTimeout``<br/>\nThis knob sets how long the lid stays"
    )
    assert "steam is kept" not in given.text


def test_what_documents_a_value_comes_before_the_field_that_holds_it() -> None:
    readme = chunk("README.md", KNOBS, lang="markdown", kind="section")
    field = java("Pot.java", POT.partition("\n")[2], "Pot.lidTimeout", "variable")
    given = ask("What does lidTimeout do when it is two?", readme, field, profile="code")
    assert "This knob sets how long the lid stays shut." in given.citations[0].quote


def test_the_halves_of_a_section_in_two_chunks_are_told_in_their_order() -> None:
    first = "# Wares\n\nThe wares of the house.\n\n### millDrive\n\n- Wind. The sails turn the mill drive."
    second = "- Water. The mill drive of a millDrive by water needs a stream.\n\nOther values of millDrive are none."
    chunks = (
        chunk("wares.md", first, 0, breadcrumb="Wares › Wares", start_line=1, end_line=7, lang="markdown"),
        chunk(
            "wares.md", second, 1, breadcrumb="Wares › millDrive", start_line=8, end_line=11, lang="markdown"
        ),
    )
    told = ask("Which values can millDrive have?", *chunks).text
    assert told.index("Wind.") < told.index("Water.")


def test_who_asks_how_to_do_something_is_shown_what_can_be_called() -> None:
    chunks = (java("Shelf.java", PRIVATE, "Shelf.softEmptyJar"), java("Rack.java", PUBLIC, "Rack.emptyJar"))
    assert ask("How do I empty a jar of the shelf?", *chunks, profile="code").text.startswith(
        "`Rack.emptyJar`"
    )


def test_a_parameter_that_is_asked_for_is_explained_though_the_signature_names_it() -> None:
    story = "It has been poured since the first kettles were made, by hand and slowly. " * 12
    text = (
        "Kettle:Pour(cup: Cup, keepsLidOpen: boolean = true): float — Function of Kettle\n\nPours water into a cup.\n\n"
        f"{story}\n\nParameters:\n\n- `cup` (Cup): What is filled.\n"
        "- `keepsLidOpen` (boolean, default true): Whether steam may leave."
    )
    entry = chunk("kettle.yaml", text, breadcrumb="Kettle › Pour")._replace(symbols=("Kettle.Pour", "Pour"))
    assert "Whether steam may leave." in ask("Kettle:Pour keepsLidOpen", entry, profile="roblox").text


def test_three_things_that_are_compared_are_all_told() -> None:
    things = {"Lamp": "It gives light.", "Torch": "It burns.", "Candle": "It melts."}
    chunks = [chunk(f"{name}.md", f"# {name}\n\n{said} The {name} is old.") for name, said in things.items()]
    told = ask("What is the difference between a Lamp, a Torch and a Candle?", *chunks).text
    assert all(said in told for said in things.values())


def test_what_stands_for_a_value_in_a_command_is_kept() -> None:
    text = ":command: :program:`brew revoke <header=value>`\n\nIt revokes the brews, see :ref:`the guide <brews>`."
    told = ask("Which command revokes the brews?", chunk("brew.rst", text, lang="rst")).text
    assert "brew revoke <header=value>" in told
    assert "<brews>" not in told


@pytest.mark.parametrize(
    ("question", "is_begun"),
    [
        ("How is the red paste kept from the frost?", False),
        ("Show me the command that stirs the green paste", True),
    ],
)
def test_the_beginning_of_a_section_in_an_earlier_chunk_stands_above_code_alone(
    question: str, is_begun: bool
) -> None:
    begun = "## Pastes\n\n" + "Whoever mixes colours wants a bowl, a spoon and a dry afternoon. " * 7
    further = (
        "The red paste is kept from the frost in a jar of straw, which is turned over every week.\n\n"
        "```sh\nstir --green paste --slowly\n```"
    )
    chunks = (
        chunk("paste.md", begun, 0, breadcrumb="Colours › Pastes", heading="Pastes", lang="markdown"),
        chunk("paste.md", further, 1, breadcrumb="Colours › Pastes", heading="Pastes", lang="markdown"),
    )
    assert ("a dry afternoon" in ask(question, *chunks).text) is is_begun


def test_what_holds_unless_it_is_set_is_told_as_the_default() -> None:
    page = chunk("kiln.md", "The default heat of a kiln is 80 degrees.")
    other = chunk("lid.md", "A kiln is set on its lid, where nothing else was set, and its heat rises.")
    for question in ("How much heat has a kiln if nothing is set?", "Which heat has a kiln unless I set it?"):
        assert ask(question, other, page).text.startswith("The default heat")


def test_a_link_below_see_also_answers_nothing() -> None:
    linked = "## See also\n\n- [Does oiling a lamp remove rust that it has](/lamps/oiling-removes-rust/)\n"
    said = "## Oiling\n\nOiling keeps a lamp from new rust alone.\n"
    asked = ask(
        "Does oiling a lamp remove rust that it has?", chunk("lamps.md", linked), chunk("oil.md", said)
    )
    assert asked.citations[0].hit.chunk.document_id == "oil.md"
    asked = ask("What should I see also on oiling a lamp?", chunk("lamps.md", linked))
    assert asked.citations[0].hit.chunk.document_id == "lamps.md"


def test_a_section_that_is_called_by_the_whole_question_opens_whatever_was_found_first() -> None:
    asked = "How do I force the kiln to fire all pots of a rack I just moved?"
    other = chunk(
        "faq.md",
        "## The kiln wants to fire a rack again, what can I do?\n\nAll pots of it were moved by the clock.",
        0,
        breadcrumb="Questions › The kiln wants to fire a rack again, what can I do?",
    )
    own = chunk(
        "faq.md",
        "## How do I force the kiln to fire all pots from the rack I just moved?\n\nTurn the red lever down.",
        1,
        breadcrumb="Questions › How do I force the kiln to fire all pots from the rack I just moved?",
    )
    weighed = weigh(asked, shelf_of([other, own, *pages(20)]).index)
    hits = [hit_of(other, 1), hit_of(own, 2)]
    ranked = rank_passages(weighed, score_passages(weighed, hits, None, None))
    opening = best_opening(weighed, ranked)
    assert opening is not None
    assert opening.hit.chunk.id == own.id


def test_what_points_back_from_the_beginning_of_a_section_points_at_its_title() -> None:
    given = ask(
        "How do I glaze all pots of the rack again?",
        chunk(
            "faq.md",
            "```\nkiln --off\n```\n\n## How do I glaze all pots of a rack again?\n\n"
            "This is done by the red lever:\n\n```\nlever --red\n```\n\nThis glazes the pots again.",
            breadcrumb="Questions › How do I cool the kiln?",
        ),
    )
    assert given.text.startswith(
        "**How do I glaze all pots of a rack again?**\n\nThis is done by the red lever"
    )
    assert "kiln --off" not in given.text

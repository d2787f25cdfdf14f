"""Commands as terms: what a page shows for a shell is found by the question that writes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from quire.analysis.terms import (
    LONGEST_COMMAND_LINE,
    MOST_ASKED,
    MOST_COMMAND_LINES,
    MOST_COMMAND_WORDS,
    command_terms,
    possible_commands,
)
from quire.documents import Document
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.ports import Embedder
from quire.profiles import profile_named
from quire.search.candidates import MOST_NAMED, gather
from quire.search.query import MOST_COMMANDS, read_question
from quire.search.retrieval import Query, retrieve
from tests.support.corpus import write_corpus


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (
            "```sh\nkiln heat --fast --to=1200 bowl\n```",
            ["$kiln$heat", "$kiln$heat$--fast", "$kiln$heat$--fast$--to"],
        ),
        ("```\n$ sudo kiln cool\n```", ["$kiln$cool"]),
        ("Run ``kiln vent`` now.", ["$kiln$vent"]),
        ("::\n\n    $ kiln -A shelf fire\n", ["$kiln$-a", "$kiln$-a$shelf", "$kiln$-a$shelf$fire"]),
        ("`kiln open <door> wide` and `kiln` and `Kiln opens`", ["$kiln$open"]),
        ("```python\nkiln = open_kiln()\nreturn kiln heat\n```", []),
        ("```js\nlet kiln\n```\nnow heat it\n\n```sh\nkiln heat\n```\nthen cool it\n", ["$kiln$heat"]),
        ("~~~sh\nkiln heat\n~~~\n", ["$kiln$heat"]),
        ("```sh\n# heat the kiln\nkiln heat\n```", ["$kiln$heat"]),
        ("`-f` is the name of `-o`, `a` heats it, and `kiln heat` too", ["$kiln$heat"]),
        ("```\nthe kiln heats\nkiln heat\n```", ["$kiln$heat"]),
        ("> heat the `kiln`\n# cool it down\n", []),
    ],
)
def test_what_is_a_command(text: str, commands: list[str]) -> None:
    assert list(command_terms(text)) == commands


def test_a_text_is_read_for_commands_within_bounds() -> None:
    many = "```sh\n" + "".join(f"kiln step{n}\n" for n in range(10 * MOST_COMMAND_LINES)) + "```"
    assert len(command_terms(many)) <= MOST_COMMAND_LINES
    (long,) = command_terms("```sh\nkiln " + "x" * 100_000 + "\n```")
    assert len(long) <= LONGEST_COMMAND_LINE + 2
    asked = list(possible_commands("kiln heat " * 20_000))
    assert len(asked) <= MOST_ASKED
    assert max(term.count("$") for begun in asked for term in begun) == MOST_COMMAND_WORDS
    many = " ".join(f"kiln{n}" for n in range(30))
    assert len(read_question(many, KnowsAll(), heading_weight=0.0).commands) == MOST_COMMANDS


class KnowsAll:
    """A vocabulary that holds every term."""

    chunk_count = 9

    def expect(self, terms: Iterable[str]) -> None:
        """Nothing to prepare."""

    def document_frequency(self, term: str) -> int:
        return 1

    @property
    def words(self) -> KnowsAll:
        return self

    def beginning(self, letters: str) -> list[str]:
        return []

    def near(self, word: str, limit: int) -> list[str]:
        return []

    def has_symbol(self, name: str) -> bool:
        return False


def test_the_page_that_shows_a_command_leads_its_question(tmp_path: Path, embedder: Embedder) -> None:
    pages = {
        "console.md": "# Kilns up and down\n\nRun `kiln list` to see which kiln is down. What happens in it is logged.",
        "doors.md": "# Doors\n\nBefore work at the door, close the shop, and open it when the bricks are in place "
        "again and nobody is behind them:\n\n```sh\nkiln down\n```",
        "kiln.md": "# When it runs down\n\nWhat happens to a kiln that is down depends on the weather.",
    }
    documents = [
        Document(path, text, "docs", {"path": path, "filename": path}) for path, text in pages.items()
    ]
    folder = tmp_path / "segment"
    write_corpus(folder, embedder, documents, profile="docs")
    index = OpenedIndex([(open_segment(folder), 0)], version="v1")
    for question in ("what happens when I run kiln down?", "What does `kiln down` do?"):
        assert retrieve(index, embedder, Query(question)).hits[0].chunk.document_id == "doors.md"
    assert retrieve(index, embedder, Query("When does it run down?")).hits[0].chunk.document_id == "kiln.md"


def test_a_command_that_many_pages_show_is_found_where_it_is_filtered_for(
    tmp_path: Path, embedder: Embedder
) -> None:
    shown = "Run `kiln heat`."
    pages = {f"page{n:03}.md": f"# Page {n}\n\n{shown}" for n in range(2 * MOST_NAMED)}
    pages["long.md"] = "# Long\n\n" + "It is told at length what clay is made of. " * 20 + shown
    documents = [
        Document(path, text, "docs", {"path": path, "filename": path}) for path, text in pages.items()
    ]
    folder = tmp_path / "segment"
    write_corpus(folder, embedder, documents, profile="docs")
    index = OpenedIndex([(open_segment(folder), 0)], version="v1")
    allowed = index.filters.chunks({"filename": "long.md"})
    question = read_question("What does kiln heat do?", index, heading_weight=0.0)
    found = gather(index, profile_named("docs"), question, allowed, row=None, keywords=True)
    assert [chunk.document_id for chunk in index.fetch(found.named)] == ["long.md"]

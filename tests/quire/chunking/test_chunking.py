"""The Markdown chunker: what a reader of the document sees is in its chunks, whole, in order and on its lines."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.chunking import CHUNKERS
from quire.chunking.packing import estimate_tokens
from quire.documents import Chunk, Document, text_sha256
from quire.errors import SourceError

KINDS = ("creator_docs", "docs", "textbook")


def cut(text: str, kind: str = "docs", **metadata: str) -> list[Chunk]:
    return list(CHUNKERS[kind](Document("guide.md", text, kind, {"path": "guide.md", **metadata})))


def cut_as(path: str, text: str) -> list[Chunk]:
    return list(CHUNKERS["docs"](Document(path, text, "docs", {"path": path})))


def is_subsequence(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether `wanted` stands in `found` in this order, other things between allowed."""
    rest = iter(found)
    return all(any(word == other for other in rest) for word in wanted)


WORDS = st.text(alphabet="abcdefghijk", min_size=1, max_size=9)
SENTENCES = st.builds(
    lambda start, count: (
        " ".join(f"w{n * 7919 % 10 ** (n % 9 + 1)}" for n in range(start, start + count)) + "."
    ),
    st.integers(0, 999),
    st.integers(1, 20),
)
PROSE = st.lists(SENTENCES, min_size=1, max_size=8).map(" ".join)
BLOCKS = st.one_of(
    PROSE,
    st.lists(SENTENCES, min_size=1, max_size=9).map(lambda items: "\n".join(f"- {item}" for item in items)),
    PROSE.map(lambda text: f"```lua\n{text}\n\nreturn\n```"),
    st.lists(SENTENCES, min_size=2, max_size=6).map(
        lambda rows: "\n".join(["| A | B |", "| - | - |", *(f"| x | {row} |" for row in rows)])
    ),
    st.tuples(st.integers(1, 4), WORDS).map(lambda pair: f"{'#' * pair[0]} {pair[1]}"),
)


@pytest.mark.parametrize("kind", KINDS)
@given(blocks=st.lists(BLOCKS, min_size=1, max_size=14))
def test_joining_chunks_gives_the_words_of_the_document_back(kind: str, blocks: list[str]) -> None:
    source = "\n\n".join(blocks)
    chunks = cut(source, kind)
    shown = source.replace("| - | - |", "").replace("| ", " ").replace(" |", " ").split()
    found = [word for chunk in chunks for word in chunk.text.replace(" | ", " ").split()]
    assert is_subsequence(shown, found)


@pytest.mark.parametrize("kind", KINDS)
@given(blocks=st.lists(BLOCKS, min_size=1, max_size=14))
def test_every_chunk_stands_on_the_lines_that_it_names(kind: str, blocks: list[str]) -> None:
    source = "\n\n".join(blocks)
    lines = source.split("\n")
    for chunk in cut(source, kind):
        first, last = chunk.metadata["start_line"], chunk.metadata["end_line"]
        assert isinstance(first, int)
        assert isinstance(last, int)
        assert 1 <= first <= last <= len(lines)
        stands = " ".join(lines[first - 1 : last]).replace("|", " ")
        assert is_subsequence(chunk.text.replace(" | ", " ").split(), stands.split())


@pytest.mark.parametrize("kind", KINDS)
@given(blocks=st.lists(BLOCKS, min_size=1, max_size=14))
def test_code_blocks_are_never_split(kind: str, blocks: list[str]) -> None:
    texts = [chunk.text for chunk in cut("\n\n".join(blocks), kind)]
    assert all(any(block in text for text in texts) for block in blocks if block.startswith("```"))


def test_an_over_long_code_block_is_one_chunk_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    code = "```python\n" + "x = 1\n" * 900 + "```"
    with caplog.at_level(logging.WARNING, "quire"):
        chunks = cut(f"# Loop\n\nBefore it.\n\n{code}\n\nAfter it.\n", "textbook")
    assert [chunk for chunk in chunks if code in chunk.text]
    assert "guide.md:5: code block" in caplog.text


def test_a_repository_that_is_indexed_is_not_told_of_each_long_code_block(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "quire"):
        cut(f"# Loop\n\n```python\n{'x = 1' * 900}\n```\n", "docs")
    assert caplog.text == ""


def test_sizes_are_those_of_the_profile() -> None:
    prose = "\n\n".join(
        f"## Part {n}\n\n" + "A sentence of ten words stands here to fill space. " * 60 for n in range(5)
    )
    for chunk in cut(prose, "creator_docs"):
        assert 500 <= len(chunk.text) <= 1000
    for chunk in cut(prose, "textbook"):
        assert 350 <= estimate_tokens(chunk.text) <= 800
    for chunk in cut(prose, "docs"):
        assert 500 <= len(chunk.text) <= 1200


def test_small_neighbours_are_merged_and_keep_their_headings() -> None:
    chunks = cut("# Tools\n\n## Saw\n\nCuts.\n\n## Plane\n\nSmooths.\n\n## File\n\nRounds.\n")
    assert [chunk.text for chunk in chunks] == [
        "# Tools\n\n## Saw\n\nCuts.\n\n## Plane\n\nSmooths.\n\n## File\n\nRounds."
    ]


def test_a_breadcrumb_names_the_title_first_and_nothing_twice() -> None:
    long = "A sentence of ten words stands here to fill space. " * 30
    source = f"---\ntitle: Wood\n---\n\n## Saws\n\n### Saws\n\n{long}\n\n### Hand saws\n\n{long}\n"
    trails = [chunk.breadcrumb for chunk in cut(source)]
    assert trails[0].startswith("Wood")
    assert trails[-1] == "Wood › Saws › Hand saws"
    assert all(len(set(trail.split(" › "))) == len(trail.split(" › ")) for trail in trails)


def test_metadata_names_the_place_of_a_chunk() -> None:
    long = "A sentence of ten words stands here to fill space. " * 18
    first, second = cut(
        f"# Wood\n\n{long}\n\n## Hard woods\n\n{long}\n", url="https://x.org/wood", chapter="2"
    )
    assert first.metadata["url"] == "https://x.org/wood"
    assert second.metadata == {
        "path": "guide.md",
        "url": "https://x.org/wood#hard-woods",
        "chapter": "2",
        "title": "Wood",
        "heading": "Hard woods",
        "start_line": 5,
        "end_line": 7,
        "chunk_index": 1,
        "content_hash": text_sha256(second.text),
        "line_map": "0:0 15:2",
    }


def test_a_split_table_is_found_by_its_header_which_is_not_stored_twice() -> None:
    rows = "\n".join(f"| {n} | A cell with quite some words in it, number {n} |" for n in range(60))
    chunks = cut(f"| Tier | Meaning |\n| --- | --- |\n{rows}\n")
    assert len(chunks) > 2
    assert all("Tier | Meaning" in chunk.aliases for chunk in chunks[1:])
    assert sum("Tier" in chunk.text for chunk in chunks) == 1


def test_a_split_table_is_found_by_its_header_where_another_table_in_the_chunk_has_the_same() -> None:
    rows = "\n".join(f"| {n} | A cell with quite some words in it, number {n} |" for n in range(60))
    head = "| Tier | Meaning |\n| --- | --- |"
    last = cut(f"{head}\n{rows}\n\n{head}\n| 9 | Another table |\n")[-1]
    assert last.text.index("number 59") < last.text.index("Tier | Meaning")
    assert last.aliases == "Tier | Meaning"


@pytest.mark.parametrize("text", ["", "---\ntitle: Only a title\n---\n", "<br />\n"])
def test_a_document_without_text_is_one_chunk_of_its_title(text: str) -> None:
    chunks = cut(text)
    assert [chunk.text for chunk in chunks] == ["# Only a title" if "title" in text else "# Guide"]


@pytest.mark.parametrize(("head", "body"), [("title: T\n", "Body."), ("", "# T\n\nBody.")])
def test_the_description_stands_below_the_title_in_the_first_chunk(head: str, body: str) -> None:
    (chunk,) = cut(f"---\n{head}description: Says what.\n---\n\n{body}\n")
    assert chunk.text == "# T\n\nSays what.\n\nBody."


def test_other_names_of_a_note_find_it_and_addresses_do_not() -> None:
    chunk = cut("---\naliases: [Landing, Start, /old/way/]\n---\n\nBody.\n")[0]
    assert chunk.aliases.split("\n") == ["Landing", "Start"]


def test_keywords_find_the_first_chunk_and_are_not_stored_text() -> None:
    chunk = cut("---\ntitle: T\nkeywords: [gripper, arm]\n---\n\nBody.\n")[0]
    assert chunk.aliases == "gripper\narm"
    assert "gripper" not in chunk.text


def test_ids_are_unique_and_the_same_from_run_to_run() -> None:
    source = "# A\n\n" + "\n\n".join(f"## B {n}\n\n" + "Words fill this space. " * 60 for n in range(9))
    ids = [chunk.id for chunk in cut(source)]
    assert len(set(ids)) == len(ids) > 5
    assert ids == [chunk.id for chunk in cut(source)]


def test_malformed_mdx_is_named() -> None:
    document = Document("a.mdx", "# A\n\n<Tabs>\n", "textbook", {"path": "book/a.mdx"})
    with pytest.raises(SourceError, match=r"^book/a\.mdx:3: "):
        list(CHUNKERS["textbook"](document))


@given(st.lists(PROSE, min_size=1, max_size=12))
def test_prose_is_cut_between_its_paragraphs_and_sentences(paragraphs: list[str]) -> None:
    source = "\n\n".join(paragraphs)
    chunks = cut(source, "prose")
    assert is_subsequence(source.split(), [word for chunk in chunks for word in chunk.text.split()])
    assert all(len(chunk.text) <= 1000 for chunk in chunks)


def test_links_to_other_sites_stand_beside_the_text_that_has_their_words() -> None:
    text = """# Pumps

Report faults in [the *tracker*](https://t.example.org/new "New"), read [on][1] or [Valves](valves.md), see
<https://x.example.org> and [https://y.example.org](https://y.example.org); [here](https://a.example.org) or
[here](https://b.example.org), [\\[3\\]](https://c.example.org).

| Part | Made by |
| --- | --- |
| Seal | [Doe & Sons](https://doe.example.org) |

[1]: https://z.example.org/a_b
"""
    (made,) = cut(text)
    assert made.metadata["links"] == (
        "[the tracker](https://t.example.org/new)",
        "[Doe & Sons](https://doe.example.org)",
    )
    assert "t.example.org" not in made.text
    assert cut(text, links="own")[0].metadata["links"] == "own"
    assert "links" not in cut("# Pumps\n\nThey run.")[0].metadata


def test_each_part_of_a_long_paragraph_has_the_links_of_its_own_words() -> None:
    sentences = " ".join(
        f"Sentence {n} tells of [part {n} here](https://p.example.org/{n})." for n in range(90)
    )
    chunks = cut(f"# Parts\n\n{sentences}")
    assert len(chunks) > 2
    for one in chunks:
        links = one.metadata["links"]
        assert isinstance(links, tuple)
        assert 0 < len(links) <= 24
        assert all(link[1 : link.index("]")] in one.text for link in links)


def test_links_of_asciidoc_keep_their_address() -> None:
    (made,) = cut_as("guide.adoc", "= Pumps\n\nSee https://t.example.org/a_b[the tracker], link:a.html[A].\n")
    assert made.metadata["links"] == ("[the tracker](https://t.example.org/a_b)",)
    assert made.text.endswith("See the tracker, A.")

from __future__ import annotations

import pytest

from quire.errors import SourceError
from quire.parsing.front_matter import read_front_matter


def test_plain_and_quoted_values_are_read_with_their_lines() -> None:
    head = read_front_matter("---\ntitle: Mover: basics\nid: 'it''s'\nlabel: \"a \\\"b\\\" c\"\n---\nText\n")
    assert dict(head.values) == {"title": "Mover: basics", "id": "it's", "label": 'a "b" c'}
    assert dict(head.lines) == {"title": 2, "id": 3, "label": 4}
    assert head.end_line == 5


def test_lists_are_read_inline_and_one_item_a_line() -> None:
    head = read_front_matter(
        '---\nkeywords: [robots, "a, b"]\ntags:\n  - one # first\n  - "two"\nempty:\n---\n'
    )
    assert head.values["keywords"] == ("robots", "a, b")
    assert head.values["tags"] == ("one", "two")
    assert head.values["empty"] == ""


def test_folded_and_literal_blocks_are_read() -> None:
    head = read_front_matter("---\ndescription: >\n  Two lines\n  become one.\nnotes: |\n  a\n  b\n---\n")
    assert head.values["description"] == "Two lines become one."
    assert head.values["notes"] == "a\nb"


def test_comments_and_nested_mappings_do_not_disturb() -> None:
    head = read_front_matter("---\n# a comment\nhead:\n  robots: none\ntitle: Kept # said aside\n---\n")
    assert head.values["title"] == "Kept"


@pytest.mark.parametrize(
    "text", ["", "No head\n", "---\n\nA rule, not a head.\n", "Text\n---\ntitle: x\n---\n"]
)
def test_a_file_without_a_head_has_no_values(text: str) -> None:
    assert read_front_matter(text).end_line == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: x\n# Body\n", 1),
        ("---\ntitle: x\nnot a pair\n---\n", 3),
        ('---\ntitle: x\nid: "open\n---\n', 3),
        ("---\ntitle: 'open\n---\n", 2),
        ("---\nkeywords: [a, b\n---\n", 2),
    ],
)
def test_a_broken_head_is_an_error_that_names_file_and_line(text: str, line: int) -> None:
    with pytest.raises(SourceError, match=rf"^guide\.mdx:{line}: ") as raised:
        read_front_matter(text, "guide.mdx")
    assert raised.value.path == "guide.mdx"


@pytest.mark.parametrize(
    ("head", "key", "value", "line"),
    [
        ('"title": Ropes', "title", "Ropes", 2),
        ("{title: Ropes, tags: [a, b]}", "tags", ("a", "b"), 2),
        ("sidebar: x\nLast updated: 2024", "Last updated", "2024", 3),
        ('title: "Caf\\u00e9"', "title", "Café", 2),
        ("draft: false\n? title\n: Ropes", "title", "Ropes", 3),
    ],
)
def test_other_valid_yaml_is_read_too(head: str, key: str, value: object, line: int) -> None:
    found = read_front_matter(f"---\n{head}\n---\nText\n", "a.md")
    assert (found.values[key], found.lines[key]) == (value, line)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("{port} of a pump", "{port} of a pump"),
        ("{% include title %}", "{% include title %}"),
        ("[Draft] Ropes # later", "[Draft] Ropes"),
        ("`rope`: a list", "`rope`: a list"),
        ("[a, 'b: c']", ("a", "b: c")),
        ("[a,\n  b]", ("a", "b")),
    ],
)
def test_a_value_that_is_no_yaml_is_read_as_it_is_written(value: str, read: object) -> None:
    found = read_front_matter(f"---\nname: Mover: basics\ntitle: {value}\n---\nText\n", "a.md").values
    assert (found["name"], found["title"]) == ("Mover: basics", read)


def test_an_item_that_is_no_yaml_is_read_as_it_is_written() -> None:
    head = 'title: Post\nExample:\n  - --json \'{ "rope": "long" }\' $URL\n  - "a.b" --out x\n  - \'c\'\n'
    found = read_front_matter(f"---\n{head}---\nText\n", "a.md").values
    assert found == {"title": "Post", "Example": ('--json \'{ "rope": "long" }\' $URL', '"a.b" --out x', "c")}


@pytest.mark.parametrize(
    "head",
    [
        "a: &a [x]\nb c: *a",
        "- one\n- two: x\nnot a pair",
        "not a pair\nx: 2024-99-99",
        '"x": "\\U00110000"',
        '"x": "\\UFFFFFFFF"',
        "x y: " + "a" * 70_000,
        "- " * 30_000,
        "x: " + '["]", ' * 9_000,
    ],
)
def test_yaml_that_is_no_plain_mapping_stays_refused(head: str) -> None:
    with pytest.raises(SourceError, match=r"^a\.md:\d: "):
        read_front_matter(f"---\n{head}\n---\n", "a.md")

"""What strangers ask of any project: its licence, its newest release, how to begin, how to take part."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.known_pages import known_page_hits
from quire.answering.findings import AskedCollection
from quire.answering.request import Inquiry
from quire.index.opened import OpenedIndex
from quire.search.retrieval import Query, retrieve
from tests.support.shelves import chunk, shelf_of

LICENCE = """\
MIT

Copyright 2026 the potters

Permission is hereby granted, free of charge, to any person obtaining a copy of this software, to deal in it."""
UNRELEASED = "# Changes\n\n## Version 3.1.0\n\nUnreleased\n\n- A hotter kiln.\n\n"
CHANGES = (
    "## Version 3.0.2\n\nReleased in May.\n\n- Mends the lid.\n\n## Version 3.0.1\n\nReleased in April.\n"
)
START = "# Quickstart\n\n```{module} kiln\n```\n\nTake clay. Form a bowl of it.\n\n## Further\n\nFire it."
HELP = (
    "# Taking part\n\nBring clay. We fire together on Mondays.\n\n"
    "## Reporting what is broken\n\nTell us of cracks with a picture.\n"
)
README = """\
# The kiln

It is hot. A kiln is a box.

## Installation

Carry it in. The kiln stands on bricks.

## Lids

A lid is laid on top."""
SUPPORT = "# Who mends it\n\nCall the potter on 44 between seven and noon.\n"
REMOVING = "---\ntitle: Uninstalling the kiln\n---\n\n## Removing the bricks\n\nTake brick by brick away.\n"
GROWING = (
    "# Installing\n\nCarry it in.\n\n## Requirements\n\nA floor that bears it, of brick 2.\n\n"
    "## Upgrading the kiln\n\nBring a larger door.\n"
)
OTHER = """\
# Kiln

The kiln has a version of the lid that is the newest release of heat. A licensed potter contributes to how it starts.
The latest lid is open to all. Get the kiln started, the licence of the lid is under the kiln."""


@pytest.fixture(scope="module")
def kiln() -> AskedCollection:
    texts = {
        "LICENSE": LICENCE,
        "docs/quickstart.md": START,
        ".github/CONTRIBUTING.md": HELP,
        "README.md": README,
        "uninstall.md": REMOVING,
        "team/support.md": SUPPORT,
        "docs/getting-started/installation.md": GROWING,
        **{f"about/{n}.md": OTHER.replace("Kiln", f"Kiln {n}") for n in range(12)},
    }
    made = [chunk(path, text, 0, lang="markdown", start_line=1) for path, text in texts.items()]
    changes = [chunk("CHANGES.md", UNRELEASED, 0, lang="markdown", start_line=1)]
    changes.append(chunk("CHANGES.md", CHANGES, 1, lang="markdown", start_line=9))
    return shelf_of([*made, *changes])


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What license is Kiln under?", "Permission is hereby granted"),
        ("Where do I get help?", "Call the potter"),
        ("How can we get support with Kiln?", "Call the potter"),
        ("Is the kiln open source?", "Permission is hereby granted"),
        ("Is Kiln free?", "Permission is hereby granted"),
        ("license?", "Permission is hereby granted"),
        ("What is the latest version of Kiln?", "Mends the lid"),
        ("newest release", "Mends the lid"),
        ("What's new in the latest version?", "Mends the lid"),
        ("What changed in the last release of Kiln?", "Mends the lid"),
        ("How do I get started with Kiln?", "Take clay."),
        ("How can I contribute to Kiln?", "Bring clay."),
        ("How do I report a bug?", "Tell us of cracks"),
        ("Where can I report an issue?", "Tell us of cracks"),
        ("What are the requirements of Kiln?", "A floor that bears it"),
        ("What do I need to run Kiln?", "A floor that bears it"),
        ("Which brick versions are supported?", "A floor that bears it"),
        ("How do I install Kiln?", "Carry it in."),
        ("how to install it", "Carry it in."),
        ("install Kiln", "Carry it in."),
        ("How do I add it to my project?", "Carry it in."),
        ("How can I include Kiln in an existing app?", "Carry it in."),
        ("How do I uninstall Kiln?", "Take brick by brick away."),
        ("how do I completely remove Kiln from my machine", "Take brick by brick away."),
        ("How do I upgrade Kiln?", "Bring a larger door."),
        ("how to update the Kiln to the latest version", "Bring a larger door."),
    ],
)
def test_such_a_question_is_answered_by_the_page_that_projects_have_for_it(
    kiln: AskedCollection, question: str, said: str
) -> None:
    given = answer(kiln, Inquiry(question))
    assert given.answerable
    assert said in given.text.partition("about/")[0]
    assert given.citations[0].hit.chunk.document_id.partition("/")[0] != "about"


def test_what_is_not_released_is_no_release(kiln: AskedCollection) -> None:
    first = answer(kiln, Inquiry("What is the latest version of Kiln?")).text.partition("[1]")[0]
    assert "3.0.2" in first
    assert "hotter" not in first


def test_who_is_licensed_is_not_told_by_the_licence(kiln: AskedCollection) -> None:
    given = answer(kiln, Inquiry("Which potter is licensed?"))
    assert given.citations[0].hit.chunk.document_id != "LICENSE"


@pytest.mark.parametrize(
    "question",
    [
        "What is the latest version of Redis?",
        "How do I read the current version of the lid?",
        "Why does the kiln not get started?",
        "How do lids contribute to the heat?",
        "How do I install plugins?",
        "How do I remove lids from a plate?",
        "How do I update plugins?",
        "What is new in the theory of heat?",
        "How do I report a bug in Redis?",
        "Is the lid free of cracks?",
        "Which Python versions are supported?",
        "Where can I get help with my taxes?",
    ],
)
def test_what_is_asked_of_something_else_is_not_told_by_such_a_page(
    kiln: AskedCollection, question: str
) -> None:
    hits = retrieve(kiln.index, kiln.embedder, Query(question)).hits
    assert known_page_hits(kiln.index, question, hits, {}) == ()


def test_where_no_page_tells_where_help_is_it_is_asked_back() -> None:
    given = answer(
        shelf_of([chunk("a.md", "# Lamp\n\nThe lamp takes a bulb.")]), Inquiry("Where do I get help?")
    )
    assert given.text.startswith("I need more context.")


def test_where_there_is_no_such_page_the_search_decides() -> None:
    shelf = shelf_of(
        [chunk("a.md", "# Terms\n\nThe license of the kiln is that of MIT."), chunk("b.md", OTHER)]
    )
    assert "that of MIT" in answer(shelf, Inquiry("What license is the kiln under?")).citations[0].quote


STARTS = {
    "manual/en/04_Quick-Start.md": "# Quick start\n\nHoist the sail and steer for the lamp.",
    "manual/installation/index.md": "# In the harbour\n\nPull the boat out of its shed.",
    "plugins/wind/install.md": "# Install the vane\n\nScrew it to the mast.",
    "blog/getting-started.md": "# Getting started with rope\n\nA rope is a long story.",
    "README.md": "# Boats\n\nA boat floats.\n\n## Usage\n\nSit down in it.",
}
READMES = {
    "README.md": "# Boats\n\nA boat floats.\n\n## Maven\n\nWrite the boat into it.\n\n## Usage\n\nSit down in it.",
    "rowing/README.md": "# Oars\n\nAn oar is long.\n\n## Installation\n\nLay it into the boat.",
}


BARE = {
    "README.md": "# Boats\n\nBoats float on water.\n\nFetch the boats and a rope:\n\n"
    "```sh\ngem install boats rope\n```\n\n"
    "And push:\n\n```sh\nboats push\n```\n\n## Far Coast Support\n\nRows to the far coast.\n\n"
    "## Oar examples of the north\n\nThey are of ash.\n\n## License\n\nBoats are given under the MIT licence.",
    "harbour/boat-production.md": "# Boats at sea\n\nTwo ropes, and a lamp at night.",
}


@pytest.mark.parametrize(
    ("pages", "question", "said"),
    [
        (BARE, "How do I install Boats?", "gem install boats"),
        (BARE, "How do I get started with Boats?", "gem install boats"),
        (BARE, "How do I run Boats in production?", "Two ropes"),
        (BARE, "Are Boats free?", "MIT licence"),
        (BARE, "Is Boats free?", "MIT licence"),
        (STARTS, "How do I get started with Boats?", "Hoist the sail"),
        (STARTS, "How do I use Boats?", "Hoist the sail"),
        (STARTS, "How do I install Boats?", "Pull the boat out"),
        (READMES, "How do I get started with Boats?", "Sit down in it"),
        (READMES, "How do I install Boats?", "Write the boat into it"),
        (
            {
                "install.md": "# Install\n\nPush.\n\n## Java version\n\nJava 8 rows.\n\n## Dependencies\n\nJava."
            },
            "Which Java versions are supported?",
            "Java 8 rows",
        ),
        ({"README.md": "# Boats\n\nA boat floats."}, "How do I get started with Boats?", "A boat floats"),
        ({"keeping/updating.md": "# Newer boats\n\nPaint it."}, "How do I upgrade Boats?", "Paint it"),
        (
            {"keeping/install/index.md": "# Launch\n\nPush.\n\n## Uninstalling\n\nPull it ashore."},
            "How do I uninstall Boats?",
            "Pull it ashore",
        ),
    ],
)
def test_first_steps_are_found_wherever_they_are_told(
    pages: dict[str, str], question: str, said: str
) -> None:
    texts = {
        **pages,
        **{f"about/{n}.md": f"# Start {n}\n\nA start of sail {n}, installed." for n in range(9)},
    }
    made = [chunk(path, text, 0, lang="markdown", start_line=1) for path, text in texts.items()]
    shelf = shelf_of(made)
    index = OpenedIndex([(one, 0) for one in shelf.index.segments], version="v1", name="boats")
    given = answer(replace(shelf, index=index), Inquiry(question))
    assert said in given.citations[0].quote.split("\n\n", 2)[1]


def test_what_else_is_free_is_not_told_by_the_licence(kiln: AskedCollection) -> None:
    for question in ("Which lids are free?", "Are the Mondays free?", "Is the picture free?"):
        given = answer(kiln, Inquiry(question))
        assert not any("LICENSE" in cited.hit.chunk.document_id for cited in given.citations)


def test_a_section_about_the_support_of_something_is_no_help() -> None:
    made = [chunk(path, text, 0, lang="markdown", start_line=1) for path, text in BARE.items()]
    assert not answer(shelf_of(made), Inquiry("Where do I get help?")).answerable


def test_versions_of_the_language_are_told_by_what_describes_the_package() -> None:
    facts = '{\n  "name": "boats",\n  "engines": {\n    "node": ">= 18"\n  }\n}'
    made = [
        chunk("package.json", facts, 0, lang="json", start_line=1),
        chunk("requirements.txt", "# Needs Node versions\nnode-oars==2", 0, lang="text", start_line=1),
        *[chunk(f"about/{n}.md", f"# Node {n}\n\nNode versions of sail {n}.", n) for n in range(9)],
    ]
    given = answer(shelf_of(made), Inquiry("Which Node versions does Boats support?"))
    assert '"node": ">= 18"' in given.citations[0].quote


def test_the_newest_release_is_told_below_its_heading_whatever_names_it_before() -> None:
    text = (
        "# Changes\n\n## master\n\n[Commits](https://boats.example/3.3.0...master)\n\n## 3.3.0\n\n- A mast.\n"
    )
    made = [chunk("CHANGELOG.md", text, 0, lang="markdown", start_line=1)]
    made += [chunk(f"about/{n}.md", f"# Sail {n}\n\nWhat is new in version {n}.", n) for n in range(9)]
    assert (
        answer(shelf_of(made), Inquiry("What's new in the latest version?"))
        .citations[0]
        .quote.startswith("## 3.3.0")
    )


def test_of_notes_on_releases_the_newest_is_meant_that_is_no_draft() -> None:
    texts = {
        "releases/1.9.md": "# Boats 1.9 release notes\n\nThe mast is of wood.",
        "releases/1.10.rst": "Boats 1.10 release notes\n========================\n\nThe mast is of steel.",
        "releases/2.0.md": "# Boats 2.0 release notes - under development\n\nThe mast is of 2.0 rumours.",
        "releases/process.md": "# How we release\n\nA new release is new in spring, the latest version in autumn.",
        **{f"about/{n}.md": f"# Sail {n}\n\nWhat is new in version {n}." for n in range(9)},
    }
    made = [
        chunk(path, text, 0, start_line=1, breadcrumb=text.partition("\n")[0].strip("# "))
        for path, text in texts.items()
    ]
    given = answer(shelf_of(made), Inquiry("What's new in the latest version?"))
    assert "of steel" in given.citations[0].quote


def test_a_page_is_read_from_its_beginning_whichever_of_its_chunks_says_the_words() -> None:
    made = [
        chunk("install.md", "# Install\n\nPush the boat.", 0, start_line=1),
        chunk(
            "install.md", "## Start from a harbour\n\nGet started with Boats, start Boats.", 1, start_line=90
        ),
        *[chunk(f"about/{n}.md", f"# Start {n}\n\nGet started with sail {n}.", n) for n in range(9)],
    ]
    given = answer(shelf_of(made), Inquiry("How do I get started?"))
    assert "Push the boat" in given.citations[0].quote


def test_a_command_that_updates_the_product_is_its_upgrade() -> None:
    made = [
        chunk("commands/boat_selfupdate.md", "# boat selfupdate\n\nPaint it anew.", 0, start_line=1),
        *[chunk(f"about/{n}.md", f"# Start {n}\n\nUpgrade sail {n}.", n) for n in range(9)],
    ]
    assert "Paint it anew" in answer(shelf_of(made), Inquiry("How do I upgrade it?")).citations[0].quote

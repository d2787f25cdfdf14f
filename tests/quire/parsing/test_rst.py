from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.chunking.source_code import chunk_source_code
from quire.documents import Document
from quire.parsing.rst import parse_rst, readable_rst
from tests.support.outlines import assert_apart, sections

PAGE = """
.. _guide:

=======
 Guide
=======

Words.

.. setting:: task_limit

``task_limit``
==============

At most so many::

    Not a heading
    -------------

Second
======

.. class:: Basket(size)

    What a customer wants.

Deeper *words*
--------------

Third
=====
"""


def test_sections_nest_as_their_adornments_first_appear() -> None:
    assert list(sections(parse_rst(PAGE.lstrip()).definitions)) == [
        (0, "Guide", 1, 30),
        (1, "task_limit", 9, 18),
        (1, "Second", 19, 28),
        (2, "Basket", 22, 24),
        (2, "Deeper words", 26, 28),
        (1, "Third", 29, 30),
    ]


def test_a_section_defines_what_its_directives_and_its_title_as_code_name() -> None:
    guide = parse_rst(PAGE.lstrip()).definitions[0]
    names = {member.names[0]: member.names[1:] for member in guide.members}
    assert names == {"task_limit": ("task_limit",), "Second": (), "Third": ()}
    assert guide.names == ("Guide",)


def test_what_a_directive_defines_ends_with_its_indented_body() -> None:
    source = (
        "Settings\n========\n\nFirst words.\n\n.. py:data:: LIMIT\n\n    At most.\n\n"
        ".. class:: Basket(size)\n\n    .. method:: add(one)\n\n        Adds.\n\nLast words.\n"
    )
    [settings] = parse_rst(source).definitions
    assert [(one.names, one.start_line, one.end_line) for one in settings.members] == [
        (("LIMIT", "LIMIT"), 6, 9),
        (("Basket", "Basket", "add"), 10, 15),
    ]


def test_a_directive_of_its_own_kind_defines_what_its_option_names() -> None:
    knob = ".. knob::\n    :default: 3\n    :keys: wicks, wick\n\n    How many.\n"
    source = f"Knobs\n=====\n\n{knob}\n.. box::\n    :width: 4\n"
    [knobs] = parse_rst(source).definitions
    assert [(one.names, one.start_line, one.end_line) for one in knobs.members] == [
        (("wicks", "wicks", "wick"), 4, 9)
    ]


def test_each_part_of_a_long_section_has_the_symbols_that_it_defines() -> None:
    entries = "".join(f".. option:: --opt{number}\n\n    {'Words. ' * 60}\n\n" for number in range(8))
    document = Document(
        "a.rst", f"Options\n=======\n\n{entries}", "source_code", {"path": "a.rst", "lang": "rst"}
    )
    chunks = list(chunk_source_code(document))
    assert {name for chunk in chunks for name in chunk.symbols} == {f"--opt{number}" for number in range(8)}
    assert all(name in chunk.text for chunk in chunks for name in chunk.symbols)


def test_what_one_reads_has_no_markup() -> None:
    source = (
        "Use :meth:`~celery.Task.retry` or `the docs <https://example.org>`_.\n\n"
        ".. code-block:: python\n    :linenos:\n\n    retry()\n\n.. note:: Careful.\n\n.. _label:\n\nTitle\n=====\n"
    )
    assert readable_rst(source) == (
        "Use celery.Task.retry or the docs.\n\n    retry()\n\nnote Careful.\n\nTitle"
    )


def test_tables_and_transitions_are_no_headings() -> None:
    source = "A\n=\n\n=====  =====\nOne    Two\n=====  =====\n1      2\n=====  =====\n\n-----\n\nText\n"
    assert [name for _, name, _, _ in sections(parse_rst(source).definitions)] in (["A"], [])


@given(st.text(st.sampled_from("ab =-\n\n:`._"), max_size=200))
def test_sections_of_any_text_lie_in_the_file_and_in_one_another(text: str) -> None:
    assert_apart(parse_rst(text).definitions, 1, len(text.split("\n")))
    readable_rst(text)

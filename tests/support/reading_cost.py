"""What reading a text costs, by the kind of its document, and shapes of text that make careless readers slow."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence

from build_index.pipeline.preparing import prepare
from quire.documents import Document
from quire.errors import QuireError, SourceError
from quire.killable import Killable
from quire.parsing.formats import RawFile, read_converted
from quire.parsing.languages import GRAMMARS
from quire.parsing.markdown import page_title
from tests.support.pace import takes_cpu_within

CASES = (
    "docs a.md",
    "docs a.mdx",
    "textbook a.mdx",
    "creator_docs a.md",
    "prose a.txt",
    "html a.html",
    "cells a.ipynb",
    *(f"source_code {one}" for one in ("markdown", "rst", "asciidoc", "text")),
)
SYNTAX = tuple(f"source_code {one}" for one in sorted(GRAMMARS))
"""What tree-sitter reads: it makes sense of nonsense in the square of its length, in C; only `Killable` bounds it."""
MOST_S_A_100_KB = 1.0
GROWTH = 1.3
"""The exponent: twice the text may take 2 ** 1.3 times as long."""
NOTHING_S = 0.06
"""Nothing is wrong with what costs no more, and nothing is said of how it grows."""
# fmt: off
SHAPES = (
    '1', 'a', 'A', 'é', '机', ' ', '\t', '\n', '\r\n', '\x00', '\ue001', '\ue003', '_', '-', '=', '+', '*',
    '~', '`', "'", '"', '\\', '/', '<', '>', '&', '#', '|', '!', '?', '.', ',', ':', ';', '$', '@', '%',
    '^', '(', ')', '[', ']', '{', '}', 'a ', 'a\n', 'a.', 'a,', 'aB', 'Ab ', 'a_', "a'b", 'a-', '1 ', '1.',
    'a:b ', 'a=', 'word ', 'Name.Part ', 'it that ', '_a ', 'a: ', 'a: b\n', ' a', 'a  ', ' \n', '\n\n',
    '\n ', 'a\n\n', '\t\n', '- ', '- a\n', '* ', '+ ', '> ', '1. ', '1. a\n', '# ', '# a\n', '## a\n\n',
    '    a\n', 'a\n=\n', 'a\n-\n', '---\n', '***\n', '| ', '|a|b|\n', '|-|-|\n', '|a\n', 'a|', '[a](b) ',
    '[a](', '[a', '[a]', '![a](b)', '![', '](', '[[', '[]', '[a]: b\n', '[^a]', '[a][b]', '**a', '**a**',
    '*a*', '*a _', 'a*_', '__a', '~~', '~~a', '``', '`a', '```\n', '```a\n', '```a\nb\n```\n', '~~~\n',
    '~~~a', '~~~a\n', '````', '<a', '<a ', '<a>', '<a b', "<a b='", '<a b={', '</a', '</a>', '<b>',
    '<b></b>', '<b', '<!', '<!--', '<!-- ', '<!-->', '-->', '<?', '<![CDATA[', '<table>', '<table><tr><td>',
    '<tr>', '<td>', '<td>a', '<li>', '<p>', '<div>', '<script>', '<style>', '<Tabs>', '<T a={1}>', '<T>{',
    '<A/>', "<a href='", '<br>', '<img ', '&amp;', '&a', '&#1', '{/*', '{/* */}', '{a', '{a}', "{'", '{`',
    '{`${', '`${', '${', '{{', '{{{', '{}', '{#a}', '{(', '}{', "import a from 'b'\n", 'import {',
    'import a', 'import ', 'export const a = ', 'export const a = 1\n', 'export const a = [\n',
    'export default ', 'export {', "const a = '", 'let a', 'function a(', ':::note\n', ':::', ':::a[',
    ':::note a\n', '::: \n', ':::a ', 'http://a ', 'http://a', 'https://a[', 'www.a', 'a@b.c ', 'mailto:',
    'link:a[', 'xref:a', '<<a,', '<<', 'link:', 'include::a[]\n', ':a: b\n', '//', '// a\n', '/*', '/**',
    '/* */', '*/', '///', '#!', '# a', '--', '--[[', '--[==[', ']]', '"""', "'''", 'r"', 'r#"', "f'{",
    'f"{', '<<A\n', '<?php ', '?>', '#{', '"#{', '$(', '$((', '@a\n', '(a', '((', 'a(', 'a()', 'a(b,',
    '[a,', '{a:', '{a:{', 'a[', 'a{', 'a<', 'a<b', 'a<b<', 'a<b>(', '<T>(', '(a)=>', 'a=>', '=>', '->',
    '::', 'a::b::', 'a?b:', '?.', '...', '**', '!!', '+-', '&&a', 'a&&', 'a+', 'a=b=', 'if a {', 'if(a)',
    'if a:\n ', 'else if ', 'for(', 'case 1:', 'type A = ', 'type A<', 'let a=', 'let ', 'var ', 'return ',
    'new ', 'new A<', 'not ', 'AND a=', '.. ', '.. note::\n', '.. code::\n\n ', '.. a:: b\n', '.. _a: b\n',
    ':a:`b` ', ':a:`', '`a <b>`_ ', '`a <', 'a_ ', '|a| ', '*a ', 'a\n~\n', '=\n', '====\n', 'a\n====\n',
    '[1]_ ', '::\n\n ', '>>> a\n', '----\n', '....\n', '|===\n', '[source]\n', '[[a]]\n', '== a\n', '*a*b ',
    '_a', '`a`b', '+a+', '#a#',
)
# fmt: on
"""What is repeated: openings, closings and marks of every markup that is read."""
KNOWN = ("<table><tr><td>", "![", "{`${", "/*", "- a\n", "'''", "# ", "# a")
"""Those that were slow once."""
Reading = Killable[tuple[str, str], float]


def cost_s(asked: tuple[str, str]) -> float:
    """CPU seconds of all that a build does with a text before it embeds it, by one of `CASES`."""
    case, text = asked
    kind, _, path = case.partition(" ")
    began = time.process_time()
    try:
        if kind == "cells":
            text = read_converted(RawFile(path, _notebook(text)))
        prepare(Document(path, text, kind, {"path": path, "lang": path}, {}))
        page_title(text, path)
    except QuireError:
        pass  # reading ended, and said why
    return time.process_time() - began


def _notebook(text: str) -> bytes:
    cells: list[dict[str, object]] = [
        {"cell_type": kind, "source": text[start::2], "metadata": {}, "outputs": [], "execution_count": None}
        for start, kind in enumerate(("code", "markdown"))
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def too_slow(cost: Callable[[int], float], size: int, most_s: float) -> str:
    """Says how, where four times the size costs more than it may, or more than it grew; else nothing.

    Args:
        cost: CPU seconds of so many characters, or any other measure of size.
        size: the smallest of three, each twice the one before.
        most_s: what 100,000 may cost.
    """
    largest = 4 * size
    most_s *= largest / 1e5
    if (took := cost(largest)) <= min(most_s, NOTHING_S):
        return ""
    # The machine's other work comes on top of a measurement, never off it: the least of several counts. Of what took no
    # more than this the clock and the machine's caches say more than the text does.
    harmless = min(most_s, max(NOTHING_S, most_s / 3))
    for _ in range(2):
        if took <= harmless:
            return ""
        took = min(took, cost(largest))
    if not takes_cpu_within(took, most_s):
        return f"{took:.2f} s for {largest:,} characters"
    if took <= max(NOTHING_S, most_s / 3):
        return ""
    halves = [min(cost(size * times) for _ in range(3)) for times in (1, 2)]
    if all(
        took > (4 / times) ** GROWTH * max(half, NOTHING_S / 4)
        for times, half in zip((1, 2), halves, strict=True)
    ):
        return f"{halves[0]:.3f}, {halves[1]:.3f}, {took:.3f} s for {size:,} characters, twice and four times as many"
    return ""


def slow_shapes(
    reading: Reading, case: str, atoms: Sequence[str], size: int, *, most_s: float = MOST_S_A_100_KB
) -> list[str]:
    """Those of the shapes that a reader is too slow for."""

    def cost_of(atom: str) -> Callable[[int], float]:
        return lambda size: reading((case, atom * (size // len(atom)) + "x"), name=atom, size=size)

    reading((case, "x"), name=case, size=1)  # what is imported for the first text is not its cost
    found = []
    for atom in atoms:
        try:
            said = too_slow(cost_of(atom), size, most_s)
        except SourceError as error:
            said = str(error)
        found += [f"{case}: {atom!r}: {said}"] if said else []
    return found

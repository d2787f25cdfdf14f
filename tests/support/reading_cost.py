"""What reading a text costs, by the kind of its document, and shapes of text that make careless parsers slow."""

from __future__ import annotations

import time

from quire.chunking import CHUNKERS
from quire.documents import Document
from quire.errors import SourceError
from quire.parsing.markdown import page_title

CASES = (
    "docs a.md",
    "docs a.mdx",
    "textbook a.mdx",
    "creator_docs a.md",
    "prose a.txt",
    "rst a.rst",
    "asciidoc a.adoc",
)
MOST_S_A_100_KB = 5.0
"""Brackets without an end take markdown-it 3.6 s for 100 KB, on a machine that does much else; all else is below 2."""
GROWTH = 2**1.3
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


def cost_s(asked: tuple[str, str]) -> float:
    """CPU seconds of cutting a text and finding its title, by one of `CASES`."""
    case, text = asked
    kind, _, path = case.partition(" ")
    metadata: dict[str, str] = {"path": path}
    if kind in ("rst", "asciidoc"):
        kind, metadata = "source_code", {**metadata, "lang": kind}
    began = time.process_time()
    try:
        list(CHUNKERS[kind](Document(path, text, kind, metadata, {})))
        page_title(text, path)
    except SourceError:
        return time.process_time() - began
    return time.process_time() - began

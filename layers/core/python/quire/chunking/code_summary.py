"""The text to embed for a piece of source code: words instead of syntax, because the model was trained on prose.

Against the code as it stands, this reads the same on celery's golden questions and has a third fewer tokens. Place and
name in front of it are worth .04 of MRR there, measured in the hybrid ranking.
"""

from __future__ import annotations

import re

from quire.analysis.terms import split_identifier
from quire.chunking.spans import Span

LONGEST_DOC = 200
_SYNTAX = b'(){}[]:;,=<>+*/%&|^~!@$`\\"_'
_BLANKED = bytes(ord(" ") if byte in _SYNTAX else byte for byte in range(256))
_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SNAKE_CASE = frozenset("python ruby rust c shell sql".split())


def summarize(place: str, span: Span, text: str, language: str) -> str:
    r"""Where a span stands and what it is called, what documents it in a line, then its code as words.

    >>> summarize("shop basket", Span(1, 1, "function", ("isEmpty",)), "isEmpty(my_basket)", "php")
    'shop basket is Empty\n\nis Empty my basket '
    """
    name = " ".join(word for part in span.path for word in split_identifier(part))
    doc = span.doc.partition("\n")[0][:LONGEST_DOC]
    head = "" if span.defines else span.signature  # what a later part of a long function lacks
    words = f"{head}\n{text}".encode(errors="replace").translate(_BLANKED).decode().replace("self.", "")
    if language not in _SNAKE_CASE:
        words = _SEAM.sub(" ", words)
    return f"{place} {name}\n{doc}{words}"


def headline(span: Span) -> str:
    r"""What a span defines, in words, and the first sentences of what documents it; "" where it defines nothing.

    >>> headline(Span(1, 9, "class", ("MyBasket",), (("MyBasket",),), doc="What one wants.\nIt may be empty."))
    'My Basket: What one wants. It may be empty.'
    """
    name = " ".join(word for part in span.path for word in split_identifier(part))
    said = " ".join(span.doc.split())
    cut = said[:LONGEST_DOC]
    if len(said) > LONGEST_DOC:
        cut = cut.rpartition(". ")[0] or cut.rpartition(" ")[0]
    return f"{name}: {cut}" if cut else name


def place_in_words(path: str) -> str:
    """The words of a path.

    >>> place_in_words("celery/app/taskSet.py")
    'celery app task Set py'
    """
    return " ".join(split_identifier(path))

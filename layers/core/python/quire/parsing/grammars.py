"""The languages that are read by syntax, each by a wheel of its own, imported when its first file comes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from quire.errors import ConfigError
from quire.parsing.compiled_languages import COMPILED
from quire.parsing.further_languages import FURTHER
from quire.parsing.grammar import Grammar
from quire.parsing.scripting_languages import SCRIPTING

GRAMMARS: Mapping[str, Grammar] = {**SCRIPTING, **COMPILED, **FURTHER}
"""Grammars by the word that `lang` says."""


@dataclass(frozen=True, slots=True)
class OpenGrammar:
    """A grammar, ready to use.

    Attributes:
        grammar: its table.
        parser: tree-sitter's parser; one thread at a time may use it.
        references: a root node to the nodes of all names that it refers to, in no order.
    """

    grammar: Grammar
    parser: Any
    references: Callable[[Any], list[Any]]


@cache
def open_grammar(language: str) -> OpenGrammar:
    """The language's parser and query, made once a process.

    Raises:
        ConfigError: the grammar's wheel is not installed.
        KeyError: `GRAMMARS` has no such language.
    """
    grammar = GRAMMARS[language]
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        wheel = importlib.import_module(grammar.package)
    except ImportError as error:
        wanted = grammar.package.replace("_", "-")
        raise ConfigError(
            f"{language}: reading its files needs the packages tree-sitter and {wanted}, found no {error.name};"
            " they come with quire[build]"
        ) from error
    known = tree_sitter.Language(getattr(wheel, grammar.entry)())
    query = tree_sitter.Query(known, grammar.calls)
    return OpenGrammar(
        grammar,
        tree_sitter.Parser(known),
        lambda root: tree_sitter.QueryCursor(query).captures(root).get("r", []),
    )

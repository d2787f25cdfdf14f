"""What is known of a language's syntax: which nodes of its grammar define something, and which refer to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_FUNCTION_VALUES = frozenset(
    "arrow_function function_expression generator_function anonymous_function function_definition".split()
)


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one language is read.

    Attributes:
        package: the wheel's module.
        kinds: node type -> kind of the definition that it is.
        wrappers: node types that only wrap a definition and whose lines belong to it: `export`, decorators, templates.
        name_fields: fields that hold a definition's name, tried in order.
        calls: a tree-sitter query that captures as `r` every name that is called, constructed, extended or applied.
        entry: the function of the module that gives the grammar.
        function_values: node types that make what is assigned to a name a function.
        docstrings: whether the first string of a body documents it.
        several_names: whether one definition may name several things.
        bodies: types of the child that holds a definition's members, where no field `body` does.
        carriers: types of nodes between a definition and its name, beside the usual ones.
        named_by: types of the child that names a definition, where no field does.
        opened: types of nodes that are looked through for definitions, beside the usual ones.
        attached: types of nodes before a definition that belong to it, beside comments.
        words: where a call or block defines: its first word -> kind; "" takes the word itself.
        clauses: whether neighbouring definitions of one name are one, as the equations of a function are.
    """

    package: str
    kinds: Mapping[str, str]
    calls: str
    wrappers: frozenset[str] = frozenset()
    name_fields: tuple[str, ...] = ("name",)
    entry: str = "language"
    function_values: frozenset[str] = _FUNCTION_VALUES
    docstrings: bool = False
    several_names: bool = True
    bodies: frozenset[str] = frozenset()
    carriers: frozenset[str] = frozenset()
    named_by: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    attached: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)
    clauses: bool = False


def node_kinds(**types: str) -> dict[str, str]:
    """Node types by kind, as keyword arguments of blank-separated words, to kinds by node type."""
    return {node: kind for kind, nodes in types.items() for node in nodes.split()}

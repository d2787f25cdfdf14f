"""Grammars of scripting languages and SQL."""

from __future__ import annotations

from collections.abc import Mapping

from quire.parsing.components import COMPONENTS
from quire.parsing.grammar import Grammar, node_kinds

_JAVASCRIPT_KINDS = node_kinds(
    function="function_declaration generator_function_declaration",
    method="method_definition",
    variable="lexical_declaration variable_declaration assignment_expression field_definition",
    property="pair",
) | {"class_declaration": "class"}
_JAVASCRIPT_CALLS = """
(call_expression function: [(identifier) @r (member_expression property: (_) @r)])
(new_expression constructor: [(identifier) @r (member_expression property: (_) @r)])
(decorator (identifier) @r)
"""
_JSX_CALLS = "(jsx_opening_element name: (identifier) @r) (jsx_self_closing_element name: (identifier) @r)"
_TYPESCRIPT_KINDS = _JAVASCRIPT_KINDS | {
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "type_alias_declaration": "type",
    "internal_module": "namespace",
    "module": "namespace",
    "function_signature": "function",
    "abstract_method_signature": "method",
    "method_signature": "method",
    "public_field_definition": "variable",
}
_TYPESCRIPT_CALLS = (
    _JAVASCRIPT_CALLS + "(extends_clause value: (identifier) @r) (implements_clause (type_identifier) @r)"
)
_EXPORTS = frozenset(("export_statement", "expression_statement", "ambient_declaration"))
_LUA_KINDS = node_kinds(
    function="function_declaration",
    variable="variable_declaration assignment_statement",
    type="type_definition",
)
_LUA_CALLS = """
(function_call name: [
  (identifier) @r
  (dot_index_expression field: (identifier) @r)
  (method_index_expression method: (identifier) @r)])
"""

_PYTHON = Grammar(
    "tree_sitter_python",
    {"function_definition": "function", "class_definition": "class", "assignment": "variable"},
    """
    (call function: [(identifier) @r (attribute attribute: (identifier) @r)])
    (class_definition superclasses: (argument_list [(identifier) @r (attribute attribute: (identifier) @r)]))
    (decorator [(identifier) @r (attribute attribute: (identifier) @r)])
    """,
    frozenset(("decorated_definition", "expression_statement")),
    ("name", "left"),
    docstrings=True,
)

_TYPESCRIPT = Grammar(
    "tree_sitter_typescript",
    _TYPESCRIPT_KINDS,
    _TYPESCRIPT_CALLS,
    _EXPORTS,
    ("name", "property", "left", "key"),
    "language_typescript",
)

SCRIPTING: Mapping[str, Grammar] = {
    "python": _PYTHON,
    "cython": _PYTHON,  # as `quire.parsing.cython` makes it Python
    "php": Grammar(
        "tree_sitter_php",
        node_kinds(
            function="function_definition",
            method="method_declaration",
            variable="const_declaration property_declaration assignment_expression",
            namespace="namespace_definition",
        )
        | {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "trait_declaration": "trait",
            "enum_declaration": "enum",
        },
        """
        (function_call_expression function: [(name) @r (qualified_name (name) @r)])
        (member_call_expression name: (name) @r)
        (nullsafe_member_call_expression name: (name) @r)
        (scoped_call_expression name: (name) @r)
        (scoped_call_expression scope: (name) @r)
        (object_creation_expression [(name) @r (qualified_name (name) @r)])
        (base_clause (name) @r)
        (class_interface_clause (name) @r)
        (use_declaration (name) @r)
        """,
        frozenset(("expression_statement",)),
        ("name", "left"),
        "language_php",
    ),
    "javascript": Grammar(
        "tree_sitter_javascript",
        _JAVASCRIPT_KINDS,
        _JAVASCRIPT_CALLS + _JSX_CALLS + "(class_heritage (identifier) @r)",
        _EXPORTS,
        ("name", "property", "left", "key"),
    ),
    "typescript": _TYPESCRIPT,
    **dict.fromkeys(COMPONENTS, _TYPESCRIPT),  # their script
    "tsx": Grammar(
        "tree_sitter_typescript",
        _TYPESCRIPT_KINDS,
        _TYPESCRIPT_CALLS + _JSX_CALLS,
        _EXPORTS,
        ("name", "property", "left", "key"),
        "language_tsx",
    ),
    "ruby": Grammar(
        "tree_sitter_ruby",
        {
            "method": "function",
            "singleton_method": "function",
            "class": "class",
            "module": "module",
            "assignment": "variable",
        },
        """
        (call method: [(identifier) (constant)] @r)
        (call receiver: (constant) @r)
        (superclass (constant) @r)
        """,
        name_fields=("name", "left"),
    ),
    "lua": Grammar("tree_sitter_lua", _LUA_KINDS, _LUA_CALLS),
    "luau": Grammar("tree_sitter_luau", _LUA_KINDS, _LUA_CALLS),
    "shell": Grammar(
        "tree_sitter_bash",
        {"function_definition": "function", "variable_assignment": "variable"},
        "(command name: (command_name (word) @r))",
        frozenset(("declaration_command",)),
    ),
    "sql": Grammar(
        "tree_sitter_sql",
        {
            "create_table": "table",
            "create_view": "view",
            "create_materialized_view": "view",
            "create_function": "function",
            "create_procedure": "function",
            "create_trigger": "trigger",
            "create_type": "type",
            "create_index": "index",
            "create_sequence": "sequence",
            "create_schema": "schema",
        },
        """
        (invocation (object_reference name: (identifier) @r))
        (relation (object_reference name: (identifier) @r))
        (insert (object_reference name: (identifier) @r))
        """,
        frozenset(("statement",)),
        ("column", "name"),
        several_names=False,
    ),
}
"""Grammars by the word that `lang` says."""

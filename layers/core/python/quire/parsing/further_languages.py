"""Grammars of Kotlin, Swift, Scala and Zig, of Elixir, Haskell, OCaml and Julia, and of HCL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from quire.parsing.grammar import Grammar, node_kinds

_OCAML = Grammar(
    "tree_sitter_ocaml",
    node_kinds(
        function="value_definition value_specification external method_definition",
        type="type_definition exception_definition",
    )
    | {"module_definition": "module", "module_type_definition": "interface", "class_definition": "class"},
    """
    (application_expression function: (value_path (value_name) @r))
    (open_module module: (module_path (module_name) @r))
    """,
    name_fields=("pattern", "name"),
    bodies=frozenset(("structure", "signature", "object_expression")),
    carriers=frozenset(
        "let_binding type_binding module_binding class_binding constructor_declaration".split()
    ),
    named_by=frozenset(
        "value_name type_constructor module_name module_type_name class_name constructor_name method_name".split()
    ),
    entry="language_ocaml",
)

FURTHER: Mapping[str, Grammar] = {
    "kotlin": Grammar(
        "tree_sitter_kotlin",
        {
            "class_declaration": "class",
            "object_declaration": "class",
            "function_declaration": "function",
            "property_declaration": "variable",
            "type_alias": "type",
        },
        """
        (call_expression . (identifier) @r)
        (call_expression . (navigation_expression (identifier) @r .))
        (constructor_invocation (user_type (identifier) @r))
        (delegation_specifier (user_type (identifier) @r))
        (annotation (user_type (identifier) @r))
        """,
        name_fields=("name", "type"),
        bodies=frozenset(("class_body", "enum_class_body", "function_body")),
        opened=frozenset(("companion_object",)),
    ),
    "swift": Grammar(
        "tree_sitter_swift",
        node_kinds(
            function="function_declaration protocol_function_declaration",
            variable="property_declaration",
            type="typealias_declaration",
        )
        | {"class_declaration": "class", "protocol_declaration": "interface"},
        """
        (call_expression . (simple_identifier) @r)
        (call_expression . (navigation_expression (navigation_suffix (simple_identifier) @r)))
        (inheritance_specifier (user_type (type_identifier) @r))
        """,
    ),
    "scala": Grammar(
        "tree_sitter_scala",
        node_kinds(
            function="function_definition function_declaration",
            variable="val_definition var_definition",
            type="type_definition",
        )
        | {
            "class_definition": "class",
            "object_definition": "class",
            "trait_definition": "trait",
            "enum_definition": "enum",
        },
        """
        (call_expression function: [(identifier) @r (field_expression field: (identifier) @r)])
        (instance_expression (type_identifier) @r)
        (extends_clause type: (type_identifier) @r)
        """,
        name_fields=("name", "pattern"),
    ),
    "zig": Grammar(
        "tree_sitter_zig",
        {"function_declaration": "function", "variable_declaration": "variable"},
        "(call_expression function: [(identifier) @r (field_expression member: (identifier) @r)])",
        bodies=frozenset(
            "struct_declaration enum_declaration union_declaration opaque_declaration error_set_declaration".split()
        ),
        named_by=frozenset(("identifier",)),
    ),
    "elixir": Grammar(
        "tree_sitter_elixir",
        {},
        """
        ((call target: (identifier) @r)
          (#not-match? @r "^(def|use$|import$|alias$|require$|quote$|unquote|doc$|spec$|moduledoc$|type)"))
        (call target: (dot left: (alias)? @r right: (identifier) @r))
        """,
        bodies=frozenset(("do_block",)),
        attached=frozenset(("unary_operator",)),
        words={
            "defmodule": "module",
            "defprotocol": "interface",
            "defimpl": "impl",
            **dict.fromkeys("def defp defdelegate defguard".split(), "function"),
            **dict.fromkeys("defmacro defmacrop".split(), "macro"),
        },
        clauses=True,
    ),
    "haskell": Grammar(
        "tree_sitter_haskell",
        node_kinds(function="function signature bind", type="data_type newtype type_synonym type_family")
        | {"class": "class", "instance": "impl"},
        "(apply function: [(variable) (constructor)] @r)",
        bodies=frozenset(("class_declarations", "instance_declarations")),
        opened=frozenset(("declarations",)),
        clauses=True,
    ),
    "ocaml": _OCAML,
    "ocaml_interface": replace(_OCAML, entry="language_ocaml_interface"),
    "julia": Grammar(
        "tree_sitter_julia",
        node_kinds(
            function="function_definition",
            variable="assignment const_statement",
            type="struct_definition abstract_definition primitive_definition",
            macro="macro_definition",
        ),
        "(call_expression . (identifier) @r)",
        carriers=frozenset("signature call_expression type_head binary_expression assignment".split()),
        named_by=frozenset(("identifier",)),
        opened=frozenset(("module_definition",)),
        several_names=False,
    ),
    "hcl": Grammar(
        "tree_sitter_hcl",
        {},
        "(function_call (identifier) @r)",
        opened=frozenset(("body",)),
        words=dict.fromkeys("resource data variable module output provider".split(), ""),
    ),
}
"""Grammars by the word that `lang` says."""

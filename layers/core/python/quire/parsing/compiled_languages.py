"""Grammars of languages that are compiled: C, C++, C#, Go, Java, Rust."""

from __future__ import annotations

from collections.abc import Mapping

from quire.parsing.grammar import Grammar, node_kinds

_C_KINDS = node_kinds(
    function="function_definition", variable="declaration", type="type_definition", macro="preproc_def"
) | {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "preproc_function_def": "macro",
}
_C_CALLS = "(call_expression function: [(identifier) @r (field_expression field: (_) @r)])"

COMPILED: Mapping[str, Grammar] = {
    "go": Grammar(
        "tree_sitter_go",
        {
            "function_declaration": "function",
            "method_declaration": "method",
            "type_declaration": "type",
            "const_declaration": "variable",
            "var_declaration": "variable",
        },
        """
        (call_expression function: [(identifier) @r (selector_expression field: (field_identifier) @r)])
        (composite_literal type: [(type_identifier) @r (qualified_type name: (type_identifier) @r)])
        """,
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        node_kinds(
            function="function_item function_signature_item",
            variable="const_item static_item",
            type="type_item",
        )
        | {
            "struct_item": "struct",
            "union_item": "union",
            "enum_item": "enum",
            "trait_item": "trait",
            "impl_item": "impl",
            "mod_item": "namespace",
            "macro_definition": "macro",
        },
        """
        (call_expression function: [
          (identifier) @r
          (field_expression field: (field_identifier) @r)
          (scoped_identifier path: (identifier)? @r name: (identifier) @r)])
        (macro_invocation macro: [(identifier) @r (scoped_identifier name: (identifier) @r)])
        (struct_expression name: (type_identifier) @r)
        (impl_item trait: (type_identifier) @r)
        """,
        name_fields=("name", "type"),
    ),
    "java": Grammar(
        "tree_sitter_java",
        node_kinds(
            method="method_declaration constructor_declaration",
            variable="field_declaration constant_declaration",
            enum="enum_declaration",
        )
        | {
            "class_declaration": "class",
            "interface_declaration": "interface",
            "record_declaration": "record",
            "annotation_type_declaration": "annotation",
        },
        """
        (method_invocation name: (identifier) @r)
        (object_creation_expression type: (type_identifier) @r)
        (superclass (type_identifier) @r)
        (super_interfaces (type_list (type_identifier) @r))
        (marker_annotation name: (identifier) @r)
        (annotation name: (identifier) @r)
        """,
        name_fields=("name", "declarator"),
    ),
    "c": Grammar("tree_sitter_c", _C_KINDS, _C_CALLS, name_fields=("declarator", "name", "type")),
    "cpp": Grammar(
        "tree_sitter_cpp",
        _C_KINDS
        | {
            "class_specifier": "class",
            "namespace_definition": "namespace",
            "field_declaration": "variable",
            "alias_declaration": "type",
        },
        _C_CALLS
        + """
        (call_expression function: (qualified_identifier name: (identifier) @r))
        (call_expression function: (template_function name: (identifier) @r))
        (new_expression type: (type_identifier) @r)
        (base_class_clause (type_identifier) @r)
        """,
        frozenset(("template_declaration",)),
        ("declarator", "name", "type"),
    ),
    "c_sharp": Grammar(
        "tree_sitter_c_sharp",
        node_kinds(
            method="method_declaration constructor_declaration destructor_declaration operator_declaration",
            function="local_function_statement",
            variable="field_declaration property_declaration event_field_declaration event_declaration",
            namespace="namespace_declaration file_scoped_namespace_declaration",
            type="delegate_declaration",
        )
        | {
            "class_declaration": "class",
            "struct_declaration": "struct",
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
        },
        """
        (invocation_expression function: [
          (identifier) @r
          (generic_name (identifier) @r)
          (member_access_expression name: [(identifier) @r (generic_name (identifier) @r)])])
        (object_creation_expression type: [(identifier) @r (generic_name (identifier) @r)])
        (base_list (identifier) @r)
        (attribute name: (identifier) @r)
        """,
    ),
}
"""Grammars by the word that `lang` says."""

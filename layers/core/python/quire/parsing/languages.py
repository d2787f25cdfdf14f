"""The languages that are read by syntax, each by a wheel of its own, imported when its first file comes.

What is known of each is a table: which nodes of its grammar define something, and which refer to it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from quire.errors import ConfigError
from quire.parsing.components import COMPONENTS

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
        tests: words by which a call with a title and a block is a test or a group of tests.
        type_of_types: what a function returns that makes a type, with members.
        marks_tests: whether attributes say what is compiled for tests alone.
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
    tests: frozenset[str] = frozenset()
    type_of_types: str = ""
    marks_tests: bool = False


def node_kinds(named: str = "", ending: str = "_declaration", **types: str) -> dict[str, str]:
    """Kinds by node type. Nodes of the `named` kinds are called as their kind, with the `ending`; others are given by
    their kind, with blanks between.

    >>> node_kinds("enum", variable="pair field")
    {'enum_declaration': 'enum', 'pair': 'variable', 'field': 'variable'}
    """
    others = {node: kind for kind, nodes in types.items() for node in nodes.split()}
    return {f"{kind}{ending}": kind for kind in named.split()} | others


_JAVASCRIPT_KINDS = node_kinds(
    "class function variable",
    function="generator_function_declaration",
    method="method_definition",
    variable="lexical_declaration assignment_expression field_definition",
    property="pair",
)
_JAVASCRIPT_CALLS = """
(call_expression function: [(identifier) @r (member_expression property: (_) @r)])
(new_expression constructor: [(identifier) @r (member_expression property: (_) @r)])
(decorator (identifier) @r)
"""
_JSX_CALLS = "(jsx_opening_element name: (identifier) @r) (jsx_self_closing_element name: (identifier) @r)"
_TYPESCRIPT_KINDS = (
    _JAVASCRIPT_KINDS
    | {"abstract_class_declaration": "class"}
    | node_kinds(
        "interface enum",
        type="type_alias_declaration",
        namespace="internal_module module",
        function="function_signature",
        method="abstract_method_signature method_signature",
        variable="public_field_definition",
    )
)
_TYPESCRIPT_CALLS = (
    _JAVASCRIPT_CALLS + "(extends_clause value: (identifier) @r) (implements_clause (type_identifier) @r)"
)
_JAVASCRIPT_TESTS = frozenset(
    "describe context suite it test specify fdescribe xdescribe fit xit xtest feature scenario".split()
)
_EXPORTS = frozenset(("export_statement", "expression_statement", "ambient_declaration"))
_LUA_KINDS = node_kinds("function variable", variable="assignment_statement", type="type_definition")
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
    tests=_JAVASCRIPT_TESTS,
)


_C_KINDS = node_kinds(
    "struct union enum",
    "_specifier",
    function="function_definition",
    variable="declaration",
    type="type_definition",
    macro="preproc_def preproc_function_def",
)
_C_CALLS = "(call_expression function: [(identifier) @r (field_expression field: (_) @r)])"


_OCAML = Grammar(
    "tree_sitter_ocaml",
    node_kinds(
        "module class type",
        "_definition",
        interface="module_type_definition",
        function="value_definition value_specification external method_definition",
        type="exception_definition",
    ),
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


GRAMMARS: Mapping[str, Grammar] = {
    "python": _PYTHON,
    "cython": _PYTHON,  # as `quire.parsing.cython` makes it Python
    "php": Grammar(
        "tree_sitter_php",
        node_kinds(
            "class interface trait enum method",
            function="function_definition",
            variable="const_declaration property_declaration assignment_expression",
            namespace="namespace_definition",
        ),
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
        tests=_JAVASCRIPT_TESTS,
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
        tests=_JAVASCRIPT_TESTS,
    ),
    "ruby": Grammar(
        "tree_sitter_ruby",
        node_kinds("class module", "", function="method singleton_method", variable="assignment"),
        """
        (call method: [(identifier) (constant)] @r)
        (call receiver: (constant) @r)
        (superclass (constant) @r)
        """,
        name_fields=("name", "left"),
        opened=frozenset(("if", "unless")),
        tests=frozenset(
            """
            describe context it specify example feature scenario shared_examples shared_examples_for shared_context
            test should xdescribe xcontext xit fdescribe fcontext fit
            """.split()
        ),
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
        {f"create_{kind}": kind for kind in "table view function trigger type index sequence schema".split()}
        | {"create_materialized_view": "view", "create_procedure": "function"},
        """
        (invocation (object_reference name: (identifier) @r))
        (relation (object_reference name: (identifier) @r))
        (insert (object_reference name: (identifier) @r))
        """,
        frozenset(("statement",)),
        ("column", "name"),
        several_names=False,
    ),
    "go": Grammar(
        "tree_sitter_go",
        node_kinds("function method type", variable="const_declaration var_declaration"),
        """
        (call_expression function: [(identifier) @r (selector_expression field: (field_identifier) @r)])
        (composite_literal type: [(type_identifier) @r (qualified_type name: (type_identifier) @r)])
        """,
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        node_kinds(
            "struct union enum trait impl type function",
            "_item",
            function="function_signature_item",
            variable="const_item static_item",
            namespace="mod_item",
            macro="macro_definition",
        ),
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
        marks_tests=True,
    ),
    "java": Grammar(
        "tree_sitter_java",
        node_kinds(
            "class interface record enum method",
            method="constructor_declaration",
            variable="field_declaration constant_declaration",
            annotation="annotation_type_declaration",
        ),
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
        | {"class_specifier": "class", "namespace_definition": "namespace"}
        | node_kinds(variable="field_declaration", type="alias_declaration"),
        _C_CALLS
        + """
        (call_expression function: (qualified_identifier name: (identifier) @r))
        (call_expression function: (template_function name: (identifier) @r))
        (new_expression type: (type_identifier) @r)
        (base_class_clause (type_identifier) @r)
        """,
        frozenset(("template_declaration",)),
        ("declarator", "name", "type"),
        tests=frozenset(
            """
            TEST_CASE SCENARIO TEST TEST_F TEST_P TYPED_TEST TEMPLATE_TEST_CASE TEST_CASE_METHOD TEST_SUITE
            BOOST_AUTO_TEST_CASE
            """.split()
        ),
    ),
    "c_sharp": Grammar(
        "tree_sitter_c_sharp",
        node_kinds(
            "class struct interface enum record namespace method",
            method="constructor_declaration destructor_declaration operator_declaration",
            function="local_function_statement",
            variable="field_declaration property_declaration event_field_declaration event_declaration",
            namespace="file_scoped_namespace_declaration",
            type="delegate_declaration",
        ),
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
    "kotlin": Grammar(
        "tree_sitter_kotlin",
        node_kinds("class function", variable="property_declaration", type="type_alias")
        | {"object_declaration": "class"},
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
            "class function",
            function="protocol_function_declaration",
            variable="property_declaration",
            type="typealias_declaration",
            interface="protocol_declaration",
        ),
        """
        (call_expression . (simple_identifier) @r)
        (call_expression . (navigation_expression (navigation_suffix (simple_identifier) @r)))
        (inheritance_specifier (user_type (type_identifier) @r))
        """,
    ),
    "scala": Grammar(
        "tree_sitter_scala",
        node_kinds(
            "class trait enum type function",
            "_definition",
            function="function_declaration",
            variable="val_definition var_definition",
        )
        | dict.fromkeys(("object_definition", "package_object"), "class"),
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
        opened=frozenset(
            "expression_statement return_expression struct_declaration union_declaration".split()
        ),
        type_of_types="type",
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
        tests=frozenset(("describe", "test", "property")),
    ),
    "haskell": Grammar(
        "tree_sitter_haskell",
        node_kinds(
            "class function",
            "",
            function="signature bind",
            type="data_type newtype type_synonym type_family",
            impl="instance",
        ),
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

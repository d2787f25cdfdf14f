"""How the grammars spell a definition's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from quire.parsing.languages import Grammar

LONGEST_NAME = 120
# Nodes between a declaration and the names that it declares.
_CARRIERS = frozenset(
    """
    variable_declarator const_spec var_spec var_spec_list type_spec type_alias const_element property_element
    variable_declaration assignment_statement variable_list init_declarator object_reference
    """.split()
)
_NAMES = frozenset(("name", "variable_name", "identifier"))
_LABELS = frozenset(("string_lit",))
_ARGUMENTS = frozenset(("arguments", "argument_list"))
_TITLES = frozenset(("string", "template_string"))
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_KEY = re.compile(r"""\[\s*['"]([\w.-]+)['"]\s*\]""")
_NAME = re.compile(
    r"""
    operator\s*[^\s\w(]+                                           # of C++
    | ~?[^\W\d][\w$]*[?!]?(?:(?:\.|::|->|:)~?[^\W\d][\w$]*[?!]?)*  # with members; names of Ruby may end in ? or !
    | [$@~#][\w$]+(?:(?:\.|->)[\w$.-]+)*                           # a variable of PHP or Ruby, a private field
    """,
    re.VERBOSE,
)
_OWNER = re.compile(
    r"""
    ^(?: module\.exports | exports         # of a module
    | this | self | window | globalThis    # of an object
    )\.(?=.)
    """,
    re.VERBOSE,
)
_SEPARATOR = re.compile(r"::|->|:")
_RECEIVER = re.compile(r"(?<!\w)([^\W\d]\w*+)\s*+(?:\[[^\[\]]{0,500}+\]\s*+)?\)$")


def declared_names(node: Any, grammar: Grammar, source: bytes) -> tuple[str, ...]:
    """The names that a node declares, as the source spells them but with dots between their parts; may be empty."""
    if _only_announces(node):
        return ()
    names = (worded_name(node),) if grammar.words else tuple(dict.fromkeys(_names(node, grammar, source, 0)))
    declarator = node.child_by_field_name("declarator")
    if declarator is not None and names[:1] and names[0] in grammar.tests:
        # a macro that is read as a function: `TEST(Basket, Adds) {`
        names = (".".join(re.findall(r"\w+", _text(declarator).partition("(")[2])[:2]),)
    names = tuple(filter(None, names))
    return names if grammar.several_names else names[:1]


def receiver_type(node: Any) -> str:
    """The type that a Go method belongs to; "" for everything else."""
    receiver = node.child_by_field_name("receiver") if node.type == "method_declaration" else None
    match = None if receiver is None else _RECEIVER.search(receiver.text.decode(errors="replace"))
    return match[1] if match else ""


def first_word(node: Any) -> str:
    """The word that a call or block begins with: `defmodule`, `resource`."""
    return str(node.child(0).text.decode(errors="replace")) if node.child_count else ""


def worded_name(node: Any) -> str:
    """What stands behind the first word: `a.b` of `resource "a" "b" {`, `Shop.Item` of `defmodule Shop.Item do`."""
    labels = [_text(child).strip('"') for child in node.named_children[1:] if child.type in _LABELS]
    if labels:
        return ".".join(map(spelled, labels))
    named = next((child for child in node.named_children if child.type == "arguments"), None)
    named = named.named_child(0) if named is not None and named.named_child_count else None
    while named is not None and named.type not in ("alias", "identifier"):
        named = named.child_by_field_name("target") or named.child_by_field_name("left")
    return "" if named is None else spelled(_text(named))


def test_title(node: Any, grammar: Grammar) -> str:
    """What a test or a group of tests is called: `adds one` of `it("adds one", () => {`; "" for all else.

    Of a group that is called by what it tests and how, both: `Basket #add` of `describe Basket, "#add" do`.
    """
    called = node.child_by_field_name("method") or (node.named_child(0) if node.named_child_count else None)
    while called is not None and called.type in ("call_expression", "member_expression"):
        called = called.named_child(0)  # of `it.each(rows)("...", ...)`
    if called is None or _text(called) not in grammar.tests or body_of_test(node, grammar) is None:
        return ""
    given = next((child for child in node.named_children if child.type in _ARGUMENTS), None)
    said: list[str] = []
    for argument in given.named_children[:2] if given is not None else ():
        if argument.type in _TITLES:
            return " ".join([*said, _text(argument).strip("\"'`")])[:LONGEST_NAME]
        if argument.type not in ("constant", "scope_resolution", "alias", "identifier"):
            break
        said.append(_text(argument))
    return " ".join(said)[:LONGEST_NAME]


def macro_title(node: Any, grammar: Grammar) -> str:
    """What a test is called whose macro stands before its block: `adds one` of `TEST_CASE("adds one") {`; else ""."""
    call = node.named_child(0) if node.type == "expression_statement" and node.named_child_count else None
    if call is None or call.type != "call_expression" or not grammar.tests:
        return ""
    macro, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if macro is None or given is None or _text(macro) not in grammar.tests or not given.named_child_count:
        return ""
    return _text(given.named_child(0)).strip('"')[:LONGEST_NAME]


def body_of_test(node: Any, grammar: Grammar) -> Any:
    """The block or function that a call is given; None where it is given none."""
    for child in node.named_children:
        if child.type in ("do_block", "block"):
            return child
        if child.type in _ARGUMENTS:
            function = next(
                (one for one in child.named_children if one.type in grammar.function_values), None
            )
            if function is not None:
                return function.child_by_field_name("body")
    return None


def _text(node: Any) -> str:
    return str(node.text.decode(errors="replace"))


def spelled(text: str) -> str:
    """A declarator's text as a dotted name; "" where it is a pattern or has none.

    >>> spelled("*open_door(int key)"), spelled("Foo<T>::bar"), spelled("Foo.prototype.bar"), spelled("$config['a']")
    ('open_door', 'Foo.bar', 'Foo.bar', 'config.a')
    """
    if text.isidentifier():
        return text[:LONGEST_NAME]
    text = text[: 4 * LONGEST_NAME].lstrip("*& \t\r\n")
    if text.startswith(("{", "[")):
        return ""
    text = _KEY.sub(r".\1", _TYPE_ARGUMENTS.sub("", text)).replace(".prototype.", ".")
    match = _NAME.search(_OWNER.sub("", text))
    if not match:
        return ""
    return _SEPARATOR.sub(".", match[0]).lstrip("$@#")[:LONGEST_NAME]


def _names(node: Any, grammar: Grammar, source: bytes, level: int) -> Iterator[str]:
    for field in grammar.name_fields:
        found = node.child_by_field_name(field)
        if found is not None:
            name = spelled(source[found.start_byte : found.end_byte].decode(errors="replace"))
            if name and not (name.startswith("__") and name.endswith("__") and field == "left"):
                yield name
            return
    if level < 4:
        yield from _inner_names(node, grammar, source, level)


def _inner_names(node: Any, grammar: Grammar, source: bytes, level: int) -> Iterator[str]:
    # Of C#, where it may be an identifier as well.
    typed = node.child_by_field_name("type") if level else None
    for child in node.named_children:
        if child == typed:
            continue
        if child.type in grammar.named_by or (level and child.type in _NAMES):
            yield spelled(_text(child))
            return
        if child.type in _CARRIERS or child.type in grammar.carriers:
            yield from _names(child, grammar, source, level + 1)


def _only_announces(node: Any) -> bool:
    """A C prototype, or a struct without a body: what it names is defined elsewhere."""
    if node.type.endswith("_specifier"):
        return bool(node.child_by_field_name("body") is None)
    if node.type not in ("declaration", "field_declaration"):
        return False
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type in ("pointer_declarator", "reference_declarator"):
        inner = inner.child_by_field_name("declarator") or next(iter(inner.named_children), None)
    return bool(inner is not None and inner.type == "function_declarator")

"""Source code to an Outline, by syntax: what it defines, where it may be cut, and whom it refers to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from quire.parsing.comments import comment_text, docstring_text, is_legal_notice
from quire.parsing.components import COMPONENTS, script_alone
from quire.parsing.cython import as_python
from quire.parsing.languages import Grammar, open_grammar
from quire.parsing.names import (
    body_of_test,
    declared_names,
    first_word,
    macro_title,
    receiver_type,
    test_title,
)
from quire.parsing.outline import LONGEST_SIGNATURE, Definition, Outline
from quire.parsing.preprocessor import whole_branches, without_macros

DEEPEST = 48
"""Definitions nested deeper than this stay part of what holds them."""

SHORTEST_DOC = 8
"""Characters of a comment that says something: `/**/` and `/****/` do not."""

CROWD = 160
"""Where so many statements stand side by side, those of one line without a comment are data, not definitions, but for
functions."""

# Nodes that are looked through for the definitions inside them, in all languages alike.
_OPEN = frozenset(
    """
    if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block statement_block
    compound_statement declaration_list class_body body_statement singleton_class ERROR do_statement else then begin
    statement_list preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification object table_constructor
    enum_body_declarations
    """.split()
)
# Looked through only where long: a call with functions inside, such as `describe(...)` or `(function () {...})()`.
_BULKY = frozenset(
    """
    call_expression arguments argument arrow_function function_expression parenthesized_expression call do_block lambda
    return_statement
    """.split()
)
_CLASSES = frozenset("class interface trait struct enum record impl union".split())
_ENTERED = _CLASSES | {"namespace", "module", "enum"}
_CALLS = frozenset(("call", "call_expression"))
_BEGUN_LATE = frozenset(("block", "body_statement"))
"""Bodies that a tree begins with their first statement: what stands before it is no part of them."""
_VALUE_CARRIERS = ("variable_declarator", "assignment_statement", "expression_list")
_SPACE = re.compile(r"\s+")
_PREPARED: Mapping[str, Callable[[str], str]] = {
    "cython": as_python,
    "c_sharp": whole_branches,
    "c": lambda text: without_macros(whole_branches(text), constructs=False),
    "cpp": lambda text: without_macros(whole_branches(text)),
    **dict.fromkeys(COMPONENTS, script_alone),
}
"""What makes a text, line for line, one that its language's grammar reads."""


@dataclass(frozen=True, slots=True)
class _SyntaxReader:
    source: bytes
    grammar: Grammar
    long: int
    interesting: frozenset[str]

    def between(self, start: int, end: int) -> str:
        return self.source[start:end].decode(errors="replace")

    def is_long(self, node: Any) -> bool:
        return bool(node.end_byte - node.start_byte > self.long)


class _SyntaxPlace(NamedTuple):
    """Where a definition stands.

    Attributes:
        row: its first, with all that belongs to it.
        doc_start: first byte of the comments before it,
        doc_end: and the byte after them; 0 where there are none.
        last_row: the least that its last row may be.
        holder: the kind of the definition around it.
        depth: how many nodes deep it was found.
    """

    row: int
    doc_start: int
    doc_end: int
    last_row: int
    holder: str
    depth: int


def parse_source(text: str, language: str, *, long: int) -> Outline:
    """Read a file's syntax. Broken code is read as far as it makes sense.

    Args:
        text: the whole file.
        language: a key of `GRAMMARS`.
        long: bytes above which a definition is long: only then are its insides read for cuts and local definitions.

    Raises:
        ConfigError: the language's grammar is not installed.
    """
    opened = open_grammar(language)
    source = _PREPARED.get(language, str)(text).encode(errors="replace")
    root = opened.parser.parse(source).root_node
    known = opened.grammar
    interesting = frozenset(known.kinds) | known.wrappers | known.opened | _OPEN | _BULKY | _worded(known)
    reader = _SyntaxReader(source, opened.grammar, long, interesting)
    captured = opened.references(root)
    return Outline(
        definitions=_apart(_definitions(root, reader, "", 0), clauses=known.clauses),
        cuts=tuple(find_cuts(root, long)),
        references=tuple(sorted((node.start_point[0] + 1, node.text.decode()) for node in captured)),
        doc=file_doc(root, docstrings=opened.grammar.docstrings),
        package=package_name(root),
        tests=tuple(test_lines(root)) if known.marks_tests else (),
    )


def _definitions(parent: Any, reader: _SyntaxReader, holder: str, depth: int) -> Iterator[Definition]:
    """Definitions among the children of a node; `holder` is the kind of the definition around them."""
    lead = (0, 0, 0)  # first row, first byte and last byte of the comments just read
    commented, end, reach, above = False, -1, -1, 0
    crowded = parent.named_child_count > CROWD
    for child in (*_comments_before(parent), *parent.named_children):
        kind = child.type
        if kind in ATTACHED or kind in reader.grammar.attached:
            row = child.start_point[0]
            if commented and row <= end + 1:
                lead = (lead[0], lead[1], child.end_byte)
            elif row > end:
                lead, commented = (row, child.start_byte, child.end_byte), True
            end = last_row(child)
            reach = end + 1 + _documents_below(child)
            continue
        row = child.start_point[0]
        if kind == "compound_statement" and row <= end + 1 and child.prev_named_sibling is not None:
            titled = macro_title(child.prev_named_sibling, reader.grammar)
            if titled:
                yield Definition((titled,), "test", above + 1, last_row(child) + 1)
                commented, end = False, last_row(child)
                continue
        above = row
        is_data = crowded and not commented and row == child.end_point[0]
        if kind in reader.interesting and not (is_data and _kind(child, reader.grammar) != "function"):
            first, *doc = lead if commented and row <= reach else (row, 0, 0)
            yield from _read(child, reader, _SyntaxPlace(first, doc[0], doc[1], 0, holder, depth))
        commented, end, reach = False, last_row(child), -1


def _documents_below(comment: Any) -> bool:
    """Whether a comment documents what follows behind a blank line too, as JSDoc does in the style of Express."""
    text = node_text(comment)
    return text.startswith("/**") and len(text) > SHORTEST_DOC and not is_legal_notice(comment_text(text))


def _comments_before(body: Any) -> list[Any]:
    """The comments between a head and its body, which belong to the first that stands in it: of Ruby and Python a body
    begins with its first statement."""
    found: list[Any] = []
    before = body.prev_named_sibling if body.type in _BEGUN_LATE else None
    while before is not None and before.type in COMMENTS:
        found.insert(0, before)
        before = before.prev_named_sibling
    return found


def _read(node: Any, reader: _SyntaxReader, place: _SyntaxPlace) -> Iterator[Definition]:
    """The definitions that a node is or holds."""
    if place.depth > DEEPEST:
        return
    kind = _kind(node, reader.grammar)
    title = test_title(node, reader.grammar) if reader.grammar.tests and node.type in _CALLS else ""
    if title:
        body = body_of_test(node, reader.grammar)
        inside = _definitions(body, reader, "test", place.depth + 1) if reader.is_long(node) else ()
        yield Definition(
            names=(title,),
            kind="test",
            start_line=place.row + 1,
            end_line=max(last_row(node), place.last_row) + 1,
            members=_apart(inside),
        )
    elif kind:
        yield from _defined(node, kind, reader, place)
    elif node.type in reader.grammar.wrappers:
        place = place._replace(last_row=max(place.last_row, last_row(node)), depth=place.depth + 1)
        for child in node.named_children:
            if child.type in reader.interesting and child.type not in ATTACHED:
                yield from _read(child, reader, place)
    elif (
        node.type in _OPEN
        or node.type in reader.grammar.opened
        or (node.type in _BULKY and reader.is_long(node))
    ):
        yield from _definitions(node, reader, place.holder, place.depth + 1)


def _worded(grammar: Grammar) -> frozenset[str]:
    return frozenset(("call", "block")) if grammar.words else frozenset()


def _kind(node: Any, grammar: Grammar) -> str:
    """The kind of the definition that a node is; "" where it is none."""
    if node.type in _worded(grammar):
        word = first_word(node)
        return grammar.words.get(word, "") or (word if word in grammar.words else "")
    return grammar.kinds.get(node.type, "")


def _body(node: Any, grammar: Grammar) -> Any:
    """The node that holds a definition's members or statements; None where there is none."""
    body = node.child_by_field_name("body")
    if body is not None or not grammar.bodies:
        return body
    for child in node.named_children:
        if child.type in grammar.bodies:
            return child
        if child.type in grammar.carriers:
            return _body(child, grammar)
    return None


def _defined(node: Any, kind: str, reader: _SyntaxReader, place: _SyntaxPlace) -> Iterator[Definition]:
    names = declared_names(node, reader.grammar, reader.source)
    if not names:
        body = _body(node, reader.grammar) if kind == "namespace" else None
        yield from () if body is None else _definitions(body, reader, place.holder, place.depth + 1)
        return
    kind, body, value = _content(node, kind, reader, place.holder)
    if not kind:
        return
    receiver = receiver_type(node)
    if receiver:
        names = tuple(f"{receiver}.{name}" for name in names)
    if kind == "function" and place.holder in _CLASSES:
        kind = "method"
    inside = (
        ()
        if value is None
        else _read(value, reader, place._replace(holder=kind, last_row=0, depth=place.depth + 1))
    )
    if body is not None and (kind in _ENTERED or reader.is_long(node)):
        inside = _definitions(body, reader, kind, place.depth + 1)
    yield Definition(
        names=names,
        kind=kind,
        start_line=place.row + 1,
        end_line=max(last_row(node), place.last_row) + 1,
        doc=_doc(body, reader, place),
        signature=_signature(node, body, reader) if reader.is_long(node) else "",
        members=_apart(inside, clauses=reader.grammar.clauses),
    )


def _content(node: Any, kind: str, reader: _SyntaxReader, holder: str) -> tuple[str, Any, Any]:
    """Kind, body and value of a definition; "" where it is none of note."""
    body = _body(node, reader.grammar)
    if kind == "namespace" and body is None:
        return "", None, None
    if kind == "function" and reader.grammar.type_of_types and _returns(node) == reader.grammar.type_of_types:
        return "struct", body, None
    if kind not in ("variable", "property"):
        return kind, body, None
    if body is not None and body.type in reader.grammar.bodies:
        return "class", body, None
    return _valued(node, kind, reader, holder)


def _returns(node: Any) -> str:
    """The type that a function says it returns; "" where it says none."""
    returned = node.child_by_field_name("type")
    return "" if returned is None else node_text(returned)


def _valued(node: Any, kind: str, reader: _SyntaxReader, holder: str) -> tuple[str, Any, Any]:
    """What a declaration declares by its value: kind, body and the value to look into; "" where nothing of note."""
    value = _value(node, 0)
    if value is not None and value.type in reader.grammar.function_values:
        return "function", value.child_by_field_name("body"), None
    if value is not None and value.type == "class":
        return "class", value.child_by_field_name("body"), None
    if kind == "property" or holder in ("function", "method", "test"):
        return "", None, None
    return kind, None, value


def _value(node: Any, level: int) -> Any:
    found = node.child_by_field_name("value") or node.child_by_field_name("right")
    if found is not None or level == 3:
        return found
    children = {child.type: child for child in reversed(node.named_children)}
    inner = next((children[carrier] for carrier in _VALUE_CARRIERS if carrier in children), None)
    return None if inner is None else _value(inner, level + 1)


def _doc(body: Any, reader: _SyntaxReader, place: _SyntaxPlace) -> str:
    said = docstring(body) if body is not None and reader.grammar.docstrings else ""
    return said or (comment_text(reader.between(place.doc_start, place.doc_end)) if place.doc_end else "")


def _signature(node: Any, body: Any, reader: _SyntaxReader) -> str:
    end = body.start_byte if body is not None else node.end_byte
    text = reader.between(node.start_byte, min(end, node.start_byte + 4 * LONGEST_SIGNATURE))
    if body is None:
        text = text.partition("\n")[0]
    return _SPACE.sub(" ", text).strip(" :{=")[:LONGEST_SIGNATURE]


def _apart(definitions: Iterable[Definition], *, clauses: bool = False) -> tuple[Definition, ...]:
    """Definitions on disjoint lines: one that begins on the last line of another is joined to it.

    With `clauses`, so is one that follows another of its name: the equations of a function.
    """
    apart: list[Definition] = []
    for definition in definitions:
        above = apart[-1] if apart else None
        is_clause = clauses and above is not None and _head(above) == _head(definition)
        if above is None or (definition.start_line > above.end_line and not is_clause):
            apart.append(definition)
            continue
        names = tuple(dict.fromkeys((*above.names, *definition.names)))
        apart[-1] = replace(above, names=names, end_line=max(above.end_line, definition.end_line))
    return tuple(apart)


def _head(definition: Definition) -> tuple[str, tuple[str, ...]]:
    return definition.kind, definition.names


COMMENTS = frozenset("comment line_comment block_comment multiline_comment haddock marginalia".split())
ATTACHED = COMMENTS | {"attribute_item", "decorator"}
"""Nodes before a definition that belong to it."""

_FOR_TESTS = re.compile(
    r"""
    \#\[ \s* (?: cfg \s* \( \s* (?: (?:all|any) \s* \( \s* )? test \b  # cfg(test), cfg(all(test, unix))
      | (?: \w+ :: )* test \b )                                   # test, tokio::test
    """,
    re.VERBOSE,
)
"""An attribute of Rust before what only tests have."""
_HOLD_TESTS = frozenset("mod_item impl_item declaration_list".split())
_MOST_COMMENTS = 32
_PACKAGES = frozenset(
    "namespace_definition file_scoped_namespace_declaration package_declaration package_clause package_header".split()
)


def test_lines(node: Any) -> Iterator[tuple[int, int]]:
    """`(first line, last line)` of what stands behind an attribute for tests, from its comments on, in order."""
    first, is_test = -1, False
    for child in node.named_children:
        if child.type in ATTACHED:
            first = child.start_point[0] if first < 0 else first
            is_test |= child.type == "attribute_item" and bool(_FOR_TESTS.match(node_text(child)))
            continue
        if is_test:
            yield first + 1, last_row(child) + 1
        elif child.type in _HOLD_TESTS:
            yield from test_lines(child)
        first, is_test = -1, False


def last_row(node: Any) -> int:
    """The last row that the node has characters on; some grammars count a line feed to a node."""
    row, column = node.end_point
    return int(row if column or row == node.start_point[0] else row - 1)


def find_cuts(root: Any, long: int) -> list[tuple[int, int]]:
    """`(line, depth)` where a node inside a long one begins on a line of its own, ascending, shallowest depth first.

    A comment and what follows it are not cut apart.
    """
    depths: dict[int, int] = {}
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        end, after_comment = node.start_point[0], False
        for child in node.named_children:
            row = child.start_point[0]
            if row > end and not (after_comment and row == end + 1):
                depths[row + 1] = min(depth, depths.get(row + 1, depth))
            end, after_comment = last_row(child), child.type in ATTACHED
            if child.end_byte - child.start_byte > long:
                waiting.append((child, depth + 1))
    return sorted(depths.items())


def node_text(node: Any) -> str:
    """The source of a node."""
    return str(node.text.decode(errors="replace"))


def docstring(body: Any) -> str:
    """What the first statement of a body says where it is a string; "" elsewhere."""
    first = _first_named(body)
    if first is None or first.type != "expression_statement":
        return ""
    literal = first.named_child(0) if first.named_child_count else None
    if literal is None or literal.type not in ("string", "concatenated_string"):
        return ""
    return docstring_text(node_text(literal))


def _first_named(body: Any) -> Any:
    for position in range(min(body.named_child_count, _MOST_COMMENTS)):
        child = body.named_child(position)
        if child.type not in COMMENTS:
            return child
    return None


def file_doc(root: Any, *, docstrings: bool) -> str:
    """The file's own docstring, or the first of its leading comments that is no licence."""
    if docstrings:
        return docstring(root)
    texts = []
    for child in root.named_children[:8]:
        if child.type in COMMENTS:
            texts.append(comment_text(node_text(child)))
        elif child.type != "php_tag":
            break
    return next((text for text in texts if text and not is_legal_notice(text)), "")


def package_name(root: Any) -> str:
    """The package or namespace that the file declares for all of it, dotted; "" where it declares none."""
    for child in root.named_children[:24]:
        if child.type in _PACKAGES and child.child_by_field_name("body") is None and child.named_children:
            named = child.named_children[-1]
            return node_text(named).replace("\\", ".")
    return ""

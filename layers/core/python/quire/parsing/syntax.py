"""What a syntax tree says of its file beside definitions: where it may be cut, its own documentation and package."""

from __future__ import annotations

from typing import Any

from quire.parsing.comments import comment_text, docstring_text, is_legal_notice

COMMENTS = frozenset("comment line_comment block_comment multiline_comment haddock marginalia".split())
ATTACHED = COMMENTS | {"attribute_item", "decorator"}
"""Nodes before a definition that belong to it."""

_MOST_COMMENTS = 32
_PACKAGES = frozenset(
    "namespace_definition file_scoped_namespace_declaration package_declaration package_clause package_header".split()
)


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

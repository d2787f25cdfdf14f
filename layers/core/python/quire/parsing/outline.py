"""What a parser of lines gives: an Outline of Definitions, with the lines where a long one may be cut.

Lines count from 1 and end at line feeds alone, as in editors, git and tree-sitter.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """Something with a name and lines of its own: a function, a class, a constant, a section of a document.

    Attributes:
        names: what it is called, first name first; dotted where the source says so (`Foo.bar`); at least one.
        kind: `function`, `method`, `class`, `variable`, `section`, ...
        start_line: its first line; a doc comment, attributes and decorators before it belong to it.
        end_line: its last line, inclusive.
        doc: its docstring or doc comment without markers, cut to `LONGEST_DOC` characters; "" where it has none.
        signature: of a long one, its head on one line without the body; "" elsewhere.
        members: definitions inside it, in order, none overlapping in lines.
    """

    names: tuple[str, ...]
    kind: str
    start_line: int
    end_line: int
    doc: str = ""
    signature: str = ""
    members: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of one file.

    Attributes:
        definitions: the outermost definitions, in order; they never share a line.
        cuts: `(line, depth)` where a statement or paragraph begins, ascending by line; depth 0 is the outermost.
        references: `(line, name)` of what is called, constructed, extended or applied, ascending by line.
        doc: the file's own docstring or leading comment.
        package: the namespace or package that the file declares for all of it, dotted; "" where it declares none.
    """

    definitions: tuple[Definition, ...] = ()
    cuts: tuple[tuple[int, int], ...] = ()
    references: tuple[tuple[int, str], ...] = ()
    doc: str = ""
    package: str = ""


LONGEST_DOC = 600
"""Characters of documentation that are kept: more than the model's window reads."""

LONGEST_SIGNATURE = 240

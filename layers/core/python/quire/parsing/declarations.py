r"""Files that declare things, to an Outline: YAML, TOML, protobuf, GraphQL, Dockerfile, Makefile and CMake.

Read by lines, because a service, a message or a target begins on a line of its own in all of them. What is not
written so stays text between definitions; a file without any definition is cut in windows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from quire.parsing.comments import comment_text
from quire.parsing.outline import LONGEST_DOC, Definition, Outline, paragraph_cuts

DEEPEST_KEY = 3
"""Levels of keys of YAML that are read: `components.schemas.Order` of an API, `jobs.build` of a workflow."""
DEEPEST_HOLDER = 6
"""Messages in messages that are looked into."""
MOST_KEYS = 400
"""Where so many keys stand side by side they are data, not settings."""


@dataclass(frozen=True, slots=True)
class _Declared:
    """What a line begins.

    Attributes:
        head: matches that line, with the groups `kind` and `name`.
        inside: kinds of definitions that hold others.
        comment: what comments begin with.
    """

    head: re.Pattern[str]
    inside: frozenset[str]
    comment: str


_PROTOBUF = _Declared(
    re.compile(
        r"""
        [ \t]{0,40}(?P<kind> message | enum | service | rpc | extend )[ \t]{1,20}
        (?P<name>[\w.]+)  # what it is called
        """,
        re.VERBOSE,
    ),
    frozenset(("message", "service")),
    "//",
)
_GRAPHQL = _Declared(
    re.compile(
        r"""
        (?:  # a type of the schema, or an operation
            (?:extend[ \t]{1,20})?
            (?P<kind> type | input | enum | interface | union | scalar | directive | query | mutation | subscription
              | fragment )
            [ \t]{1,20} @?(?P<name>\w+)
        | [ \t]{1,40} (?P<field>\w{1,100}) [ \t]{0,20} [(:]  # a field, which counts in the root types alone
        )
        """,
        re.VERBOSE,
    ),
    frozenset(("Query", "Mutation", "Subscription")),
    "#",
)
_TABLE = re.compile(r"[ \t]*\[{1,2}([^\[\]#;]{1,200})\]{1,2}\s*(?:[#;].*)?")
_STAGE = re.compile(
    r"""
    [ \t]*FROM[ \t]+ (?:--\S+[ \t]+)* (\S+)   # a base image, behind options
    (?:[ \t]+AS[ \t]+(\S+))? [ \t\r]*         # and the stage's name
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TARGET = re.compile(r"([^\s:=#%$][^:=#$]{0,300})::?(?![=:])")
_COMMANDS = re.compile(
    r"""
    [ \t]*(?P<kind>function|macro|add_library|add_executable|add_custom_target|add_test|option)
    [ \t]*\([ \t]*(?:NAME[ \t]+)?(?P<name>[\w:.+-]+)  # what it declares
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KEY = re.compile(
    r"""
    [ ]*(?:-[ ]+)?
    ( "[^"\n]{1,200}" | '[^'\n]{1,200}'                     # a key in quotes
    | [^\s\#\-?:,\[\]{}&*!|>'"%@`][^\n#:]{0,200}            # a plain one; a path of an API is one too
    )
    [ ]{0,8}:(?:[ \t]+(\S.*))?                              # and what stands behind it
    """,
    re.VERBOSE,
)
_BLOCK_TEXT = re.compile(r"[|>][+\-\d]*(?:[ \t]+\#.*)?")
_WORD = re.compile(r"[\w.-]{1,100}")
_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def parse_declarations(text: str, language: str) -> Outline:
    """What a file of one of `DECLARED` defines, in order.

    >>> [one] = parse_declarations("services:\\n  web:\\n    image: shop\\n", "yaml").definitions
    >>> one.names, [member.names for member in one.members]
    (('services',), [('web',)])
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return Outline(tuple(DECLARED[language](lines)), paragraph_cuts(lines))


# ---- braces: protobuf and GraphQL -----------------------------------------------------------------------------------


def _protobuf(lines: Sequence[str]) -> Iterator[Definition]:
    yield from _Braced(lines, lines, _PROTOBUF).definitions(0, len(lines))


def _graphql(lines: Sequence[str]) -> Iterator[Definition]:
    yield from _Braced(_without_descriptions(lines), lines, _GRAPHQL).definitions(0, len(lines))


def _without_descriptions(lines: Sequence[str]) -> list[str]:
    """The lines with those of block strings as comments, so that their words define nothing."""
    kept: list[str] = []
    inside = False
    for line in lines:
        marks = line.count('"""')
        kept.append(f"#{line}" if inside or marks else line)
        inside = inside != bool(marks % 2)
    return kept


@dataclass(frozen=True, slots=True)
class _Braced:
    """A file whose definitions end with their bracket.

    Attributes:
        lines: as they are read for definitions.
        shown: as they stand in the file, for what documents them.
        syntax: what begins a definition.
    """

    lines: Sequence[str]
    shown: Sequence[str]
    syntax: _Declared

    def definitions(self, first: int, end: int, holders: tuple[str, ...] = ()) -> Iterator[Definition]:
        """Those of the rows from `first` up to `end`, which count from 0; `holders` name what is around them."""
        row = least = first
        while row < end:
            kind, name = self._begun(row, is_inside=bool(holders))
            if not name:
                row += 1
                continue
            last = min(_last_row(self.lines, row, self.syntax.comment), end - 1)
            holds = len(holders) < DEEPEST_HOLDER and not self.syntax.inside.isdisjoint((kind, name))
            members = tuple(self.definitions(row + 1, last, (*holders, name))) if holds else ()
            begin = _first_row(self.lines, row, least, self.syntax.comment, "/*", "*")
            doc = comment_text("\n".join(self.shown[begin:row])).strip('" \n')[:LONGEST_DOC]
            yield Definition((name,), kind, begin + 1, last + 1, doc=doc, members=members)
            row = least = last + 1

    def _begun(self, row: int, *, is_inside: bool) -> tuple[str, str]:
        """Kind and name of what begins in the row; two empty texts where nothing does."""
        found = self.syntax.head.match(self.lines[row])
        said = found.groupdict() if found else {}
        if said.get("name"):
            return said["kind"], said["name"]
        return ("field", said["field"]) if is_inside and said.get("field") else ("", "")


def _first_row(lines: Sequence[str], row: int, least: int, *comments: str) -> int:
    """The first of the comments right before a row."""
    while row > least and lines[row - 1].lstrip().startswith(comments):
        row -= 1
    return row


def _last_row(lines: Sequence[str], row: int, comment: str) -> int:
    """The row in which what begins in `row` closes its last bracket."""
    depth, opened = 0, False
    for at in range(row, len(lines)):
        bare = _STRINGS.sub("", lines[at]).split(comment, 1)[0]
        depth += sum(map(bare.count, "{([")) - sum(map(bare.count, "})]"))
        opened = opened or "{" in bare
        goes_on = at + 1 < len(lines) and lines[at + 1].lstrip().startswith(("{", "|", "=", "returns", "@"))
        if depth <= 0 and (opened or not goes_on):
            return at
    return len(lines) - 1


# ---- lines that begin a part: TOML, INI, Dockerfile, Makefile, CMake ------------------------------------------------


def _tables(lines: Sequence[str]) -> Iterator[Definition]:
    heads = (
        (row, match[1].strip("\"' ")) for row, line in enumerate(lines) if (match := _TABLE.fullmatch(line))
    )
    yield from up_to_next(lines, [(row, "table", (name,)) for row, name in heads if name])


def _stages(lines: Sequence[str]) -> Iterator[Definition]:
    found = ((row, match) for row, line in enumerate(lines) if (match := _STAGE.fullmatch(line)))
    yield from up_to_next(lines, [(row, "stage", (match[2] or match[1],)) for row, match in found])


def _targets(lines: Sequence[str]) -> Iterator[Definition]:
    heads = []
    for row, line in enumerate(lines):
        match = None if line[:1].isspace() or line.startswith(".") else _TARGET.match(line)
        names = tuple(dict.fromkeys(match[1].split())) if match else ()
        if names:
            heads.append((row, "target", names))
    yield from up_to_next(lines, heads)


def up_to_next(
    lines: Sequence[str],
    heads: Sequence[tuple[int, str, tuple[str, ...]]],
    comments: Sequence[str] = ("#", ";"),
) -> Iterator[Definition]:
    """Each head's definition, with the comments right before it, up to the next head's; rows count from 0."""
    leasts = (0, *(row + 1 for row, _, _ in heads))
    firsts = [
        _first_row(lines, row, least, *comments) for (row, _, _), least in zip(heads, leasts, strict=False)
    ]
    for (row, kind, names), first, last in zip(heads, firsts, [*firsts[1:], len(lines)], strict=False):
        doc = comment_text("\n".join(lines[first:row]))[:LONGEST_DOC]
        yield Definition(names, kind, first + 1, last, doc=doc)


def _commands(lines: Sequence[str]) -> Iterator[Definition]:
    """Functions and macros of CMake up to their end, other commands up to their bracket."""
    row = 0
    while row < len(lines):
        found = _COMMANDS.match(lines[row])
        if not found:
            row += 1
            continue
        kind = found["kind"].lower()
        is_body = kind in ("function", "macro")
        last = _end_of_body(lines, row, f"end{kind}") if is_body else _last_row(lines, row, "#")
        kind = kind if is_body else "option" if kind == "option" else "target"
        first = _first_row(lines, row, 0, "#")
        doc = comment_text("\n".join(lines[first:row]))[:LONGEST_DOC]
        yield Definition((found["name"],), kind, first + 1, last + 1, doc=doc)
        row = last + 1


def _end_of_body(lines: Sequence[str], row: int, closing: str) -> int:
    ends = (at for at in range(row, len(lines)) if lines[at].lstrip().lower().startswith(closing))
    return next(ends, len(lines) - 1)


# ---- YAML -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Key:
    """A key as it stands in a file, or an item of a list; rows count from 0.

    Attributes:
        row: its row.
        indent: blanks before it.
        name: "" for an item that has none.
        kind: `key` or `item`.
        value: what stands behind it on its line.
    """

    row: int
    indent: int
    name: str
    kind: str
    value: str


def _documents(lines: Sequence[str]) -> Iterator[Definition]:
    """Keys of each document; those of a resource, which says its `kind` and `metadata.name`, as one."""
    keys = list(_read_keys(lines))
    marks = [row for row, line in enumerate(lines) if line.startswith("---")]
    at = 0
    for end in [*marks, len(lines)]:
        begin = at
        while at < len(keys) and keys[at].row < end:
            at += 1
        own = keys[begin:at]
        members = tuple(_nested_keys(lines, own, end, 1))
        name = _resource(own)
        if name and members:
            yield Definition((name,), "resource", members[0].start_line, end, members=members)
        else:
            yield from members


def _resource(keys: Sequence[_Key]) -> str:
    """`Deployment.web` of a manifest of Kubernetes; "" of other documents."""
    kind = next((key.value for key in keys if key.indent == 0 and key.name == "kind"), "")
    is_metadata = False
    for key in keys:
        if key.indent == 0:
            is_metadata = key.name == "metadata"
        elif is_metadata and key.name == "name" and _WORD.fullmatch(kind) and _WORD.fullmatch(key.value):
            return f"{kind}.{key.value}"
    return ""


def _read_keys(lines: Sequence[str]) -> Iterator[_Key]:
    """Keys of mappings, and items of lists; not what is written inside of texts."""
    text_indent = -1
    for row, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or (text_indent >= 0 and indent > text_indent):
            continue
        text_indent = -1
        found = _KEY.fullmatch(line.rstrip())
        value = ((found[2] if found else "") or "").strip("\"' ")
        if _BLOCK_TEXT.fullmatch(value):
            text_indent = indent
        if line.lstrip().startswith("- "):
            is_named = found is not None and found[1].strip() in ("name", "id") and text_indent < 0
            yield _Key(row, indent, value if is_named else "", "item", "")
        elif found is not None:
            yield _Key(row, indent, found[1].strip("\"' "), "key", value)


def _nested_keys(lines: Sequence[str], keys: Sequence[_Key], end: int, level: int) -> Iterator[Definition]:
    """Definitions of the keys of the least indent; those of the first level count with a mere value too."""
    least = min((key.indent for key in keys), default=0)
    own = [place for place, key in enumerate(keys) if key.indent == least]
    if not own or level > DEEPEST_KEY or len(own) > MOST_KEYS:
        return
    firsts = [_first_row(lines, keys[place].row, 0, "#") for place in own]
    for first, place, last, following in zip(
        firsts, own, [*firsts[1:], end], [*own[1:], len(keys)], strict=True
    ):
        key = keys[place]
        if key.name and (
            level == 1 or key.kind == "item" or not key.value or key.value.startswith(("#", "&", "!"))
        ):
            members = tuple(_nested_keys(lines, keys[place + 1 : following], last, level + 1))
            doc = comment_text("\n".join(lines[first : key.row]))[:LONGEST_DOC]
            yield Definition((key.name,), key.kind, first + 1, last, doc=doc, members=members)


DECLARED: Mapping[str, Callable[[Sequence[str]], Iterator[Definition]]] = {
    "protobuf": _protobuf,
    "graphql": _graphql,
    "toml": _tables,
    "ini": _tables,
    "dockerfile": _stages,
    "makefile": _targets,
    "cmake": _commands,
    "yaml": _documents,
}
"""Readers by the word that `lang` says."""

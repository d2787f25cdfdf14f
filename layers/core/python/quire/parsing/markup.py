"""MDX and HTML to plain Markdown, line by line: tags, imports and expressions go, their text stays where it stood.

The cleaned text has as many lines as the original, so every line number of it holds in the file. What has no place in
Markdown (an HTML table, an included file, a tab's label) becomes an *insert*: a line holding its number between two
`INSERT` marks, which the Markdown parser reads as a block of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quire.parsing import javascript
from quire.parsing.scan import BREAK, Insert, MarkupScan, fence_behind
from quire.parsing.tags import Tag, read_tag

MOST_UNCLOSED = 50
"""Braces without an end that are looked for in one file; those after them are text."""
_MOST_IN_VAIN = 8
"""Times the length of a text that may be read in vain for the ends of its braces: it bounds the time of long ones."""
LOOKS_MDX = re.compile(
    r"""
    ^(?: import\s.+\sfrom\s+['"] | export\s+const\s  # JavaScript
    | [ \t]*:::\w                                    # an admonition
    | </?[A-Z]\w*[\s/>]                              # a component
    )
    """,
    re.MULTILINE | re.VERBOSE,
)
"""A file that may be MDX, whatever it is called, where no code says so."""
# Each alternative begins with one character, which lets the search skip to where one of them stands.
_TOKEN = re.compile(
    r"""
    ``*                              # code
    | \\[\\`<{]                      # an escaped mark
    | <(?: !-- | /?[A-Za-z] | /?> )  # a comment or tag
    | \{                             # an expression
    # a line that may begin a block, or JavaScript
    | \n(?=[ \t]*(?: [>`~:] | [-*+][ \t] | \d | import[ \t] | export[ \t] | const[ \t] | let[ \t] | function[ \t] ))
    """,
    re.VERBOSE,
)
_LINE_TOKEN = re.compile(
    r"""
    (?P<fence>[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<mark>`{3,}|~{3,}))  # in a quote or list, too
    | (?P<esm>(?:import|export|const|let|function)[ \t]+(?=[\w$"'{*\[]))                # JavaScript
    | (?P<admonition>[ \t]*:::+)
    """,
    re.VERBOSE,
)
_LONGEST_COMMAND, _LONGEST_FORMULA = 32, 2000
_BEHIND_COMMAND = re.compile(r"\\[A-Za-z]+\*?\Z")
_DEEPER = r"(?:[^{}\\\n]|\\.|\n(?!\n)|\{%s\})*+"
_TEX_ARGUMENT = re.compile(rf"\{{{_DEEPER % (_DEEPER % (_DEEPER % ''))}\}}")
"""In braces, of which pairs may stand within up to three deep."""
_REFERENCE = re.compile(
    r"""
    (Class|Datatype|Enum|Library|Global)\.
    ([A-Za-z_][^|]*?)  # the name
    (?:\|(.+))?\Z      # what is shown for it
    """,
    re.DOTALL | re.VERBOSE,
)
_GLOBALS = re.compile(r"(?:LuaGlobals|RobloxGlobals)\.")
_CLAUSE = r"(?:[\w$]+|\*\s+as\s+[\w$]+|\{[^}]*\})"
_IMPORT = re.compile(
    rf"""
    import\s+
    (?: (?:type\s+)?{_CLAUSE}(?:\s*,\s*{_CLAUSE})?\s+from\s* )?  # names; without them a module is only run
    ["'][^"'\n]+["']
    """,
    re.VERBOSE,
)
_FURTHER_IMPORT = re.compile(r"[ \t;]*+" + _IMPORT.pattern, re.VERBOSE)
"""Another behind it on its line, which may go on in the next."""
_EXPORT = re.compile(
    r"""
    export\s+(?: const | let | var | default | function | class | async | type | interface  # a declaration
    | \{ | \*                                                                               # names of others
    )
    """,
    re.VERBOSE,
)
_DECLARATION = re.compile(r"(?:const|let)\s+[\w${\[][^=\n]*=|function\s+\w+\s*\(")
_CONSTANT = re.compile(r"export\s++const\s++(\w++)\s*+=\s*+(.+)", re.DOTALL)
_ADMONITION = re.compile(
    r"""
    [ \t]*:::+[ \t]*(\w+)?
    (?: \[([^\]\n]*)\](?:\{[^{}\n]*\})?               # :::tip[A title]{.class}
      | [ \t]*\{[^{}\n]*?\btitle="([^"{}\n]*)"[^{}\n]*\}  # :::tip{title="A title"}
      | [ \t]+(.*?)                                   # :::tip A title
    )?
    [ \t]*$
    """,
    re.MULTILINE | re.VERBOSE,
)


def looks_mdx(text: str) -> bool:
    """Whether a text may be MDX, by its name or not: what its code blocks show counts for nothing.

    >>> looks_mdx(":::tip\\nMind it.\\n:::"), looks_mdx("```text\\n<Figure size 4x2>\\n```")
    (True, False)
    """
    return bool(LOOKS_MDX.search(text)) and bool(LOOKS_MDX.search(without_code(text)))


def without_code(text: str) -> str:
    """The text without its fenced code blocks; one that is never closed goes on to the end."""
    kept, opened = [], ""
    for line in text.split("\n"):
        before, opened = opened, fence_behind(opened, line)
        if not (before or opened):
            kept.append(line)
    return "\n".join(kept)


def clean_markup(scan: MarkupScan, on_tag: Callable[[MarkupScan, Tag], int]) -> str:
    """Run the pass and return the cleaned text; `on_tag` handles a tag and returns where to read on.

    Raises:
        SourceError: a tag or expression is never closed, and the dialect is strict about it.
    """
    text, position = scan.text, 0
    while match := _next_token(text, position):
        scan.emit(text[position : match.start()])
        kind = "fence" if match.lastgroup == "mark" else match.lastgroup or match[0][0]
        position = _tag(scan, match, on_tag) if kind == "<" else _HANDLERS[kind](scan, match)
    scan.emit(text[position:])
    if scan.open_tags:
        tag = scan.open_tags[-1]
        raise scan.fail(tag.start, f"<{tag.name}> is never closed")
    return "".join(scan.out)


def _next_token(text: str, position: int) -> re.Match[str] | None:
    """The markup that begins first, from `position` on."""
    if not position or text[position - 1] == "\n":
        at_line_start = _LINE_TOKEN.match(text, position)
        if at_line_start:
            return at_line_start
    while match := _TOKEN.search(text, position):
        if match[0] != "\n":
            return match
        position = match.end()
        at_line_start = _LINE_TOKEN.match(text, position)
        if at_line_start:
            return at_line_start
    return None


def _copy(scan: MarkupScan, match: re.Match[str]) -> int:
    scan.emit(match[0])
    return match.end()


def _fence(scan: MarkupScan, match: re.Match[str]) -> int:
    text, mark = scan.text, match["mark"]
    line_end = text.find("\n", match.end())
    line_end = len(text) if line_end < 0 else line_end
    if mark[0] == "`" and "`" in text[match.end() : line_end]:
        scan.emit(text[match.start() : match.start("mark")])
        return _span(scan, match.start("mark"), len(mark))
    close = re.compile(rf"^[ \t>]*{mark[0]}{{{len(mark)},}}[ \t]*$", re.MULTILINE).search(text, line_end)
    # One that is never closed goes on to the end. Source: CommonMark 0.31, section 4.5.
    end = close.end() if close else len(text)
    info = text[match.end() : line_end]
    scan.emit(text[match.start() : match.end()] + (_titled(info) if scan.code_groups > 0 else info))
    scan.emit(text[line_end:end])
    return end


def _titled(info: str) -> str:
    """What stands behind a fence in a group of Mintlify's, where the words behind the language are a tab's title.

    >>> _titled("sh npm"), _titled("sh {1}"), _titled("sh")
    ('sh title="npm"', 'sh {1}', 'sh')
    """
    language, _, title = info.strip().partition(" ")
    is_title = title and not any(mark in title for mark in '"={}')
    return f'{language} title="{title.strip()}"' if is_title else info


def _code_span(scan: MarkupScan, match: re.Match[str]) -> int:
    return _span(scan, match.start(), len(match[0]))


def _span(scan: MarkupScan, start: int, ticks: int) -> int:
    text = scan.text
    inside = start + ticks
    close = scan.closing_ticks(inside, ticks)
    if close < 0:
        scan.emit(text[start:inside])
        return inside
    reference = read_reference(text[inside:close]) if scan.dialect.references and ticks == 1 else None
    scan.emit(f"`{reference}`" if reference else text[start : close + ticks])
    return close + ticks


def _comment(scan: MarkupScan, match: re.Match[str]) -> int:
    end = scan.find("-->", match.end())
    if end < 0:
        if scan.dialect.is_strict:
            raise scan.fail(match.start(), "comment is opened by <!-- and never closed")
        return _copy(scan, match)
    scan.blank(match.start(), end + 3, keep=not scan.at_line_start)
    return end + 3


def _tag(scan: MarkupScan, match: re.Match[str], on_tag: Callable[[MarkupScan, Tag], int]) -> int:
    if match[0] == "<!--":
        return _comment(scan, match)
    start = match.start()
    if scan.text.endswith("](", 0, start):  # a link's destination in angle brackets, whose marks are no tag's
        return _copy(scan, match)
    tag = read_tag(scan.text, start, braces=scan.unclosed < MOST_UNCLOSED)
    if tag:
        return on_tag(scan, tag)
    scan.unclosed += "{" in scan.text[start : start + 300]
    if scan.dialect.is_strict:
        name = re.match(r"</?([\w.-]*)", scan.text[match.start() : match.start() + 60])
        raise scan.fail(match.start(), f"tag <{name[1] if name else ''} is never closed by '>'")
    return _copy(scan, match)


def _expression(scan: MarkupScan, match: re.Match[str]) -> int:
    start = match.start()
    if not scan.dialect.mdx or scan.text.startswith("{#", start):
        return _copy(scan, match)
    if formula := _tex_end(scan.text, start):
        scan.emit(scan.text[start:formula])
        return formula
    is_bounded = scan.unclosed < MOST_UNCLOSED and scan.in_vain < _MOST_IN_VAIN * len(scan.text)
    end = javascript.expression_end(scan.text, start) if is_bounded else -1
    if end < 0:
        scan.unclosed += 1
        scan.in_vain += len(scan.text) - start
        if scan.dialect.is_strict:
            raise scan.fail(start, "expression is opened by '{' and never closed")
        return _copy(scan, match)
    emit_expression(scan, scan.text[start + 1 : end - 1], start + 1, "")
    return end


def _tex_end(text: str, start: int) -> int:
    """Where arguments of TeX that begin with the brace at `start` end; 0 where it opens an expression.

    They stand behind a command, or in a formula: between `$$`, or between `$` in a line with an index, a power or a
    command.
    """
    if not _BEHIND_COMMAND.search(text, max(start - _LONGEST_COMMAND, 0), start):
        before = text[max(start - _LONGEST_FORMULA, 0) : start].rpartition("\n\n")[2]
        behind = text[start : start + _LONGEST_FORMULA].partition("\n\n")[0]
        if not (before.count("$$") % 2 and "$$" in behind) and not _is_in_line(before, behind):
            return 0
    end = start
    while argument := _TEX_ARGUMENT.match(text, end):
        end = argument.end()
    return end if end > start else 0


def _is_in_line(before: str, behind: str) -> bool:
    """Whether a formula of a line goes on from what stands before a place into what stands behind it."""
    before, behind = before.rpartition("\n")[2], behind.partition("\n")[0]
    formula = before.rpartition("$")[2] + behind.partition("$")[0]
    return before.count("$") % 2 == 1 and "$" in behind and any(mark in formula for mark in "\\^_")


def emit_expression(scan: MarkupScan, code: str, offset: int, key: str) -> None:
    """Append what a reader sees of the expression `code`, which begins at `offset`, each string on its own line."""
    name = code.strip()
    value = javascript.literal(code)
    if value is None:
        value = scan.props.get(name[6:], "") if name.startswith("props.") else scan.constants.get(name)
    if value is not None:
        scan.emit(" ".join(value.split("\n")) if value.strip() else " ")
        scan.blank(offset, offset + len(code), keep=True)
        return
    emit_strings(scan, code, offset, key)


def emit_strings(scan: MarkupScan, code: str, offset: int, key: str) -> None:
    """Append the strings of `code` that a reader sees, each on the line where it stands."""
    done = offset
    for at, value in sorted(javascript.visible_strings(code, key)):
        scan.blank(done, offset + at)
        scan.emit("" if scan.at_line_start else BREAK)
        done = offset + at
        scan.emit(" ".join(value.split()) + BREAK)
    scan.blank(done, offset + len(code))


def _statement(scan: MarkupScan, match: re.Match[str]) -> int:
    text, start = scan.text, match.start()
    found = _IMPORT.match(text, start)
    declared = scan.imports or scan.constants or scan.dialect.strict == "all"
    if not scan.dialect.mdx or not (
        found or _EXPORT.match(text, start) or (declared and _DECLARATION.match(text, start))
    ):
        return _copy(scan, match)
    while found and (following := _FURTHER_IMPORT.match(text, found.end())):
        found = following
    if found:
        line_end = text.find("\n", found.end())
        end = len(text) if line_end < 0 else line_end
        for name, source in re.findall(r"import\s+(\w+)\s+from\s*[\"']([^\"'\n]+)[\"']", text[start:end]):
            scan.imports[name] = source
        scan.blank(start, end)
        return end
    end = javascript.statement_end(text, start)
    constant = _CONSTANT.match(text[start:end].rstrip().removesuffix(";"))
    value = javascript.literal(constant[2]) if constant else None
    if constant:
        scan.constants[constant[1]] = value or ""
    if value is None:
        emit_strings(scan, text[start:end], start, "")
    else:
        scan.blank(start, end)
    return end


def _admonition(scan: MarkupScan, match: re.Match[str]) -> int:
    found = _ADMONITION.match(scan.text, match.start())
    if not found:
        return _copy(scan, match)
    if found[1]:
        title = (found[2] or found[3] or found[4] or "").strip()
        scan.emit(re.match(r"[ \t]*", found[0])[0])  # type: ignore[index]  # matches the empty text too
        scan.insert(
            Insert("label", scan.line(match.start()), f"{found[1].capitalize()}: {title}".rstrip(": "))
        )
    return found.end()


_HANDLERS: dict[str, Callable[[MarkupScan, re.Match[str]], int]] = {
    "fence": _fence, "esm": _statement, "admonition": _admonition, "`": _code_span, "\\": _copy, "{": _expression,
}  # fmt: skip


def read_reference(code: str) -> str | None:
    """The readable form of a code span's content, keeping the identifier; None where it is no reference.

    >>> read_reference("Class.Constraint.Attachment0|Attachment0")
    'Constraint.Attachment0'
    >>> read_reference("Class.Part|Parts"), read_reference("Class.DataModel|game")
    ('Parts', 'game (DataModel)')
    """
    match = _REFERENCE.fullmatch(code.strip())
    if not match:
        return None
    kind, name, shown = match[1], match[2].strip(), (match[3] or "").strip()
    if kind == "Enum":
        name = f"Enum.{name}"
    elif kind == "Global":
        name = _GLOBALS.sub("", name)
    last = re.split(r"[.:]", name)[-1]
    if not shown or shown == last or shown.rstrip("()") == last.rstrip("()"):
        return name
    if kind == "Enum" and name.count(".") == 1 and shown.isidentifier():
        return f"{name}.{shown}"
    if shown in name:
        return name
    if shown.startswith(last.rstrip("()")):
        return name[: len(name) - len(last)] + shown
    return shown if name in shown else f"{shown} ({name})"

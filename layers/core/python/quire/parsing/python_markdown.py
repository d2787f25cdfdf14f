"""What Python-Markdown has beside Markdown, as MkDocs sites use it: admonitions, tabs and blocks by their indentation.

To any other parser their text is indented code. They become quotes and plain text here, line for line, so that every
line number holds. Sources: `admonition`, `attr_list`, `def_list` and `abbr` of Python-Markdown; `details`, `tabbed`,
`blocks`, `keys` and `snippets` of its extensions pymdownx; the icons of Material for MkDocs; the options and references
of mkdocstrings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quire.parsing.scan import fence_behind

_SIGNS = re.compile(
    r"""
    ^[ \t]*+(?: (?:!!!|\?\?\?\+?)[ \t]*+[\w-]++[^\n]*+\n (?:[ \t]*+\n)?+ (?:[ ]{4}|\t)  # text below it is indented
      | ===[!+]?[ \t]++"[^"\n]++"[ \t]*+$
      | /{3,}+[ \t]++[a-z][\w-]*+[ \t]*+(?:\|[^\n]*+)?$
    )
    """,
    re.MULTILINE | re.VERBOSE,
)
_OPENING = re.compile(
    r"""
    (?P<indent>[ \t]*+)(?:
        (?:!!!|\?\?\?\+?)[ \t]*+(?P<kind>[\w-]++)[^"\n]*+(?:"(?P<title>[^"\n]*+)"[ \t]*+)?$  # !!! note "Title"
      | ===[!+]?[ \t]++"(?P<tab>[^"\n]++)"[ \t]*+$                                              # === "Tab"
      | (?P<slashes>/{3,}+)[ \t]++(?P<block>[a-z][\w-]*+)[ \t]*+(?:\|[ \t]*+(?P<named>[^\n]*+))?$  # /// note | Title
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)")
_DEFINITION = re.compile(r"^([ ]{0,3}):(?=[ ]{1,3}[^\s:])")
_ABBREVIATION = re.compile(r"\*\[[^\]\n]++\]:")
_OBJECT = re.compile(r"[ ]{0,3}:::(?: |(?=\w+\.))(?=[\w.]+[ \t]*$)")
_ATTRIBUTES = re.compile(r"(?<=[)\]*_`>])\{:?[ \t]*+(?:[.#][\w-]|[\w-]++=)[^{}\n]*+\}")
_KEYS = re.compile(r"\+\+([a-z0-9-]{1,20}(?:\+[a-z0-9-]{1,20}){0,4})\+\+")
_ICON = re.compile(r":(?:material|octicons|fontawesome|simple)-[\w-]++:[ \t]?")
_REFERENCE = re.compile(r"\[([^\[\]\n]++)\]\[(?:[A-Za-z_]\w*+\.)++\w++(?:\(\))?+\]")
"""A link of mkdocstrings to what a module defines: its address stands in no page."""
_SNIPPET = re.compile(
    r"""
    [ \t>]*+-{1,20}+8<-{1,20}+[ \t]++["'](?P<path>[^"'\s:;]++)[^"'\n]*+["'][ \t]*+  # and a part of the file
    """,
    re.VERBOSE,
)
_PICTURES = (".svg", ".png", ".gif", ".jpg", ".jpeg", ".webp")
_OWN_SIGNS = re.compile(
    r"""
    ^[ \t>]*+ (?: -{1,20}+8<-{1,20}+[ \t]++["']      # a file that is shown here
      | :::(?:[ ]|(?=\w++\.))[\w.]++[ \t]*+$ )       # an object
    | \]\[(?:[A-Za-z_]\w*+\.)++\w++(?:\(\))?+\]                          # a link to one
    | (?<![\w+])\+\+[a-z][a-z0-9-]{0,19}(?:\+[a-z][a-z0-9-]{0,19}){0,4}\+\+(?![\w+])  # a key
    """,
    re.MULTILINE | re.VERBOSE,
)
_STRUCTURE = re.compile(r"[ ]*(?:[-*+][ ]|[>#|<!]|```|~~~|\d{1,9}[.)][ ])")
_BARE = frozenset(("tab", "html", "caption", "figure-caption", "table-caption", "define"))


@dataclass(slots=True)
class _Container:
    """An open block. Lines below it are indented from `column` on, or stand as they are up to a line of `slashes`.

    Attributes:
        column: where its marker begins in its line.
        mark: what stands before each of its lines in place of the indentation.
        slashes: what closes it; "" where indentation does.
    """

    column: int
    mark: str
    slashes: str = ""


def is_of_mkdocs(text: str) -> bool:
    """Whether a part of a page has what only sites of MkDocs know: snippets, objects and links of mkdocstrings, keys.

    >>> is_of_mkdocs("Hit ++escape++ to leave [it][boat.Oar.row]."), is_of_mkdocs("See [it][notes]. C++ and i++")
    (True, False)
    """
    return bool(_OWN_SIGNS.search(text))


def plain_blocks(text: str, *, everywhere: bool) -> str:
    """The text with admonitions as callouts (`> [!note] Title`) and tabs below their names, line for line.

    Args:
        text: a file of Markdown.
        everywhere: it is known to be of a MkDocs site: then attributes, keys, icons, abbreviations and definitions are
            read as well; else only what no other Markdown has, and nothing in a text without it.
    """
    if not everywhere and not _SIGNS.search(text):
        return text
    reader = _BlockReader(everywhere)
    for line in text.split("\n"):
        reader.take(line.expandtabs(4) if line[:1].isspace() and "\t" in line else line)
    return "\n".join(_without_snippets(reader.shown) if everywhere and "8<-" in text else reader.shown)


def _without_snippets(lines: list[str]) -> list[str]:
    """The lines with the path of each file that stands nowhere in the page, code that is all of it without its fence.

    >>> _without_snippets(["```python", '--8<-- "boats/row.py"', "```", '--8<-- "oar.svg"'])
    ['', '`boats/row.py`', '', '']
    """
    shown = list(lines)
    for number, line in enumerate(lines):
        if (found := _SNIPPET.fullmatch(line)) is None:
            continue
        mark = line[: line.index("-")]
        is_picture = found["path"].lower().endswith(_PICTURES)
        shown[number] = mark.rstrip() if is_picture else f"{mark}`{found['path']}`"
        if (
            0 < number < len(lines) - 1
            and _FENCE.match(lines[number - 1])
            and _FENCE.match(lines[number + 1])
        ):
            shown[number - 1] = shown[number + 1] = mark.rstrip()
    return shown


class _BlockReader:
    """Reads lines front to back; `shown` are those that stand for them."""

    def __init__(self, everywhere: bool) -> None:
        self.shown: list[str] = []
        self._everywhere = everywhere
        self._blocks: list[_Container] = []
        self._fence = ""
        self._is_option = False
        # An opening without a title: its line, and the name of its kind.
        self._unsaid: tuple[int, str] | None = None

    def take(self, line: str) -> None:
        """Add a line."""
        indent = len(line) - len(line.lstrip())
        ended = [one for one in self._blocks if not one.slashes and indent < one.column + 4]
        if line.strip() and ended:
            self._close(ended[0])
        prefix, rest = self._without_indents(line)
        fence = _FENCE.match(rest)
        if self._fence or fence:
            self._fence = fence_behind(self._fence, fence[1] + fence[2] if fence else "")
        elif closing := [one for one in self._blocks if one.slashes and one.slashes == rest.strip()]:
            self._close(closing[-1])
            rest = ""
        elif opening := _OPENING.fullmatch(rest):
            rest = self._open(opening, indent)
        elif self._everywhere:
            rest = self._plain(rest, indent)
        if self._unsaid and rest.strip() and self._unsaid[0] < len(self.shown):
            rest = self._said_kind(prefix, rest)
        self.shown.append(prefix + rest if rest.strip() else prefix.rstrip())

    def _close(self, block: _Container) -> None:
        """End a block and those inside of it; empty lines at its end stand behind it, and part it from the next."""
        del self._blocks[self._blocks.index(block) :]
        self._fence = ""
        around = self._without_indents("")[0].rstrip()
        for place in range(len(self.shown) - 1, -1, -1):
            if self.shown[place].strip(" >"):
                break
            self.shown[place] = around

    def _without_indents(self, line: str) -> tuple[str, str]:
        """What stands before the line in place of its blocks' indentation, and the rest of it."""
        prefix, at = "", 0
        for block in self._blocks:
            end = at if block.slashes else block.column + 4
            begin = max(min(block.column, end), at)
            prefix += line[at:begin].ljust(begin - at) + block.mark
            at = max(at, end)
        return prefix, line[at:]

    def _open(self, opening: re.Match[str], indent: int) -> str:
        """Begin a block; the line that stands for its opening: a callout of its kind and title, or a tab's name."""
        is_bare = opening["tab"] or (opening["block"] or "").lower() in _BARE
        self._blocks.append(_Container(indent, "" if is_bare else "> ", opening["slashes"] or ""))
        title = (opening["title"] or opening["tab"] or opening["named"] or "").strip()
        if is_bare:
            is_label = title and (opening["tab"] or opening["block"].lower() == "tab")
            return f"{opening['indent']}{title.rstrip(':')}:" if is_label else ""
        kind = (opening["kind"] or opening["block"]).lower()
        if not title and opening["title"] is None:
            self._unsaid = len(self.shown), kind
        said = "" if opening["title"] == "" else f" [!{kind}] {title}".rstrip()
        return f"{opening['indent']}>{said}"

    def _said_kind(self, prefix: str, rest: str) -> str:
        """The first line of a block without a title, with the name of its kind before it where it is a sentence."""
        header, kind = self._unsaid or (0, "")
        self._unsaid = None
        if not prefix.endswith("> ") or self._fence or _STRUCTURE.match(rest):
            return rest
        self.shown[header] = self.shown[header].partition(" [!")[0]
        return f"{kind.replace('-', ' ').capitalize()}: {rest.lstrip()}"

    def _plain(self, rest: str, indent: int) -> str:
        """A line without attributes, keys and icons; a definition as a list's item, which is indented alike."""
        is_below = self._is_option and (indent >= len("    ") or not rest.strip())
        is_object = bool(_OBJECT.match(rest))
        self._is_option = is_object or is_below
        if (is_below and rest.strip()) or _ABBREVIATION.match(rest) or rest.strip() == "[TOC]":
            return ""
        rest = _OBJECT.sub("", rest) if is_object else _DEFINITION.sub(r"\1-", rest)
        if "{" in rest and not rest.startswith("#"):  # of a heading they name its anchor
            rest = _ATTRIBUTES.sub("", rest)
        if "++" in rest:
            rest = _KEYS.sub(r"\1", rest)
        if "][" in rest:
            rest = _REFERENCE.sub(r"\1", rest)
        return _ICON.sub("", rest) if ":" in rest else rest

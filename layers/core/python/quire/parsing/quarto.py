"""Markdown of Quarto and R Markdown: cells, divs, references and shortcodes as a reader sees them, line for line.

To any other parser a cell is code in a language called `{r}`, its options are comments, and a div's title opens a new
section. Sources: Quarto's guides on authoring, Pandoc's manual (`fenced_divs`, `bracketed_spans`, `citations`), and
the books "bookdown" and "R Markdown: The Definitive Guide". What a cell computes is not known and stays out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

QUARTO = (".qmd", ".rmd")
"""How names of files end that are written so, in lower case."""

_FENCE = re.compile(
    r"""
    (?P<indent>[ \t>]*+)(?P<fence>`{3,}+|~{3,}+)
    [ \t]*+(?P<words>[^`\n]*+)$  # its language and options
    """,
    re.VERBOSE,
)
_DIV = re.compile(
    r"""
    [ \t>]*+:{3,}+[ \t]*+
    (?P<words>[^:\n]*+(?::(?!:)[^:\n]*+)*+)  # its attributes; none where it ends
    :*+[ \t]*+$
    """,
    re.VERBOSE,
)
_LANGUAGE = re.compile(
    r"""
    \{++[ \t]*+(?P<raw>=?+)\.?+      # {=html} is no code, {.r} is none that runs
    (?P<name>[\w+-]*+)(?P<options>[^}\n]*+)\}++
    """,
    re.VERBOSE,
)
_OPTION = re.compile(r"[ \t]*+(?:\#|//|--|%%)\|[ \t]?(?P<words>.*)")
_SETTING = re.compile(r"(?P<name>[\w-]++):[ \t]*+(?P<value>.*)")
_HIDING = re.compile(
    r"""
    \b(?:include|echo)\s*[=:]\s*(?:F\b|FALSE\b|false\b)  # of a cell: neither is its code shown
    | \beval\s*=\s*require\b
    """,
    re.VERBOSE,
)
_CAPTION = re.compile(r"(?:fig|tbl|lst)-cap|fig\.cap")
_SAID_CAPTION = re.compile(r"""\bfig\.cap\s*=\s*(["'])(?P<said>(?:(?!\1).)++)\1""")
_CALLOUT = re.compile(r"\bcallout-(note|tip|warning|caution|important)\b")
_TITLE = re.compile(r"""\btitle\s*=\s*(["'])(?P<said>(?:(?!\1).)*+)\1""")
_HEADING = re.compile(r"(?P<marks>\#{1,6})[ \t]++(?P<words>\S.*+)")
_ATTRIBUTES = re.compile(r"(?<=[\])`$])[ \t]?\{(?:[.#=-]|[\w-]++=)[^{}\n]*+\}")
_HEADING_ATTRIBUTES = re.compile(r"(?<![ \t])[ \t]*+\{(?P<said>[^{}\n]*+)\}[ \t]*+$")
_ID = re.compile(r"#([\w:.-]++)")
_SPAN = re.compile(r"(?<!!)\[(?P<words>[^\[\]\n]{0,300}+)\]\{[.#][^{}\n]*+\}")
_SHORTCODE = re.compile(r"\{\{<[ \t]*+(?P<name>[\w-]++)(?P<words>[^>{}\n]*+)>\}\}")
_COMPUTED = re.compile(r"`(?:r|\{[a-z]++\})[ ][^`\n]++`")
_INLINE_NOTE = re.compile(r"\^\[(?P<words>[^\[\]\n]{1,500}+)\]")
_CITED = re.compile(
    r"""
    [ \t]?\[(?:see[ ]|e\.g\.,?[ ])?-?@[^\[\]\n]{1,300}+\]  # [@knuth84; @lamport], [see @knuth84, p. 3]
    """,
    re.VERBOSE,
)
_REFERENCE = re.compile(
    r"""
      (?P<gap>[ ]?)\\@ref\((?P<old>[\w:.-]{1,100}+)\)  # bookdown's
    | (?<![\w@/.`])-?@(?P<kind>sec|fig|tbl|eq|lst|thm|exm|exr|def|lem|cor|prp|nte|tip|wrn|imp)-(?P<name>[\w-]{1,100}+)
    """,
    re.VERBOSE,
)
_TEXT_REFERENCE = re.compile(r"\(ref:[\w-]++\)[ \t]*+")
_CODE = re.compile(r"(`[^`\n]++`(?!\{))")
_KINDS = {
    "fig": "the figure",
    "tbl": "the table",
    "eq": "the equation",
    "lst": "the listing",
    "thm": "the theorem",
    "exm": "the example",
    "exr": "the exercise",
    "def": "the definition",
    "lem": "the lemma",
    "cor": "the corollary",
    "prp": "the proposition",
}
_PROSE_CELLS = frozenset(
    "block block2 asis theorem lemma corollary proposition definition example exercise proof remark".split()
)
_SIGNS = re.compile(r"[\s{}.=\"']+")
_ON_PAPER = frozenset("pdf latex docx epub typst beamer revealjs pptx".split())


def plain_quarto(text: str) -> str:
    """The text without what Quarto and R Markdown add to Markdown, line for line.

    Code that its author hides is left out, captions stay. Callouts are quotes (`> [!tip] Title`), tabs stand below
    their names. A reference says the heading that it leads to, where the page has it, else the words of its name.

    >>> page = "See @sec-a and @fig-b [@c].\\n\\n# Oars {#sec-a .x}\\n```{r}\\n#| eval: false\\nrow()\\n```"
    >>> print(plain_quarto(page))
    See “Oars” and the figure.
    <BLANKLINE>
    # Oars {#sec-a}
    <BLANKLINE>
    ```r
    row()
    ```
    """
    reader = _QuartoReader(_titles(text))
    for line in text.split("\n"):
        reader.take(line)
    return "\n".join(reader.shown)


def _titles(text: str) -> dict[str, str]:
    """Headings of the page by the ids that they name."""
    found = {}
    for line in text.split("\n"):
        if line.startswith("#") and (heading := _HEADING.match(line.rstrip())):
            words, name = _split_heading(heading["words"])
            if name:
                found[name] = words
    return found


def _split_heading(words: str) -> tuple[str, str]:
    """A heading's words, and the id that its attributes name; "" where they name none."""
    attributes = _HEADING_ATTRIBUTES.search(words)
    if not attributes:
        return words, ""
    named = _ID.search(attributes["said"])
    return words[: attributes.start()], named[1] if named else ""


@dataclass(slots=True)
class _Cell:
    """A fence that is being read.

    Attributes:
        fence: what closes it.
        opening: what stands above its first line that is no option; "" once it does.
        at: the line where it began.
        is_hidden: no line of it is shown.
        is_prose: its lines are Markdown.
        has_options: options may follow.
        caption: lines of it so far; `is_caption` while one goes on.
    """

    fence: str
    opening: str = ""
    at: int = 0
    is_hidden: bool = False
    is_prose: bool = False
    has_options: bool = False
    is_caption: bool = False
    caption: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Div:
    """An open div: what stands before its lines, whether they are hidden, or tabs, and where its title is to stand."""

    mark: str = ""
    is_hidden: bool = False
    is_tabs: bool = False
    untitled: int = -1


def _is_hidden(words: str) -> bool:
    """Whether a div's attributes say that no page shows it."""
    said = set(_SIGNS.split(words))
    for_others = {"content-visible", "when-format"} <= said and bool(said & _ON_PAPER)
    return "hidden" in said or for_others or {"content-hidden", "when-format", "html"} <= said


class _QuartoReader:
    """Reads lines front to back; `shown` are those that stand for them."""

    def __init__(self, titles: dict[str, str]) -> None:
        self.shown: list[str] = []
        self._titles = titles
        self._cell: _Cell | None = None
        self._divs: list[_Div] = []
        self._is_head = False

    def take(self, line: str) -> None:
        """Add a line."""
        if self._in_front_matter(line):
            self.shown.append(line)
        elif self._cell and not self._cell.is_prose:
            self._take_code(self._cell, line)
        elif self._cell and line.strip() == self._cell.fence:
            self._cell = None
            self._show("")
        elif fence := _FENCE.fullmatch(line):
            self._open_cell(fence)
        elif div := _DIV.fullmatch(line):
            self._take_div(div)
        else:
            self._take_text(line)

    def _in_front_matter(self, line: str) -> bool:
        if not self.shown:
            self._is_head = line.rstrip() == "---"
            return self._is_head
        if self._is_head and line.rstrip() in ("---", "..."):
            self._is_head = False
            return True
        return self._is_head

    def _open_cell(self, found: re.Match[str]) -> None:
        language = _LANGUAGE.match(found["words"])
        cell = _Cell(found["fence"], at=len(self.shown))
        self._cell = cell
        if not language:
            self._show(found["indent"] + found["fence"] + found["words"])
            return
        name, options = language["name"].lower(), language["options"]
        is_run = not found["words"].startswith(("{.", "{{"))
        cell.is_prose = is_run and name in _PROSE_CELLS
        cell.is_hidden = bool(language["raw"]) or (is_run and bool(_HIDING.search(options)))
        if said := _SAID_CAPTION.search(options):
            cell.caption.append(said["said"])
        if is_run and not cell.is_prose:
            cell.has_options = True
            cell.opening = f"{found['indent']}{found['fence']}{name}"
            self._show("")
        else:
            self._show("" if cell.is_prose or cell.is_hidden else found["indent"] + found["fence"] + name)

    def _take_code(self, cell: _Cell, line: str) -> None:
        bare = line.strip(" \t>")
        is_end = bare.startswith(cell.fence) and not bare.strip(cell.fence[0])
        option = _OPTION.match(line) if cell.has_options else None
        if option:
            self._take_option(cell, option["words"])
            self._show("")
        elif is_end:
            self._announce(cell, is_empty=True)
            self._show("" if cell.is_hidden else line)
            self._cell = None
        else:
            self._announce(cell, is_empty=False)
            self._show("" if cell.is_hidden else line)

    def _take_option(self, cell: _Cell, words: str) -> None:
        if words.startswith((" ", "\t")) and cell.is_caption:
            cell.caption.append(words.strip())
            return
        cell.is_caption = False
        cell.is_hidden |= bool(_HIDING.search(words))
        if (setting := _SETTING.match(words)) and _CAPTION.fullmatch(setting["name"]):
            cell.is_caption = True
            value = setting["value"].strip().strip("\"'")
            cell.caption += [value] if value.strip("|>-+") else []

    def _announce(self, cell: _Cell, *, is_empty: bool) -> None:
        """Behind the options: the caption where the cell began, and its fence in the line above its code."""
        if not cell.has_options:
            return
        cell.has_options = False
        cell.is_hidden |= is_empty  # nothing but options
        if cell.caption and (cell.is_hidden or len(self.shown) - cell.at > 1):
            self.shown[cell.at] = self._marked(self._plain(" ".join(cell.caption)))
        if not cell.is_hidden:
            self.shown[-1] = self._marked(cell.opening)

    def _take_div(self, found: re.Match[str]) -> None:
        words = found["words"].strip()
        if not words:
            if self._divs:
                self._divs.pop()
            self._show("")
            return
        div = _Div(is_hidden=_is_hidden(words), is_tabs="panel-tabset" in words)
        said = ""
        if callout := _CALLOUT.search(words):
            title = _TITLE.search(words)
            said = f"> [!{callout[1]}] {self._plain(title['said']) if title else ''}".rstrip()
            div.untitled = -1 if title else len(self.shown)
        self._show(said)
        div.mark = "> " if callout else ""
        self._divs.append(div)

    def _take_text(self, line: str) -> None:
        bare = line.strip()
        div = self._divs[-1] if self._divs else None
        heading = _HEADING.match(bare) if bare.startswith("#") else None
        if heading:
            words, name = _split_heading(heading["words"])
            words = self._plain(words)
            if div and div.untitled >= 0:
                self.shown[div.untitled] = f"{self.shown[div.untitled]} {words}"
                line = ""
            elif any(one.is_tabs or one.mark for one in self._divs):
                line = f"{words}:"
            else:
                line = f"{heading['marks']} {words}" + (f" {{#{name}}}" if name else "")
        else:
            line = self._plain(line)
        if div and bare:
            div.untitled = -1
        self._show(line)

    def _show(self, line: str) -> None:
        self.shown.append("" if any(one.is_hidden for one in self._divs) else self._marked(line))

    def _marked(self, line: str) -> str:
        mark = "".join(one.mark for one in self._divs)
        return (mark + line).rstrip() if mark else line

    def _plain(self, line: str) -> str:
        """A line of text as it is read; code in it stays."""
        if line.startswith("(ref:"):
            line = _TEXT_REFERENCE.sub("", line)
        if "{" in line:
            if line.startswith((": ", "Table: ")):
                line = _HEADING_ATTRIBUTES.sub("", line)  # a table's caption
            line = _SHORTCODE.sub(_shortcode, line)
            line = _COMPUTED.sub("…", line)
            line = _ATTRIBUTES.sub("", _SPAN.sub(r"\g<words>", line))
        elif "`r " in line:
            line = _COMPUTED.sub("…", line)
        if "@" not in line and "^[" not in line:
            return line
        return "".join(
            part if place % 2 else self._said(part) for place, part in enumerate(_CODE.split(line))
        )

    def _said(self, text: str) -> str:
        text = _INLINE_NOTE.sub(r" (\g<words>)", text)
        return _REFERENCE.sub(self._reference, _CITED.sub(self._cited, text))

    def _cited(self, found: re.Match[str]) -> str:
        """Nothing for literature; what is no more than a reference in brackets stays one."""
        inner = found[0].strip()[1:-1]
        return f" {inner}" if _REFERENCE.fullmatch(inner) else ""

    def _reference(self, found: re.Match[str]) -> str:
        if found["old"]:
            kind, _, name = found["old"].rpartition(":")
            return "" if kind else found["gap"] + self._section(name)
        is_first = not found.string[: found.start()].strip(" \t*_>-(")
        said = _KINDS.get(found["kind"]) or self._section(f"{found['kind']}-{found['name']}")
        return said[0].upper() + said[1:] if is_first and found["kind"] in _KINDS else said

    def _section(self, name: str) -> str:
        words = self._titles.get(name) or re.sub(r"^\w{3}-", "", name).replace("-", " ").replace("_", " ")
        return f"“{words.strip('* ')}”"


def _shortcode(found: re.Match[str]) -> str:
    """Keys are said; what another file or program fills in is left out."""
    return (
        f"`{' '.join(found['words'].split())}`"
        if found["name"] == "kbd" and "=" not in found["words"]
        else ""
    )

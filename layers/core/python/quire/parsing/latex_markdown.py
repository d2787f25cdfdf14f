r"""LaTeX as Markdown: its sections, lists, tables, theorems, code and formulas, with the line that each one stands on.

Read by commands, without what packages and a document's own macros define: one that is not known says its words.
Formulas stay TeX between dollars. What only lays out, indexes or cites is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

LATEX = (".tex", ".ltx")

_SECTIONS = {
    "title": 1,
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_HEADING = re.compile(
    r"""
    [ \t]*+\\(title|part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?+
    (?:\[[^\[\]]{0,500}+\])?+   # a shorter title for the table of contents
    (?=\{)
    """,
    re.VERBOSE,
)
_PARTS = re.compile(
    r"""
    ( \\(?:begin|end)\{
      (?!(?:[a-zA-Z]*matrix|[dr]?cases|array|(?:gather|align(?:ed)?|multline)ed|split|alignedat)\*?\})  # of formulas
      [^{}]{1,60}+\}
    | \\item(?![A-Za-z])
    | (?<!\\)\\[\[\]] )            # a formula on lines of its own; `\\[2pt]` breaks a line
    """,
    re.VERBOSE,
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([^{}]+?)\*?\}")
_OPTION = re.compile(r"[ \t]*+\[([^\[\]]{0,500}+)\]")
_COMMENT = re.compile(r"(?<!\\)%.*+")
_LANGUAGE = re.compile(
    r"""
    [ \t]*+(?:\[(?:[^\[\]]*?language=\{?(\w++))?[^\[\]]*+\])?  # of listings
    (?:\{(\w++)\})?                                            # of minted
    """,
    re.VERBOSE,
)
_RULES = re.compile(
    r"""
    \\(?: hline | toprule | midrule | bottomrule | endhead | endfirsthead | endfoot
      | (?:cline|cmidrule)(?:\([a-z]*+\))?\{[^{}]*+\} )
    | ^\s*+(?:\[[a-z]\])?(?:\{[^{}\n]{0,200}+\}){1,2}+(?=\s*\n)  # how the columns are set
    """,
    re.VERBOSE,
)
_SIGN_OF_BRACE = re.compile(r"\\[{}\\]")
_CLASS = re.compile(r"[ \t]*+\\document(?:class|style)\b")
_LABEL = re.compile(r"\\label\{[^{}]*+\}")
_FORMULA = re.compile(r"(?<!\\)\\\[((?:[^\\]|\\[^\[\]]){0,400}+)\\\]")
"""A formula that stands on one line."""
_SETTING = re.compile(
    r"""
    [ \t]*+\\(?: [gex]?def | let | (?:re)?newcommand | providecommand | (?:re)?newenvironment | newtheorem
      | DeclareMathOperator | DeclareRobustCommand | makeat(?:letter|other) | newif | newlength | newcounter
      | (?:use|Require|Provides)package | documentclass  # in plain TeX, LaTeX, a class
      | [A-Za-z]{0,20}?(?:sep|skip|indent)[ \t]*+=?[ \t]*+-?\.?\d[^\n]*+
      )(?![A-Za-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A line that defines or sets something."""
LONGEST_LINE = 5_000
"""Of a longer one environments are not read."""
_CODE = frozenset("verbatim lstlisting minted Verbatim alltt".split())
_MATH = frozenset("equation align gather multline eqnarray displaymath math alignat flalign dmath".split())
_DRAWN = frozenset("tikzpicture tikzcd asy asydef pspicture pgfpicture picture forest".split())
"""What programs draw from: no words of the document."""
_LISTS = {"itemize": "-", "enumerate": "1.", "description": "-"}
_TABLES = frozenset("tabular tabularx tabulary longtable".split())
_STATED = {
    **dict.fromkeys(("thm", "theorem"), "Theorem"),
    **dict.fromkeys(("lem", "lemma"), "Lemma"),
    **dict.fromkeys(("prop", "proposition"), "Proposition"),
    **dict.fromkeys(("cor", "corollary"), "Corollary"),
    **dict.fromkeys(("def", "defn", "definition"), "Definition"),
    **dict.fromkeys(("rem", "rmk", "remark"), "Remark"),
    **dict.fromkeys(("eg", "ex", "example"), "Example"),
    **dict.fromkeys(("exer", "exercise"), "Exercise"),
    **{one: one.capitalize() for one in "axiom claim conjecture proof note problem solution".split()},
}
"""Environments that say something, and what is printed above."""
_THEOREM = re.compile(
    r"""
    \\newtheorem\*?+\{([^{}]{1,60}+)\}
    (?:\[[^\[\]]*+\])?+\{([^{}]{1,80}+)\}  # what it is counted with, and what is printed
    """,
    re.VERBOSE,
)
_TOKEN = re.compile(
    r"""
      \\verb\*?(?P<bar>[^\sA-Za-z*])(?P<verbatim>[^\n]{0,300}?)(?P=bar)
    | \\ (?: (?P<accent>['"`^~=.]) | (?P<mark>[cvHukr])(?=\{) ) (?:\{\\?(?P<held>[A-Za-z])\} | \\?(?P<letter>[A-Za-z]))
    | \\(?P<name>[A-Za-z@]++)\*?+
    | \\\((?P<inline>(?:[^\\]|\\[^)(]){0,300}?)\\\)
    | \\(?P<sign>.)
    | (?P<formula>\$\$?+(?:[^$\\]|\\.){1,1000}+\$\$?+)
    | (?P<brace>[{}])  # of an argument or a group
    | (?P<tie>~) | (?P<quote>``|''|`|(?<!\w)'(?=\w)) | (?P<dash>---?+)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPTIONS = re.compile(r"(?:[ \t]*+\[[^\[\]]{0,500}+\])*+")
_ALONE = re.compile(r"[ \t]*+(?:\n|\Z)")
_BEGINS_LINE = re.compile(r"[ \t]*+\\([A-Za-z]++)(?=[ \t\[]|$)")
_ACCENTS = dict(
    zip(
        "'`^\"~=.cvHukr",
        "\u0301\u0300\u0302\u0308\u0303\u0304\u0307\u0327\u030c\u030b\u0306\u0328\u030a",
        strict=True,
    )
)
_QUOTES = {"``": "“", "''": "”", "`": "‘", "'": "’"}
_WORDS = {
    **dict.fromkeys(("ldots", "dots", "textellipsis"), "…"),
    **dict.fromkeys(("quad", "qquad", "space", "enspace", "thinspace"), " "),
    **dict.fromkeys(("LaTeX", "TeX", "BibTeX"), ""),
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "ss": "ß",
    "copyright": "©",
    "S": "§",
    **dict(zip("o O l L aa AA ae AE oe OE i j".split(), "øØłŁåÅæÆœŒij", strict=True)),
    "par": " ",
}
"""Commands without words of their own that print something."""
_WORDS |= {name: name for name, said in _WORDS.items() if not said}
_DROPPED = frozenset(
    """
    glossary vspace hspace vskip hskip setlength addtolength setcounter
    addtocounter newcommand renewcommand providecommand newenvironment newtheorem usepackage
    documentclass input include includegraphics bibliography bibliographystyle pagestyle thispagestyle cite citep citet
    citeauthor citeyear parencite textcite autocite nocite footnotemark phantomsection addcontentsline markboth
    markright hypersetup graphicspath definecolor color pagecolor author date tikzset lstset
    """.split()
)
"""Commands of which neither the name nor what they are given is printed, beside those of `_is_dropped`."""
_SILENT = frozenset(
    """
    noindent centering raggedright raggedleft small footnotesize scriptsize tiny normalsize large Large LARGE huge Huge
    bigskip medskip smallskip newpage clearpage cleardoublepage maketitle tableofcontents listoffigures appendix
    mainmatter frontmatter backmatter it bf em rm sc tt sf itshape bfseries normalfont protect null relax hfill vfill
    linebreak pagebreak nopagebreak newline hline toprule midrule bottomrule qedhere qed begingroup endgroup left right
    allowbreak sloppy indent item makeindex printindex printbibliography
    """.split()
)
"""Commands without an argument that only lay out; any other is a macro, and read by its name."""
_REFERENCES = frozenset("ref cref Cref autoref nameref eqref pageref vref hyperref".split())
_MARKS = {
    **dict.fromkeys("emph textit textsl define term defn dfn".split(), "*"),
    **dict.fromkeys("textbf strong".split(), "**"),
}
_CODES = frozenset("texttt code lstinline mintinline path file cmd".split())
_BREAKS = frozenset("\\,;: /-!@ \n")
DEEPEST = 40
"""Braces in one another; what lies deeper is read as if it had none."""


def latex_as_markdown(text: str) -> tuple[str, Sequence[int]]:
    r"""A document of LaTeX as Markdown, and of each line of it the line that it stands on in the document, from 1.

    >>> latex_as_markdown("\\section{Pumps}\n\nThe \\emph{main} one.\n\\begin{itemize}\n\\item Oil\n\\end{itemize}")
    ('## Pumps\n\nThe *main* one.\n\n- Oil\n', [1, 1, 3, 3, 5, 5])
    """
    reader = _LatexReader(text)
    lines = text.split("\n")
    begin = _first_line(lines)
    for number, line in enumerate(lines, 1):
        if number > begin or _HEADING.match(line):
            reader.take(line, number)
    reader.end()
    return "\n".join(line for _, line in reader.shown), [number for number, _ in reader.shown] or [1]


def _first_line(lines: Sequence[str]) -> int:
    """The line that begins the document behind its settings; 0 for a part of one, such as a chapter that shows code
    of LaTeX."""
    is_whole = False
    for number, line in enumerate(lines, 1):
        if is_whole and r"\begin{document}" in line:
            return number
        is_whole = is_whole or bool(_CLASS.match(line))
        if not is_whole and (
            r"\begin{" in line or (_HEADING.match(line) and not line.lstrip().startswith(r"\title"))
        ):
            return 0
    return 0


@dataclass(slots=True)
class _HeldLines:
    """An environment whose lines stay as they are: how it ends, and what closes it in Markdown."""

    end: str
    closing: str


class _LatexReader:
    """Reads lines front to back; `shown` are those of the Markdown, each with the line that it stands on."""

    def __init__(self, text: str) -> None:
        self.shown: list[tuple[int, str]] = []
        self._paragraph: list[tuple[int, str]] = []
        self._stated = _STATED | dict(_THEOREM.findall(text))
        self._held: _HeldLines | None = None
        self._lists: list[str] = []
        self._awaits_item = False
        self._item = "item"  # the document's own command for one
        self._mark = ""  # of the item that the next paragraph begins
        self._rows: list[tuple[int, str]] | None = None
        self._open_braces = 0  # of a macro that is being defined

    def take(self, line: str, number: int) -> None:
        """Add a line of the document."""
        rest = line
        while rest:
            rest = self._take_held(rest, number, self._held) if self._held else self._take_words(rest, number)
        if not line.strip() and self._held is None:
            self._open_braces = 0  # whatever a macro leaves open, the next paragraph is read
            self.flush()
        elif not line and self._held and self._held.closing == "```":
            self.shown.append((number, ""))

    def _take_words(self, line: str, number: int) -> str:
        """Take the words of a line up to what is held; gives what stands behind its beginning."""
        line = _COMMENT.sub("", line)
        if self._open_braces or _SETTING.match(line):
            braces = _SIGN_OF_BRACE.sub("", line)
            self._open_braces = max(self._open_braces + braces.count("{") - braces.count("}"), 0)
            return ""
        line = _FORMULA.sub(r"$$\1$$", self._behind_heading(self._with_items(line), number))
        if len(line) > LONGEST_LINE:
            self._paragraph.append((number, line))
            return ""
        return self._take_parts(line, number)

    def _with_items(self, line: str) -> str:
        r"""The line with `\item` for the document's own command: only such a one can stand where a list begins."""
        begins = _BEGINS_LINE.match(line) if self._lists else None
        if begins and self._awaits_item and begins[1] not in _SILENT and begins[1] not in _WORDS:
            self._item = begins[1]
        return rf"\item{line[begins.end() :]}" if begins and begins[1] == self._item else line

    def _behind_heading(self, line: str, number: int) -> str:
        heading = _HEADING.match(line)
        if heading is None:
            return line
        self.flush()
        said, rest = _argument(line, heading.end())
        self._show(number, f"{'#' * _SECTIONS[heading[1]]} {_one_line(_inline(said))}", "")
        return rest

    def _take_parts(self, line: str, number: int) -> str:
        """Take what begins and ends environments and items, and the words between; gives what is behind code begun."""
        parts = _PARTS.split(line)
        for at, part in enumerate(parts):
            if self._held:
                return "".join(parts[at:])
            if at % 2 and self._rows is None:
                parts[at + 1] = self._command(part, parts[at + 1], number)
            elif at % 2 and part.startswith(r"\end"):
                self._end(_ENVIRONMENT.sub(r"\2", part), number)
            elif part.strip():
                (self._paragraph if self._rows is None else self._rows).append((number, part))
        return ""

    def _take_held(self, line: str, number: int, held: _HeldLines) -> str:
        said, found, rest = line.partition(held.end)
        if not held.closing:  # a drawing
            self._held = None if found else held
            return rest.removeprefix("*").removeprefix("}")
        is_code = held.closing == "```"
        shown = said.rstrip() if is_code else _LABEL.sub("", said).rstrip()
        if shown or (is_code and not found):
            self.shown.append((number, shown))
        if found:
            self._held = None
            self._show(number, held.closing, "")
        return rest.removeprefix("*").removeprefix("}")

    def _command(self, part: str, rest: str, number: int) -> str:
        """Take a command that stands between words; gives what of the words behind it is left."""
        if part == r"\[":
            self._hold(number, "$$", r"\]", "$$")
        if part == r"\item":
            self.flush()
            term = _OPTION.match(rest)
            self._awaits_item = False
            self._mark = f"{self._lists[-1] if self._lists else '-'} "
            if term is None:
                return rest
            self._mark += f"{_one_line(_inline(term[1])).rstrip(':.')}: "
            return rest[term.end() :]
        environment = _ENVIRONMENT.fullmatch(part)
        if environment is None:
            return rest
        name = environment[2]
        if environment[1] == "end":
            self._end(name, number)
            return rest
        return self._begin(name, rest, number)

    def _begin(self, name: str, rest: str, number: int) -> str:
        if name in _CODE:
            given = _LANGUAGE.match(rest)
            language = (given[1] or given[2] or "") if given else ""
            self._hold(number, f"```{language.lower()}", f"\\end{{{name}", "```")
            return rest[given.end() :] if given else rest
        if name in _MATH:
            self._hold(number, "$$", f"\\end{{{name}", "$$")
            return rest
        if name in _DRAWN:
            self._held = _HeldLines(f"\\end{{{name}", "")
            return ""
        self.flush()
        if name in _LISTS:
            self._lists.append(_LISTS[name])
            self._awaits_item = True
        elif name in _TABLES:
            self._rows = []
        elif name in self._stated:
            title = _OPTION.match(rest)
            said = f" ({_one_line(_inline(title[1]))})" if title else ""
            self._mark += f"**{self._stated[name]}{said}.** "
            return rest[title.end() :] if title else rest
        option = _OPTION.match(rest)
        return rest[option.end() :] if option else rest

    def _end(self, name: str, number: int) -> None:
        if name in _TABLES and self._rows is not None:
            rows, self._rows = self._rows, None
            self._show_table(rows)
        self.flush()
        if name in _LISTS and self._lists:
            self._lists.pop()
            self._show(number, "")

    def _hold(self, number: int, opening: str, end: str, closing: str) -> None:
        self.flush()
        self._held = _HeldLines(end, closing)
        self._show(number, opening)

    def end(self) -> None:
        """Show what is open."""
        if self._rows is not None:
            self._show_table(self._rows)
        self.flush()

    def flush(self) -> None:
        """Show the paragraph that is open."""
        lines, self._paragraph = self._paragraph, []
        title = _OPTION.match(lines[0][1]) if lines and self._mark.endswith(".** ") else None
        if title:  # on the line below what begins a statement
            self._mark = f"{self._mark[:-4]} ({_one_line(_inline(title[1]))}).** "
            lines[0] = (lines[0][0], lines[0][1][title.end() :])
        said = _inline("\n".join(part for _, part in lines)).split("\n") if lines else []
        numbers = [number for number, _ in lines]
        shown = [
            (number, " ".join(one.split())) for number, one in zip(numbers, said, strict=False) if one.strip()
        ]
        depth = "  " * max(len(self._lists) - 1, 0)
        within = f"{depth}{' ' * len(self._lists[-1])} " if self._lists else ""
        for place, (number, one) in enumerate(shown):
            begins = self._mark and not place
            self.shown.append((number, f"{depth}{self._mark}{one}" if begins else f"{within}{one}"))
        if shown:
            self._show(numbers[-1], "")
            self._mark = ""

    def _show(self, number: int, *lines: str) -> None:
        for line in lines:
            if line or not self.shown or self.shown[-1][1]:  # one blank line is enough
                self.shown.append((number, line))

    def _show_table(self, parts: Sequence[tuple[int, str]]) -> None:
        text = "\n".join(part for _, part in parts)
        numbers = [number for number, _ in parts]
        at, rows = 0, []
        for row in re.split(r"\\\\(?:\[[^\[\]\n]*+\])?", text):
            cells = [_one_line(_inline(_RULES.sub("", cell))) for cell in re.split(r"(?<!\\)&", row)]
            if any(cells):
                begins = at + len(row[: len(row) - len(row.lstrip())].split("\n")) - 1
                rows.append((numbers[min(begins, len(numbers) - 1)], cells))
            at += row.count("\n")
        for place, (number, cells) in enumerate(rows):
            self._show(number, "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
            if not place:
                self._show(number, "|" + " --- |" * len(cells))
        if rows:
            self._show(rows[-1][0], "")


def _is_dropped(name: str) -> bool:
    """Whether a command prints nothing, nor what it is given; books define labels and index marks of their own."""
    return name in _DROPPED or name.startswith("index") or name.endswith("label")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _argument(text: str, at: int) -> tuple[str, str]:
    """What the braces hold that open at `at`, and what stands behind them; without an end all is held."""
    depth = 0
    for found in re.finditer(r"\\.|[{}]", text[at:]):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not depth:
            return text[at + 1 : at + found.start()], text[at + found.end() :]
    return text[at + 1 :], ""


@dataclass(slots=True)
class _OpenBraces:
    """Braces that are open: whose argument they hold, and what it said so far."""

    name: str = ""
    said: list[str] = field(default_factory=list)
    before: str = ""  # of a link, its address


def _inline(text: str) -> str:
    r"""A paragraph's words; it has as many lines as before, or more.

    >>> _inline(r"``The \textbf{main \emph{valve}}''~\cite{a} costs \$5, see \cref{sec:big-pumps} for $x_1$.")
    '“The **main *valve***”  costs $5, see “big pumps” for $x_1$.'
    """
    groups = [_OpenBraces()]
    at = 0
    while found := _TOKEN.search(text, at):
        groups[-1].said.append(text[at : found.start()])
        at = _read_token(text, found, groups)
    groups[-1].said.append(text[at:])
    while len(groups) > 1:
        _close(groups)
    return "".join(groups[0].said)


def _read_token(text: str, found: re.Match[str], groups: list[_OpenBraces]) -> int:
    """Add what a token says, or open and close groups; gives where to go on."""
    at, said = found.end(), groups[-1].said
    if name := found["name"]:
        at = _OPTIONS.match(text, at).end() if name not in _WORDS else at  # type: ignore[union-attr]
        if text.startswith("{", at) and not text.startswith("{}", at) and len(groups) < DEEPEST:
            groups.append(_OpenBraces(name))
            return at + 1
        is_silent = name in _SILENT or _is_dropped(name) or _stands_alone(text, found)
        said.append(_WORDS.get(name, "" if is_silent else name))
        return at + 2 * text.startswith("{}", at)
    if found["brace"] == "{":
        groups.append(_OpenBraces()) if len(groups) < DEEPEST else None
    elif found["brace"]:
        following = _OPTIONS.match(text, at).end()  # type: ignore[union-attr]
        holds = _close(groups, is_followed=text.startswith("{", following)) if len(groups) > 1 else None
        if holds:
            groups.append(holds)
            return following + 1
    else:
        said.append(_said(found))
    return at


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Whether a command is all that its line holds: it lays out."""
    before = text.rfind("\n", 0, found.start()) + 1
    return text[before : found.start()].isspace() | (before == found.start()) and bool(
        _ALONE.match(text, found.end())
    )


def _said(found: re.Match[str]) -> str:
    if found["bar"]:
        return f"`{found['verbatim']}`"
    if accent := found["accent"] or found["mark"]:
        return unicodedata.normalize("NFC", (found["held"] or found["letter"]) + _ACCENTS[accent])
    if found["inline"] is not None:
        return f"${found['inline'].strip()}$"
    if sign := found["sign"]:
        return " " * (sign not in "-/!\n") + "\n" * (sign == "\n") if sign in _BREAKS else sign
    if found["quote"]:
        return _QUOTES[found["quote"]]
    if found["dash"]:
        return "—" if found["dash"] == "---" else "–"
    return found["formula"] or " "


def _close(groups: list[_OpenBraces], *, is_followed: bool = False) -> _OpenBraces | None:
    """End the innermost group and add what it says to the one around it; gives the group of a further argument."""
    group = groups.pop()
    said, name, around = "".join(group.said), group.name, groups[-1].said
    gone = "\n" * said.count("\n")
    following = None
    if _is_dropped(name):
        around.append(gone)
        following = _OpenBraces(name) if is_followed else None
    elif name == "texorpdfstring":  # the second one is for the outline
        around.append(said)
        following = _OpenBraces("label") if is_followed else None
    elif name == "href" and is_followed and not group.before:
        around.append(gone)
        following = _OpenBraces(name, before=said.strip() or "#")
    elif name == "href":
        around.append(f"[{said}]({group.before})" if group.before.startswith("http") else said)
    else:
        shown = _SAYS.get(name, str)(said)
        around.append(shown + "\n" * (len(gone) - shown.count("\n")))
    return following


def _marked(mark: str) -> Callable[[str], str]:
    return lambda said: f"{mark}{said.strip()}{mark}" if said.strip() and "\n\n" not in said else said


def _of_label(said: str) -> str:
    """What a reference is to, by the words of its label: `sec:big-pumps`."""
    labels = [one.rpartition(":")[2].replace("-", " ").replace("_", " ").strip() for one in said.split(",")]
    return ", ".join(f"“{one}”" for one in labels if one)


_SAYS: Mapping[str, Callable[[str], str]] = {
    **{name: _marked(mark) for name, mark in _MARKS.items()},
    **dict.fromkeys(_CODES, lambda said: f"`{said}`" if said.strip() and "`" not in said else said),
    **dict.fromkeys(_REFERENCES, _of_label),
    "footnote": lambda said: f" ({said.strip()})",
}

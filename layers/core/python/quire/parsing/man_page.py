r"""Manual pages as Markdown: sections, options, lists and code, with the line that each one stands on.

Source: https://man.openbsd.org/mdoc.7 and https://man.openbsd.org/man.7, the two sets of macros that pages are written
in. What only lays out is left out; conditions, strings and macros of a page's own are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAME = re.compile(r"\.(?:[1-9][a-z]{0,4}|[ln])(?:\.in)?$")
_BEGINS = re.compile(
    r"""
    (?: [.']?[ \t]*+\n | [.'][ \t]*+\\\"[^\n]*+\n ){0,400}+   # comments and blank lines, also behind a point
    [.'][ \t]*+(?: (?P<title> TH[ \t]++"?[\w.:-]++"?[ \t]++"?[1-9ln] | Dd\b ) | (?:TH|Dt|SH|Sh|so|ig)\b )
    """,
    re.VERBOSE,
)
_SECTION = re.compile(r"^[.'][ \t]*+S[Hh][ \t]", re.MULTILINE)
_ARGUMENT = re.compile(r'"((?:[^"]|"")*+)"?|((?:\\.|[^\s\\])++)')
_COMMENT = re.compile(r"\\[\"#].*+")
_BOLD = re.compile(
    r"""
    \\f(?:B|\(CW|\[C?B\]|\[CW\])([^\\\n`]{1,120}+)  # bold, or of one width
    \\f(?:[RP1]|\[R?\])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"""
    \\(?:
      f(?:\(..|\[[^\]\n]{0,20}+\]|.)              # a font
      | s[-+]?\d{1,2} | [hvw]'[^'\n]{0,40}+' | m\[[^\]\n]{0,30}+\]
      | [(*]?\[(?P<long>[^\]\n]{1,20}+)\] | \*?\((?P<two>..) | \*(?P<one>.)
      | (?P<sign>.)
    )
    """,
    re.VERBOSE,
)
_SPAN = re.compile(r"(`[^`\n]++`)")
_BLOCK_SIGN = re.compile(r"(?=#{1,6}[ ]|>|[-+*][ ]|={2,}$|-{2,}$)")
"""How a line begins that Markdown would read as a heading, a quote, an item or a rule."""
_MARKUP_SIGN = re.compile(r"[*<](?=[^\s])|(?<![\w])_(?=\w)")
_SIGNS = {
    one[:-1]: one[-1]
    for one in """
    bu• em— en– aq' dq" lq“ rq” Lq“ Rq” oq‘ cq’ sq' ga` co© Tm™ R® ->→ <-← <=≤ >=≥ +-± mu× mcµ hy- ti~ ha^ rs\\ ba| br|
    """.split()
}
"""The names of characters, each before its own."""
_PRINTED = {**dict.fromkeys(" ~0t", " "), **{sign: sign for sign in "-'`\\."}, "e": "\\"}
_LITERAL = frozenset("Ql Fl Ic Cm Nm Li Ev Pa Fn Va Dv Er Ft Vt In Cd Fd Tn Lk Mt Ad".split())
"""Macros of mdoc whose words are shown as code; other ones show them as they are."""
_QUOTING = {
    macro: signs
    for signs, macros in {
        "[]": "Op Oo Bq Bo",
        "()": "Pq Po",
        "{}": "Brq Bro",
        "<>": "Aq Ao",
        "“”": "Dq Do Qq Qo",
        "‘’": "Sq So",
    }.items()
    for macro in macros.split()
}
_CLOSES = {"Oc": "]", "Bc": "]", "Pc": ")", "Brc": "}", "Ac": ">", "Dc": "”", "Qc": "”", "Sc": "’"}
_WORDED = frozenset(
    "Ar Em Sy No Pf Sx Xr Nd St An At Bx Nx Ox Fx Ux Ap Ns Xo Xc Fa Fo Fc Ms Lb Rv Ex".split()
)
_INLINE = frozenset((*_LITERAL, *_QUOTING, *_CLOSES, *_WORDED))
_JOINED = frozenset(("BR", "RB", "BI", "IB", "IR", "RI"))
_SYSTEMS = {"Bx": "BSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Fx": "FreeBSD", "Ux": "UNIX", "At": "AT&T UNIX"}
_PUNCTUATION = frozenset(".,:;)]?!")
_OPENS = frozenset("([")
_HEADINGS = {"TH": 1, "Dt": 1, "SH": 2, "Sh": 2, "SS": 3, "Ss": 3}
_PARAGRAPHS = frozenset(("PP", "P", "LP", "Pp", "sp", "HP"))
_CODE_BEGINS, _CODE_ENDS = frozenset(("nf", "EX", "Vb", "TS")), frozenset(("fi", "EE", "Ve", "TE"))


def is_man_page(path: str, text: str) -> bool:
    r"""Whether a file is a manual page by the macros that it begins with and its name, or without the latter by its
    title, where sections follow it.

    >>> is_man_page("doc/oar.1", ".TH OAR 1\n"), is_man_page("oar.8.in", ".\\\" By hand.\n.Dd Mdocdate\n")
    (True, True)
    >>> is_man_page("liboar.so.1", ""), is_man_page("oar.1", "Rows.")
    (False, False)
    >>> is_man_page("oar.1.made", '.\n.TH "OAR" "1"\n.SH NAME\n'), is_man_page("rules", ".TH first\n.SH NAME\n")
    (True, False)
    """
    begins = _BEGINS.match(text)
    if begins is None:
        return False
    return bool(_NAME.search(path.lower()) or (begins["title"] and _SECTION.search(text)))


def man_as_markdown(text: str) -> tuple[str, Sequence[int]]:
    r"""A manual page as Markdown, and of each line of it the line that it stands on in the page, from 1.

    >>> man_as_markdown(".TH OAR 1\n.SH OPTIONS\n.TP\n\\fB\\-\\-left\\fR\nRow left.\n")[0].split("\n\n")
    ['# oar', '## Options', '- `--left`:\n  Row left.\n']
    """
    reader = _ManReader()
    for number, line in enumerate(text.split("\n"), 1):
        reader.take(line.rstrip("\r"), number)
    reader.end()
    return "\n".join(line for _, line in reader.shown), [number for number, _ in reader.shown] or [1]


class _ManReader:
    """Reads lines front to back; `shown` are those of the Markdown, each with the line that it stands on."""

    def __init__(self) -> None:
        self.shown: list[tuple[int, str]] = []
        self._words: list[tuple[int, str]] = []
        self._began = self._number = 1
        self._mark = ""  # of the item that is open, until its first words are shown
        self._depth = 0  # lists in one another
        self._is_item = False
        self._waits_for_term = False
        self._is_code = False
        self._hidden_until = ""
        self._name = ""

    def take(self, line: str, number: int) -> None:
        """Add a line of the page."""
        self._number = number
        if self._hidden_until:
            self._hidden_until = "" if line.strip() == self._hidden_until else self._hidden_until
        elif line[:1] in (".", "'") and line[:2] != "''":
            self._take_macro(line[1:].strip())
        elif self._is_code:
            self.shown.append((number, _printed(line)))
        elif line.strip():
            self._take_words(_printed(line).strip())
        else:
            self._paragraph()

    def end(self) -> None:
        """Show what is open."""
        self._close_code()
        self._paragraph()

    def _take_macro(self, line: str) -> None:
        name = re.split(r"[\s\"\\]", line, maxsplit=1)[0]
        arguments = [found[1].replace('""', '"') if found[1] is not None else found[2]
                     for found in _ARGUMENT.finditer(_COMMENT.sub("", line[len(name) :]))]  # fmt: skip
        if name in _HEADINGS:
            self._head(name, [_printed(one) for one in arguments])
        elif name in _PARAGRAPHS:
            self._is_item = self._is_item and name == "Pp"
            self._paragraph()
        elif name in _CODE_BEGINS or (name == "Bd" and {"-literal", "-unfilled"} & {*arguments}):
            self._open_code()
        elif name in _CODE_ENDS or name == "Ed":
            self._close_code()
        elif name in ("D1", "Dl"):
            self._open_code()
            self.shown.append((self._number, self._of_mdoc(arguments).replace("`", "")))
            self._close_code()
        elif name in ("de", "ig", "am"):
            named = arguments[1:2] if name != "ig" else arguments[:1]
            self._hidden_until = f".{named[0] if named else '.'}"
        else:
            self._take_item_or_words(name, arguments)

    def _take_item_or_words(self, name: str, arguments: list[str]) -> None:
        if name in ("TP", "TQ"):
            self._close_code()
            if name == "TP" or self._words:
                self._paragraph()
            self._waits_for_term, self._is_item = True, True
        elif name in ("IP", "It"):
            self._close_code()
            self._paragraph()
            term = self._of_mdoc(arguments) if name == "It" else _printed(arguments[0]) if arguments else ""
            bare = term.strip("•*-o ")
            self._mark, self._is_item = f"- {term}: " if bare else "- ", bool(arguments) or name == "It"
            self._mark = self._mark if self._is_item else ""
            self._began = self._number
        elif name in ("Bl", "RS"):
            self._paragraph()
            self._depth += 1
        elif name in ("El", "RE"):
            self._paragraph()
            self._depth, self._is_item = max(self._depth - 1, 0), self._depth > 1 and name == "El"
        elif words := self._of_man(name, arguments):
            if self._is_code:
                self.shown.append((self._number, words.replace("`", "")))
            else:
                self._take_words(words)

    def _of_man(self, name: str, arguments: list[str]) -> str:
        """The words of a macro within a paragraph; "" where it has none."""
        printed = [_printed(one) for one in arguments]
        if name in ("B", "SB", "C", "CW"):
            return _code(" ".join(printed))
        if name in ("I", "SM", "R", "OP", "SY", "UR", "MT", "ME", "UE"):
            return " ".join(printed)
        if name in _JOINED:
            return "".join(_code(one) if name[at % 2] == "B" else one for at, one in enumerate(printed))
        return self._of_mdoc([name, *arguments]) if name in _INLINE else ""

    def _of_mdoc(self, arguments: Sequence[str]) -> str:
        """What a line of macros of mdoc says."""
        line = _MdocLine(self._name)
        for one in arguments:
            if one in _INLINE:
                line.begin(one)
            else:
                line.take(_printed(one))
        self._name = line.name
        return line.end()

    def _head(self, name: str, arguments: list[str]) -> None:
        self._close_code()
        self._paragraph()
        self._depth, self._is_item = 0, False
        words = (arguments[:1] if _HEADINGS[name] == 1 else [" ".join(arguments)]) or [""]
        title = words[0].capitalize() if words[0].isupper() and _HEADINGS[name] > 1 else words[0]
        title = title.lower() if title.isupper() and _HEADINGS[name] == 1 else title
        if title:
            self.shown += [(self._number, f"{'#' * _HEADINGS[name]} {title}"), (self._number, "")]

    def _take_words(self, words: str) -> None:
        if self._waits_for_term:
            self._waits_for_term = False
            self._began = self._began if self._mark else self._number
            self._mark = f"{self._mark[:-2]}, {words}: " if self._mark else f"- {words}: "
        else:
            self._words.append((self._number, words))

    def _paragraph(self) -> None:
        """Show the words of the paragraph that is open, each line on its own, below the mark of its item."""
        words, self._words = self._words, []
        mark, self._mark = _unmarked(self._mark).rstrip(), ""
        if not words and not mark:
            return
        indent = "  " * max(self._depth - 1, 0)
        within = f"{indent}{'  ' * self._is_item}"
        if mark:
            self.shown.append((self._began, f"{indent}{mark if words else mark.rstrip(':')}"))
        for number, one in words:
            sign = "\\" if _BLOCK_SIGN.match(one) and one[0] != "*" else ""  # a star is escaped already
            self.shown.append((number, f"{within}{sign}{_unmarked(one)}"))
        self.shown.append((self._number, ""))

    def _open_code(self) -> None:
        if not self._is_code:
            self._paragraph()
            self._is_code = True
            self.shown.append((self._number, "```"))

    def _close_code(self) -> None:
        if self._is_code:
            self._is_code = False
            self.shown += [(self._number, "```"), (self._number, "")]


class _MdocLine:
    """A line of mdoc: macros, each with the words that it is given; `name` is the page's, as far as it is known."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._said: list[str] = []
        self._closing: list[str] = []
        self._macro = ""
        self._given = 0
        self._is_glued = True

    def begin(self, macro: str) -> None:
        """Take a macro; what it is called with follows."""
        self._alone()
        self._macro, self._given = macro, 0
        if macro in ("Ns", "Ap"):
            self._said.extend("'" * (macro == "Ap"))
            self._is_glued = True
        elif macro in _QUOTING:
            self._add(_QUOTING[macro][0])
            self._closing.extend(_QUOTING[macro][1] * (not macro.endswith("o")))
            self._is_glued = True
        elif macro in _CLOSES:
            self._said.append(_CLOSES[macro])
        elif macro in _SYSTEMS:
            self._add(_SYSTEMS[macro])

    def take(self, word: str) -> None:
        """Take a word of the macro that is open."""
        if word in _PUNCTUATION or word in _OPENS or word == "|":
            self._alone()
            self._add(word)
            return
        self._given += 1
        if self._macro == "Nm" and not self.name:
            self.name = word
        if self._macro == "Xr" and self._given == 2:
            self._said.append(f"({word})")
        else:
            dashed = f"-{word}" if self._macro == "Fl" else word
            self._add(_code(dashed) if self._macro in _LITERAL else dashed)
        self._is_glued = self._macro == "Pf"

    def _alone(self) -> None:
        """Say what a macro without words prints: the page's name, a dash."""
        if self._macro in ("Nm", "Fl") and not self._given:
            self._given = 1
            self._add(_code(self.name if self._macro == "Nm" else "-"))

    def _add(self, word: str) -> None:
        is_glued = self._is_glued or word in _PUNCTUATION or not self._said
        self._said.append(word if is_glued else f" {word}")
        self._is_glued = word in _OPENS

    def end(self) -> str:
        """The words, with what closes them before the marks at their end: `.Op Fl x .` is `[-x].`"""
        self._alone()
        end = len(self._said)
        while end and self._said[end - 1] in _PUNCTUATION and self._closing:
            end -= 1
        return "".join([*self._said[:end], *reversed(self._closing), *self._said[end:]])


def _unmarked(words: str) -> str:
    """With the signs that Markdown would read as markup escaped, outside of code."""
    parts = _SPAN.split(words)
    parts[::2] = [_MARKUP_SIGN.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def _code(words: str) -> str:
    return f"`{words}`" if words.strip() and "`" not in words else words


def _printed(text: str) -> str:
    """What is printed of a line: its escapes read, bold words as code."""
    text = _COMMENT.sub("", text)
    if "\\" not in text:
        return text
    text = _BOLD.sub(lambda found: f"`{found[1]}`", text.replace("\\-", "-"))
    return _ESCAPE.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    name = found["long"] or found["two"] or found["one"]
    return _SIGNS.get(name, "") if name else _PRINTED.get(found["sign"] or "", "")

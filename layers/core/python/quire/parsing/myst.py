"""Markdown of Sphinx sites, MyST: directives and roles become callouts, plain text and code, line for line.

To any other parser a directive is a code block, its text code. Source: the reference of MyST-Parser, with the
directives of docutils, Sphinx, sphinx-design and MyST-NB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from quire.parsing.scan import fence_behind

NO_TITLES: Mapping[str, str] = {}

_SIGN = re.compile(r"^[ \t]*+(?:`{3,}|~{3,}|:{3,})\{[A-Za-z]", re.MULTILINE)
_DIRECTIVE = re.compile(
    r"""
    (?P<indent>[ \t]*+)(?P<fence>`{3,}|~{3,}|:{3,})\{(?P<name>[A-Za-z][\w:+.-]*+)\}
    [ \t]*+(?P<words>.*)  # its title, language or file
    """,
    re.VERBOSE,
)
_OPTION = re.compile(r"[ \t]*+:[\w-]++:(?:[ \t].*)?$")
_ROLE = re.compile(
    r"""
    (?<!`)\{(?P<role>[A-Za-z][\w:+.-]{0,40}+)\}
    (?P<ticks>`{1,2}+)                        # as many close it
    (?P<words>[^`\n]{1,500}?)(?:[ ]*<(?P<target>[^<>`\n]{1,500}+)>)?(?P=ticks)
    """,
    re.VERBOSE,
)
_BARE_LINK = re.compile(r"\[\]\((?P<bare>[^()\s]{1,300}+)\)")
_TARGET = re.compile(r"\([\w .:+/-]++\)=[ \t]*$")
_NOT_SHOWN = re.compile(r"%|\+\+\+(?:[ \t{]|$)")

_CALLOUTS = frozenset("note warning tip hint important caution danger error attention seealso todo".split())
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_TITLED = frozenset(
    "admonition dropdown topic sidebar card grid-item-card tab-item tab rubric table list-table csv-table exercise"
    " solution prf:theorem glossary confval".split()
)
_PLAIN = frozenset(
    "tab-set tabs grid grid-item figure figure-md subfigure margin aside div container epigraph pull-quote only".split()
)
_DROPPED = frozenset(
    "toctree contents index image raw bibliography tableofcontents include meta auto-index".split()
)
_CODE = frozenset(
    ("code", "code-block", "sourcecode", "code-cell", "literalinclude", "parsed-literal", "prompt")
)
_CODE_ROLES = frozenset(
    "func meth class mod attr exc obj data const code file kbd command option program envvar samp".split()
)


@dataclass(slots=True)
class _Directive:
    """An open directive: what closes it, the column where it began, what stands there before each of its lines.

    Of one that holds code (`is_code`) no line is markup; of one that `is_dropped` none is shown.
    """

    fence: str
    column: int
    mark: str = ""
    is_code: bool = False
    is_dropped: bool = False


def myst_labels(text: str) -> dict[str, str]:
    """Titles of the headings that have labels, by the label in small letters; code is not told apart.

    >>> myst_labels("(Rowing)=\\n(more)=\\n\\n## How to `row`\\n\\n(text)=\\nNo title.\\n")
    {'rowing': 'How to row', 'more': 'How to row'}
    """
    labels, waiting = dict[str, str](), list[str]()
    for line in text.split("\n") if ")=" in text else ():
        bare = line.strip()
        if _TARGET.match(bare):
            waiting.append(" ".join(bare[1 : bare.rindex(")")].casefold().split()))
        elif bare:
            if bare.startswith("#"):
                labels.update(dict.fromkeys(waiting, bare.strip("# ").replace("`", "")))
            waiting = []
    return labels


def bare_references(text: str) -> Iterator[str]:
    """What a page refers to without words, as titles name it."""
    yield from map(reference_of, _BARE_LINK.finditer(text) if "[](" in text else ())
    roles = _ROLE.finditer(text) if "}`" in text else ()
    yield from (f":{one['role']}:{one['words'].strip()}" for one in roles if not one["target"])


def plain_directives(text: str, *, everywhere: bool, titles: Mapping[str, str] = NO_TITLES) -> str:
    """The text with directives as what they show, line for line.

    Args:
        text: a file of Markdown.
        everywhere: it is known to be of a Sphinx site: targets, comments and roles are read as well in a page without
            any directive.
        titles: what references without words show, such as `:ref:oars`; others say their target.
    """
    if not _SIGN.search(text) and not (everywhere and ("{" in text or ")=" in text)):
        return text
    reader = _DirectiveReader(titles)
    for line in text.split("\n"):
        reader.take(line)
    return "\n".join(reader.shown)


class _DirectiveReader:
    """Reads lines front to back; `shown` are those that stand for them."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self.shown: list[str] = []
        self._titles = titles
        self._open: list[_Directive] = []
        self._fence = ""  # of code that is no directive
        self._announced = ""  # the fence of a directive of code, whose options come first
        self._options = ""  # "" behind them, ":" where they may stand, "---" inside of a block of them

    def take(self, line: str) -> None:
        """Add a line."""
        bare = line.strip()
        if self._fence or (self._open and self._open[-1].is_code):
            self._take_code(line, bare)
        elif self._options and self._is_option(bare):
            self._show("")
        elif self._closes(bare):
            self._open.pop()
            self._show("")
        elif directive := _DIRECTIVE.fullmatch(line):
            self._begin(directive)
        elif fence := fence_behind("", line):
            self._options, self._fence = "", fence
            self._show(line)
        else:
            self._options = ""
            is_hidden = _TARGET.match(bare) or _NOT_SHOWN.match(line)
            self._show("" if is_hidden else _without_roles(line, self._titles))

    def _closes(self, bare: str) -> bool:
        """Whether a line ends the innermost directive: of its signs alone, and as many at least."""
        fence = self._open[-1].fence if self._open else ""
        return bool(fence) and bare.startswith(fence) and not bare.strip(fence[0])

    def _take_code(self, line: str, bare: str) -> None:
        if self._fence:
            self._fence = fence_behind(self._fence, bare)
        elif (self._options and self._is_option(bare)) or (self._announced and not bare):
            self._show("")
            return
        elif self._closes(bare):
            is_shown = not (self._open.pop().is_dropped or self._announced)  # what has no code is not shown
            self._announced = ""
            self._show(line.replace(":", "`") if is_shown else "")
            return
        elif self._open[-1].is_dropped:
            line = ""
        else:
            self._announce()
        self._options = ""
        self._show(line)

    def _announce(self) -> None:
        """Put the fence of a directive of code where its options end, right above its code."""
        if self._announced:
            self.shown[-1] = self._marked(self._announced)
            self._announced = ""

    def _is_option(self, bare: str) -> bool:
        """Whether a line is an option of the directive that has just begun."""
        if self._options == "---":
            self._options = "" if bare == "---" else "---"
            return True
        if bare == "---" and self._options == ":":
            self._options = "---"
            return True
        return bool(_OPTION.match(bare))

    def _begin(self, found: re.Match[str]) -> None:
        name, words, column = (
            found["name"].lower(),
            _without_roles(found["words"].strip(), self._titles),
            len(found["indent"]),
        )
        one = _Directive(found["fence"], column)
        said = ""
        is_colon = found["fence"][0] == ":"
        if name in _DROPPED:
            one.is_code = one.is_dropped = True
        elif name in _CALLOUTS:
            one.mark, said = "> ", f"> [!{'see-also' if name == 'seealso' else name}] {words}".rstrip()
        elif name in _VERSIONS:
            said = f"{_VERSIONS[name]} {words.partition(' ')[0]}: {words.partition(' ')[2]}".rstrip()
        elif name in _TITLED or (is_colon and name not in _PLAIN and name not in _CODE):
            said = f"{words}:" if words[-1:].isalnum() else words
        elif name not in _PLAIN:
            one.is_code = True
            language = words.split(" ")[0] if name in _CODE else name.rpartition(":")[2]
            self._announced = found["indent"] + found["fence"].replace(":", "`") + language
        self._show(found["indent"] + said if said else "")
        self._open.append(one)
        self._options = ":"

    def _show(self, line: str) -> None:
        self.shown.append(self._marked(line))

    def _marked(self, line: str) -> str:
        for one in reversed(self._open):
            if one.mark:
                line = (line[: one.column].ljust(one.column) + one.mark + line[one.column :]).rstrip()
        return line


def _without_roles(line: str, titles: Mapping[str, str]) -> str:
    """A line whose roles say their words: names of code between ticks, links by their title.

    >>> _without_roles("See {ref}`the guide <guide>`, {doc}`intro` and {py:func}`boats.row`.", {":doc:intro": "First"})
    'See the guide, First and `boats.row`.'
    """
    if "[](" in line:
        line = _BARE_LINK.sub(
            lambda found: titles.get(reference_of(found)) or found["bare"].lstrip("#"), line
        )
    return _ROLE.sub(lambda found: _role(found, titles), line) if "}`" in line else line


def reference_of(found: re.Match[str]) -> str:
    """How titles name what a link without words leads to."""
    bare = found["bare"]
    return f":ref:{bare[1:]}" if bare.startswith("#") else f":doc:{bare}"


def _role(found: re.Match[str], titles: Mapping[str, str]) -> str:
    words = found["words"].strip()
    if found["target"]:
        return words
    if title := titles.get(f":{found['role']}:{words}"):
        return title
    return f"`{words.lstrip('~!.')}`" if found["role"].rpartition(":")[2] in _CODE_ROLES else words

"""What names in a page stand for: substitutions of reStructuredText and attributes of AsciiDoc, wherever they are set;
and short texts that pages of reStructuredText include.

Sources: Sphinx's `rst_prolog`, `rst_epilog`, `version` and `release` in `conf.py`; Antora's `antora.yml`; what the page
sets itself, and what it includes.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from quire.parsing.asciidoc_markdown import ASCIIDOC
from quire.parsing.rst import rst_title

_SUBSTITUTED = re.compile(r"\|[^|\s](?:[^|\n]{0,80}[^|\s])?\|")
_REPLACES = re.compile(
    r"""
    ^[ \t]*+\.\.[ ](?P<name>\|[^|\n]{1,100}+\|)[ ](?P<kind>replace|unicode|image)::
    (?P<said>[^\n]*+(?:\n[ \t]+\S[^\n]*+)*+)  # which may go on in lines that are set in
    """,
    re.MULTILINE | re.VERBOSE,
)
_CODE_POINT = re.compile(r"(?:0x|x|U\+|\\u|\\x)([0-9A-Fa-f]{2,5})\b|:[lr]?trim:")
_ATTRIBUTED = re.compile(r"\{\w[\w-]{0,80}\}")
_ATTRIBUTE = re.compile(r"^:(\w[\w-]{0,80}):[ \t]++(\S[^\n]*+)", re.MULTILINE)
_ANTORA = re.compile(
    r"""
    ^(?P<depth>[ ]*+)attributes:[ \t]*+\n
    (?P<body>(?:(?P=depth)[ ]++[^\n]*+\n?+)++)  # the lines below it that are set in further
    """,
    re.MULTILINE | re.VERBOSE,
)
_PAIR = re.compile(
    r"""
    ^[ ]++['"]?(?P<name>\w[\w-]{0,80})['"]?:[ \t]++
    ['"]?(?P<said>[^\s'"][^'"\n]*+)  # without its quotes
    """,
    re.MULTILINE | re.VERBOSE,
)
_INCLUDED = re.compile(
    r"""
    ^(?:[ \t]*+\.\.[ ]include::[ \t]++ | include::)  # of both markups
    ([^\s<>\[\]{}$]{1,200}+)
    """,
    re.MULTILINE | re.VERBOSE,
)


_SHOWN = re.compile(r"^\.\. include::[ \t]+([^\s<>]{1,200})$(?!\n[ \t]+:)", re.MULTILINE)
LONGEST_SHOWN = 600


@dataclass(frozen=True, slots=True)
class NamedTexts:
    """The texts that names of a source's pages stand for.

    Attributes:
        read: gives the text of a file, "" where it cannot be read.
        known: what files were found to set.
    """

    read: Callable[[str], str]
    known: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, path: str, text: str) -> dict[str, str]:
        """The texts of the names that a page has, by the name as it is written: `|oar|`, `{oar}`."""
        if path.endswith(".rst") and ("|" in text or ".. include::" in text):
            return self._named(path, text, "conf.py", _SUBSTITUTED)
        if path.lower().endswith(ASCIIDOC) and "{" in text:
            return self._named(path, text, "antora.yml", _ATTRIBUTED)
        return {}

    def _named(self, path: str, text: str, settings: str, written: re.Pattern[str]) -> dict[str, str]:
        folder = posixpath.dirname(path)
        texts = dict(self._above(folder, settings))
        for target in _INCLUDED.findall(text):
            texts |= self._included(folder, target)
        texts |= _set_by(path, text)
        shown = self._shown_in(folder, text) if written is _SUBSTITUTED else {}
        names = sorted(set(written.findall("\n".join([text, *shown.values()]))) & texts.keys())
        return shown | {
            one: written.sub(lambda name: texts.get(name[0], name[0]), texts[one]) for one in names
        }

    def _shown_in(self, folder: str, text: str) -> dict[str, str]:
        """Short included texts without a title, such as a warning that several pages show, by the line that includes
        each."""
        found = {one[0]: self._read_included(folder, one[1])[1].strip() for one in _SHOWN.finditer(text)}
        return {
            line: said
            for line, said in found.items()
            if 0 < len(said) <= LONGEST_SHOWN and not (rst_title(said) or _REPLACES.search(said))
        }

    def _above(self, folder: str, name: str) -> Mapping[str, str]:
        """What the nearest file of this name sets, in the folder or above it."""
        path = posixpath.join(folder, name)
        if path not in self.known:
            text = self.read(path)
            above = self._above(posixpath.dirname(folder), name) if folder and not text else {}
            self.known[path] = _set_by(path, text) or above
        return self.known[path]

    def _included(self, folder: str, target: str) -> Mapping[str, str]:
        """What an included file sets."""
        path, text = self._read_included(folder, target)
        if path not in self.known:
            self.known[path] = _set_by(path, text)
        return self.known[path]

    def _read_included(self, folder: str, target: str) -> tuple[str, str]:
        """An included file and its text; `/parts.rst` lies below any folder above the page."""
        path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
        text = "" if path.startswith("../") else self.read(path)
        is_above = target.startswith("/") and folder and not text
        return self._read_included(posixpath.dirname(folder), target) if is_above else (path, text)


def _set_by(path: str, text: str) -> Mapping[str, str]:
    """The texts of names that a file sets, as names are written."""
    if path.endswith("conf.py"):
        return _sphinx(text)
    if path.endswith("antora.yml"):
        body = "".join(found["body"] for found in _ANTORA.finditer(text))
        return {f"{{{name}}}": said.strip().removesuffix("@") for name, said in _PAIR.findall(body)}
    if path.lower().endswith(ASCIIDOC):
        return {f"{{{name.lower()}}}": said.strip() for name, said in _ATTRIBUTE.findall(text)}
    return {found["name"]: _said(found) for found in _REPLACES.finditer(text)} if "::" in text else {}


def _said(found: re.Match[str]) -> str:
    if found["kind"] == "image":  # a badge, mostly
        return ""
    said = " ".join(found["said"].split())
    if found["kind"] == "unicode":
        points = _CODE_POINT.sub(
            lambda one: chr(int(one[1], 16)) if one[1] else "", said.partition(" .. ")[0]
        )
        return points.replace(" ", "")
    return said


def _sphinx(text: str) -> dict[str, str]:
    """What `conf.py` says in so many words; what it computes is nobody's to run."""
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    told: dict[str, str] = {}
    for one in statements:
        if (
            isinstance(one, ast.Assign)
            and isinstance(one.value, ast.Constant)
            and isinstance(one.value.value, str)
        ):
            told |= {target.id: one.value.value for target in one.targets if isinstance(target, ast.Name)}
    texts = {f"|{name}|": told[name] for name in ("version", "release") if told.get(name)}
    for name in ("rst_prolog", "rst_epilog"):
        texts |= _set_by("", told.get(name, ""))
    return texts

"""What references of Sphinx without words of their own show: the titles that they lead to, in other files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from build_index.sources.files.named_texts import NamedTexts
from quire.errors import SourceError
from quire.parsing.formats import title_of
from quire.parsing.myst import bare_references, myst_labels
from quire.parsing.rst import rst_labels, rst_title

_REFERENCE = re.compile(r":(?P<role>ref|doc):`(?P<target>[^`<>\n]{1,200}+)`")


_ENDINGS = (".rst", ".md", "")


@dataclass(frozen=True, slots=True)
class RstTitles:
    """The titles of pages of reStructuredText and MyST, and of what has a label in one of them.

    Attributes:
        paths: the files of the source.
        read: gives the text of one, "" where it cannot be read.
        labels: titles by label, of all pages; filled once one is asked for.
        pages: titles of pages that were asked for.
        names: what files set that stands for something else, as `NamedTexts` keeps it.
    """

    paths: Collection[str]
    read: Callable[[str], str]
    labels: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    names: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def titles(self, path: str, text: str) -> dict[str, str]:
        """Titles of what a page refers to without words, by the target as it is written, such as `:ref:oars`, and texts
        that its names stand for."""
        written: Iterable[str] = ()
        if path.endswith(".rst") and ":`" in text:
            written = (f":{one['role']}:{one['target']}" for one in _REFERENCE.finditer(text))
        elif path.endswith(".md"):
            written = bare_references(text)
        titles = {one: self._title(path, one) for one in written}
        named = NamedTexts(self.read, self.names).of(path, text)
        return {one: title for one, title in titles.items() if title} | named

    def _title(self, path: str, reference: str) -> str:
        role, _, target = reference[1:].partition(":")
        return self._label(target) if role == "ref" else self._page(path, target) if role == "doc" else ""

    def _label(self, target: str) -> str:
        if not self.labels:
            self.labels[""] = ""  # it was looked
            for path in sorted(self.paths):
                if path.endswith((".rst", ".md")):
                    of_file = rst_labels if path.endswith(".rst") else myst_labels
                    self.labels.update(of_file(self.read(path)))
        return self.labels.get(" ".join(target.casefold().split()), "")

    def _page(self, path: str, target: str) -> str:
        """The title of a page: `oars` beside this one, `/oars` below the folder of the whole documentation."""
        folder = posixpath.dirname(path)
        above = [folder]
        while target.startswith("/") and above[-1]:
            above.append(posixpath.dirname(above[-1]))
        places = (posixpath.normpath(posixpath.join(one, target.lstrip("/"))) for one in above)
        files = (place + end for place in places for end in _ENDINGS)
        page = next((one for one in files if one in self.paths), "")
        if page and page not in self.pages:
            text, self.pages[page] = self.read(page), ""
            with suppress(SourceError):  # of its front matter, which whoever reads it as a page says
                self.pages[page] = rst_title(text) if page.endswith(".rst") else title_of(page, text)
        return self.pages.get(page, "")

"""What references of reStructuredText without words of their own show: the titles that they lead to, in other files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from quire.parsing.rst import rst_labels, rst_title

_REFERENCE = re.compile(r":(?P<role>ref|doc):`(?P<target>[^`<>\n]{1,200}+)`")


@dataclass(frozen=True, slots=True)
class RstTitles:
    """The titles of pages of reStructuredText, and of what has a label in one of them.

    Attributes:
        paths: the files of the source.
        read: gives the text of one, "" where it cannot be read.
        labels: titles by label, of all pages; filled once one is asked for.
        pages: titles of pages that were asked for.
    """

    paths: Collection[str]
    read: Callable[[str], str]
    labels: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)

    def titles(self, path: str, text: str) -> dict[str, str]:
        """Titles of what a page refers to without words, by the target as it is written, such as `:ref:oars`."""
        found: dict[str, str] = {}
        for one in _REFERENCE.finditer(text) if path.endswith(".rst") and ":`" in text else ():
            target = one["target"]
            title = self._label(target) if one["role"] == "ref" else self._page(path, target)
            if title:
                found[f":{one['role']}:{target}"] = title
        return found

    def _label(self, target: str) -> str:
        if not self.labels:
            self.labels[""] = ""  # it was looked
            for path in sorted(self.paths):
                if path.endswith(".rst"):
                    self.labels.update(rst_labels(self.read(path)))
        return self.labels.get(" ".join(target.casefold().split()), "")

    def _page(self, path: str, target: str) -> str:
        """The title of a page: `oars` beside this one, `/oars` below the folder of the whole documentation."""
        folder = posixpath.dirname(path)
        above = [folder]
        while target.startswith("/") and above[-1]:
            above.append(posixpath.dirname(above[-1]))
        places = (posixpath.normpath(posixpath.join(one, f"{target.lstrip('/')}.rst")) for one in above)
        page = next((one for one in places if one in self.paths), "")
        if page and page not in self.pages:
            self.pages[page] = rst_title(self.read(page))
        return self.pages.get(page, "")

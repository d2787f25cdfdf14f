"""Links between the pages of a source: which page a target leads to, and where its site shows that page."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

_TARGET = re.compile(
    r"""
    (?: \]\(<? | ^[ ]{0,3}\[[^\]\n]{1,200}+\]:[ \t]*<? )  # [words](oars.md), [words]: oars.md
    (?P<page>[^\s()<>:\#?]{1,300}+)
    (?P<fragment>\#[^\s()<>]{0,200}+)?
    (?: [\s)>] | \Z )
    """,
    re.VERBOSE | re.MULTILINE,
)
_ENDINGS = ("", ".md", ".mdx", "/index.md", "/index.mdx", "/README.md")
"""What a target may lack of the file's name, where it is written as the page's address."""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The links that pages write to each other.

    Attributes:
        paths: the pages.
        url_of: where the site shows one; "" where it shows it nowhere.
        known: addresses that were asked for.
    """

    paths: Collection[str]
    url_of: Callable[[str], str]
    known: dict[str, str] = field(default_factory=dict)

    def addresses(self, path: str, text: str) -> Mapping[str, str]:
        """Addresses on the web of the pages that a page links to, by the target as it is written, in their order."""
        found: dict[str, str] = {}
        for target in _TARGET.finditer(text) if "](" in text or "]:" in text else ():
            written = unquote(target["page"])
            address = self._address(path, written)
            if address:
                fragment = target["fragment"] or ""
                found[written + unquote(fragment)] = address + fragment
        return found

    def _address(self, path: str, written: str) -> str:
        """The address of the page that is written so on another; "" where it is none, or nobody knows its host."""
        start = "" if written.startswith("/") else posixpath.dirname(path)
        place = posixpath.normpath(posixpath.join(start, written.strip("/") or "."))
        page = next(
            (place + end for end in _ENDINGS if place + end in self.paths and place + end != path), ""
        )
        if page not in self.known:
            self.known[page] = self.url_of(page) if page else ""
        return self.known[page] if self.known[page].startswith(("http://", "https://")) else ""

"""Links between the pages of a source: which page a target leads to, and where its site shows that page."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from build_index.sources.files.rst_titles import RstTitles

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
        titles: what references of Sphinx show; None where that is not asked for.
        known: addresses that were asked for, "" where nobody knows the host.
        places: pages by their places on the host, once one was asked for.
    """

    paths: Collection[str]
    url_of: Callable[[str], str]
    titles: RstTitles | None = None
    known: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    def addresses(self, path: str, text: str) -> Mapping[str, str]:
        """Addresses on the web of the pages that a page links to, by the target as it is written, in their order; of
        references of Sphinx the titles."""
        if self.titles and path.endswith(".rst"):
            return self.titles.titles(path, text)
        found: dict[str, str] = {}
        for target in _TARGET.finditer(text) if "](" in text or "]:" in text else ():
            written = unquote(target["page"])
            address = self._address(path, written)
            if address:
                fragment = target["fragment"] or ""
                found[written + unquote(fragment)] = address + fragment
        return {**found, **self.titles.titles(path, text)} if self.titles else found

    def _address(self, path: str, written: str) -> str:
        """The address of the page that is written so on another; "" where it is none, or nobody knows its host."""
        start = "" if written.startswith("/") else posixpath.dirname(path)
        place = posixpath.normpath(posixpath.join(start, written.strip("/") or "."))
        page = next((place + end for end in _ENDINGS if place + end in self.paths), "")
        if not page and written.startswith("/"):
            page = self._at(written)
        return self._url(page) if page and page != path else ""

    def _url(self, page: str) -> str:
        if page not in self.known:
            url = self.url_of(page)
            self.known[page] = url if url.startswith(("http://", "https://")) else ""
        return self.known[page]

    def _at(self, written: str) -> str:
        """The page that the site shows at a place of its host; "" where it shows none there."""
        if not self.places:
            self.places.update((_bare(urlsplit(self._url(page)).path), page) for page in sorted(self.paths))
        return self.places.get(_bare(written), "")


def _bare(place: str) -> str:
    """A place on a host without what may be left out at its end."""
    return place.rstrip("/").removesuffix(".html")

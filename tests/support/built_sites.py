"""Opens addresses in a site that a generator built, as a web server and a browser would."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from build_index.sources import Failure
from build_index.sources.files.markdown_tree import read_markdown_tree
from build_index.sources.site_config import find_site
from quire.chunking import chunk_document
from quire.documents import Document
from quire.errors import SourceError
from quire.parsing.markdown import parse_markdown
from quire.parsing.rst import rst_anchors


class _Ids(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]


def documents(root: Path) -> Iterator[Document]:
    """What a build reads of a source, with the site that is found there."""
    for one in read_markdown_tree(root, find_site(root)):
        if isinstance(one, Failure):
            raise SourceError(one.reason, path=one.path)
        yield one


def heading_urls(document: Document) -> Iterator[tuple[int, str]]:
    """`(line, address)` of every heading below the page's title."""
    url = str(document.metadata["url"])
    if document.metadata.get("lang") == "rst":
        yield from ((line, f"{url}#{anchor}") for line, anchor in rst_anchors(document.text)[1:])
        return
    page = parse_markdown(document.text, str(document.metadata["path"]), anchors=document.anchors)
    for section in page.sections:
        if section.level > 1:
            yield section.line, f"{url}#{section.anchor}"


def facts(root: Path) -> Iterator[tuple[str, int, str]]:
    """`(path, line, address)` of every page (as line 0) and heading that has an address."""
    for document in documents(root):
        url = str(document.metadata["url"])
        if url:
            yield document.id, 0, url
            yield from ((document.id, line, address) for line, address in heading_urls(document))


def indexed_urls(root: Path) -> set[str]:
    """Every address that an index of the source would give, of passages and of the sections merged into them."""
    found: set[str] = set()
    for document in documents(root):
        for chunk in chunk_document(document):
            url = str(chunk.metadata["url"])
            anchors = chunk.metadata.get("anchors")
            more = anchors if isinstance(anchors, tuple) else ()
            page = url.partition("#")[0]
            found.update(one for one in (url, *(f"{page}#{anchor}" for anchor in more if anchor)) if one)
    return found


def why_dead(url: str, built: Path, base: str) -> str:
    """Why the address does not open in the built site, whose front page has the address `base`; "" where it does."""
    if not url.startswith(f"{base}/"):
        return f"not below {base}"
    ids = _ids_of(url, built, base)
    if ids is None:
        return "no such page"
    fragment = unquote(urlsplit(url).fragment)
    return "" if not fragment or fragment in ids else "no such anchor"


def mixed_up(found: Iterable[tuple[str, int, str]], built: Path, base: str) -> Iterator[str]:
    """Addresses of headings that do not follow each other on the built page as in the file."""
    last: dict[str, int] = {}
    for path, _, url in sorted(found):
        ids, fragment = _ids_of(url, built, base), unquote(urlsplit(url).fragment)
        if ids is None or fragment not in ids:
            continue
        at = ids.index(fragment)
        if at <= last.get(path, -1):
            yield url
        last[path] = at


def _ids_of(url: str, built: Path, base: str) -> list[str] | None:
    """The ids of the page that a web server would send, in order; None where there is none."""
    path = unquote(urlsplit(url[len(base) :]).path).lstrip("/")
    names = (
        [f"{path}index.html"]
        if path.endswith("/") or not path
        else [path, f"{path}.html", f"{path}/index.html"]
    )
    file = next((built / name for name in names if (built / name).is_file()), None)
    if file is None:
        return None
    ids = _Ids()
    ids.feed(file.read_text(encoding="utf-8"))
    return ids.ids

"""Any tree of Markdown, other markup, HTML, text, notebooks, PDF and office: for profiles `docs` and `textbook`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath

from build_index.progress import say
from build_index.sources import Failure
from build_index.sources.files.built_pages import built_pages
from build_index.sources.files.includes import IncludedFiles, included_files
from build_index.sources.files.page_links import PageLinks
from build_index.sources.files.rst_titles import RstTitles
from build_index.sources.files.selection import Excluded
from build_index.sources.files.superseded import superseded_pages
from build_index.sources.files.text_files import (
    SKIPPED,
    count_others,
    is_vault,
    read_bytes,
    read_page,
    read_text,
    scanned_pages,
    walk_files,
)
from build_index.sources.files.types import TEXT as CODE_TEXT
from build_index.sources.files.types import is_navigation, language_of, page_role
from build_index.sources.site_config import FoundSite
from quire.chunking.markdown import spoken
from quire.documents import Document, Value
from quire.errors import NoText, SourceError
from quire.ingestion.rows import read_apart
from quire.limits import CONVERTED_FILE_BYTES
from quire.parsing.asciidoc_markdown import ASCIIDOC
from quire.parsing.formats import CONVERTED, HTML, TEXT, RawFile, kind_of, suffix_of, title_of
from quire.parsing.latex_markdown import LATEX
from quire.parsing.org import parse_org
from quire.parsing.outline import Outline
from quire.parsing.quarto import QUARTO
from quire.parsing.rst import parse_rst

_MARKUP: Mapping[str, tuple[str, Callable[[str], Outline]]] = {
    ".rst": ("rst", parse_rst),
    ".org": ("org", parse_org),
}
_APIS = tuple(f"{name}.{kind}" for name in ("openapi", "swagger") for kind in ("yaml", "yml", "json"))
SUFFIXES = (
    ".md",
    ".mdx",
    ".markdown",
    *QUARTO,
    *ASCIIDOC,
    *LATEX,
    *_MARKUP,
    *HTML,
    *TEXT,
    *CONVERTED,
    *_APIS,
)
"""How names of pages end, and the names of descriptions of APIs."""
_API_TITLE = re.compile(r"""^[ ]*"?title"?[ ]*:[ ]*(\S.*)""", re.MULTILINE)
_NO_PAGES = frozenset(("404.html", "genindex.html", "py-modindex.html"))
_FOR_PROGRAMS = re.compile(
    r"""
    (?:requirements|constraints)[\w.-]*\.txt
    | robots\.txt | cmakelists\.txt | llms[\w-]*\.txt | humans\.txt
    | top_level\.txt  # of a Python wheel
    """,
    re.IGNORECASE | re.VERBOSE,
)


_EMPTY = ("empty", "no text")
"""Why a page without a word is none: it is written so, or it is converted, such as pictures of pages."""


def read_markdown_tree(
    root: Path, site: FoundSite | None = None, excluded: Excluded | None = None, *, newest: bool = True
) -> Iterator[Document | Failure]:
    """Read every file of `SUFFIXES` below `root`, one document a file; of files with the same bytes, the first.

    What a page of Markdown includes of other files stands in it. A file that a page of other markup includes, and that
    is not read as a page, is a document behind the first such page, at that page's address. A file of AsciiDoc or
    Quarto that a page includes is no document of its own, but for long sections of AsciiDoc, at that page's address.

    `chapter` and `section` are the page's title, as `/ingest` has it; `chapters` adds its folder's, so that both are
    found by, or the title of the page that includes it. `url` is where the `site` shows the page, "" where it shows
    none; without a site it is the path. `excluded` is told of copies, files without a word and files of other
    kinds, and, where the `newest` pages alone are read, of translations and older versions.

    Raises:
        SourceError: `root` is no folder.
    """
    site = FoundSite() if site is None else site
    excluded = Excluded() if excluded is None else excluded
    count_others(root, SUFFIXES, excluded)
    seen: set[bytes] = set()
    folders: dict[str, str] = {"": ""}
    included = included_files(root, site)
    owners = page_owners(root, included)
    anchors = site.site.anchors._replace(wiki=is_vault(root))
    paths = list(walk_files(root, SUFFIXES))
    superseded = {
        **(superseded_pages(paths) if newest else {}),
        **dict.fromkeys(built_pages(paths, partial(_text_or_nothing, root)), "built"),
    }
    links = PageLinks(
        frozenset(paths) - superseded.keys(),
        partial(_address, root, site),
        RstTitles(frozenset(paths), partial(_text_or_nothing, root)),
    )
    for path in paths:
        if reason := superseded.get(path) or _why_no_document(path, site, owners, included):
            excluded.add(reason, path)
            continue
        read = _read_page(root, path, site, owners)
        if isinstance(read, Failure):
            yield read
            continue
        text, title, url = read
        digest = hashlib.sha256(text.encode()).digest()
        if reason := _why_no_text(path, text) or ("duplicate" if digest in seen else ""):
            excluded.add(reason, path)
            continue
        seen.add(digest)
        above = _title_of_owner(root, path, owners)
        titles = (title, above or _known_folder_title(root, path.rpartition("/")[0], folders))
        yield _document(path, text, titles, url)._replace(
            anchors=anchors, includes=included.in_place(path, text), links=links.addresses(path, text)
        )
        for one in included.fragments(path, text):
            if owners.get(one.path) == path and one.text.strip() and not _is_walked(one.path):
                yield _document(one.path, one.text, titles, url)._replace(anchors=anchors)


def _address(root: Path, site: FoundSite, path: str) -> str:
    """Where the site shows a page; "" where it cannot be read, which whoever reads it says."""
    try:
        return site.url_of(path, _text_or_nothing(root, path))
    except SourceError:
        return ""


def _read_page(
    root: Path, path: str, site: FoundSite, owners: Mapping[str, str]
) -> tuple[str, str, str] | Failure:
    """A page's text, title and address, for a partial that of the page which imports it.

    A document that holds pictures alone has no text, and is told.
    """
    try:
        text = _text(root, path)
        url = site.url_of(path, text)
        if not url and path in owners:
            url = site.url_of(owners[path], read_text(root, owners[path]))
        return text, _title(text, path) or PurePosixPath(path).stem, url
    except NoText as error:
        say(f"{error}: left out")
        return "", "", ""
    except SourceError as error:
        return Failure(path, str(error))


def page_owners(root: Path, included: IncludedFiles) -> Mapping[str, str]:
    """The page that each file is shown on that others include or import: of several the one that stands nearest."""
    owners: dict[str, str] = {}
    for path in walk_files(root, (*_MARKUP, *ASCIIDOC, *QUARTO, ".md", ".mdx")):
        text = _text_or_nothing(root, path)
        fragments = (
            one for one in included.fragment_paths(path, text) if not _is_walked(one) or one.endswith(".txt")
        )
        for one in (*fragments, *included.imported(path, text)):
            known = owners.get(one)
            if known is None or _shared(one, known) < _shared(one, path):
                owners[one] = path
    return owners


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common, from the source on."""
    pairs = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _text_or_nothing(root: Path, path: str) -> str:
    """The text of a page; nothing where it cannot be read: whoever reads the page itself says so."""
    try:
        return read_page(root, path, lambda _: None)
    except SourceError:
        return ""


def _title_of_owner(root: Path, path: str, owners: Mapping[str, str]) -> str:
    """Of a section of AsciiDoc the title of the page that includes it, else ""."""
    owner = owners.get(path, "") if path.lower().endswith(ASCIIDOC) else ""
    return _title(_text_or_nothing(root, owner), owner) if owner else ""


def files_outside(root: Path, site: FoundSite) -> Iterator[Path]:
    """Files outside `root` that its pages include, in their order."""
    included = included_files(root, site)
    for path in walk_files(root, tuple(one for one in SUFFIXES if one not in (*HTML, *CONVERTED))):
        yield from included.outside(path, _text_or_nothing(root, path))


def _is_walked(path: str) -> bool:
    """Whether a file below the source is read as a page of its own."""
    parts = PurePosixPath(path).parts
    hidden = any(one.startswith(".") or one in SKIPPED for one in parts)
    return not hidden and path.lower().endswith(SUFFIXES) and not _why_no_document(path)


def _text(root: Path, path: str) -> str:
    if suffix_of(path) not in CONVERTED:
        return read_page(root, path, say)
    text = read_apart(RawFile(path, read_bytes(root, path, CONVERTED_FILE_BYTES)))
    if told := scanned_pages(path, text):
        say(told)
    return text


def _why_no_text(path: str, text: str) -> str:
    """Why a file holds nothing to read, `built` for a menu of the pages, `binary` for what is no text; "" where
    it does."""
    if not text.strip():
        return _EMPTY[suffix_of(path) in CONVERTED]
    if is_navigation(path, text):
        return "built"
    if "\0" in text and suffix_of(path) not in CONVERTED:
        return "binary"
    return "signature" if path.endswith(".asc") and text.startswith("-----BEGIN PGP ") else ""


def _why_no_document(
    path: str,
    site: FoundSite | None = None,
    owners: Mapping[str, str] | None = None,
    included: IncludedFiles | None = None,
) -> str:
    """Why a file of text is none: `settings` are for programs, `built` is what a generator made of documents, or a
    book's list of its pages, `included` stands in the page that includes it.
    """
    if included and owners and path in owners and path.lower().endswith((*ASCIIDOC, *QUARTO)):
        return "" if included.is_section(included.root / path) else "included"
    if _FOR_PROGRAMS.fullmatch(PurePosixPath(path).name):
        return "settings"
    contents = site.site.contents if site and site.site.generator in ("gitbook", "mdbook") else ()
    if any(path == f"{one.folder}/SUMMARY.md".lstrip("/") for one in contents):
        return "built"
    return "built" if PurePosixPath(path).name.lower() in _NO_PAGES else ""


def _document(path: str, text: str, titles: tuple[str, str], url: str) -> Document:
    """Sections of Markdown are cut as the page shows them, those of other markup by the file's lines."""
    language = _language(path)
    title, folder_title = titles
    metadata: dict[str, Value] = {
        "path": path,
        "filename": PurePosixPath(path).name,
        "chapter": title,
        "section": title,
        "url": url,
    }
    if role := page_role(path):
        metadata["role"] = role
    if folder_title not in ("", title):
        metadata["chapters"] = (title, folder_title)
    if language is None:
        return Document(id=path, text=text, kind=kind_of(path), metadata=metadata)
    return Document(id=path, text=text, kind="source_code", metadata=metadata | {"lang": language})


def _language(path: str) -> str | None:
    """What a page is not read as Markdown, HTML or text by: its markup, or the language of an included example."""
    if path.lower().endswith(_APIS):
        return language_of(path)
    suffixes = [one.lower() for one in PurePosixPath(path).suffixes]
    if path.lower().endswith(SUFFIXES):
        return _MARKUP[suffixes[-1]][0] if suffixes[-1] in _MARKUP else None
    markup = next((_MARKUP[one][0] for one in suffixes if one in _MARKUP), "")  # options.rst.inc
    return markup or language_of(path) or CODE_TEXT


def _known_folder_title(root: Path, folder: str, known: dict[str, str]) -> str:
    if folder not in known:
        known[folder] = _folder_title(root, folder)
    return known[folder]


def _folder_title(root: Path, folder: str) -> str:
    """What a folder is called: by its category file, by its index page, or by its name."""
    label = category_label(root / folder)
    if label:
        return label
    try:
        names = sorted(one.name for one in (root / folder).iterdir() if one.suffix.lower() in SUFFIXES)
    except OSError:  # it is gone since its pages were listed
        names = []
    for name in names:
        if PurePosixPath(name).stem.lower() in ("index", "readme"):
            try:
                title = _title(read_text(root, f"{folder}/{name}"), name)
            except SourceError:  # whoever reads the page itself says so
                continue
            if title:
                return title
    return spoken(re.sub(r"^\d+[-_.\s]+", "", PurePosixPath(folder).name))


def category_label(folder: Path) -> str:
    """The label of Docusaurus's category file, "" without one."""
    try:
        label = json.loads((folder / "_category_.json").read_text(encoding="utf-8")).get("label", "")
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""
    return label if isinstance(label, str) else ""


def _title(text: str, path: str) -> str:
    if path.lower().endswith(_APIS):
        said = _API_TITLE.search(text)
        return said[1].strip("\"', \r") if said else ""
    markup = _MARKUP.get(PurePosixPath(path).suffix.lower())
    if markup is None:
        return title_of(path, text)
    sections = markup[1](text).definitions
    return sections[0].names[0] if sections else ""

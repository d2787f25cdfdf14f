"""Where a documentation site shows a file: the address that its generator gives to each page.

Sources: Docusaurus's `plugin-content-docs` and `plugin-content-blog`, MkDocs's `structure/files.py`, Sphinx's HTML
builders, VitePress's routing guide, the guides of mdBook and Quarto, Hugo's and Jekyll's pages on permalinks, GitBook's
on Git Sync. Tests hold Docusaurus, MkDocs, Sphinx and VitePress against sites that the generators themselves built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlsplit

from quire.documents import GITHUB, AnchorRules
from quire.errors import ConfigError
from quire.parsing.front_matter import FrontMatter, read_front_matter

_VERSION_LIKE = re.compile(r"\d+[-_.]\d+")
_NUMBER = re.compile(r"\d+\s*[-_.]+\s*([^-_.\s].*)")
_DATED = re.compile(
    r"""
    (?P<folder>.*?)
    (?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2})[-/]?  # as the names of posts begin
    (?P<text>.*)
    """,
    re.VERBOSE,
)
_SUFFIX = re.compile(r"\.(?:mdx?|markdown|rst|txt|ipynb)$", re.IGNORECASE)
_QUARTO_PAGE = re.compile(r"\.(?:qmd|rmd|md|ipynb)$", re.IGNORECASE)
_MARKDOWN = re.compile(r"\.(?:mdx?|markdown)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Content:
    """A folder of a source whose files a site shows.

    Attributes:
        folder: relative to the source; "" for the source itself.
        route: where its pages begin, below the site's address.
        kind: `docs`; Docusaurus has `blog` and `pages` too, Jekyll `pages` and `collection`, whose route is a pattern.
        number_prefixes: whether Docusaurus takes `01-` off names.
        above: where the source lies below what is shown, if it is but a part of it.
    """

    folder: str = ""
    route: str = ""
    kind: str = "docs"
    number_prefixes: bool = True
    above: str = ""


@dataclass(frozen=True, slots=True)
class PublishedSite:
    """A site that shows a source's files.

    Attributes:
        generator: one of `GENERATORS`.
        base_url: the address of its front page, without a slash at the end; a path where the host is not known.
        contents: the folders that it shows; of two that hold a file, the longer name counts.
        directory_urls: of MkDocs `use_directory_urls`, of Sphinx the builder `dirhtml`, of Hugo that `uglyURLs` is off,
            of Jekyll permalinks that are `pretty`.
        clean_urls: of VitePress, whether addresses end without `.html`.
        trailing_slash: of Docusaurus; None where it is not configured.
        link_suffix: of Sphinx, how addresses of pages end.
        suffixes: of Sphinx, how names of files end that are pages.
        anchors: how it makes fragments of headings.
    """

    generator: str = "plain"
    base_url: str = ""
    contents: tuple[Content, ...] = (Content(),)
    directory_urls: bool = True
    clean_urls: bool = False
    trailing_slash: bool | None = None
    link_suffix: str = ".html"
    suffixes: tuple[str, ...] = (".rst", ".md")
    anchors: AnchorRules = GITHUB

    def url_of(self, path: str, text: str) -> str:
        """The address of the page that shows a file; "" where none does.

        Raises:
            SourceError: the file's front matter is malformed.
        """
        if self.generator == "plain":
            return f"{self.base_url}/{quote(path)}" if self.base_url else path
        holding = (one for one in self.contents if _holds(one, path))
        content = max(holding, key=lambda one: len(one.folder), default=None)
        if content is None:
            return ""
        inner = f"{content.above}/{path[len(content.folder) :].lstrip('/')}".lstrip("/")
        page = _ROUTES[self.generator](self, content, inner, text)
        return "" if page is None else f"{self.base_url}/{quote(page)}"


def site_of(options: Mapping[str, Any], found: PublishedSite | None = None) -> PublishedSite:
    """The site that options name: `site`, a generator or a table with its settings, and `base_url`.

    `found` is what the source's own configuration says; options outrank it.

    Raises:
        ConfigError: a setting is unknown or of the wrong type.

    >>> site_of({"site": "mkdocs", "base_url": "https://host/book/"}).url_of("guide/install.md", "")
    'https://host/book/guide/install/'
    """
    named = options.get("site", {})
    table: Mapping[str, Any] = {"generator": named} if isinstance(named, str) else named
    if not isinstance(table, Mapping):
        raise ConfigError(f"site: wanted one of {', '.join(GENERATORS)}, or a table, found {named!r}")
    generator = table.get("generator", found.generator if found else "plain")
    if generator not in GENERATORS:
        raise ConfigError(f"site: wanted one of {', '.join(GENERATORS)}, found {generator!r}")
    same = found if found and found.generator == generator else None
    site = same or PublishedSite(generator, anchors=AnchorRules(generator))
    base_url = str(options.get("base_url") or "").rstrip("/")
    if base_url:
        site = replace(site, base_url=_without_route(base_url, site, configured=same is not None))
    settings = {name: value for name, value in table.items() if name != "generator"}
    return _with_settings(site, settings)


def _without_route(base_url: str, site: PublishedSite, *, configured: bool) -> str:
    """The site's address, where the address of its docs was given: both are understood."""
    route = site.contents[0].route if configured else ""
    same_path = urlsplit(base_url).path.rstrip("/") == urlsplit(site.base_url).path.rstrip("/")
    if route and not same_path and base_url.endswith(f"/{route}"):
        return base_url.removesuffix(f"/{route}")
    return base_url


def _with_settings(site: PublishedSite, settings: Mapping[str, Any]) -> PublishedSite:
    for name, value in settings.items():
        if name not in _SETTINGS:
            raise ConfigError(f"site: {name!r} is unknown; wanted generator, {', '.join(_SETTINGS)}")
        kind, change = _SETTINGS[name]
        if not isinstance(value, kind):
            raise ConfigError(f"site: {name}: wanted {kind.__name__}, found {value!r}")
        site = change(site, value)
    return site


def _with_route(site: PublishedSite, route: str) -> PublishedSite:
    return replace(site, contents=tuple(replace(one, route=route.strip("/")) for one in site.contents))


def _in_folder(site: PublishedSite, folder: str) -> PublishedSite:
    return replace(site, contents=tuple(replace(one, folder=folder.strip("/")) for one in site.contents[:1]))


_SETTINGS: Mapping[str, tuple[type, Callable[[PublishedSite, Any], PublishedSite]]] = {
    "use_directory_urls": (bool, lambda site, value: replace(site, directory_urls=value)),
    "clean_urls": (bool, lambda site, value: replace(site, clean_urls=value)),
    "trailing_slash": (bool, lambda site, value: replace(site, trailing_slash=value)),
    "route_base_path": (str, _with_route),
    "folder": (str, _in_folder),
    "attr_list": (bool, lambda site, value: replace(site, anchors=site.anchors._replace(attributes=value))),
    "slugify": (str, lambda site, value: replace(site, anchors=site.anchors._replace(slugify=value))),
}


def _holds(content: Content, path: str) -> bool:
    return not content.folder or path.startswith(f"{content.folder}/")


def _docusaurus(site: PublishedSite, content: Content, path: str, text: str) -> str | None:
    """None for what Docusaurus shows no page of: partials, tests and drafts."""
    if not _MARKDOWN.search(path) or any(part.startswith("_") for part in path.split("/")):
        return None
    if ".test." in path or "__tests__/" in path:
        return None
    head = read_front_matter(text, path)
    if head.string("draft").lower() == "true":
        return None
    route = {"blog": _blog_route, "pages": _page_route}.get(content.kind, _doc_route)(content, path, head)
    whole = f"{content.route}/{route.lstrip('/')}".lstrip("/")
    if site.trailing_slash is None or not whole:
        return whole
    return f"{whole.strip('/')}/" if site.trailing_slash else whole.strip("/")


def _doc_route(content: Content, path: str, head: FrontMatter) -> str:
    """A slug below the file's folder, or from the docs' root; index pages stand for their folder."""
    strips = content.number_prefixes and head.string("parse_number_prefixes").lower() != "false"
    *folders, name = PurePosixPath(_SUFFIX.sub("", path)).parts
    shown = [_unnumbered(one) for one in folders] if strips else folders
    slug = head.string("slug")
    if slug.startswith("/"):
        return slug
    is_index = name.lower() in ("index", "readme") or (folders and name.lower() == folders[-1].lower())
    if not slug and is_index:
        return "/".join((*shown, ""))
    own = slug or head.string("id") or (_unnumbered(name) if strips else name)
    return _resolved((*shown, *own.split("/")))


def _resolved(parts: tuple[str, ...]) -> str:
    """The parts joined, with `..` and `.` followed."""
    kept: list[str] = []
    for part in parts:
        if part == "..":
            kept = kept[:-1]
        elif part not in ("", "."):
            kept.append(part)
    return "/".join((*kept, "")) if parts[-1] == "" else "/".join(kept)


def _unnumbered(name: str) -> str:
    """A name without its number; what looks like a date or a version has none.

    >>> _unnumbered("02 - Setup"), _unnumbered("2.1-news")
    ('Setup', '2.1-news')
    """
    match = None if _VERSION_LIKE.match(name) else _NUMBER.fullmatch(name)
    return match[1] if match else name


def _blog_route(_: Content, path: str, head: FrontMatter) -> str:
    slug = head.string("slug")
    if slug:
        return slug
    plain = re.sub(r"/index$", "", _SUFFIX.sub("", path))
    dated = _DATED.fullmatch(plain)
    return f"{dated['date'].replace('-', '/')}/{dated['folder']}{dated['text']}" if dated else plain


def _page_route(_: Content, path: str, head: FrontMatter) -> str:
    return head.string("slug") or re.sub(r"(^|/)index$", r"\1", _SUFFIX.sub("", path))


def _gitbook(_: PublishedSite, __: Content, path: str, ___: str) -> str | None:
    """A page a file of Markdown, without its ending; `README.md` stands for its folder, the summary is no page."""
    if not path.endswith(".md") or path == "SUMMARY.md":
        return None
    folder, _slash, name = path.removesuffix(".md").rpartition("/")
    return "/".join(part for part in (folder, "" if name == "README" else name) if part)


def _hugo(site: PublishedSite, content: Content, path: str, text: str) -> str | None:
    """A page a file, in lower case; `index` and `_index` stand for their folder, `url` and `slug` outrank names."""
    if not _MARKDOWN.search(path):
        return None
    head = read_front_matter(text, path)
    if head.string("draft").lower() == "true":
        return None
    if head.string("url"):
        return head.string("url").lstrip("/")
    *folders, name = PurePosixPath(_SUFFIX.sub("", path)).parts
    is_index = name in ("index", "_index")
    parts = [*folders, *([] if is_index else [head.string("slug") or name])]
    route = "/".join(filter(None, [content.route, *(_hugo_part(one) for one in parts)]))
    if site.directory_urls or is_index:
        return f"{route}/" if route else ""
    return f"{route}.html"


def _hugo_part(name: str) -> str:
    return re.sub(r"[^\w./+#~-]", "", re.sub(r"\s+", "-", name.strip().lower()))


def _jekyll(site: PublishedSite, content: Content, path: str, text: str) -> str | None:
    """By the page's `permalink`, its collection's pattern, or its path."""
    if not _MARKDOWN.search(path):
        return None
    head = read_front_matter(text, path)
    if head.string("published").lower() == "false":
        return None
    name = _SUFFIX.sub("", path)
    pattern = head.string("permalink") or (content.route if content.kind == "collection" else "")
    if pattern:
        return _permalink(pattern, name)
    if any(part.startswith("_") for part in path.split("/")):
        return None
    if re.search(r"(?:^|/)(?:index|readme)$", name, re.IGNORECASE):
        return name[: -len(PurePosixPath(name).name)]
    return f"{name}/" if site.directory_urls else f"{name}.html"


def _permalink(pattern: str, name: str) -> str:
    """A pattern of Jekyll for a file below its collection's folder, such as `/:collection/:path/`."""
    dated = _DATED.fullmatch(name)
    year, month, day = re.split(r"[-/]", dated["date"]) if dated else ("", "", "")
    title = dated["text"] if dated else PurePosixPath(name).name
    values = {"path": name, "year": year, "month": month, "day": day, "output_ext": ".html", "categories": ""}
    values |= dict.fromkeys(("name", "title", "slug"), title)
    shown = re.sub(r":(\w+)", lambda found: values.get(found[1], ""), pattern)
    return re.sub(r"/{2,}", "/", shown).lstrip("/")


def _mdbook(_: PublishedSite, __: Content, path: str, ___: str) -> str | None:
    """A page a file of Markdown, `README.md` as its folder's index; the summary is the table of contents of all."""
    if not path.endswith(".md") or path == "SUMMARY.md":
        return None
    name = path.removesuffix(".md")
    return f"{re.sub(r'(^|/)README$', lambda found: f'{found[1]}index', name)}.html"


def _mkdocs(site: PublishedSite, _: Content, path: str, __: str) -> str | None:
    if not _MARKDOWN.search(path) or any(part.startswith(".") for part in path.split("/")):
        return None
    folder, _slash, name = _SUFFIX.sub("", path).rpartition("/")
    is_index = name in ("index", "README")
    if not site.directory_urls:
        return "/".join(part for part in (folder, f"{'index' if is_index else name}.html") if part)
    parts = [part for part in (folder, "" if is_index else name) if part]
    return "/".join((*parts, "")) if parts else ""


def _sphinx(site: PublishedSite, _: Content, path: str, __: str) -> str | None:
    suffix = next((one for one in site.suffixes if path.endswith(one)), None)
    if suffix is None:
        return None
    name = path.removesuffix(suffix)
    if not site.directory_urls:
        return f"{name}{site.link_suffix}"
    return re.sub(r"(^|/)index$", r"\1", name) if re.search(r"(?:^|/)index$", name) else f"{name}/"


def _quarto(_: PublishedSite, __: Content, path: str, ___: str) -> str | None:
    """A page a file; what begins with `_` or lies below such a folder is included by others."""
    if not _QUARTO_PAGE.search(path) or any(part.startswith("_") for part in path.split("/")):
        return None
    return re.sub(r"(^|/)index\.html$", r"\1", _QUARTO_PAGE.sub(".html", path))


def _vitepress(site: PublishedSite, _: Content, path: str, __: str) -> str | None:
    if not path.endswith(".md"):
        return None
    name = path.removesuffix(".md")
    if name == "index" or name.endswith("/index"):
        return name.removesuffix("index")
    return name if site.clean_urls else f"{name}.html"


_ROUTES: Mapping[str, Callable[[PublishedSite, Content, str, str], str | None]] = {
    "docusaurus": _docusaurus,
    "gitbook": _gitbook,
    "hugo": _hugo,
    "jekyll": _jekyll,
    "mdbook": _mdbook,
    "mkdocs": _mkdocs,
    "quarto": _quarto,
    "sphinx": _sphinx,
    "vitepress": _vitepress,
}
GENERATORS = tuple(sorted(("plain", *_ROUTES)))

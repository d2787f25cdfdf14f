"""Which documentation site shows a source: found by its generator's configuration, in the tree or right above it."""

from __future__ import annotations

import ast
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from pathspec import GitIgnoreSpec

from build_index.sources.files.text_files import ABOVE, folders_above
from build_index.sources.javascript_objects import ObjectLiteral, read_objects
from quire.documents import AnchorRules
from quire.errors import SourceError
from quire.parsing.front_matter import is_deep
from quire.parsing.site_pages import Content, PublishedSite

PROJECTS = ("", "website", "docs", "doc", "docs/source", "source", "documentation", "site")
"""Folders of a repository in which its site's configuration may lie."""
PLACEHOLDERS = frozenset(("your-docusaurus-site.example.com", "your-docusaurus-test-site.com"))
"""Hosts that Docusaurus writes into new sites: nobody's."""
BROKEN = (RecursionError, ValueError, TypeError, AttributeError, KeyError, MemoryError)
"""What a configuration that nobody's generator would take comes to; `MemoryError` is what `ast` says of deep code."""
_SCRIPTS = (".js", ".ts", ".mjs", ".mts", ".cjs", ".cts")
_LAST_VERSION = re.compile(r"lastVersion\s*:\s*['\"]([^'\"]+)")


@dataclass(frozen=True, slots=True)
class FoundSite:
    """A site as its configuration says it.

    Attributes:
        site: the site, for paths below the source.
        files: what was read of it: a build is another one when they change.
        hidden: files below the source that it leaves out.
    """

    site: PublishedSite = field(default_factory=PublishedSite)
    files: tuple[Path, ...] = ()
    hidden: GitIgnoreSpec = field(default_factory=lambda: GitIgnoreSpec([]))

    def url_of(self, path: str, text: str) -> str:
        """The address of the page that shows a file; "" where none does.

        Raises:
            SourceError: the file's front matter is malformed.
        """
        return "" if self.hidden.match_file(path) else self.site.url_of(path, text)


def find_site(root: Path) -> FoundSite | None:
    """The site that shows files below `root`; None where no configuration of one is found.

    Raises:
        SourceError: a configuration cannot be read.
    """
    root = root.resolve()
    for base in folders_above(root):
        every = (
            one for project in PROJECTS for one in _configured(base / project, root) if one.site.contents
        )
        fallback = None
        for found in every:
            if found.site.generator != "jekyll":
                return found
            # GitHub's pages of a repository, whose documentation may have its own site.
            fallback = fallback or found
        if fallback:
            return fallback
    return None


def _configured(project: Path, root: Path) -> Iterator[FoundSite]:
    for names, read in _READERS:
        for name in names:
            file = project / name
            if file.is_file():
                try:
                    yield read(file, project, root)
                except BROKEN as error:
                    why = f"{type(error).__name__}: {error}"
                    raise SourceError(f"{file.name}: cannot be read: {why}", path=str(file)) from error


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file.name}: cannot be read: {error}", path=str(file)) from error


def _content(folder: Path, root: Path, route: str, kind: str = "docs") -> Content | None:
    """The part of a shown folder that lies in the source; None where they have nothing in common."""
    folder = Path(os.path.normpath(folder))
    if folder.is_relative_to(root):
        inner = folder.relative_to(root).as_posix()
        return Content("" if inner == "." else inner, route, kind)
    if root.is_relative_to(folder):  # the source is a part of what is shown
        return Content("", route, kind, above=root.relative_to(folder).as_posix())
    return None


def _docusaurus(file: Path, project: Path, root: Path) -> FoundSite:
    text = _read(file)
    objects = read_objects(text)
    top = next((one.values for one in objects if "baseUrl" in one.values), {})
    host, base = str(top.get("url", "")), str(top.get("baseUrl", "/"))
    known = host if urlsplit(host).netloc not in PLACEHOLDERS else ""
    trailing = top.get("trailingSlash")
    site = PublishedSite(
        "docusaurus",
        f"{known.rstrip('/')}/{base.strip('/')}".rstrip("/"),
        tuple(_docusaurus_contents(objects, text, project, root)),
        trailing_slash=trailing if isinstance(trailing, bool) else None,
        anchors=AnchorRules("docusaurus"),
    )
    versions = project / "versions.json"
    return FoundSite(site, (file, versions) if versions.is_file() else (file,))


def _docusaurus_contents(
    objects: list[ObjectLiteral], text: str, project: Path, root: Path
) -> Iterator[Content]:
    for one in [one for one in objects if _is_plugin(one, "docs")] or [ObjectLiteral(("docs",))]:
        route = str(one.values.get("routeBasePath", "docs")).strip("/")
        strips = one.values.get("numberPrefixParser") is not False
        for folder, below in _versions(one, text, project):
            found = _content(folder, root, f"{route}/{below}".strip("/"))
            if found:
                yield replace(found, number_prefixes=strips)
    for kind, usual, usual_route in (("blog", "blog", "blog"), ("pages", "src/pages", "")):
        values = next((one.values for one in objects if _is_plugin(one, kind)), {})
        route = str(values.get("routeBasePath", usual_route)).strip("/")
        yield from filter(None, [_content(project / str(values.get("path", usual)), root, route, kind)])


def _is_plugin(one: ObjectLiteral, kind: str) -> bool:
    # What stands before the configuration, such as a type of TypeScript, may have left a key in front of its own.
    of_preset = one.keys[-1:] == (kind,) and ("presets" in one.keys[:-1] or len(one.keys) == 1)
    return of_preset or (one.keys[-1:] == ("plugins",) and one.label.endswith(f"plugin-content-{kind}"))


def _versions(plugin: ObjectLiteral, text: str, project: Path) -> Iterator[tuple[Path, str]]:
    """Folder and route of the docs as they are, and of each version that was cut.

    The newest of those stands at the root of the docs; where its folder is only made of the docs before they are
    shown, these stand there.
    """
    name = str(plugin.values.get("id", ""))
    prefix = f"{name}_" if name else ""
    listed = project / f"{prefix}versions.json"
    versions = json.loads(_read(listed)) if listed.is_file() else []
    chosen = _LAST_VERSION.search(text)
    last = chosen[1] if chosen else (versions[0] if versions else "current")
    if not (project / f"{prefix}versioned_docs/version-{last}").is_dir():
        last = "current"
    yield project / str(plugin.values.get("path", "docs")), "" if last == "current" else "next"
    for version in versions:
        folder = project / f"{prefix}versioned_docs/version-{version}"
        yield folder, "" if version == last else version


def _vitepress(file: Path, project: Path, root: Path) -> FoundSite:
    objects = read_objects(_read(file))
    merged = {name: value for one in objects if not one.keys for name, value in one.values.items()}
    content = _content(project / str(merged.get("srcDir", ".")), root, "")
    site = PublishedSite(
        "vitepress",
        str(merged.get("base", "/")).rstrip("/"),
        _some(content),
        clean_urls=merged.get("cleanUrls") is True,
        anchors=AnchorRules("vitepress"),
    )
    return FoundSite(site, (file,))


class _Tagged(yaml.SafeLoader):
    """Reads what MkDocs files name of Python as the name and its arguments, and runs nothing."""


def _tagged(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    value: Any = None
    if isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    return {"tag": tag, "value": value}


_Tagged.add_multi_constructor("", _tagged)


def _mkdocs(file: Path, project: Path, root: Path) -> FoundSite:
    tree = read_table(file)
    content = _content(project / str(tree.get("docs_dir", "docs")), root, "")
    site = PublishedSite(
        "mkdocs",
        str(tree.get("site_url") or "").rstrip("/"),
        _some(content),
        directory_urls=tree.get("use_directory_urls") is not False,
        anchors=_markdown_rules(tree.get("markdown_extensions")),
    )
    hidden = str(tree.get("exclude_docs") or "").splitlines()
    return FoundSite(site, (file,), _below(content, hidden))


def _markdown_rules(extensions: object) -> AnchorRules:
    settings: dict[str, Mapping[str, Any]] = {}
    for one in extensions if isinstance(extensions, list) else []:
        settings.update({one: {}} if isinstance(one, str) else {k: v or {} for k, v in one.items()})
    if isinstance(extensions, dict):
        settings.update({name: value or {} for name, value in extensions.items()})
    toc = settings.get("toc") or settings.get("markdown.extensions.toc") or {}
    attributes = any(name.split(".")[-1] in ("attr_list", "extra") for name in settings)
    return AnchorRules("mkdocs", attributes, _slugify(toc.get("slugify")), str(toc.get("separator", "-")))


def _slugify(value: object) -> str:
    """The name of a slug function that we know; "" for MkDocs's own."""
    if not isinstance(value, dict):
        return ""
    tag, arguments = str(value.get("tag", "")), value.get("value")
    if tag.endswith("slugify_unicode"):
        return "unicode"
    if "pymdownx.slugs." not in tag:
        return ""
    named = arguments.get("kwds", {}) if isinstance(arguments, dict) else {}
    lower = "uslugify" in tag or named.get("case") == "lower"
    return "pymdownx-lower" if lower else "pymdownx"


def _sphinx(file: Path, project: Path, root: Path) -> FoundSite:
    settings = _assigned(_read(file))
    content = _content(project, root, "")
    is_sphinx = {"extensions", "html_theme", "master_doc", "root_doc", "project"} & settings.keys()
    extensions = settings.get("extensions", [])
    listed = settings.get("source_suffix", [".rst"])
    suffixes = [listed] if isinstance(listed, str) else list(listed)
    if any(str(one).startswith(("myst_", "recommonmark")) for one in extensions):
        suffixes.append(".md")
    suffix = settings.get("html_link_suffix") or settings.get("html_file_suffix") or ".html"
    readthedocs = _builder(file, root)
    site = PublishedSite(
        "sphinx",
        str(settings.get("html_baseurl", "")).rstrip("/"),
        (content,) if content and is_sphinx else (),
        directory_urls=bool(readthedocs),
        link_suffix=str(suffix),
        suffixes=tuple(dict.fromkeys(str(one) for one in suffixes)),
        anchors=AnchorRules("sphinx"),
    )
    hidden = [f"/{one}" for one in settings.get("exclude_patterns", [])]
    return FoundSite(site, (file,), _below(content, hidden))


def _builder(file: Path, root: Path) -> bool:
    """Whether Read the Docs builds the site with `dirhtml`."""
    for folder in (root, *file.parents[:ABOVE]):
        for name in (".readthedocs.yaml", ".readthedocs.yml"):
            settings = folder / name
            if settings.is_file():
                return bool(re.search(r"^[ \t]+builder:\s*['\"]?dirhtml", _read(settings), re.MULTILINE))
    return False


def _assigned(code: str) -> dict[str, Any]:
    """Names that a Python file assigns a literal to; what it computes stays unread."""
    found: dict[str, Any] = {}
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return found
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        try:
            value = ast.literal_eval(statement.value)
        except ValueError:
            continue
        found.update({target.id: value for target in statement.targets if isinstance(target, ast.Name)})
    return found


def _below(content: Content | None, patterns: list[str]) -> GitIgnoreSpec:
    """Patterns of a shown folder as patterns of the source."""
    folder = f"/{content.folder}" if content and content.folder else ""
    moved = [f"{folder}{one if one.startswith('/') else f'/**/{one}'}" if folder else one for one in patterns]
    return GitIgnoreSpec.from_lines(moved)


def _mdbook(file: Path, project: Path, root: Path) -> FoundSite:
    tree = read_table(file)
    content = _content(project / str(_at(tree, "book", "src") or "src"), root, "")
    address = str(_at(tree, "output", "html", "site-url") or "")
    site = PublishedSite("mdbook", address.rstrip("/"), _some(content), anchors=AnchorRules("mdbook"))
    return FoundSite(site, (file,))


def _quarto(file: Path, project: Path, root: Path) -> FoundSite:
    """Of a website or a book; other projects, such as a presentation, have no pages."""
    tree = read_table(file)
    kind = str(_at(tree, "project", "type") or "")
    address = str(_at(tree, kind, "site-url") or "")
    content = _content(project, root, "") if kind in ("website", "book") else None
    site = PublishedSite("quarto", address.rstrip("/"), _some(content), anchors=AnchorRules("quarto"))
    return FoundSite(site, (file,))


def _gitbook(file: Path, project: Path, root: Path) -> FoundSite:
    """By its configuration; where there is none, by a summary beside the folder in which it keeps pictures."""
    listed = file.name == "SUMMARY.md"
    if listed and not (project / ".gitbook").is_dir():
        return FoundSite(PublishedSite(contents=()), (file,))
    folder = "" if listed else str(read_table(file).get("root") or "")
    content = _content(project / folder.strip("/"), root, "")
    return FoundSite(PublishedSite("gitbook", "", _some(content), anchors=AnchorRules("gitbook")), (file,))


def _hugo(file: Path, project: Path, root: Path) -> FoundSite:
    tree = {key.lower(): value for key, value in read_table(file).items()}
    if "baseurl" not in tree:  # config.toml of something else
        return FoundSite(PublishedSite(contents=()), (file,))
    languages = tree.get("languages") if isinstance(tree.get("languages"), dict) else {}
    usual = str(tree.get("defaultcontentlanguage", "en"))
    in_folder = tree.get("defaultcontentlanguageinsubdir") is True
    folders = [
        (str(one["contentDir"]), "" if name == usual and not in_folder else name)
        for name, one in (languages or {}).items()
        if isinstance(one, dict) and "contentDir" in one
    ]
    folders += [(str(one["source"]), "") for one in _mounts(tree) if one.get("target") == "content"]
    folders = folders or [(str(tree.get("contentdir", "content")), "")]
    found = [_content(project / folder, root, route) for folder, route in folders]
    site = PublishedSite(
        "hugo",
        str(tree["baseurl"]).rstrip("/"),
        tuple(one for one in found if one),
        directory_urls=tree.get("uglyurls") is not True,
        anchors=AnchorRules("hugo"),
    )
    return FoundSite(site, (file,))


def _mounts(tree: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = _at(tree, "module", "mounts")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _jekyll(file: Path, project: Path, root: Path) -> FoundSite:
    tree = read_table(file)
    if (project / "_toc.yml").is_file():  # of Jupyter Book
        return FoundSite(PublishedSite(contents=()), (file,))
    usual = str(tree.get("permalink", "date"))
    pretty = usual == "pretty" or usual.endswith("/")
    end = "/" if pretty else ":output_ext"
    posts = f"/:categories/:year/:month/:day/:title{end}"
    listed = tree.get("collections")
    collections = {"posts": {"output": True}, **(listed if isinstance(listed, dict) else {})}
    contents: list[Content | None] = []
    for name, one in collections.items():
        if isinstance(one, dict) and (one.get("output") is True or name == "posts"):
            pattern = str(one.get("permalink") or (posts if name == "posts" else f"/:collection/:path{end}"))
            pattern = pattern.replace(":collection", name)
            contents.append(_content(project / f"_{name}", root, pattern, "collection"))
    pages = _content(project, root, "", "pages")
    site = PublishedSite(
        "jekyll",
        f"{str(tree.get('url') or '').rstrip('/')}/{str(tree.get('baseurl') or '').strip('/')}".rstrip("/"),
        tuple(one for one in (*contents, pages) if one),
        directory_urls=pretty,
        anchors=AnchorRules("jekyll"),
    )
    hidden = tree.get("exclude")
    return FoundSite(
        site, (file,), _below(pages, [str(one) for one in hidden] if isinstance(hidden, list) else [])
    )


def _some(content: Content | None) -> tuple[Content, ...]:
    return (content,) if content else ()


def _at(tree: Mapping[str, Any], *keys: str) -> Any:
    """What stands at a path of keys; None where nothing does."""
    value: Any = tree
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def read_table(file: Path) -> dict[str, Any]:
    """A configuration of TOML, YAML or JSON.

    Raises:
        SourceError: it is none.
    """
    text = _read(file)
    if file.suffix != ".toml" and is_deep(text):
        raise SourceError(f"{file.name}: nested too deeply to be read", path=str(file))
    try:
        tree = tomllib.loads(text) if file.suffix == ".toml" else yaml.load(text, Loader=_Tagged)  # noqa: S506 (a SafeLoader)
    except (tomllib.TOMLDecodeError, yaml.YAMLError) as error:
        raise SourceError(f"{file.name}: {error}", path=str(file)) from error
    return tree if isinstance(tree, dict) else {}


_HUGO = tuple(
    f"{folder}{name}.{kind}"
    for folder in ("", "config/_default/")
    for name in ("hugo", "config")
    for kind in ("toml", "yaml", "yml", "json")
)
_Read = Callable[[Path, Path, Path], FoundSite]
_READERS: tuple[tuple[tuple[str, ...], _Read], ...] = (
    (tuple(f"docusaurus.config{one}" for one in _SCRIPTS), _docusaurus),
    (tuple(f".vitepress/config{one}" for one in _SCRIPTS), _vitepress),
    (("mkdocs.yml", "mkdocs.yaml"), _mkdocs),
    (("conf.py",), _sphinx),
    (("book.toml",), _mdbook),
    (("_quarto.yml", "_quarto.yaml"), _quarto),
    ((".gitbook.yaml", ".gitbook.yml", "SUMMARY.md"), _gitbook),
    (_HUGO, _hugo),
    (("_config.yml", "_config.yaml"), _jekyll),
)

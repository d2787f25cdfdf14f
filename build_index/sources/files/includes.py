"""Other files that pages take text from, as the generators of their sites do: examples, regions, fragments.

Sources: mdBook's `{{#include}}`; of MkDocs `pymdownx.snippets`, `markdown-include` with its `{!path!}` and
`markdown-include-variants` with its `{* path *}`; VitePress's `<<<` and `@include`; the directives `include` and
`literalinclude` of reStructuredText and Sphinx; AsciiDoc's `include::` with the names that Antora gives to files;
Quarto's `{{< include >}}`.

What is included stands in the page, but for sections of AsciiDoc that are files of their own (`is_section`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from build_index.sources.files.text_files import SKIPPED, folders_above, read_text
from build_index.sources.site_config import FoundSite
from quire.errors import SourceError
from quire.limits import CODE_FILE_BYTES
from quire.parsing.asciidoc_markdown import ASCIIDOC
from quire.parsing.secret_forms import is_secret_name

DEEPEST = 8
"""Files that include each other, one below the other."""
_MARKDOWN = re.compile(
    r"""
    ^[ \t>]*+(?P<written>
      \{\{\#(?:include|rustdoc_include|playground)[ \t]++(?P<mdbook>[^\s}:]++)(?::(?P<part>[\w:.-]++))?+[^}\n]*+\}\}
    | -{1,20}+8<-{1,20}+[ \t]++["'](?P<snippet>[^"'\s:;]++)(?::(?P<section>[\w:.-]++))?+["']
    | <!--[ \t]*+@include:[ \t]*+(?P<page>[^\s{}\#]++)(?:\{(?P<rows>[\d,]*+)\})?+[ \t]*+-->
    | \{\*[ \t]++(?P<variant>[^\s*{}]++)(?:[ \t]++ln\\?\[(?P<ln>[\d:,]*+)\])?+[^}\n]*?\*\}
    | \{!>?[ \t]*+(?P<bang>[^\s!{}]++)[ \t]*+!\}
    | include::(?P<adoc>[^\s\[\]]++)\[(?P<given>[^\]\n]*+)\]
    | \{\{<[ \t]*+include[ \t]++(?P<quarto>[^\s<>{}"']++)[ \t]*+>\}\}
    | <<<[ \t]*+(?P<code>[^\s{}\#\[]++)(?:\#(?P<region>[\w*.-]++))?+[^\n]*+
    )[ \t]*+$
    """,
    re.MULTILINE | re.VERBOSE,
)
_DIRECTIVE = re.compile(r"^[ \t]*\.\. (?:literal)?include::[ \t]+([^\s<>]+)[ \t]*$", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^:(\w[\w-]{0,80}):[ \t]++(\S[^\n]*+)", re.MULTILINE)
_NAMED = re.compile(r"\{(\w[\w-]{0,80})\}")
"""A part of a path that the page sets above: `:code: ../src`, and `include::{code}/oar.c[]`."""
_GIVEN = re.compile(r"(tags?|lines|leveloffset)\s*+=\s*+\"?([^\"\s]++)")
_RESOURCE = re.compile(
    r"""
    (?:(?P<module>[\w.-]++):)?+                     # else the page's own
    (?P<family>partial|example|page|attachment)\$(?P<path>.++)
    """,
    re.VERBOSE,
)
"""A file of a component of Antora: `module:partial$path`."""
SECTION = 1_500
"""Characters from which on a section of AsciiDoc in a file of its own is cited by that file's lines."""
_BEGINS_WITH_HEADING = re.compile(
    r"""
    (?: (?:
        | :!?\w[^\n]*+                           # an attribute
        | //[^\n]*+                              # a comment
        | \[[^\n]*+ | \(\(\([^\n]*+             # what a block is, an entry of the index
        | (?:ifn?def|ifeval|endif|include)::[^\n]*+
    ) [ \t]*+ \n )*+
    =++[ \t]
    """,
    re.VERBOSE,
)
_ASCIIDOC_HEADING = re.compile(r"^(?==+[ \t])", re.MULTILINE)
IMPORT = re.compile(r"^import\s+\w+\s+from\s*['\"]([^'\"\n]+\.mdx?)['\"]", re.MULTILINE)
"""A page of MDX imports another."""
_PAGE = re.compile(r"^include::([^\s\[\]{}]+\.(?:adoc|asciidoc|asc))\[", re.MULTILINE)
_QUARTO_PAGE = re.compile(r"^\{\{<[ \t]*include[ \t]+([^\s<>{}\"']+)[ \t]*>\}\}", re.MULTILINE)
_ROWS = re.compile(r"(\d*)(?:([:,])(\d*))?")
_MARK = re.compile(
    r"""
    (?P<begins>ANCHOR:[ \t]*|\[start:[ \t]*|\#?region[ \t]+|\btag::) (?P<name>[\w*.-]+)
    | (?:ANCHOR_END:[ \t]*|\[end:[ \t]*|\#?endregion\b[ \t]*|\bend::) (?P<ended>[\w*.-]*)
    """,
    re.VERBOSE,
)


class Fragment(NamedTuple):
    """A file that a page includes and that is no page itself; `path` is relative to the source, with `..` above it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class IncludedFiles:
    """What pages below a folder may include.

    Attributes:
        root: the source.
        bound: nothing outside of it is read: the repository or the site's project, else the source.
        bases: where a path may begin beside the page's own folder.
        included: what each file includes that was looked at, so that none is read again for every page.
    """

    root: Path
    bound: Path
    bases: tuple[Path, ...] = ()
    included: dict[Path, tuple[Path, ...]] = field(default_factory=dict)

    def in_place(self, path: str, text: str) -> Mapping[str, str]:
        """What stands in a page of Markdown for each line that includes a file; a line without its file stays."""
        return dict(self._in_place(self.root / path, text, DEEPEST, {}))

    def _in_place(
        self, page: Path, text: str, depth: int, known: dict[tuple[Path, str], str]
    ) -> Iterator[tuple[str, str]]:
        """The lines and their texts; `known` holds what was read for this page, each part of a file once."""
        every = _MARKDOWN.finditer(text) if depth and _may_include(text) else ()
        names = dict(_ATTRIBUTE.findall(text)) if "include::{" in text else {}
        for written, found in {one["written"]: one for one in every}.items():
            file = self._found(page, _NAMED.sub(lambda one: names.get(one[1], one[0]), _target(found)))
            if file is None:
                continue
            if found["adoc"] and not _takes_part(found["given"]) and self.is_section(file):
                yield written, ""
                continue
            parts = (found[one] for one in ("part", "section", "rows", "region", "ln", "given"))
            chosen = next(filter(None, parts), "")
            if (file, chosen) not in known:
                known[file, chosen] = ""  # where a file includes itself
                text = self._read(file)
                part = _given_lines(text, chosen) if found["adoc"] else select_lines(text, chosen)
                known[file, chosen] = _filled(part, dict(self._in_place(file, part, depth - 1, known)))
            shown = known[file, chosen]
            is_code = found["code"] or found["variant"]
            if shown:  # what cannot be read, or is too large, leaves its line for readers to see
                yield written, f"```{file.suffix[1:]}\n{shown}\n```" if is_code else shown

    def fragments(self, path: str, text: str) -> Iterator[Fragment]:
        """Files that a page of reStructuredText includes, those that they include behind them."""
        for one in self.fragment_paths(path, text):
            yield Fragment(one, self._read(Path(os.path.normpath(self.root / one))))

    def fragment_paths(self, path: str, text: str) -> Iterator[str]:
        """Their paths, relative to the source."""
        waiting = list(self._targets(self.root / path, text)) if _is_rst(path) else []
        seen: set[Path] = set()
        while waiting:
            file = waiting.pop(0)
            if file in seen:
                continue
            seen.add(file)
            yield PurePosixPath(os.path.relpath(file, self.root)).as_posix()
            if file not in self.included:
                self.included[file] = tuple(self._targets(file, self._read(file)))
            waiting += self.included[file]

    def _targets(self, page: Path, text: str) -> Iterator[Path]:
        for target in dict.fromkeys(_DIRECTIVE.findall(text)) if "include::" in text else ():
            file = self._found(page, target)
            if file is not None:
                yield file

    def imported(self, path: str, text: str) -> Iterator[str]:
        """Paths of the pages of MDX that a page imports, and of those of AsciiDoc and Quarto that it includes."""
        targets = IMPORT.findall(text) if "import" in text else []
        targets += _PAGE.findall(text) if "include::" in text else []
        targets += _QUARTO_PAGE.findall(text) if "{{<" in text else []
        for target in targets:
            file = self._found(self.root / path, target)
            if file and file.is_relative_to(self.root):
                yield file.relative_to(self.root).as_posix()

    def is_section(self, file: Path) -> bool:
        """Whether a file of AsciiDoc that pages include has a heading, and is long or includes files itself, as
        sections and chapters of books do.

        Such a file is a page of its own at its owner's address, so that it is cited by its own lines. Where no page is
        read (`.hidden/`), what is included stands in the page that includes it.
        """
        if not file.name.lower().endswith(ASCIIDOC) or not file.is_relative_to(self.root):
            return False
        if any(one.startswith(".") or one in SKIPPED for one in file.relative_to(self.root).parts):
            return False
        text = self._read(file)
        is_long = len(text) > SECTION or "\ninclude::" in text
        return is_long and bool(_BEGINS_WITH_HEADING.match(text))

    def outside(self, path: str, text: str) -> Iterator[Path]:
        """Files outside the source that a page includes: a build is another one when they change."""
        if _is_rst(path):
            paths = (one for one in self.fragment_paths(path, text) if one.startswith("../"))
            yield from (Path(os.path.normpath(self.root / one)) for one in paths)
        elif _may_include(text):
            files = (self._found(self.root / path, _target(one)) for one in _MARKDOWN.finditer(text))
            yield from (file for file in files if file and not file.is_relative_to(self.root))

    def _found(self, page: Path, target: str) -> Path | None:
        """The file that is meant; None where there is none, or none that may be read."""
        if resource := _RESOURCE.fullmatch(target):
            return self._found_resource(page, resource)
        rooted = target.startswith(("/", "@/", "@site/"))
        inner = re.sub(r"^@(?:site)?/", "", target).lstrip("/")
        for base in (*self.bases, self.root) if rooted else (page.parent, *self.bases, self.root):
            file = Path(os.path.normpath(base / inner))
            if file.is_relative_to(self.bound) and file.is_file():
                return self._public(file)
        return None

    def _found_resource(self, page: Path, resource: re.Match[str]) -> Path | None:
        """A file of Antora: of the module that is named, else of the page's own."""
        modules = next((one for one in page.parents if one.name == "modules"), None)
        if modules is None:
            return None
        module = resource["module"] or page.relative_to(modules).parts[0]
        file = Path(os.path.normpath(modules / module / f"{resource['family']}s" / resource["path"]))
        return self._public(file) if file.is_file() else None

    def _public(self, file: Path) -> Path | None:
        """The file, where it lies in what may be read and is none with keys or passwords."""
        is_within = file.is_relative_to(self.bound)
        return file if is_within and not is_secret_name(file.relative_to(self.bound).as_posix()) else None

    def _read(self, file: Path) -> str:
        """The text of a file; "" for what is none, or too large to be an example."""
        try:
            text = read_text(self.bound, file.relative_to(self.bound).as_posix())
        except SourceError:  # a picture, or a link out of the project: a page may name what it likes
            return ""
        return text.replace("\r\n", "\n") if len(text) <= CODE_FILE_BYTES else ""


def included_files(root: Path, site: FoundSite) -> IncludedFiles:
    """What the pages below a source may include, by the site that shows them and the repository that holds it."""
    root = root.resolve()
    project = [one.parent.parent if one.parent.name == ".vitepress" else one.parent for one in site.files[:1]]
    above = list(folders_above(root))
    repository = [above[-1]] if (above[-1] / ".git").exists() else []
    bound = next((one for one in (*repository, *project) if root.is_relative_to(one)), root)
    return IncludedFiles(root, bound, tuple(project))


def _is_rst(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() == ".rst"


def _target(found: re.Match[str]) -> str:
    kinds = ("mdbook", "snippet", "page", "code", "variant", "bang", "adoc", "quarto")
    return next(found[one] for one in kinds if found[one])


def _takes_part(given: str) -> bool:
    """Whether an `include::` of AsciiDoc takes a part of the file alone."""
    return any(name != "leveloffset" for name, _ in _GIVEN.findall(given))


def _filled(text: str, inner: Mapping[str, str]) -> str:
    """The text with what its own lines include; nothing where that is no example any more."""
    lines = [inner.get(line.strip(), line) for line in text.split("\n")]
    return "\n".join(lines) if sum(map(len, lines)) <= CODE_FILE_BYTES else ""


def _may_include(text: str) -> bool:
    return any(sign in text for sign in ("{{#", "{{<", "8<-", "@include", "<<<", "{*", "{!", "include::"))


def _given_lines(text: str, given: str) -> str:
    """What an `include::` of AsciiDoc takes of a file: `tags=a;b`, `lines=1..3;7`, deeper headings by `leveloffset`."""
    said = dict(_GIVEN.findall(given))
    tags = [
        one
        for one in re.split("[;,]", said.get("tags") or said.get("tag") or "")
        if one[:1] not in ("!", "*", "")
    ]
    runs = [one.replace("..", ":") for one in re.split("[;,]", said.get("lines", "")) if one]
    text = "\n".join(select_lines(text, one) for one in tags or runs or [""])
    return (
        _ASCIIDOC_HEADING.sub("=" * min(int(said["leveloffset"][1:]), 5), text) if _is_offset(said) else text
    )


def _is_offset(said: Mapping[str, str]) -> bool:
    offset = said.get("leveloffset", "")
    return offset.startswith("+") and offset[1:].isdecimal()


def select_lines(text: str, chosen: str) -> str:
    """The chosen part of a file, without the marks of parts: `2:10`, `2,10`, `5`, `1:3,7:9`, or a marked region's name.

    >>> select_lines("a\\n// ANCHOR: it\\nb\\n// ANCHOR_END: it\\nc\\n", "it"), select_lines("a\\nb\\nc\\n", "2:3")
    ('b', 'b\\nc')
    """
    lines = text.rstrip("\n").split("\n")
    runs = [_ROWS.fullmatch(one) for one in (chosen.split(",") if ":" in chosen else [chosen])]
    if chosen and all(runs):
        lines = [line for rows in runs if rows for line in _rows(lines, rows)]
    elif chosen:
        lines = list(_region(lines, chosen))
    return "\n".join(line for line in lines if not _is_mark(line))


def _rows(lines: list[str], rows: re.Match[str]) -> list[str]:
    first = int(rows[1] or 1)
    last = int(rows[3] or len(lines)) if rows[2] else first
    return lines[first - 1 : last]


def _is_mark(line: str) -> bool:
    return any(one in line for one in ("ANCHOR", "8<-", "region", "tag::", "end::")) and bool(
        _MARK.search(line)
    )


def _region(lines: list[str], name: str) -> Iterator[str]:
    inside = False
    for line in lines:
        mark = _MARK.search(line) if _is_mark(line) else None
        if mark and mark["name"] == name:
            inside = True
        elif mark and inside and mark["ended"] in (name, "") and not mark["begins"]:
            return
        elif inside:
            yield line

"""Markdown and MDX files as pages: sections and blocks that remember their lines in the original file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from quire.documents import NOTHING, AnchorRules
from quire.errors import SourceError
from quire.limits import DOCUMENT_FILE_BYTES
from quire.parsing.anchors import github_slug, heading_anchors, raw_heading
from quire.parsing.asciidoc_markdown import ASCIIDOC, as_markdown
from quire.parsing.blocks import read_blocks
from quire.parsing.contents import without_contents
from quire.parsing.front_matter import FrontMatter, read_front_matter
from quire.parsing.html import on_tag, without_indent
from quire.parsing.inline import make_part, normal_line
from quire.parsing.latex_markdown import LATEX, latex_as_markdown
from quire.parsing.man_page import is_man_page, man_as_markdown
from quire.parsing.marimo import is_marimo, marimo_as_markdown
from quire.parsing.markup import clean_markup, looks_mdx, without_code
from quire.parsing.myst import plain_directives
from quire.parsing.page import Block, Page, Section, moved_to, with_lines
from quire.parsing.python_markdown import plain_blocks
from quire.parsing.quarto import QUARTO, plain_quarto
from quire.parsing.scan import MARKS, Dialect, Insert, MarkupScan
from quire.parsing.template_tags import without_template_tags
from quire.parsing.wiki import SIGNS
from quire.parsing.yaml_text import is_yaml_text, yaml_as_markdown

LIKE_GITHUB = frozenset(("plain", "gitbook", "mdbook", "hugo", "jekyll"))
"""Generators that make fragments as GitHub does."""
_H1 = re.compile(
    r"""
    ^[ ]{0,3}\#[ \t]+\S.*$
    | (?:\A\n*|(?<=\n\n))(?![ \t>#|=-])[^\n]{1,200}\n[ ]{0,3}={2,}[ \t]*$  # a line of its own that is underlined
    """,
    re.MULTILINE | re.VERBOSE,
)
_LOWER_HEADING = re.compile(r"#{2,6}[ \t]+\S.*")
# What may stand above a page's own heading; a heading of level 1 further down is one of its parts.
_PREAMBLE = re.compile(
    r"""
    (?: \s*+(?: (?:import|export)\b[^\n]*+\n
      | <!--(?>.*?-->)     # a comment of HTML
      | \{/\*(?>.*?\*/\})  # a comment of JSX
    ))*+\s*+
    """,
    re.DOTALL | re.VERBOSE,
)


def dialect_of(
    path: str, text: str, *, site: bool = False, references: bool = False, wiki: bool = False
) -> Dialect:
    """How a file is written, as its name and text tell.

    Args:
        path: its name decides whether it is MDX.
        text: the file's.
        site: its site compiles `.md` files as MDX too.
        references: whether code spans may be cross references.
        wiki: it lies among notes that link as wikis do.
    """
    if (
        path.lower().endswith((*ASCIIDOC, *LATEX, *QUARTO))
        or is_man_page(path, text)
        or is_yaml_text(path, text)
        or is_marimo(path, text)
    ):
        return Dialect()
    if path.endswith(".mdx"):
        return Dialect(mdx=True, strict="all", references=references)
    if site:
        return Dialect(mdx=True, strict="components", references=references)
    is_wiki = wiki or ("[[" in text and bool(SIGNS.search(without_code(text))))
    return Dialect(mdx=looks_mdx(text), references=references, wiki=is_wiki)


def parse_markdown(
    text: str,
    path: str = "",
    dialect: Dialect | None = None,
    includes: Mapping[str, str] | None = None,
    *,
    anchors: AnchorRules | None = None,
    links: Mapping[str, str] = NOTHING,
) -> Page:
    """Parse a whole file of Markdown, or of what is made Markdown first.

    Args:
        text: the file's.
        path: what errors name.
        dialect: how it is written; by default as its name and text tell.
        includes: texts of the files that it imports, by the path as it is written; and what stands in the page for a
            line that includes a file, by that line.
        anchors: how its site makes fragments of headings.
        links: addresses of pages that it links to, by the target as it is written, titles of what MyST refers to,
            and what AsciiDoc's attributes stand for.

    Raises:
        SourceError: front matter, a tag, a code block or an expression is malformed; it names file and line.
    """
    dialect = dialect or dialect_of(path, text)
    rules = anchors or AnchorRules()
    text, lines = _with_included(without_template_tags(_plain(text), rules.generator), includes or {}, path)
    if made := _made_markdown(text, path, links):
        text, numbers = made
        lines = [lines[number - 1] for number in numbers] if lines else numbers
    elif path.lower().endswith(QUARTO):
        text = plain_quarto(text)
    else:
        text = plain_blocks(text, everywhere=rules.generator == "mkdocs")
        text = plain_directives(text, everywhere=rules.generator == "sphinx", titles=links)
    text = without_contents(text)
    head = read_front_matter(text, path)
    if not dialect.mdx and "<" in text:
        text = without_indent(text)
    sections = _sections(MarkupScan(_masked(text, head), path, dialect, includes or {}, links=links))
    if not sections or sections[0].level != 1:
        sections = _titled(sections, head)
    sections = _described(sections, head)
    title = next((section.heading for section in sections if section.level == 1), head.string("title"))
    # Names that a note has beside its own; those of Hugo are addresses.
    names = [one for one in _listed(head, "aliases") if "/" not in one]
    anchored = _anchored(sections, text, rules)
    return Page(
        title=title or (sections[0].heading if sections and sections[0].level else ""),
        keywords=(*_listed(head, "keywords"), *names),
        sections=tuple(with_lines(one, lines) for one in anchored) if lines else tuple(anchored),
    )


def _listed(head: FrontMatter, key: str) -> tuple[str, ...]:
    said = head.values.get(key, ())
    return said if isinstance(said, tuple) else tuple(filter(None, said.split(", ")))


def _made_markdown(text: str, path: str, links: Mapping[str, str]) -> tuple[str, Sequence[int]] | None:
    """Another markup as Markdown with the line that each of its lines stands on; None for what is Markdown."""
    if path.lower().endswith(ASCIIDOC):
        return as_markdown(text, {name[1:-1]: said for name, said in links.items() if name[0] == "{"})
    if path.lower().endswith(LATEX):
        return latex_as_markdown(text)
    if is_yaml_text(path, text):
        return yaml_as_markdown(text)
    if is_marimo(path, text):
        return marimo_as_markdown(text)
    return man_as_markdown(text) if is_man_page(path, text) else None


def _with_included(text: str, includes: Mapping[str, str], path: str) -> tuple[str, Sequence[int]]:
    """The text with what is included in place of the lines that say so; of each line, the one that it stands on.

    Where nothing is included the lines are empty.

    Raises:
        SourceError: it includes more than a page may hold.
    """
    if not any(written in text for written in includes):
        return text, ()
    shown: list[str] = []
    numbers: list[int] = []
    room = DOCUMENT_FILE_BYTES
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip().lstrip("> \t")
        indent = line[: line.find(bare)] if bare in includes else ""
        added = [indent + one for one in includes[bare].split("\n")] if bare in includes else [line]
        room -= sum(map(len, added)) if bare in includes else 0
        if room < 0:
            raise SourceError(
                f"{path}:{number}: includes more than {DOCUMENT_FILE_BYTES:,} characters", path=path
            )
        shown += added
        numbers += [number] * len(added)
    return "\n".join(shown), numbers if len(shown) > numbers[-1] else ()


def _plain(text: str) -> str:
    """The text with `\\n` alone between lines: a lone `\\r` ends no line, as editors count them."""
    return text.replace("\r\n", "\n").replace("\r", " ").lstrip("\ufeff")


def page_title(text: str, path: str = "") -> str:
    """The title that `parse_markdown` would give, without parsing the page; "" where there is none.

    Raises:
        SourceError: the front matter is malformed.
    """
    text = _plain(text)
    if made := _made_markdown(text, path, NOTHING):
        text = made[0]
    elif path.lower().endswith(QUARTO):
        text = plain_quarto(text)
    head = read_front_matter(text, path)
    body = without_code("".join(text.split("\n", head.end_line)[head.end_line :]) if head.end_line else text)
    heading, titled = _H1.search(body), normal_line(head.string("title"))
    if not heading and not titled:
        opening = _PREAMBLE.match(body)
        heading = _LOWER_HEADING.match(body, opening.end() if opening else 0)
    if not heading or (titled and not _PREAMBLE.fullmatch(body[: heading.start()])):
        return titled
    sections = _sections(MarkupScan(heading[0], path, Dialect()))
    return sections[0].heading if sections else ""


def _masked(text: str, head: FrontMatter) -> str:
    """The text with its front matter's lines empty."""
    if not text.isascii():
        text = MARKS.sub("", text)
    if not head.end_line:
        return text
    return "\n" * head.end_line + "".join(text.split("\n", head.end_line)[head.end_line :])


def _titled(sections: list[Section], head: FrontMatter) -> list[Section]:
    """Put the front matter's title where a page without a heading of level 1 shows it: above everything."""
    title = normal_line(head.string("title"))
    if not title:
        return sections
    above = sections[0].blocks if sections and not sections[0].level else ()
    rest = sections[1:] if sections and not sections[0].level else sections
    return [Section(title, 1, head.lines["title"], blocks=above), *rest]


def _described(sections: list[Section], head: FrontMatter) -> list[Section]:
    part = make_part(head.string("description").replace("\n", " "), head.lines.get("description", 1))
    if not part or _opens_with(sections, part.text):
        return sections
    block = Block("paragraph", (part,))
    if not sections or sections[0].level > 1:
        return [Section("", 0, part.start_line, blocks=(block,)), *sections]
    return [replace(sections[0], blocks=(block, *sections[0].blocks)), *sections[1:]]


def _opens_with(sections: list[Section], text: str) -> bool:
    """Whether the page's first words are these: many pages begin with their description."""
    opening = next((one for section in sections for one in section.blocks), None)
    return opening is not None and opening.text.startswith(text)


def _anchored(sections: list[Section], text: str, rules: AnchorRules) -> Iterator[Section]:
    """Give each heading the fragment that its page shows it under."""
    if rules.generator in LIKE_GITHUB:
        yield from _numbered(sections)
        return
    lines = text.split("\n")
    titled = [one for one in sections if one.level]
    raw = [raw_heading(lines, one.line) for one in titled]
    anchors = heading_anchors(raw, rules)
    yield from (replace(one, anchor=next(anchors) if one.level else "") for one in sections)


def _numbered(sections: list[Section]) -> Iterator[Section]:
    """Fragments as most renderers make them: lower case, hyphens, `-1` when taken."""
    seen: dict[str, int] = {}
    for section in sections:
        anchor = section.anchor or github_slug(section.heading.strip())
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        anchor = f"{anchor}-{count}" if count else anchor
        yield section if anchor == section.anchor else replace(section, anchor=anchor)


def _sections(scan: MarkupScan) -> list[Section]:
    dialect = scan.dialect
    reader = read_blocks(
        clean_markup(scan, on_tag), scan.inserts, scan.links, indented_code=not dialect.mdx, wiki=dialect.wiki
    )
    sections, opened, blocks = list[Section](), Section("", 0, 1), list[Block]()
    for item in _included(reader, scan):
        if isinstance(item, Block):
            blocks.append(item)
            continue
        sections.append(replace(opened, blocks=tuple(blocks)) if blocks else opened)
        opened, blocks = item, []
    sections.append(replace(opened, blocks=tuple(blocks)) if blocks else opened)
    return sections if sections[0].blocks else sections[1:]


def _included(flow: Iterator[Section | Block | Insert], scan: MarkupScan) -> Iterator[Section | Block]:
    """The flow with every included file in its place, all of it on the line that includes it."""
    for item in flow:
        if not isinstance(item, Insert):
            yield item
            continue
        text = scan.includes[item.text]
        rest = {path: other for path, other in scan.includes.items() if path != item.text}
        head = read_front_matter(text, item.text)
        for section in _sections(MarkupScan(_masked(text, head), item.text, scan.dialect, rest, item.props)):
            moved = moved_to(section, item.line)
            if moved.level:
                yield replace(moved, blocks=())
            yield from moved.blocks

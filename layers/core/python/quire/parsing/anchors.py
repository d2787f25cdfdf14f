"""The fragments that documentation generators give to headings: each its own way, and each its own way of twins.

Sources: github-slugger (Docusaurus), `@mdit-vue/shared` with markdown-it-anchor (VitePress), `markdown.extensions.toc`
(MkDocs), `docutils.nodes.make_id` (Sphinx) and Pandoc's manual (Quarto). Tests hold the first four against sites that
the generators themselves built.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from html import unescape
from typing import NamedTuple

from markdown_it import MarkdownIt

from quire.documents import AnchorRules
from quire.parsing.inline import without_open_brackets

_ATX = re.compile(r"#{1,6}(?:[ \t]++|(?=[^#\s]))(.*)$")
_HTML_HEADING = re.compile(r"<h[1-6]\b([^<>]*+)>", re.IGNORECASE)
_HTML_ID = re.compile(r"""\bid\s*=\s*["']?([^"'\s>]+)""")
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t]*$")
_BRACED_ID = re.compile(r"(?<!\s)\s*+\\?\{#((?:(?!\{#|\}).)+)\}$")
_COMMENT_ID = re.compile(r"(?<!\s)\s*+(?:\{/\*|<!--)\s*+#(\S{1,100}?)\s*+(?:\*/\}|-->)$")
_ATTRIBUTES = re.compile(r"(?<![ \t])[ \t]*+\{:?[ \t]*+([^{}\n]*[^{}\s])[ \t]*\}[ \t]*$")
_ATTRIBUTE_ID = re.compile(r"(?:^|\s)#([^\s.#}]+)")
_EMOJI = re.compile(r":[a-z0-9_+-]+:")
_COUNTED = re.compile(r"(.*)_(\d+)$")
_SPECIAL = re.compile(r"""[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:"'“”‘’<>,.?/]+""")
_ROLE = re.compile(r"\{[\w:.+-]+\}(?=`)")
_KEPT = frozenset(("Nd", "Nl", "Pc"))
# Letters that have no decomposition, with what docutils writes for them.
_DOCUTILS_LETTERS = str.maketrans(
    "\u00f8\u0111\u0127\u0131\u0142\u0167\u0180\u0183\u0188\u018c\u0192\u0199\u019a\u019e\u01a5\u01ab"
    "\u01ad\u01b4\u01b6\u01e5\u0225\u0234\u0235\u0236\u0237\u023c\u023f\u0240\u0247\u0249\u024b\u024d"
    "\u024f",
    "odhiltbbcdfklnpttyzgzlntjcszejqry",
)
_DOCUTILS_PAIRS = {"\u00df": "sz", "\u00e6": "ae", "\u0153": "oe", "\u0238": "db", "\u0239": "qp"}


class RawHeading(NamedTuple):
    """A heading as its file writes it. `html_id`: the id of an HTML heading; None where it is none."""

    text: str
    html_id: str | None = None


def raw_heading(lines: Sequence[str], line: int) -> RawHeading | None:
    """The heading that stands on a line, counted from 1; None where none does.

    >>> raw_heading(["## Install `it` {#install} ##"], 1)
    RawHeading(text='Install `it` {#install}', html_id=None)
    """
    if not 0 < line <= len(lines):
        return None
    written = lines[line - 1].lstrip(" \t>")
    atx = _ATX.match(written)
    if atx:
        return RawHeading(_unclosed(atx[1].rstrip(" \t")).strip())
    tag = _HTML_HEADING.match(written)
    if tag:
        found = _HTML_ID.search(tag[1])
        return RawHeading("", found[1] if found else "")
    underlined = line < len(lines) and _UNDERLINE.match(lines[line])
    return RawHeading(written.strip()) if underlined else None


def _unclosed(text: str) -> str:
    """The text of a heading without the hashes that may close it."""
    bare = text.rstrip("#")
    return bare if bare[-1:] in (" ", "\t") else text


def heading_anchors(headings: Sequence[RawHeading | None], rules: AnchorRules) -> Iterator[str]:
    """The fragment of each heading of a page, all of them in order; "" for one that the generator gives none.

    None stands for a heading that the page's own file does not hold, such as its title in the front matter.
    """
    texts = [one.text for one in headings if one is not None and one.html_id is None]
    anchors = _STYLES[rules.generator](texts, rules)
    for heading in headings:
        if heading is None:
            yield ""
        else:
            yield next(anchors) if heading.html_id is None else heading.html_id


def github_slug(text: str) -> str:
    """As github-slugger makes it.

    >>> github_slug("What's `Part.Touched` for?")
    'whats-parttouched-for'
    """
    lower = text.lower()
    if lower.isascii():
        return re.sub(r"[^\w\- ]", "", lower).replace(" ", "-")
    return "".join(letter for letter in lower if _is_kept(letter)).replace(" ", "-")


def _is_kept(letter: str) -> bool:
    category = unicodedata.category(letter)
    return letter in "- " or category[0] in "LM" or category in _KEPT


def vitepress_slug(text: str) -> str:
    """As VitePress makes it.

    >>> vitepress_slug("1. What's `new` in Ångström?")
    '_1-what-s-new-in-angstrom'
    """
    plain = re.sub("[\u0300-\u036f\0-\x1f]", "", unicodedata.normalize("NFKD", text))
    joined = re.sub(r"-{2,}", "-", _SPECIAL.sub("-", plain)).strip("-")
    return re.sub(r"^(\d)", r"_\1", joined).lower()


def markdown_slug(text: str, rules: AnchorRules) -> str:
    """As Python-Markdown's `toc` makes it, or the slugs that MkDocs sites choose in its place.

    >>> markdown_slug("What's C++ / C#?", AnchorRules("mkdocs"))
    'whats-c-c'
    """
    if rules.slugify.startswith("pymdownx"):
        kept = re.sub(r"[^\w\- ]", "", unicodedata.normalize("NFC", text).strip())
        cased = kept.lower() if rules.slugify.endswith("lower") else kept
        return cased.replace(" ", rules.separator)
    if rules.slugify != "unicode":
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    kept = re.sub(r"[^\w\s-]", "", text).strip().lower()
    return re.sub(rf"[{re.escape(rules.separator)}\s]+", rules.separator, kept)


def docutils_id(text: str) -> str:
    """As `docutils.nodes.make_id` makes it; "" where nothing is left.

    >>> docutils_id("2.1 Größe & more")
    'grosze-more'
    """
    lower = text.lower().translate(_DOCUTILS_LETTERS)
    for letter, pair in _DOCUTILS_PAIRS.items():
        lower = lower.replace(letter, pair)
    plain = unicodedata.normalize("NFKD", lower).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"^[-0-9]+|-+$", "", re.sub(r"[^a-z0-9]+", "-", " ".join(plain.split())))


class DocutilsIds:
    """Gives ids of one document, in its order: one that is taken, or empty, is numbered."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._number = 0

    def take(self, name: str) -> str:
        """The id of the next thing with a name; "" for one without."""
        found = docutils_id(name)
        while not found or found in self._taken:
            self._number += 1
            found = f"id{self._number}"
        self._taken.add(found)
        return found


def _docusaurus(texts: Sequence[str], _: AnchorRules) -> Iterator[str]:
    slugger = _Slugger()
    for written in texts:
        found = _COMMENT_ID.search(written)
        text = "" if found else shown_text(written)
        found = found or _BRACED_ID.search(text)
        yield found[1].strip() if found else slugger.slug(text)


class _Slugger:
    """github-slugger's way of twins: each is numbered, past what a heading of that very name took."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """The slug of the next heading."""
        wanted = found = github_slug(text)
        while found in self._seen:
            self._seen[wanted] += 1
            found = f"{wanted}-{self._seen[wanted]}"
        self._seen[found] = 0
        return found


def _vitepress(texts: Sequence[str], _: AnchorRules) -> Iterator[str]:
    taken: set[str] = set()
    for written in texts:
        name, text = _split_attributes(written)
        base = name or vitepress_slug(shown_text(_EMOJI.sub("", text), images=False))
        yield _untaken(base, taken)


def _split_attributes(text: str) -> tuple[str, str]:
    """The id that the attributes at a heading's end give it, "" without one; and the text before them."""
    attributes = _ATTRIBUTES.search(text)
    if not attributes:
        return "", text
    named = _ATTRIBUTE_ID.search(attributes[1])
    return (named[1] if named else ""), text[: attributes.start()]


def _untaken(base: str, taken: set[str]) -> str:
    """The base, or with the first number that makes it a name of its own; it is taken from now on."""
    found, number = base, 0
    while found in taken:
        number += 1
        found = f"{base}-{number}"
    taken.add(found)
    return found


def _mkdocs(texts: Sequence[str], rules: AnchorRules) -> Iterator[str]:
    read = [_split_attributes(text) if rules.attributes else ("", text) for text in texts]
    taken = {name for name, _ in read if name}
    for name, text in read:
        found = name or _counted(markdown_slug(shown_text(text, images=False), rules), taken)
        taken.add(found)
        yield found


def _counted(slug: str, taken: set[str]) -> str:
    """Python-Markdown's way of twins: `_1`, `_2`, ...; a name that ends so already counts on."""
    while slug in taken or not slug:
        counted = _COUNTED.match(slug)
        slug = f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{slug}_1"
    return slug


def _sphinx(texts: Sequence[str], _: AnchorRules) -> Iterator[str]:
    ids = DocutilsIds()
    return (ids.take(shown_text(_ROLE.sub("", text))) for text in texts)


def shown_text(text: str, *, images: bool = True) -> str:
    """The text of inline Markdown as a page shows it: no marks, no tags; `images`: with what stands for images.

    >>> shown_text("The **`Part`** [class](part.md) &amp; <b>more</b>")
    'The Part class & more'
    """
    if text.isalnum():
        return text
    pieces: list[str] = []
    for token in _inline().parseInline(text)[0].children or ():
        if token.type in ("text", "text_special", "code_inline"):
            pieces.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
        elif token.type == "image" and images:
            pieces.append(unescape(token.content))
    return "".join(pieces).strip()


@cache
def _inline() -> MarkdownIt:
    return without_open_brackets(MarkdownIt("commonmark", {"html": True}).enable("strikethrough"))


def pandoc_identifier(text: str) -> str:
    """As Pandoc's `auto_identifiers` makes it; "" where nothing is left.

    >>> pandoc_identifier("2.1 What's `new` in v3.0?")
    'whats-new-in-v3.0'
    """
    kept = re.sub(r"[^\w\s.-]", "", text.lower())
    return re.sub(r"^[\W\d_]+", "", re.sub(r"\s+", "-", kept.strip()))


def _quarto(texts: Sequence[str], _: AnchorRules) -> Iterator[str]:
    taken: set[str] = set()
    for written in texts:
        name, text = _split_attributes(written)
        base = name or pandoc_identifier(shown_text(text, images=False)) or "section"
        yield _untaken(base, taken)


_STYLES: Mapping[str, Callable[[Sequence[str], AnchorRules], Iterator[str]]] = {
    "docusaurus": _docusaurus,
    "mkdocs": _mkdocs,
    "quarto": _quarto,
    "sphinx": _sphinx,
    "vitepress": _vitepress,
}

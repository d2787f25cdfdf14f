"""HTML and JSX tags: reading one, and what each element means for the text around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from quire.parsing.javascript import (
    OF_TABLES,
    TECHNICAL,
    VISIBLE,
    expression_end,
    is_code_attribute,
    is_code_name,
    is_shown,
    quoted_values,
)

# Elements that stand inside a line: their tags vanish and break nothing.
INLINE = frozenset(
    "a abbr b bdi big cite code data del dfn em font i img ins kbd label link mark q s samp small span strong sub sup "
    "time tt u var wbr input".split()
)
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
DROPPED = frozenset("script style noscript svg".split())
BLOCK = frozenset(
    "address article aside audio blockquote body button caption center colgroup dd details dialog div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header html iframe li main menu nav object ol optgroup "
    "option p picture pre section select summary table tbody td template textarea tfoot th thead title tr ul "
    "video canvas math".split()
)
KNOWN = INLINE | VOID | DROPPED | BLOCK
CELLS = frozenset(("td", "th"))
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

_BARE = re.compile(r"<(/?)([A-Za-z][\w.-]*)\s*(/?)>")
_NAME = re.compile(r"<(/?)(?:([A-Za-z][\w.-]*)(?=[\s/>])|(?=>))")
_ATTRIBUTE = re.compile(
    r"""
    \s*([A-Za-z_:@][\w:@.-]*)
    (?:\s*=\s*( "[^"]*" | '[^']*' | [^\s"'{}<>`=]+
    | (?=\{)  # an expression, which is read apart
    ))?
    """,
    re.VERBOSE,
)
_END = re.compile(r"\s*(/?)>")
_SPREAD = re.compile(r"\s*(?=\{)")


_FIELDS: Mapping[str, frozenset[str]] = {
    "ParamField": frozenset("path query body header type default".split()),
    "ResponseField": frozenset("name type default".split()),
}
"""Mintlify's parameters of an API, whose names stand in attributes."""
_NONE: Mapping[str, tuple[int, str]] = MappingProxyType({})
_FACT = re.compile(
    r"""
    type | stability | since | deprecated
    | default(?:s|Values?(?:List)?)?             # not defaultOpen
    | (?:added|removed|min|minimum)?[vV]ersion
    """,
    re.VERBOSE,
)
"""What a component without content tells of an option: its type, its default, since when it is there."""
_ORNAMENTS = tuple("Icon Badge Button Input Logo Image Alert Banner Callout Divider Player".split())
_SIMPLE = re.compile(
    r"""
    \s*+(?: (?:[A-Za-z_$][\w$]*+\.)++([\w$]++)  # a member of an enumeration
      | (true|false|null|-?[\d.]++)
    )\s*+
    """,
    re.VERBOSE,
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PACKAGE_MANAGERS = "PackageManager"
"""Begins the names of components that show a command for each package manager, of which the first is npm."""
_RUNNERS = ("npm ", "npx ", "pnpm ", "yarn ", "bun ", "deno ", "{")


class Tag(NamedTuple):
    """One tag. `strings` holds quoted attributes, `expressions` braced ones, each with its offset in the file."""

    name: str
    start: int
    end: int
    closes: bool = False
    empty: bool = False
    strings: Mapping[str, tuple[int, str]] = _NONE
    expressions: Mapping[str, tuple[int, str]] = _NONE

    @property
    def is_inline(self) -> bool:
        """Whether it stands inside a line of text."""
        return self.name in INLINE

    @property
    def is_component(self) -> bool:
        """Whether it is a JSX component, not an HTML element."""
        return self.name[:1].isupper() or "." in self.name

    def attribute(self, name: str) -> str:
        """A quoted attribute, "" where it is missing."""
        return self.strings.get(name, (0, ""))[1]


def read_tag(text: str, start: int, *, braces: bool = True) -> Tag | None:
    """The tag that begins at `start`, or None where the text there is no complete tag.

    Without `braces`, a tag with an attribute in braces is none.
    """
    bare = _BARE.match(text, start)
    if bare:
        return Tag(bare[2], start, bare.end(), bool(bare[1]), bool(bare[3]) or bare[2] in VOID)
    head = _NAME.match(text, start)
    if not head:
        return None
    strings: dict[str, tuple[int, str]] = {}
    expressions: dict[str, tuple[int, str]] = {}
    position = head.end()
    while not (end := _END.match(text, position)):
        attribute = _ATTRIBUTE.match(text, position)
        name, position = (attribute[1], attribute.end()) if attribute else ("", position)
        if attribute and attribute[2]:
            value = attribute[2]
            quoted = value[0] in "\"'"
            strings[name] = (attribute.start(2) + quoted, value[1:-1] if quoted else value)
            continue
        brace = _SPREAD.match(text, position)
        if brace and (not attribute or attribute[2] == ""):
            position = expression_end(text, brace.end()) if braces else -1
            if position < 0:
                return None
            expressions[name] = (brace.end() + 1, text[brace.end() + 1 : position - 1])
        elif not attribute:
            return None
    name = head[2] or ""
    return Tag(name, start, end.end(), bool(head[1]), bool(end[1]) or name in VOID, strings, expressions)


def shown_attributes(tag: Tag) -> list[str]:
    """Names of the quoted attributes whose text a reader of the page sees."""
    if tag.name == "img":
        return ["alt"] if "alt" in tag.strings else []
    if tag.is_component:
        fields = _FIELDS.get(tag.name, ())
        return [
            name
            for name, (_, value) in tag.strings.items()
            if name in fields
            or (name not in OF_TABLES and is_shown(name, value))
            or is_code_attribute(name, value)
        ]
    return [
        name for name in ("title", "alt") if name in tag.strings and tag.name in ("iframe", "video", "audio")
    ]


def code_values(tag: Tag) -> list[str]:
    """Each piece of code that a component's attributes show: a command, or one for each of several programs."""
    shown = [value for name, (_, value) in tag.strings.items() if is_code_attribute(name, value)]
    for name, (_, code) in tag.expressions.items():
        values = [(key or name, value) for key, value in quoted_values(code)] if is_code_name(name) else ()
        shown += [value for key, value in values if is_code_attribute(key, value)]
    if tag.name.startswith(_PACKAGE_MANAGERS):
        shown = [value if value.startswith(_RUNNERS) else f"npm {value}" for value in shown]
    return shown


def facts(tag: Tag) -> dict[str, str]:
    """Lines on what a component without content tells of an option, by the attributes' names; none of an ornament.

    >>> list(facts(read_tag("<Kind type='a | b' defaultValues={[{default: '1', mode: 'dev'}]} />", 0)).values())
    ['Type: `a | b`', 'Default: `1` (mode: dev)']
    """
    told = {*tag.strings, *tag.expressions}
    is_ornament = tag.name.endswith(_ORNAMENTS) or not told.isdisjoint(TECHNICAL | VISIBLE)
    if not (tag.is_component and tag.empty) or (is_ornament and "name" not in told):
        return {}
    found = {name: f"`{value}`" for name, (_, value) in tag.strings.items() if value.strip()}
    found |= {name: _said(code) for name, (_, code) in tag.expressions.items()}
    lines = {
        name: f"{_title(name)}: {said}" for name, said in found.items() if said and _FACT.fullmatch(name)
    }
    return {"name": f"Name: {found['name']}", **lines} if lines and found.get("name") else lines


def _title(name: str) -> str:
    return "Default" if name.startswith("default") else " ".join(_HUMP.split(name)).capitalize()


def _said(code: str) -> str:
    """The value of an expression that is a constant, or the values that it lists with what each is for."""
    if simple := _SIMPLE.fullmatch(code):
        return f"`{simple[1] or simple[2]}`"
    said = ""
    for key, value in quoted_values(code):
        if not key or _FACT.fullmatch(key):
            said += f"{', ' if said else ''}`{value}`"
        elif said and key not in TECHNICAL:
            said += f" ({key}: {value})"
    return said

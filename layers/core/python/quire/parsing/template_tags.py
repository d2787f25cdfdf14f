"""Tags of the templates of Hugo, Jekyll and GitBook, taken out of Markdown: what they hold stays, in its lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from quire.parsing.markup import without_code
from quire.parsing.scan import fence_behind

_SHORTCODE = re.compile(
    r"""
    (?P<code>`[^`\n]++`)                                     # stays as it is written
    | \{\{<[ \t]*+(?P<angle>(?:[^>{\n]|>(?!\}\}))*+)>\}\}    # {{< note >}}
    | \{\{%[ \t]*+(?P<percent>(?:[^%{\n]|%(?!\}\}))*+)%\}\}  # {{% note %}}, whose inside is Markdown
    """,
    re.VERBOSE,
)
_LIQUID = re.compile(
    r"""
    (?P<code>`[^`\n]++`)
    | \{%-?[ \t]*+(?P<tag>(?:[^%{\n]|%(?!\}))*+)-?%\}
    | \{\{[^{}\n]*+\}\}                                     # {{ site.baseurl }}
    | ^[ \t]*\{:[^{}\n]*+\}[ \t]*$                          # kramdown's attributes of a block
    | (?<=[)\]*_`])\{:[^{}\n]*+\}                            # and of what stands before them
    """,
    re.VERBOSE | re.MULTILINE,
)
_SAID = re.compile(
    r"""
    \b(?:text|title|header|heading|label|caption|alt)=
    (?: "([^"\n]*+)" | `([^`\n]*+)` )  # either quotes
    """,
    re.VERBOSE,
)
_TAB = re.compile(
    r"""
    tab(?:item)?\b [^"\n]*?
    (?: [ ] | \b(?:title|header|name|text|label)= )  # a label without a name is the first
    "([^"\n]++)"
    """,
    re.VERBOSE,
)
"""A tab with its label, which has no name in some themes of Hugo."""
_TABS = re.compile(
    r"""
    \{\{[<%][ \t]*+ tabs [ \t]++
    ( (?: "[^"{}\n]++" | [^\s"={}<>%]++ | [ \t] )++ )  # names, those of several words in quotes
    [>%]\}\}
    """,
    re.VERBOSE,
)
"""What names the tabs that it holds, in their order: `{{< tabs Linux "Windows 11" >}}`."""
_ENDS_TABS = re.compile(r"[<%/][ \t]*+/?[ \t]*+tabs\b")
_NAMED = re.compile(r"\"([^\"]++)\"|([^\s\"]++)")
_PANE = re.compile(r"\{\{[<%][ \t]*+\w*tab[ \t]*+[>%]\}\}")
_ADDRESS = re.compile(r"\burl=\"(https?://[^\"\s]{1,120}+)\"")
"""Of what a page embeds; longer ones name files of the site that nobody reads."""
_TAGS = re.compile(
    r"""
    (?: \{\{[<%][^{}\n]*+\}\}  # shortcodes
      | \{%[^{}\n]*+\} | \{:[^{}\n]*+\}
    )(?:[ \t]*+(?:\{\{[<%]|\{%)[^{}\n]*+\}++)*+
    """,
    re.VERBOSE,
)
_TORN = re.compile(r"\{(?:\{[<%]|%)[^{}\n`]*+$")
_ENDS = re.compile(r"[^{}]*+(?<=[%>])\}")
MOST_LINES = 30
"""Of one tag."""
_BLOCK_ATTRIBUTES = re.compile(r"[ \t>]*+\{(?:[.#][\w-]++|[\w-]++=)[^{}\n]*+\}[ \t]*+")
"""A line that says how the block above it looks. Source: Hugo's manual, "Markdown attributes"."""
_RAW = re.compile(r"\{%-?[ \t]*+(?:end)?raw[ \t]*+-?%\}")
_CLOSING = re.compile(
    r"""
    \{[{%][<%]?-?[ \t]*+                          # of a shortcode or of Liquid
    (?:/[ \t]*+|end)                              # {{< /code >}}, {% endhighlight %}
    (?![\w-]*tab) ([\w-]*(?:code|highlight)[\w-]*)  # what holds code; a tab of it holds text beside that
    """,
    re.VERBOSE,
)
_HELD = re.compile(
    r"""
    ^[ \t]*+(```|~~~)                              # a fence of its own
    | \{[{%][<%]?-?[ \t]*+(/[ \t]*+|end)?([\w-]++)[^{}\n]*+  # a tag that opens or closes
    """,
    re.VERBOSE | re.MULTILINE,
)
_OF_HUGO = re.compile(r"\{\{[<%](?!/\*|[ ]include[ ])")
"""Not what Quarto includes, which is read where it stands."""
_OF_JEKYLL = re.compile(
    r"""
    \{%-?[ \t]*+(?:end)?(?:highlight|raw|include|assign|capture|link)\b  # tags that GitBook does not have
    | \{\{[ ]?(?:site|page|include)\.
    | ^[ \t]*+\{:[^{}\n]*+\}[ \t]*$ | (?<=[)\]*_`])\{:[ ]?[.\#]
    """,
    re.VERBOSE | re.MULTILINE,
)
_ESCAPED = re.compile(r"\{\{([<%])/\*|\*/([>%])\}\}")


def without_template_tags(text: str, generator: str) -> str:
    """The text of a page of `hugo`, `jekyll` or `gitbook` without its tags; of others without lines of tags alone.

    Of `quarto` it stays: what its shortcodes include is read where they stand.

    A tag's words (`text`, `title`, `caption`, `alt`) are kept, and code that a tag holds becomes a fenced block.

    >>> without_template_tags('A {{< tip text="Pod" >}} runs.\\n{{% note %}}\\nOne.\\n{{% /note %}}', "hugo")
    'A Pod runs.\\n\\nOne.\\n'
    >>> without_template_tags("{% highlight ruby %}\\nx = 1\\n{% endhighlight %}\\n{: .note }", "jekyll")
    '```ruby\\nx = 1\\n```\\n'
    >>> without_template_tags('{% tabs %}\\n{% tab title="npm" %}\\nRun it.\\n{% endtab %}\\n{% endtabs %}', "gitbook")
    '\\nnpm:\\nRun it.\\n\\n'
    """
    if generator == "quarto" or not any(sign in text for sign in ("{{", "{%", "{:", "{.")):
        return text
    generator = "hugo" if generator == "plain" and _looks_hugo(text) else generator
    reader = _READERS.get(generator)
    if reader is None:
        generator = generator_in(text)
        outside, inside = _READERS.get(generator, (_as_it_stands, _as_it_stands))
    else:
        outside, inside = reader
    text = _with_labels(text) if generator == "hugo" else text
    holders = frozenset(_CLOSING.findall(text)) - _around_fences(text)
    shown, opened = [], ""
    for line in _with_whole_tags(text.split("\n")):
        if opened:
            kept = inside(line, holders)
        else:
            kept = outside(line, holders) if reader or _TAGS.fullmatch(line.strip()) else line
        opened = fence_behind(opened, kept)
        shown.append(kept)
    return "\n".join(shown)


def _with_labels(text: str) -> str:
    """The text with each tab that has no label called by what the tag around them all lists, one name for each."""
    shown, read = list[str](), 0
    for tabs in _TABS.finditer(text):
        ends = _ENDS_TABS.search(text, tabs.end())
        panes = [*_PANE.finditer(text, tabs.end(), ends.start() if ends else len(text))]
        labels = ["".join(one) for one in _NAMED.findall(tabs[1])]
        for pane, label in zip(panes, labels, strict=False) if len(panes) == len(labels) else ():
            shown += [text[read : pane.start()], f'{{{{% tab "{label}" %}}}}']
            read = pane.end()
    return "".join([*shown, text[read:]])


def _around_fences(text: str) -> frozenset[str]:
    """Names of the tags that hold code in a fence of its own somewhere: what else they hold is text."""
    fences = list[int]()
    opened, around = dict[str, tuple[int, int]](), set[str]()
    for found in _HELD.finditer(text):
        fence, closes, name = found.groups()
        if fence:
            fences.append(found.start())
        elif not closes:
            opened[name] = (len(fences), found.end())
        elif name in opened:
            before, end = opened.pop(name)
            held = text[end : fences[before]].strip("{}<>% \t\n") if before < len(fences) else name
            # Code that is highlighted may show a fence of Markdown.
            if not held or ("highlight" not in name and before < len(fences)):
                around.add(name)
    return frozenset(around)


def _looks_hugo(text: str) -> bool:
    """Whether shortcodes stand alone on lines of it, outside of code: so does the folder of a site without the site."""
    lines = without_code(text).split("\n") if _OF_HUGO.search(text) else ()
    return any(_OF_HUGO.match(line.strip()) and _TAGS.fullmatch(line.strip()) for line in lines)


def _with_whole_tags(lines: Sequence[str]) -> Iterator[str]:
    """The lines, a tag over several of them on its first, and empty ones in place of the others."""
    opened, at = "", 0
    while at < len(lines):
        line, ends = lines[at], at
        before, opened = opened, fence_behind(opened, line)
        if not (before or opened) and _TORN.search(line):
            below = range(at + 1, min(at + MOST_LINES, len(lines)))
            ends = next((row for row in below if "{" in lines[row] or "}" in lines[row]), at)
            ends = ends if _ENDS.match(lines[ends]) else at
        yield " ".join([line, *map(str.strip, lines[at + 1 : ends + 1])])
        yield from [""] * (ends - at)
        at = ends + 1


def generator_in(text: str) -> str:
    """Whose templates a part of a page is written for, as its tags tell; `plain` where it has none.

    >>> [generator_in(one) for one in ("{{< note >}}", "{% hint %}", "{% highlight c %}", "{x}")]
    ['hugo', 'gitbook', 'jekyll', 'plain']
    """
    if _OF_HUGO.search(text):
        return "hugo"
    if _OF_JEKYLL.search(text):
        return "jekyll"
    return "gitbook" if "{%" in text else "plain"


def _without_shortcodes(line: str, holders: frozenset[str]) -> str:
    if "{{" not in line:
        return "" if "{" in line and _BLOCK_ATTRIBUTES.fullmatch(line) else line
    return _unescaped(_SHORTCODE.sub(lambda found: _shortcode(found, holders), line))


def _shortcode(found: re.Match[str], holders: frozenset[str]) -> str:
    tag = (found["angle"] or found["percent"] or "").strip()
    if found["code"] or tag.startswith("/*"):  # code, or an example of a shortcode
        return found[0]
    return _shown(tag, holders, "/")


def _shown(tag: str, holders: frozenset[str], closes: str) -> str:
    """What stands for a tag: the mark of a fence where it holds code, else the words that it would show."""
    words = tag.replace(closes, f"{closes} ", 1).split() if tag.startswith(closes) else tag.split()
    if words[:1] == [closes]:
        return "```" if words[1:2] and words[1] in holders else ""
    if words[:1] and words[0] in holders and not tag.endswith("/"):
        return f"```{words[1] if words[1:2] and words[1].isalnum() else ''}"
    if tab := _TAB.match(tag):
        return f"{tab[1].rstrip(':')}:"
    said = _SAID.search(tag) or (_ADDRESS.search(tag) if words[:1] == ["embed"] else None)
    return next(filter(None, said.groups()), "") if said else ""


def _unescaped(line: str) -> str:
    return _ESCAPED.sub(lambda found: f"{{{{{found[1]}" if found[1] else f"{found[2]}}}}}", line)


def _without_liquid(line: str, holders: frozenset[str]) -> str:
    return _LIQUID.sub(lambda found: _liquid(found, holders), line) if "{" in line else line


def _liquid(found: re.Match[str], holders: frozenset[str]) -> str:
    if found["code"]:
        return _RAW.sub("", found["code"])
    return _shown((found["tag"] or "").strip().rstrip("-"), holders, "end")


def _without_blocks(line: str, _: frozenset[str]) -> str:
    """GitBook's `code` stands around a fenced block: its tags, like all others, say no more than their titles."""
    return _LIQUID.sub(lambda found: _liquid(found, frozenset()), line) if "{%" in line else line


def _as_it_stands(line: str, _: frozenset[str]) -> str:
    return line


def _in_code_of_jekyll(line: str, holders: frozenset[str]) -> str:
    closing = _CLOSING.match(line.lstrip())
    return "```" if closing and closing[1] in holders else _RAW.sub("", line)


def _in_code_of_hugo(line: str, holders: frozenset[str]) -> str:
    closing = _CLOSING.match(line.lstrip())
    return "```" if closing and closing[1] in holders else _unescaped(line)


_Reader = Callable[[str, frozenset[str]], str]
_READERS: Mapping[str, tuple[_Reader, _Reader]] = {
    "hugo": (_without_shortcodes, _in_code_of_hugo),
    "jekyll": (_without_liquid, _in_code_of_jekyll),
    "gitbook": (_without_blocks, _as_it_stands),
}
"""What is done to a line outside of code, and to one inside; `holders` are the tags that hold code."""

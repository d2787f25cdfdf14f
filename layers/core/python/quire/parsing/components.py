"""Components of Vue, Svelte and Astro: which of a file's lines are script, the rest being its template and its styles.

Sources: Vue's SFC specification, Svelte's component files, Astro's component script between two lines of `---`.
"""

from __future__ import annotations

from typing import NamedTuple

COMPONENTS = frozenset(("vue", "svelte", "astro"))
"""Languages of which only parts are script."""


class ScriptBlock(NamedTuple):
    """Lines of script, from 1 and inclusive, and those at which the tags or fences around them begin and end."""

    first: int
    last: int
    opened: int
    closed: int


def script_blocks(text: str) -> list[ScriptBlock]:
    r"""The blocks of script of a component, in order; a tag opens one where it begins its line.

    >>> script_blocks('<template>\n  <p/>\n</template>\n<script setup\n  lang="ts">\nlet a = 1;\n</script>\n')
    [ScriptBlock(first=6, last=6, opened=4, closed=7)]
    >>> script_blocks("---\nconst { title } = Astro.props;\n---\n<h1>{title}</h1>\n")
    [ScriptBlock(first=2, last=2, opened=1, closed=3)]
    """
    blocks: list[ScriptBlock] = []
    opened, begins, ending, in_tag = 0, 0, "", False
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if in_tag:
            in_tag = not bare.endswith(">")
            begins = number + 1
        elif begins and (bare == ending if ending == "---" else ending in bare):
            if number > begins:
                blocks.append(ScriptBlock(begins, number - 1, opened, number))
            begins = 0
        elif not begins and number == 1 and bare == "---":
            opened, begins, ending = number, number + 1, bare
        elif not begins and bare.startswith("<script") and "</script" not in bare:
            opened, begins, ending, in_tag = number, number + 1, "</script", not bare.endswith(">")
    return blocks


def script_alone(text: str) -> str:
    r"""The text with the same lines, those outside of its script empty.

    >>> script_alone("<script>\nlet a = 1;\n</script>\n<p>{a}</p>\n")
    '\nlet a = 1;\n\n\n'
    """
    lines = text.split("\n")
    shown = [""] * len(lines)
    for block in script_blocks(text):
        shown[block.first - 1 : block.last] = lines[block.first - 1 : block.last]
    return "\n".join(shown)

"""Files that no reader can make sense of, each of another kind: builds and ingests report them and go on."""

from __future__ import annotations

import json
from collections.abc import Callable

_SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "templates in templates": ("mdx", lambda n: "{" + "`${" * (900 + n)),
    "elements without an end": ("mdx", lambda n: "<Card>" * (4_000 + n)),
    "front matter without an end": ("md", lambda n: "---\ntitle: a\n" + "b: c\n" * n),
    "front matter that is none": ("md", lambda n: f"---\ntitle: 'a\n{n}: [\n---\n# A\n"),
    "front matter of many brackets": ("md", lambda n: "---\ntitle: " + "[" * (40 + n) + "\n---\n# A\n"),
    "front matter with aliases": ("md", lambda n: f"---\na: &x [1]\nb{n}: *x\n: {{\n---\n# A\n"),
    "a notebook that is no JSON": ("ipynb", lambda n: '{"cells": [' * (n + 1)),
    "a notebook of another shape": ("ipynb", lambda n: json.dumps({"cells": n})),
    "a notebook nested deeply": ("ipynb", lambda n: "[" * (60_000 + n)),
    "expressions without an end": ("mdx", lambda n: "# A\n\n{(" * (2_000 + n)),
}


def hostile_files(each: int = 2) -> dict[str, str]:
    """So many of each kind, by path."""
    return {
        f"{shape.replace(' ', '-')}-{number}.{suffix}": make(number)
        for shape, (suffix, make) in _SHAPES.items()
        for number in range(each)
    }

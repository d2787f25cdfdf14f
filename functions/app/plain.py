"""The page for browsers without JavaScript: the same form as a plain GET, its hits as plain HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from functions.web.problems import problem_of
from quire.documents import Hit
from quire.errors import QuireError
from quire.search.excerpts import find_excerpt, stems_of, weigh_stems
from quire.search.retrieval import Query
from quire.service.access import Caller
from quire.service.knowledge import Found, Knowledge

SHOWN, EXCERPT = 10, 600
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{{assets}}/style.css">
</head>
<body>
<main>
<h1><a href="./">Quire</a></h1>
<form role="search" method="get" action="./">
<input type="hidden" name="plain" value="1">
<label for="c">Collection</label> <select id="c" name="c">{options}</select>
<label for="q">Search</label> <input id="q" name="q" type="search" maxlength="8000" value="{question}">
<button class="solid" type="submit">Search</button>
</form>
<section class="results" aria-label="Results">{results}</section>
</main>
</body>
</html>
"""


def plain_page(service: Knowledge, caller: Caller, collection: str, question: str) -> tuple[int, str]:
    """Status and HTML of the page; `{assets}` stands where the release's folder is to be named."""
    names = service.names(caller)
    chosen = collection or next(iter(names), "")
    status, results = 200, ""
    if question.strip() and chosen:
        status, results = _results(service, caller, chosen, question)
    options = "".join(_option(name, service.title(name), is_chosen=name == chosen) for name in names)
    title = f"{question[:80]} · Quire" if question else "Quire"
    body = _PAGE.format(title=escape(title), options=options, question=escape(question), results=results)
    return status, body


def _option(name: str, title: str, *, is_chosen: bool) -> str:
    return f"<option{' selected' if is_chosen else ''} value={_attribute(name)}>{escape(title)}</option>"


def _results(service: Knowledge, caller: Caller, collection: str, question: str) -> tuple[int, str]:
    try:
        found = service.search(caller, collection, Query(question, SHOWN))
    except QuireError as error:
        problem = problem_of(error)
        return problem.status, f"<h2>{escape(problem.title)}</h2><p>{escape(problem.detail)}</p>"
    if not found.hits:
        return 200, "<h2>No passage found.</h2><p>Try fewer or other words.</p>"
    return 200, "".join(_card(collection, hit, found, question) for hit in found.hits)


def _card(collection: str, hit: Hit, found: Found, question: str) -> str:
    known = hit.chunk.metadata
    path, line, url = known.get("path") or known.get("file_path"), known.get("start_line"), known.get("url")
    name = (
        known.get("heading") or (hit.chunk.symbols[:1] or ("",))[0] or known.get("title") or path or "Passage"
    )
    where = f"{path}:{line}" if path and line else path or ""
    start, end = find_excerpt(hit.chunk.text, weigh_stems(question, found.served.index), EXCERPT)
    stored = f"collections/{quote(collection)}/passages/{hit.chunk.id}?version={quote(hit.version)}"
    links = [f'<a href="{stored}">Stored text</a>']
    if str(url).startswith(("http://", "https://")):
        links.append(f'<a rel="noopener noreferrer" href={_attribute(str(url))}>Open page</a>')
    text = _marked(hit.chunk.text[start:end], stems_of(question))
    return (
        f'<article class="card"><h2>{escape(str(name))}</h2><p class="place">{escape(str(where))}</p>'
        f"<pre>{text}</pre><footer>{' '.join(links)}</footer></article>"
    )


def _marked(text: str, stems: Sequence[str]) -> str:
    """The text as HTML, the stems in `mark`."""
    if not stems:
        return escape(text)
    pattern = re.compile("|".join(map(re.escape, sorted(stems, key=len, reverse=True))), re.IGNORECASE)
    pieces, last = [], 0
    for found in pattern.finditer(text):
        pieces += [escape(text[last : found.start()]), f"<mark>{escape(found.group())}</mark>"]
        last = found.end()
    return "".join([*pieces, escape(text[last:])])


def _attribute(value: str) -> str:
    return f'"{escape(value, quote=True)}"'

"""The list of tools: what a model reads about each, and the use case behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from functions.faces.mcp import arguments as a
from functions.faces.mcp import browsing, tools
from functions.faces.mcp.passages import Reply
from quire.service.access import Caller
from quire.service.knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        title: its name for people.
        takes: the model of its arguments.
        about: when to use it and what it returns, for models.
        work: answers one call.
    """

    title: str
    takes: type[a.Arguments]
    about: str
    work: Callable[[Knowledge, Caller, Any], Reply]


_TERMS = (
    " Put into `terms` the names and words that the documentation would use, your guesses included: for 'parts should"
    " not bump into each other' NoCollisionConstraint, collision groups."
)

TOOLS: Mapping[str, Tool] = {
    "list_collections": Tool(
        "List collections",
        a.ListCollections,
        "List the bodies of knowledge here with their versions and filter fields.",
        tools.list_collections,
    ),
    "search": Tool(
        "Search passages",
        a.Search,
        "Find passages in documentation or code by meaning and by words. Returns passages with path, lines, link, id"
        " and version. Use it to gather evidence; use `lookup` where you know the exact name of a symbol."
        + _TERMS,
        tools.search,
    ),
    "answer": Tool(
        "Answer from the sources",
        a.Ask,
        "Answer one question from a collection, with numbered quotes from its sources. Each call stands alone: ask a"
        " follow-up as a whole question. It says so where the sources do not cover the question: then do not answer"
        " from memory as if they did." + _TERMS,
        tools.answer,
    ),
    "read": Tool(
        "Read a document",
        a.ReadArguments,
        "Read a document, or read on from a cited passage. Give `id` (from another tool) or `document` (path or id),"
        " with lines if you want only some.",
        browsing.read,
    ),
    "lookup": Tool(
        "Look up a symbol",
        a.LookUp,
        "Look up the exact definition of a class, member, function or enum, in collections of code and of an API's"
        " reference. Use it before writing code with a symbol: if this says that the version defines no such symbol,"
        " it does not.",
        tools.lookup,
    ),
    "outline": Tool(
        "Outline a document",
        a.OutlineArguments,
        "Headings or symbols of one document with lines and ids, without its text. Use it before reading a long one.",
        browsing.outline,
    ),
    "list": Tool(
        "List documents",
        a.ListArguments,
        "List the documents of a collection, by page; `under` narrows it to a folder or name.",
        browsing.list_,
    ),
    "grep": Tool(
        "Search the text plainly",
        a.GrepArguments,
        "Every line of the stored text that contains a plain string, as path:line. For exact strings such as an error"
        " message or a flag; no regular expressions. Use `search` for questions.",
        browsing.grep_,
    ),
    "verify": Tool(
        "Check passages",
        a.VerifyArguments,
        "Whether passages that you read before are current, changed or gone in what is served now.",
        browsing.verify,
    ),
    "changes": Tool(
        "Compare versions",
        a.ChangesArguments,
        "List what an update added, changed and removed between two versions of a collection.",
        tools.changes,
    ),
}

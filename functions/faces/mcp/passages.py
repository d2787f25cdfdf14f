"""Passages as a model reads them: a line that cites, then the text, all within a token budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from functions.web.wire import citation_wire
from quire.documents import Chunk
from quire.store.catalog import Served

CHARACTERS_A_TOKEN = 4
META = "quire/facts"
"""Key of `_meta` for programs. The protocol wants a prefix before the slash."""


@dataclass(slots=True)
class Reply:
    """A tool's answer while it is written: text within the budget, and the same citations for programs."""

    served: Served | None
    max_tokens: int
    parts: list[str] = field(default_factory=list)
    citations: list[dict[str, Any]] = field(default_factory=list)
    left: int = 0

    def __post_init__(self) -> None:
        self.left = self.max_tokens * CHARACTERS_A_TOKEN

    def say(self, text: str) -> bool:
        """Add a paragraph, cut where the budget ends; False once nothing more fits."""
        if self.left <= 0:
            return False
        is_whole = len(text) <= self.left
        self.parts.append(
            text if is_whole else f"{text[: self.left].rstrip()} …(cut: raise max_tokens or use read)"
        )
        self.left -= len(text) + 2
        return is_whole

    def cite(self, chunk: Chunk, *, number: int, extra: str = "") -> bool:
        """Add a passage under a line that names it; False once nothing more fits."""
        version = self.served.version if self.served else ""
        if self.left <= 0:
            return False
        self.citations.append({"n": number, **citation_wire(chunk, version), **_names(chunk)})
        return self.say(f"[{number}] {headline(chunk)}{extra}\nid: {chunk.id}\n{chunk.text}")

    def text(self) -> str:
        """The whole; its first line says which version spoke."""
        return "\n\n".join([*([version_line(self.served)] if self.served else []), *self.parts])

    def meta(self) -> dict[str, Any] | None:
        """The same facts for programs, for `_meta`: no client hands that to its model in place of the text."""
        if self.served is None:
            return None
        names = {"collection": self.served.name, "version": self.served.version, "label": self.served.label}
        return {META: {**names, "citations": self.citations}}


def version_line(served: Served) -> str:
    """Which version spoke, and when it was published."""
    label = f" ({served.label})" if served.label else ""
    published = f", published {served.pointer.published_at}" if served.pointer.published_at else ""
    return f"{served.name}, version {served.version}{label}{published}"


def headline(chunk: Chunk) -> str:
    """`Humanoid › MoveTo — path:12-20 — https://…`: as much of it as is known."""
    known = citation_wire(chunk, "")
    lines = f":{known['start_line']}-{known['end_line']}" if known["start_line"] else ""
    place = f"{known['path']}{lines}" if known["path"] else ""
    name = chunk.breadcrumb or known["heading"] or chunk.document_id
    link = known["url"] if (known["url"] or "").startswith("http") else ""
    return " — ".join(one for one in (name, place, link) if one)


def listed(names: Iterable[str], most: int) -> str:
    """Names in lines; how many are left out is said.

    >>> listed(["a", "b", "c"], 2)
    '- a\\n- b\\n- … and 1 more'
    """
    everything = list(names)
    lines = [f"- {name}" for name in everything[:most]]
    if len(everything) > most:
        lines.append(f"- … and {len(everything) - most} more")
    return "\n".join(lines)


def _names(chunk: Chunk) -> dict[str, Any]:
    return {"document": chunk.document_id, "symbols": list(chunk.symbols)}

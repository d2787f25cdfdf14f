"""Passages as a model reads them: a line that cites, then the text, all within a token budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from functions.web.wire import citation_wire, place_of
from quire.analysis.symbols import written_trail
from quire.documents import Chunk, text_sha256
from quire.store.catalog import Served, Unopened

CHARACTERS_A_TOKEN = 4
COMMIT_DIGITS = 40
MOST_BYTES = 74_000
"""Of a reply. Dense code has three bytes of UTF-8 a token, so that this stays below 25,000 tokens."""
UNASKED_CHARACTERS = 50_000
"""Longer results go to a file in Claude Code, unless `SIZE` says otherwise."""
META = "quire/facts"
"""Key of `_meta` for programs. The protocol wants a prefix before the slash."""
SIZE = "anthropic/maxResultSizeChars"
CUT = " …(cut: raise max_tokens or use read)"


@dataclass(slots=True)
class Reply:
    """A tool's answer while it is written: text within the budget, and the same citations for programs.

    Args:
        served: the collections that speak; where there are several, each passage names its own.
        max_tokens: the budget of the text, the lines that name versions not counted.
    """

    served: tuple[Served, ...]
    max_tokens: int
    parts: list[str] = field(default_factory=list)
    citations: list[dict[str, Any]] = field(default_factory=list)
    left: int = 0

    def __post_init__(self) -> None:
        self.left = min(self.max_tokens * CHARACTERS_A_TOKEN, MOST_BYTES)

    def say(self, text: str) -> bool:
        """Add a paragraph, cut where the budget ends; False once nothing more fits."""
        if self.left <= 0:
            return False
        # Bytes, since a letter of another script than Latin's is about a token of its own.
        written = text.encode()
        is_whole = len(written) <= self.left
        shown = text if is_whole else f"{written[: self.left].decode(errors='ignore').rstrip()}{CUT}"
        self.parts.append(shown)
        self.left -= len(written) + 2
        return is_whole

    def cite(
        self,
        chunk: Chunk,
        served: Served,
        *,
        number: int,
        extra: str = "",
        text: str = "",
        span: tuple[int, int] | None = None,
    ) -> bool:
        """Add a passage, or `text` of it, under a line that names it; False once nothing more fits.

        Where the chunk's lines are those of a part, `span` says which characters of its text that is.
        """
        if self.left <= 0:
            return False
        cited = {"n": number, "collection": served.name, **citation_wire(chunk, served.version)}
        if span:
            quoted = chunk.text[slice(*span)]
            cited |= {"start": span[0], "end": span[1], "sha256": text_sha256(quoted)}
        self.citations.append({**cited, "document": chunk.document_id, "symbols": list(chunk.symbols)})
        head = self.head(chunk, served, number=number, extra=extra)
        return self.say(f"{head}\n{text}" if text else head)

    def head(self, chunk: Chunk, served: Served, *, number: int, extra: str = "") -> str:
        """The line that names a passage, and its id."""
        where = f"{served.name}: " if len(self.served) > 1 else ""
        return f"[{number}] {where}{headline(chunk)}{extra}\nid: {chunk.id}"

    def text(self) -> str:
        """The whole; its first lines say which versions spoke."""
        versions = "\n".join(version_line(one) for one in self.served)
        return "\n\n".join([*([versions] if versions else []), *self.parts])

    def meta(self) -> dict[str, Any] | None:
        """The same facts for programs, for `_meta`: no client hands that to its model in place of the text."""
        if not self.served:
            return None
        states = [{"collection": one.name, "version": one.version, "label": one.label} for one in self.served]
        size = {SIZE: MOST_BYTES + 1_000} if len(self.text()) > UNASKED_CHARACTERS else {}
        return {META: {"served": states, "citations": self.citations}, **size}


def version_line(served: Served | Unopened) -> str:
    """Which version spoke, and when it was published."""
    published = f", published {served.pointer.published_at}" if served.pointer.published_at else ""
    return f"{served.name}, version {served.version}{shown_label(served.label)}{published}"


def shown_label(label: str) -> str:
    """What an index says of its sources, in brackets: of a folder read with what was edited in it, its commit does not
    say all.

    >>> shown_label("0.735"), shown_label("5dc781f0b" + "0" * 31), shown_label("")
    (' (0.735)', ' (files at commit 5dc781f0b000, edits included)', '')
    """
    is_commit = len(label) == COMMIT_DIGITS and set(label) <= set("0123456789abcdef")
    named = f"files at commit {label[:12]}, edits included" if is_commit else label
    return f" ({named})" if named else ""


def headline(chunk: Chunk) -> str:
    """`Humanoid › MoveTo — path:12-20 — https://…`: as much of it as is known."""
    known = citation_wire(chunk, "")
    place = place_of(chunk)
    trail = written_trail(chunk.breadcrumb, str(chunk.metadata.get("lang") or ""), chunk.text)
    name = trail or known["heading"] or chunk.document_id
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

"""A quote, and quotes as an answer shows them: in Markdown, with titles and marks, and what they cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.answering.citations import cite
from quire.answering.extractive.blocks import HEADING, split_blocks
from quire.answering.extractive.continuing import Beside, cut_kind, is_torn, nothing_beside
from quire.answering.extractive.rendering import shown, title_above
from quire.answering.extractive.trails import with_page_title
from quire.documents import Chunk, Citation, Hit


@dataclass(frozen=True, slots=True)
class Quote:
    """A contiguous part of a chunk's text, `text[start:end]`, that can be read alone.

    `answers_at` is where the passage begins that it was chosen for: its section is the one that a reader should open.
    `goes_on` says that the quote before it ends where it begins, at the border of their chunks.
    """

    hit: Hit
    start: int
    end: int
    answers_at: int
    goes_on: bool = False

    @property
    def text(self) -> str:
        """The quoted text."""
        return self.hit.chunk.text[self.start : self.end]


def written(quotes: Sequence[Quote], beside: Beside = nothing_beside) -> tuple[str, tuple[Citation, ...]]:
    """The quotes as Markdown, and what they cite. Where a list or table is shown in part, that is told: `beside` finds
    what of it the next chunk holds."""
    citations = tuple(
        cite(n, quote.hit, quote.start, quote.end, answers_at=quote.answers_at)
        for n, quote in enumerate(quotes, 1)
    )
    paragraphs: list[list[Citation]] = []
    titles: list[str] = []
    cut: list[bool] = []
    for quote, citation in zip(quotes, citations, strict=True):
        last = paragraphs[-1][-1] if paragraphs else None
        if quote.goes_on and last and is_torn(_up_to(last), quote.hit.chunk, quote.start):
            paragraphs[-1].append(citation)
            cut[-1] = _is_cut(quote, beside, is_first=False)
            continue
        paragraphs.append([citation])
        told = title_above(last.hit.chunk, last.end - 1) if last else ""
        titles.append("" if quote.goes_on else _title_of(quote, told))
        cut.append(_is_cut(quote, beside, is_first=not cut))
    texts = (
        with_page_title(_titled(title, shown(*parts, is_cut=is_part)), parts[0].hit.chunk)
        for title, parts, is_part in zip(titles, paragraphs, cut, strict=True)
    )
    return "\n\n".join(texts), citations


def _is_cut(quote: Quote, beside: Beside, *, is_first: bool) -> bool:
    """Whether it ends in a list or table that goes on; the first quote alone may be one row that was asked for."""
    is_rest = quote.goes_on or not is_first
    return bool(cut_kind(quote.hit.chunk, quote.start, quote.end, beside, is_rest=is_rest))


def _up_to(citation: Citation) -> Chunk:
    """The chunk up to where the quote ends: its last lines may be said by the next one."""
    chunk = citation.hit.chunk
    return chunk._replace(text=chunk.text[: citation.end])


def _titled(title: str, said: str) -> str:
    """What a quote shows below its title, unless it opens with the title itself."""
    own = title.strip("*\n").rpartition(" › ")[2]
    return said if title and said.startswith(f"**{own}**") else f"{title}{said}"


def _title_of(quote: Quote, told: str) -> str:
    """The title of the section that the quote stands in the midst of, for its reader; "" where it was just told, and
    where the quote begins with it, as entries of a reference do."""
    first = next((block for block in split_blocks(quote.hit.chunk.text) if block.end > quote.start), None)
    title = title_above(quote.hit.chunk, quote.start)
    begins = (first and first.kind == HEADING) or quote.text.lstrip().startswith(title.strip("*"))
    return "" if begins or title == told else f"{title}\n\n"

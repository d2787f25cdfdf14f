"""An answer without a language model: the best passages of the best sources, quoted exactly and cited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.answering.citations import cite
from quire.answering.passages import CODE, SENTENCE, Passage, split_passages
from quire.answering.scoring import Scored
from quire.answering.weighing import Weighed
from quire.documents import Citation, Hit
from quire.terms import analyze

MOST_QUOTES = 4
PER_DOCUMENT = 2
ANSWER_CHARACTERS = 1_400
FIRST_CHARACTERS = 620
LATER_CHARACTERS = 360
BACK = 300
"""What stands before a sentence in its paragraph is quoted with it, up to so many characters in all."""
CODE_CHARACTERS = 900
LEAST_SHARE = 0.45
UNSURE, LEAST_DOCUMENTS = 0.5, 3
"""Below this confidence so many documents are quoted."""
SAME = 0.7
"""A further quote scores at least this share of the best one's score."""

_POINTING = re.compile(
    r"(?:it|its|they|their|this|that|these|those|he|she|his|her|so|but|thus|hence|therefore|however)\b", re.I
)
_KEY = re.compile(r"\b[A-Z][\w ]*(?=: )")
_CHECKBOX = re.compile(r"\[[ xX]?\] ")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_DRAWING = re.compile(r"```\s*mermaid")


@dataclass(frozen=True, slots=True)
class Quote:
    """A contiguous part of a chunk's text, `text[start:end]`, that can be read alone."""

    hit: Hit
    start: int
    end: int

    @property
    def text(self) -> str:
        """The quoted text."""
        return self.hit.chunk.text[self.start : self.end]


def extract(
    question: Weighed, scored: Sequence[Scored], confidence: float = 1.0
) -> tuple[str, tuple[Citation, ...]]:
    """The answer's text in Markdown and its citations; empty where there is nothing to quote.

    Each paragraph of the text is a quote, exactly as stored, and its mark.
    """
    quotes = choose_quotes(question, scored, sure=confidence >= UNSURE)
    citations = tuple(cite(n, quote.hit, quote.start, quote.end) for n, quote in enumerate(quotes, 1))
    return "\n\n".join(_rendered(citation) for citation in citations), citations


def choose_quotes(question: Weighed, scored: Sequence[Scored], *, sure: bool = True) -> list[Quote]:
    """The best passages, widened to what can be read alone, without repeats, within the answer's bound.

    Passages beyond `PER_DOCUMENT` of one document come after those of other documents that are good enough. Where the
    evidence is weak, other documents are quoted beside: the first one may be wrong.
    """
    answers = [one for one in scored if not one.text.endswith("?") or _is_followed(one)] or scored
    ranked = sorted(answers, key=lambda one: -_fitness(question, one))
    best = _fitness(question, ranked[0]) if ranked else 0.0
    good = [one for one in ranked if _fitness(question, one) >= LEAST_SHARE * best] or ranked[:1]
    quotes: list[Quote] = []
    waiting: list[Scored] = []
    for one in good:
        if _quoted(quotes).count(one.hit.chunk.document_id) >= PER_DOCUMENT:
            waiting.append(one)
        elif len(quotes) < MOST_QUOTES:
            _add(quotes, question, one)
    for one in waiting:
        if len(quotes) < MOST_QUOTES:
            _add(quotes, question, one)
    for one in () if sure else ranked:
        documents = _quoted(quotes)
        if len(set(documents)) < LEAST_DOCUMENTS and one.hit.chunk.document_id not in documents:
            _add(quotes, question, one)
    return quotes


def _quoted(quotes: Sequence[Quote]) -> list[str]:
    return [quote.hit.chunk.document_id for quote in quotes]


def _add(quotes: list[Quote], question: Weighed, one: Scored) -> None:
    """Quote the passage, where there is room for it and nothing has said it yet."""
    if any(_covers(quote, one) for quote in quotes):
        return
    quote = _widened(question, one, *((LATER_CHARACTERS, 2) if quotes else (FIRST_CHARACTERS, 4)))
    left = ANSWER_CHARACTERS - sum(len(other.text) for other in quotes)
    if not quotes or (len(quote.text) <= left and not any(_repeats(quote, other) for other in quotes)):
        quotes.append(quote)


def _fitness(question: Weighed, one: Scored) -> float:
    """The score, less for what reads badly as an answer: drawings, quiz questions, check lists, facts unasked for."""
    text, score = one.text, one.score
    if one.passage.kind == CODE:
        score -= 3.0 if _DRAWING.match(text) else 0.0 if question.wants_code else 1.0
    if text.endswith("?"):
        score -= 1.5
    if _CHECKBOX.match(text):
        score -= 1.0
    if _is_facts(text) and not question.idf.keys() & set(analyze(" ".join(_KEY.findall(text)))):
        score -= 1.5
    return score


def _is_facts(text: str) -> bool:
    """Whether it is a line of keys and values, such as `Security: None · Category: Game`."""
    return " · " in text and all(map(_KEY.match, text.split(" · ")))


def _is_followed(one: Scored) -> bool:
    """Whether something stands behind the passage under its heading: behind a question, its answer."""
    following = split_passages(one.hit.chunk.text)[one.order + 1 : one.order + 2]
    return any(other.heading == one.passage.heading for other in following)


def _covers(quote: Quote, one: Scored) -> bool:
    return (
        quote.hit.chunk.id == one.hit.chunk.id
        and quote.start <= one.passage.start
        and one.passage.end <= quote.end
    )


def _repeats(one: Quote, other: Quote) -> bool:
    """Whether they overlap, or say the same: chunks of one document repeat each other's ends, and pages each other."""
    if one.hit.chunk.id == other.hit.chunk.id:
        return one.start < other.end and other.start < one.end
    said, new = set(analyze(other.text)), set(analyze(one.text))
    return len(new & said) > SAME * min(len(new), len(said))


def _widened(question: Weighed, one: Scored, room: int, most: int) -> Quote:
    """The passage with what it cannot be read without, and what follows under its heading while there is room."""
    text, passages = one.hit.chunk.text, split_passages(one.hit.chunk.text)
    passage, place = one.passage, one.order
    if passage.kind == CODE:
        return Quote(one.hit, *_code(question, text, passage))
    start, first = _opening(text, passages, place, room)
    end, taken = passage.end, place - first + 1
    for other in passages[place + 1 :]:
        fits = other.end - start <= (room + CODE_CHARACTERS if other.kind == CODE else room)
        if other.heading != passage.heading or not fits or (other.kind == SENTENCE and taken >= most):
            break
        if other.kind == CODE and not question.wants_code:
            break
        following = text[other.start : other.end]
        if _DRAWING.match(following) or following.endswith("?") or _is_facts(following):
            break
        end, taken = other.end, taken + (other.kind == SENTENCE)
        if other.kind == CODE:
            break
    return Quote(one.hit, start, end)


def _opening(text: str, passages: Sequence[Passage], place: int, room: int) -> tuple[int, int]:
    """Where the quote begins, and the number of its first passage: with its lead and list, or what a pronoun means."""
    passage = passages[place]
    first = place
    while first > 0 and passages[first - 1].block == passage.block:
        pointing = _POINTING.match(text[passages[first].start :])
        if passage.kind == SENTENCE and not pointing and passage.end - passages[first - 1].start > BACK:
            break
        first -= 1
    if passage.kind == SENTENCE:
        while first < place and passages[first].start < passage.end - room:
            first += 1
        return passages[first].start, first
    begin = passage.lead[0] if passage.lead else _line_start(text, passages[first].start)
    if passage.end - begin <= room:
        return begin, first
    return _line_start(text, passage.start), place


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1


def _code(question: Weighed, text: str, passage: Passage) -> tuple[int, int]:
    """A block with its lead where it stands right before it; of a longer one the lines that are asked for."""
    start, end = passage.start, passage.end
    if passage.lead and not text[passage.lead[1] : start].strip():
        start = passage.lead[0]
    if end - passage.start <= CODE_CHARACTERS:
        return start, end
    return _best_lines(question, text, passage)


def _best_lines(question: Weighed, text: str, passage: Passage) -> tuple[int, int]:
    """Whole lines around the one that the question names most of, half of the room before it and half behind."""
    spans: list[tuple[int, int]] = []
    position = passage.start
    for line in text[passage.start : passage.end].splitlines(keepends=True):
        if not _FENCE.match(line) and line.strip():
            spans.append((position, position + len(line.rstrip())))
        position += len(line)
    held = [question.coverage(set(analyze(text[start:end]))) for start, end in spans]
    first = last = held.index(max(held))
    while first > 0 and spans[last][1] - spans[first - 1][0] <= CODE_CHARACTERS // 2:
        first -= 1
    while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= CODE_CHARACTERS:
        last += 1
    return spans[first][0], spans[last][1]


def _rendered(citation: Citation) -> str:
    """The quote and its mark; a mark never stands inside a code block, and a torn one is fenced again."""
    quote = citation.quote
    if quote.count("```") % 2 == 0 and not _is_torn(citation):
        return (
            f"{quote}\n[{citation.n}]"
            if quote.endswith(("```", "~~~")) or _is_list(quote)
            else f"{quote} [{citation.n}]"
        )
    return f"```\n{quote}\n```\n[{citation.n}]"


def _is_torn(citation: Citation) -> bool:
    before = citation.hit.chunk.text[: citation.start]
    return before.count("```") % 2 == 1


def _is_list(quote: str) -> bool:
    last = quote.rpartition("\n")[2]
    return "\n" in quote and (" | " in last or bool(re.match(r"\s*(?:[-*+]|\d+[.)])\s", last)))

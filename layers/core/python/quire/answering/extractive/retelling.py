"""What is shown to who asks of an answer: its shortest part, more of the same, an example, a reason, a test, a source.

Without a language model nothing can be put in other words. So in place of a summary the part is shown that says most by
itself, and that this is so is said; where the sources have no more, no code or no reason, that is said instead of
showing what is near in other respects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from quire.answering.about_answers import EXAMPLE, MORE, REASON, SHORTER, TESTS, UNDO, AboutAnswer
from quire.answering.citations import CITED, last_answer
from quire.answering.extractive.arranging import SAME
from quire.answering.extractive.blocks import CODE, HEADING, split_blocks, split_pieces
from quire.answering.extractive.code_answers import CODE_CHARACTERS
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import best_lines
from quire.answering.extractive.continuing import Beside
from quire.answering.extractive.extractive import SHORT_CHARACTERS, choose_quotes, shortest_quote
from quire.answering.extractive.openings import is_code_passage
from quire.answering.extractive.precedence import is_test
from quire.answering.extractive.quotes import Quote, written
from quire.answering.extractive.rendering import quoted_part
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Weighed
from quire.answering.extractive.widening import FIRST_CHARACTERS
from quire.documents import Citation, Hit, Turn

SHORTENED = (
    "Without a language model nothing is put in other words: this is the part of it that says most by itself."
)
NOTHING = {
    MORE: "I found nothing more about this in {}.",
    EXAMPLE: "I found no code about this in {}.",
    TESTS: "I found no test of this in {}.",
    REASON: "I found no reason for this in {} beyond what I quoted.",
    UNDO: "I found nothing on how to undo this in {}.",
}
NOT_IN = "I found none of it in {}."
NO_SOURCE = "None of my answers has a source of that number."
LOST_SOURCE = "I cannot tell any more which passage that was."
STANDS = "It stands in "
NEAR = 0.5
"""Share of the best passage's score that more of the same, or a reason, has; and of the words of a quote that the chunk
has which it is from."""
ABOVE = 80
"""Characters above a block of code that may name its language, and between it and what leads into it."""
ROW, SHOWN = 3, 0.8
"""Words in a row by which a text is told, and the share of a text's rows that what shows it has."""

_REASONS = re.compile(
    r"""
    \b(?:
      because | since | so[ ]that | reasons? | therefore | thus | hence | otherwise | due[ ]to | why
      | caus(?: e | es | ed | ing )
      | in[ ]order[ ]to | to[ ](?:avoid|prevent|ensure|allow|make[ ]sure) | purpose | the[ ]goal  # what for
      | as[ ]a[ ]result | (?:which|this)[ ]means | allows? | ensures? | avoids? | prevents?       # what it does
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_UNDOING = re.compile(
    r"""
    \b(?:
      undo(?:es|ing|ne)? | revert | reverse | roll(?:s|ing|ed)?[ -]?back | restore | reset  # as it was
      | remov(?:e|es|ing|al) | delet(?:e|es|ing) | clear | purge | uninstall                # away with it
      | disabl(?:e|es|ing) | turn(?:s|ed|ing)?[ ]off | unset | cancel | revoke              # no longer
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
SHORT_TAIL = 300
"""Characters before the end of a text in which a piece is looked for in any case."""

_WORDS = re.compile(r"\w+")
_MARK = re.compile(r" ?\[\d{1,3}\]")
_DIRECTIVE = re.compile(r"^ *\.\. (?:code|code-block|sourcecode):: *([\w+#-]+)", re.MULTILINE)
_COMMAND = re.compile(r"`[^`\n ]+ [^`\n]+`")
_INFO = re.compile(r" *(?:`{3,}|~{3,}) *([\w+#-]+)")


class Retold(NamedTuple):
    """What is shown; without citations it says why nothing is."""

    text: str
    citations: tuple[Citation, ...] = ()
    notices: tuple[str, ...] = ()


class Said:
    """What answers have shown; a passage by most of its words in a row, for it is shown without its markup."""

    def __init__(self, *answers: str) -> None:
        self._rows = {row for answer in answers for row in _rows(answer)}

    def holds(self, text: str) -> bool:
        """Whether the text was shown; one without words was."""
        rows = _rows(text)
        return len(rows & self._rows) >= SHOWN * len(rows)


def _rows(text: str) -> set[tuple[str, ...]]:
    words = _WORDS.findall(text.casefold())
    return {tuple(words[at : at + ROW]) for at in range(max(len(words) - ROW + 1, min(len(words), 1)))}


def unsaid(scored: Sequence[Scored], history: Sequence[Turn]) -> Sequence[Scored]:
    """The passages that the last answer of the conversation did not show; all of them where none of those comes near.

    A follow-up may ask for what was shown already: then the right passage again is better than a wrong new one, and the
    section that it asks for is.
    """
    last = next((turn.text for turn in reversed(history) if turn.role == "assistant"), "")
    said = Said(last)
    new = [one for one in scored if one.asked or not said.holds(one.text)] if last else scored
    near = SAME * max((one.score for one in scored), default=0.0)
    return new if any(one.score >= near for one in new) else scored


def retell(
    about: AboutAnswer,
    weighed: Weighed,
    scored: Sequence[Scored],
    history: Sequence[Turn],
    *,
    title: str,
    beside: Beside,
) -> Retold:
    """The passages that the message asks for, of those that the question it follows found; `title` names the
    collection."""
    nothing = NOTHING.get(about.kind, SHORTENED).format(title)
    if about.kind == SHORTER:
        return _shorter(weighed, scored, history, nothing)
    if about.kind == EXAMPLE:
        return _example(weighed, scored, history, about.subject, beside=beside) or Retold(nothing)
    said = Said(*(turn.text for turn in history if turn.role == "assistant"))
    quotes = choose_quotes(weighed, _fitting(about.kind, scored, said), beside=beside)
    if about.kind == MORE:
        quotes = [new for quote in quotes if (new := _new_in(quote, said))]
    if not quotes and about.kind == REASON:
        return _shorter(weighed, scored, history, nothing)
    return Retold(*written(quotes)) if quotes else Retold(nothing)


def _example(
    weighed: Weighed, scored: Sequence[Scored], history: Sequence[Turn], language: str, *, beside: Beside
) -> Retold | None:
    """Code of the sections that answer, in the language if there is any, or a command in their text, or a section of
    examples without code; None where they have none of it."""
    weighed = replace(weighed, text=f"Show me an example. {weighed.text}", wants_code=True)
    near = _of_near_sections(scored)
    code = [one for one in near if _language_of(one) is not None]
    commands = [] if code or language else [one for one in near if _COMMAND.search(one.text)]
    wanted = ("", _named(language))
    fitting = [one for one in code if not language or _named(_language_of(one) or "") in wanted]
    told = [one for one in scored if one.asked and not code]
    # Not as what the question asks for by its title: another one is shown where it was shown before.
    shown = [replace(one, asked=False) for one in fitting or code or commands or told]
    text, citations = written(choose_quotes(weighed, unsaid(shown, history), beside=beside), beside)
    if "```" not in text and not (told or commands):
        return None
    return Retold(text, citations, () if fitting or not language else (NOT_IN.format(language),))


def _shorter(weighed: Weighed, scored: Sequence[Scored], history: Sequence[Turn], notice: str) -> Retold:
    """The part of the last answer that says most by itself, and why it is that."""
    last = last_answer(history)
    said = Said(last)
    told = [one for one in scored if said.holds(one.text)]
    quote = shortest_quote(weighed, told or scored, min(SHORT_CHARACTERS, len(last) // 2))
    return Retold(*written([quote] if quote else []), (notice,))


def _of_near_sections(scored: Sequence[Scored]) -> list[Scored]:
    """The passages of the sections in which one comes near the best: code says few words of what it is about."""
    least = NEAR * max((one.score for one in scored), default=0.0)
    near = {_section(one) for one in scored if one.score >= least}
    return [one for one in scored if _section(one) in near]


def _section(one: Scored) -> tuple[str, tuple[int, int] | None]:
    return one.hit.chunk.id, one.passage.heading


def _fitting(kind: str, scored: Sequence[Scored], said: Said) -> list[Scored]:
    """The tests among the passages; or those that come near the best and are new, of reasons those that give one."""
    if kind == TESTS:
        return [one for one in scored if is_test(one.hit.chunk)]
    least = NEAR * max((one.score for one in scored), default=0.0)
    near = [one for one in scored if one.score >= least]
    if kind == REASON:
        near = [one for one in near if _REASONS.search(one.text) and not is_code_passage(one)]
    if kind == UNDO:
        near = [one for one in near if _UNDOING.search(one.text)]
    return [one for one in near if not said.holds(one.text)]


def _new_in(quote: Quote, said: Said) -> Quote | None:
    """The quote without what was shown before it begins and after it ends; None where nothing is left."""
    text = quote.hit.chunk.text
    if is_code_chunk(quote.hit.chunk):
        return None if said.holds(quote.text) else quote
    pieces = [one for one in split_pieces(text) if quote.start <= one.start and one.end <= quote.end]
    new = [one for one in pieces if not said.holds(text[one.start : one.end])]
    if not new:
        return None if pieces or said.holds(quote.text) else quote
    start = quote.start if new[0] is pieces[0] else new[0].start
    return replace(quote, start=start, end=new[-1].end, answers_at=start)


def _language_of(one: Scored) -> str | None:
    """The language of the code that the passage is, stands in or leads to, as file, fence or directive says;
    "" where none does, None where there is no code."""
    chunk, passage = one.hit.chunk, one.passage
    if is_code_chunk(chunk):
        return str(chunk.metadata.get("lang") or "")
    for block in split_blocks(chunk.text):
        if block.end <= passage.start:
            continue
        if block.start > passage.end + ABOVE or (block.kind == HEADING and block.start >= passage.end):
            break
        if block.kind == CODE:
            told = _INFO.match(chunk.text, block.start)
            begin = chunk.text[max(block.start - ABOVE, 0) : min(block.start + ABOVE, block.end)]
            return told[1] if told else next(iter(_DIRECTIVE.findall(begin)[-1:]), "")
    return None


def _named(language: str) -> str:
    return _ALIKE.get(language.lower(), language.lower())


_ALIKE = {
    alike: name
    for name, listed in {
        "python": "py python3 pycon",
        "javascript": "js jsx mjs",
        "typescript": "ts tsx",
        "shell": "sh bash console shellsession zsh",
        "go": "golang",
        "cpp": "c++",
        "csharp": "c# cs",
        "terraform": "hcl tf",
    }.items()
    for alike in listed.split()
}


def said_at(answer: str, number: int) -> str:
    """What an answer says with its source of that number, of its first where 0; "" where it has none.

    Above code the mark stands with the place.

    >>> said_at("Unplug it. [1]\\n\\n`stop`, a.py:3-4 [2]\\n\\n```python\\nstop()\\n```", 2)
    '`stop`, a.py:3-4\\n\\n```python\\nstop()\\n```'
    """
    if answer.startswith(STANDS):  # a source that was shown is no source's own words
        answer = answer.partition("\n\n")[2]
    marks = list(CITED.finditer(answer))
    at = next((place for place, mark in enumerate(marks) if not number or mark[1] == str(number)), None)
    if at is None:
        return ""
    said = answer[marks[at - 1].end() if at else 0 : marks[at].start()].strip()
    if said.startswith("```"):  # of the source before
        said = said.partition("\n```")[2].partition("\n")[2].strip()
    behind = answer[marks[at].end() :].lstrip("\n")
    if behind.startswith("```"):
        code, fence, _ = behind.partition("\n```")
        said = f"{said}\n\n{code}{fence}"
    return said or (said_at(answer[: marks[at].start()], int(marks[at - 1][1])) if at else "")


def find_quote(said: str, hits: Sequence[Hit]) -> Quote | None:
    """The part of a chunk that a text was quoted from, or that it tells of: the one with most of its words in a row."""
    rows = _rows(_MARK.sub("", said))
    shares = [len(rows & _rows(hit.chunk.text)) / max(len(rows), 1) for hit in hits]
    best = max(range(len(hits)), key=shares.__getitem__, default=0)
    if not hits or shares[best] < NEAR:
        return None
    hit = hits[best]
    words = [(found.group().casefold(), found.start()) for found in _WORDS.finditer(hit.chunk.text)]
    begins = (
        words[at][1] for at in range(len(words)) if tuple(word for word, _ in words[at : at + ROW]) in rows
    )
    return _whole(hit, next(begins, 0))


def show_source(quote: Quote) -> Retold:
    """A passage that was cited, below where it stands; above code that stands already."""
    text, citations = written([quote])
    part = quoted_part(citations[0])
    if is_code_chunk(part):
        return Retold(text, citations)
    section = part.breadcrumb.rpartition(" › ")[2]
    return Retold(f"{STANDS}{part.place}, under “{section}”:\n\n{text}", citations)


def _whole(hit: Hit, start: int) -> Quote:
    """The chunk from the piece that `start` stands in, with its heading, as far as there is room; all of it where it is
    short or little follows."""
    text = hit.chunk.text
    if is_code_chunk(hit.chunk):
        weighed = Weighed("", {}, (), wants_code=True)
        span = (
            (0, len(text))
            if len(text) <= CODE_CHARACTERS
            else best_lines(weighed, text, start, CODE_CHARACTERS)
        )
        return Quote(hit, *span, span[0])
    if len(text) <= FIRST_CHARACTERS:
        return Quote(hit, 0, len(text.rstrip()), start)
    pieces = [
        piece for piece in split_pieces(text) if piece.end > start or len(text) - piece.start <= SHORT_TAIL
    ]
    begin = pieces[0].start if pieces else 0
    above = [block for block in split_blocks(text) if block.end <= begin][-1:]
    begin = above[0].start if above and above[0].kind == HEADING else begin
    fitting = [piece.end for piece in pieces if piece.end - begin <= FIRST_CHARACTERS]
    return Quote(hit, begin, max(fitting, default=pieces[0].end if pieces else len(text)), start)

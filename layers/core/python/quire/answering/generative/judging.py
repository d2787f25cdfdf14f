"""Reads a model's text against its sources, sentence by sentence: marks what they say, and flags what they do not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.answering.citations import CITED, CODE_SPAN, read_marks
from quire.answering.extractive.weighing import Lexicon
from quire.answering.generative.cleaning import as_data, without_embeds
from quire.answering.generative.context import PromptSource
from quire.answering.generative.sentence_stream import StreamUnit
from quire.answering.generative.support import (
    PAIR_THRESHOLD,
    THRESHOLD,
    KnownFacts,
    ModelClaim,
    claim_of,
    facts_of,
    known_of,
    together,
)

FLAG = " *(not in the sources)*"
MOST_TOLD = 5
LONGEST_TOLD = 160
_MARKS = re.compile(r" ?\[\d{1,3}\]")
_LEAD = re.compile(r"\s*(?:>\s*)*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$")
_TAIL = re.compile(r"(?:[.!?:;…]+[\"'”’)*_]*|\s*\|)?\s*\Z")
TAIL_CHARACTERS = 200
_SAYS_NOTHING = re.compile(
    r"""
    \b(?:sources?|documentation|docs?|documents?|passages?|text|material|manual|guide|handbook|textbook|pages?|code
          |sections?|excerpts?)\b [^.;]{0,40}? \b(?:do(?:es)?\ not|(?:do|does)n['’]t|nothing|no)\b  # "the docs do not"
    | \bnot\ (?:\w+\ )?(?:covered|mentioned|described|specified|stated|documented|explained|said)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KNOWS_NOT = re.compile(
    r"""
    \bI\ (?: (?:do|can|could)(?:\ not|n['’]t) | cannot | am\ (?:not\ able|unable)\ to )\b  # "I cannot find this"
    | \bthere\ (?:is|was)\ no\ (?:information|answer|mention)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TABLE_LINE = re.compile(r"\s*\|")
_TURN = re.compile(r"\b(?:but|however|although|though|yet|because)\b|;", re.I)


class Judge:
    """One reply's judge, who remembers what was cited and what the sources do not say.

    Attributes:
        used: numbers of the sources that were cited, in order of their first use.
        dropped: numbers in the model's text that named no source.
        kept: sentences that the sources say.
        refused: sentences that they do not say, as the model wrote them.
        strange: what stands in the text and in none of its sources: numbers, names and symbols.
        denied: sentences that only say that something is not told.
    """

    def __init__(
        self,
        sources: Sequence[PromptSource],
        lexicon: Lexicon,
        *,
        question: str = "",
        title: str = "",
        strict: bool = False,
    ) -> None:
        self.used: dict[int, None] = {}
        self.dropped = 0
        self.kept = 0
        self.refused: list[str] = []
        self.strange: dict[str, None] = {}
        self.denied = 0
        self._is_in_table = False
        self._known = {source.n: known_of(source, title) for source in sources}
        self._own = "\n".join(as_data(source.text) for source in sources)
        self._lexicon = lexicon
        self._question = question
        self._is_strict = strict

    def read(self, unit: StreamUnit) -> str:
        """What of the unit is shown."""
        if unit.is_code:
            self._is_in_table = False
            return self._read_code(unit.text)
        marked = read_marks(without_embeds(unit.text), self._known, self._own)
        self.dropped += marked.dropped
        said = CITED.sub("", CODE_SPAN.sub("", marked.text))
        sentence = _LEAD.sub("", _plain(marked.text) if said != marked.text else marked.text, count=1)
        claim = claim_of(sentence, self._question, self._lexicon)
        if self._is_no_claim(sentence, claim, heads=self._heads_table(unit)):
            self._cite(marked.numbers)
            return marked.text
        numbers = self._sources_of(claim, marked.numbers)
        if not numbers:
            return self._refuse(unit, marked.text, sentence, claim)
        self.kept += 1
        self._cite(numbers)
        if numbers == marked.numbers:
            return marked.text
        return _inserted(_plain(marked.text), " " + "".join(f"[{number}]" for number in numbers))

    @property
    def found_nothing(self) -> bool:
        """Whether the model said nothing but that the sources do not answer."""
        return self.denied > 0 and not (self.used or self.kept or self.refused)

    def notices(self) -> list[str]:
        """Sentences for the user about what the sources do not say."""
        told = [f"“{one[:LONGEST_TOLD]}”" for one in self.refused[:MOST_TOLD]]
        more = len(self.refused) - len(told)
        found = []
        if told:
            how = "Left out, as the sources do not say it" if self._is_strict else "Not said by the sources"
            found.append(f"{how}: {' '.join(told)}" + (f" and {more} more." if more > 0 else ""))
        if self.strange:
            listed = ", ".join(f"`{one}`" for one in list(self.strange)[: 2 * MOST_TOLD])
            found.append(f"In no source of the answer: {listed}.")
        return found

    def _read_code(self, text: str) -> str:
        if text.lstrip().startswith(("```", "~~~")) or not self._known:
            return text
        everything = together(list(self._known.values()))
        facts = facts_of(text)
        strange = [one for one in sorted(facts.symbols) if one not in everything.text]
        self.strange.update(dict.fromkeys(strange))
        return "" if strange and self._is_strict else text

    def _heads_table(self, unit: StreamUnit) -> bool:
        """Whether it begins a table, whose first line names its columns."""
        was_in_table = self._is_in_table
        if unit.begins_line:
            self._is_in_table = bool(_TABLE_LINE.match(unit.text))
        return self._is_in_table and not was_in_table

    def _is_no_claim(self, sentence: str, claim: ModelClaim, *, heads: bool) -> bool:
        """Headings, names of columns, lead-ins, and what only says that something is not told."""
        if _denies(sentence):
            self.denied += 1
            return True
        if not claim.weights:
            return not claim.facts.numbers
        if not (heads or _HEADING.match(sentence) or sentence.rstrip().endswith(":")):
            return False
        return not claim.unknown(together(list(self._known.values())))

    def _sources_of(self, claim: ModelClaim, marked: tuple[int, ...]) -> tuple[int, ...]:
        """The sources that say it: those that the model marked, else the best, else the best two together."""
        if marked and self._is_said(claim, marked):
            telling = tuple(n for n in marked if self._is_said(claim, (n,)))
            return marked if len(telling) in (0, len(marked)) else telling
        ranked = sorted(self._known, key=lambda n: (-self._worth(claim, self._known[n]), n))
        for n in ranked[:3]:
            if self._is_said(claim, (n,)):
                return (n,)
        for second in ranked[1:4]:
            if self._is_said(claim, (ranked[0], second), PAIR_THRESHOLD):
                return tuple(sorted((ranked[0], second)))
        return ()

    def _worth(self, claim: ModelClaim, known: KnownFacts) -> float:
        return claim.score(known) - len(claim.unknown(known))

    def _is_said(self, claim: ModelClaim, numbers: Sequence[int], threshold: float = THRESHOLD) -> bool:
        return claim.is_said(together([self._known[n] for n in numbers]), threshold)

    def _refuse(self, unit: StreamUnit, text: str, sentence: str, claim: ModelClaim) -> str:
        self.refused.append(" ".join(CITED.sub("", sentence).split()))
        everything = together(list(self._known.values())) if self._known else None
        self.strange.update(dict.fromkeys(claim.unknown(everything) if everything else ()))
        if not self._is_strict:
            return _inserted(_plain(text), FLAG)
        return "\n" if text.endswith("\n") and not unit.begins_line else ""

    def _cite(self, numbers: Sequence[int]) -> None:
        self.used.update(dict.fromkeys(numbers))


def _denies(sentence: str) -> bool:
    """Whether it only says that something is not told.

    >>> _denies("I'm sorry, but I cannot find that."), _denies("The docs do not say so, but it is 5.")
    (True, False)
    """
    if _SAYS_NOTHING.search(sentence):
        return not _TURN.search(sentence)
    found = _KNOWS_NOT.search(sentence)
    return found is not None and not _TURN.search(sentence, found.end())


def _plain(text: str) -> str:
    """The text without its marks, code spans as they are."""
    parts, end = [], 0
    for span in CODE_SPAN.finditer(text):
        parts += [_MARKS.sub("", text[end : span.start()]), span.group()]
        end = span.end()
    return "".join([*parts, _MARKS.sub("", text[end:])])


def _inserted(text: str, what: str) -> str:
    """The text with something before its closing punctuation."""
    tail = _TAIL.search(text, max(len(text) - TAIL_CHARACTERS, 0))
    place = tail.start() if tail else len(text)
    return f"{text[:place].rstrip() if text[:place].strip() else text[:place]}{what}{text[place:]}"

"""What a thing is: passages that define the term of a question such as "What is X?" or "What does X stand for?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath

from quire.analysis.entries import defined_term
from quire.analysis.terms import analyze
from quire.answering.evidence_hits import evidence_of
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.passages import CODE, Passage, split_passages
from quire.documents import Chunk, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.ports import Ordinals
from quire.ranking import intersection, union
from quire.search.intent import read_intent
from quire.search.query import term_weights

LOOKED_AT = 64
"""Chunks that say the term best, in which definitions are looked for: about 2 ms."""
MOST_FOUND = 3
HEADING_WEIGHT = 0.5
MOST_NAMED, BEFORE, BEHIND = 16, 60, 140
"""Of a text so many places that say the term are looked at, with so many characters around each."""
SAID = 1.0
"""What "X is a …" is worth, and an abbreviation that is spelled out."""
PARTLY, LISTED = 0.6, 0.4
"""What says something that it is or does ("X are …", "… called X"), and an entry of a list ("X: …")."""
STATED = 1.3
"""What a book states as a definition is worth: "Definition 2.1. A group is …"."""
OPENING = 0.35
"""What stands first below a title that says X has more."""
HOME, START, START_LINES, LATER = 0.3, 0.2, 40, 0.01
"""So has what stands on a page that tells what all of it is: of many sentences on a product the one for strangers."""
_HOME_STEMS = "readme index intro introduction overview about getting-started home 00-intro".split()
HOMES = tuple(
    f"{folder}{stem}{suffix}"
    for folder in ("", "docs/", "docs/source/", "doc/")
    for stem in ("README", "Readme", *_HOME_STEMS)
    for suffix in (".md", ".mdx", ".rst", ".adoc", ".html", "")
)
HOME_CHUNKS, MOST_HOMES = 2, 4
"""Of so many such pages so many chunks are looked at, whatever they say of the term."""

_NAMED = r"""[*_`"'“”‘’]{0,3} (?:[\w.-]{1,40}/)? NAME [*_`"'“”‘’]{0,3}"""  # of an owner: "potters/kiln"
_BEGINS = rf"""
    (?: ^ | (?<=[.!?:][ ]) | (?<=\n) ) (?! [ \t]*+ >>> ) [ \t>*+-]*+ (?: (?:the|an?)[ ] )?  # no line of a session
    (?-i: (?: (?!(?:Each|Every|Some|Any|No|This|That|If|When)\b) [A-Z][\w.]*+ [ ] )? )  # "A Tokio task"
    (?: (?: package | module | crate | gem | (?:the[ ])?(?:library|name|term|word) ) [ ] )?  # "Package kiln"
    {_NAMED}
    (?: [ ]\([^()\n]{{1,80}}\) | ,[ ][^,.\n]{{2,60}}, | [ ]\$[^$\n]{{1,60}}\$ )?  # an aside, a formula
"""
_PRAISE = r"""
    (?:an?|the) [ ] (?: (?: free[ ] (?:and[ ])? )? open[ -]source[ ](?:project|software|effort)  # of any product
      | (?: very|really|quite|great|good|better|best|excellent|nice|popular|official|perfect ) ) \b
"""
_WHOLE = rf"""
    {_BEGINS} [ ] (?:
      (?:is|are|was) [ ] (?! {_PRAISE} )
      (?: an? | the | both | one[ ]of | any | another | how | basically | simply | just | short[ ]for ) [ ]
    | are [ ]                                                       # "Roles are parts"; not "Roles are loaded early"
      (?! (?: \w+ (?:ed|ing|ly|al|ble|ful|ant|ent|ive|ous|ary) | not|now|always|often|never|only|also|very|too ) \b )
      \w+ [ ] (?!(?:and|or)\b) \w+
    | means[ ] | refers?[ ]to[ ] | stands?[ ]for[ ] | =[ ] (?! [\w.]*+ [(\[{{"'\d] ) )  # no line of code
  | \b(?:an?|the) [ ] {_NAMED}, [ ] (?:which[ ]is[ ])? an? [ ]  # "a data model, a tree of objects"
"""
_PARTLY = rf"""
    {_BEGINS} [ ] (?: is | are | provides? | allows? | lets? | enables? | describes? | represents? | gives?
      | consists?[ ]of | contains? ) (?:[ ]|(?=:)) (?! (?: not | now | available | required ) \b
      | (?! used | designed | intended | composed | based | defined ) \w+ed \b )
  | {_BEGINS} [ ]? — [ ]? [a-z]
  | \b(?:is|are) [ ] (?:(?:said[ ]to[ ]be|called)[ ])? (?:an?|the)?[ ]? {_NAMED} [ ]
    (?:if|when|provided)\b (?! [ ]and[ ]only )
  | \b(?: call(?:ed|s)? | known[ ]as | termed | named | referred[ ]to[ ]as ) [ ] (?:the[ ]|an?[ ])? {_NAMED} (?!\w)
"""
_ENTRY = rf"""
    (?: ^ | (?<=\n) ) [ \t]*+ (?:[*+|-]|\d+\.)? [ \t]*+ {_NAMED} (?:[ ]\([^()\n]{{1,60}}\))?  # an entry of a list
    (?: : [*_`]{{0,3}} [ ] | [ ][—–-]+[ ] | \n:[ ] | [ ]\|[ ] )
    (?= [^\n]{{0,300}}? (?<!\S) [a-z’'-]++ (?:[ ][a-z’'`*-]++){{3}} )       # with some words
    (?! \S*(?:/|\.\w) )                                                 # and no address
"""
"""What begins a sentence, item or line and says what the term is; what says something of it; an entry that it heads.
`NAME` is the term."""
_AT_HOME = rf"{_BEGINS} [ ] (?!(?:is|was|has)\b) [a-z]++(?<=s) [ ]"
"""What its own first page says that the product does: "Quill sends letters"."""
_BEHIND_COMMA = (
    rf""",[ ] (?:an?|the) [ ] {_NAMED} (?:[ ]\$[^$\n]{{1,60}}\$)? [ ] (?:is|are|consists?[ ]of) \b"""
)
"""Counts in what a book states as a definition alone: "For a set $A$, a relation $R$ on $A$ is …"."""
_SHARES = {_WHOLE: SAID, _PARTLY: PARTLY, _ENTRY: LISTED, _BEHIND_COMMA: 0.0}
_STATEMENT = re.compile(
    r"""
    [ \t>*_]*+
    (?: (Definition)
      | Theorem | Lemma | Proposition | Corollary | Claim | Proof | Exercise | Problem | Example  # what is so
    ) \b (?= [\s*_]*+ [\d.(*_] )
    """,
    re.VERBOSE,
)
"""What begins a paragraph of a book that states things: `Definition 2.1.`, `**Lemma (Oil).**`."""
_TITLE_WORDS = re.compile(
    r"""
    ^(?: (?: what[ ](?:is|are) | about | using | the | an? | introduction[ ]to | introducing | overview[ ]of
           | understanding ) [ ] )+                                                      # before it
    | [ ] (?: overview | basics | explained | concepts? | introduction )$                # and behind
    | [?:*`]
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What a title about a thing may say beside its name."""


class Term:
    """A term whose meaning is asked for, ready to be looked for in texts.

    Attributes:
        text: the term as the question writes it.

    >>> term = Term("IMU")
    >>> [term.said(text) for text in ("An IMU is a sensor.", "Inertial Measurement Unit (IMU)", "IMU data is noisy.")]
    [1.0, 1.0, 0.0]
    >>> Term("lamp").said("Lamps give light."), Term("lamp").is_title("What is a lamp?")
    (0.6, True)
    """

    def __init__(self, term: str) -> None:
        self.text = term
        self._stems = tuple(analyze(term.lower()))
        words = [re.escape(word) for word in re.split(r"[\s-]+", term.strip("`"))]
        words[-1] += "?" if words[-1].endswith("s") and len(words[-1]) > 2 else "s?"
        name = r"[\s-]?".join(words)
        self._name = re.compile(name, re.IGNORECASE)
        forms = {share: form.replace("NAME", name) for form, share in _SHARES.items()}
        self._forms = {share: re.compile(form, re.IGNORECASE | re.VERBOSE) for share, form in forms.items()}
        form = _AT_HOME.replace("NAME", name)
        self._at_home = re.compile(form, re.IGNORECASE | re.VERBOSE)
        self._spelled_out = _spelled_out(term)

    def said(self, text: str) -> float:
        """How far the text says what the term is: `STATED`, `SAID`, `PARTLY`, `LISTED` or 0."""
        if self._spelled_out and self._spelled_out.search(text):
            return SAID
        spans = [
            (max(text.rfind("\n", 0, found.start()) + 1, found.start() - BEFORE), found.end() + BEHIND)
            for found in islice(self._name.finditer(text), MOST_NAMED)
        ]
        found = [
            (share, _STATEMENT.match(text, _paragraph(text, said.start())))
            for share, form in self._forms.items()
            for span in spans
            if (said := form.search(text, *span))
        ]
        if any(statement and statement[1] for _, statement in found):
            return STATED
        return next((share for share, statement in found if not statement), 0.0)

    def does(self, text: str) -> bool:
        """Whether a text of the page that tells what it is begins with what it does."""
        return bool(self._at_home.match(text))

    def is_title(self, title: str) -> bool:
        """Whether the title says the term and nothing else."""
        return bool(self._stems) and tuple(analyze(_TITLE_WORDS.sub("", title).lower())) == self._stems


def _paragraph(text: str, at: int) -> int:
    """Where the paragraph around a place begins."""
    before = text.rfind("\n\n", 0, at + 1)
    return before + 2 if before >= 0 else 0


def asked_term(question: str) -> Term | None:
    """The term whose meaning is asked for; None where none is. The same object for the same term."""
    meaning = read_intent(question).meaning
    return _term(meaning) if meaning else None


@lru_cache(maxsize=64)
def _term(term: str) -> Term:
    return Term(term)


def definition_shares(question: str, chunk: Chunk, passages: Sequence[Passage]) -> list[float]:
    """How far each passage of a text says what the term of the question is; 0 where it asks for none, and in code."""
    term = asked_term(question)
    if term is None or is_code_chunk(chunk):
        return [0.0] * len(passages)
    text = chunk.text
    titled = [one for one in passages if one.heading and term.is_title(text[slice(*one.heading)])]
    first = {one.heading: one.start for one in reversed(titled)}.values()
    listed = {one.lead: one.start for one in reversed(passages) if one.lead}.values()
    spans = [one.lead if one.lead and one.start in listed else (one.start, one.start) for one in passages]
    said = [
        0.0 if one.kind == CODE else term.said(text[one.start : one.end]) or term.said(text[slice(*span)])
        for one, span in zip(passages, spans, strict=True)  # "A lamp is:" is said of the first item below it
    ]
    if home := _home_worth(chunk):
        does = (PARTLY * term.does(text[one.start : one.end]) for one in passages)
        said = [share or other for share, other in zip(said, does, strict=True)]
        said = [share and share + home - LATER * order for order, share in enumerate(said)]
    return [
        share + OPENING * (one.start in first and one.kind != CODE)
        for one, share in zip(passages, said, strict=True)
    ]


def defining_hits(
    index: OpenedIndex, question: str, seen: Sequence[Hit], filters: Filters
) -> tuple[Hit, ...]:
    """Texts that define the term of the question best and are not among the hits seen, with ranks behind those."""
    term = asked_term(question)
    if term is None or not seen:
        return ()
    known = {hit.chunk.id for hit in seen}
    best = best_definitions(index, question, term, filters)
    new = [chunk for chunk, _ in best[:MOST_FOUND] if chunk.id not in known]
    hits = (
        Hit(chunk, seen[-1].rank + place, seen[0].score, None, seen[0].version)
        for place, chunk in enumerate(new, 1)
    )
    return evidence_of(question, tuple(hits))


def best_definitions(
    index: OpenedIndex, question: str, term: Term, filters: Filters
) -> list[tuple[Chunk, float]]:
    """The texts that say what the term of the question is, the best first, with how far they do."""
    allowed = index.filters.chunks(filters)
    by_words = index.search(term_weights(term.text, HEADING_WEIGHT), LOOKED_AT, allowed).ordinals
    by_definition = index.search({defined_term(term.text): 1.0}, LOOKED_AT, allowed).ordinals
    ordinals = union([by_words, by_definition, _first_of_homes(index, allowed)])
    shares = [
        (chunk, max(definition_shares(question, chunk, split_passages(chunk.text)), default=0.0))
        for chunk in index.fetch(ordinals.tolist())
        if not is_code_chunk(chunk)
    ]
    return sorted((one for one in shares if one[1]), key=lambda one: -one[1])


def _first_of_homes(index: OpenedIndex, allowed: Ordinals | None) -> Ordinals:
    """The first chunks of the pages that tell what all of it is, ascending."""
    known = (index.documents.chunks(path) for path in HOMES)
    first = union([chunks[:HOME_CHUNKS] for chunks in known if len(chunks)][:MOST_HOMES])
    return first if allowed is None else intersection(first, allowed)


def _home_worth(chunk: Chunk) -> float:
    """What a definition has more on a page that tells what all of it is: near the root and at its beginning more."""
    path = PurePosixPath(str(chunk.metadata.get("path") or chunk.document_id))
    if path.stem.lower() not in _HOME_STEMS:
        return 0.0
    first = chunk.metadata.get("start_line")
    is_start = isinstance(first, int) and first <= START_LINES
    return (HOME + START * is_start) / len(path.parts)


def _spelled_out(term: str) -> re.Pattern[str] | None:
    """An abbreviation with what its letters stand for: `IMU (Inertial Measurement Unit)`, or the other way round.

    As in Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions", 2003: the letters begin
    the words.
    """
    letters = term.removesuffix("s")
    if not (2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper()):
        return None
    words = r"[\s-]++ (?:(?:of|and|the|for)[ ])?".join(rf"{letter}\w*+" for letter in letters)
    spelled = rf"""
        \b{letters}s? [*_`]* (?: [ ]?\( | [ ]=[ ] | [ ][—–-][ ] | :[ ] | [ ]stands[ ]for[ ] ) [*_`]* {words}
        | \b{words} [*_`]* [ ]\([*_`]* {letters}s?\b
    """
    return re.compile(spelled, re.IGNORECASE | re.VERBOSE)

"""All that is known before a word of an answer is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from quire.analysis.entries import KEY
from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import analyze
from quire.answering.abstention import Abstention, Evidence, confidence, gather, gather_news, read_abstention
from quire.answering.citations import last_answer
from quire.answering.conversation import is_elliptical, says_something
from quire.answering.evidence_hits import evidence_of
from quire.answering.extractive.asked_section import AskedSection, asked_section, with_section
from quire.answering.extractive.code_answers import handed_to
from quire.answering.extractive.definitions import SAID, defining_hits
from quire.answering.extractive.entries import asked_name, begins_entry, entry_of
from quire.answering.extractive.known_pages import known_page_hits, opens_known_page
from quire.answering.extractive.parts import (
    AskedPart,
    bare,
    is_about,
    is_told_by,
    named_first,
    parts_of,
)
from quire.answering.extractive.retelling import find_quote, said_at
from quire.answering.extractive.scoring import Scored, score_passages, titled
from quire.answering.extractive.siblings import leading_hits, with_siblings
from quire.answering.extractive.weighing import Weighed, is_slip, strange_words, weigh, without_common
from quire.answering.request import Inquiry
from quire.answering.unmentioned import LOOKALIKE, NOTHING_MISSING, Unmentioned, unmentioned
from quire.documents import Chunk, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.limits import QUESTION_CHARACTERS
from quire.ports import Embedder, Vectors, WordList
from quire.search.candidates import Ranked
from quire.search.intent import compared, read_intent, words_of
from quire.search.query import mended, written_names
from quire.search.retrieval import Query, Retrieved, read_by_terms, retrieve

NAMED_COVERAGE = 0.6
READ_HITS, READ_CODE = 6, 8
"""Hits whose passages are scored: later ones change one answer in a hundred; code is found less well than text."""
PART_HITS = 8
"""Hits of a part of the question among which what is about it is looked for."""
CONTRAST = 4.0
"""For a passage that contrasts what the question is about with something else, itself or by its heading."""
MOST_PAGES = 3
"""Pages on which the section is looked for that a question asks for by its title."""
KNOWN_PAGE = 0.9
"""How likely a page that is called by what is asked of the product answers it, be its words others."""
TITLE_TERMS, TITLED_PASSAGES, TITLED = 2, 40, 0.9
"""Terms of a question that is a section's title, passages whose titles are looked at, and how well one says it. Of the
2,043 questions to 18 collections that are refused, everyday ones most of them, none is a title so far as .85."""
IN_HAND = 1.0
"""For passages of the page that the last answer was quoted from, where the question names no topic. Of 112 follow-ups
to four projects that it was chosen on 70 are answered rightly with it, 66 without, 69 with twice as much; of 112 to
four that took no part 79 and 75."""
NAMED = 0.5
"""Share of the thing's name, by weight, that such a passage says with its heading."""

_CONTRASTED = re.compile(
    r"""
    \b(?i:vs\.?|versus|alternatives?|unlike|whereas)(?!\w)
    | \b(?i:instead[ ]of|rather[ ]than|compared[ ](?:to|with)|in[ ]place[ ]of|better[ ]than|worse[ ]than)\b
    | \b(?i:not)[ ](?:an?[ ]|the[ ])?[A-Z]  # "(Not OAK-D or ZED)": a name that is turned down
    """,
    re.VERBOSE,
)

_IS_EXACT = re.compile(r"[a-z][_\d]")
"""Of a name what no word of the language has."""


@dataclass(frozen=True, slots=True)
class AskedCollection:
    """An opened collection with what answering from it needs.

    Attributes:
        index: the version that is asked.
        embedder: None where the model cannot be opened; then words alone count.
        title: how sentences name the collection.
        label: engine version or commit, "" where there is none.
    """

    index: OpenedIndex
    embedder: Embedder | None
    title: str
    label: str = ""

    @property
    def abstention(self) -> Abstention:
        """The collection's threshold, as it was measured when it was built."""
        return read_abstention(self.index.calibration.get("abstention"))


@dataclass(frozen=True, slots=True)
class Findings:
    """What a question found.

    Attributes:
        found: the hits as they are shown.
        read: those, then more chunks of their documents.
        weighed: what was searched for, weighed.
        scored: passages of the first hits and of the siblings, best first.
        evidence: what speaks for and against an answer.
        confidence: probability that the collection answers.
        section: what the question asks for by its title.
        unmentioned: a code or version of the question that nothing found mentions; "" where all are.
    """

    found: Retrieved
    read: tuple[Hit, ...]
    weighed: Weighed
    scored: list[Scored]
    evidence: Evidence
    confidence: float
    section: AskedSection | None = None
    unmentioned: str = ""

    @property
    def topic_confidence(self) -> float:
        """Of a follow-up, that of it together with what it follows: what it asks anew may be for a model to see."""
        return confidence(replace(self.evidence, news=None)) if self.confidence else 0.0


def find(
    collection: AskedCollection, inquiry: Inquiry, searched: str, *, ranked: Ranked | None = None
) -> Findings:
    """Retrieve for `searched`, the question as its history completes it, and for the selected text; then read.

    Whether the collection answers is judged by what the question found without its terms. They bring passages to read
    and to quote.

    Raises:
        InputError: the question is empty, or a filter field unknown; `field` names it.
    """
    index, embedder = collection.index, collection.embedder
    leans = searched != inquiry.question and says_something(inquiry.question)
    query = _query(inquiry, searched, leans=leans)
    found = retrieve(index, embedder, query, ranked=ranked)
    text = read_by_terms(query).text
    searched, leans = (searched, leans) if text == query.text else (text, False)
    vector = _vector_of(text, found, embedder)
    known = mended(text, found.mended), mended(searched, found.mended)
    weighed = replace(weigh(known[0], index), symbols=found.names)
    weighed = weighed.leaning_to(inquiry.question) if leans else weighed
    told = evidence_of(text, found.plain or found.hits)
    read, scored = _passages(
        collection,
        told,
        known[0],
        vector,
        weighed=weighed,
        filters=inquiry.filters,
        uncommon="" if leans or inquiry.selected_text.strip() else without_common(known[0], index),
    )
    earlier = f"{searched.removeprefix(inquiry.question)}\n{inquiry.selected_text}".strip()
    weighed, scored, section = _opened_at(collection, inquiry, earlier, read, found=(weighed, scored))
    evidence = _evidence(collection, known[1], told, vector, read=(weighed, scored), mends=found.mended)
    if leans and not section and embedder is not None and vector is not None:
        own = mended(inquiry.question, found.mended)
        news = gather_news(own, earlier, told, scored, lexicon=index, embedder=embedder)
        evidence = replace(evidence, news=news)
    missing = _missing(collection, inquiry, found, told)
    is_lost = not told or bool(undefined_letter(inquiry, searched, index, scored))
    sure = 0.0 if is_lost else min(_sure(evidence, weighed, scored), LOOKALIKE if missing.is_asked else 1.0)
    if found.plain:
        text = f"{known[0]} {inquiry.terms}"
        weighed = weigh(text, index)
        read, scored = _passages(
            collection, found.hits, text, vector, weighed=weighed, filters=inquiry.filters
        )
    if read_intent(inquiry.question).is_alternatives:
        scored = _contrasting_first(inquiry.selected_text or searched, index, scored)
    return Findings(found, read, weighed, scored, evidence, sure, section, missing.name)


def _sure(evidence: Evidence, question: Weighed, scored: Sequence[Scored]) -> float:
    """How likely the collection answers: what it has a page or a section for, by their titles, it most likely does."""
    is_known = bool(opens_known_page(question, scored)) or _is_title(question, scored)
    return max(confidence(evidence), KNOWN_PAGE * is_known)


def _is_title(question: Weighed, scored: Sequence[Scored]) -> bool:
    """Whether a section that was found is called by what the question says, in two words or more: who asks "How do I
    add a lamp?" asks for *Adding a lamp*, however near its words lie."""
    if len(question.idf) < TITLE_TERMS:
        return False
    spans = ((one.hit.chunk, one.passage.heading) for one in scored[:TITLED_PASSAGES])
    titles = {
        chunk.text[slice(*span)] if span else chunk.breadcrumb.rpartition(" › ")[2] for chunk, span in spans
    }
    return any(titled(question, set(analyze(title))) >= TITLED for title in titles)


def _missing(
    collection: AskedCollection, inquiry: Inquiry, found: Retrieved, told: Sequence[Hit]
) -> Unmentioned:
    """The code or version that nothing found mentions; a selected text may be where it stands."""
    if inquiry.selected_text.strip():
        return NOTHING_MISSING
    names = {word: known for word, known in found.mended.items() if collection.index.has_symbol(known)}
    question = mended(inquiry.question, names)
    return unmentioned(question, told, words_of(collection.index.name))


def _vector_of(text: str, found: Retrieved, embedder: Embedder | None) -> Vectors | None:
    """The question's row. A word that was mended may be right after all; and the collection's own vectors may still be
    in the making."""
    if embedder is not None and (found.row is None or found.mended):
        row: Vectors = embedder.embed([text])[0]
        return row
    return found.row


def _opened_at(
    collection: AskedCollection,
    inquiry: Inquiry,
    earlier: str,
    read: Sequence[Hit],
    *,
    found: tuple[Weighed, list[Scored]],
) -> tuple[Weighed, list[Scored], AskedSection | None]:
    """What was `found` anew, with the section first that the question asks for by its title, and that section.

    It is looked for on the page that answers best, and on the next ones that the question names; of a question that
    follows what was asked `earlier`, on the page in hand. What says nothing of its topic itself more likely means that
    page.
    """
    (weighed, scored), question, index = found, inquiry.question, collection.index
    if not earlier or inquiry.selected_text.strip():
        if any(one.defines >= SAID for one in scored):  # what the thing is, whatever sections are called so
            return weighed, scored, None
        sections = (
            asked_section(index, question, at, filters=inquiry.filters)
            for at in _chunks_of_pages(question, scored)
        )
        section = next(filter(None, sections), None)
        return weighed, with_section(section, weighed, scored, read[0]) if section else scored, section
    at = chunk_in_hand(collection, inquiry, earlier, read)
    section = asked_section(index, question, at, earlier, filters=inquiry.filters) if at else None
    if section:  # what was asked before says no more of it
        weighed = replace(weighed, text=f"{question}\n{section.trail[-1]}")
        return weighed, with_section(section, weighed, scored, read[0]), section
    return weighed, _page_first(at, scored) if at and is_elliptical(question) else scored, None


def _chunks_of_pages(question: str, scored: Sequence[Scored]) -> list[Chunk]:
    """The chunk that answers best, and the best ones of further pages whose title has a word of the question."""
    asked, best = set(analyze(question)), dict[str, Chunk]()
    for one in scored:
        title = one.hit.chunk.breadcrumb.partition(" › ")[0]
        if not best or asked.intersection(analyze(title)):
            best.setdefault(one.hit.chunk.document_id, one.hit.chunk)
    return list(best.values())[:MOST_PAGES]


def _page_first(at: Chunk, scored: Sequence[Scored]) -> list[Scored]:
    """The passages anew, those of that chunk's page with a little more."""
    own = at.document_id
    lifted = (replace(one, score=one.score + IN_HAND * (one.hit.chunk.document_id == own)) for one in scored)
    return sorted(lifted, key=lambda one: (-one.score, one.hit.rank, one.order))


def chunk_in_hand(
    collection: AskedCollection, inquiry: Inquiry, earlier: str, hits: Sequence[Hit]
) -> Chunk | None:
    """The chunk that the last answer was quoted from first, or that led it, `earlier` being what that was found by;
    None where nothing was answered or is found."""
    said = said_at(last_answer(inquiry.history), 0)
    if not said or not hits:
        return None
    if quote := find_quote(said, hits):
        return quote.hit.chunk
    query = Query(earlier[:QUESTION_CHARACTERS], inquiry.top_k, inquiry.filters)
    found = retrieve(collection.index, collection.embedder, query).hits
    quote = find_quote(said, found)  # a model says it in words of its own
    return quote.hit.chunk if quote else next((hit.chunk for hit in found), None)


def find_parts(
    collection: AskedCollection, inquiry: Inquiry, hits: Sequence[Hit] = ()
) -> tuple[AskedPart, ...]:
    """The parts of a question that asks for several things, with what a search for each alone finds about it; of one
    that asks what a function does which only hands its work on, what does it."""
    found = []
    for hit in handed_to(collection.index, inquiry.question, hits, inquiry.filters):
        weighed = weigh(f"{last_part(hit.chunk.symbols[0])} {inquiry.question}", collection.index)
        if inside := score_passages(weighed, [hit], None, None):
            found.append(AskedPart(weigh(last_part(hit.chunk.symbols[0]), collection.index), inside[0]))
    # A part, and one for its word alone.
    searched = (dict.fromkeys((part, bare(part))) for part in parts_of(inquiry.question))
    named = (
        next(filter(None, (_told_of(collection, one, inquiry.filters) for one in names)), None)
        for names in searched
    )
    return (*found, *filter(None, named))


def _told_of(collection: AskedCollection, part: str, filters: Filters) -> AskedPart | None:
    """A part of a question with what a search for it alone finds about it; None where nothing is called so."""
    hits = retrieve(collection.index, collection.embedder, Query(part, PART_HITS, filters)).hits
    weighed = weigh(part, collection.index)
    about = [hit for hit in hits if is_about(weighed, hit.chunk)]
    scored = named_first(weighed, score_passages(weighed, about, None, None))
    best = next((one for one in scored if is_told_by(weighed, one)), None) or next(iter(scored), None)
    return AskedPart(weighed, best) if best else None


def _evidence(
    collection: AskedCollection,
    question: str,
    told: Sequence[Hit],
    vector: Vectors | None,
    *,
    read: tuple[Weighed, Sequence[Scored]],
    mends: Mapping[str, str],
) -> Evidence:
    """What the hits say for and against an answer; `read` is what was searched for, weighed, and the passages.

    A word that was mended into another one than its writer may have meant is as strange as it was; `mends` are words
    as they were written -> as they were read.
    """
    index, embedder = collection.index, collection.embedder
    ordinary = embedder if isinstance(embedder, WordList) else None
    is_defined = any(one.defines >= SAID for one in read[1])
    asked, searched = weigh(question, index), read[0]
    if read_intent(question).meaning and not is_defined and searched.text == question:
        # Of a term that is said and never explained no answer is sure: the words that ask for its meaning are missing.
        asked = searched = weigh(question, index, as_written=True)
    is_named = (
        _names_a_hit(question, told)
        or _names_an_entry(question, read[1])
        or bool(opens_known_page(searched, read[1]))
        or (searched.text != question and any(one.asked for one in read[1]))
    )
    topic = collection.abstention.topic
    evidence = gather(
        asked,
        searched,
        told,
        read[1],
        lexicon=index,
        strange=not is_named
        and bool(strange_words(question, index, ordinary) or not all(map(is_slip, mends, mends.values()))),
        topic=topic.place(vector) if topic is not None and vector is not None else None,
    )
    if not (is_named or is_defined):
        return evidence
    # What is asked of a symbol that was found may be called by words of the asker's own.
    return replace(
        evidence, unknown=0.0, coverage=max(evidence.coverage, NAMED_COVERAGE), alone=0.0, lent=0.0
    )


def _query(inquiry: Inquiry, searched: str, *, leans: bool) -> Query:
    text = f"{searched}\n{inquiry.selected_text}" if inquiry.selected_text.strip() else searched
    if leans:  # a follow-up's few words are what is new: they count twice
        text = f"{inquiry.question}\n{text}"
    return Query(text[:QUESTION_CHARACTERS], inquiry.top_k, inquiry.filters, terms=inquiry.terms)


def _passages(
    collection: AskedCollection,
    told: Sequence[Hit],
    text: str,
    vector: Vectors | None,
    *,
    weighed: Weighed,
    filters: Filters,
    uncommon: str = "",
) -> tuple[tuple[Hit, ...], list[Scored]]:
    """The hits with more chunks of their documents, and the passages of the first, best first.

    They are compared with what is `uncommon` in the question too, where it has common words.
    """
    read = with_siblings(collection.index, told, text, vector)
    read += evidence_of(text, leading_hits(collection.index, read, text, vector, filters=filters))
    if read_intent(text).is_alternatives:  # they stand in other places than the thing itself
        rest = told[2:]
        read += tuple(
            one for one in with_siblings(collection.index, rest, text, vector)[len(rest) :] if one not in read
        )
    most = READ_CODE if collection.index.profile == "code" else READ_HITS
    read += defining_hits(collection.index, text, read, filters)
    read += known_page_hits(collection.index, text, read, filters)
    first = (*told[:most], *read[len(told) :])
    embedder = collection.embedder
    apart = embedder.embed([uncommon])[0] if uncommon and embedder is not None else None
    return read, score_passages(weighed, first, embedder, vector, apart=apart)


def undefined_letter(inquiry: Inquiry, searched: str, index: OpenedIndex, scored: Sequence[Scored]) -> str:
    """The single letter or digit whose meaning is asked for and which nothing found defines; "" where none is.

    Any code has an `s` and an `x`: that they stand in it says nothing for an answer. A conversation or a selected text
    may say which is meant.
    """
    term = read_intent(inquiry.question).meaning.strip("`")
    is_letter = len(term) == 1 and term.isascii()  # of other scripts one sign may be a word
    if not is_letter or searched != inquiry.question or inquiry.selected_text.strip():
        return ""
    return "" if index.has_symbol(term) or any(one.defines for one in scored) else term


def _names_a_hit(question: str, hits: Sequence[Hit]) -> bool:
    """Whether the question names a symbol that one of the first hits defines, as code or by asking for its place or its
    callers, or an option that one of them has an entry of."""
    asked = read_intent(question)
    wanted = (asked.definition.name,) if asked.definition and asked.is_place else ()
    names = {fold_symbol(name) for name in (*written_names(question), asked.related, *wanted) if name}
    options = [entry_of(name) for name in names if name.startswith("-")]
    return any(
        not names.isdisjoint(map(fold_symbol, hit.chunk.symbols))
        or any(entry.search(hit.chunk.text) for entry in options)
        for hit in hits[:READ_HITS]
    )


def _names_an_entry(question: str, scored: Sequence[Scored]) -> bool:
    """Whether a list or table explains the one code or variable that the question writes: `E0502`, `ENOENT`."""
    name = asked_name(question)
    is_exact = _IS_EXACT.search(name) or name.upper() in KEY.findall(question)
    return bool(is_exact) and any(begins_entry(one, name) for one in scored)


def _contrasting_first(subject: str, index: OpenedIndex, scored: Sequence[Scored]) -> list[Scored]:
    """The passages anew, where those that set the subject against others come first: they answer who asks for
    alternatives to it, and seldom say "alternative"."""
    named = weigh(compared(subject), index)
    lifted = [
        replace(one, score=one.score + CONTRAST)
        if named.coverage(set(analyze(said := _said_of(one)))) >= NAMED and _CONTRASTED.search(said)
        else one
        for one in scored
    ]
    return sorted(lifted, key=lambda one: (-one.score, one.hit.rank, one.order))


def _said_of(one: Scored) -> str:
    """The passage with what stands above it."""
    passage, text = one.passage, one.hit.chunk.text
    above = [text[slice(*span)] for span in (passage.heading, passage.lead) if span]
    return "\n".join([*above, one.text])

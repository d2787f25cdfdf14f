"""The use case: a question over an opened collection to a cited answer, streamed or whole."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from quire.analysis.language import is_unread
from quire.analysis.language import notices as language_notices
from quire.analysis.terms import identifiers
from quire.answering.about_answers import ALSO, EXAMPLE, OF_THE_SAME, SOURCE, UNDO, AboutAnswer
from quire.answering.abstention import DEFAULT, Abstention
from quire.answering.claims import missing_symbols, sentence
from quire.answering.conversation import (
    Reading,
    complete,
    is_vague,
    join,
    may_change_topic,
    may_name,
    points_nowhere,
    read_message,
    says_something,
    switches_nothing,
)
from quire.answering.events import Citations, Delta, Done, Event, Sources
from quire.answering.evidence_hits import evidence_of
from quire.answering.extractive.asked_section import asked_page, asked_section, with_section
from quire.answering.extractive.callers import as_hits, callers_in, givers_in
from quire.answering.extractive.code_answers import called_in, settings_in, steps_in
from quire.answering.extractive.contents import MOST as SHOWN_PARTS
from quire.answering.extractive.contents import asks_which, bare_listing, contents_of
from quire.answering.extractive.continuing import beside_in
from quire.answering.extractive.exact_lines import exact_lines
from quire.answering.extractive.extractive import extract, extract_callers, extract_causes, extract_lines
from quire.answering.extractive.known_pages import known_chunk
from quire.answering.extractive.members import members_of, missing_file
from quire.answering.extractive.places_of_tests import find_places, tell_places
from quire.answering.extractive.precedence import asks_for_giving
from quire.answering.extractive.retelling import (
    LOST_SOURCE,
    NO_SOURCE,
    Retold,
    find_quote,
    retell,
    said_at,
    show_source,
    unsaid,
)
from quire.answering.extractive.scoring import Scored
from quire.answering.findings import AskedCollection, Findings, chunk_in_hand, find, find_parts
from quire.answering.generative.context import pack, quote_sources
from quire.answering.generative.generation import Draft, generate, without_quotes
from quire.answering.generative.judging import Judge
from quire.answering.generative.prompt import new_nonce, write_prompt
from quire.answering.generative.rewriting import Rewritten, wants_rewrite, write_terms
from quire.answering.recalling import recalled, tell_back
from quire.answering.refusing import ask_back, name_of, nothing_mentions, refusal, with_topics
from quire.answering.request import EXTRACTIVE, Answer, Inquiry, Usage, bounded
from quire.answering.small_talk import CONSENT, DISSENT, bare_question, reply_to, small_talk
from quire.documents import Citation, Hit, Turn
from quire.limits import QUESTION_CHARACTERS
from quire.ports import AnswerModel
from quire.search.intent import about_product, error_of, of_product, read_intent, words_of
from quire.search.retrieval import Query, Retrieved, retrieve

MODEL_LENIENCY = 0.25
"""A model may try from this share of the threshold on: it reads, and can still say that the sources do not answer."""
CONTEXT_TOKENS = 4000
CLEAR, CLEAR_ALONE = 0.96, 0.97
"""Confidence below which few words behind a question are looked up alone, and from which they are a new topic."""
_HANDLED = re.compile(
    r"""
    \W*+ (?: (?:and|so|ok|okay|then|but) [ ,]++ )?+
    ( how [ ] (?:do|can|to|should|would) (?:[ ](?:i|we|you|one))?+ [ ]
      (?: install | uninstall | upgrade | update | use | get[ ]started[ ]with | start[ ]using ) )
    [ ] (?:it|this) \W*+ $  # and no more
    """,
    re.IGNORECASE | re.VERBOSE,
)
CLOSEST = "These are the closest passages; they may not answer the question."


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer's text with what belongs to it, before the hits are put beside it."""

    text: str
    answerable: bool = True
    citations: tuple[Citation, ...] = ()
    notices: tuple[str, ...] = ()
    model_used: str = EXTRACTIVE
    degraded: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class _Request:
    """One call; `deadline` is in `time.monotonic()` seconds.

    The inquiry's question is bare, as it is searched for; a model reads it as it was `asked`.
    """

    collection: AskedCollection
    inquiry: Inquiry
    model: AnswerModel | None
    deadline: float
    asked: str
    about: AboutAnswer | None


Writing: TypeAlias = Generator[Event, None, WrittenAnswer]


def answer(collection: AskedCollection, inquiry: Inquiry, model: AnswerModel | None = None) -> Answer:
    """The answer, whole; see `stream_answer`."""
    *_, last = stream_answer(collection, inquiry, model)
    assert isinstance(last, Done)
    return last.answer


def stream_answer(
    collection: AskedCollection, inquiry: Inquiry, model: AnswerModel | None = None
) -> Iterator[Event]:
    """Answer the inquiry: by the model where there is one and it does, else by quotes. The last event is `Done`.

    Raises:
        InputError: the question is empty, or a filter field unknown; `field` names it.
    """
    said = inquiry.history
    inquiry, shortened = bounded(inquiry)
    asked, until = inquiry.question, time.monotonic() + inquiry.deadline_s
    reading = (
        Reading(bare_question(asked), complete(asked, inquiry.history))
        if inquiry.selected_text.strip()  # which the message is about
        else read_message(asked, inquiry.history, collection.index.has_symbol)
    )
    reading = _of_product(reading, words_of(collection.index.name), inquiry.history)
    unsearched = _answer_unsearched(collection, inquiry, reading.searched, said)
    inquiry = replace(inquiry, question=reading.question)
    request = _Request(collection, inquiry, model, until, asked, reading.about)
    if unsearched:
        found = Retrieved((), "", (), collection.index.version)
        yield Sources((), found.version)
        written = yield from _say(WrittenAnswer(unsearched, answerable=False))
    else:
        findings, rewritten = _find(request, reading.searched)
        found = findings.found
        yield Sources(found.hits, found.version)
        written = replace((yield from _write(request, findings)), confidence=findings.confidence)
        written = _with_rewriting(written, rewritten)
    yield Citations(written.citations)
    yield Done(_answer(collection, inquiry, replace(written, notices=(*shortened, *written.notices)), found))


def _of_product(reading: Reading, words: Sequence[str], history: Sequence[Turn]) -> Reading:
    """The message as the product's sources answer it, see `of_product`; "it" is the product where that was asked about
    before, be it with such questions between."""
    question = of_product(reading.question, words)
    said = (turn.text for turn in reversed(history) if turn.role == "user")
    asked = next((text for text in said if not _HANDLED.match(text)), "")
    handled = _HANDLED.match(question) if about_product(asked, words) else None
    if handled:
        question = of_product(f"{handled[1]} {' '.join(words)}", words)
        return reading._replace(question=question, searched=question)
    is_whole = reading.searched == reading.question
    return reading._replace(question=question, searched=question if is_whole else reading.searched)


def _answer_unsearched(
    collection: AskedCollection, inquiry: Inquiry, searched: str, said: Sequence[Turn]
) -> str:
    """What small talk, a question about the conversation, and one that names nothing are answered with; "" for what is
    to be searched for. `said` is the history as it was sent, of which an answer looks at the end alone."""
    if inquiry.selected_text.strip():
        return ""
    if which := recalled(inquiry.question):
        return tell_back(which, said)
    kind = small_talk(inquiry.question, goes_on=bool(inquiry.history))
    # "yes" and "no" answer what a model asked back.
    is_reply = kind in (CONSENT, DISSENT) and said[-1].text.rstrip().endswith("?")
    if kind and not is_reply:
        return reply_to(kind, name_of(collection))
    is_named = any(map(collection.index.has_symbol, may_name(searched)))
    # "What about a shadow?" says a thing, of which nobody may know.
    is_said = bool(inquiry.history) and says_something(searched)
    is_open = is_vague(searched) or (not inquiry.history and switches_nothing(searched))
    if not is_open or is_named or is_said:
        return ""
    # "Where do I get help?" names nothing, and a page of its own may tell it.
    return "" if known_chunk(collection.index, searched, inquiry.filters) else ask_back(collection.index)


def _find(request: _Request, searched: str) -> tuple[Findings, Rewritten | None]:
    """What the question finds, with terms of the model's where it finds little; and what those cost."""
    collection, inquiry, model = request.collection, request.inquiry, request.model
    findings = find(collection, inquiry, searched)
    # What is asked of an answer is asked of the passages that it was found in.
    if not request.about or request.about.kind in (*OF_THE_SAME, UNDO):
        findings = _find_otherwise(collection, inquiry, searched, findings) or findings
    hits = findings.found.hits
    if model is None or inquiry.terms or not wants_rewrite(inquiry.rewrite, hits[0].score if hits else 0.0):
        return findings, None
    title = name_of(collection)
    unread = is_unread(searched, collection.index)
    rewritten = write_terms(model, searched, title, deadline=request.deadline, is_unread=unread)
    if rewritten.terms:
        findings = find(collection, replace(inquiry, terms=rewritten.terms), searched)
    return findings, rewritten


def _find_otherwise(
    collection: AskedCollection, inquiry: Inquiry, searched: str, found: Findings
) -> Findings | None:
    """What a question that is not covered finds as a follow-up that does not say so ("With several workers?", "Who
    coined the term?"), or one that may be a new topic by itself, which finds it clearly.

    None where that is not covered either: what stands by itself is judged by itself.
    """
    is_covered = _covers(collection, found)
    is_new = searched != inquiry.question and points_nowhere(inquiry.question) and found.confidence < CLEAR
    if is_covered and not is_new:
        return None
    if searched == inquiry.question:
        other = join(inquiry.question, inquiry.history)
    elif is_new or may_change_topic(inquiry.question):
        other = inquiry.question
    else:
        # The topic may have changed since the first of them.
        other = join(inquiry.question, inquiry.history, 1)
    if other == searched:
        return None
    findings = find(collection, inquiry, other)
    is_clear = findings.confidence >= CLEAR_ALONE or (not is_covered and may_change_topic(inquiry.question))
    return findings if _covers(collection, findings) and (is_clear or not is_new) else None


def _covers(collection: AskedCollection, findings: Findings) -> bool:
    return _abstention(collection, findings).covers(findings.confidence)


def _abstention(collection: AskedCollection, findings: Findings) -> Abstention:
    """The collection's threshold; what it was measured with includes its vectors."""
    return collection.abstention if findings.evidence.cosine is not None else DEFAULT


def _with_rewriting(written: WrittenAnswer, rewritten: Rewritten | None) -> WrittenAnswer:
    """What was written, with the cost of the model's terms, and why there are none."""
    if rewritten is None:
        return written
    first, then = rewritten.usage, written.usage
    usage = Usage(
        first.prompt_tokens + then.prompt_tokens,
        first.answer_tokens + then.answer_tokens,
        first.attempts + then.attempts,
        then.dropped_citations,
        first.failures + then.failures,
    )
    return replace(written, usage=usage, degraded=(*rewritten.degraded, *written.degraded))


def _answer(
    collection: AskedCollection, inquiry: Inquiry, written: WrittenAnswer, found: Retrieved
) -> Answer:
    is_searched = bool(found.mode)
    notices = list(language_notices(inquiry.question, found.terms, collection.index)) if is_searched else []
    notices += [
        f"Read `{name}` as `{known}`."
        for name, known in found.mended.items()
        if written.answerable and collection.index.has_symbol(known)
    ]
    return Answer(
        text=written.text,
        answerable=written.answerable,
        citations=written.citations,
        hits=found.hits,
        notices=(*notices, *written.notices),
        model_used=written.model_used,
        degraded=(*found.degraded, *written.degraded),
        usage=written.usage,
        version=found.version,
        confidence=written.confidence,
        terms=found.terms,
    )


def _write(request: _Request, findings: Findings) -> Writing:
    collection, inquiry, model = request.collection, request.inquiry, request.model
    abstention = _abstention(collection, findings)
    written = WrittenAnswer("")
    if collection.index.is_api and (missing := missing_symbols(collection.index, inquiry.question)):
        title = name_of(collection)
        text = "\n\n".join(sentence(one, title, collection.label) for one in missing)
        return (yield from _say(WrittenAnswer(text, answerable=False)))
    if model is not None and findings.topic_confidence >= MODEL_LENIENCY * abstention.threshold:
        written = yield from _generate(request, findings, model)
        if written.text:
            return written
    return (yield from _say(_quoted(request, findings, written)))


def _quoted(request: _Request, findings: Findings, written: WrittenAnswer) -> WrittenAnswer:
    """The answer without a model: that the collection has none, where a model found so or the evidence is weak."""
    collection, inquiry = request.collection, request.inquiry
    abstention = _abstention(collection, findings)
    about = request.about if request.about and request.about.kind != ALSO else None  # of what was answered
    text, citations, told = ("", (), ()) if about else _extract_exactly(collection, inquiry)
    if citations and written.model_used == EXTRACTIVE:
        return replace(written, text=text, citations=citations, notices=(*written.notices, *told))
    if not about and (name := missing_file(collection.index, inquiry.question)):
        text = f"There is no file called `{name}` in {name_of(collection)}."
        return replace(written, text=text, answerable=False)
    by_chance = _is_by_chance(collection, inquiry, findings)
    covered = abstention.covers(findings.confidence) and not by_chance
    if covered and written.model_used == EXTRACTIVE:
        if about:
            return _retell(request, about, findings, written)
        # Whether something is so for another thing too, quotes of both seldom say.
        is_unsure = bool(request.about or findings.unmentioned) or abstention.is_unsure(findings.confidence)
        text, citations, told = _extract_callers(collection, inquiry, findings)
        if not citations:
            text, citations, told = _extract_contents(collection, inquiry, findings)
        if not citations:
            text, citations = extract(
                findings.weighed,
                unsaid(findings.scored, inquiry.history),
                sure=not is_unsure,
                beside=beside_in(collection.index),
                parts=find_parts(collection, inquiry, findings.found.hits),
                settings=_settings(collection, inquiry, findings),
                steps=steps_in(collection.index, inquiry.question, inquiry.filters),
            )
        if citations:
            lacking = (nothing_mentions(findings.unmentioned),) if findings.unmentioned else ()
            notices = (*written.notices, *told, *lacking, *([CLOSEST] if is_unsure else []))
            return replace(written, text=text, citations=citations, notices=notices)
    is_read = written.model_used != EXTRACTIVE
    return replace(
        written,
        text=refusal(collection, inquiry, findings, is_read=is_read),
        answerable=False,
        notices=without_quotes(written.notices),
        degraded=without_quotes(written.degraded),
    )


def _extract_exactly(
    collection: AskedCollection, inquiry: Inquiry
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """What answers by itself, whatever was found: places of tests, members of a type or file, lines word for word."""
    asked = (collection.index, inquiry.question, inquiry.filters)
    text, citations = tell_places(*find_places(*asked), collection.index.version)
    if citations:
        return text, citations, ()
    earlier = (turn.text for turn in reversed(inquiry.history) if turn.role == "user")
    if members := members_of(*asked, earlier=earlier):
        return members
    exact = exact_lines(*asked)
    return (*extract_lines(exact), ()) if exact else ("", (), ())


def _retell(
    request: _Request, about: AboutAnswer, findings: Findings, written: WrittenAnswer
) -> WrittenAnswer:
    """What of the same passages the message asks for; that there is none, and the sections nearest, where it is so."""
    collection, history = request.collection, request.inquiry.history
    if about.kind == SOURCE:
        retold = _show_source(request, about.number)
    else:
        scored = _example_first(request, findings) if about.kind == EXAMPLE else findings.scored
        retold = retell(
            about,
            findings.weighed,
            scored,
            history,
            title=name_of(collection),
            beside=beside_in(collection.index),
        )
    text, notices = retold.text, (*written.notices, *retold.notices)
    if not retold.citations:
        told = evidence_of(request.inquiry.question, findings.found.hits)
        return replace(written, text=with_topics(text, told), answerable=False, notices=notices)
    return replace(written, text=text, citations=retold.citations, notices=notices)


def _example_first(request: _Request, findings: Findings) -> Sequence[Scored]:
    """The passages, those of the section of examples first that the page in hand has."""
    index, inquiry, read = request.collection.index, request.inquiry, findings.read
    at = chunk_in_hand(request.collection, inquiry, inquiry.question, read)
    section = asked_section(index, EXAMPLE, at, inquiry.question, filters=inquiry.filters) if at else None
    return with_section(section, findings.weighed, findings.scored, read[0]) if section else findings.scored


def _show_source(request: _Request, number: int) -> Retold:
    """The passage that the last answer gave that number, found by what was said with it; its first where 0."""
    collection, inquiry = request.collection, request.inquiry
    told = (turn.text for turn in reversed(inquiry.history) if turn.role == "assistant")
    said = next(filter(None, (said_at(text, number) for text in told)), "")
    if not said:
        return Retold(NO_SOURCE)
    query = Query(said[:QUESTION_CHARACTERS], inquiry.top_k, inquiry.filters)
    quote = find_quote(said, retrieve(collection.index, collection.embedder, query).hits)
    return show_source(quote) if quote else Retold(LOST_SOURCE)


def _settings(collection: AskedCollection, inquiry: Inquiry, findings: Findings) -> tuple[Hit, ...]:
    """Where code may set a value that is asked for or give an error, beside what was found."""
    if collection.index.profile != "code":
        return ()
    asked = (collection.index, inquiry.question, findings.found.hits, inquiry.filters)
    return settings_in(*asked) or called_in(*asked)


def _extract_callers(
    collection: AskedCollection, inquiry: Inquiry, findings: Findings
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """Who calls or uses the symbol of such a question, or why somebody gets it, with a notice where there are more
    than are shown."""
    name = read_intent(inquiry.question).related
    if not name or not collection.index.has_symbol(name):
        return _extract_causes(collection, inquiry, findings)
    giving = asks_for_giving(inquiry.question)
    found = callers_in(collection.index, name, inquiry.filters, giving=giving)
    text, citations = extract_callers(as_hits(found, collection.index.version), name)
    if not citations or len(citations) == len(found):
        return text, citations, ()
    return text, citations, (f"{len(citations)} of {len(found)} places that refer to `{name}`.",)


def _extract_causes(
    collection: AskedCollection, inquiry: Inquiry, findings: Findings
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """Why somebody gets an error of the collection; with a notice where more places give it than are shown."""
    name, index = error_of(inquiry.question), collection.index
    givers = givers_in(index, name, inquiry.filters) if name and index.has_symbol(name) else []
    if not givers:
        return "", (), ()
    found = (findings.weighed, findings.scored, as_hits(givers, index.version), name)
    text, citations = extract_causes(*found, beside=beside_in(index))
    shown = {chunk.id for chunk in givers} & {citation.hit.chunk.id for citation in citations}
    more = len(shown) < len(givers)
    return text, citations, (f"{len(shown)} of {len(givers)} places that give `{name}`.",) if more else ()


def _extract_contents(
    collection: AskedCollection, inquiry: Inquiry, findings: Findings
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """The parts of the section or page that the question asks for, where it asks which there are; with a notice where
    there are more than are shown."""
    if not (asks_which(inquiry.question) and findings.scored):
        return "", (), ()
    at, question = findings.scored[0].hit, bare_listing(inquiry.question)
    index, filters = collection.index, inquiry.filters
    section = findings.section or asked_section(index, question, at.chunk, filters=filters)
    section = section or asked_page(index, question, at.chunk, filters=filters)
    told = contents_of(section, at) if section else None
    if told is None:
        return "", (), ()
    more = (f"{SHOWN_PARTS} of {told.total} sections.",) if told.total > SHOWN_PARTS else ()
    return told.text, told.citations, more


def _is_by_chance(collection: AskedCollection, inquiry: Inquiry, findings: Findings) -> bool:
    """Whether quotes would be a matter of luck: for a question in another language that names nothing of the index."""
    if findings.found.terms or not is_unread(inquiry.question, collection.index):
        return False
    return not any(map(collection.index.has_symbol, identifiers(inquiry.question)))


def _generate(request: _Request, findings: Findings, model: AnswerModel) -> Writing:
    """The model's answer; an empty text where it gave none, under the model's name where it said "not covered"."""
    collection, inquiry = request.collection, request.inquiry
    sources = pack(findings.read, CONTEXT_TOKENS)
    title = name_of(collection)
    prompt = write_prompt(
        replace(inquiry, question=request.asked),
        sources,
        title=title,
        nonce=new_nonce(),
        version=collection.label,
        examples=model.wants_examples,
    )
    draft = Draft()

    def judge() -> Judge:
        return Judge(
            sources,
            collection.index,
            question=inquiry.question,
            title=f"{title} {collection.label}",
            strict=inquiry.strict,
        )

    pieces = generate(
        model,
        prompt,
        draft,
        judge_of=judge,
        max_tokens=inquiry.max_tokens,
        deadline=request.deadline,
        stops=inquiry.stops,
    )
    for text in pieces:
        yield Delta(text)
    written = WrittenAnswer(
        "", notices=tuple(draft.notices), degraded=tuple(draft.degraded), usage=draft.usage
    )
    if draft.not_covered:
        return replace(written, model_used=model.name)
    if not draft.text:
        return written
    return replace(
        written,
        text=draft.text,
        citations=quote_sources(draft.text, draft.used, sources, collection.index),
        notices=(*draft.notices, *_flags(collection, draft.text)),
        model_used=model.name,
    )


def _flags(collection: AskedCollection, text: str) -> tuple[str, ...]:
    """Names in a generated answer that the collection's API does not have."""
    if not collection.index.is_api:
        return ()
    title = name_of(collection)
    return tuple(
        sentence(missing, title, collection.label) for missing in missing_symbols(collection.index, text)
    )


def _say(written: WrittenAnswer) -> Writing:
    """Send a text that is known whole, a paragraph at a time."""
    paragraphs = written.text.split("\n\n")
    for paragraph in paragraphs[:-1]:
        yield Delta(f"{paragraph}\n\n")
    yield Delta(paragraphs[-1])
    return written

"""The use case of an answer: a question to a collection, answered with citations, whole or streamed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from operator import itemgetter

from quire.analysis.terms import analyze
from quire.answering.answerer import answer, stream_answer
from quire.answering.conversation import is_elliptical, is_follow_up
from quire.answering.events import Done, Event
from quire.answering.findings import AskedCollection
from quire.answering.generative.cancellation import CancellableModel
from quire.answering.request import Answer, Inquiry, bounded
from quire.errors import QuireError
from quire.search.retrieval import Query, retrieve
from quire.service.access import Caller
from quire.service.freshness import age_hours
from quire.service.knowledge import Knowledge
from quire.service.metrics import note, note_degraded, noted, timed
from quire.store.catalog import Served

MOST_OTHERS = 8
"""Collections that are searched where the one that was asked does not answer."""
LIKELY, MOST_SAID = 0.95, 2 / 3
"""Another collection is named where its answer is so likely right, or its quotes say so much of the question's terms.
Of 159 that four code bases named 144 are left; of the other 15 eight had no answer."""
SITES = "sites"
"""Profile of collections that belong to many tenants, each of which asks for its own documents alone."""


def ask(
    service: Knowledge,
    caller: Caller,
    collection: str,
    inquiry: Inquiry,
    *,
    version: str | None = None,
    ended_by: Callable[[Callable[[], None]], None] | None = None,
) -> tuple[Served, Answer]:
    """A cited answer, and the state of the collection that gave it.

    `ended_by` is given what ends the model's call from another thread, for who may leave before the answer is there.

    Raises:
        AskerGone: it was ended so.
        ScopeMissing, UnknownCollection, UnknownVersion, InputError: as their names say.
    """
    served, opened = _opened(service, caller, collection, inquiry, version=version)
    inquiry = _fitted(service, collection, inquiry)
    model = service.model_for(caller, collection)
    if model is not None and ended_by is not None:
        cancellable = CancellableModel(model)
        ended_by(cancellable.cancel)
        model = cancellable
    with timed("answer_ms"):
        given = _with_state(answer(opened, inquiry, model), served, inquiry)
        if version is None:
            given = _with_offer(given, service, caller, served, inquiry=inquiry)
    if service.print_answers:
        sys.stdout.write(f"{given.text}\n")
    return served, given


class AnswerUnderWay(Iterator[Event]):
    """The events of an answer; `leave` ends it from any thread, its model's call included."""

    def __init__(self, events: Iterator[Event], leave: Callable[[], None]) -> None:
        self._events = events
        self.leave = leave

    def __next__(self) -> Event:
        return next(self._events)


def ask_stream(
    service: Knowledge, caller: Caller, collection: str, inquiry: Inquiry, *, version: str | None = None
) -> AnswerUnderWay:
    """The same answer as events. What is wrong with the request is raised here, before the first of them.

    Raises:
        ScopeMissing, UnknownCollection, UnknownVersion, InputError: as their names say.
    """
    served, opened = _opened(service, caller, collection, inquiry, version=version)
    inquiry = _fitted(service, collection, inquiry)
    began = time.perf_counter()
    model = service.model_for(caller, collection)
    cancellable = CancellableModel(model) if model else None
    events = stream_answer(opened, inquiry, cancellable)
    first = next(events)

    def rest() -> Iterator[Event]:
        try:
            for one in chain([first], events):
                if isinstance(one, Done):
                    given = _with_state(one.answer, served, inquiry)
                    if version is None:
                        given = _with_offer(given, service, caller, served, inquiry=inquiry)
                    yield replace(one, answer=given)
                else:
                    yield one
        finally:
            note(answer_ms=round((time.perf_counter() - began) * 1000, 2))

    return AnswerUnderWay(rest(), cancellable.cancel if cancellable else lambda: None)


def _fitted(service: Knowledge, collection: str, inquiry: Inquiry) -> Inquiry:
    """The inquiry with the time that the operator gives an answer, where he says; strict over a public one."""
    listed = service.collections.get(collection)
    strict = inquiry.strict or bool(listed and listed.public)
    return replace(
        inquiry,
        strict=strict,
        deadline_s=service.answer_s or inquiry.deadline_s,
        rewrite=service.rewrite_of(collection),
    )


def _opened(
    service: Knowledge, caller: Caller, collection: str, inquiry: Inquiry, *, version: str | None
) -> tuple[Served, AskedCollection]:
    with timed("open_ms"):
        served = service.serve(caller, collection, version, inquiry.filters)
        embedder = service.embedder(served)
    return served, AskedCollection(served.index, embedder, service.title(collection), served.label)


def _with_offer(
    given: Answer, service: Knowledge, caller: Caller, served: Served, *, inquiry: Inquiry
) -> Answer:
    """Where the collection does not answer, the notice that another one does, which the caller may read.

    Not of what is asked about this one: a follow-up, selected text, filters. What the answer did not read of a long
    question is not read here either.
    """
    inquiry, _ = bounded(inquiry)
    if given.answerable or _is_of_this_one(inquiry):
        return given
    likely = max(_others(service, caller, served, inquiry), key=itemgetter(0), default=None)
    if likely is None:
        return given
    _, other, asked = likely
    told = answer(asked, replace(inquiry, rewrite="off"), None)
    if not (told.answerable and is_told(told, inquiry.question)):
        return given
    called = "" if asked.title == other else f" ({asked.title})"
    return replace(given, notices=(*given.notices, f"The collection {other}{called} has this: ask it there."))


def _is_of_this_one(inquiry: Inquiry) -> bool:
    follows = is_follow_up(inquiry.question) and bool(inquiry.history or not is_elliptical(inquiry.question))
    return follows or bool(inquiry.selected_text or inquiry.filters)


def is_told(given: Answer, question: str) -> bool:
    """Whether an answer is hardly a word in common: it is very likely right, or says most terms of the question."""
    said = {term for one in given.citations for term in analyze(f"{one.hit.chunk.breadcrumb} {one.quote}")}
    terms = set(analyze(question))
    return (given.confidence or 0.0) >= LIKELY or len(terms & said) >= MOST_SAID * len(terms)


def _others(
    service: Knowledge, caller: Caller, served: Served, inquiry: Inquiry
) -> Iterator[tuple[float, str, AskedCollection]]:
    """How likely each other collection's first hit is right, of those that are at hand.

    One that cannot be asked is none of them, and neither is one of sites, each of which has its own documents alone.
    """
    names = [] if served.pointer.profile == SITES else service.names(caller)
    for name in [one for one in names if one != served.name][:MOST_OTHERS]:
        with suppress(QuireError):
            if not service.catalog.is_at_hand(name):
                continue
            other = service.catalog.get(name)
            if other.pointer.profile == SITES:
                continue
            asked = AskedCollection(other.index, service.embedder(other), service.title(name), other.label)
            query = Query(inquiry.question, 1, terms=inquiry.terms)
            if hits := retrieve(other.index, asked.embedder, query).hits:
                yield hits[0].score, name, asked


def _with_state(given: Answer, served: Served, inquiry: Inquiry) -> Answer:
    """The answer with what its collection's state adds to what is missing; notes what it was and cost."""
    note_degraded(given.degraded)
    note(
        collection=served.name,
        version=served.version,
        degraded=bool(noted().get("missing")),
        index_age_h=age_hours(served.pointer.fresh_at),
        abstained=not given.answerable,
        prompt_tokens=given.usage.prompt_tokens,
        answer_tokens=given.usage.answer_tokens,
        model_failures=given.usage.failures,
    )
    notices = (*given.notices, *served.index.filters.missing(inquiry.filters))
    return replace(given, degraded=tuple(dict.fromkeys((*served.degraded, *given.degraded))), notices=notices)

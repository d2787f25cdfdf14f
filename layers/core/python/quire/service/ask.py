"""The use case of an answer: a question to a collection, answered with citations, whole or streamed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from quire.answering.answerer import answer, stream_answer
from quire.answering.events import Done, Event
from quire.answering.findings import AskedCollection
from quire.answering.generative.cancellation import CancellableModel
from quire.answering.request import Answer, Inquiry
from quire.service.access import Caller
from quire.service.freshness import age_hours
from quire.service.knowledge import Knowledge
from quire.service.metrics import note, note_degraded, noted, timed
from quire.store.catalog import Served


def ask(
    service: Knowledge, caller: Caller, collection: str, inquiry: Inquiry, *, version: str | None = None
) -> tuple[Served, Answer]:
    """A cited answer, and the state of the collection that gave it.

    Raises:
        ScopeMissing, UnknownCollection, UnknownVersion, InputError: as their names say.
    """
    served, opened = _opened(service, caller, collection, inquiry, version=version)
    inquiry = _fitted(service, collection, inquiry)
    with timed("answer_ms"):
        given = _with_state(answer(opened, inquiry, service.model_for(caller, collection)), served, inquiry)
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
                yield (
                    replace(one, answer=_with_state(one.answer, served, inquiry))
                    if isinstance(one, Done)
                    else one
                )
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

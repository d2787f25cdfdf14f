"""A chat as a use case: history from the body or the session, an answer as events, and what is remembered of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from functions.faces.chatbot.contract import ChatMessage, ChatResponse
from functions.faces.chatbot.wire import chat_wire
from functions.web.answers import sse, told
from functions.web.logs import log
from functions.web.problems import Problem
from functions.web.replies import json_bytes
from quire.answering.events import Delta, Done
from quire.answering.recalling import recalled
from quire.answering.request import Inquiry
from quire.documents import Turn
from quire.errors import InputError, StoreError
from quire.ports import ChatMemory, Remembered
from quire.service.access import Caller
from quire.service.ask import AnswerUnderWay, ask_stream
from quire.service.knowledge import Knowledge
from quire.service.metrics import note_degraded
from quire.service.sites import USED_KEY
from quire.sessions import session_key

REMEMBERED_TURNS, RECALLED_TURNS = 12, 200
"""Read of a session for a question, and for one about the conversation itself, such as what was asked first."""
NO_MEMORY = "chat memory unavailable: answered without the conversation, which is not remembered"
NOT_KEPT = "chat memory unavailable: this question and its answer are not remembered"

NEEDS_KEY = (
    "a conversation is kept with a key alone: answered without what was said before, which is not remembered"
)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat under way. `remember` stores the question with its answer, if there is a session, and says what failed."""

    events: AnswerUnderWay
    remember: Callable[[str], tuple[str, ...]]
    degraded: tuple[str, ...] = ()

    def as_json(self) -> Iterator[bytes]:
        """One JSON object, sent as its `response` grows; complete, it is a `ChatResponse`."""
        yield b'{"response":"'
        for event in told(self.events):
            if isinstance(event, Delta):
                yield json.dumps(event.text)[1:-1].encode()
            elif isinstance(event, Done):
                yield b'",' + json_bytes(_rest(self._done(event)))[1:]
            elif isinstance(event, Problem):
                failed = {"citations": [], "similarity_scores": [], "status": "error"}
                yield b'",' + json_bytes(failed | {"message": event.detail})[1:]

    def as_events(self) -> Iterator[bytes]:
        """Server-sent events: `delta` with a piece of text each, then `done` with the whole response, or `error`."""
        for event in told(self.events):
            if isinstance(event, Delta):
                yield sse("delta", {"text": event.text})
            elif isinstance(event, Done):
                yield sse("done", self._done(event))
            elif isinstance(event, Problem):
                yield sse("error", {"status": "error", "message": event.detail})

    def _done(self, event: Done) -> ChatResponse:
        return chat_wire(event.answer, (*self.degraded, *self.remember(event.answer.text)))


def begin(
    service: Knowledge,
    caller: Caller,
    collection: str,
    body: ChatMessage,
    *,
    open_memory: Callable[[], ChatMemory],
    token: str | None = None,
) -> Chat:
    """Begin to answer. What is wrong with the request is raised here; `token` keeps a repetition from being stored.

    Raises:
        ScopeMissing, UnknownCollection, InputError: as their names say; the token came with another question too.
    """
    degraded: tuple[str, ...] = ()
    history = tuple(Turn(one.role, one.content) for one in body.chat_history or ())
    memory, session = None, ""
    if body.session is not None and caller.is_public:
        degraded = (NEEDS_KEY,)
        note_degraded(degraded)
    elif body.session is not None:
        session = session_key(collection, "chat", caller.subject, body.session)
        try:
            memory = open_memory()
            _refuse_used_key(memory.stored(session, token) if token else [], body.user_message)
            if body.chat_history is None:
                turns = RECALLED_TURNS if recalled(body.user_message) else REMEMBERED_TURNS
                history = tuple(one.turn for one in memory.recent(session, turns))
        except StoreError:
            memory, degraded = None, (NO_MEMORY,)
            note_degraded(degraded)
    inquiry = Inquiry(body.user_message, body.selected_text_context or "", history)
    events = ask_stream(service, caller, collection, inquiry)

    def remember(text: str) -> tuple[str, ...]:
        if memory is None:
            return ()
        try:
            memory.append(session, [Turn("user", body.user_message), Turn("assistant", text)], token=token)
        except StoreError as error:  # the answer is on its way: it is worth more than its memory
            log("chat not remembered", logging.WARNING, collection=collection, message=str(error))
            note_degraded((NOT_KEPT,))
            return (NOT_KEPT,)
        return ()

    return Chat(events, remember, degraded)


def _refuse_used_key(kept: Sequence[Remembered], question: str) -> None:
    if kept and kept[0].turn.text != question:
        raise InputError(USED_KEY, field="idempotency-key")


def _rest(wire: ChatResponse) -> dict[str, object]:
    return {name: value for name, value in wire.items() if name != "response"}

"""The use cases of chat messages: say, read, forget, clean up; and the context of a question to a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from quire.answering.conversation import complete
from quire.answering.recalling import recalled
from quire.answering.small_talk import OF_AN_ANSWER, small_talk
from quire.documents import Hit, Turn
from quire.errors import InputError, ModelError, StoreUnavailable
from quire.limits import QUESTION_CHARACTERS
from quire.ports import ChatMemory, Embedder, Remembered
from quire.search.retrieval import Query, matches_nothing, retrieve
from quire.service.access import ADMIN, READ, WRITE, Caller
from quire.service.context_text import ContextText, write_context
from quire.service.sites import USED_KEY
from quire.sessions import RETENTION, session_key
from quire.store.live_catalog import LiveCatalog
from quire.store.write_targets import Site

MESSAGES = 10
CHUNKS = 6
BUDGET_TOKENS = 2_000
CLEAN_UP_S = 15.0
"""Of API Gateway's 29: the page that is under way then takes a few more."""
NO_MEMORY = "chat memory unavailable: the context is without the user's messages"
ROLES = {"user": "user", "assistant": "ai"}
"""What a turn's role is called at a site."""


@dataclass(frozen=True, slots=True)
class CleanUp:
    """What a clean-up did: messages deleted because they were older than `cutoff`; `next` is where another goes on."""

    deleted: int
    cutoff: datetime
    next: str = ""


class Conversations:
    """Messages of the users of sites. Each use case asks first whether the caller may touch the site.

    A caller whose token names a user speaks for that user alone, whatever user a request names. Where neither names
    one, InputError is raised.
    """

    def __init__(self, memory: ChatMemory) -> None:
        self._memory = memory

    def say(
        self, caller: Caller, site: Site, user: str, turns: Sequence[Turn], *, token: str | None = None
    ) -> list[Remembered]:
        """Remember messages; the same `token` again stores nothing twice.

        Raises:
            ScopeMissing: the caller may not write to the site.
            InputError: the token came before with other messages, which are kept.
        """
        caller.require_site(WRITE, site.collection, site.id)
        kept = self._memory.append(_session(caller, site, user), turns, token=token)
        if token and [one.turn for one in kept] != list(turns):
            raise InputError(USED_KEY, field="idempotency-key")
        return kept

    def recent(
        self, caller: Caller, site: Site, user: str, *, limit: int, before: str | None = None
    ) -> list[Remembered]:
        """The last messages, oldest first; with `before`, the last of those before that one.

        Raises:
            ScopeMissing: the caller may not read the site.
        """
        caller.require_site(READ, site.collection, site.id)
        return self._memory.recent(_session(caller, site, user), limit, before=before)

    def forget(self, caller: Caller, site: Site, user: str) -> int:
        """Delete every message of the user at the site, and say how many there were.

        Raises:
            ScopeMissing: the caller may not write to the site.
        """
        caller.require_site(WRITE, site.collection, site.id)
        return self._memory.forget(_session(caller, site, user))

    def forget_site(self, caller: Caller, site: Site) -> int:
        """Delete every message of every user at the site, and say how many there were.

        Raises:
            ScopeMissing: the caller may not write to the site.
        """
        caller.require_site(WRITE, site.collection, site.id)
        return self._memory.forget_all(session_key(site.collection, site.id, ""))

    def clean_up(self, caller: Caller, collection: str, after: str = "") -> CleanUp:
        """Delete the messages that are too old to be returned anyway, of all sites, for as long as a request may take.

        Raises:
            ScopeMissing: the caller may not administer the collection.
            InputError: no clean-up ended at `after`.
        """
        caller.require(ADMIN, collection)
        cutoff = datetime.now(UTC) - RETENTION
        purged = self._memory.purge(cutoff, after=after, within_s=CLEAN_UP_S)
        return CleanUp(purged.deleted, cutoff, purged.next)


def _session(caller: Caller, site: Site, user: str) -> str:
    speaker = caller.user(user)
    if not speaker.strip():
        raise InputError("user_id: wanted the user's id, found none", field="user_id")
    return session_key(site.collection, site.id, speaker)


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a question.

    Attributes:
        written: the text, and which of the hits and turns are in it.
        hits: those of its sources, best first.
        turns: the messages in it, oldest first.
        version: of the site's documents; "" where it has none.
        degraded: what was missing, in words.
    """

    written: ContextText
    hits: tuple[Hit, ...]
    turns: tuple[Remembered, ...]
    version: str
    degraded: tuple[str, ...]


class Contexts:
    """Puts a site's knowledge and a user's last messages together.

    Args:
        live: the sites' documents.
        conversations: their messages.
        embedder_of: the embedder of a digest.
    """

    def __init__(
        self, live: LiveCatalog, conversations: Conversations, embedder_of: Callable[[str], Embedder]
    ) -> None:
        self._live = live
        self._conversations = conversations
        self._embedder_of = embedder_of

    def retrieve(
        self, caller: Caller, site: Site, user: str, question: str, *, budget_tokens: int = BUDGET_TOKENS
    ) -> Context:
        """What the user's question to the site should be answered from, and after what.

        A follow-up is searched for with what it follows. Where the site knows nothing of it, to small talk and to what
        asks of the conversation itself, there is no knowledge.

        Raises:
            ScopeMissing: the caller may not read the site.
            InputError: the question is empty.
        """
        forgotten: tuple[str, ...] = ()
        try:
            recent = self._conversations.recent(caller, site, user, limit=MESSAGES)
        except StoreUnavailable:
            recent, forgotten = [], (NO_MEMORY,)
        # What the budget cannot hold is not read: a message may have 400,000 characters, and there are ten.
        turns = [one.turn._replace(text=one.turn.text[: 8 * budget_tokens]) for one in recent]
        kind = small_talk(question, goes_on=bool(turns))
        is_talk = bool(recalled(question) or kind) and kind not in OF_AN_ANSWER
        hits, version, degraded = self._search(site, "" if is_talk else complete(question, turns))
        written = write_context(hits, turns, budget_tokens=budget_tokens, names=ROLES)
        shown = {id(hit) for source in written.sources for hit in source.hits}
        kept = recent[len(recent) - len(written.turns) :]
        return Context(
            written,
            tuple(hit for hit in hits if id(hit) in shown),
            tuple(kept),
            version,
            (*degraded, *forgotten),
        )

    def _search(self, site: Site, question: str) -> tuple[tuple[Hit, ...], str, tuple[str, ...]]:
        served = self._live.find(site.name)
        if served is None:
            return (), "", ()
        embedder: Embedder | None = None
        try:
            embedder = self._embedder_of(served.model) if served.model else None
        except ModelError:
            embedder = None  # the ranking says that it is by keywords alone
        if not served.index.chunk_count or not question:
            return (), served.version, served.degraded
        question = question[:QUESTION_CHARACTERS]
        found = retrieve(served.index, embedder, Query(question, CHUNKS))
        hits = () if matches_nothing(served.index, embedder, question, found) else found.hits
        return hits, served.version, (*served.degraded, *found.degraded)

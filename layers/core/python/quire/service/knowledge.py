"""The use cases behind every face, the native API, the command line and MCP. Access is decided here, once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, replace

from quire.analysis.language import notices as language_notices
from quire.answering.led_search import lead
from quire.collections import NAME, Collection
from quire.documents import Hit
from quire.errors import (
    ArtifactError,
    InputError,
    ModelError,
    NotPublished,
    QuireError,
    StoreError,
    StoreUnavailable,
    UnknownCollection,
)
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex, vector_share
from quire.limits import QUESTION_CHARACTERS
from quire.ports import AnswerModel, Embedder, TokenBudget
from quire.profiles import profile_named
from quire.search.retrieval import Query, matches_nothing, retrieve, vectors_follow
from quire.service.access import PUBLIC, READ, Caller
from quire.service.freshness import age_hours
from quire.service.metrics import note, note_degraded, note_served, timed
from quire.service.token_budget import BudgetedModel, ProcessBudget
from quire.settings import STALE_AFTER_DAYS
from quire.store.catalog import Catalog, Served, Trouble, Unopened
from quire.store.live_catalog import LiveCatalog
from quire.store.write_targets import LIVE, SITE_FIELD, SITES, Site

WARM_S = 5.0
"""Lambda ends a start after 10 s and begins it anew in the first request. Source: AWS, "Lambda runtime lifecycle"."""

SURVEY_S = 5.0
"""What a look at all collections may take; those that said nothing by then are told as unavailable."""
LOOKS_AT_ONCE = 16
NOTHING_YET = "nothing yet: `quire index PATH` fills it, `--store` or QUIRE_STORE leads to another"

EmbedderOf = Callable[[str], Embedder]


@dataclass(frozen=True, slots=True)
class Found:
    """Hits and the collection state that they come from.

    `degraded` says in words what was missing, `notices` what of the question found nothing, such as a filter's value.
    `terms` are those that took part.
    """

    served: Served
    hits: tuple[Hit, ...]
    mode: str
    degraded: tuple[str, ...]
    notices: tuple[str, ...] = ()
    terms: str = ""


class Knowledge:
    """The collections of one store, ready to be asked.

    `embedder_of` opens the model of a digest, once, and raises a QuireError where it cannot. `live` looks at the
    pointers of collections that take live writes; without it they are followed like any other. Answers of a version
    older than `stale_after_days` say so; 0 never does. What `model_of` gives at that moment writes
    answers; callers without a key spend `public_budget`, by default nothing.
    """

    def __init__(
        self,
        catalog: Catalog,
        embedder_of: EmbedderOf,
        collections: Mapping[str, Collection] | None = None,
        *,
        live: LiveCatalog | None = None,
        stale_after_days: float = STALE_AFTER_DAYS,
        model_of: Callable[[], AnswerModel | None] = lambda: None,
        public_budget: TokenBudget | None = None,
        print_answers: bool = False,
    ) -> None:
        self._model_of = model_of
        self._public_budget = public_budget or ProcessBudget(0)
        self.answer_s = 0.0
        """Seconds that an answer may take with its model; 0 leaves it to the face."""
        self.rewrite = "off"
        """How questions are written anew by the answer model, where a collection does not say; see `Inquiry`."""
        self.print_answers = print_answers
        self.catalog = catalog
        self.collections = dict(collections or {})
        self.stale_after_days = stale_after_days
        self._embedder_of = embedder_of
        self.live = live
        catalog.prepare = self._prepare
        if live is not None:
            live.prepare = self._prepare
            live.entries.make_room = catalog.entries.close_idlest
            catalog.entries.make_room = live.entries.close_idlest

    @property
    def answer_model(self) -> AnswerModel | None:
        """What writes answers; None where quotations answer."""
        return self._model_of()

    def rewrite_of(self, collection: str) -> str:
        """How questions to the collection are written anew: as its `options.rewrite` says, else as the settings do."""
        listed = self.collections.get(collection)
        return str(listed.options.get("rewrite", self.rewrite)) if listed else self.rewrite

    def model_for(self, caller: Caller, collection: str) -> AnswerModel | None:
        """What writes an answer for this caller; None for one without a key, unless the collection's owner pays."""
        if caller.name != PUBLIC:
            return self.answer_model
        listed = self.collections.get(collection)
        if listed is None or not listed.public_answers:
            return None
        model = self.answer_model
        # The model is asked by another thread, which knows nothing of the request.
        request = copy_context()

        def tell(why: str) -> None:
            request.run(note, public_refused=why)  # said in the request's log line, where an alarm counts it

        return model and BudgetedModel(model, self._public_budget, collection, complain=tell)

    def search(self, caller: Caller, collection: str, query: Query, version: str | None = None) -> Found:
        """Hits for a question over one collection; none where it matches nothing.

        Raises:
            ScopeMissing: the caller may not read it.
            UnknownCollection, UnknownVersion, InputError: as their names say.
        """
        with timed("open_ms"):
            served = self.serve(caller, collection, version, query.filters)
            embedder, missing = (None, ()) if query.mode == "keyword" else self._embedder(served)
        with timed("search_ms"):
            found = retrieve(served.index, embedder, query)
            if found.of_product and query.mode == "hybrid":
                found = lead(found, served.index, embedder, query)
        # What was searched for; all of it would hold every other request.
        text = query.text[:QUESTION_CHARACTERS]
        asked = f"{text} {found.terms}"
        is_far = query.mode == "hybrid" and matches_nothing(served.index, embedder, asked, found)
        hits = () if is_far else found.hits
        degraded = tuple(dict.fromkeys((*served.degraded, *missing, *found.degraded)))
        age_h = age_hours(served.pointer.fresh_at)
        note(collection=served.name, version=served.version, degraded=bool(degraded), index_age_h=age_h)
        note_degraded(degraded)
        notices = (
            *language_notices(text, found.terms, served.index),
            *served.index.filters.missing(query.filters),
        )
        return Found(served, hits, found.mode, degraded, notices, found.terms)

    def serve(
        self, caller: Caller, collection: str, version: str | None = None, filters: Filters | None = None
    ) -> Served:
        """The collection, open, for a caller who may read it. One of sites is opened a site at a time.

        Raises:
            ScopeMissing: the caller may not read it, or not that site.
            UnknownCollection, UnknownVersion: as their names say.
            NotPublished: it is described, and nothing of it is published.
            InputError: it is a collection of sites, and the filters name none.
        """
        caller.require(READ, collection)
        try:
            served = self._serve(caller, collection, version, filters or {})
        except UnknownCollection as error:
            raise self._unpublished(collection) or self._unknown(caller, error) from None
        note_degraded(served.degraded)
        note_served(served)
        return served

    def _unknown(self, caller: Caller, error: UnknownCollection) -> UnknownCollection:
        """The error with the names of the collections that this caller may read, where one of those was meant."""
        if error.field != "collection":
            return error
        known = ", ".join(self.names(caller)) or nothing_to_read(self)
        return UnknownCollection(f"{error}, which holds {known}", field=error.field)

    def _unpublished(self, collection: str) -> NotPublished | None:
        """What is said of a collection that is described and has no index yet, or lost it: it may come back."""
        listed = self.collections.get(collection)
        if listed is None or listed.profile == SITES:
            return None
        how = f"`python -m build_index build {collection}` publishes it"
        if listed.profile == "code":
            how = f"`POST /{collection}/index/build` makes it"
        elif listed.profile in LIVE and not listed.sources:
            how = f"`POST /{collection}/ingest` begins it"
        return NotPublished(f"collection {collection!r}: no index is published; {how}")

    def _serve(self, caller: Caller, collection: str, version: str | None, filters: Filters) -> Served:
        listed = self.collections.get(collection)
        if listed is not None and listed.profile == SITES:
            return self._site(caller, collection, version, filters)
        if version is None:
            return self._current(collection)
        # What was deleted is deleted at once, in every version of what takes live writes.
        known = peek(self, collection)
        takes_writes = self.live is not None and (known is None or known.pointer.profile in LIVE)
        return self.catalog.get(collection, version, fresh=takes_writes)

    def _current(self, collection: str) -> Served:
        """The collection as it is served now; of one that takes live writes every request looks at the pointer."""
        if self.live is None:
            return self.catalog.get(collection)
        listed = self.collections.get(collection)
        if (listed is not None and listed.profile in LIVE) or _opened_live(self, collection) is not None:
            return self.live.get(collection)
        served = self.catalog.get(collection)
        if served.pointer.profile not in LIVE:
            return served
        self.catalog.close(collection)  # or it would keep this version open for ever
        return self.live.get(collection)

    def look(self, collection: str) -> Served | Unopened:
        """The collection as it is open, else by its pointer and manifests; `degraded` by a missing model too.

        Raises:
            UnknownCollection, StoreError, ArtifactError: as their names say.
        """
        is_live = _opened_live(self, collection) is not None
        state = self._current(collection) if is_live else self.catalog.describe(collection)
        _, missing = self._embedder(state)
        return replace(state, degraded=(*state.degraded, *missing)) if missing else state

    def _site(self, caller: Caller, collection: str, version: str | None, filters: Filters) -> Served:
        site_id = filters.get(SITE_FIELD)
        if not isinstance(site_id, str) or not site_id or version is not None:
            message = f"filters.{SITE_FIELD}: wanted one site, and no version: sites are asked one at a time"
            raise InputError(message, field=f"filters.{SITE_FIELD}")
        caller.require_site(READ, collection, site_id)
        served = self.live.find(Site(collection, site_id).name) if self.live else None
        if served is None or not served.index.chunk_count:
            message = f"site {site_id[:80]!r}: has no documents"
            raise UnknownCollection(message, field=f"filters.{SITE_FIELD}")
        return served

    def describe(self, caller: Caller, collection: str) -> Served:
        """The state of one collection, `degraded` by a missing model too.

        Raises:
            ScopeMissing, UnknownCollection: as their names say.
        """
        served = self.serve(caller, collection)
        _, missing = self._embedder(served)
        return replace(served, degraded=(*served.degraded, *missing)) if missing else served

    def names(self, caller: Caller) -> tuple[str, ...]:
        """The collections that the store holds and the caller may read, sorted."""
        return tuple(name for name in self.catalog.names() if caller.may(READ, name))

    def title(self, collection: str) -> str:
        """How a collection is called in sentences."""
        known = self.collections.get(collection)
        return known.title if known and known.title else collection

    def known_face(self, collection: str) -> str | None:
        """The face of a collection as `face_of` tells it; None where the store would have to be asked."""
        if collection in self.collections:
            return profile_named(self.collections[collection].profile).face
        served = peek(self, collection)
        return served.pointer.face if served else None

    def warm(self, has_room: Callable[[], bool] = lambda: True) -> dict[str, str]:
        """Open collections and their models ahead of questions, in the order of `collections.toml`, the others last.

        For `WARM_S` at most, and while there `has_room`: the rest is opened when it is first asked. Returns what was
        not opened, with the reason.
        """
        failed: dict[str, str] = {}
        until = time.monotonic() + WARM_S
        for name in self._by_importance():
            if time.monotonic() > until:
                failed[name] = f"left to its first question: opening took more than {WARM_S:.0f} s so far"
                continue
            if not has_room():
                failed[name] = "left to its first question: those before it take half of the disk"
                continue
            try:
                self._embedder_of(self._current(name).model).embed(["warm"])
            except QuireError as error:
                failed[name] = str(error)
        return failed

    def _prepare(self, index: OpenedIndex) -> None:
        """Ask a version that nobody serves yet: what its first question would wait for is done."""
        model = next((manifest.model for manifest in index.manifests), "")
        retrieve(index, self._embedder_of(model), Query("warm"))

    def _by_importance(self) -> list[str]:
        """What the store holds, in the order in which its maintainer listed it."""
        order = {name: place for place, name in enumerate(self.collections)}
        return sorted(self.catalog.names(), key=lambda name: order.get(name, len(order)))

    def embedder(self, served: Served) -> Embedder | None:
        """The model of a collection, ready; None where it cannot be opened."""
        return self._embedder(served)[0]

    def _embedder(self, served: Served | Unopened) -> tuple[Embedder | None, tuple[str, ...]]:
        if vector_share(served.manifests) < 1.0:
            return None, (vectors_follow(served.manifests),)
        try:
            return self._embedder_of(served.model), ()
        except ModelError:
            return None, ("embedding model unavailable: ranked by keywords alone",)


def nothing_to_read(knowledge: Knowledge) -> str:
    """What the store holds for a caller for whom it holds no name."""
    return "none that you may read" if knowledge.catalog.names() else NOTHING_YET


def peek(knowledge: Knowledge, collection: str) -> Served | None:
    """The collection as it is open now, without a look at the store; None where it is not open."""
    return knowledge.catalog.peek(collection) or _opened_live(knowledge, collection)


def _opened_live(knowledge: Knowledge, collection: str) -> Served | None:
    """As above. Sites are open there too, under names that no caller may ask for."""
    if knowledge.live is None or not NAME.fullmatch(collection):
        return None
    return knowledge.live.peek(collection)


def last_trouble(knowledge: Knowledge, collection: str) -> Trouble | None:
    """The collection's last error since this process began."""
    told = knowledge.catalog.trouble(collection)
    return told or (knowledge.live.trouble(collection) if knowledge.live else None)


def survey(
    knowledge: Knowledge, caller: Caller, within_s: float = SURVEY_S
) -> list[tuple[str, Served | Unopened | QuireError]]:
    """Every readable collection with its state, or with why it cannot be served. None is opened for it."""
    from concurrent.futures import (  # 6 ms of import that no question needs
        CancelledError,
        ThreadPoolExecutor,
        wait,
    )

    names = knowledge.names(caller)
    pool = ThreadPoolExecutor(LOOKS_AT_ONCE, "survey")
    looks = {name: pool.submit(knowledge.look, name) for name in names}
    wait(looks.values(), within_s)
    pool.shutdown(wait=False, cancel_futures=True)
    states: list[tuple[str, Served | Unopened | QuireError]] = []
    for name, look in looks.items():
        try:
            states.append((name, look.result(0)))
        except QuireError as error:
            states.append((name, error))
        except (TimeoutError, CancelledError):
            states.append(
                (name, StoreUnavailable(f"collection {name!r}: nothing was heard within {within_s:g} s"))
            )
    return states


def face_of(knowledge: Knowledge, collection: str) -> str:
    """The face of a collection: as its maintainer wrote, else as its index was built.

    Raises:
        UnknownCollection: neither `collections.toml` nor the store has it.
    """
    return knowledge.known_face(collection) or knowledge.catalog.get(collection).pointer.face


def mounts(knowledge: Knowledge) -> dict[str, str]:
    """Every collection with its face: what `collections.toml` lists and what the store holds."""
    faces = {name: face_of(knowledge, name) for name in knowledge.collections}
    for name in knowledge.catalog.names():
        try:
            faces[name] = face_of(knowledge, name)
        except (StoreError, ArtifactError, UnknownCollection):
            continue
    return dict(sorted(faces.items()))

"""The tables of a version's chunks: what their filters, symbols and documents say, without what tombstones hide."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from quire.analysis.symbols import ancestry, fold_symbol, resolve
from quire.analysis.terms import analyze
from quire.errors import REBUILT, ArtifactCorrupt, InputError
from quire.filter_values import Filters, filter_key, filter_value
from quire.index.parts import Part, filtered
from quire.index.stack import number_documents
from quire.index.vocabulary import trigrams
from quire.ranking import NONE, bases, contains, difference, union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Ordinals
MOST_NEAR = 3
MOST_COMPARED = 5_000
"""Values looked through, 20 ms at most. Of a field with more, such as paths, the rest is not."""
MOST_TOLD = 3
"""Values of a request that are told of, so that a list of thousands costs no more."""
LEAST_ALIKE = 0.34
"""Dice coefficient of the trigrams of two values that may be meant for each other: a third of them in common."""
LONGEST = 80
STEM_TERMS, FOLDER_TERMS = 8, 6
"""Terms of a name that are kept, so that a table of all documents has rows of one width."""
NO_TERM = 0


class LiveParts:
    """Parts laid end to end, each with its chunks that are hidden.

    Attributes:
        parts, hidden: of equal length; hidden ordinals count within their part.
        bases: the ordinal at which each part begins.
    """

    def __init__(self, parts: Sequence[Part], hidden: Sequence[Ordinals]) -> None:
        self.parts = parts
        self.hidden = hidden
        self.bases = bases([part.chunk_count for part in parts])

    def everywhere(self, look_up: Callable[[Part], Ordinals]) -> Ordinals:
        """Live chunks that a look-up finds in the parts, ascending.

        Raises:
            ArtifactCorrupt: a damaged file names a chunk that there is not; what is mapped in place is not digested.
        """
        looks = zip(self.parts, self.hidden, self.bases, strict=True)
        found = [
            difference(_of_part(look_up(part), part), hidden) + np.uint32(base)
            for part, hidden, base in looks
        ]
        return found[0] if len(found) == 1 else np.concatenate([NONE, *found])

    def is_live(self, ordinal: int) -> bool:
        """Whether no tombstone hides the chunk."""
        number = bisect_right(self.bases, ordinal) - 1
        within = np.array([ordinal - self.bases[number]], np.uint32)
        return len(difference(within, self.hidden[number])) > 0


def _of_part(found: Ordinals, part: Part) -> Ordinals:
    if len(found) and int(found.max()) >= part.chunk_count:
        raise ArtifactCorrupt(
            f"columns: damaged, they name chunk {found.max()} of {part.chunk_count}; {REBUILT}"
        )
    return found


class FilterTable:
    """Which chunks have which values of the metadata fields that can be filtered by.

    Attributes:
        fields: their names.
    """

    def __init__(self, live: LiveParts, fields: tuple[str, ...]) -> None:
        self.fields = fields
        self._live = live
        self._priors: dict[tuple[tuple[str, Any, float], ...], NDArray[np.float32]] = {}

    def chunks(self, filters: Mapping[str, Any]) -> Ordinals | None:
        """Live chunks that fulfil every filter, ascending; None where there is no filter.

        A list means any of its values. A value that no chunk has gives an empty array.

        Raises:
            InputError: a field is unknown; the message lists the known.
        """
        if not filters:
            return None
        for place in (f"filters.{name}" for name in filters if name not in self.fields):
            known = ", ".join(self.fields)
            raise InputError(f"{place}: unknown field, wanted one of {known}", field=place)
        return self._live.everywhere(lambda part: filtered(part, filters))

    def narrow(self, ordinals: Ordinals, filters: Filters) -> Ordinals:
        """Those of the chunks that fulfil every filter, in their order.

        Raises:
            InputError: as `chunks`.
        """
        allowed = self.chunks(filters)
        return ordinals if allowed is None else ordinals[contains(allowed, ordinals)]

    def has_value(self, field: str, value: object) -> bool:
        """Whether any chunk has that value of the field; one that only a hidden chunk has counts too."""
        return any(len(part.filters.ordinals(filter_key(field, value))) for part in self._live.parts)

    def values(self, field: str) -> Iterator[str]:
        """Every value of the field as filters spell it; one that several segments have may come again."""
        prefix = filter_key(field, "")
        for part in self._live.parts:
            yield from (key[len(prefix) :] for key in part.filters.with_prefix(prefix))

    def missing(self, filters: Mapping[str, Any]) -> tuple[str, ...]:
        """One sentence for each of the first values of the filters that no passage has, with those spelled alike."""
        pairs = (
            (field, value)
            for field, wanted in filters.items()
            for value in (wanted if isinstance(wanted, list | tuple) else (wanted,))
        )
        missing = ((field, value) for field, value in pairs if not self.has_value(field, value))
        told = []
        for field, value in islice(missing, MOST_TOLD):
            near = near_values(filter_value(value), islice(self.values(field), MOST_COMPARED))
            names = ", ".join(repr(one[:LONGEST]) for one in near)
            hint = f"; near it: {names}" if near else ""
            told.append(f"filters.{field}: no passage has {filter_value(value)[:LONGEST]!r}{hint}")
        return tuple(told)

    def priors(self, demotions: tuple[tuple[str, Any, float], ...]) -> NDArray[np.float32]:
        """What each chunk's score is multiplied by, shape (chunks,): the product of the demotions that apply to it.

        Each is `(field, value, factor)`; a field that cannot be filtered by demotes nothing. Computed once.
        """
        if demotions not in self._priors:
            factors = np.ones(sum(part.chunk_count for part in self._live.parts), np.float32)
            for name, value, factor in demotions:
                if name in self.fields:
                    factors[self.chunks({name: value})] *= np.float32(factor)
            self._priors[demotions] = factors
        return self._priors[demotions]


def near_values(wanted: str, known: Iterable[str]) -> list[str]:
    """The known values that share most trigrams with the wanted one, best first, whatever their case.

    >>> near_values("Evnt", ["Event", "Function", "Property"])
    ['Event']
    """
    asked = set(trigrams(wanted[:LONGEST].lower()))
    scored = []
    for one in known:
        has = set(trigrams(one[:LONGEST].lower()))
        alike = 2 * len(asked & has) / (len(asked) + len(has))
        if alike >= LEAST_ALIKE:
            scored.append((-alike, one))
    return [one for _, one in sorted(scored)[:MOST_NEAR]]


class SymbolTable:
    """Which chunks define which symbols, and what classes inherit.

    Args:
        hierarchies: class -> superclass, of each segment.
    """

    def __init__(self, live: LiveParts, hierarchies: Sequence[Mapping[str, str]]) -> None:
        self._live = live
        self._hierarchies = hierarchies

    def chunks(self, name: str) -> Ordinals:
        """Live chunks that define the symbol, compared by `fold_symbol`, ascending."""
        folded = fold_symbol(name)
        return self._live.everywhere(lambda part: part.symbols.ordinals(folded))

    def members(self, name: str) -> Ordinals:
        """Live chunks that define something in what has the name, at any depth, ascending."""
        prefix = f"{fold_symbol(name)}."
        return self._live.everywhere(
            lambda part: union([part.symbols.ordinals(one) for one in part.symbols.with_prefix(prefix)])
        )

    def has(self, name: str) -> bool:
        """Whether a live chunk defines the symbol."""
        return len(self.chunks(name)) > 0

    @property
    def is_empty(self) -> bool:
        """Whether no chunk defines a symbol: documentation declares none."""
        return not any(True for part in self._live.parts for _ in islice(part.symbols.with_prefix(""), 1))

    def resolve(self, name: str) -> str | None:
        """The symbol as its declaring class spells it."""
        return resolve(name, self._hierarchy, self.has)

    def ancestry(self, name: str) -> tuple[str, ...]:
        """The class itself, then its superclasses, nearest first; the class alone where no hierarchy is known."""
        return tuple(ancestry(name, self._hierarchy))

    @cached_property
    def _hierarchy(self) -> dict[str, str]:
        return {name: above for one in self._hierarchies for name, above in one.items()}


class DocumentTable:
    """The documents that chunks belong to: by id, and by a number that is the same for all chunks of one."""

    def __init__(self, live: LiveParts) -> None:
        self._live = live

    def chunks(self, document_id: str) -> Ordinals:
        """Live chunks of the document, in its order."""
        return self._live.everywhere(lambda part: part.documents.ordinals(document_id))

    def ids(self) -> Iterator[str]:
        """Ids of the documents, those that are no longer live among them."""
        for part in self._live.parts:
            yield from part.documents.with_prefix("")

    def ending_in(self, path: str) -> Iterator[str]:
        """Ids of the live documents that are called so, or end so behind a `/`."""
        called = (one for one in self.ids() if f"/{one}".endswith(f"/{path}"))
        yield from (one for one in called if len(self.chunks(one)))

    def numbers(self, ordinals: Ordinals) -> NDArray[np.uint32]:
        """Number of each chunk's document: equal for chunks of one document, and for no others."""
        return self._numbers[ordinals]

    def id_of(self, number: int) -> str:
        """Id of the document of that number."""
        place = bisect_right(self._bases, number) - 1
        return self._live.parts[place].document_id(number - self._bases[place])

    def likeness(
        self, documents: NDArray[np.uint32], terms: Iterable[str], forms: Iterable[str]
    ) -> NDArray[np.float32]:
        """How far the names of files say what a question says, see `FileNames.likeness`; `documents` are numbers."""
        return self._names.likeness(documents, terms, forms)

    @cached_property
    def _names(self) -> FileNames:
        return FileNames(sum(part.document_count for part in self._live.parts), self.id_of)

    @cached_property
    def _bases(self) -> list[int]:
        return bases([part.document_count for part in self._live.parts])

    @cached_property
    def _numbers(self) -> NDArray[np.uint32]:
        return number_documents(self._live.parts)


class FileNames:
    """Terms of files' stems and of the folders that they lie in, as numbers, each read when it is first asked for.

    Args:
        count: of documents.
        path_of: gives a document's path by its number.
    """

    def __init__(self, count: int, path_of: Callable[[int], str]) -> None:
        self._path_of = path_of
        self._stems = np.zeros((count, STEM_TERMS), np.uint32)
        self._folders = np.zeros((count, FOLDER_TERMS), np.uint32)
        self._is_read = np.zeros(count, np.bool_)

    def likeness(
        self, documents: NDArray[np.uint32], terms: Iterable[str], forms: Iterable[str] = ()
    ) -> NDArray[np.float32]:
        """How far names and a question say the same, 0 to 1, in the order of `documents`.

        Half is the share of the question's terms that stem or folder hold, half that of the stem's terms that the
        question says. `forms` are others that stand for some of its terms.
        """
        for document in documents[~self._is_read[documents]].tolist():
            self._read(document)
        asked = _number_terms(terms)
        said_by = np.concatenate((asked, _number_terms(forms)))
        stems = self._stems[documents]
        in_stem = stems[:, :, None] == said_by
        in_folder = (self._folders[documents][:, :, None] == said_by).any(axis=1)
        said = in_stem.any(axis=2).sum(axis=1) / np.maximum((stems != NO_TERM).sum(axis=1), 1)
        found = (in_stem.any(axis=1) | in_folder).sum(axis=1) / max(len(asked), 1)
        likeness: NDArray[np.float32] = ((said + np.minimum(found, 1.0)) / 2).astype(np.float32)
        return likeness

    def _read(self, document: int) -> None:
        path = PurePosixPath(self._path_of(document))
        for table, name in ((self._stems, path.stem), (self._folders, path.parent.name)):
            numbers = _number_terms(analyze(name.replace(".", " ")))[: table.shape[1]]
            table[document, : len(numbers)] = numbers
        self._is_read[document] = True


def _number_terms(terms: Iterable[str]) -> NDArray[np.uint32]:
    """A number above `NO_TERM` for each term, each term once."""
    # The last bit keeps every number above that of an empty place.
    return np.array([crc32(term.encode()) | 1 for term in dict.fromkeys(terms)], np.uint32)


class WordTable:
    """The lower-case words of all texts, of four letters and more."""

    def __init__(self, live: LiveParts) -> None:
        self._live = live

    def beginning(self, letters: str) -> Iterator[str]:
        """The words that begin with the letters, ascending.

        Raises:
            ArtifactCorrupt: a damaged file names a word that there is not.
        """
        try:
            told = (part.spelling.words.with_prefix(letters) for part in self._live.parts)
            yield from (word for word, _ in groupby(heapq.merge(*told)))
        except IndexError as error:
            raise ArtifactCorrupt(f"the table of words is damaged: {error}; {REBUILT}") from error

    def share_between(self, first: str, behind: str) -> float:
        """Share of the words from `first` on, in the order of their letters, to the one before `behind`."""
        tables = [part.spelling.words for part in self._live.parts]
        return sum(one.count_between(first, behind) for one in tables) / max(1, sum(map(len, tables)))

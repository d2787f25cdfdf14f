"""Files' names as terms, beside those of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from quire.analysis.terms import analyze

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEM_TERMS, FOLDER_TERMS = 8, 6
NO_TERM = 0
NO_FORMS = np.zeros(0, np.uint32)


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
        self,
        documents: NDArray[np.uint32],
        terms: NDArray[np.uint32],
        forms: NDArray[np.uint32] = NO_FORMS,
    ) -> NDArray[np.float32]:
        """How far names and a question say the same, 0 to 1, in the order of `documents`.

        Half is the share of the question's terms that stem or folder hold, half that of the stem's terms that the
        question says. `terms` are those of `number_terms`, `forms` others that stand for some of them.
        """
        for document in documents[~self._is_read[documents]].tolist():
            self._read(document)
        said_by = np.concatenate((terms, forms))
        stems = self._stems[documents]
        in_stem = stems[:, :, None] == said_by
        in_folder = (self._folders[documents][:, :, None] == said_by).any(axis=1)
        said = in_stem.any(axis=2).sum(axis=1) / np.maximum((stems != NO_TERM).sum(axis=1), 1)
        found = (in_stem.any(axis=1) | in_folder).sum(axis=1) / max(len(terms), 1)
        likeness: NDArray[np.float32] = ((said + np.minimum(found, 1.0)) / 2).astype(np.float32)
        return likeness

    def _read(self, document: int) -> None:
        path = PurePosixPath(self._path_of(document))
        for table, name in ((self._stems, path.stem), (self._folders, path.parent.name)):
            numbers = number_terms(analyze(name.replace(".", " ")))[: table.shape[1]]
            table[document, : len(numbers)] = numbers
        self._is_read[document] = True


def number_terms(terms: Iterable[str]) -> NDArray[np.uint32]:
    """A number above `NO_TERM` for each term, each term once."""
    return np.array([crc32(term.encode()) | 1 for term in dict.fromkeys(terms)], np.uint32)

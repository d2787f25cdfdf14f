"""The Snowball English stemmer (Porter2), by PyStemmer: 0.4 µs a word.

Source: https://snowballstem.org/algorithms/english/stemmer.html.
"""

from __future__ import annotations

import threading
from functools import lru_cache

from Stemmer import Stemmer

_own = threading.local()
"""A stemmer for each thread: they keep state while they work, and must not be shared."""


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a lower-case word.

    >>> stem("connections"), stem("generously")
    ('connect', 'generous')
    """
    stemmer: Stemmer | None = getattr(_own, "stemmer", None)
    if stemmer is None:
        stemmer = _own.stemmer = Stemmer("english")
        stemmer.maxCacheSize = 0  # the cache above is shared by threads and bounded
    stemmed: str = stemmer.stemWord(word)
    return stemmed

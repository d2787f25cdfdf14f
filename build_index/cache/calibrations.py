"""Calibrations of indexes that were built before, by their content: an edit that is undone asks no questions again.

Asking is most of what a build of a few files does, and a second of one of thousands.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from build_index.cache.inputs import digest_code
from build_index.cache.store import ContentStore
from quire.canonical_json import canonical_json
from quire.index.layout import Manifest

CALIBRATIONS = "calibrations"
MOST = 64
"""So many are kept; when there are more, all but the newest go."""


def calibration_key(manifest: Manifest, questions: Sequence[object]) -> bytes:
    """A digest of all that a calibration hangs on: the index as it can be asked, the questions, and the code.

    Where its sources lie, and what a build notes beside it, changes no answer.
    """
    asked = manifest._replace(calibration={}, sources=(), notes={}).to_json()
    return hashlib.sha256(canonical_json([digest_code(), *map(repr, questions)]) + asked).digest()


def read_calibration(store: ContentStore, key: bytes) -> Mapping[str, Any] | None:
    """The calibration of that key, where it is kept."""
    kept = store.read(CALIBRATIONS, [key]).get(key)
    return json.loads(kept) if kept else None


def keep_calibration(store: ContentStore, key: bytes, calibration: Mapping[str, Any]) -> None:
    """Keep it for builds of the same."""
    if len(store.keys(CALIBRATIONS)) >= MOST:
        store.retain(CALIBRATIONS, ())
    store.write(CALIBRATIONS, {key: json.dumps(calibration).encode()})

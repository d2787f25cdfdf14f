"""An object store in memory: the port without a disk, so that segments are fetched as from a bucket."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from quire.errors import ArtifactCorrupt, StoreUnavailable, SwapConflict
from quire.stored import Stored


class MemoryStore:
    """`ObjectStore` in a dictionary. `is_down` makes every call fail; `calls` counts them by method."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.is_down = False
        self.calls: dict[str, int] = {}
        self._guard = threading.RLock()

    def read(self, key: str) -> Stored | None:
        self._called("read", key)
        with self._guard:
            data = self.objects.get(key)
            return None if data is None else Stored(data, hashlib.sha256(data).hexdigest())

    def read_if_changed(self, key: str, etag: str) -> Stored | None:
        self._called("read_if_changed", key)
        stored = self.read(key)
        if stored is None:
            raise KeyError(key)
        return None if stored.etag == etag else stored

    def write(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        self._called("write", key)
        with self._guard:
            stored = self.read(key)
            if (if_absent or if_match is not None) and (stored.etag if stored else None) != if_match:
                raise SwapConflict(f"{key}: moved meanwhile")
            self.objects[key] = data
        return hashlib.sha256(data).hexdigest()

    def put_file(self, key: str, path: Path, sha256: str) -> None:
        self._called("put_file", key)
        self.objects[key] = _checked(key, path.read_bytes(), sha256)

    def fetch_file(self, key: str, path: Path, sha256: str) -> None:
        self._called("fetch_file", key)
        if key not in self.objects:
            raise ArtifactCorrupt(f"{key}: no such object")
        data = _checked(key, self.objects[key], sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def list(self, prefix: str) -> list[str]:
        self._called("list", prefix)
        names = (key.removeprefix(prefix) for key in self.objects if key.startswith(prefix))
        return sorted({name.partition("/")[0] + name.partition("/")[1] for name in names})

    def delete(self, key: str) -> None:
        self._called("delete", key)
        self.objects.pop(key, None)

    def local_path(self, key: str) -> Path | None:
        return None

    def _called(self, method: str, key: str) -> None:
        self.calls[method] = self.calls.get(method, 0) + 1
        if self.is_down:
            raise StoreUnavailable(f"{key}: the store is down")


def _checked(key: str, data: bytes, sha256: str) -> bytes:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ArtifactCorrupt(f"{key}: sha256 {found} expected {sha256}")
    return data

"""Objects as files in a folder, with writes that are atomic between processes of one machine."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from quire.errors import ArtifactCorrupt, StoreUnavailable, SwapConflict, explain
from quire.stored import Stored

if TYPE_CHECKING:
    from typing import IO

COPY_BYTES = 1 << 20
BUSY_S = 10.0
"""How long a write waits for another's to the same object, which takes milliseconds unless its process was stopped."""
LOOK_S = 0.005


class FolderStore:
    """`ObjectStore` over a folder, which is made at the first write.

    A write goes to a file beside the object, reaches the disk, and takes the object's name; a lock file orders
    conditional writes. Names that begin with a dot are the store's own.

    A folder that held something and holds nothing now was not emptied object by object: its disk is not mounted, or it
    was moved. Then nothing is said to be missing, and nothing written into what is left of it.

    A write that has waited `busy_s` for the lock file raises StoreUnavailable.
    """

    def __init__(self, root: Path, *, busy_s: float = BUSY_S) -> None:
        self._root = root
        self._busy_s = busy_s
        self._held = False

    def read(self, key: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        try:
            data = self._path(key).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            self._demand_rest(key)
            return None
        except OSError as error:
            raise StoreUnavailable(f"{key}: cannot be read: {explain(error)}") from error
        self._held = True
        return Stored(data, _etag(data))

    def read_if_changed(self, key: str, etag: str) -> Stored | None:
        """See `quire.ports.ObjectStore`."""
        stored = self.read(key)
        if stored is None:
            raise KeyError(key)
        return None if stored.etag == etag else stored

    def write(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """See `quire.ports.ObjectStore`."""
        path = self._path(key)
        with _translated(key):
            if if_match is not None:
                self._check(key, if_match)  # what was removed leaves no folder with a lock file
            self._make_folder(key, path)
            with _locked(key, path, self._busy_s):
                if if_absent or if_match is not None:
                    self._check_locked(key, path, if_match)
                with _new_file(path) as file:
                    file.write(data)
        self._held = True
        return _etag(data)

    def _check_locked(self, key: str, path: Path, if_match: str | None) -> None:
        try:
            self._check(key, if_match)
        except SwapConflict:
            if not path.exists():  # it was deleted meanwhile: no lock is left of it
                _lock_of(path).unlink(missing_ok=True)
                self._drop_empty(path.parent)
            raise

    def _check(self, key: str, if_match: str | None) -> None:
        stored = self.read(key)
        found = stored.etag if stored else None
        if found != if_match:
            raise SwapConflict(f"{key}: etag {found} expected {if_match}: it moved meanwhile")

    def put_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        target = self._path(key)
        with _translated(key):
            self._make_folder(key, target)
            _copy_checked(path, target, sha256)
        self._held = True

    def fetch_file(self, key: str, path: Path, sha256: str) -> None:
        """See `quire.ports.ObjectStore`."""
        source = self._path(key)
        with _translated(key):
            if not source.exists():
                self._demand_rest(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            _copy_checked(source, path, sha256)

    def list(self, prefix: str) -> list[str]:
        """See `quire.ports.ObjectStore`."""
        folder = self._path(prefix)
        with _translated(prefix):
            if not folder.is_dir():
                self._demand_rest(prefix)
                return []
            visible = [path for path in folder.iterdir() if not path.name.startswith(".")]
            self._held = self._held or bool(visible)
            return sorted(path.name + "/" * path.is_dir() for path in visible)

    def delete(self, key: str) -> None:
        """See `quire.ports.ObjectStore`."""
        path = self._path(key)
        with _translated(key):
            if _lock_of(path).exists():  # a write that has checked what it replaces must not bring it back
                with _locked(key, path, self._busy_s):
                    path.unlink(missing_ok=True)
                    _lock_of(path).unlink(missing_ok=True)
            else:
                path.unlink(missing_ok=True)
            self._drop_empty(path.parent)

    def _drop_empty(self, folder: Path) -> None:
        """Remove the folder and those above it that are empty, up to the root; one that fills meanwhile stays."""
        with suppress(OSError):
            while folder != self._root and folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
                folder = folder.parent
        self._held = self._held and _holds_any(self._root)

    def local_path(self, key: str) -> Path | None:
        """See `quire.ports.ObjectStore`."""
        return self._path(key)

    def _make_folder(self, key: str, path: Path) -> None:
        if not path.parent.is_dir():
            self._demand_rest(key)
            path.parent.mkdir(parents=True, exist_ok=True)

    def _demand_rest(self, key: str) -> None:
        """An object is missing: that is so where anything else is left.

        Raises:
            StoreUnavailable: the whole folder is empty or gone, and was not when it was looked at before.
        """
        if self._held and not _holds_any(self._root):
            state = "is empty now" if self._root.is_dir() else "is gone"
            raise StoreUnavailable(
                f"{key}: {self._root} held objects before and {state}: mount its disk, or move it back"
            )

    def _path(self, key: str) -> Path:
        if key.startswith("/") or ".." in key.split("/"):
            raise StoreUnavailable(f"{key!r}: wanted a key below the store's folder")
        return self._root / key


def _holds_any(folder: Path) -> bool:
    try:
        with os.scandir(folder) as held:
            return next(held, None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False


@contextmanager
def _translated(key: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"{key}: {explain(error)}") from error


@contextmanager
def _locked(key: str, path: Path, busy_s: float) -> Iterator[None]:
    """Hold the lock file beside `path`; it is freed by the kernel when a process dies.

    Raises:
        StoreUnavailable: another process has held it for `busy_s`.
    """
    until = time.monotonic() + busy_s
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)  # another process may have deleted all that was in it
        try:
            file = _lock_of(path).open("ab")
        except FileNotFoundError:  # just now
            continue
        with file:
            while not try_lock(file):
                if time.monotonic() >= until:
                    raise StoreUnavailable(
                        f"{key}: another process has held {file.name} for {busy_s:g} s: see whether one that writes"
                        " into this store was stopped, and continue or end it"
                    )
                time.sleep(LOOK_S)
            if _is_current(file, _lock_of(path)):
                yield
                return


def _lock_of(path: Path) -> Path:
    return path.parent / f".{path.name}.lock"


def _is_current(file: IO[bytes], path: Path) -> bool:
    """Whether the open file is the one of that name: a lock goes with its object."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def try_lock(file: IO[bytes]) -> bool:
    """Whether this process has the lock of an open file now; it never waits. Closing the file frees it.

    A fork has it not: it may outlive this process by a moment, and whoever waits for the end of that wants the lock.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    _LOCKED.add(file)
    return True


_LOCKED: WeakSet[IO[bytes]] = WeakSet()


def _close_locked() -> None:
    for file in _LOCKED:
        file.close()


os.register_at_fork(after_in_child=_close_locked)


@contextmanager
def _new_file(target: Path) -> Iterator[IO[bytes]]:
    """A file beside the target, which takes its name at the end of the block, for good, or goes if that fails."""
    import tempfile  # 5 ms with what it imports, which a process that only reads has not got

    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".new-", delete=False) as file:
        beside = Path(file.name)
        try:
            yield file
            file.flush()
            _settle(file.fileno(), beside, target)
        finally:
            # It has its name, or is not to be: on a full disk what was written so far would keep it full.
            beside.unlink(missing_ok=True)


def _etag(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _copy_checked(source: Path, target: Path, sha256: str) -> None:
    """Copy into a folder that is there."""
    digest = hashlib.sha256()
    try:
        with source.open("rb") as original, _new_file(target) as file:
            while block := original.read(COPY_BYTES):
                digest.update(block)
                file.write(block)
            if digest.hexdigest() != sha256:
                raise ArtifactCorrupt(f"{target.name}: sha256 {digest.hexdigest()} expected {sha256}")
    except FileNotFoundError as error:
        raise ArtifactCorrupt(f"{target.name}: no such object") from error


def _settle(descriptor: int, beside: Path, target: Path) -> None:
    """Bring a written file to the disk and give it its name, both for good."""
    os.fchmod(descriptor, 0o644)
    os.fsync(descriptor)
    beside.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

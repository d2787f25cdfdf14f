"""One file that holds a collection and its model. `quire bundle NAME` writes it; `quire serve --bundle FILE` runs it.

A bundle is a plain zip without compression of a store with one collection at one version: the pointer, its segments and
the model that they were made with. The same version gives the same bytes. Opening unpacks it once into the cache and
checks every segment's digests there. Nothing of it needs a network.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from quire.adapters.chosen import open_objects
from quire.errors import ArtifactCorrupt, ConfigError
from quire.folders import whole_folder
from quire.ports import ObjectStore
from quire.store.keys import pointer_key, versions_key
from quire.store.models import model_folder
from quire.store.store import SegmentStore

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip can tell: the same content gives the same bytes."""
COPIED_BYTES = 1 << 20


def write_bundle(objects: ObjectStore, cache: Path, name: str, target: Path) -> int:
    """Write the collection as it is served now, with its model, to `target`; returns the size in bytes.

    One that a search server holds searches its own segments in the bundle, which have all that the server was given;
    its version has another name there.

    Raises:
        ConfigError: the folder of `target` is not there.
        UnknownCollection: the store has none of that name.
        ModelError: the model is neither in the store nor in the cache.
        StoreError, ArtifactError: it cannot be read.
    """
    if not target.resolve().parent.is_dir():
        raise ConfigError(f"{target}: wanted a file in a folder that is there, {target.parent} is not")
    outer = SegmentStore(objects, cache)
    served = outer.pointer(name)
    own = served._replace(engine="")
    opened = outer.open_state(own)
    with tempfile.TemporaryDirectory(prefix=".bundle-", dir=target.resolve().parent) as work:
        inner = open_objects(str(Path(work) / "store"))
        store = SegmentStore(inner, Path(work) / "cache")
        for model in {manifest.model for manifest in opened.manifests}:
            store.put_model(model_folder(objects, cache, model))
        for ref in served.segments:
            segment = outer.segment(name, ref)
            store.put(name, segment.folder, segment.manifest)
        for key in (versions_key(name, own.version), pointer_key(name)):
            # The state whose segments were packed, whatever is published meanwhile.
            inner.write(key, own.to_json())
        draft = Path(work) / "bundle"  # on the target's own disk, so that taking its name is one step
        _pack(Path(work) / "store", draft)
        draft.replace(target)
    return target.stat().st_size


def open_bundle(path: Path, cache: Path) -> Path:
    """The folder of the bundle's store, unpacked under the cache at its first use and kept by the file's digest.

    Raises:
        ConfigError: it is no bundle.
        ArtifactCorrupt: a file in it is not what was bundled.
    """
    if not path.is_file():
        raise ConfigError(
            f"{path}: wanted a file that `quire bundle` wrote, found {'a folder' if path.is_dir() else 'nothing there'}"
        )
    if not zipfile.is_zipfile(path):
        raise ConfigError(
            f"{path}: wanted a whole file that `quire bundle` wrote; this is another, or cut off"
        )
    folder = cache / "bundles" / _digest(path)
    if folder.exists():
        return folder
    with whole_folder(folder, is_shared=True) as work:
        _unpack(path, work)
        store = SegmentStore(open_objects(str(work)), work / ".cache")
        for name in store.collections():
            store.verify(name)
        shutil.rmtree(work / ".cache", ignore_errors=True)
    return folder


def _pack(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as bundle:
        for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.name[0] != "."):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), EPOCH)
            with bundle.open(entry, "w", force_zip64=True) as out, path.open("rb") as file:
                shutil.copyfileobj(file, out, COPIED_BYTES)


def _unpack(path: Path, folder: Path) -> None:
    with zipfile.ZipFile(path) as bundle:
        for entry in bundle.infolist():
            parts = PurePosixPath(entry.filename).parts
            if entry.filename.startswith("/") or ".." in parts or "\\" in entry.filename:
                raise ConfigError(f"{path}: {entry.filename!r} would leave its folder")
        try:
            bundle.extractall(folder)
        except zipfile.BadZipFile as error:
            raise ArtifactCorrupt(f"{path}: {error}; copy it anew") from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:24]

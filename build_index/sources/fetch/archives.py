"""Unpacking zip and tar archives that nobody vouches for."""

from __future__ import annotations

import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import IO

from quire.errors import SourceError

MAX_UNPACKED_BYTES = 8_000_000_000
MAX_FILES = 500_000
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")


def is_archive(file: Path) -> bool:
    """Whether the file begins like a zip or a tar archive, compressed or not."""
    with file.open("rb") as stream:
        head = stream.read(265)
    return head.startswith(_MAGIC) or head[257:262] == b"ustar"


def extract(file: Path, folder: Path, name: str, *, max_bytes: int = MAX_UNPACKED_BYTES) -> None:
    """Unpack the plain files of an archive below `folder`; links, devices and empty folders are left out.

    `name` is what errors call the archive.

    Raises:
        SourceError: the archive is broken, leads out of the folder, or unpacks to more than `max_bytes`.
    """
    room = max_bytes
    try:
        members = _zip_members(file) if zipfile.is_zipfile(file) else _tar_members(file)
        for number, (path, size, stream) in enumerate(members):
            room -= size
            if room < 0 or number >= MAX_FILES:
                raise SourceError(
                    f"{name}: unpacks to more than {max_bytes} bytes or {MAX_FILES} files", path=name
                )
            with stream:
                _write(_inside(folder, path, name), stream, size)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise SourceError(f"{name}: the archive is broken: {error}", path=name) from error


def _zip_members(file: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            if not member.is_dir() and kind in (0, stat.S_IFREG):
                yield member.filename, member.file_size, archive.open(member)


def _tar_members(file: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    with closing(tarfile.open(file)) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isreg() else None
            if stream:
                yield member.name, member.size, stream


def _inside(folder: Path, path: str, name: str) -> Path:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        raise SourceError(f"{name}: member {path!r} leads out of the archive", path=name)
    return folder.joinpath(*parts)


def _write(target: Path, stream: IO[bytes], size: int) -> None:
    """Copy what the archive announced; a stream that holds more is cut, one that holds less is an error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        shutil.copyfileobj(stream, out, 1 << 20)
        written = out.tell()
    if written != size:
        raise EOFError(f"{target.name}: wanted {size} bytes, found {written}")

"""Archives and single files behind a web URL, kept by the ETag that the server gives them."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import unquote, urljoin, urlsplit

import httpx

from quire.errors import SourceError

MAX_BYTES = 2_000_000_000
DEADLINE_S = 1800.0
TIMEOUT = httpx.Timeout(60.0, connect=15.0)


def fetch_url(url: str, cache: Path, *, max_bytes: int = MAX_BYTES, timeout: httpx.Timeout = TIMEOUT) -> Path:
    """The folder that an archive holds, or the folder with the single file that `url` names.

    An archive with one folder at its top gives that folder. What has been fetched is asked for again with its ETag,
    and kept while the server says that it is the same. Beside a lone `.json` file its `version.txt` is fetched, if
    there is one.

    Raises:
        SourceError: any status but 200, a network failure, more than `max_bytes`, a broken archive, or a web page in
            place of one.
    """
    home = cache / hashlib.sha256(url.encode()).hexdigest()[:16]
    home.mkdir(parents=True, exist_ok=True)
    known = _read_state(home)
    with tempfile.TemporaryDirectory(dir=home, prefix="fetching-") as scratch:
        file = Path(scratch) / "download"
        try:
            with httpx.Client(follow_redirects=True, timeout=timeout, max_redirects=5) as client:
                state = _download(client, url, file, known=known, max_bytes=max_bytes)
                if state is None:
                    return home / known["folder"]
                folder = Path(scratch) / "content"
                folder.mkdir()
                if is_archive(file):
                    extract(file, folder, url)
                else:
                    _keep_file(client, url, file, folder)
        except httpx.HTTPError as error:
            raise SourceError(f"{url}: {type(error).__name__}: {error}", path=url) from error
        return _settle(home, folder, state)


def _download(
    client: httpx.Client, url: str, file: Path, *, known: dict[str, str], max_bytes: int
) -> dict[str, str] | None:
    """Stream the body into `file` and return its ETag and digest; None where what is known is still the same."""
    headers = {"if-none-match": known["etag"]} if known.get("etag") else {}
    deadline = time.monotonic() + DEADLINE_S
    digest, size = hashlib.sha256(), 0
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == httpx.codes.NOT_MODIFIED and headers:
            return None
        if response.status_code != httpx.codes.OK:
            raise SourceError(f"{url}: wanted status 200, found {response.status_code}", path=url)
        with file.open("wb") as out:
            for piece in response.iter_bytes():
                size += len(piece)
                if size > max_bytes:
                    raise SourceError(f"{url}: larger than {max_bytes} bytes", path=url)
                if time.monotonic() > deadline:
                    raise SourceError(f"{url}: took longer than {DEADLINE_S:.0f} s", path=url)
                digest.update(piece)
                out.write(piece)
        return {"etag": response.headers.get("etag", ""), "folder": digest.hexdigest()[:16]}


def _keep_file(client: httpx.Client, url: str, file: Path, folder: Path) -> None:
    name = PurePosixPath(unquote(urlsplit(url).path)).name or "download"
    if _is_web_page(file) and not name.lower().endswith(WEB_PAGES):
        raise SourceError(
            f"{url}: wanted an archive or a file, found a web page: sites are not crawled, and what asks for a"
            " login is not had; name the repository, an archive or a folder of what the site is made of",
            path=url,
        )
    shutil.move(file, folder / name.replace("\\", "_").lstrip("."))
    if not name.endswith(".json"):
        return
    beside = client.get(urljoin(url, "version.txt"))
    if beside.status_code == httpx.codes.OK and len(beside.text) <= 100:
        (folder / "version.txt").write_text(beside.text, encoding="utf-8")


def _settle(home: Path, folder: Path, state: dict[str, str]) -> Path:
    """Move the content to its place, named by its digest, and remember where it is."""
    inside = list(folder.iterdir())
    content = inside[0] if len(inside) == 1 and inside[0].is_dir() else folder
    target = home / state["folder"]
    if not target.is_dir():
        shutil.move(content, target)
    (home / "state.json").write_text(json.dumps(state), encoding="utf-8")
    return target


def _read_state(home: Path) -> dict[str, str]:
    try:
        state = json.loads((home / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    known = isinstance(state, dict) and (home / str(state.get("folder"))).is_dir()
    return {key: str(value) for key, value in state.items()} if known else {}


MAX_UNPACKED_BYTES = 8_000_000_000
MAX_FILES = 500_000
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")


WEB_PAGES = (".html", ".htm", ".xhtml", ".md", ".mdx", ".txt")
"""Names under which a lone file may be a page: what else begins so is a site's page or a refusal in place of a file."""


def _is_web_page(file: Path) -> bool:
    with file.open("rb") as stream:
        return (
            stream.read(512).lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype html", b"<html"))
        )


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

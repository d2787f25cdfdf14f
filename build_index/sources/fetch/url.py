"""Archives and single files behind a web URL, kept by the ETag that the server gives them."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

import httpx

from build_index.sources.fetch.archives import extract, is_archive
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
        SourceError: any status but 200, a network failure, more than `max_bytes`, or a broken archive.
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

"""Walking a folder of text files: sorted, inside the folder, without hidden files, symbolic links and node_modules."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from build_index.sources.files.selection import Excluded, demand_folder, is_text_name
from quire.errors import SourceError
from quire.limits import DOCUMENT_FILE_BYTES
from quire.parsing.encodings import WESTERN, OlderEncoding, older_encoding
from quire.parsing.formats import PART, RawFile, suffix_of, text_of, with_line_feeds

HEAD_CHARACTERS = 4096
ABOVE = 3
"""How far above a source is looked for what is said of it, unless a repository begins before."""
SKIPPED = frozenset(("node_modules", "__pycache__"))
DOCUMENTS = tuple(
    """
    .md .mdx .markdown .qmd .rmd .rst .adoc .asciidoc .asc .org .textile .txt .html .htm
    .pdf .doc .docx .odt .rtf .ppt .pptx .odp .epub .tex .ipynb
    """.split()
)
"""How names of files end that people write documents in."""


def folders_above(root: Path) -> Iterator[Path]:
    """The folder and those above it, `ABOVE` at most and none above a repository's."""
    here = root
    for _ in range(ABOVE + 1):
        yield here
        if (here / ".git").exists() or here == here.parent:
            return
        here = here.parent


def is_vault(root: Path) -> bool:
    """Whether a folder is part of a vault of Obsidian: then `[[Page]]` is a link in all of its notes."""
    return any((one / ".obsidian").is_dir() for one in folders_above(root.resolve()))


def walk_files(root: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Yield paths relative to `root`, with `/`, in the order of their parts.

    Symbolic links are left out, files and folders alike: what they point to is either walked itself or not part of
    the source. So are paths that are no text, which nothing could cite; `count_others` counts them. A folder that
    cannot be looked into is yielded as if it were a file: whoever reads it learns why not.

    Raises:
        SourceError: `root` is no folder, or cannot be looked into.
    """
    return filter(is_text_name, _walk(root, suffixes))


def _walk(root: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    demand_folder(root)
    found: list[tuple[str, ...]] = []

    def note_closed(error: OSError) -> None:
        if Path(error.filename) == root:
            raise SourceError(f"{root}: cannot be read: {error.strerror}", path=str(root)) from error
        found.append(Path(error.filename).relative_to(root).parts)

    for folder, folders, files in os.walk(root, onerror=note_closed):
        here = Path(folder)
        folders[:] = [name for name in folders if _is_wanted(here / name)]
        found += [
            (*here.relative_to(root).parts, name)
            for name in files
            if name.lower().endswith(suffixes) and _is_wanted(here / name)
        ]
    for parts in sorted(found):
        yield "/".join(parts)


def count_others(root: Path, suffixes: tuple[str, ...], excluded: Excluded) -> None:
    """Count the files below `root` that a reader of `suffixes` does not read.

    The reason is how the name ends, `type` where it has no ending, or `name` for a path whose bytes are no UTF-8.

    Raises:
        SourceError: `root` is no folder, or cannot be looked into.
    """
    for path in _walk(root, ("",)):
        if not is_text_name(path):
            excluded.add("name", path)
        elif not path.lower().endswith(suffixes):
            excluded.add(PurePosixPath(path).suffix.lower() or "type", path)


def _is_wanted(path: Path) -> bool:
    return not path.name.startswith(".") and path.name not in SKIPPED and not path.is_symlink()


def read_bytes(root: Path, path: str, most: int = DOCUMENT_FILE_BYTES) -> bytes:
    """The file as it is.

    Raises:
        SourceError: it leads out of `root`, is no plain file, cannot be read or is larger than `most`.
    """
    try:
        file = (root / path).resolve()
        if not file.is_relative_to(root.resolve()):
            raise SourceError(f"{path}: leads out of the source", path=path)
    except RuntimeError as error:  # Python 3.12 and older say so of links that lead to themselves
        raise SourceError(f"{path}: cannot be read: links in a circle", path=path) from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}", path=path) from error
    return read_plain(file, path, most)


def read_plain(file: Path, path: str, most: int | None = None) -> bytes:
    """The bytes of a plain file, which messages call `path`: no link in its place is followed.

    Raises:
        SourceError: it is no plain file, cannot be read or is larger than `most`.
    """
    try:
        # A pipe in its place would be waited for, a link that somebody puts there now leads anywhere.
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as stream:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise SourceError(f"{path}: is no plain file", path=path)
            if most is not None and about.st_size > most:
                raise SourceError(f"{path}: {about.st_size} bytes, wanted at most {most}", path=path)
            return stream.read(most)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}", path=path) from error


def read_text(root: Path, path: str) -> str:
    """The file's text, line breaks as they are.

    Raises:
        SourceError: it leads out of `root`, cannot be read, is larger than `DOCUMENT_FILE_BYTES` or is no text; the
            message names the file and, for a wrong byte, its line.
    """
    return text_of(RawFile(path, read_bytes(root, path)))


SCANNED = 0.2
"""Share of a PDF's pages without a word from which on they are told: fewer are covers and empty backs."""


def scanned_pages(path: str, text: str) -> str:
    """What is said of a PDF that was read and many of whose pages hold no text, such as scans; "" of others.

    >>> scanned_pages("a.pdf", "One.\\f\\fThree."), scanned_pages("a.pdf", "One."), scanned_pages("a.md", "a\\f")
    ('a.pdf: page 2 of 3 holds no text; a scan needs recognising first', '', '')
    """
    parts = text.split(PART)
    empty = [str(number) for number, part in enumerate(parts, 1) if not part.strip()]
    if suffix_of(path) != ".pdf" or not SCANNED * len(parts) <= len(empty) < len(parts):
        return ""
    listed = ", ".join([*empty[:10], *(["…"] if len(empty) > 10 else [])])
    pages, hold = ("page", "holds") if len(empty) == 1 else ("pages", "hold")
    return f"{path}: {pages} {listed} of {len(parts)} {hold} no text; a scan needs recognising first"


READ_AS = "{}: read as {}; save it as UTF-8 if its letters are wrong"


def read_page(root: Path, path: str, tell: Callable[[str], object]) -> str:
    """As `read_text`; what is written in the Windows or Latin-1 letters of before is read too, and told.

    Raises:
        SourceError: as `read_text`.
    """
    data = read_bytes(root, path)
    try:
        return text_of(RawFile(path, data))
    except SourceError as error:
        encoding = encoding_of(data)
        text = decode(data) if encoding != WESTERN or _is_western(data) else None
        if text is None:
            raise
        tell(READ_AS.format(error, encoding.name))
        return text


def _is_western(data: bytes) -> bool:
    """Whether some letters alone are not ASCII, and none is UTF-8: that would be a text with a damaged place."""
    return data.decode(errors="ignore").isascii() and sum(byte > 127 for byte in data) < len(data) / 5


def encoding_of(data: bytes) -> OlderEncoding:
    """In which letters a text that is no UTF-8 is read."""
    return older_encoding(data) or WESTERN


def decode(content: bytes) -> str | None:
    r"""A file's text; None where it is no text.

    >>> decode(b"a\r\nb"), decode(b"\xff\xfeh\x00i\x00"), decode(b"caf\xe9"), decode(b"\x00\x01")
    ('a\r\nb', 'hi', 'café', None)
    >>> decode(b"\xef\xbb\xbfhi"), decode(b"\x93hi\x94"), decode(b"a\rb")
    ('hi', '“hi”', 'a\nb')
    """
    text = _decoded(content)
    return None if text is None else with_line_feeds(text)


def _decoded(content: bytes) -> str | None:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError:
            return None
    if b"\x00" in content:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if not is_written(content):
            return None
    if older := older_encoding(content):  # told by a beginning, behind which a sign may be damaged
        return content.decode(older.codec, "replace")
    try:
        return content.decode(WESTERN.codec)
    except UnicodeDecodeError:  # Windows-1252 leaves five bytes undefined
        return content.decode("latin-1")


SEALED = 0.8
"""Share of a file of no known kind that stands in base64 from which on it is no text."""
_ARMOUR = "-----BEGIN PGP "
_CIPHERS = ("$ANSIBLE_VAULT;", "-----BEGIN AGE ENCRYPTED FILE-----", "age-encryption.org/v1\n")
_SOPS = '"sops": {', "\nsops:\n"
_OF_DATA = frozenset(("yaml", "json", "ini", "toml", "text"))
"""Languages of files whose values are encrypted one by one; others show how such a file looks."""
_BASE64 = re.compile(
    r"""
    (?<![A-Za-z0-9+/=])
    [A-Za-z0-9+/]{40,}+ ={0,2}  # what no word is as long as, filled up to three bytes
    (?![A-Za-z0-9+/=])
    """,
    re.VERBOSE,
)


def sealed(text: str, language: str) -> str:
    """Why nobody can read a text: `signature` (PGP's) or `encrypted`, which base64 counts as too; "" where one can.

    >>> sealed("-----BEGIN PGP SIGNATURE-----", "text"), sealed("$ANSIBLE_VAULT;1.1;AES256", "yaml")
    ('signature', 'encrypted')
    >>> sealed("yF8hMK+lpNaMtr9P7JtYJnwqMwy3gfcGLAfEt747xRRuUmFOnazkKTyELkA==", "text"), sealed("Row.", "text")
    ('encrypted', '')
    """
    head = text[:HEAD_CHARACTERS]
    if head.startswith(_ARMOUR):
        return "signature" if head.startswith(f"{_ARMOUR}SIG") else "encrypted"
    has_sealed_values = "ENC[AES256_GCM,data:" in text and any(one in text for one in _SOPS)
    if head.startswith(_CIPHERS) or (has_sealed_values and language in _OF_DATA):
        return "encrypted"
    if language != "text":
        return ""
    encoded = sum(len(one) for one in _BASE64.findall(head) if _is_mixed(one))
    return "encrypted" if encoded and encoded >= SEALED * sum(map(len, head.split())) else ""


def _is_mixed(encoded: str) -> bool:
    """Whether it has small and capital letters and digits: a checksum in hexadecimal has not."""
    return encoded.lower() != encoded != encoded.upper() and any(map(str.isdigit, encoded))


def is_written(content: bytes) -> bool:
    """Whether hardly any control characters stand in the beginning."""
    head = content[:HEAD_CHARACTERS]
    return sum(byte < 9 or 13 < byte < 27 for byte in head) <= len(head) // 50

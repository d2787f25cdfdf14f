"""Which files of a folder are indexed, and why each of the others is not."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from build_index.sources.files.ignore_rules import IgnoreRules, rules_above
from build_index.sources.files.types import DATA, LANGUAGES, NO_TEXT, is_vendored, unwanted_name
from quire.errors import SourceError
from quire.limits import CODE_FILE_BYTES, CONVERTED_FILE_BYTES, DOCUMENT_FILE_BYTES
from quire.parsing.formats import CONVERTED, TABLES, suffix_of
from quire.parsing.secret_forms import is_secret_folder, is_secret_name

DEFAULT_EXCLUDE = tuple(
    """
    node_modules dist build .git venv .venv __pycache__ .hg .svn .tox .nox .mypy_cache .ruff_cache .pytest_cache
    .hypothesis .quire .idea .vs .obsidian .gradle .next .nuxt .terraform *.egg-info .DS_Store
    """.split()
)


_PAGES = frozenset(("markdown", "rst", "asciidoc"))
_WRITTEN = _PAGES | frozenset("org latex text html css json yaml ini toml".split())
"""Languages of files that a folder of documents may hold; those of unknown files are `text`."""
_PROSE = _PAGES | frozenset("org latex text html".split())
"""Those of what people write to be read, of which a file may be a whole book where no code stands beside."""
OFFICE = frozenset(".doc .odt .rtf .ppt .odp .xls .ods .pages .numbers .wpd".split())
"""How names of office documents end that are not read."""
MOST_NAMED = 20
"""Of what was left out for one reason, so many paths are kept; a summary shows the first three, and all secrets."""
SHOWN_NAMES = 3


@dataclass(slots=True)
class Excluded:
    """What was left out, by reason: how much, and the first paths; a folder counts once, whatever it holds.

    Reasons: `gitignore`, `exclude` (a glob), `pattern` (no wanted pattern matches), an extension such as `.png`
    (what is no text, or data), `type` (no extension, and a tool's dot file, data or a script of an unknown kind),
    `symlink`, `special` (a pipe, a device), `name` (not UTF-8), `unreadable` (a folder), `size`, `large text`, `lock`,
    `minified`, `generated`, `encrypted` (or base64), `translation`, `older version` (of documentation), `built` (of
    sources beside it), `included` (by a page), `signature` (of PGP), `vendored` (a folder), `binary`, `empty`,
    `no text` (a PDF of pictures), `duplicate` and `secret` (by the name or the text, whatever a caller asks for).
    """

    reasons: Counter[str] = field(default_factory=Counter)
    paths: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, path: str, *, first: bool = False) -> None:
        """Count one more, which is named `first` where its reader has to know of it."""
        self.reasons[reason] += 1
        named = self.paths.setdefault(reason, [])
        named.insert(0 if first else len(named), path)
        del named[MOST_NAMED:]

    @property
    def total(self) -> int:
        """Files and folders left out."""
        return self.reasons.total()

    def __str__(self) -> str:
        """Such as `12 left out: 9 type, 2 gitignore, 1 size`."""
        parts = ", ".join(f"{count} {reason}" for reason, count in self.reasons.most_common())
        return f"{self.total} left out{': ' if parts else ''}{parts}"


def first_names(paths: Sequence[str], count: int, reason: str = "") -> str:
    r"""The first of `count` paths in brackets, behind a blank; "" where none is known. Each stays on its line.

    Of files with secrets all that are known are named: a page that is lost for an example's key is missed.

    >>> first_names(["a.md", "b\nc.md", "d.md", "e.md"], 7), first_names([".env"], 1), first_names([], 7)
    (' (a.md, b\\nc.md, d.md, …)', ' (.env)', '')
    """
    most = MOST_NAMED if reason == "secret" else SHOWN_NAMES
    shown = [one if one.isprintable() else one.encode("unicode_escape").decode() for one in paths[:most]]
    more = ["…"] if count > len(shown) else []
    return f" ({', '.join([*shown, *more])})" if shown else ""


ASKED = {
    "gitignore": "named by .gitignore",
    "exclude": "of kinds or folders that are excluded",
    "pattern": "that no pattern names",
    "lock": "lock files",
    "special": "pipes or devices",
    "included": "that pages include",
    "signature": "signatures",
    "duplicate": "copies of others",
}
"""What hardly anybody misses, in words for users: no summary of a build that found something names it."""
_WORDS = {
    "secret": "that may hold keys or passwords",
    "size": "over 1 MB",
    "large text": "over 8 MB of text, which has to be split to be read",
    "unreadable": "unreadable",
    "name": "with names that are no text",
    "minified": "minified",
    "generated": "generated",
    "encrypted": "encrypted, or encoded as base64",
    "binary": "binary",
    "built": "built of others",
    "vendored": "folders that others wrote",
    "translation": "translated",
    "older version": "of older versions",
    "type": "of other kinds",
    "symlink": "symbolic links",
    "no text": "without text, such as scans",
    "empty": "empty",
    **ASKED,
}


def told(excluded: Mapping[str, int], paths: Mapping[str, Sequence[str]]) -> str:
    """What was left out in words for users, by reason; "" where that is nothing.

    How a name ends says enough of what has that for its reason; of other reasons the first paths are named. Of office
    documents that are not read it is said what to do.

    >>> told({".png": 2, "type": 1}, {"type": ["RULES"]})
    '1 of other kinds (RULES), 2 .png'
    >>> told({".doc": 2}, {})
    '2 .doc; save .doc as .docx, .pptx, .xlsx or PDF to have them read'
    """
    counts = [
        f"{excluded[reason]} {words}{first_names(paths.get(reason, ()), excluded[reason], reason)}"
        for reason, words in _WORDS.items()
        if excluded.get(reason)
    ]
    counts += [f"{count} {reason}" for reason, count in sorted(excluded.items()) if reason.startswith(".")]
    office = [kind for kind in sorted(OFFICE) if excluded.get(kind)]
    hint = f"; save {', '.join(office)} as .docx, .pptx, .xlsx or PDF to have them read" if office else ""
    return ", ".join(counts) + hint


@dataclass(frozen=True, slots=True)
class Selection:
    """What a caller wants of a folder; globs are in the notation of `.gitignore`.

    Attributes:
        patterns: files to take, whatever their kind, vendored ones and translations too; empty takes every text but
            data, translations and what others wrote; tables are data beside code alone.
        exclude: files and folders to leave out.
        largest_bytes: larger files of text are left out; pages, and all prose where no code stands beside, may have
            eight times as much.
        gitignore: whether `.gitignore` files are heeded.
    """

    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    largest_bytes: int = CODE_FILE_BYTES
    gitignore: bool = True


@dataclass(frozen=True, slots=True)
class _Walk:
    root: Path
    selection: Selection
    wanted: GitIgnoreSpec | None
    unwanted: GitIgnoreSpec
    excluded: Excluded
    vendored: set[str] = field(default_factory=set)
    tables: bool = False


def select_files(root: Path, selection: Selection, excluded: Excluded) -> Iterator[str]:
    """Yield the paths of wanted files, relative to `root`, with `/`, each folder's sorted; count the others.

    Symbolic links are never followed: what they point to is either walked itself or not part of the source.

    Raises:
        SourceError: `root` is no folder, or one of secrets such as `.git` and `.ssh`.
    """
    demand_folder(root)
    root = root.resolve()
    if is_secret_folder(root.as_posix()):
        raise SourceError(
            f"{root}: folders of this name hold secrets, wanted a folder of code", path=str(root)
        )
    walk = _Walk(
        root,
        selection,
        GitIgnoreSpec.from_lines(selection.patterns) if selection.patterns else None,
        GitIgnoreSpec.from_lines(selection.exclude),
        excluded,
        tables=not _holds_code(root),
    )
    yield from _walk(walk, root, "", rules_above(root) if selection.gitignore else IgnoreRules())


def demand_folder(root: Path) -> None:
    """Stop where a source is no folder.

    Raises:
        SourceError: it is a file, or nothing.
    """
    if not root.is_dir():
        found = "a file" if root.exists() else "nothing"
        raise SourceError(f"{root}: wanted a folder, found {found}", path=str(root))


def _walk(walk: _Walk, folder: Path, prefix: str, rules: IgnoreRules) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        walk.excluded.add("unreadable", prefix or ".")
        return
    if walk.selection.gitignore:
        rules = rules.inside(folder, prefix)
    walk.vendored.update(_composer_folders(entries, prefix))
    for entry in entries:
        path = prefix + entry.name
        if entry.is_dir(follow_symlinks=False):
            reason = _folder_reason(walk, path, rules)
            if not reason:
                yield from _walk(walk, folder / entry.name, path + "/", rules)
            path += "/"
        else:
            reason = _file_reason(walk, entry, path, rules)
            if not reason:
                yield path
        if reason:
            walk.excluded.add(reason, path)


def _composer_folders(entries: Sequence[os.DirEntry[str]], prefix: str) -> Iterator[str]:
    """Folders that `composer.json` says packages are put into: all of one below it, of its own folder those by name."""
    try:
        [file] = [
            one for one in entries if one.name == "composer.json" and one.is_file(follow_symlinks=False)
        ]
        manifest = json.loads(Path(file.path).read_bytes()[:CODE_FILE_BYTES])
        place = os.path.normpath(prefix + manifest["config"]["vendor-dir"])
        named = (*manifest.get("require", ()), *manifest.get("require-dev", ()))
        packages = [os.path.normpath(f"{place}/{one}") for one in named if "/" in one]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return
    own = os.path.normpath(prefix or ".")
    if place != own and not own.startswith(f"{place}/") and place != ".":
        yield place
    yield from packages


def _folder_reason(walk: _Walk, path: str, rules: IgnoreRules) -> str:
    if not is_text_name(path):
        return "name"
    if walk.unwanted.match_file(path + "/"):
        return "exclude"
    if rules.ignores(path + "/"):
        return "gitignore"
    if is_secret_folder(path):
        return "secret"
    is_others = path in walk.vendored or (is_vendored(path) and not _is_of_pages(walk.root / path))
    return "vendored" if walk.wanted is None and is_others else ""


def _is_of_pages(folder: Path) -> bool:
    """Whether pages and pictures are all there is below it: it tells of others, as `docs/sso/third-party` does."""
    suffixes = (suffix_of(name) for _, _, names in os.walk(folder) for name in names)
    return all(LANGUAGES.get(one) in _PAGES or one in NO_TEXT for one in suffixes)


def _holds_code(root: Path) -> bool:
    """Whether a folder is of code: then its tables are data. Where people keep documents alone they look things up."""
    for _, folders, names in os.walk(root):
        folders[:] = [one for one in folders if not one.startswith(".") and one not in DEFAULT_EXCLUDE]
        if any(LANGUAGES.get(suffix_of(name), "text") not in _WRITTEN for name in names):
            return True
    return False


def _file_reason(walk: _Walk, entry: os.DirEntry[str], path: str, rules: IgnoreRules) -> str:
    if not is_text_name(path):
        return "name"
    if walk.unwanted.match_file(path):
        return "exclude"
    if rules.ignores(path):
        return "gitignore"
    if is_secret_name(path):
        return "secret"
    if entry.is_symlink():
        return "symlink"
    if not entry.is_file(follow_symlinks=False):
        return "special"
    return _content_reason(walk, entry, path)


def _content_reason(walk: _Walk, entry: os.DirEntry[str], path: str) -> str:
    reason = unwanted_name(path)
    if walk.wanted is not None:
        reason = reason if reason != "translation" else ""
        if not walk.wanted.match_file(path):
            reason = reason or "pattern"
    if not reason and walk.wanted is None:
        reason = _unwanted_kind(entry.name)
        reason = "" if walk.tables and reason in TABLES else reason
    if reason:
        return reason
    try:
        size = entry.stat(follow_symlinks=False).st_size
    except OSError:  # it is gone since its folder was listed
        return "unreadable"
    if not size:
        return "empty"
    return _size_reason(walk, path, size)


def _size_reason(walk: _Walk, path: str, size: int) -> str:
    suffix, most = suffix_of(path), walk.selection.largest_bytes
    if suffix in CONVERTED and suffix not in TABLES:
        return "size" if size > CONVERTED_FILE_BYTES else ""
    if LANGUAGES.get(suffix) in (_PROSE if walk.tables else _PAGES):
        return "large text" if size > most * (DOCUMENT_FILE_BYTES // CODE_FILE_BYTES) else ""
    return "size" if size > most else ""


def _unwanted_kind(name: str) -> str:
    """The extension of what is no text or only data, `type` of a tool's dot file; "" for all else, known or not."""
    suffix = PurePosixPath(name.lower()).suffix
    if name.startswith(".") and not suffix:
        return "type"
    return suffix if suffix in NO_TEXT or suffix in DATA else ""


def is_text_name(path: str) -> bool:
    """Whether a path is text: bytes of a name that are no UTF-8 stand in it as lone surrogates, which nothing stores.

    >>> is_text_name("grüße.md"), is_text_name("bad\\udcff.md")
    (True, False)
    """
    return not any("\udc80" <= character <= "\udcff" for character in path)


def as_selection(patterns: Sequence[str] = (), exclude: Sequence[str] | None = None) -> Selection:
    """What a request or a command line asks for: its own globs to leave out come on top of the usual ones."""
    return Selection(tuple(patterns), (*DEFAULT_EXCLUDE, *(exclude or ())))

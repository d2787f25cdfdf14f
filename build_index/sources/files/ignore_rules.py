"""`.gitignore` files as git reads them: each folder's own, and those of the folders above it in the repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

MAX_BYTES = 1_000_000
ABOVE = "^"


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files that apply inside one folder, nearest first: folder, relative to the walk's root, and patterns.

    For a folder above the root, `ABOVE` and the root's path below it stand in its place.
    """

    levels: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def ignores(self, path: str) -> bool:
        """Whether git would ignore the path, relative to the root; a folder ends with `/`. The nearest file decides."""
        for folder, patterns in self.levels:
            inner = folder[1:] + path if folder.startswith(ABOVE) else path[len(folder) :]
            verdict = _verdict(patterns, inner)
            if verdict is not None:
                return verdict
        return False

    def inside(self, folder: Path, prefix: str) -> IgnoreRules:
        """The rules inside `folder`, which lies at `prefix` (`""`, or a path ending with `/`) below the root."""
        patterns = _read(folder / ".gitignore")
        return self if patterns is None else IgnoreRules(((prefix, patterns), *self.levels))


def rules_above(root: Path) -> IgnoreRules:
    """The rules of the folders above the root, where it lies inside of a repository, and the repository's own.

    None where they ignore the root itself: who asks for a folder that git ignores wants what is in it.
    """
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if top is None:
        return IgnoreRules()
    levels = tuple(_levels(top, root))
    return (
        IgnoreRules()
        if any(_ignores_root(folder, patterns) for folder, patterns in levels)
        else IgnoreRules(levels)
    )


def _verdict(patterns: GitIgnoreSpec, path: str) -> bool | None:
    """What the last pattern says that matches the path itself; None where there is none.

    A pattern that matches a folder above it says nothing: the walk came past that folder. So `!c` lets in `c`, not what
    another pattern keeps out of it.
    """
    for pattern in reversed(tuple(patterns.patterns)):
        found = pattern.match_file(path)
        if found is None or pattern.include is None:
            continue
        folder = found.match.groupdict().get("ps_d")
        if folder is None or found.match.end("ps_d") == len(path):
            return bool(pattern.include)
    return None


def _ignores_root(folder: str, patterns: GitIgnoreSpec) -> bool:
    parts = folder.removeprefix(ABOVE).split("/")[:-1]
    return any(patterns.match_file("/".join(parts[: depth + 1]) + "/") for depth in range(len(parts)))


def _levels(top: Path, root: Path) -> Iterator[tuple[str, GitIgnoreSpec]]:
    folder = root
    while folder != top:
        folder = folder.parent
        patterns = _read(folder / ".gitignore")
        if patterns is not None:
            yield ABOVE + root.relative_to(folder).as_posix() + "/", patterns
    private = _read(top / ".git" / "info" / "exclude")
    if private is not None:
        yield ABOVE + ("" if root == top else root.relative_to(top).as_posix() + "/"), private


def _read(file: Path) -> GitIgnoreSpec | None:
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_BYTES:
            return None
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return GitIgnoreSpec.from_lines(line for line in lines if line.strip(" /!\t") or not line.strip())

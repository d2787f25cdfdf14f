"""Which collection is meant where none is named, and what a folder's index is called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import typer

from functions.cli.user_directories import settings_for
from quire.collections import NAME, NAME_WANTED, RESERVED
from quire.errors import ArtifactCorrupt, ArtifactError, UnknownCollection
from quire.settings import LOCAL_ROOT, Settings

if TYPE_CHECKING:
    from quire.service.knowledge import Knowledge
    from quire.store.catalog import Catalog

MOST_LETTERS = 63
PROFILE = "code"
"""Of what `quire index` makes. Other collections of a folder are not its to replace."""


@dataclass(frozen=True, slots=True)
class HeldIndex:
    """A collection of a store: the places that it was made from, when it was last indexed or found current, and its
    profile."""

    name: str
    locations: tuple[str, ...]
    indexed_at: str
    profile: str = PROFILE

    @property
    def is_lost(self) -> bool:
        """Whether it is damaged, and nothing tells where it came from."""
        return not (self.locations or self.indexed_at)

    def depth_over(self, folder: Path, base: Path) -> int:
        """How many folders deep the deepest of its sources lies that holds `folder`; -1 where none does.

        A relative location is one from `base`.
        """
        roots = ((base / one).resolve() for one in self.locations if "://" not in one)
        return max((len(root.parts) for root in roots if folder.is_relative_to(root)), default=-1)


def name_of(folder: Path) -> str:
    """What a folder's index is called: its name, in the letters that a collection may have.

    >>> name_of(Path("/src/My.App 2")), name_of(Path("Größe")), name_of(Path("проект"))
    ('my-app-2', 'grosse', 'code-f4da9059')
    """
    plain = unicodedata.normalize("NFKD", folder.name.casefold()).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-") or f"code-{crc32(folder.name.encode()):x}"
    return name[:MOST_LETTERS] if name[:1].isalpha() else f"code-{name}"[:MOST_LETTERS].rstrip("-")


def free_name(folder: Path, held: Mapping[str, HeldIndex]) -> str:
    """The name for a folder's index: the one that it has, else its own, with the folder above where that is taken or a
    route's.

    Raises:
        ArtifactCorrupt: its own is that of a damaged index, of which nothing tells whether it is this folder's.
    """
    of_folder = [
        one.name for one in held.values() if (one.locations, one.profile) == ((str(folder),), PROFILE)
    ]
    if of_folder:
        return name_of(folder) if name_of(folder) in of_folder else min(of_folder)
    plain = name_of(folder)
    if plain in held and held[plain].is_lost:
        raise ArtifactCorrupt(
            f"{plain}: is damaged, and nothing tells which folder it was made of: `quire index {folder} --name {plain}`"
            f" makes it of this one, `quire remove {plain}` removes it"
        )
    above = f"{name_of(folder.parent)}-{plain}"[:MOST_LETTERS].rstrip("-")
    marked = f"{plain[: MOST_LETTERS - 9]}-{crc32(str(folder).encode()):08x}"
    return next((one for one in (plain, above) if one not in held and one not in RESERVED), marked)


def read_held(catalog: Catalog, cache: Path) -> dict[str, HeldIndex]:
    """What the store tells of its collections, by name, and of one that is damaged the copy that its build kept."""
    return {name: _held_by(catalog, name, cache) for name in catalog.names()}


def complete_name(incomplete: str) -> list[str]:
    """Collections whose names begin so, for the shell's completion; of a folder's store alone, as it must be quick."""
    folder = Path(settings_for("").store, "collections")
    return sorted(path.parent.name for path in folder.glob(f"{incomplete}*/current.json"))


def open_chosen(store: str, wanted: str) -> tuple[Knowledge, str]:
    """The collections of a store, ready to be asked, and the one that `choose` finds.

    Raises:
        UnknownCollection: the store holds none.
    """
    from functions.app.wiring import open_service  # with the model's libraries

    settings = settings_for(store)
    service = open_service(settings)
    return service, choose(service, wanted, settings)


def choose(service: Knowledge, wanted: str, settings: Settings) -> str:
    """The collection that was named, the only one, the one that holds the folder we stand in, or the last indexed.

    Where it was not named and there are others, standard error says which it is.

    Raises:
        UnknownCollection: the store holds none, or what was named can be no name.
    """
    names = service.catalog.names()
    if wanted and not NAME.fullmatch(wanted):
        held = ", ".join(names) or "nothing"
        raise UnknownCollection(
            f"collection {wanted!r}: not in this store, which holds {held}; a name is {NAME_WANTED}",
            field="collection",
        )
    if wanted or len(names) == 1:
        return wanted or names[0]
    if not names:
        raise UnknownCollection(
            "nothing is indexed in this store yet: run `quire index PATH` first, or name another store with --store",
            field="collection",
        )
    name, reason = meant(
        list(read_held(service.catalog, settings.cache).values()), Path.cwd(), base_of(settings.store)
    )
    others = ", ".join(one for one in names if one != name)
    typer.echo(f"{name}: {reason}; --collection names another: {others}", err=True)
    return name


def base_of(store: str) -> Path:
    """Where relative locations of a store's sources begin: the folder with its `.quire`, else the one we stand in."""
    kept = Path(store).absolute().parent
    return kept.parent if kept.name == LOCAL_ROOT else Path.cwd()


def meant(held: Sequence[HeldIndex], folder: Path, base: Path) -> tuple[str, str]:
    """The collection that somebody in `folder` means, and why: the nearest above it, else the last indexed.

    >>> shop, book = HeldIndex("shop", ("/src/shop",), "2026-01-01"), HeldIndex("book", ("/book",), "2026-01-02")
    >>> meant([shop, book], Path("/src/shop/js"), Path("/"))
    ('shop', 'holds this folder')
    >>> meant([shop, book], Path("/"), Path("/"))
    ('book', 'was indexed last')
    """
    best = max(held, key=lambda one: (one.depth_over(folder, base), one.indexed_at))
    return best.name, "holds this folder" if best.depth_over(folder, base) >= 0 else "was indexed last"


def _held_by(catalog: Catalog, name: str, cache: Path) -> HeldIndex:
    """By its manifests: one whose other files are damaged is still the index of its folder, which mends it."""
    from quire.index.opened import sources_of  # with numpy

    try:
        told = catalog.describe(name)
    except ArtifactError:
        return _kept_by(catalog, name, cache)
    locations = tuple(source.location for source in sources_of(told.manifests, told.pointer.build))
    return HeldIndex(name, locations, told.pointer.fresh_at, told.pointer.profile)


def _kept_by(catalog: Catalog, name: str, cache: Path) -> HeldIndex:
    """By what its build kept of the very segment that is served; without places where that is gone too."""
    from quire.index.reader import manifest_in  # with numpy

    with suppress(ArtifactError):
        kept = manifest_in(cache / "built" / name)
        if any(ref.digest == kept.digest for ref in catalog.pointer(name).segments):
            return HeldIndex(name, tuple(source.location for source in kept.sources), "", kept.profile)
    return HeldIndex(name, (), "")

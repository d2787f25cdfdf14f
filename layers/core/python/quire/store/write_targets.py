"""Where live writes go: a collection, or one site of a collection of sites. Light, because queries need it too."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from quire.profiles import Profile, profile_named

LIBRARY, SITES = "docs", "sites"
"""The profiles whose collections take live writes: files into the first, documents of sites into the second."""
LIVE = frozenset({LIBRARY, SITES})
SITE_FIELD = "site_id"
_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """Where live writes go.

    Attributes:
        name: of the collection, or `Site.name`.
        profile: how its documents are indexed.
        is_built: whether builds publish there too; then a document that is new here may be new in a build as well.
    """

    name: str
    profile: Profile
    is_built: bool = True


@dataclass(frozen=True, slots=True)
class Site:
    """One site of a collection of profile `sites`: a pointer and a prefix of its own."""

    collection: str
    id: str

    @property
    def name(self) -> str:
        """What the store calls the collection of this site's documents: below the sites' own, with the id's digest.

        Ids may hold anything, and file systems may not tell their cases apart: the digest does. No caller can name
        such a collection, for the names of others hold no `/`.

        >>> Site("sites", "Acme GmbH/1").name
        'sites/acme-gmbh-1-175162e75aff7100e25f1ec73ce41e39'
        """
        digest = hashlib.sha256(self.id.encode()).hexdigest()[:32]
        slug = _SLUG.sub("-", self.id.lower()).strip("-")[:40].strip("-")
        return f"{self.collection}/{slug}-{digest}" if slug else f"{self.collection}/{digest}"

    @property
    def place(self) -> WriteTarget:
        """Where its live writes go; builds never do."""
        return WriteTarget(self.name, profile_named(SITES), is_built=False)

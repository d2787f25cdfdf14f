"""Who may ask a function that stands on the Internet: whoever has a key, and anyone what is public."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from functions.web.access import Access, presented_key
from quire.collections import Collection
from quire.errors import AccessDenied, ConfigError
from quire.service.access import Caller, public_reader
from quire.settings import Settings

FUNCTION = "AWS_LAMBDA_FUNCTION_NAME"
"""Lambda sets it."""


def guarded(
    keys: Access,
    settings: Settings,
    collections: Mapping[str, Collection],
    environ: Mapping[str, str] | None = None,
) -> Access:
    """What `keys` allow, and in Lambda the reading of public collections without a key. Elsewhere `keys` as they are.

    Raises:
        ConfigError: this is Lambda, no key is set, and not everything is public.
    """
    if FUNCTION not in (os.environ if environ is None else environ):
        return keys
    public = frozenset(name for name, one in collections.items() if one.public)
    has_keys = settings.api_key is not None or settings.access != ""
    closed = sorted(set(collections) - public)
    if not has_keys and (closed or not public):
        what = f"{', '.join(closed)} of collections.toml are" if closed else "the store's collections are"
        raise ConfigError(
            f"QUIRE_API_KEY: {what} not public, and no key is set: wanted QUIRE_API_KEY or QUIRE_ACCESS"
        )
    return PublicReads(keys if has_keys else None, public)


@dataclass(frozen=True, slots=True)
class PublicReads:
    """`Access` that lets whoever brings no key read the public collections, and nothing else.

    `keys` judges whoever brings one; None where none is right.
    """

    keys: Access | None
    public: frozenset[str]

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """The key's caller, or the public."""
        if self.public and presented_key(headers) is None:
            return public_reader(self.public)
        if self.keys is None:
            raise AccessDenied("the key is wrong")
        return self.keys.identify(headers)

    def may_wait(self, headers: Mapping[str, str]) -> bool:
        """Whether the keys may have to be looked up elsewhere."""
        return self.keys is not None and presented_key(headers) is not None and self.keys.may_wait(headers)

"""Bearer tokens of an identity provider, checked against the keys that it publishes (JWKS)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any

import jwt
from jwt.exceptions import PyJWTError

from quire.errors import AccessDenied, StoreUnavailable

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
"""Signatures with public keys alone: a token that names `none` or a shared secret is refused."""
LEEWAY_S = 60
TIMEOUT_S = 3
FRESH_S = 15 * 60.0
REFETCH_S = 30.0
"""A token signed by an unknown key makes the keys be fetched again, no more often than this."""
REST_S = 10.0
"""A provider that could not be reached is left alone for so long, where no keys are known."""


class JwtTokens:
    """Checks signature, issuer, audience and times of tokens. Thread-safe; keys are fetched at the first token.

    Keys are kept for 15 minutes, and for as long as the provider cannot be reached. One caller at a time fetches them;
    meanwhile tokens of known keys are checked by those, and no failure is looked into by every caller anew.

    Args:
        issuer, audience, jwks_url: as in the access file.
        clock: seconds, for the age of the keys.
    """

    def __init__(
        self, issuer: str, audience: str, jwks_url: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._issuer = issuer
        self._audience = audience
        self._client = jwt.PyJWKClient(jwks_url, cache_keys=False, cache_jwk_set=False, timeout=TIMEOUT_S)
        self._clock = clock
        self._guard = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at = float("-inf")
        self._rest_until = float("-inf")
        self._failure = ""

    def claims(self, token: str) -> Mapping[str, Any]:
        """The claims of a token that is sound.

        Raises:
            AccessDenied: it is not; the message says why.
            StoreUnavailable: the provider's keys cannot be fetched, and none are known.
        """
        try:
            kid = jwt.get_unverified_header(token).get("kid", "")
            claims: Mapping[str, Any] = jwt.decode(
                token,
                self._key(str(kid)),
                algorithms=ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except PyJWTError as error:
            raise AccessDenied(f"the token is refused: {error}") from error
        if not str(claims["sub"]).strip():
            raise AccessDenied("the token is refused: its sub is empty")
        return claims

    def may_wait(self, token: str) -> bool:
        """Whether checking it may take a call of the provider."""
        try:
            return self._is_due(str(jwt.get_unverified_header(token).get("kid", "")))
        except PyJWTError:
            return False

    def _is_due(self, kid: str) -> bool:
        now = self._clock()
        age_s = now - self._fetched_at
        return now >= self._rest_until and (age_s > FRESH_S or (kid not in self._keys and age_s > REFETCH_S))

    def _key(self, kid: str) -> jwt.PyJWK:
        # A known key serves while another caller fetches; for an unknown one there is nothing but to wait.
        if self._is_due(kid) and self._guard.acquire(timeout=0 if kid in self._keys else TIMEOUT_S + 1):
            try:
                if self._is_due(kid):
                    self._fetch()
            finally:
                self._guard.release()
        known = self._keys
        if not known:
            raise StoreUnavailable(f"the issuer's keys cannot be fetched: {self._failure or 'no reply yet'}")
        if kid not in known:
            raise AccessDenied(f"the token is refused: the issuer has no key {kid[:80]!r}")
        return known[kid]

    def _fetch(self) -> None:
        try:
            self._keys = {str(key.key_id): key for key in self._client.get_signing_keys(refresh=True)}
        except (PyJWTError, ValueError, OSError, HTTPException) as error:
            self._failure = str(error)
            if not self._keys:
                self._rest_until = self._clock() + REST_S
                return
        self._fetched_at = self._clock()

"""Tokens of an identity provider: a real one of our own, which publishes its keys over HTTP."""

from __future__ import annotations

import base64
import hmac
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from quire.adapters.jwt import FRESH_S, REFETCH_S, REST_S, JwtTokens
from quire.errors import AccessDenied, StoreUnavailable

KEYS = {name: rsa.generate_private_key(65537, 2048) for name in ("k1", "k2")}
CURVE = ec.generate_private_key(ec.SECP256R1())


class Provider:
    """Publishes the keys named in `published`, counts how often it was asked, and signs tokens."""

    def __init__(self) -> None:
        self.published = ["k1"]
        self.asked = 0
        self.is_down = False
        self.said: str | None = None
        self.is_asked, self.lets_through = threading.Event(), threading.Event()
        self.lets_through.set()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.asked += 1
                if provider.asked > 1:
                    provider.is_asked.set()
                provider.lets_through.wait(60)
                self.send_response(503 if provider.is_down else 200)
                self.end_headers()
                self.wfile.write(
                    (provider.said if provider.said is not None else json.dumps(provider.jwks())).encode()
                )

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def jwks(self) -> dict[str, Any]:
        keys = [
            {
                **json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEYS[name].public_key())),
                "kid": name,
                "alg": "RS256",
            }
            for name in self.published
        ]
        curve = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(CURVE.public_key()))
        return {"keys": [*keys, {**curve, "kid": "ec", "alg": "ES256"}]}

    def token(self, kid: str = "k1", **changes: Any) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "quire", "sub": "u1", "exp": now + 600, "iat": now, **changes}
        kept = {name: value for name, value in claims.items() if value is not None}
        key, algorithm = (CURVE, "ES256") if kid == "ec" else (KEYS[kid], "RS256")
        return jwt.encode(kept, key, algorithm, headers={"kid": kid})


@pytest.fixture
def provider() -> Iterator[Provider]:
    one = Provider()
    thread = threading.Thread(target=one.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield one
    one.server.shutdown()
    one.server.server_close()
    thread.join()


class Clock:
    """Seconds, as far as a test says."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def tokens_of(provider: Provider, clock: Clock | None = None) -> JwtTokens:
    return JwtTokens(provider.issuer, "quire", f"{provider.issuer}/keys", clock=clock or Clock())


def test_a_sound_token_gives_its_claims(provider: Provider) -> None:
    tokens = tokens_of(provider)
    assert tokens.claims(provider.token())["sub"] == "u1"
    assert tokens.claims(provider.token("ec", aud=["other", "quire"]))["sub"] == "u1"
    assert provider.asked == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://elsewhere"},
        {"aud": "another service"},
        {"aud": None},
        {"exp": -120},
        {"exp": None},
        {"nbf": 600},
        {"sub": None},
        {"sub": " "},
    ],
    ids=str,
)
def test_an_unsound_token_is_refused(provider: Provider, changes: dict[str, Any]) -> None:
    now = int(time.time())
    moved: dict[str, Any] = {
        name: now + value if isinstance(value, int) else value for name, value in changes.items()
    }
    with pytest.raises(AccessDenied, match="refused"):
        tokens_of(provider).claims(provider.token(**moved))


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def encoded(tree: dict[str, str]) -> str:
    return base64url(json.dumps(tree).encode())


def test_a_forged_token_is_refused(provider: Provider) -> None:
    tokens, token = tokens_of(provider), provider.token()
    head, body, signature = token.split(".")
    other = encoded({"sub": "admin"})
    none = encoded({"alg": "none", "kid": "k1"})
    public = KEYS["k1"].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{encoded({'alg': 'HS256', 'kid': 'k1'})}.{body}"
    shared = f"{signed}.{base64url(hmac.digest(public, signed.encode(), 'sha256'))}"
    for forged in (
        f"{head}.{other}.{signature}",
        f"{none}.{body}.",
        shared,
        "a.b.c",
        "..",
        token[:-8] + "AAAAAAAA",
    ):
        with pytest.raises(AccessDenied):
            tokens.claims(forged)
    with pytest.raises(AccessDenied, match="no key"):
        tokens.claims(provider.token("k2"))


def test_keys_are_kept_and_rotated_keys_are_fetched(provider: Provider) -> None:
    clock = Clock()
    tokens = tokens_of(provider, clock)
    for _ in range(5):
        tokens.claims(provider.token())
    assert provider.asked == 1
    provider.published = ["k2"]
    with pytest.raises(AccessDenied):
        tokens.claims(provider.token("k2"))
    clock.now += REFETCH_S + 1
    assert tokens.claims(provider.token("k2"))["sub"] == "u1"
    with pytest.raises(AccessDenied):
        tokens.claims(provider.token("k1"))
    assert provider.asked == 2


def test_a_provider_that_cannot_be_reached_is_left_alone_for_a_while(provider: Provider) -> None:
    clock = Clock()
    tokens = tokens_of(provider, clock)
    provider.is_down = True
    assert tokens.may_wait(provider.token())
    for _ in range(5):
        with pytest.raises(StoreUnavailable, match="keys cannot be fetched"):
            tokens.claims(provider.token())
        assert not tokens.may_wait(provider.token())
    assert provider.asked == 1
    provider.is_down = False
    clock.now += REST_S
    assert tokens.claims(provider.token())["sub"] == "u1"
    assert not tokens.may_wait(provider.token())


@pytest.mark.parametrize(
    "said", ["not json", "[]", '{"keys": 5}', '{"keys": []}', '{"keys": [{"kty": "x"}]}', ""]
)
def test_a_provider_that_says_nonsense_is_unavailable_and_no_fault_of_ours(
    provider: Provider, said: str
) -> None:
    provider.said = said
    with pytest.raises(StoreUnavailable, match="keys cannot be fetched"):
        tokens_of(provider).claims(provider.token())


def test_known_keys_hold_while_another_caller_waits_for_the_provider(provider: Provider) -> None:
    clock = Clock()
    tokens = tokens_of(provider, clock)
    tokens.claims(provider.token())
    provider.published = ["k1", "k2"]
    provider.lets_through.clear()
    clock.now += FRESH_S + 1
    with ThreadPoolExecutor(1) as waiting:
        other = waiting.submit(tokens.claims, provider.token("k2"))
        try:
            provider.is_asked.wait(60)
            assert tokens.claims(provider.token())["sub"] == "u1"
            assert not other.done()  # it waits until it is let through, below
        finally:
            provider.lets_through.set()
        assert other.result(60)["sub"] == "u1"


def test_while_the_provider_is_down_known_keys_hold(provider: Provider) -> None:
    clock = Clock()
    tokens = tokens_of(provider, clock)
    tokens.claims(provider.token())
    provider.is_down = True
    clock.now += FRESH_S + 1
    assert tokens.claims(provider.token())["sub"] == "u1"
    with pytest.raises(StoreUnavailable, match="keys"):
        tokens_of(provider).claims(provider.token())

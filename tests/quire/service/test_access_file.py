"""Keys with scopes: read from a file, compared by digest, rotated while the service runs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from quire.errors import AccessDenied, ConfigError, ScopeMissing
from quire.service.access import ADMIN, READ, WRITE, Caller
from quire.service.access_file import AccessFile, TokenPolicy, read_policy


def entry(key: str, **fields: object) -> str:
    known = {"name": key, "actions": ["read"], "collections": ["sites"], "sites": ["acme"], **fields}
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in known.items()]
    return "\n".join(["[[keys]]", f'sha256 = "{hashlib.sha256(key.encode()).hexdigest()}"', *lines]) + "\n"


TOKENS = """[jwt]
issuer = "https://example.zitadel.cloud"
audience = "quire"
jwks_url = "https://example.zitadel.cloud/oauth/v2/keys"
actions = ["read", "write"]
collections = ["sites"]
"""


def write(path: Path, text: str, stamp: int = 0) -> Path:
    path.write_text(text)
    if stamp:
        os.utime(path, ns=(stamp, stamp))
    return path


def test_a_key_has_the_scopes_of_its_entry_and_no_others(tmp_path: Path) -> None:
    policy = read_policy(write(tmp_path / "a", entry("k1") + entry("k2", actions=["*"], sites=["*"])))
    caller = policy.caller("k1")
    assert caller is not None
    assert caller.name == "k1"
    assert caller.may(READ, "sites")
    assert not caller.may(WRITE, "sites")
    assert not caller.may(READ, "roblox")
    caller.require_site(READ, "sites", "acme")
    for action, site in ((READ, "other"), (WRITE, "acme")):
        with pytest.raises(ScopeMissing):
            caller.require_site(action, "sites", site)
    every = policy.caller("k2")
    assert every is not None
    every.require_site(ADMIN, "sites", "any")
    assert policy.caller("k3") is None
    assert policy.caller("") is None
    assert policy.caller("\ud800") is None


def test_a_key_without_sites_touches_no_site(tmp_path: Path) -> None:
    caller = read_policy(write(tmp_path / "a", entry("k", sites=[]))).caller("k")
    assert caller is not None
    with pytest.raises(ScopeMissing, match="site 'acme'"):
        caller.require_site(READ, "sites", "acme")


def test_keys_come_and_go_without_a_restart(tmp_path: Path) -> None:
    path = write(tmp_path / "a", entry("old"), 1_000_000_000)
    said: list[str] = []
    file = AccessFile(path, complain=said.append)
    assert file.policy().caller("old") is not None
    write(path, entry("old") + entry("new"), 2_000_000_000)
    assert file.policy().caller("new") is not None
    write(path, entry("new"), 3_000_000_000)
    assert file.policy().caller("old") is None
    write(path, "[[keys", 4_000_000_000)
    assert file.policy().caller("new") is not None
    assert file.policy().caller("new") is not None
    assert len(said) == 1
    path.unlink()
    assert file.policy().caller("new") is not None
    assert len(said) == 2
    write(path, entry("newest"), 5_000_000_000)
    assert file.policy().caller("new") is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[keys", "a: "),
        ("[other]\n", r"\[other\]"),
        ("keys = 1\n", "keys"),
        (entry("k").replace("sha256", "sha512"), "sha512"),
        (entry("k").replace('sha256 = "', 'sha256 = "xx'), "key 1: sha256"),
        (entry("k", actions=["fly"]), "key 1: actions.*'fly'"),
        (entry("k", collections="sites"), "key 1: collections"),
        (entry("k") + entry("l", name=""), "key 2: name"),
        (TOKENS.replace("issuer", "isuer"), r"\[jwt\]: isuer"),
        (TOKENS.replace('"quire"', '""'), r"\[jwt\]: audience"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        AccessFile(write(tmp_path / "a", text))


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        AccessFile(tmp_path / "nowhere")


def test_a_tokens_sites_are_the_policys_or_its_own(tmp_path: Path) -> None:
    def caller(extra: str, **claims: object) -> Caller:
        tokens = read_policy(write(tmp_path / "a", TOKENS + extra)).tokens
        assert isinstance(tokens, TokenPolicy)
        return tokens.caller({"sub": "u1", **claims})

    fixed = caller('sites = ["acme"]\n', sites=["other"])
    assert (fixed.sites, fixed.subject, fixed.user("somebody else")) == (frozenset({"acme"}), "u1", "u1")
    claim = 'sites_claim = "urn:sites"\n'
    assert caller(claim, **{"urn:sites": ["a", "b"]}).sites == {"a", "b"}
    assert caller(claim, **{"urn:sites": "a"}).sites == {"a"}
    assert caller(claim, **{"urn:sites": ["*"]}).sites == frozenset()
    assert caller(claim).sites == frozenset()
    assert caller(claim, **{"urn:sites": None}).sites == frozenset()
    assert caller(claim, **{"urn:sites": [7, "a"]}).sites == {"7", "a"}
    for strange in (7, True, {"a": 1}, [None], [True], [["a"]], 1.5):
        with pytest.raises(AccessDenied, match="urn:sites: wanted a text or a list of texts"):
            caller(claim, **{"urn:sites": strange})

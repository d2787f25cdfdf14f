"""What is never indexed: files whose names say that they hold secrets, and texts that hold a key or a token.

A small table in place of a scanner's rules, as every file of a build passes here: the 5 MB of Celery's tree take
0.12 s of CPU. A rule is a literal that is searched first, at the speed of memory, and a pattern for the few texts that
hold it. Passwords without a form of their own are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from quire.errors import SourceError

_FOLDERS = frozenset(".git .ssh .gnupg .aws .azure .kube .password-store".split())
_NAMES = frozenset(
    """
    .envrc .netrc _netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials .my.cnf .s3cfg .boto .dockercfg
    .dockerconfigjson .vault_pass .vault-token kubeconfig wp-config.php secring.gpg terraform.tfstate
    terraform.tfstate.backup application_default_credentials.json credentials.json client_secret.json
    service-account.json service_account.json serviceaccount.json serviceaccountkey.json
    secrets.toml secrets.yaml secrets.yml secrets.json secrets.ini secrets.env .secrets .secrets.toml
    id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk
    """.split()
)
_SUFFIXES = (".pem", ".key", ".ppk", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".kubeconfig", ".env")
_TEMPLATES = (".example", ".sample", ".template", ".tmpl", ".dist")
"""`.env.example` shows which settings there are; should one hold a token all the same, its form is found."""
_TEMPLATE = re.compile(r"(?:[\w.-]*[._-])?(?:example|sample|template|dist)\.env")


def is_secret_folder(path: str) -> bool:
    """Whether a folder holds keys, or a repository's own files, by its name or that of a folder above it.

    >>> is_secret_folder("a/.git"), is_secret_folder(".ssh/keys"), is_secret_folder("docs/git")
    (True, True, False)
    """
    return not _FOLDERS.isdisjoint(path.lower().split("/"))


def is_secret_name(path: str) -> bool:
    """Whether a file's path says that it holds secrets; what it holds is not looked at.

    >>> [is_secret_name(one) for one in ("a/.env.production", ".env.example", "secrets.toml", "docs/secrets.md")]
    [True, False, True, False]
    >>> is_secret_name(".docker/config.json"), is_secret_name("config.json"), is_secret_name(".git/config")
    (True, False, True)
    """
    lower = path.lower()
    name = PurePosixPath(lower).name
    if is_secret_folder(lower) or name in _NAMES or f"/{lower}".endswith("/.docker/config.json"):
        return True
    if _TEMPLATE.fullmatch(name):
        return False
    return name.endswith(_SUFFIXES) or (name.startswith(".env.") and not name.endswith(_TEMPLATES))


class SecretForm(NamedTuple):
    """A kind of secret: its name for reports, what every one of them holds, and its whole form."""

    name: str
    literal: str
    pattern: re.Pattern[str]


def _form(name: str, literal: str, pattern: str) -> SecretForm:
    return SecretForm(name, literal, re.compile(pattern, re.ASCII))


FORMS = (
    # The lengths are those of the vendors' own documents, checked against gitleaks' config/gitleaks.toml (MIT).
    _form("AWS access key", "AKIA", r"(?<![A-Za-z0-9])AKIA[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _form("AWS access key", "ASIA", r"(?<![A-Za-z0-9])ASIA[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _form("GitHub token", "ghp_", r"ghp_[A-Za-z0-9]{36}"),
    _form("GitHub token", "gho_", r"gho_[A-Za-z0-9]{36}"),
    _form("GitHub token", "ghu_", r"ghu_[A-Za-z0-9]{36}"),
    _form("GitHub token", "ghs_", r"ghs_[A-Za-z0-9]{36}"),
    _form("GitHub token", "ghr_", r"ghr_[A-Za-z0-9]{36}"),
    _form("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{82}"),
    _form("GitLab token", "glpat-", r"glpat-[A-Za-z0-9_-]{20}"),
    _form("Slack token", "xox", r"xox[abeoprs]-\d{8,14}-[A-Za-z0-9-]{16}"),
    _form("Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/services/T\w{8,12}/B\w{8,12}/\w{23}"),
    _form("Stripe key", "k_live_", r"[sr]k_live_[A-Za-z0-9]{24}"),
    _form("Google API key", "AIza", r"(?<![\w-])AIza[\w-]{35}(?![\w-])"),
    _form("Google client secret", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
    _form("OpenAI key", "T3BlbkFJ", r"[\w-]{20}T3BlbkFJ[\w-]{20}"),
    _form("Anthropic key", "sk-ant-", r"sk-ant-[a-z]{3,6}\d\d-[\w-]{80}"),
    _form("Hugging Face token", "hf_", r"(?<![A-Za-z0-9_])hf_[A-Za-z]{34}(?![A-Za-z0-9_])"),
    _form("npm token", "npm_", r"(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])"),
    _form("PyPI token", "pypi-AgE", r"pypi-AgE[\w-]{50}"),
    _form("SendGrid key", "SG.", r"(?<!\w)SG\.[\w-]{22}\.[\w-]{43}"),
    _form("Telegram token", ":AA", r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])"),
    _form("DigitalOcean token", "dop_v1_", r"dop_v1_[a-f0-9]{64}"),
    _form("Shopify token", "shpat_", r"shpat_[a-fA-F0-9]{32}"),
    _form("Databricks token", "dapi", r"(?<!\w)dapi[a-f0-9]{32}(?!\w)"),
    _form("Vault token", "hvs.", r"(?<!\w)hvs\.[\w-]{90}"),
    _form("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _form("Azure storage key", "AccountKey=", r"AccountKey=[A-Za-z0-9+/]{86}=="),
    _form("kube configuration", "client-key-data", r"client-key-data\W{1,6}[A-Za-z0-9+/]{60}"),
    _form("docker configuration", '"auths"', r'"auth"\s{0,8}:\s{0,8}"[A-Za-z0-9+/]{12}'),
    _form("PuTTY key", "PuTTY-User-Key-File-", r"PuTTY-User-Key-File-\d: [\w-]{3,40}\s{1,2}Encryption: "),
)
"""Matches have a bounded length: a pattern takes time in proportion to its text."""

_KEY_BEGINS = re.compile(
    r"""
    -{4,5}[ ]?BEGIN[ ]
    (?:[A-Z0-9]{2,10}[ ]){0,3}  # RSA, EC, OPENSSH, PGP
    PRIVATE[ ]KEY(?:[ ]BLOCK)?[ ]?-{4,5}
    """,
    re.VERBOSE,
)
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{40}")
_KEY_HEAD = 600
"""Characters behind the first line of a key that are looked at: its headers and first lines of base64 (RFC 7468)."""

_TAIL = 24
_DISTINCT = 8
"""Different characters that a secret's last `_TAIL` have at least: fewer stand in examples, such as `ghp_xxxxxxxx…`."""
_PRINTED = ("EXAMPLE", "AccountKey=Eby8vdM02xNOcqFlqUwJPLlm")
"""In secrets that everybody knows: AWS's documents say `EXAMPLE`, and every Azure storage emulator has one key."""


class FoundSecret(NamedTuple):
    """The kind of a secret and its line, from 1; never the secret."""

    name: str
    line: int

    def __str__(self) -> str:
        """Such as `a GitHub token in line 3`."""
        return f"{'an' if self.name[0] in 'aAEIO' else 'a'} {self.name} in line {self.line}"


def find_secret(text: str) -> FoundSecret | None:
    """The first key or token of a known form, in the order of the table; examples that vendors print are let pass.

    >>> find_secret("key = AKIAIOSFODNN7EXAMPLE") is None
    True
    """
    for name, begin in _found(text):
        return FoundSecret(name, text.count("\n", 0, begin) + 1)
    return None


def _found(text: str) -> Iterator[tuple[str, int]]:
    if "PRIVATE KEY" in text:
        for mark in _KEY_BEGINS.finditer(text):
            body = text[mark.end() : mark.end() + _KEY_HEAD].partition("--END")[0]
            if any(_is_random(one[0]) for one in _KEY_BODY.finditer(body)):
                yield "private key", mark.start()
    for form in FORMS:
        if form.literal in text:
            for match in form.pattern.finditer(text):
                if _is_random(match[0]):
                    yield form.name, match.start()


def _is_random(found: str) -> bool:
    return len(set(found[-_TAIL:])) >= _DISTINCT and not any(one in found for one in _PRINTED)


def refuse_secret(path: str, text: str) -> None:
    """Refuse a file that somebody sends, by its name or its text.

    Raises:
        SourceError: it holds a secret; the message says of what kind and where, and quotes nothing.
    """
    if is_secret_name(path):
        raise SourceError(f"{path}: secret: files of this name hold keys or passwords", path=path)
    found = find_secret(text)
    if found:
        raise SourceError(f"{path}: secret: it holds {found}", path=path)

"""Texts with a secret of each known form, made when asked: none of them stands in this repository, nor is any real."""

from __future__ import annotations

import random
import string

_HEX = "0123456789abcdef"
_BASE32 = string.ascii_uppercase + "234567"
_WORD = string.ascii_letters + string.digits


def _drawn(count: int, alphabet: str = _WORD) -> str:
    return "".join(random.Random(count).choices(alphabet, k=count))


def private_key(kind: str = "RSA ", body: int = 4) -> str:
    """A file with a key of this kind; `body` lines of base64."""
    lines = "\n".join(_drawn(64) for _ in range(body))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----\n"


def secrets() -> dict[str, str]:
    """Secrets by a name for each; those of a form are what the vendor gives out, but for their letters."""
    plain = private_key("")
    pgp = (
        private_key("PGP ")
        .replace("KEY-----", "KEY BLOCK-----")
        .replace("-----\n", "-----\nVersion: 1\n\n", 1)
    )
    return {
        "RSA key": private_key(),
        "encrypted key": private_key().replace(
            "-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,B\n\n", 1
        ),
        "OpenSSH key": private_key("OPENSSH "),
        "PGP key": pgp,
        "SSH2 key": f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{_drawn(64)}\n",
        "key in Python": "KEY = (" + "".join(f'\n    "{line}\\n"' for line in plain.splitlines()) + "\n)\n",
        "service account": '{"type": "service_account", "private_key": "' + plain.replace("\n", "\\n") + '"}',
        "PuTTY key": "PuTTY-User-Key-File-" + "3: ssh-ed25519\nEncryption: none\n",
        "AWS": "AK" + "IA" + _drawn(16, _BASE32),
        "GitHub": "gh" + "p_" + _drawn(36),
        "GitHub, fine-grained": "github" + "_pat_" + _drawn(82),
        "GitLab": "gl" + "pat-" + _drawn(20),
        "Slack": "xo" + "xb-" + "123456789012-" + _drawn(24),
        "Slack hook": "https://hooks.slack.com/services/T" + _drawn(8) + "/B" + _drawn(8) + "/" + _drawn(23),
        "Stripe": "sk" + "_live_" + _drawn(24),
        "Google": "AI" + "za" + _drawn(35),
        "OpenAI": "sk-" + _drawn(20) + "T3Blbk" + "FJ" + _drawn(20),
        "Anthropic": "sk-" + "ant-api03-" + _drawn(95),
        "Hugging Face": "h" + "f_" + _drawn(34, string.ascii_letters),
        "npm": "npm" + "_" + _drawn(36),
        "PyPI": "pypi-" + "AgEIcHlwaS5vcmc" + _drawn(60),
        "SendGrid": "S" + "G." + _drawn(22) + "." + _drawn(43),
        "Telegram": "1234567890" + ":AA" + _drawn(33),
        "Azure": "Account" + "Key=" + _drawn(86) + "==",
        "age": "AGE-SECRET-" + "KEY-1" + _drawn(58, _BASE32),
        "kube": "users:\n- user:\n    client-key" + "-data: " + _drawn(120) + "\n",
        "docker": '{"au' + 'ths": {"registry.example": {"auth": "' + _drawn(24) + '"}}}',
        "Databricks": "da" + "pi" + _drawn(32, _HEX),
    }

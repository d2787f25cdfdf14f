from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.secret_forms import find_secret, is_secret_name
from tests.support.secret_texts import private_key, secrets
from tests.support.tree import ROOT, project_files


@pytest.mark.parametrize("kind", secrets())
def test_each_known_form_is_found_and_its_line_is_told_but_nothing_of_it(kind: str) -> None:
    secret = secrets()[kind]
    found = find_secret(f"one\ntwo\ntoken: '{secret}'\n" if "\n" not in secret else f"one\ntwo\n{secret}")
    assert found is not None
    assert found.line >= 3
    assert not any(part in str(found) for part in secret.split() if len(part) > 12)


@pytest.mark.parametrize(
    "text",
    [
        "Put the text between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- into the field.",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg...\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n" + "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA" * 3,
        "-----BEGIN PRIVATE KEY-----\n" + "x" * 64 + "\n-----END",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "https://hooks.slack.com/services/T00000000/B00000000/" + "X" * 23,
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "def hf_hub_download_with_many_retries_and_more(): ...",
        "a commit 9fceb02d0ae598e95dc970b74767f19372d61af8, sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934c",
    ],
)
def test_what_only_looks_like_one_is_let_pass(text: str) -> None:
    assert find_secret(text) is None


@pytest.mark.parametrize(
    "path",
    """.env .env.local a/.env.production prod.env .envrc id_rsa a/id_ed25519 server.key tls/cert.pem a.ppk .netrc .npmrc
    secrets.toml config/secrets.yml .streamlit/secrets.toml wp-config.php .docker/config.json .kube/config
    my.kubeconfig .ssh/config .gnupg/secring.gpg .aws/credentials .git/config .git/HEAD a/.git/hooks/pre-push
    exampled.env terraform.tfstate credentials.json .pgpass .pypirc .git-credentials .htpasswd WP-Config.php""".split(),
)
def test_files_that_hold_secrets_are_known_by_their_names(path: str) -> None:
    assert is_secret_name(path)


@pytest.mark.parametrize(
    "path",
    """.env.example .env.sample docs/secrets.md secrets.py config.json wp-config-sample.php id_rsa.pub environment.py
    example.env Docker/app-sample.env
    .gitignore .github/workflows/test.yml git/config.py docs/kube/config.md keys.py keyboard.key.md env""".split(),
)
def test_files_that_only_sound_so_are_read(path: str) -> None:
    assert not is_secret_name(path)


@given(st.text())
def test_any_text_is_searched_without_an_error(text: str) -> None:
    found = find_secret(text)
    assert found is None or 1 <= found.line <= text.count("\n") + 1


def test_a_key_far_from_its_first_line_belongs_to_something_else() -> None:
    far = "-----BEGIN PRIVATE KEY-----\n" + "word " * 200
    assert find_secret(far + private_key().splitlines()[1]) is None


def test_this_repository_holds_none() -> None:
    texts = {path: (ROOT / path).read_bytes().decode("utf-8", "replace") for path in project_files()}
    assert [path for path, text in texts.items() if find_secret(text) or is_secret_name(str(path))] == []

"""How `make` installs: pip's settings reach uv, and the lock itself names the uv to use."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from infra.packaging.install import PIP, locked_entry, pip_settings, run_bounded, uv_environment, why_not
from tests.support.tree import ROOT


def _listing(environ: dict[str, str]) -> str:
    """What the real pip says about its configuration under these variables alone."""
    command = (sys.executable, "-m", "pip", "config", "list")
    bare = {"PATH": "", "HOME": "/nonexistent", "PIP_CONFIG_FILE": "/dev/null", **environ}
    return subprocess.run(command, env=bare, capture_output=True, text=True, check=True).stdout


def test_pips_variables_reach_uv_in_its_own_words(tmp_path: Path) -> None:
    settings = pip_settings(
        _listing(
            {
                "PIP_INDEX_URL": "https://one.example/simple",
                "PIP_EXTRA_INDEX_URL": "https://two.example/simple https://three.example/simple",
                "PIP_FIND_LINKS": f"{tmp_path}/a {tmp_path}/b",
                "PIP_CERT": "/etc/certificates.pem",
            }
        )
    )
    environ = uv_environment(settings, {})
    assert environ["UV_DEFAULT_INDEX"] == "https://one.example/simple"
    assert environ["UV_INDEX"] == "https://two.example/simple https://three.example/simple"
    assert environ["UV_FIND_LINKS"] == f"{tmp_path}/a,{tmp_path}/b"
    assert environ["SSL_CERT_FILE"] == "/etc/certificates.pem"


def test_pips_file_reaches_uv_and_its_variables_outrank_it(tmp_path: Path) -> None:
    file = tmp_path / "pip.conf"
    file.write_text("[global]\nindex-url = https://file.example/simple\ntimeout = 7\n", encoding="utf-8")
    from_file = pip_settings(_listing({"PIP_CONFIG_FILE": str(file)}))
    from_both = pip_settings(
        _listing({"PIP_CONFIG_FILE": str(file), "PIP_INDEX_URL": "https://env.example/simple"})
    )
    assert from_file["index-url"] == "https://file.example/simple"
    assert from_both["index-url"] == "https://env.example/simple"


def test_what_uv_was_told_itself_outranks_pip() -> None:
    environ = uv_environment({"index-url": "https://pip.example"}, {"UV_DEFAULT_INDEX": "https://uv.example"})
    assert environ["UV_DEFAULT_INDEX"] == "https://uv.example"


def test_without_settings_uv_is_told_of_no_index() -> None:
    assert "UV_DEFAULT_INDEX" not in uv_environment(pip_settings(_listing({})), {})


def test_an_index_that_takes_the_call_and_never_answers_ends_the_installation_with_a_way_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        index = f"http://127.0.0.1:{silent.getsockname()[1]}/simple"
        waits = (*PIP, "install", "--quiet", "--timeout", "60", "--index-url", index, "never-there")
        assert not run_bounded(waits, {"PIP_CONFIG_FILE": "/dev/null", "no_proxy": "*"}, timeout_s=4)
    told = capsys.readouterr().err
    assert "was not done after 4 s and was ended: see whether the package index answers" in told
    assert run_bounded((sys.executable, "-c", ""))


def test_an_index_out_of_reach_is_what_is_told_last_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as index:
        url = f"http://user:secret@127.0.0.1:{index.getsockname()[1]}/simple"
        assert why_not({"index-url": url}) == "the lines above say why"
    told = why_not({"index-url": url})
    assert told.startswith(
        "this machine does not reach the package index 127.0.0.1 (Connection refused): connect it, or"
    )
    assert "secret" not in told
    assert why_not({"index-url": url, "proxy": "http://proxy.example"}) == "the lines above say why"


@pytest.mark.parametrize("lock", ["build_index/requirements.txt", "tests/requirements.txt"])
def test_the_lock_pins_uv_with_its_digests(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    entry = locked_entry(text, "uv")
    assert entry.startswith("uv==")
    assert entry.count("--hash=sha256:") > 5
    assert all(line.startswith("    --hash=") for line in entry.splitlines()[1:])
    assert locked_entry(text, "no-such-package") == ""

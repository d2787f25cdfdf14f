"""What the environment may say, and what is wrong with it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import quire.settings
from quire.collections import read_collections
from quire.errors import ConfigError
from quire.settings import Settings, adopt, misspelled, read_settings


def test_a_named_file_of_collections_must_be_there(tmp_path: Path) -> None:
    missing = tmp_path / "typo.toml"
    with pytest.raises(
        ConfigError, match=r"QUIRE_COLLECTIONS: wanted a file, found nothing there: .*typo\.toml"
    ):
        read_settings({"QUIRE_COLLECTIONS": str(missing)})
    with pytest.raises(ConfigError, match="found a folder"):
        read_settings({"QUIRE_COLLECTIONS": str(tmp_path)})
    missing.write_text("", encoding="utf-8")
    assert read_settings({"QUIRE_COLLECTIONS": str(missing)}).collections_file == missing


def test_an_empty_file_describes_no_collections() -> None:
    settings = read_settings({"QUIRE_COLLECTIONS": os.devnull})
    assert read_collections(settings.collections_file) == {}


def test_the_file_that_nobody_named_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for environment in ({}, {"QUIRE_COLLECTIONS": ""}):
        assert read_settings(environment).collections_file == Settings().collections_file


@pytest.mark.parametrize(
    ("name", "text"), [("QUIRE_REFRESH_S", "soon"), ("QUIRE_THREADS", "-1"), ("QUIRE_PROVIDER", "oracle")]
)
def test_a_variable_that_does_not_hold_what_it_must_is_named(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"{name}: wanted .* found '{text}'"):
        read_settings({name: text})


@pytest.mark.parametrize(
    ("environment", "provider", "chosen_by"),
    [
        ({}, "none", ""),
        ({"GEMINI_API_KEY": "k"}, "gemini", "GEMINI_API_KEY"),
        ({"GEMINI_API_KEY": "k", "QUIRE_PROVIDER": "none"}, "none", "QUIRE_PROVIDER"),
        ({"GEMINI_API_KEY": "k", "RAG_LLM_PROVIDER": "ollama"}, "ollama", "RAG_LLM_PROVIDER"),
        ({"GEMINI_API_KEY": "k", "QUIRE_PROVIDER": "gemini"}, "gemini", "QUIRE_PROVIDER"),
        ({"OPENAI_API_KEY": "k"}, "none", ""),
        ({"GEMINI_API_KEY": ""}, "none", ""),
    ],
)
def test_a_gemini_key_chooses_gemini_where_nobody_chose(
    environment: dict[str, str], provider: str, chosen_by: str
) -> None:
    settings = read_settings(environment)
    assert (settings.provider, settings.provider_chosen_by) == (provider, chosen_by)
    assert settings.provider_key == (environment["GEMINI_API_KEY"] if provider == "gemini" else "")


def test_the_time_of_an_answer_is_a_setting() -> None:
    assert (read_settings({}).answer_s, read_settings({"QUIRE_ANSWER_S": "90"}).answer_s) == (0.0, 90.0)


def test_a_hosted_model_writes_terms_unless_told_otherwise() -> None:
    hosted = {"GEMINI_API_KEY": "key"}
    local = {"QUIRE_PROVIDER": "openai", "QUIRE_OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"}
    assert read_settings(hosted).rewrite == "gated"
    assert read_settings({"QUIRE_MODEL_SECRET": "name"}).rewrite == "gated"
    assert [read_settings(one).rewrite for one in ({}, local, {"QUIRE_PROVIDER": "ollama"})] == ["off"] * 3
    assert read_settings({**hosted, "QUIRE_REWRITE": "off"}).rewrite == "off"
    with pytest.raises(ConfigError, match="QUIRE_REWRITE: wanted off, gated, always, found 'yes'"):
        read_settings({"QUIRE_REWRITE": "yes"})


def test_a_vector_index_that_is_not_known_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "collections.toml"
    for wrong, meant in (("exlude", "exclude"), ("base-url", "base_url"), ("orgins", "origins")):
        file.write_text(f'[book]\nprofile = "textbook"\noptions = {{ {wrong} = [] }}\n', encoding="utf-8")
        with pytest.raises(ConfigError, match=rf"\[book\] options.{wrong}: .* is {meant} meant"):
            read_collections(file)
    file.write_text('[book]\nprofile = "textbook"\noptions = { size = 2, version = 3 }\n', encoding="utf-8")
    options = read_collections(file)["book"].options
    assert options == {"size": 2, "version": 3}, "a source of one's own has its own"
    file.write_text('[book]\nprofile = "textbook"\noptions = { vector_index = "faiss" }\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="vector_index: wanted auto, usearch, cells, exact, found 'faiss'"):
        read_collections(file)


def test_how_questions_are_written_anew_is_one_of_three_words(tmp_path: Path) -> None:
    file = tmp_path / "collections.toml"
    file.write_text('[book]\nprofile = "textbook"\noptions = { rewrite = "perhaps" }\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="rewrite: wanted off, gated, always, found 'perhaps'"):
        read_collections(file)


def test_a_file_of_settings_sets_nothing_but_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"QUIRE_STORE": "exported"})
    adopt(dict.fromkeys(("QUIRE_MODEL", "QUIRE_STORE", "LD_PRELOAD", "PYTHONPATH", "AWS_CONFIG_FILE"), "a"))
    assert os.environ == {"QUIRE_STORE": "exported", "QUIRE_MODEL": "a"}


def test_a_misspelled_setting_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    environ = {
        "QUIRE_API_KEYY": "secret",
        "QUIRE_COLECTIONS": "other.toml",
        "QUIRE_SHARED": "x",
        "QUIRE_STORE": "s",
    }
    for _ in range(2):
        read_settings(environ)
    assert [record.getMessage() for record in caplog.records] == [
        "QUIRE_API_KEYY is no setting and does nothing: is QUIRE_API_KEY meant?",
        "QUIRE_COLECTIONS is no setting and does nothing: is QUIRE_COLLECTIONS meant?",
    ]


def test_every_setting_that_the_code_reads_is_known_by_its_name() -> None:
    source = (Path(quire.settings.__file__)).read_text(encoding="utf-8")
    read = set(re.findall(r'"(QUIRE_[A-Z_]+)"', source))
    assert len(read) > 20
    assert not misspelled(dict.fromkeys(read, ""))
    assert read <= {f"QUIRE_{name}" for name in quire.settings._NAMES}

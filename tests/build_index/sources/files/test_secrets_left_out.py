"""No caller gets a secret into an index, whatever he asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_index.pipeline.reading import open_reading
from build_index.sources.files.selection import Excluded, Selection, as_selection, select_files, told
from quire.documents import Document
from quire.errors import SourceError
from tests.support.secret_texts import private_key, secrets

TOKEN = secrets()["GitHub"]
EVERYTHING = {
    "patterns": ("*", ".*", ".git/**", "**/.env*", "!nothing"),
    "exclude": ("!.git", "!.ssh", "!.env"),
}


def write(root: Path, **files: str) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    named = [
        ".git/config",
        ".ssh/known",
        ".env",
        ".env.local",
        "secrets.toml",
        "wp-config.php",
        "deep/server.key",
    ]
    holding = {
        "settings.py": f"HOST = 'a'\nTOKEN = '{TOKEN}'\n",
        "account.json": secrets()["service account"],
        "guide.md": f"# Keys\n\nYours:\n\n{private_key()}\n",
    }
    good = {"shop.py": "price = 1\n", ".env.example": "PRICE=1 # the price that the shop says it has\n"}
    return write(tmp_path / "shop", **dict.fromkeys(named, "password = 'swordfish'\n"), **holding, **good)


@pytest.mark.parametrize("options", [{}, EVERYTHING], ids=["usual", "every pattern"])
def test_a_repositorys_secrets_are_left_out_and_told_without_being_quoted(
    shop: Path, tmp_path: Path, options: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    reading = open_reading("code", [("repository", str(shop))], tmp_path / ".cache", options)
    assert {one.id for one in reading.documents if isinstance(one, Document)} == {"shop.py", ".env.example"}
    assert reading.excluded.reasons["secret"] >= 8
    said = capsys.readouterr().err
    assert "settings.py: left out as secret: it holds a GitHub token in line 2" in said
    assert "guide.md: left out as secret: it holds a private key in line 5" in said
    assert TOKEN not in said
    assert "swordfish" not in said


def test_a_page_that_is_lost_for_a_key_is_named_however_many_files_of_keys_there_are(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(shop, **dict.fromkeys([f"keys/{number}.key" for number in range(30)], "key"))
    reading = open_reading("code", [("repository", str(shop))], tmp_path / ".cache", {})
    list(reading.documents)
    summary = told(reading.excluded.reasons, reading.excluded.paths)
    assert all(page in summary for page in ("guide.md", "settings.py", "account.json"))
    assert (
        "guide.md: left out as secret: it holds a private key in line 5; shorten it"
        in capsys.readouterr().err
    )


def test_documents_and_what_they_include_are_searched_too(shop: Path, tmp_path: Path) -> None:
    write(shop, **{"good.md": "# Prices\n\nThey rise.\n"})
    reading = open_reading("docs", [("docs", str(shop))], tmp_path / ".cache", {})
    assert [one.id for one in reading.documents if isinstance(one, Document)] == ["good.md"]
    assert reading.excluded.reasons["secret"] == 1


def test_not_even_the_names_of_a_repositorys_own_files_are_given(shop: Path) -> None:
    excluded = Excluded()
    wanted = as_selection([".git/*", ".git/config", "**/config"], ["!.git"])
    assert list(select_files(shop, wanted, excluded)) == []
    assert excluded.reasons["secret"] >= 2


@pytest.mark.parametrize("folder", [".git", ".ssh"])
def test_a_folder_of_secrets_cannot_be_the_root(shop: Path, folder: str) -> None:
    with pytest.raises(SourceError, match="hold secrets"):
        list(select_files(shop / folder, Selection(), Excluded()))

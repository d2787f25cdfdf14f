from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from build_index.sources.fetch.fetch import Located, locate, split_revision
from build_index.sources.fetch.git import demand_address
from build_index.sources.fetch.url import fetch_url
from quire.errors import SourceError
from tests.support.git_server import Repository, make_repository
from tests.support.http_files import Site, serve_site


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_site() as served:
        yield served


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = make_repository(tmp_path)
    made.commit({"docs/a.md": "# One\n", "version.txt": "1.0\n"}, tag="v1")
    return made


def zipped(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def tarred(files: dict[str, str], mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


def test_a_local_path_is_itself_with_the_version_beside_it(tmp_path: Path) -> None:
    (tmp_path / "version.txt").write_text("0.735.0.1\n")
    dump = tmp_path / "Full-API-Dump.json"
    dump.write_text("{}")
    assert locate(str(tmp_path), tmp_path / "cache") == Located(tmp_path, "", "0.735.0.1")
    assert locate(str(dump), tmp_path / "cache") == Located(dump, "", "0.735.0.1")


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere: wanted a path, a git URL or a web URL") as raised:
        locate("nowhere", tmp_path)
    assert raised.value.path == "nowhere"


def test_a_local_checkout_names_its_commit(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit({"docs/b.md": "# Two\n"})
    assert locate(str(repository.work), tmp_path / "cache").revision == commit


@pytest.mark.parametrize(
    ("location", "parts"),
    [
        ("https://example.org/a/b.git", ("https://example.org/a/b.git", "")),
        ("https://example.org/a/b.git@v1", ("https://example.org/a/b.git", "v1")),
        ("git+https://example.org/a/b@feature/x", ("https://example.org/a/b", "feature/x")),
        ("git+ssh://git@example.org/a/b.git@main", ("ssh://git@example.org/a/b.git", "main")),
        ("https://github.com/Roblox/creator-docs", ("https://github.com/Roblox/creator-docs", "")),
        ("https://github.com/Roblox/creator-docs@main", ("https://github.com/Roblox/creator-docs", "main")),
        ("https://github.com/a/b/releases/download/v1/c.zip", ("", "")),
        ("https://example.org/a@b.zip", ("", "")),
        ("folder/with.git.inside", ("", "")),
    ],
)
def test_a_git_location_is_told_from_others(location: str, parts: tuple[str, str]) -> None:
    assert split_revision(location) == parts


def test_a_repository_is_read_at_its_default_branch(repository: Repository, tmp_path: Path) -> None:
    commit = repository.commit({"docs/a.md": "# Two\n", "version.txt": "2.0\n"})
    found = locate(repository.url, tmp_path / "cache")
    assert (found.revision, found.version) == (commit, "2.0")
    assert (found.folder / "docs/a.md").read_text() == "# Two\n"


@pytest.mark.parametrize("prefix", ["", "git+"])
def test_a_repository_is_read_at_a_tag_a_branch_and_a_commit(
    repository: Repository, tmp_path: Path, prefix: str
) -> None:
    first = locate(f"{prefix}{repository.url}@v1", tmp_path / "cache")
    later = repository.commit({"docs/a.md": "# Two\n"}, branch="draft/next")
    assert (first.folder / "docs/a.md").read_text() == "# One\n"
    for revision in ("draft/next", later, later[:9]):
        found = locate(f"{prefix}{repository.url}@{revision}", tmp_path / "cache")
        assert found.revision == later
        assert (found.folder / "docs/a.md").read_text() == "# Two\n"
    assert (first.folder / "docs/a.md").read_text() == "# One\n"


def test_a_commit_that_is_here_is_not_fetched_again(repository: Repository, tmp_path: Path) -> None:
    commit = locate(repository.url, tmp_path / "cache").revision
    repository.bare.rename(repository.bare.with_name("gone.git"))
    assert locate(f"{repository.url}@{commit}", tmp_path / "cache").revision == commit


@pytest.mark.parametrize("revision", ["missing", "0123456789abcdef", "--upload-pack=touch x", "a b"])
def test_a_revision_that_is_not_there_is_named(repository: Repository, tmp_path: Path, revision: str) -> None:
    with pytest.raises(SourceError, match=r"books\.git") as raised:
        locate(f"{repository.url}@{revision}", tmp_path / "cache")
    assert raised.value.path == repository.url


def test_a_repository_that_is_not_there_is_named_without_asking_for_a_password(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.git: git ls-remote: "):
        locate((tmp_path / "none.git").as_uri(), tmp_path / "cache")


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_is_unpacked_to_the_folder_that_it_holds(
    site: Site, tmp_path: Path, pack: Callable[[dict[str, str]], bytes]
) -> None:
    site.files["/archive/refs/tags/v7.tar.gz"] = pack(
        {"docs-7/a/one.md": "# One\n", "docs-7/two.md": "# Two\n"}
    )
    found = locate(f"{site.url}/archive/refs/tags/v7.tar.gz", tmp_path)
    assert found.version == "v7"
    assert sorted(path.name for path in found.folder.rglob("*.md")) == ["one.md", "two.md"]
    assert (found.folder / "two.md").exists()


def test_a_lone_json_file_comes_with_the_version_beside_it(site: Site, tmp_path: Path) -> None:
    site.files["/live/Full-API-Dump.json"] = b'{"Classes": []}'
    site.files["/live/version.txt"] = b"0.735.0.1\n"
    found = locate(f"{site.url}/live/Full-API-Dump.json", tmp_path)
    assert (found.folder / "Full-API-Dump.json").read_bytes() == b'{"Classes": []}'
    assert found.version == "0.735.0.1"


@pytest.mark.parametrize("path", ["/", "/docs/", "/private/docs.zip"])
def test_a_web_page_in_place_of_files_is_told_from_them(site: Site, tmp_path: Path, path: str) -> None:
    site.files[path] = b"\n<!DOCTYPE html><title>Sign in</title>"
    with pytest.raises(SourceError, match="found a web page: sites are not crawled"):
        fetch_url(site.url + path, tmp_path)
    site.files["/guide.html"] = b"<!doctype html><h1>Guide</h1>"
    assert [one.name for one in fetch_url(f"{site.url}/guide.html", tmp_path).iterdir()] == ["guide.html"]


def test_a_release_names_its_version(site: Site, tmp_path: Path) -> None:
    site.files["/o/r/releases/download/v2.1/docs.zip"] = zipped({"a.md": "A", "b.md": "B"})
    assert locate(f"{site.url}/o/r/releases/download/v2.1/docs.zip", tmp_path).version == "v2.1"


def test_what_did_not_change_is_not_downloaded_again(site: Site, tmp_path: Path) -> None:
    site.files["/docs.zip"] = zipped({"a.md": "A"})
    first = locate(f"{site.url}/docs.zip", tmp_path)
    assert locate(f"{site.url}/docs.zip", tmp_path) == first
    assert [status for _, status in site.asked] == [200, 304]
    site.files["/docs.zip"] = zipped({"a.md": "Other"})
    changed = locate(f"{site.url}/docs.zip", tmp_path)
    assert (changed.folder / "a.md").read_text() == "Other"
    assert (first.folder / "a.md").read_text() == "A"


def test_without_an_etag_it_is_downloaded_each_time(site: Site, tmp_path: Path) -> None:
    site.files["/docs.zip"] = zipped({"a.md": "A"})
    site.plain.add("/docs.zip")
    assert locate(f"{site.url}/docs.zip", tmp_path) == locate(f"{site.url}/docs.zip", tmp_path)
    assert [status for _, status in site.asked] == [200, 200]


def test_redirects_are_followed_and_loops_are_not(site: Site, tmp_path: Path) -> None:
    site.files["/real.zip"] = zipped({"a.md": "A"})
    site.redirects = {"/docs.zip": "/real.zip", "/loop.zip": "/loop.zip"}
    assert (locate(f"{site.url}/docs.zip", tmp_path).folder / "a.md").read_text() == "A"
    with pytest.raises(SourceError, match="TooManyRedirects"):
        locate(f"{site.url}/loop.zip", tmp_path)


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("/missing.zip", "wanted status 200, found 404"),
        ("/slow.zip", "ReadTimeout"),
        ("/cut.zip", "RemoteProtocolError"),
        ("/large.zip", "larger than 1000 bytes"),
        ("/broken.zip", "the archive is broken"),
        ("/broken.tar.gz", "the archive is broken"),
    ],
)
def test_what_cannot_be_fetched_is_named_and_leaves_nothing(
    site: Site, tmp_path: Path, path: str, complaint: str
) -> None:
    good = zipped({"a.md": "A" * 50})
    site.files = {
        "/slow.zip": good,
        "/cut.zip": good,
        "/large.zip": b"PK\x03\x04" + bytes(2000),
        "/broken.zip": good[: len(good) - 30],
        "/broken.tar.gz": tarred({"a.md": "A" * 50})[:-20],
    }
    site.slow_s["/slow.zip"] = 2.0
    site.cut.add("/cut.zip")
    with pytest.raises(SourceError, match=complaint) as raised:
        fetch_url(
            f"{site.url}{path}",
            tmp_path,
            max_bytes=1000,
            timeout=httpx.Timeout(0.2 if path in site.slow_s else 20.0),
        )
    assert raised.value.path == f"{site.url}{path}"
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"docs\.zip: ConnectError"):
        locate("http://127.0.0.1:9/docs.zip", tmp_path)


@pytest.mark.parametrize(
    "location",
    [
        "git+--upload-pack=touch ran;x",
        "git+--upload-pack=touch ran .git",
        "git+-u@host.example:x.git",
        "git+ext::touch% ran .git",
        "git+ext::sh -c touch% ran://x.git",
        "git+fd::3/x.git",
        "git+ssh://-oProxyCommand=touch ran/x.git",
        "git+ssh://user@-oProxyCommand=touch ran/x.git",
        "git+rsync://host.example/x.git",
        "git+",
    ],
)
def test_a_location_that_git_would_take_for_an_option_or_a_program_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="wanted a path, host:path or an address by https"):
        locate(location, tmp_path / "cache")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "location",
    ["a" * 5000, "a/" * 2500, "a" * 5000 + ".git", "x\0y", f"git+file:///{'a' * 5000}.git", f"/{'a' * 5000}"],
    ids=len,
)
def test_a_location_of_any_length_is_refused_by_name(tmp_path: Path, location: str) -> None:
    with pytest.raises(SourceError):
        locate(location, tmp_path / "cache")


@pytest.mark.parametrize("revision", ["--upload-pack=touch ran", "-q", "a b", "$(touch ran)"])
def test_a_revision_that_git_would_take_for_an_option_is_refused(
    tmp_path: Path, repository: Repository, revision: str
) -> None:
    with pytest.raises(SourceError, match="is no revision"):
        locate(f"git+{repository.url}@{revision}", tmp_path / "cache")


@pytest.mark.parametrize(
    "address",
    [
        "https://h.example/a.git",
        "HTTPS://h.example/a",
        "ssh://git@h.example/a",
        "ssh://git@[::1]/a",
        "git@h.example:a.git",
        "file:///srv/a.git",
        "/srv/a.git",
        "a.git",
        "deep/--a.git",
    ],
)
def test_addresses_that_people_use_are_no_options(address: str) -> None:
    assert demand_address(address) == address

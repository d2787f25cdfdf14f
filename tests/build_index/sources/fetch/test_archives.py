from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from build_index.sources.fetch.url import extract, is_archive
from quire.errors import SourceError


def zip_file(path: Path, members: list[tuple[zipfile.ZipInfo | str, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members:
            archive.writestr(member, content)
    return path


def tar_file(path: Path, members: list[tarfile.TarInfo], content: bytes = b"x") -> Path:
    with tarfile.open(path, "w") as archive:
        for member in members:
            member.size = len(content) if member.isreg() else 0
            archive.addfile(member, io.BytesIO(content))
    return path


def tar_member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


OUTSIDE = ["../out.md", "/etc/out.md", "a/../../out.md", "..\\out.md", "C:/out.md"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_member_that_leads_out_of_a_zip_is_refused(tmp_path: Path, name: str) -> None:
    archive = zip_file(tmp_path / "a.zip", [(zipfile.ZipInfo(name), b"x")])
    with pytest.raises(SourceError, match="leads out of the archive"):
        extract(archive, tmp_path / "in", "a.zip")
    assert not (tmp_path / "out.md").exists()


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_member_that_leads_out_of_a_tar_is_refused(tmp_path: Path, name: str) -> None:
    archive = tar_file(tmp_path / "a.tar", [tar_member(name)])
    with pytest.raises(SourceError, match="leads out of the archive"):
        extract(archive, tmp_path / "in", "a.tar")
    assert not (tmp_path / "out.md").exists()


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    extract(zip_file(tmp_path / "a.zip", [(link, b"/etc/passwd"), ("kept.md", b"x")]), tmp_path / "zip", "a")
    members = [
        tar_member("link.md", tarfile.SYMTYPE, "/etc/passwd"),
        tar_member("hard.md", tarfile.LNKTYPE, "kept.md"),
        tar_member("pipe", tarfile.FIFOTYPE),
        tar_member("kept.md"),
    ]
    extract(tar_file(tmp_path / "a.tar", members), tmp_path / "tar", "a")
    for folder in ("zip", "tar"):
        assert [path.name for path in (tmp_path / folder).iterdir()] == ["kept.md"]


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    archive = zip_file(tmp_path / "a.zip", [("zeros", bytes(5_000_000))])
    assert archive.stat().st_size < 10_000
    with pytest.raises(SourceError, match="unpacks to more than 1000000 bytes"):
        extract(archive, tmp_path / "in", "a.zip", max_bytes=1_000_000)


@pytest.mark.parametrize("content", [b"", b"# Text", b"{}", b"PK"])
def test_other_files_are_no_archives(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert not is_archive(tmp_path / "file")


def test_archives_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    assert is_archive(zip_file(tmp_path / "a", [("x", b"y")]))
    assert is_archive(tar_file(tmp_path / "b", [tar_member("x")]))

from __future__ import annotations

import os
from pathlib import Path

import pytest

from build_index.sources.files.text_files import read_page, read_text, walk_files
from quire.errors import SourceError
from quire.limits import DOCUMENT_FILE_BYTES


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def test_files_come_sorted_by_their_parts_without_what_is_hidden_or_installed(tmp_path: Path) -> None:
    write(
        tmp_path,
        "b/a.md",
        "b-c/a.md",
        "a.MDX",
        "b.md",
        ".git/x.md",
        "node_modules/p/x.md",
        "b/.hidden.md",
        "c.txt",
    )
    assert list(walk_files(tmp_path, (".md", ".mdx"))) == ["a.MDX", "b/a.md", "b-c/a.md", "b.md"]


def test_symbolic_links_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "root/kept.md")
    (tmp_path / "root/file.md").symlink_to(tmp_path / "outside/secret.md")
    (tmp_path / "root/folder").symlink_to(tmp_path / "outside")
    (tmp_path / "root/loop").symlink_to(tmp_path / "root")
    assert list(walk_files(tmp_path / "root", (".md",))) == ["kept.md"]


@pytest.mark.parametrize("name", ["missing", "file.md"])
def test_a_root_that_is_no_folder_is_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, "file.md")
    with pytest.raises(SourceError, match="wanted a folder, found"):
        list(walk_files(tmp_path / name, (".md",)))


def test_a_path_that_leads_out_of_the_source_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "root/kept.md")
    (tmp_path / "root/link.md").symlink_to(tmp_path / "secret.md")
    for path in ("../secret.md", "link.md"):
        with pytest.raises(SourceError, match="leads out of the source"):
            read_text(tmp_path / "root", path)


def test_a_wrong_byte_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\ntwo\nthr\xffee\n")
    with pytest.raises(SourceError, match=r"^a\.md:3: byte 0xff is not UTF-8"):
        read_text(tmp_path, "a.md")


def test_a_page_in_letters_of_before_is_read_and_told_and_damage_is_not(tmp_path: Path) -> None:
    told: list[str] = []
    page = "# Kühlung\n\nDie „Kühlung“ der Kamera erreicht minus 30 Grad.\n"
    (tmp_path / "old.md").write_bytes(page.encode("cp1252"))
    assert read_page(tmp_path, "old.md", told.append) == page
    (line,) = told
    assert line.startswith("old.md:1: byte 0xfc is not UTF-8: read as Windows-1252; save it as UTF-8")
    damaged = page.encode()[:40] + b"\xff" + page.encode()[40:]
    cyrillic = "Камера холодная".encode()
    for wrong in (
        damaged,
        cyrillic[:9] + b"\xff" + cyrillic[9:],
        b"\xff",
        b"ab\xff\x00cd" * 9,
        b"\x01\x02\x03abcdefgh\xff" * 9,
    ):
        (tmp_path / "old.md").write_bytes(wrong)
        with pytest.raises(SourceError, match=r"^old\.md:\d: byte 0x\w\w is not UTF-8$"):
            read_page(tmp_path, "old.md", told.append)
    assert told == [line]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_is_read_as_windows_writes_it(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.md").write_bytes("# Größe\r\n\r\nIt is 3 m.\r\n".encode(encoding))
    assert read_text(tmp_path, "a.md").removeprefix("\ufeff") == "# Größe\r\n\r\nIt is 3 m.\r\n"


def test_a_file_that_is_missing_or_too_large_is_named(tmp_path: Path) -> None:
    with (tmp_path / "large.md").open("wb") as file:
        file.truncate(DOCUMENT_FILE_BYTES + 1)
    with pytest.raises(SourceError, match=r"^large\.md: \d+ bytes"):
        read_text(tmp_path, "large.md")
    with pytest.raises(SourceError, match=r"^none\.md: cannot be read"):
        read_text(tmp_path, "none.md")


def test_what_is_no_plain_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "folder.md").mkdir()
    for path, reason in (
        ("pipe.md", "no plain file"),
        ("loop.md", "cannot be read"),
        ("folder.md", "cannot be"),
    ):
        with pytest.raises(SourceError, match=f"{path}: .*{reason}"):
            read_text(tmp_path, path)

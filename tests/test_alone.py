"""What is known from an earlier run: over the same files only, and only where it ended well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.alone import once
from tests.support.tree import ROOT

ONE, OTHER = "0a" * 32, "1b" * 32


def test_a_block_is_known_where_it_ended_well_over_the_same_files(tmp_path: Path) -> None:
    work, file = f"test-{tmp_path.name}", tmp_path / "file"

    def is_known(text: str) -> bool:
        file.write_text(text, encoding="utf-8")
        with once(work, file) as known:
            return known

    try:
        file.write_text(f"{ONE} {ONE}", encoding="utf-8")
        with pytest.raises(ZeroDivisionError), once(work, file):
            raise ZeroDivisionError
        assert [is_known(f"{ONE} {ONE}"), is_known(f"{ONE} {ONE}"), is_known(f"{OTHER} {OTHER}")] == [
            False,
            True,
            True,
        ]
        assert not is_known(f"{ONE} {OTHER}")
        assert not is_known(f"{ONE} {OTHER} ")
    finally:
        (ROOT / f".quire/cache/{work}.sha256").unlink()

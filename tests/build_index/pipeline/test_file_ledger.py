"""Which folders a collection of code holds after an order."""

from __future__ import annotations

from pathlib import Path

from build_index.pipeline.file_ledger import KnownFiles, Ledger, Order, Root, roots_of


def order(folder: Path, *, add: bool = True) -> Order:
    return Order("code", str(folder), patterns=("*.py",), add=add)


def test_a_folder_is_added_to_others_and_replaces_them_where_it_shall_be_alone(tmp_path: Path) -> None:
    shop, bank = tmp_path / "shop", tmp_path / "bank"
    shop.mkdir()
    held = [Root(str(shop), ("*.php",))]
    assert roots_of(order(bank), held) == (Root(str(bank), ("*.py",)), *held)
    assert roots_of(order(bank, add=False), held) == (Root(str(bank), ("*.py",)),)


def test_a_folder_takes_the_place_of_itself_and_of_those_inside_and_of_none_that_is_gone(
    tmp_path: Path,
) -> None:
    inside = tmp_path / "src"
    inside.mkdir()
    held = [Root(str(inside)), Root(str(tmp_path)), Root("/nowhere/at/all")]
    assert roots_of(order(tmp_path), held) == (Root(str(tmp_path), ("*.py",)),)


def test_a_folder_inside_of_a_held_one_is_there_already(tmp_path: Path) -> None:
    held = [Root(str(tmp_path), ("*.php",))]
    assert roots_of(order(tmp_path / "src"), held) == tuple(held)


def test_what_another_state_of_the_program_read_is_read_again(tmp_path: Path) -> None:
    """Whoever pulls a newer one and indexes again would keep what the older one made of the same files."""
    ledger, known = Ledger(tmp_path, "code"), KnownFiles({"a.py": "0f"}, {}, {}, (Root("/a", ("*.py",)),))
    ledger.write("v1", known)
    assert ledger.read("v1") == known
    assert Ledger(tmp_path, "code", code="another").read("v1") == KnownFiles()

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.analysis.symbols import ancestry, resolve

PARENTS = {"Dinghy": "Boat", "Boat": "Thing", "Raft": "Thing"}
SYMBOLS = {"Thing.Name", "Boat.SailTo", "Boat.Name"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Dinghy.SailTo", "Boat.SailTo"),
        ("Dinghy:SailTo", "Boat.SailTo"),
        ("Dinghy:SailTo()", "Boat.SailTo"),
        ("dinghy.SailTo", "Boat.SailTo"),
        ("Dinghy.Name", "Boat.Name"),
        ("Raft.Name", "Thing.Name"),
        ("Boat.SailTo", "Boat.SailTo"),
        ("Thing.Name", "Thing.Name"),
        ("Thing.SailTo", None),
        ("Raft.SailTo", None),
        ("Unknown.Name", None),
        ("Dinghy", None),
        ("Dinghy.", None),
        (".Name", None),
        ("a.b.c", None),
        ("", None),
    ],
)
def test_an_inherited_member_resolves_to_the_nearest_class_that_declares_it(
    name: str, found: str | None
) -> None:
    assert resolve(name, PARENTS, SYMBOLS.__contains__) == found


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdef")), st.sampled_from("abcdef"))
def test_every_ancestry_ends_even_where_classes_inherit_in_circles(
    parents: dict[str, str], start: str
) -> None:
    line = list(ancestry(start, parents))
    assert line[0] == start
    assert len(line) == len(set(line))
    assert all(parents[child] == parent for child, parent in pairwise(line))

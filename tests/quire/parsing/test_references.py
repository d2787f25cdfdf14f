from __future__ import annotations

import pytest

from quire.parsing.markup import read_reference


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("Class.Part", "Part"),
        ("Class.BasePart.Touched|Touched", "BasePart.Touched"),
        ("Class.Humanoid:MoveTo()|MoveTo()", "Humanoid:MoveTo()"),
        ("Class.Attachment|Attachments", "Attachments"),
        ("Class.DataModel|game", "game (DataModel)"),
        ("Class.BasePart.Size|size", "size (BasePart.Size)"),
        ("Enum.KeyCode.E", "Enum.KeyCode.E"),
        ("Enum.KeyCode.E|E", "Enum.KeyCode.E"),
        ("Enum.HumanoidStateType|Climbing", "Enum.HumanoidStateType.Climbing"),
        ("Datatype.CFrame.new()", "CFrame.new()"),
        ("Library.task.wait()|task.wait()", "task.wait()"),
        ("Global.LuaGlobals.print()|print()", "print()"),
    ],
)
def test_a_reference_reads_well_and_keeps_its_identifier(code: str, shown: str) -> None:
    assert read_reference(code) == shown


@pytest.mark.parametrize("code", ["print('x')", "Class", "Class.", "ReplicatedStorage.Module", "a|b"])
def test_other_code_is_no_reference(code: str) -> None:
    assert read_reference(code) is None

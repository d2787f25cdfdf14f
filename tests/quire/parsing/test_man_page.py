from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from build_index.sources.files.repository import Repository, read_repository
from quire.chunking import CHUNKERS
from quire.documents import Document
from quire.parsing.man_page import is_man_page, man_as_markdown


def blocks(text: str) -> list[str]:
    return [one for one in man_as_markdown(text)[0].rstrip("\n").split("\n\n") if one.strip()]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('.\\" By hand.\n.TH OAR 1 "May"\n.SH NAME\noar \\- row a boat\n', ["# oar", "## Name", "oar - row a boat"]),
        (".PP\nRow with \\fB\\-\\-left\\fR or\n.BR oar (1),\n.I slowly\n.PP\nEnd.\n", [
            "Row with `--left` or\n`oar`(1),\nslowly", "End.",
        ]),
        (".TP\n.B \\-n\n.TQ\n.BI \\-\\-none= x\nDo not row.\n.IP \\(bu 2\nFirst\n.IP two\nSecond\n", [
            "- `-n`, `--none=`x:\n  Do not row.", "-\n  First", "- two:\n  Second",
        ]),
        (".nf\n  oar \\-n  *.c\n\n  row\n.fi\nDone <so> far: 2*3*4.\n# no title\n", [
            "```\n  oar -n  *.c", "  row\n```", "Done \\<so> far: 2\\*3\\*4.\n\\# no title",
        ]),
        (".Dt OAR 1\n.Sh NAME\n.Nm oar\n.Nd row a boat\n.Sh SYNOPSIS\n.Nm\n.Op Fl nv\n.Op Fl f Ar file ...\n", [
            "# oar", "## Name", "`oar`\nrow a boat", "## Synopsis", "`oar`\n[`-nv`]\n[`-f` file ...]",
        ]),
        (".Nm oar\n.Pp\nIn\n.Nm ,\nsee\n.Xr boat 5 .\nUse\n.Dq two words\nor\n.Pq Em one , Fl x .\n", [
            "`oar`", "In\n`oar`,\nsee\nboat(5).\nUse\n“two words”\nor\n(one, `-x`).",
        ]),
        (".Bl -tag\n.It Fl f Ns Ar ile\nReads it.\n.Pp\nTwice.\n.It Xo Ic row\n.Op Fl a\n.Xc\nRows.\n.El\nEnd.\n", [
            "- `-f`ile:\n  Reads it.", "  Twice.", "- `row`:\n  [`-a`]\n  Rows.", "End.",
        ]),
        (".Bd -literal\n$ oar -n\n.Ed\nThen\n.Dl row all\n", ["```\n$ oar -n\n```", "Then", "```\nrow all\n```"]),
        (".nf\nrow\n.SH END\nDone.\n", ["```\nrow\n```", "## End", "Done."]),
        (".de X Y\nhidden\n.Y\nShown.\n", ["Shown."]),
        (".de X\nhidden\n..\n.if n \\{\\\n.\\}\nShown \\(em \\(lqso\\(rq \\e \\s-1X\\s0\\&.\n", ["Shown — “so” \\ X."]),
    ],
)  # fmt: skip
def test_what_a_page_says_is_markdown(text: str, shown: list[str]) -> None:
    assert blocks(text) == shown


@pytest.mark.parametrize(
    "part", [".It a\n", ".Bl\n", ".TP\n", ".Op Fl x ", '.B "', "\\fB", ".nf\n", ".de x\n", ".RS\n"]
)
def test_what_nothing_closes_is_read_to_the_end(part: str) -> None:
    shown, numbers = man_as_markdown(f"Oars.\n.PP\n{part * 5_000}")
    assert len(shown.split("\n")) == len(numbers)
    assert "Oars." in shown


def test_a_manual_page_of_a_repository_is_read_as_prose_and_cited_by_its_lines(tmp_path: Path) -> None:
    (tmp_path / "oar.1").write_text(
        ".TH OAR 1\n.SH OPTIONS\n.TP\n\\fB\\-\\-left\\fR\nRow left.\n", encoding="utf-8"
    )
    (tmp_path / "liboar.1").write_text("One two three four five words of text.\n", encoding="utf-8")
    found = {
        one.id: one for one in read_repository(Repository(tmp_path, "boats")) if isinstance(one, Document)
    }
    assert {path: one.metadata["lang"] for path, one in found.items()} == {"liboar.1": "text", "oar.1": "man"}
    chunks = list(CHUNKERS[found["oar.1"].kind](found["oar.1"]))
    assert "- `--left`: Row left." in " ".join(chunks[-1].text.split())
    assert (chunks[-1].metadata["end_line"], is_man_page("liboar.1", found["liboar.1"].text)) == (5, False)


@pytest.mark.parametrize(
    ("text", "is_page"),
    [
        ('.\n.TH "OAR" "1" "May 2025" "" ""\n.\n.SH "NAME"\n', True),
        ('\'\\" t\n.\\" By hand.\n.TH oar-row 8\n.SH NAME\n', True),
        (".Dd May 3, 2025\n.Dt OAR 1\n.Sh NAME\n", True),
        (".TH OAR 1\nNo section.\n", False),
        (".so man1/oar.1\n.SH NAME\n", False),
        (".TH is how a page begins.\n.SH follows.\n", False),
        ("...\n.TH OAR 1\n.SH NAME\n", False),
        ("# oar\n.TH OAR 1\n.SH NAME\n", False),
    ],
)
def test_a_manual_page_of_another_name_is_known_by_its_title_and_sections(
    text: str, *, is_page: bool
) -> None:
    assert is_man_page("oar.1.prebuilt", text) == is_man_page("OAR", text) == is_page


PARTS = [
    *(
        "a",
        "\\",
        '"',
        "\n",
        "\n.",
        ".It ",
        ".Bl",
        ".El",
        ".TP",
        ".IP x",
        ".nf",
        ".fi",
        ".Op ",
        "Fl ",
        "\\fB",
        "\\fR",
    ),
    *(".RS", ".RE", ".Sh A", " b", "."),
]


@given(st.lists(st.sampled_from(PARTS), max_size=60))
@example([".nf\n", ".IP x\n"])
def test_any_text_is_read_in_the_order_of_its_lines(parts: list[str]) -> None:
    text = "".join(parts)
    shown, numbers = man_as_markdown(text)
    assert len(shown.split("\n")) == len(numbers)
    assert list(numbers) == sorted(numbers)
    assert 1 <= numbers[0] <= numbers[-1] <= len(text.split("\n"))

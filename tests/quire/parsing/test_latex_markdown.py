from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.chunking import CHUNKERS
from quire.documents import Document
from quire.parsing.latex_markdown import latex_as_markdown


def blocks(text: str) -> list[str]:
    return [one for one in latex_as_markdown(text)[0].rstrip("\n").split("\n\n") if one.strip()]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"\chapter[Short]{Pumps and \emph{valves}}", ["# Pumps and *valves*"]),
        (r"\subsection*{Oil}\label{sec:oil} It is black.", ["### Oil", "It is black."]),
        ("Oil is \\textbf{thick}.  % why?\n  % nobody knows\nIt costs 5\\,\\% more~--- or less.", [
            "Oil is **thick**.\nIt costs 5 % more — or less.",
        ]),
        ("``Oil'' and `gas', see Section~\\ref{sec:big-pumps}\\cite[p.~3]{a}.", [
            "“Oil” and ‘gas', see Section “big pumps”.",
        ]),
        (r"Use \texttt{pump -a}, \verb|a_{b}| or \href{https://a.example/b}{the page}\footnote{By hand.}.", [
            "Use `pump -a`, `a_{b}` or [the page](https://a.example/b) (By hand.).",
        ]),
        (r"It is $a_{1} < \{b\}$ or \(c\), for all \pumps{} of \index{pump}\mycolor{red}.", [
            "It is $a_{1} < \\{b\\}$ or $c$, for all pumps of red.",
        ]),
        ("So\n\\begin{align*}\n  a &= b \\label{eq:a} \\\\\n\n  c &= d\n\\end{align*}\nholds.", [
            "So", "$$\n  a &= b  \\\\\n  c &= d\n$$", "holds.",
        ]),
        ("\\[ a = b \\]\nIt is, \\[\nc\n\\] too.", ["$$ a = b $$\nIt is,", "$$\nc\n$$", "too."]),
        (("\\begin{itemize}\n\\item One\nmore\n\\begin{enumerate}\n\\item Deep\n\\end{enumerate}\n\\item[Two:] Last\n"
         "\\end{itemize}\nEnd."), ["- One\n  more", "  1. Deep", "- Two: Last", "End."]),
        ("\\newtheorem{law}{Law}\n\\begin{law}[Oil]\nIt flows.\n\\end{law}\n\\begin{proof}\nSee it.\n\\end{proof}", [
            "**Law (Oil).** It flows.", "**Proof.** See it.",
        ]),
        ("\\begin{lstlisting}[language=Python]\n% kept\npump(1)\n\n\\emph\n\\end{lstlisting}\nText.", [
            "```python\n% kept\npump(1)", "\\emph\n```", "Text.",
        ]),
        (("\\begin{table}[h]\n\\begin{tabular}{l|r}\n\\hline\nOil & \\textbf{Cost} \\\\ \\hline\nA \\& B & 5 \\\\\n"
         "\\end{tabular}\n\\caption{What it costs}\n\\end{table}"), [
            "| Oil | **Cost** |\n| --- | --- |\n| A & B | 5 |", "What it costs",
        ]),
        (("\\begin{itemize}\n\\pt One\n\\begin{enumerate}[(a)]\n  \\pt[x] Deep \\pt\n\\end{enumerate}\n"
         "\\pt Last\n\\end{itemize}\n\\begin{itemize}\n\\itemsep 0pt\n\\small\n\\item Oil\n\\end{itemize}"), [
            "- One", "  1. x: Deep pt", "- Last", "- Oil",
        ]),
        ("\\begin{example}\n  [How \\emph{oil} flows]\n  \\label{ex:oil}\n\\layout\nDown.\n\\end{example}", [
            "**Example (How *oil* flows).** Down.",
        ]),
        (r"B\'ezout, G\"{o}del, \v{S}a\'{\i}, gar\c{c}on, S\o{}ren \=x", ["Bézout, Gödel, Šaí, garçon, Søren x̄"]),
        ("Let $T = \\begin{bmatrix} 2 & 1 \\\\ 0 & 3\n\\end{bmatrix}$ be.", [
            "Let $T = \\begin{bmatrix} 2 & 1 \\\\ 0 & 3\n\\end{bmatrix}$ be.",
        ]),
        ("See:\n\\begin{tikzcd}\nA \\ar[r] & B\n\\end{tikzcd} So.", ["See:\nSo."]),
        ("\\def\\a#1{\n  b\n}\n\\newcommand{\\c}[1]{\\{ #1}\nText.", ["Text."]),
        ("\\def\\a{{\nb\n\nText.", ["Text."]),
        ("\\documentclass{x}\n\\title{Pumps}\nNot shown.\n\\begin{document}\n\\maketitle\nShown.\n\\end{document}", [
            "# Pumps", "Shown.",
        ]),
        ("Write:\n\\begin{verbatim}\n\\documentclass{article}\n\\begin{document}\n\\end{verbatim}\nSo.", [
            "Write:", "```\n\\documentclass{article}\n\\begin{document}\n```", "So.",
        ]),
    ],
)  # fmt: skip
def test_what_a_document_says_is_markdown(text: str, shown: list[str]) -> None:
    assert blocks(text) == shown


def test_each_line_has_the_line_that_it_stands_on() -> None:
    text = "\\section{Oil}\n% why\nIt is\n\\index{oil}%\nblack\\footnote{As\ncoal.}.\n\nAnd thick.\n\\[\nx\n\\]\n"
    shown, numbers = latex_as_markdown(text)
    told = {line: number for line, number in zip(shown.split("\n"), numbers, strict=True) if line}
    assert told == {"## Oil": 1, "It is": 3, "black (As": 5, "coal.).": 6, "And thick.": 8, "$$": 11, "x": 10}


def test_a_book_in_latex_is_cut_as_pages_and_cited_by_its_lines() -> None:
    text = "\\chapter{Pumps}\nThey move oil.\n\n\\section{Valves}\nThey hold \\emph{oil} back.\n"
    chunks = list(CHUNKERS["docs"](Document("pumps.tex", text, "docs", {"path": "pumps.tex"})))
    assert "They hold oil back." in chunks[-1].text
    assert (chunks[0].metadata["start_line"], chunks[-1].metadata["end_line"]) == (1, 5)


@pytest.mark.parametrize(
    "part", [r"\emph{", r"\[", "{", r"\begin{verbatim}", r"\item[", r"\[x\]", "$a", r"\begin{tabular}a&"]
)
def test_what_nothing_closes_is_read_to_the_end(part: str) -> None:
    shown, numbers = latex_as_markdown(f"Oil.\n\n{part * 20_000} coal")
    assert len(shown.split("\n")) == len(numbers)
    assert "Oil." in shown
    assert "coal" in shown


PARTS = [
    *("a", "\\", "{", "}", "[", "]", "%", "\n", "$", "&", "\\item ", "\\emph{", "\\[", "\\]"),
    *("\\begin{tabular}", "\\end{tabular}", "\\begin{itemize}", "\\end{itemize}"),
]


@given(st.lists(st.sampled_from(PARTS), max_size=60))
def test_any_text_is_read_in_the_order_of_its_lines(parts: list[str]) -> None:
    text = "".join(parts)
    shown, numbers = latex_as_markdown(text)
    assert len(shown.split("\n")) == len(numbers)
    assert list(numbers) == sorted(numbers)
    assert 1 <= numbers[0] <= numbers[-1] <= len(text.split("\n"))

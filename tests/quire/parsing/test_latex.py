from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.parsing.latex import parse_latex, readable_latex
from tests.support.outlines import assert_apart, sections

PAPER = r"""\documentclass{article}
\title{On \emph{pumps}}
\begin{document}
\maketitle
\section{Flow \& pressure}\label{sec:flow}
Water flows~\cite{a}. % not said
\begin{verbatim}
\section{None}
\end{verbatim}
\subsection*{Valves}
A \textbf{main \emph{valve}} opens at 5\%.
\section[Short]{Long title}
\end{document}
"""


def test_sections_nest_by_their_commands_below_the_title() -> None:
    assert list(sections(parse_latex(PAPER).definitions)) == [
        (0, "On pumps", 1, 13),
        (1, "Flow & pressure", 5, 11),
        (2, "Valves", 10, 11),
        (1, "Long title", 12, 13),
    ]


def test_a_label_names_its_section() -> None:
    [paper] = parse_latex(PAPER).definitions
    assert paper.members[0].names == ("Flow & pressure", "sec:flow")


def test_what_one_reads_has_no_commands_comments_and_citations() -> None:
    shown = readable_latex(PAPER)
    assert "Water flows ." in shown
    assert "A main valve opens at 5%." in shown
    assert not {"documentclass", "not said", "maketitle"} & set(shown.split())


@given(st.text(st.sampled_from("ab \\{}[]%*\n\n"), max_size=200), st.sampled_from(["", "\\section{a}\n"]))
def test_sections_of_any_text_lie_in_the_file_and_in_one_another(text: str, before: str) -> None:
    text = before + text
    assert_apart(parse_latex(text).definitions, 1, len(text.split("\n")))
    readable_latex(text)

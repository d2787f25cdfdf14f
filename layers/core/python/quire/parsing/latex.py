r"""LaTeX to an Outline of sections, and to readable text.

Read by lines, without what packages define: sections by their commands, labels as their names, code and formulas as
they are written.
"""

from __future__ import annotations

import re

from quire.parsing.outline import Heading, Outline, outline_sections

_LEVELS = {
    name: level
    for level, name in enumerate(
        "part chapter section subsection subsubsection paragraph subparagraph".split(), 1
    )
}
_SECTION = re.compile(
    r"""
    [ \t]*\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?
    (?:\[[^\[\]]{0,500}\])?                  # a shorter title for the table of contents
    \{( (?:[^{}] | \{[^{}]{0,500}\}){1,500} )\}
    """,
    re.VERBOSE,
)
_TITLE = re.compile(
    r"""
    [ \t]*\\title(?:\[[^\[\]]{0,500}\])?         # with a shorter one
    \{( (?:[^{}] | \{[^{}]{0,500}\}){1,500} )\}
    """,
    re.VERBOSE,
)
_LABEL = re.compile(r"\\label\{([^{}]{1,200})\}")
_VERBATIM = re.compile(r"\\begin\{(verbatim|lstlisting|minted|Verbatim|alltt)\*?\}")
_COMMENT = re.compile(r"(?<!\\)%.*")
_SILENT = re.compile(
    r"""
    [ \t]*\\(?: begin | end | usepackage | documentclass | label | centering | maketitle | tableofcontents | newpage
      | clearpage | bibliography(?:style)? | includegraphics | input | include | index | vspace | hspace | setlength
      | newcommand | renewcommand | pagestyle | noindent )\b  # what shows no words of its own
    """,
    re.VERBOSE,
)
_GONE = re.compile(
    r"""
    \\(?: cite[a-z]* | label | index | footnotemark | ref | pageref )\*?  # what is shown as a number, or not at all
    (?:\[[^\[\]]{0,200}\])?\{[^{}]{0,500}\}
    """,
    re.VERBOSE,
)
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\[\]]{0,200}\])?\{([^{}]{0,1000})\}")
_ESCAPED = re.compile(r"\\([%&_#${}])")
NESTED = 4
"""How deep commands in one another are read: `\\textbf{\\emph{word}}`."""


def parse_latex(text: str) -> Outline:
    r"""Sections of a document, below its title where it has one; a label right behind a heading is its name.

    >>> [one] = parse_latex("\\section{Pumps}\n\\label{sec:pumps}\nText\n\\subsection{Valves}\n").definitions
    >>> one.names, one.members[0].names
    (('Pumps', 'sec:pumps'), ('Valves',))
    """
    lines = text.split("\n")
    headings: list[Heading] = []
    end = ""
    for number, line in enumerate(lines, 1):
        if end:
            end = "" if end in line else end
        elif verbatim := _VERBATIM.search(line):
            end = "" if f"\\end{{{verbatim[1]}" in line else f"\\end{{{verbatim[1]}"
        elif heading := _SECTION.match(line):
            following = line[heading.end() :] + (lines[number] if number < len(lines) else "")
            labels = tuple(dict.fromkeys(_LABEL.findall(following)))
            headings.append(Heading(number, _LEVELS[heading[1]], _inline(heading[2]).strip(), labels))
        elif (title := _TITLE.match(line)) and not headings:
            headings.append(Heading(1, 0, _inline(title[1]).strip()))
    return outline_sections(lines, headings)


def readable_latex(text: str) -> str:
    r"""The text as one reads it: commands by their words, without comments, citations and settings.

    >>> readable_latex("\\begin{itemize}\n\\item The \\textbf{main \\emph{valve}}~\\cite{a}. % why\n\\end{itemize}")
    'The main valve .'
    """
    kept = (_inline(_COMMENT.sub("", line)).rstrip() for line in text.split("\n") if not _SILENT.match(line))
    return "\n".join(line for line in kept if line != "\\").strip("\n")


def _inline(line: str) -> str:
    line = _GONE.sub("", line)
    for _ in range(NESTED):
        shorter = _COMMAND.sub(r"\1", line)
        if shorter == line:
            break
        line = shorter
    return _ESCAPED.sub(r"\1", line.replace("\\item ", "").replace("~", " "))

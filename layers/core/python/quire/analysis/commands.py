"""Commands that a page shows for a shell, and those that a question may name.

To the analyzer `git rebase -i` is three ordinary words; as a term of its own, by all that it begins with (`git rebase`,
`git rebase -i`), it is found where a page shows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from quire.analysis.terms import STOP_WORDS

COMMAND_MARK = "$"
"""Stands before each word of a command among a chunk's terms; no term that `quire.analysis.terms` makes begins so, and
none holds a blank."""
MOST_WORDS = 5
MOST_LINES = 60
"""Lines of a chunk's code that are read for commands."""
LONGEST_LINE = 400
MOST_ASKED, MOST_COMMANDS = 40, 8
"""Words of a question that are, and commands that it is taken to write: for each the index is searched."""
_FENCED = re.compile(
    r"""
    ^[ \t]*+ (?P<fence>`{3,}+|~{3,}+) [ \t]*+ (?P<info>[^`\n]*+) \n  # its language
    (?P<code>.*?)
    (?: ^[ \t]*+(?P=fence) | \Z )  # or nothing ends it
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
"""A block of any language: where those of others were passed over, what ends one would begin the next."""
_OF_SHELL = re.compile(
    r"""
    (?:\{\.?)? (?:sh|shell|bash|console|zsh|fish|terminal|text|plain|powershell|batch|cmd)\b
    | $  # or of none
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PROMPTED = re.compile(r"^[ \t]*+\$[ ]+(\S[^\n]*)", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`++)([^`\n]*+)\1(?!`)")
_PROGRAM = re.compile(r"[a-z][\w.+-]+")
_ARGUMENT = re.compile(r"-{0,2}[A-Za-z0-9][\w.:/@+-]*")
_PROMPT = "$%> "
"""Signs of a prompt; `#` begins comments."""
_AROUND = "`\"'?.,!;:()"


def command_terms(text: str) -> dict[str, float]:
    """Marked terms of the commands that the text shows in code; they add nothing to its length.

    >>> list(command_terms("Run `git rebase -i <branch>` twice."))
    ['$git$rebase', '$git$rebase$-i']
    """
    if not any(sign in text for sign in ("`", "~~~", "$ ")):
        return {}
    lines = islice(_lines_of_code(text), MOST_LINES)
    return {begun: 1.0 for line in lines for begun in _beginnings(line.strip().lstrip(_PROMPT).split())}


def possible_commands(question: str) -> Iterator[list[str]]:
    """For each word that may name a program, marked terms of what may be its command, shorter ones first.

    >>> list(possible_commands("Why does git push fail"))
    [['$git$push', '$git$push$fail'], ['$push$fail']]
    """
    words = [word.strip(_AROUND) for word in question.split(maxsplit=MOST_ASKED)[:MOST_ASKED]]
    for at in range(len(words)):
        if begun := list(_beginnings(words[at:])):
            yield begun


def asked_commands(question: str, is_known: Callable[[str], object]) -> list[str]:
    """Marked terms of the commands in the question that are known, each as long as it is.

    >>> asked_commands("What happens when I run git rebase -i main?", {"$git$rebase", "$git$rebase$-i"}.__contains__)
    ['$git$rebase$-i']
    """
    known = [[term for term in begun if is_known(term)] for begun in possible_commands(question)]
    return list(dict.fromkeys(terms[-1] for terms in known if terms))[:MOST_COMMANDS]


def _lines_of_code(text: str) -> Iterator[str]:
    for block in _FENCED.finditer(text):
        if _OF_SHELL.match(block["info"]):
            yield from (line[:LONGEST_LINE] for line in block["code"].split("\n"))
    for prompted in _PROMPTED.finditer(text):
        yield prompted[1][:LONGEST_LINE]
    for code in _INLINE.finditer(_FENCED.sub("", text)):
        if " " in code[2]:
            yield code[2][:LONGEST_LINE]


def _beginnings(words: Sequence[str]) -> Iterator[str]:
    """What the words begin with, of two and more, up to what stands for something else; `sudo` is left out."""
    program, *arguments = words[words[:1] == ["sudo"] :] or [""]
    if program in STOP_WORDS or not _PROGRAM.fullmatch(program):
        return
    begun = COMMAND_MARK + program
    for argument in arguments[: MOST_WORDS - 1]:
        name = argument.partition("=")[0] if argument.startswith("-") else argument
        if not _ARGUMENT.fullmatch(name):
            return
        begun = f"{begun}{COMMAND_MARK}{name}".lower()
        yield begun
        if name != argument:
            return

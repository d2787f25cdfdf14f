"""Codes, versions and numbers that a question asks about and that nothing of what it found mentions.

A search for `KV-999` finds the page on `KV-204`, which reads alike, and every word of the question stands there but
the one that matters. So what is found is looked through for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from quire.analysis.terms import STOP_WORDS, split_identifier
from quire.documents import Hit
from quire.search.intent import read_intent

LOOKALIKE = 0.05
"""Probability that an answer is there to what a code means that nothing found mentions."""
READ_CHARACTERS = 1_000
"""Of a question that are read for such names."""
_CODE = re.compile(
    r"""
    (?<![\w./:@#$-]) (?:
        [A-Z]{1,8} [-_]? \d{2,8} [A-Z]?              # KV-999, E0502
      | [A-Z]{2,10} (?: -[A-Z]{1,8} ){1,3} -\d{1,8}
      | [A-Z][A-Z\d]+ (?: _[A-Z\d]+ ){1,10}          # ERR_NO_MATCH
    ) (?! [\w/@] | [.:-]\w | \()
    """,
    re.VERBOSE,
)
LONGEST_WRITTEN = 120
"""Characters of a question whose identifiers are looked for. Of 230 questions with some, to fourteen collections, those
that are missing beside an answer stand in pasted messages or are misspelt; nine others are not answered anywhere."""
_IDENTIFIER = re.compile(
    r"""
    (?<![\w./:@#$-]) (?: [A-Za-z_]\w*+ (?: \.|::?|->|\# ) ){0,4}+
    (?P<last> [a-z]++ [A-Z] \w*+ | [A-Z]\w*?[a-z][A-Z]\w*+ | [a-z]++ _ \w++ ) (?! [\w/@] | [.:-]\w )
    """,
    re.VERBOSE,
)
_NUMBERED = re.compile(
    r"""
    (?<![\w.-]) (?P<name> [A-Za-z][\w+\#-]{1,30} ) [ ] v? (?P<number> \d{1,5} (?: \.\d{1,5} ){0,2} )
    (?= \W*+ $ | [?!,;)] | [.:](?!\d)
      | [ ] (?: is | are | was | were | do | does | did | has | have | had | can | will | mean\w* | say | says | show
          | shows | about | in | of | on | for | and | or | to | from | yet | when | while | but | the | before
          | after ) \b )
    """,
    re.VERBOSE,
)
"""A thing by its number: "Lamp 7.3", "chapter 42"; not how many there are of something."""
_AMOUNTS = STOP_WORDS | frozenset(
    """
    above after around before below between count default equal equals every exactly first greater last least length
    less limit line lines maximum minimum most next number over per plus port return returns set size than through
    timeout times top under until up value wait within
    """.split()
)
"""What stands before a number that is an amount, a place or a value."""
_LABELS = frozenset(
    "appendix chapter code error exercise fig figure lesson release section status table version".split()
)
"""What is always numbered; of other words it is, where what was found numbers them too."""
_VERSIONS, _CODES = frozenset(("release", "version")), frozenset(("code", "error", "status"))
_BEGINS = r"(?:[|`\"'*(\[]\ ?|^[-*#\ ]*)"
"""Where a row, an item, a heading or quotes begin."""
_SPELLED = dict(
    enumerate(
        zip(
            "one two three four five six seven eight nine ten eleven twelve".split(),
            "i ii iii iv v vi vii viii ix x xi xii".split(),
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
            strict=True,
        ),
        1,
    )
)
_ASKED = re.compile(
    r"""
    # behind no more than two words of the question, or not far behind a word for such things
    ^\W*+ (?: what (?: ['’]s | \s (?:is|are|was|were|does|did|do) ) | explain | describe ) \s (?: \w+ \s ){0,2}+ $
    | \b (?: errors? | codes? | status | warnings? | exceptions? | new | chang(?:es|ed) | added | removed | fixed )
      \b (?: (?! \b from \b ) [^?.] ){0,30} $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What stands before a name that is itself what is asked about."""


class Unmentioned(NamedTuple):
    """What nothing found mentions.

    Attributes:
        name: as the question writes it; "" where everything is mentioned.
        is_asked: whether it is what is asked about, and not what something else is asked for.
    """

    name: str = ""
    is_asked: bool = False


NOTHING_MISSING = Unmentioned()


def unmentioned(question: str, hits: Sequence[Hit], product: Sequence[str] = ()) -> Unmentioned:
    """The first code, version or numbered thing of the question that none of the hits mentions.

    `product` are the words of what the collection is about, lower-case: a number behind one is a version of it.
    """
    question = question[:READ_CHARACTERS]
    texts = [f"{hit.chunk.breadcrumb}\n{hit.chunk.text}" for hit in hits]
    written = [(found, _wording(found[0])) for found in _CODE.finditer(question)]
    if len(question) <= LONGEST_WRITTEN:  # and no message that is pasted
        written += [
            (found, "[-_ ]?".join(split_identifier(found["last"])))
            for found in _IDENTIFIER.finditer(question)
        ]
    for found in _NUMBERED.finditer(question):
        name, number = found["name"], found["number"]
        if name.casefold() in product or _is_label(name.casefold(), number, texts):
            written.append((found, _numbering(name, number, product)))
    for found, wording in written:
        first = (found.groupdict().get("number") or "").rpartition(".")[0].partition(".")[0]
        holding = (text for text in texts if first in text)  # of a version; looking for all of it takes long
        if not any(re.search(wording, text, re.IGNORECASE | re.MULTILINE) for text in holding):
            is_asked = _ASKED.search(question[: found.start()]) or found[0] in read_intent(question).meaning
            return Unmentioned(found[0], bool(is_asked))
    return NOTHING_MISSING


def _wording(code: str) -> str:
    r"""What finds the code, whatever joins its letters and digits; of a variable its end alone too, as a prefix may be
    told apart from it.

    >>> _wording("KV-99"), _wording("LAMP_MAX_OIL")
    ('(?<![A-Za-z\\d])(?:KV[-_. ]?99)s?(?![A-Za-z\\d])', '(?<![A-Za-z\\d])(?:LAMP_MAX_OIL|MAX_OIL)s?(?![A-Za-z\\d])')
    """
    parts = code.split("_")
    ends = [code, *("_".join(parts[start:]) for start in range(1, len(parts) - 1))]
    if any(map(str.isdigit, code)):
        ends = ["[-_. ]?".join(re.findall(r"[A-Za-z]+|\d+", end)) for end in ends]
    return rf"(?<![A-Za-z\d])(?:{'|'.join(ends)})s?(?![A-Za-z\d])"


def _is_label(word: str, number: str, texts: Sequence[str]) -> bool:
    """Whether the word before a number says what is numbered: a version has points, and others stand in the texts."""
    if word in _AMOUNTS:
        return False
    if word in _LABELS or "." in number:
        return True
    numbered = re.compile(rf"\b{re.escape(word)}[ -]v?\d", re.IGNORECASE)
    return any(map(numbered.search, texts))


def _numbering(name: str, number: str, product: Sequence[str]) -> str:
    """What finds the number: alone where nothing else is likely to have it, else as its kind is written."""
    first, *parts = number.split(".")
    label = name.casefold()
    if parts and label in _LABELS:
        return rf"(?<![\w.])v?{first}[.-]{re.escape('.'.join(parts))}(?!\d)|{_version([label], first, parts)}"
    if len(number) > 2 and not parts:
        return rf"(?<![\w.,]){number}(?!\w|\.\d)"
    if parts or label in _VERSIONS or label in product:
        return _version([name, *product] if label in _VERSIONS else [name], first, parts)
    if label in _CODES:
        before = r"\b(?:exit\w*|codes?|status\w*|errors?)\b[^\n]{0,80}?(?<![\w.,])|\be(?:rr(?:or)?)?[-_]?"
        return rf"(?:{before}|{_BEGINS}){number}(?!\w|\.\d)"
    return _place(name, int(number))


def _place(name: str, number: int) -> str:
    """What finds one of several: its number, alone or in a list, in digits or words, or that of what is in it."""
    numeral = rf"0*{number}(?:\.\d+)*(?!\w)"
    cardinal, roman, ordinal = _SPELLED.get(number, (numeral,) * 3)
    named = rf"\b(?:{re.escape(name)}[a-z]*+|{re.escape(name[:3])}\w?\.)\W{{0,3}}(?:[a-z]+\W{{1,3}})?"
    listed = r"(?:\d{1,4}(?:[ ]?[,–-][ ]?|[ ](?:and|or|to)[ ])){0,5}"
    before = rf"\b(?:{ordinal}|{number}(?:st|nd|rd|th))[ ]{re.escape(name)}"
    return rf"{named}(?:{listed}{numeral}|(?:{cardinal}|{roman})\b)|{_BEGINS}{numeral}|{before}"


def _version(names: Sequence[str], first: str, parts: Sequence[str]) -> str:
    """What finds a version: also the shorter one that it belongs to, and those that belong to it."""
    shorter = "".join(rf"|{re.escape('.'.join((first, *parts[:size])))}" for size in range(1, len(parts)))
    whole = re.escape(".".join((first, *parts)))
    before = rf"\b(?:{'|'.join(map(re.escape, names))}|versions?|releases?|since|v)[^\n]{{0,60}}?|^\W*|[|`] ?|\b(?=v\d)"
    return rf"(?:{before})(?<![\w.])v?(?:{whole}(?:\.\d+)*{shorter}|{first}\.x)(?!\w|\.\d)"

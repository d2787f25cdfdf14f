"""Text to search terms: the one analyzer that builds and serves share.

Words are lower-cased, freed of stop words and stemmed. Identifiers stay whole and are split as well:
`Humanoid:MoveTo` is found by itself, by `MoveTo`, and by the words `move` and `to`.

To that `git rebase -i` is three ordinary words; as a marked term of its own, by all that it begins with (`git rebase`,
`git rebase -i`), a command is found where a page shows it for a shell.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice

from Stemmer import Stemmer

_JOIN = r"(?:\.|::?|->|\#)"
_TOKEN = re.compile(rf"[^\W\d]\w*+(?:(?:{_JOIN}[^\W\d]\w*+)++|['’]\w++)?|\w++(?:['’]\w++)?")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_CONNECTOR = re.compile(_JOIN)
_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*+")
"""An option of a command, `--dry-run`: a name, however common its words are."""
_WRITTEN = re.compile(f"{_OPTION.pattern}|{_TOKEN.pattern}")
VERSION = re.compile(r"[vV]?(\d++(?:\.\d++)+(?:[A-Za-z]{1,5}\d*+)?)")
"""A version, a decimal number or an address, `5.0.0rc1`: a name, however common its numbers are."""
_UNSPACED = re.compile(r"[\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
"""Chinese characters and Japanese syllables, which are written without blanks between words."""
_DOTTED = rf"[^\W\d]\w*+(?:{_JOIN}[^\W\d]\w*+)++"
_IDENTIFIER = re.compile(
    rf"""
    --\w[\w-]*+                                    # an option of a command
    | {_DOTTED}
    | (?=\w++\Z) (?: \w*[a-z0-9][A-Z] | \w+_\w     # camelCase, snake_case
      | [A-Z]{{2,}}+[a-z] ) \w*+                    # HTTPServer
    """,
    re.VERBOSE,
)
HEADING_MARK = "@"
"""Terms of breadcrumbs and symbols are indexed once more behind this mark, so that a question can weigh them apart."""
ASKED_AGAIN = 64
"""Texts whose words are kept: those of one question are asked for dozens of times."""
LONGEST_TOKEN = 80
LONGEST_KNOWN = 160
"""Longer pieces between blanks hardly come twice, and are not kept."""

_SCHEMES = ("https://", "http://")
_MARKS = ".:#'"  # inside of a token, never at its ends
_INSIDE_TOKENS = f"_{_MARKS}".encode()  # `->` is written `.` before the rest is blanked
_BLANKED = bytes(
    byte if byte > 127 or chr(byte).isalnum() or byte in _INSIDE_TOKENS else ord(" ") for byte in range(256)
)
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are aren't as at be because been before being below between
    both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his
    how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's me more most mustn't my myself no nor
    of off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's should
    shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
    they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're we've were
    weren't what what's when when's where where's which while who who's whom why why's will with won't would wouldn't
    you you'd you'll you're you've your yours yourself yourselves
    """.split()
)
_own = threading.local()
"""A stemmer for each thread: they keep state while they work, and must not be shared."""
COMMAND_MARK = "$"
"""Stands before each word of a command among a chunk's terms; no term that `analyze` makes begins so, and none holds a
blank."""
MOST_COMMAND_WORDS = 5
MOST_COMMAND_LINES = 60
"""Lines of a chunk's code that are read for commands."""
LONGEST_COMMAND_LINE = 400
MOST_ASKED = 40
"""Words of a question that are."""
_FENCED_CODE = re.compile(
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
_INLINE_CODE = re.compile(r"(?<!`)(`++)([^`\n]*+)\1(?!`)")
_PROGRAM = re.compile(r"[a-z][\w.+-]+")
_ARGUMENT = re.compile(r"-{0,2}[A-Za-z0-9][\w.:/@+-]*")
_PROMPT = "$%> "
"""Signs of a prompt; `#` begins comments."""
_AROUND = "`\"'?.,!;:()"


def analyze(text: str) -> list[str]:
    """Search terms of the text, in order, with repeats.

    >>> analyze("How does Humanoid:MoveTo walk to points?")
    ['humanoid.moveto', 'humanoid', 'moveto', 'move', 'walk', 'point']
    >>> analyze("snake_case task.spawn")
    ['snake_cas', 'snake', 'case', 'task.spawn', 'task', 'spawn']

    An option of a command stays whole too.

    >>> analyze("--dry-run")
    ['__dry_run', 'dri', 'run']

    So does a version, with or without its `v`.

    >>> analyze("v5.0.1")
    ['5.0.1', 'v5', '5', '0', '1']

    How an address begins is no word: else each link would be about HTTPS.

    >>> analyze("Serve https://a.test by HTTPS")
    ['serv', 'a.test', 'test', 'https']
    """
    for scheme in _SCHEMES:
        text = text.replace(scheme, "//")
    if "--" in text:
        text = _OPTION.sub(lambda option: option[0].replace("-", "_"), text)
    plain = text.replace("->", ".").encode("utf-8", "surrogatepass").translate(_BLANKED)
    pieces = plain.decode("utf-8", "surrogatepass").split()
    expand = _expand_piece if max(map(len, pieces), default=0) > LONGEST_KNOWN else _expand_known
    return list(chain.from_iterable(map(expand, pieces)))


def forget() -> None:
    """Give back what is known of pieces seen so far, tens of megabytes; a build does when it has read everything."""
    _expand_known.cache_clear()
    stem.cache_clear()


def identifiers(text: str) -> list[str]:
    """The parts of the text that are written as identifiers: dotted, camelCase, snake_case, options; in order.

    >>> identifiers("does Part.Touched fire before task.spawn or RunService with --dry-run?")
    ['Part.Touched', 'task.spawn', 'RunService', '--dry-run']
    """
    return [*_identifiers(text)]


@lru_cache(maxsize=ASKED_AGAIN)
def _identifiers(text: str) -> tuple[str, ...]:
    return tuple(token for token in _WRITTEN.findall(text) if _IDENTIFIER.fullmatch(token))


def words(text: str) -> list[str]:
    """Tokens of the text as written, identifiers in one piece, in order.

    >>> words("Why isn't Part.Touched firing?")
    ['Why', "isn't", 'Part.Touched', 'firing']
    """
    return [*_words(text)]


@lru_cache(maxsize=ASKED_AGAIN)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text))


def split_identifier(name: str) -> list[str]:
    """The words of an identifier, as written.

    >>> split_identifier("HTTPService:GetAsync2"), split_identifier("größeInLitern")
    (['HTTP', 'Service', 'Get', 'Async', '2'], ['größe', 'In', 'Litern'])
    """
    if name.isascii():
        return _PARTS.findall(name)
    # Letters of all alphabets by what they are in ours: capitals, small ones and those that are neither.
    plain = "".join(map(_plain_letter, name))
    return [name[part.start() : part.end()] for part in _PARTS.finditer(plain)]


def _plain_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    return "A" if letter.isupper() else "a" if letter.isalpha() else "1" if letter.isdigit() else "_"


def _expand_piece(piece: str) -> tuple[str, ...]:
    """The terms of what stands between two blanks; most pieces are one token, many with a full stop or colon behind."""
    bare = piece.strip(_MARKS)
    if bare != piece:
        return _expand_known(bare) if bare else ()
    if piece.isalnum() or _TOKEN.fullmatch(piece):
        return _expand(piece)
    version = VERSION.fullmatch(piece)
    whole = (version[1].lower(),) if version else ()
    return (*whole, *chain.from_iterable(map(_expand_known, _TOKEN.findall(piece))))


_expand_known = lru_cache(maxsize=1 << 17)(_expand_piece)


def _expand(token: str) -> tuple[str, ...]:
    token = token.replace("’", "'")
    lower = token.lower() if token.isascii() else unicodedata.normalize("NFKC", token).lower()
    if lower in STOP_WORDS or len(lower) > LONGEST_TOKEN:
        return ()
    if not token.isascii() and _UNSPACED.search(lower):
        return _pairs(lower)
    if "'" in lower:
        return tuple(term for part in lower.split("'") if len(part) > 1 for term in _expand(part))
    parts = (token,) if token.isalnum() else _CONNECTOR.split(token)
    if len(parts) > 1:
        return (".".join(parts).lower(), *chain.from_iterable(map(_expand_known, parts)))
    return (stem(lower), *_subwords(token, lower))


def _pairs(text: str) -> tuple[str, ...]:
    """Overlapping pairs of characters, as Lucene's CJK analyzer makes them; the words of other scripts between stay.

    >>> _pairs("水箱容量"), _pairs("用api吧")
    (('水箱', '箱容', '容量'), ('用', 'api', '吧'))
    """
    terms: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(text):
        terms += _expand_known(text[end : run.start()]) if run.start() > end else ()
        terms += [run[0][at : at + 2] for at in range(max(1, len(run[0]) - 1))]
        end = run.end()
    terms += _expand_known(text[end:]) if end < len(text) else ()
    return tuple(terms)


def _subwords(token: str, lower: str) -> tuple[str, ...]:
    if token.isalpha() and (token.islower() or token.istitle()):
        return ()
    parts = split_identifier(token)
    if len(parts) < 2:
        return () if not parts or parts[0].lower() == lower else (stem(parts[0].lower()),)
    kept = [part.lower() for part in parts if len(part) > 1 or part.isdigit()]
    return tuple([stem(part) for part in kept if part not in STOP_WORDS])


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a lower-case word by the Snowball English stemmer (Porter2): 0.4 µs a word by PyStemmer.

    Source: https://snowballstem.org/algorithms/english/stemmer.html.

    >>> stem("connections"), stem("generously")
    ('connect', 'generous')
    """
    stemmer: Stemmer | None = getattr(_own, "stemmer", None)
    if stemmer is None:
        stemmer = _own.stemmer = Stemmer("english")
        stemmer.maxCacheSize = 0  # the cache above is shared by threads and bounded
    stemmed: str = stemmer.stemWord(word)
    return stemmed


def command_terms(text: str) -> dict[str, float]:
    """Marked terms of the commands that the text shows in code; they add nothing to its length.

    >>> list(command_terms("Run `git rebase -i <branch>` twice."))
    ['$git$rebase', '$git$rebase$-i']
    """
    if not any(sign in text for sign in ("`", "~~~", "$ ")):
        return {}
    lines = islice(_lines_of_code(text), MOST_COMMAND_LINES)
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


def _lines_of_code(text: str) -> Iterator[str]:
    for block in _FENCED_CODE.finditer(text):
        if _OF_SHELL.match(block["info"]):
            yield from (line[:LONGEST_COMMAND_LINE] for line in block["code"].split("\n"))
    for prompted in _PROMPTED.finditer(text):
        yield prompted[1][:LONGEST_COMMAND_LINE]
    for code in _INLINE_CODE.finditer(_FENCED_CODE.sub("", text)):
        if " " in code[2]:
            yield code[2][:LONGEST_COMMAND_LINE]


def _beginnings(words: Sequence[str]) -> Iterator[str]:
    """What the words begin with, of two and more, up to what stands for something else; `sudo` is left out."""
    program, *arguments = words[words[:1] == ["sudo"] :] or [""]
    if program in STOP_WORDS or not _PROGRAM.fullmatch(program):
        return
    begun = COMMAND_MARK + program
    for argument in arguments[: MOST_COMMAND_WORDS - 1]:
        name = argument.partition("=")[0] if argument.startswith("-") else argument
        if not _ARGUMENT.fullmatch(name):
            return
        begun = f"{begun}{COMMAND_MARK}{name}".lower()
        yield begun
        if name != argument:
            return

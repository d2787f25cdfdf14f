"""Other forms of a question's words that names and pages would use: who does it, how it is shortened and spelled.

A question says *parsed*, *configuration* and *colours*; code says `Parser`, `config` and `color`. Stems do not join
these: Porter's rules leave `parser` as it is. Forms are rules over all English words and the usual abbreviations of
programmers, so they know nothing of any collection; those that the collection does not hold are not searched for.

Of other languages there are no rules here: to terms, which are stems of English, *Sicherung* and *Sicherungen* are two
words. So forms of a question's words are looked for among those of the sources, by Snowball's stems and how they begin;
what an index holds does not depend on it.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, islice

from Stemmer import Stemmer

from quire.analysis.language import languages_of
from quire.analysis.terms import STOP_WORDS, stem, words

OTHER_FORM = 0.7
"""What a form counts beside the word itself: .5 to 1.0 gain alike on code bases. In prose they gain nothing: nDCG@10 on
SciFact .728 to .727, React Native's documentation as before."""
SHORTENED = 0.5
SHORTEST, LONGEST = 3, 40
_DOUBLED = re.compile(r".*[^aeiou][aeiou][bdgmnprt]")  # log, logger
_ACRONYMS = re.compile(r"(?!https)([b-df-hj-np-tv-xz]{3,5})s")
"""Several of a short name, "PDFs": stems keep an s behind a word without vowels."""
_SPELLINGS = tuple(
    (re.compile(ending), replaced)
    for ending, replaced in (
        (r"our(s|ed|ing|able|ful|al)?$", r"or\1"),
        (r"or(s|ed|ing|able|ful|al)?$", r"our\1"),
        (r"is(e|es|ed|ing|er|ation|ations)$", r"iz\1"),
        (r"iz(e|es|ed|ing|er|ation|ations)$", r"is\1"),
        (r"ys(e|es|ed|ing|er)$", r"yz\1"),
        (r"yz(e|es|ed|ing|er)$", r"ys\1"),
        (r"tre(s?)$", r"ter\1"),
        (r"ter(s?)$", r"tre\1"),
        (r"ogue(s?)$", r"og\1"),
        (r"ence(s?)$", r"ense\1"),
        (r"ense(s?)$", r"ence\1"),
        (r"ll(ed|ing|er)$", r"l\1"),
        (r"l(ed|ing)$", r"ll\1"),
    )
)
"""British and American endings. A form that is no word is in no collection."""
# the word, then how it is shortened
_SHORT = """
address addr / administrator admin / allocate alloc / application app / argument arg / asynchronous async /
attribute attr / authentication auth / authorization auth / average avg / background bg / buffer buf /
button btn / calculate calc / certificate cert / character char / command cmd / concatenate concat /
configuration config conf cfg / connection conn / context ctx / credential cred / cryptography crypto /
database db / declaration decl / decode dec / delete del / dependency dep / description desc /
destination dest dst / difference diff / directory dir / document doc / documentation doc / encode enc /
environment env / error err / evaluate eval / execute exec / expression expr / filesystem fs / foreground fg /
function func fn / generate gen / graphql gql / identifier id / image img / implementation impl / index idx /
information info / initialize init / internationalization i18n / iterator iter / javascript js /
kubernetes k8s / language lang / length len / library lib / localization l10n / manager mgr / markdown md /
maximum max / memory mem / message msg / minimum min / namespace ns / navigation nav / notification notif /
number num / object obj / operation op / package pkg / parameter param / password pwd / permission perm /
pointer ptr / position pos / preference pref / previous prev / process proc / property prop / publish pub /
python py / query qry / random rand / receive recv / reference ref / remove rm / repository repo /
request req / response res resp / separator sep / sequence seq / service svc / source src /
specification spec / statement stmt / statistics stats / string str / subscribe sub / synchronize sync /
synchronization sync / temporary temp tmp / timezone tz / transaction tx / typescript ts / utility util /
value val / variable var / vector vec / version ver / websocket ws
"""

# forms that no ending tells
_IRREGULAR = """
become became / begin began begun / bend bent / bind bound / break broke broken / bring brought / build built /
buy bought / catch caught / choose chose chosen / deal dealt / do did done / draw drew drawn / drive drove driven /
eat ate eaten / fall fell fallen / feed fed / find found / fly flew flown / forget forgot forgotten /
freeze froze frozen / give gave given / go went gone / grow grew grown / hide hid hidden / hold held / keep kept /
know knew known / lead led / leave left / lend lent / lose lost / make made / mean meant / meet met / pay paid /
ride rode ridden / ring rang rung / rise rose risen / run ran / say said / see saw seen / seek sought / sell sold /
send sent / shake shook shaken / shine shone / shoot shot / show showed shown / shrink shrank shrunk / sing sang sung /
sink sank sunk / sleep slept / speak spoke spoken / spend spent / spin spun / stand stood / steal stole stolen /
stick stuck / sting stung / swear swore sworn / sweep swept / swim swam swum / swing swung / take took taken /
teach taught / tear tore torn / tell told / think thought / throw threw thrown / understand understood /
wake woke woken / wear wore worn / win won / withdraw withdrew withdrawn / write wrote written
"""

# counted in words
_COUNTED = """
one 1 / two 2 / three 3 / four 4 / five 5 / six 6 / seven 7 / eight 8 / nine 9 / ten 10 / eleven 11 / twelve 12 /
fifteen 15 / sixteen 16 / twenty 20 / thirty 30 / forty 40 / fifty 50 / sixty 60 / hundred 100 / thousand 1000
"""


@lru_cache(maxsize=1 << 12)
def other_forms(word: str) -> Mapping[str, float]:
    """Terms for other forms of a lower-case word with their weights; the word's own term is none of them.

    >>> dict(other_forms("parsed")), dict(other_forms("configuration"))["config"]
    ({'parser': 0.7, 'parsor': 0.7}, 0.5)
    """
    own = stem(word)
    if not word.isalpha() or not word.isascii() or len(own) < SHORTEST or len(word) > LONGEST:
        return {}
    forms = dict.fromkeys(_shortened().get(own, ()), SHORTENED)
    forms |= dict.fromkeys(map(stem, (*_who_does(own), *_spelled(word))), OTHER_FORM)
    forms.pop(own, None)
    return forms


def forms_of(words: Iterable[str]) -> dict[str, float]:
    """Terms for other forms of the words as written, the same as those of others among them; not of stop words."""
    plain = dict.fromkeys(word.lower() for word in words)
    forms = (other_forms(word).items() for word in plain if word not in STOP_WORDS)
    return dict(chain.from_iterable(forms))


def _who_does(own: str) -> Iterator[str]:
    """Who or what does it: `router`, `iterator`, `logger`."""
    yield own + "er"
    yield own + "or"
    if _DOUBLED.fullmatch(own):
        yield own + own[-1] + "er"


def readings(word: str) -> tuple[str, ...]:
    """The same lower-case word as others write it: spelled in the other English, at length, one of several, in another
    form that no ending tells, or as a figure.

    >>> [*map(readings, ("licence", "config", "pdfs", "lamp", "forgot", "five"))]
    [('license',), ('configuration',), ('pdf',), (), ('forget', 'forgotten'), ('5',)]
    """
    several = _ACRONYMS.fullmatch(word)
    return (*_spelled(word), *_at_length().get(word, ()), *(several.groups() if several else ()))


def _spelled(word: str) -> Iterator[str]:
    return (ending.sub(replaced, word) for ending, replaced in _SPELLINGS if ending.search(word))


@cache
def _shortened() -> Mapping[str, tuple[str, ...]]:
    words = (entry.split() for entry in _SHORT.split("/"))
    return {stem(word): tuple(map(stem, short)) for word, *short in words}


@cache
def _at_length() -> Mapping[str, tuple[str, ...]]:
    forms = [line.split() for line in (*_IRREGULAR.split("/"), *_COUNTED.split("/"))]
    found = {one: tuple(other for other in own if other != one) for own in forms for one in own}
    for word, *short in map(str.split, _SHORT.split("/")):
        found |= {one: (*found.get(one, ()), word) for one in short}
    return found


SHARED = 0.62
"""Letters at their beginning that two forms share, of those of the longer one: *установить*, *установка*. *Sicherheit*
and *Sicherung* share six of ten."""
INFLECTED, FEWEST, TELLING = 4, 3, 5
"""Letters of a word that has forms, those that they share at least, and those where Snowball gives two stems."""
LOOKED_AT, MOST_FORMS, MOST_INFLECTED = 200, 6, 24
_own = threading.local()
"""Stemmers for each thread: they keep state while they work, and must not be shared."""


def inflections(question: str, beginning: Callable[[str], Iterable[str]]) -> dict[str, list[str]]:
    """Of words of a question in another language, as written, the forms that the sources have, likeliest first.

    `beginning` gives the known words that begin with some letters, ascending.
    """
    languages = languages_of(question)
    small = frozenset[str]().union(*(one.small for one in languages))
    found: dict[str, list[str]] = {}
    for written in dict.fromkeys(words(question) if languages else ()):
        word = written.lower()
        if word in small or len(word) < INFLECTED or not word.isalpha():
            continue
        if len(found) == MOST_INFLECTED:
            break
        begins = word[: max(FEWEST, math.ceil(SHARED * len(word)) - 2)]
        known = (other for other in islice(beginning(begins), LOOKED_AT) if other != word)
        likes = [(_likeness(word, other, languages[0].name), other) for other in known]
        if best := sorted((-like, other) for like, other in likes if like):
            found[written] = [other for _, other in best[:MOST_FORMS]]
    return found


def _likeness(word: str, other: str, language: str) -> float:
    """How surely both are forms of one word: 1 and more by their stem, else what they share; 0 where that is little."""
    least = min(len(word), len(other))
    shared = next((n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), least)
    share = shared / max(len(word), len(other))
    if language and _stem_in(language, word) == _stem_in(language, other):
        return 1.0 + share
    return share if share >= SHARED and shared >= TELLING else 0.0


def _stem_in(language: str, word: str) -> str:
    stemmers: dict[str, Stemmer] = _own.__dict__.setdefault("stemmers", {})
    if language not in stemmers:
        stemmers[language] = Stemmer(language)
    stemmed: str = stemmers[language].stemWord(word)
    return stemmed

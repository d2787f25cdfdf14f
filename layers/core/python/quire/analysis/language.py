"""Whether a question is in a language of the sources: by its script, then by small words that each cannot do without.

A guess by letter statistics raises false alarms on technical English ("flex align center"); small words do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple, Protocol

from quire.analysis.terms import STOP_WORDS, analyze, identifiers, words

NOTICE = "Please ask your question in English."
OTHER_NOTICE = "Please ask your question in a language of the sources."
"""The same where the sources have another language, be it beside English."""
_ADVICE = {
    NOTICE: "This index reads English; in another language {} too, the English names and words to look for.",
    OTHER_NOTICE: "In another language {} too, the names and words to look for as the sources have them.",
}

ELSEWHERE = 0.3
"""Share of letters of another script from which on a question is in one."""
SPOKEN = 0.05
SPOKEN_WORDS = 3
SPOKEN_CHUNKS = 3
"""Chunks that hold so many small words of a language each, from which on the sources have it, however much code stands
beside. In 12 English collections of up to 23,952 chunks there is none, of any of twelve languages; where such words are
listed, as here, two."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_QUOTED = re.compile(r"`[^`]*`")
_CODE_MARK = re.compile(r"[(){}<>=/\\]")
_LANGUAGES = tuple(
    frozenset(listed.split())
    for listed in """
    el los las del una unos unas por para con sin sobre qué cómo cuál cuándo dónde como cuando donde porque puedo puede
    cuánto cuánta cuántos cuántas hacer hago tengo quiero necesito está están esto ese esa mi mis su sus al y o pero muy
    más

    le les un une des du de la au aux et ou où est sont dans sur avec sans pour par qui que quoi comment quand pourquoi
    quel quelle quels quelles je tu il elle nous vous ils elles mon ma mes ce cette ces puis peut faire lors chez

    der das dem den des ein eine einen einem einer eines und oder aber nicht ist sind wird werden wie wo wann warum
    wieso welche welcher welches ich du wir ihr sie mein meine meinen kann können muss für mit von vom zum zur bei auf
    aus nach über unter zwischen dass wenn mache machen gibt es im beim sich

    os uma umas uns no na nos nas do da dos das em ao à às com sem isso este esta ele ela eu você meu minha qual quais
    quando onde porquê fazer posso não são tem ter pelo pela foi ser

    il lo gli una uno di della delle dei degli che cosa dove perché posso fare sono è nel nella con senza come quale

    het een de van voor naar met niet hoe wat waar wanneer waarom welke ik jij wij zijn wordt kan maken mijn en of op

    bir ve ile için nasıl nedir neden hangi bu şu mi mı mu mü değil olarak

    jak co gdzie kiedy dlaczego który która jest są nie się w z na do dla czy i oraz mój

    och att det som är inte hur vad var när varför kan jag min med för på av till en ett

    og til ikke hvordan hva hvor når hvorfor jeg er på av med

    yang dan di ke dari untuk dengan bagaimana apa kenapa cara saya ini itu adalah tidak

    hai hain hota hoti hote hua hui kya kyun kyu kyon kaise kaisa kaisi kab kahan kaun konsa konsi kitna kitne kitni
    kar karta karti karte karna karne karein karo karen kaam ka ki ko se mein aur nahi nahin mujhe mera meri mere tum
    aap apna hum yeh ye woh wo iska iski iske uska uski uske isko usko liye raha rahi rahe batao bataye bataen samjhao
    samjhaye chahiye sakta sakti sakte wala wali wale tha thi thay bhi jab jaise lekin magar kuch koi
    """.split("\n\n")
)
"""Small words, a paragraph a language; the last is Urdu and Hindi as they are typed in Latin letters."""
_LISTED = frozenset[str]().union(*_LANGUAGES)
_SHARED = frozenset(
    """
    a an as at be by can come care do en i in is it me no not of on or so to up us was we all den far for from has he
    hand man men mine most must my or our out over per she so some son that the them then they this under war was well
    were will with you your met door pan era ten son sin con sole more fast well of was hat die also bald gut mir wild
    in is he over of on we so mi ma pour sort fin tot van het par mon ton es un la le du im il o y w z e u di ie i
    es os al una des uns do da na no nos dos das em ser per kar ka ki ko se hum tum tha mere ye wo kab aap
    """.split()
)


_SCRIPTS = {
    script: frozenset(listed.split())
    for script, listed in {
        "CYRILLIC": "и в на не с для по как это что из или к о у і й та що за від",
        "GREEK": "και το να της του η με για την από είναι στο",
        "ARABIC": "من في على و إلى أن هذا مع عن که را از به در این با است",
        "HEBREW": "של את על לא זה עם או אם הוא כל",
        "CJK": "一个 可以 使用 我们 如果 没有 这个 不是 需要 时候 一個 我們 沒有 這個 時候",
        "HIRAGANA": "です ます する して から この には では こと ない",
        "HANGUL": "수 이 및 그 할 때 있는 있습니다 합니다 하는 것 또는",
    }.items()
}
"""Small words of the languages of a script, as `analyze` cuts them; of Chinese, and of Japanese, pairs of letters."""


_NAMES = (
    "spanish french german portuguese italian dutch turkish polish swedish norwegian indonesian hindi".split()
)
"""Of the languages above in their order, and of scripts, the stemmer that Snowball has."""
_SCRIPT_NAMES = {"CYRILLIC": "russian", "GREEK": "greek", "ARABIC": "arabic"}
_ASKING = tuple(
    frozenset(listed.split())
    for listed in """
    cuánto cuántos hay debo debe deben puede pueden se me te le ser tiene tienen hace tiempo la lo de en que es a no
    quién quiénes

    combien faut il on se ne pas plus doit dois peux fais fait être y t quantité l d qu n en que à

    die lang lange viel viele oft hoch groß muss müssen soll sollte sein werden wurde hat habe haben brauche brauchen
    benötige man mich mir uns was wer wohin woher denn so an zu mache macht tun tue

    quanto quanta quantos quantas devo deve pode se me de e o a

    quanto quanta quanti quante devo deve può si mi ho ha di e a la le i qual

    hoeveel lang moet mag mij me zich worden heeft heb hebben er die dat wat is

    kaç nerede nereye zaman gerek

    ile gdzie mogę można muszę mam ma być

    hur många länge måste ska har vara jag

    mange lenge må skal har være jeg

    berapa mana harus bisa

    kaun
    """.split("\n\n")
)
_ASKING_OF_SCRIPTS = {
    "CYRILLIC": frozenset(
        """
        сколько какой какая какое какие каком какую каких где куда откуда когда почему зачем кто чем чего чему можно
        можем могу нужно нужна нужен нужны надо должен должна должно должны быть ли у меня мне мой моя мои я мы вы если
        есть был была было бы так же от до во со об при такое такой делать сделать скільки який яка де коли чому
        """.split()
    ),
    "GREEK": frozenset("πώς πού πότε γιατί πόσο πόση ποιο ποια ποιος μπορώ πρέπει".split()),
    "ARABIC": frozenset("كيف ما ماذا متى أين لماذا كم هل يمكن يمكنني أقوم".split()),
}
"""Words of each that ask or go with what asks, beside the small words that tell it."""


class OtherLanguage(NamedTuple):
    """A language that a question may be in: what Snowball calls it, or "", and its small words, lower-case."""

    name: str
    small: frozenset[str]


@lru_cache(maxsize=64)
def languages_of(question: str) -> tuple[OtherLanguage, ...]:
    """The languages other than English that the question may be in, likeliest first; none where it is in English.

    >>> [one.name for one in languages_of("Wie lange hält die Batterie?")], languages_of("flex align center")
    (['german'], ())
    """
    if not is_foreign(question):
        return ()
    listed = [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", question))]
    latin = [
        OtherLanguage(name, one | asking)
        for name, one, asking in zip(_NAMES, _LANGUAGES, _ASKING, strict=True)
    ]
    told = [len(one.small.intersection(listed)) for one in latin]
    spoken = [one for one, count in zip(latin, told, strict=True) if count and count == max(told)]
    for script in sorted(_scripts(listed) & _SCRIPTS.keys()):
        small = _SCRIPTS[script] | _ASKING_OF_SCRIPTS.get(script, frozenset())
        spoken.append(OtherLanguage(_SCRIPT_NAMES.get(script, ""), small))
    return tuple(spoken)


BLOCK, LAST_ALPHABET = 0x100, 0x20
"""Letters of an alphabet have numbers of one block of Unicode; signs of syllables and words lie behind."""


@lru_cache(maxsize=64)
def small_terms(question: str) -> frozenset[str]:
    """Search terms of those of its words that only ask; none where it is in English.

    >>> sorted(small_terms("Wie lange hält die Batterie?"))
    ['die', 'lang', 'wie']
    """
    small = frozenset[str]().union(*(one.small for one in languages_of(question)))
    return frozenset(term for word in words(question) if word.lower() in small for term in analyze(word))


def is_ending(term: str) -> bool:
    """Whether a pair of letters may hold an ending or a particle of Japanese, as one of its syllables does.

    >>> is_ending("する"), is_ending("復元"), is_ending("go")
    (True, False, False)
    """
    return len(term) == 2 and any("\u3040" <= letter <= "\u309f" for letter in term)


def capitals_are_names(question: str) -> bool:
    """Whether a word in capitals inside of a sentence is a name, as in all languages but German."""
    return not any(one.name == "german" for one in languages_of(question))


class Alphabet(Protocol):
    """The words of the sources, in the order of their letters."""

    def share_between(self, first: str, behind: str) -> float:
        """Share of the words from `first` on to the one before `behind`."""


class WordLists(Protocol):
    """Which chunks have a term, for each term."""

    def together(self, terms: Collection[str], least: int) -> int:
        """Chunks that have at least so many of the terms."""


class SourceWords(Protocol):
    """What is known of the words of the sources: an open index is one."""

    @property
    def chunk_count(self) -> int:
        """Chunks of the sources."""

    def document_frequency(self, term: str) -> int:
        """Chunks that have the term."""

    @property
    def keywords(self) -> WordLists:
        """The chunks of each term."""

    @property
    def words(self) -> Alphabet:
        """The words themselves."""


def _unaccented(listed: Iterable[str]) -> frozenset[str]:
    """The words as they are typed without accents, where that is no word of English or a short one of code."""
    pairs = ((word, unicodedata.normalize("NFD", word.translate(_WHOLE))) for word in listed)
    plain = {
        "".join(letter for letter in letters if not unicodedata.combining(letter))
        for word, letters in pairs
        if word != letters
    }
    return frozenset(word for word in plain if len(word) > MOST_OF_CODE and word not in _ENGLISH_BESIDE)


_WHOLE = str.maketrans("ıøł", "iol")
"""Letters that Unicode does not take apart."""
MOST_OF_CODE = 2
"""Letters of what may be an abbreviation as well: `ar`, `pa`."""
_ENGLISH_BESIDE = frozenset("for fur nar till uber mas are var gar kan".split())
_FOREIGN = _LISTED | _unaccented(_LISTED)
_TELLING = _FOREIGN - _SHARED - STOP_WORDS
_TOLD = tuple((one | _unaccented(one)) - _SHARED - STOP_WORDS for one in _LANGUAGES)
_WEAK = _FOREIGN & _SHARED - STOP_WORDS


def notices(question: str, terms: str, sources: SourceWords) -> tuple[str, ...]:
    """What is said of a question in a language that the sources do not have, and that nobody put into theirs."""
    if terms or not is_unread(question, sources):
        return ()
    often = _often(sources)
    if any(_is_spoken(words, sources, often) for words in (*_TOLD, *_SCRIPTS.values())):
        return (OTHER_NOTICE,)
    return (NOTICE,)


def advice(told: Iterable[str], how: str) -> tuple[str, ...]:
    """What a caller who may name words of the sources can do where the notices ask for another language.

    `how` says with what, as the caller knows it: "send `terms`", "give `--terms`".
    """
    return tuple(_ADVICE[one].format(how) for one in told if one in _ADVICE)


def is_unread(question: str, sources: SourceWords) -> bool:
    """Whether the question is in another language than English, and the sources are not.

    Sources have a language where three of its small words stand in a twentieth of the chunks each (`var` alone is
    JavaScript), or three of them together in three chunks: a few pages beside much code. Of another script they have a
    question where they have half of its words, or its script's small words, or a twentieth of their words is in it.
    """
    if not is_foreign(question) or not is_foreign(_without_own(question, sources)):
        return False
    listed = [
        word.lower().replace("’", "'") for word in _WORD.findall(unicodedata.normalize("NFC", question))
    ]
    often = _often(sources)
    if _letters_elsewhere(listed) > ELSEWHERE:
        asked = set(chain.from_iterable(map(analyze, listed)))
        if 2 * sum(sources.document_frequency(term) > 0 for term in asked) >= max(1, len(asked)):
            return False
        if any(sources.words.share_between(*letters) >= SPOKEN for letters in _alphabets(listed)):
            return False
        told = [_SCRIPTS[script] for script in _scripts(listed) & _SCRIPTS.keys()]
    else:
        told = [telling for telling in _TOLD if not telling.isdisjoint(listed)]
    return not any(_is_spoken(telling, sources, often) for telling in told)


def _without_own(question: str, sources: SourceWords) -> str:
    """The question without small words that the sources have all over: `jest` is a product and a word of Polish."""
    often = _often(sources)
    own = {
        word
        for word in words(question)
        if _foreignness(word.lower())
        and any(sources.document_frequency(one) >= often for one in analyze(word))
    }
    return " ".join(word for word in question.split() if own.isdisjoint(words(word)))


def _scripts(listed: Iterable[str]) -> set[str]:
    """The scripts of the words' letters by Unicode's names, such as `CYRILLIC`; Japanese is told by its kana."""
    names = {unicodedata.name(letter, "").partition(" ")[0] for word in listed for letter in word}
    return {"HIRAGANA"} if names & {"HIRAGANA", "KATAKANA"} else names


def _alphabets(listed: Iterable[str]) -> set[tuple[str, str]]:
    """The first letter of each alphabet that words are written in, and the one behind it; Latin is none.

    >>> [[*map(ord, one)] for one in _alphabets(["Лампа", "lamp"])]
    [[1024, 1280]]
    """
    blocks = {ord(letter) // BLOCK for word in listed for letter in word if not _is_latin(letter)}
    return {(chr(one * BLOCK), chr((one + 1) * BLOCK)) for one in blocks if one < LAST_ALPHABET}


def _often(sources: SourceWords) -> float:
    """Chunks that a small word of their language stands in."""
    return max(1.0, SPOKEN * sources.chunk_count)


def _is_spoken(telling: frozenset[str], sources: SourceWords, often: float) -> bool:
    terms = {term for word in telling for term in analyze(word)}
    if sum(sources.document_frequency(term) >= often for term in terms) >= SPOKEN_WORDS:
        return True
    return sources.keywords.together(_unlike_code(telling), SPOKEN_WORDS) >= SPOKEN_CHUNKS


@cache
def _unlike_code(telling: frozenset[str]) -> frozenset[str]:
    """Search terms of the words but those that code has too: abbreviations, and `int`, the stem of Swedish `inte`."""
    return frozenset(
        term
        for word in telling
        for term in analyze(word)
        if not word.isascii() or (term == word and len(word) > MOST_OF_CODE)
    )


@lru_cache(maxsize=64)
def is_foreign(question: str) -> bool:
    """Whether the question is written in another language than English.

    Code and identifiers are left out first. With fewer than two words left it does not judge, unless they are in
    another script.

    >>> is_foreign("¿Dónde guardo los datos?"), is_foreign("flex align center"), is_foreign("как это работает")
    (True, False, True)
    """
    text = _without_code(unicodedata.normalize("NFC", question))
    listed = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    if _letters_elsewhere(listed) > ELSEWHERE:
        return True
    latin = [word for word in listed if _is_latin(word)]
    if len(latin) < 2:
        return False
    english = sum(word in STOP_WORDS or word in _ENGLISH for word in latin if word not in _TELLING)
    foreign = sum(map(_foreignness, latin))
    return foreign >= 1.0 and foreign > english


_ENGLISH = frozenset(
    "use using make get set add show list find want need work works working please help".split()
)


def _without_code(text: str) -> str:
    """The text without identifiers, options, what stands in back quotes, and pieces that hold code's marks."""
    names = set(identifiers(text))
    text = _QUOTED.sub("`", text)
    text = " ".join(
        piece for piece in text.split() if not (_CODE_MARK.search(piece) or piece.startswith("-"))
    )
    return " ".join(word for word in words(text) if word not in names)


def _foreignness(word: str) -> float:
    if word in _TELLING:
        return 1.0
    if not word.isascii() or ("'" in word and word.partition("'")[0] in _ELIDED):
        return 0.6
    return 0.5 if word in _WEAK else 0.0


_ELIDED = frozenset("l d j n s c m t qu dell nell all un".split())


def _letters_elsewhere(listed: list[str]) -> float:
    """Share of the letters that are of no Latin script; an ideograph counts as four letters."""
    elsewhere = total = 0
    for word in listed:
        for letter in word:
            weight = 4 if "\u3040" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7a3" else 1
            total += weight
            elsewhere += 0 if _is_latin(letter) else weight
    return elsewhere / total if total else 0.0


def _is_latin(text: str) -> bool:
    return all(letter <= "\u024f" or "\u1e00" <= letter <= "\u1eff" or letter in "'’" for letter in text)

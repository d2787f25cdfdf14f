"""Whether a question is in English: by its script, then by the small words that each language cannot do without.

A guess by letter statistics raises false alarms on technical English ("flex align center"); small words do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from quire.analysis.terms import STOP_WORDS, identifiers, words

NOTICE = "Please ask your question in English."
READS = (
    "This index reads English; in another language send `terms` too, the English names and words to look for."
)

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_QUOTED = re.compile(r"`[^`]*`")
_CODE_MARK = re.compile(r"[(){}<>=/\\]")
_LISTED = frozenset(
    """
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
    """.split()
)
"""The last four lines are Urdu and Hindi as they are typed in Latin letters."""
_SHARED = frozenset(
    """
    a an as at be by can come care do en i in is it me no not of on or so to up us was we all den far for from has he
    hand man men mine most must my or our out over per she so some son that the them then they this under war was well
    were will with you your met door pan era ten son sin con sole more fast well of was hat die also bald gut mir wild
    in is he over of on we so mi ma pour sort fin tot van het par mon ton es un la le du im il o y w z e u di ie i
    es os al una des uns do da na no nos dos das em ser per kar ka ki ko se hum tum tha mere ye wo kab aap
    """.split()
)


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
_WEAK = _FOREIGN & _SHARED - STOP_WORDS


def notices(question: str, terms: str) -> tuple[str, ...]:
    """What is said of a question in another language that nobody put into English.

    >>> notices("¿Dónde guardo los datos?", "")[0], notices("¿Dónde guardo los datos?", "save data")
    ('Please ask your question in English.', ())
    """
    return (NOTICE, READS) if not terms and is_foreign(question) else ()


def is_foreign(question: str) -> bool:
    """Whether the question is written in another language than English.

    Code and identifiers are left out first. With fewer than two words left it does not judge, unless they are in
    another script.

    >>> is_foreign("¿Dónde guardo los datos?"), is_foreign("flex align center"), is_foreign("как это работает")
    (True, False, True)
    """
    text = _without_code(unicodedata.normalize("NFC", question))
    listed = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    if _letters_elsewhere(listed) > 0.3:
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
    """The text without identifiers, without what stands in back quotes, and without pieces that hold code's marks."""
    names = set(identifiers(text))
    text = _QUOTED.sub("`", text)
    text = " ".join(piece for piece in text.split() if not _CODE_MARK.search(piece))
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

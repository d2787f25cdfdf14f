"""What people ask of the answer that they were just given: shorter, which source, more, an example, why, its tests.

Like small talk it is told by its whole wording, from closed forms: such words say nothing of a topic, and looked up
they find passages about summaries, examples and Python.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

SHORTER, SOURCE, MORE, EXAMPLE, REASON = "shorter", "source", "more", "example", "reason"
"""Asked of the same passages as the answer, see `OF_THE_SAME`."""
OF_THE_SAME = frozenset((SHORTER, SOURCE, MORE, EXAMPLE, REASON))
PLACE, USES, TESTS, ORDINAL, ALSO, UNDO = "place", "uses", "tests", "ordinal", "also", "undo"
"""Another question, about something that was named before."""
LONGEST = 120
"""Characters of such a message."""
LAST = -1
MARKS = " ,.!?:;…"


class AboutAnswer(NamedTuple):
    """What a message asks of the answer before it.

    Attributes:
        kind: one of those above.
        number: of a source, or of one of several, from 1; `LAST` for the last, 0 where none is named.
        subject: what it names itself: a programming language, or what else may be so too.
    """

    kind: str
    number: int = 0
    subject: str = ""


_OPENING = re.compile(
    r"""
    (?:
      (?: and | but | so | ok(?:ay)? | hmm+ | well | now | also | please | pls | just | sorry ) \b [ ,.!:]*+
      # asking for it
      | (?: can | could | would | will ) [ ] (?: you | u ) [ ] (?: (?: please | also | just ) [ ] )*+
      | i [ ] (?: need | want ) [ ] (?: to [ ] see [ ] )?+
      | i (?: ['’]d | [ ]would ) [ ] like [ ] (?: to [ ] see [ ] )?+
    )++
    """,
    re.VERBOSE,
)
_CLOSING = (
    " please",
    ",please",
    " pls",
    " again",
    " now",
    " then",
    " for me",
    " to me",
    " exactly",
    " thanks",
)
_THAT = "(?: that | this | it )"
_IT = r"""
    (?: that | this | it | all[ ]that | everything
      | (?: the | your )[ ] (?: last[ ] )?+ (?: answer | reply | response | text | passage ) )
"""
_FORM = r"""
    (?: (?: more[ ] )? (?: simply | briefly | shortly | clearly | concisely ) | step[ ]by[ ]step
      | (?: (?: even | much | a[ ]bit )[ ] )? (?: simpler | shorter )
      | (?: like | as[ ]if )[ ] i (?: ['’]m | [ ]am | [ ]was | [ ]were )[ ] (?: five | 5 | a[ ]child | a[ ]beginner )
      # in one sentence, in simple words, in German
      | (?: in | to | into | with | using )[ ] (?: just[ ] | only[ ] )?
        (?: an? | one | two | three | a[ ]few | a[ ]single | fewer | other | simpler? | plain | your[ ]own | my
          | layman['’]?s? | short | eas(?:y|ier) | german | french | spanish | english | chinese | italian | portuguese
          | japanese | russian )
        (?: [ ] (?: simple | short | single ) )?
        (?: [ ] (?: words? | terms? | sentences? | lines? | paragraphs? | bullets? | (?:bullet[ ])?points ) )? )
"""
_NUMBERS = {
    word: number
    for number, listed in enumerate(
        ("first former 1st", "second latter other 2nd", "third 3rd", "fourth 4th", "fifth 5th"), 1
    )
    for word in listed.split()
} | {"last": LAST}
_LANGUAGE = r"""
    python | javascript | jsx? | typescript | tsx? | java | kotlin | swift | go | golang | rust | ruby | php | c | c\+\+
    | cpp | c\# | csharp | luau? | bash | shell | sh | powershell | sql | yaml | json | toml | xml | html | css | scala
    | perl | r | julia | elixir | haskell | dart | terraform | hcl
"""
_SOURCE = "(?: source | reference | citation | footnote )"
_MEANS = "(?: [ ] (?: mean | say | stand[ ]for | refer[ ]to ) )?"
_FORMS = {
    SHORTER: rf"""
      # to do something with it
      (?: summari[sz]e | sum | shorten | condense | recap | paraphrase | rephrase | reword | simplify | explain
        | translate | rewrite | describe | say | put | write | repeat | break[ ]down )
        (?: [ ]up )? (?: [ ]{_IT} (?: [ ]up | [ ]down )? | [ ]the[ ]code )? (?: [ ]{_FORM} )*
      # to give something that is it in short
      | (?: (?: give | show | write | make )[ ] (?: me[ ] )? )? (?: (?: the | an? )[ ] )?
        (?: summary | tl;?[ ]?dr | gist | overview
          | (?: short(?:er)? | simpler )[ ] (?: version | answer | summary | form | one | explanation ) )
        (?: [ ] (?: of | for )[ ]{_IT} )?
      | (?: give | show | write | make )[ ] (?: me[ ] )? (?: (?: an? | the )[ ] )?
        (?: (?: step[- ]by[- ]step | numbered | bulleted | short | quick | simple )[ ] )?
        (?: list | steps | instructions | guide | table | overview | walkthrough | explanation )
      | (?: (?: give[ ]me | make )[ ]{_IT}[ ] | {_IT}[ ] )? {_FORM}
      | what (?: ['’]s | [ ]is )[ ]the[ ] (?: gist | summary | short[ ]version )
      | (?: please[ ] )? be[ ] (?: brief | concise | shorter ) | keep[ ]{_IT}[ ] (?: short | brief | simple )
      | in[ ]a[ ]nutshell | (?: just[ ] )? (?: one | a[ ]single | two )[ ] (?: sentences? | lines? | words )
      # that it was not understood
      | (?: that (?: ['’]s | [ ]is | [ ]was )[ ] )? too[ ] (?: long | complicated | much ) | in[ ]short | eli5
      | i[ ] (?: do | did )(?: n['’]?t | [ ]not )[ ] (?: understand | get ) (?: [ ]{_IT} )?
      | what[ ] (?: does | did )[ ]{_THAT}[ ]mean
      | what[ ] (?: do | did )[ ]you[ ]mean (?: [ ] (?: by | with )[ ]{_THAT} )?
      | huh | what | pardon | (?: come | say )[ ]again
    """,
    SOURCE: rf"""
      # of a number
      (?: what[ ] (?: do | did )[ ]you[ ]mean[ ] (?: by | with ) | what[ ] (?: is | was | about | does ) | what['’]s
        | how[ ]about | show (?: [ ]me )? | open | explain | quote | expand )
        [ ] (?: the[ ] )? (?: (?: {_SOURCE}[ ] )? \[(?P<n1>\d{{1,3}})\] | {_SOURCE}[ ]\#?(?P<n2>\d{{1,3}}) ) {_MEANS}
        (?: [ ]about[ ]{_IT} )?
      | (?: {_SOURCE}[ ] )? \[(?P<n3>\d{{1,3}})\] | {_SOURCE}[ ] (?: number[ ] )? (?P<n4>\d{{1,3}})
      # whether it is so
      | are[ ]you[ ] (?: really[ ] | absolutely[ ] )? (?: sure | certain ) (?: [ ] (?: about | of )[ ]{_IT} )?
      | really | is[ ]{_IT}[ ] (?: really[ ] )? (?: true | right | correct | so )
      | who[ ]says[ ] (?: {_THAT} | so ) | says[ ]who | how[ ]do[ ]you[ ]know (?: [ ]{_IT} )? | prove[ ]it
      # where it stands
      | where[ ] (?: does | do | did )[ ] (?: it | they | he | you | the[ ]\w+ )[ ]say[ ] (?: {_THAT} | so )
      | where[ ] (?: is | was | are )[ ]{_THAT}[ ]
        (?: documented | written | said | from | stated | described | mentioned | explained )
      | where[ ] (?: did[ ]you[ ] (?: get | find | read ) | do[ ]you[ ] (?: have | get ) )[ ]{_IT} (?: [ ]from )?
      | where[ ] (?: can[ ]i[ ]find | is )[ ]{_IT}
        (?: [ ]in[ ]the[ ] (?: docs | documentation | book | manual | sources? ) )?
      | (?: on[ ] )? (?: which | what )[ ] (?: page | line | section | chapter | document )
        (?: [ ] (?: is | was )[ ]{_THAT} (?: [ ] (?: on | in | from ) )? )?
      | cite[ ]{_IT}
      | (?: (?: give | show | send )[ ] (?: me[ ] )? | what (?: ['’]s | [ ]is )[ ]
          | (?: is[ ]there | do[ ]you[ ]have )[ ] )?
        (?: a[ ] | the[ ] )? (?: link | url ) (?: [ ] (?: to | for | of )[ ]{_IT} )?
      | where[ ]can[ ]i[ ]read[ ] (?: {_IT} | (?: more[ ] )? about[ ]{_IT} | more )
      | (?: (?: what | which | where )[ ] (?: is | are )[ ] | show[ ]me[ ] )? (?: your | the )[ ]sources?
        (?: [ ] (?: for | of )[ ]{_IT} )?
      | sources?
    """,
    MORE: rf"""
      and | continue | go[ ] (?: on | ahead | deeper ) | keep[ ]going | carry[ ]on | elaborate | expand
      | (?: what[ ] | the[ ] )? next (?: [ ]page )?
      | then
      | (?: (?: tell | show | give )[ ]me[ ] )? (?: some[ ] | any[ ] )? more
        (?: [ ] (?: details? | information | info ) )?
        (?: [ ] (?: about | of | on )[ ]{_IT} )?
      | (?: what | anything )[ ]else (?: [ ]i[ ]should[ ]know )? | is[ ]that[ ] (?: all | it | everything )
      | elaborate[ ]on[ ]{_IT}
      | is[ ]there[ ] (?: anything[ ] (?: more | else ) | more )
    """,
    EXAMPLE: rf"""
      (?: (?: give | show | write )[ ] (?: me[ ] )? | do[ ]you[ ]have[ ] | is[ ]there[ ] | what[ ]would[ ]be[ ]
        | can[ ]i[ ] (?: see | have )[ ] | what (?: ['’]s | [ ]is )[ ] | which[ ] )?
        (?: (?: an? | any | another | some | the | one )[ ] )?
        (?: (?P<language1>{_LANGUAGE})[ ] )?
        (?: (?: code | working | full | concrete | simple | short | complete | minimal | real )[ ] )?
        (?: examples? | samples? | snippets? | code | commands? ) (?: [ ] (?: of | for )[ ]{_IT} )?
        (?: [ ]in[ ] (?P<language4>{_LANGUAGE}) )?
      | for[ ]example | e\.g | (?: show | tell )[ ]me[ ]how
      | (?: how | what )[ ] (?: does | would )[ ]{_THAT}[ ]look (?: [ ]like )?
        (?: [ ]in[ ] (?: code | practice | (?P<language2>{_LANGUAGE}) ) )?
      | (?: (?: what | how )[ ]about[ ] | how[ ] (?: do | would | can )[ ]i[ ]do[ ]{_IT}[ ] | (?: show[ ] )? {_IT}[ ] )?
        in[ ] (?: code | (?P<language3>{_LANGUAGE}) )
      | (?: the[ ] | a[ ] )? (?P<language5>{_LANGUAGE})[ ]version
    """,
    REASON: rf"""
      why (?: [ ] (?: not | so | though ) )?
      | why[ ] (?: is | was | are | does | do | did )[ ]{_THAT} (?: [ ] (?: so | the[ ]case | do[ ]that ) )?
      | why[ ] (?: would | should | do | must )[ ] (?: i | we | you | one | anyone )[ ]
        (?: use | want | need | do | choose | prefer )[ ]{_THAT}
      | how[ ] (?: come | so ) | what[ ]for | for[ ]what[ ]reason
      | what (?: ['’]s | [ ]is )[ ]the[ ] (?: reason | point ) (?: [ ] (?: for | of )[ ]{_IT} )?
    """,
    PLACE: rf"""
      where[ ] (?: is | are | was )[ ] (?: {_THAT} | they )[ ] (?: defined | implemented | declared | done )
      | (?: which | what )[ ] (?: function | method | class | file | module | code )[ ]
        (?: is | does | defines | implements )[ ]{_IT}
      | (?: in[ ] )? (?: which | what )[ ] (?: file | module | class ) (?: [ ]is[ ]{_IT} (?: [ ]in )? )?
      | where[ ]does[ ]{_THAT}[ ]live (?: [ ]in[ ]the[ ]code )?
      | (?: show | give )[ ]me[ ] (?: the | its )[ ] (?: implementation | definition | source (?: [ ]code )? )
    """,
    USES: rf"""
      where[ ] (?: is | are | was )[ ] (?: {_THAT} | they )[ ] (?: called | used | invoked | instantiated )
        (?: [ ]from )?
      | (?: who | what )[ ] (?: else[ ] )? (?: calls | uses | invokes )[ ]{_THAT}
      | (?: which | what )[ ] (?: functions? | code )[ ] (?: calls? | uses? )[ ]{_THAT}
      | (?: its[ ] | the[ ] )? callers (?: [ ]of[ ]{_THAT} )?
    """,
    TESTS: rf"""
      (?: (?: what | how )[ ]about[ ] | show[ ]me[ ] | where[ ]are[ ] )?
        (?: its | the | their )[ ] (?: unit[ ] )? tests?
      | (?: where[ ] | how[ ] )? (?: is | are )[ ] (?: {_THAT} | they )[ ]tested
      | (?: is | are )[ ]there[ ] (?: a[ ] | any[ ] )? tests? (?: [ ]for[ ]{_THAT} )?
    """,
    UNDO: r"""
      (?: (?: how[ ] )? (?: do | can | would | should | could )[ ] (?: i | you | we | one ) | how[ ]to )[ ]
        (?: undo | revert )[ ] (?: that | this | it ) (?: [ ]later )?
    """,
    ORDINAL: rf"""
      (?: (?: what | how )[ ]about[ ] | explain[ ] | describe[ ] | show[ ]me[ ] | what[ ] (?: is | does )[ ]
        | tell[ ]me[ ] (?: more[ ] )? about[ ] )?
      (?: the[ ] (?P<nth>{" | ".join(_NUMBERS)})
        | (?: option | number | step | point | item )[ ](?P<n5>\d{{1,2}}) )
      (?: [ ] (?: one | option | step | point | item | way | method | part | thing | kind | choice | reason | case ) )?
      (?: [ ] (?: mean | do ) )?
    """,
    ALSO: r"""
      (?: is | does | do | did | are | would | will | can | has )[ ] (?: that | this | it | the[ ]same )[ ]
        (?: (?: also | too | still | then )[ ] )?
        (?: the[ ]same | true | apply | work | hold | go | valid | possible | so | the[ ]case | be[ ]done )
        (?: [ ] (?: also | too | as[ ]well | true ) )?
        [ ] (?: for | to | with | on | in | of | at | under )[ ] (?P<also>\S.{0,60})
      | (?: the[ ] )? same (?: [ ] (?: is[ ]true | goes | question ) )?
        [ ] (?: for | with | on | in )[ ] (?P<also2>\S.{0,60})
    """,
}


@cache
def _compiled() -> dict[str, re.Pattern[str]]:
    """The forms; compiled for the first question, as 12 ms are not what a build or a search has to wait for."""
    return {kind: re.compile(form, re.VERBOSE) for kind, form in _FORMS.items()}


def about_answer(text: str) -> AboutAnswer | None:
    """What the text asks of the answer before it; None for a question of its own.

    >>> about_answer("Summarise that in one sentence"), about_answer("What did you mean by [2]?")
    (AboutAnswer(kind='shorter', number=0, subject=''), AboutAnswer(kind='source', number=2, subject=''))
    >>> about_answer("and the second one?").number, about_answer("Is that also true for Redis?").subject
    (2, 'Redis')
    >>> about_answer("Summarise the licence") is about_answer("How do I continue a loop?") is None
    True
    """
    bare = bare_request(text)
    if not bare:
        return None
    for kind, form in _compiled().items():
        if found := form.fullmatch(bare):
            told = {name.rstrip("0123456789"): said for name, said in found.groupdict().items() if said}
            number = int(told.get("n", 0)) or _NUMBERS.get(told.get("nth", ""), 0)
            return AboutAnswer(kind, number, _as_written(told.get("language") or told.get("also", ""), text))
    return None


def bare_request(text: str) -> str:
    """The text in lower case without words that only ask for it, such as "can you"; "" where it is too long for a form.

    >>> bare_request("Could you  SHOW it again, please?")
    'show it'
    """
    said = " ".join(text.split()).lower()
    if not said or len(said) > LONGEST:
        return ""
    opened = _OPENING.match(said)
    bare = said[opened.end() if opened else 0 :].rstrip(MARKS) or said.rstrip(MARKS)
    while bare.endswith(_CLOSING):
        bare = bare[: -len(next(filter(bare.endswith, _CLOSING)))].rstrip(MARKS)
    return bare


def _as_written(said: str, text: str) -> str:
    at = text.lower().find(said)
    return text[at : at + len(said)] if at >= 0 else said

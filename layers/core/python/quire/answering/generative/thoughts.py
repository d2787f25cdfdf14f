"""Takes out of a model's text what it thinks aloud, which servers that do not know its template send as text."""

from __future__ import annotations

import re

_OPENING = re.compile(r"\s*+(?:<(?:\w{1,20}+:)?think(?:ing)?>|\[THINK\])", re.IGNORECASE)
_LATE = re.compile(
    r"""
    (?<!`) (?: </(?:\w{1,20}+:)?think(?:ing)?> | \[/THINK\] )  # and no word of a sentence, between blanks
    (?: (?![ ]) | (?<=\S</think>) | (?<=\S</thinking>) | (?<=\S\[/THINK\]) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TAG = re.compile(r"<(?:\w{1,20}+:)?think(?:ing)?>|\[THINK\]|```|~~~", re.IGNORECASE)
"""What tells of an answer that it speaks of such tags: a closing one behind it ends no thought."""
_CLOSING = re.compile(r"(?<!`)(?:</(?:\w{1,20}+:)?think(?:ing)?>|\[/THINK\])", re.IGNORECASE)
_MAY_OPEN = re.compile(r"\s*+(?:<[\w:]{0,30}+|\[\w{0,5}+)?\Z")
_MAY_CLOSE = re.compile(r"(?:<(?:/[\w:]{0,30}+)?|\[(?:/\w{0,5}+)?)\Z")
LONGEST_TAG = 40


class Thoughts:
    """Passes on the pieces of one text without its thoughts, however the text is cut into pieces.

    They stand at its beginning, between `<think>` and `</think>`. Templates of some models open them in the prompt:
    then all before the closing tag was thought.

    >>> thoughts = Thoughts()
    >>> [thoughts.feed(piece) for piece in ("<thi", "nk>It asks", " for 2.</th", "ink>\\nTwo [1].")]
    ['', '', '', 'Two [1].']

    Attributes:
        closed_late: whether the last piece shows that all that was passed on before it was thought.
    """

    def __init__(self) -> None:
        self._held = ""
        self._is_thinking = False
        self._has_begun = False
        self._speaks_of_tags = False
        self.closed_late = False

    def feed(self, piece: str) -> str:
        """What of the text may be read now."""
        self.closed_late = False
        self._held += piece
        if not self._is_thinking and not self._has_begun:
            self._begin()
        return self._think() if self._is_thinking else self._say()

    def finish(self) -> str:
        """The rest, once the model has ended."""
        rest, self._held = "" if self._is_thinking else self._held, ""
        return rest

    def _begin(self) -> None:
        opened = _OPENING.match(self._held)
        self._is_thinking = bool(opened)
        self._has_begun = not opened and not _MAY_OPEN.match(self._held)
        self._held = self._held[opened.end() :] if opened else self._held
        if self._has_begun:
            self._held = self._held.lstrip("\n")

    def _think(self) -> str:
        closed = _CLOSING.search(self._held)
        if not closed:
            self._held = self._held[-LONGEST_TAG:]
            return ""
        self._held, self._is_thinking = self._held[closed.end() :], False
        return self.feed("")

    def _say(self) -> str:
        if not self._has_begun:
            return ""
        closed = None if self._speaks_of_tags else _LATE.search(self._held)
        is_told = closed is not None and _TAG.search(self._held, 0, closed.start())
        self.closed_late = closed is not None and not is_told
        text = self._held[closed.end() :].lstrip() if closed and not is_told else self._held
        may_close = _MAY_CLOSE.search(text, max(len(text) - LONGEST_TAG, 0))
        end = may_close.start() if may_close else len(text)
        self._held = text[end:]
        self._speaks_of_tags = self._speaks_of_tags or bool(_TAG.search(text, 0, end))
        return text[:end]


def without_thoughts(text: str) -> str:
    """The whole text without them.

    >>> without_thoughts("<think>hm</think>\\ntide, ebb"), without_thoughts("So it asks.</think>tide")
    ('tide, ebb', 'tide')
    >>> without_thoughts("<think>I should"), without_thoughts("What `</think>` ends")
    ('', 'What `</think>` ends')
    >>> without_thoughts("Write `<think>` and then </think>."), without_thoughts("It ends at </think> [1].")
    ('Write `<think>` and then </think>.', 'It ends at </think> [1].')
    """
    thoughts = Thoughts()
    return thoughts.feed(text) + thoughts.finish()

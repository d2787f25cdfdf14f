"""What a few words put in place of a part of the question before: another number or platform, or the opposite."""

from __future__ import annotations

import re

_NEW = r"""
    ^\W*+ (?: (?:and|or|but|so|ok(?:ay)?) ,?+ \s+ )?+ (?: (?:what|how) \s+ about \s+ )?+ (?: (?:on|for|in|with) \s+ )?+
"""
_NEW_VERSION = re.compile(rf"{_NEW} (?P<new> \d++(?:\.\d++)++ ) \W*+ $", re.IGNORECASE | re.VERBOSE)
_NEW_NUMBER = re.compile(rf"{_NEW} (?P<new> \d{{2,8}} ) \W*+ $", re.IGNORECASE | re.VERBOSE)
_BEFORE = r"(?<![\w.-])[A-Za-z]{1,30}+"
_VERSION = re.compile(rf"{_BEFORE}[ ]?+(?P<old>\d++(?:\.\d++)++)(?![\w-])")
_NUMBER = re.compile(rf"{_BEFORE}[-_ ]?+(?P<old>\d{{2,8}})(?![\w-]|\.\d)")
_PLATFORM = r"""
    (?: (?:windows|win) (?:[ ]?\d{1,2})?+ | mac(?:[ ]?os(?:[ ]?x)?+)?+ | osx | linux | ubuntu | debian
      | fedora | centos | rhel | alpine | arch | freebsd | android | ios | ipados | wsl | docker
      | kubernetes | raspberry[ ]pi )
"""
_NEW_PLATFORM = re.compile(
    rf"{_NEW} (?: (?:a|an|the|my) \s+ )?+ (?P<new> {_PLATFORM} ) \W*+ $", re.IGNORECASE | re.VERBOSE
)
_ON = r"\b (?:on|for|in|under|with|using) \s+ (?: (?:a|an|the|my) \s+ )?+"
_ON_PLATFORM = re.compile(rf"{_ON} (?P<old> {_PLATFORM} ) \b", re.IGNORECASE | re.VERBOSE)
_REPLACED = ((_NEW_VERSION, _VERSION), (_NEW_NUMBER, _NUMBER), (_NEW_PLATFORM, _ON_PLATFORM))
"""What names another one, and what of the question before it takes the place of."""
_HOW = r"how \s+ (?: (?:do|can|could|should|would) \s+ (?:i|we|you|one) | to )"
_OTHERWISE = re.compile(
    rf"""
    \W*+ (?: (?:and|or|but) ,?+ \s+ )?+ (?: {_HOW} \s+ )?+
    # to another of the kind, or to the same
    (?P<verb>[a-z]{{3,20}}+) \s+ (?: (?P<other>one|some) | it|them|that|this ) \W*+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DONE = re.compile(
    rf"""
    \W*+ (?P<how> {_HOW} ) \s+
    (?P<verb>[a-z]+) \s+ (?P<what> \S.* )  # what is done, and to what
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PAIRS = """
pause resume / add remove / install uninstall / enable disable / start stop / lock unlock / mount unmount /
subscribe unsubscribe / publish unpublish / activate deactivate / attach detach / connect disconnect /
register unregister / pin unpin / grant revoke / mute unmute / link unlink / block unblock / freeze unfreeze /
encrypt decrypt / compress decompress / hide show / open close / join leave
"""
_OPPOSITES = {one: other for pair in _PAIRS.split("/") for one, other in (pair.split(), pair.split()[::-1])}
_VERB = re.compile(rf"\b(?:{'|'.join(_OPPOSITES)})\b", re.IGNORECASE)


def substituted(question: str, before: str) -> str:
    """The question before with what this one puts in its place; "" where it puts nothing there.

    >>> substituted("and 204?", "What is BRV-101?"), substituted("what about macOS?", "Where is the log on Linux?")
    ('What is BRV-204?', 'Where is the log on macOS?')
    >>> substituted("and 204?", "What is a lamp?")
    ''
    """
    for named, replaceable in _REPLACED:
        if new := named.match(question):
            found = [*replaceable.finditer(before)]
            at = found[0].span("old") if len(found) == 1 else None
            return f"{before[: at[0]]}{new['new']}{before[at[1] :]}" if at else ""
    return ""


def done_otherwise(question: str, before: str) -> str:
    """What else is to be done to a thing of the kind, or the opposite to the same; "" where neither is asked for.

    What else is to be done to the same thing is found by both questions together.

    >>> [done_otherwise(one, "How do I lock a lamp?") for one in ("and clean one?", "and unlock it?", "and clean it?")]
    ['How do I clean a lamp?', 'How do I unlock a lamp?', '']
    """
    asked, done = _OTHERWISE.fullmatch(question), _DONE.fullmatch(before)
    if not (asked and done):
        return ""
    verb = asked["verb"].lower()
    is_meant = asked["other"] or verb == _OPPOSITES.get(done["verb"].lower())
    return f"{done['how']} {verb} {done['what']}" if is_meant else ""


def opposed(before: str) -> str:
    """What undoes what the question does; "" where that is not known.

    >>> opposed("How do I pause a lamp?"), opposed("Print a page")
    ('How do I resume a lamp?', '')
    """
    verb = _VERB.search(before)
    return f"{before[: verb.start()]}{_OPPOSITES[verb[0].lower()]}{before[verb.end() :]}" if verb else ""

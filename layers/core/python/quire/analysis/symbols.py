"""How names of symbols are compared: `Humanoid:MoveTo`, `humanoid.moveto` and `Humanoid#MoveTo` are one."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"::|->|[:#]")


def fold_symbol(name: str) -> str:
    """Fold case and the separators of all languages into one form.

    >>> fold_symbol("Humanoid:MoveTo"), fold_symbol("std::vector::push_back"), fold_symbol("Foo#bar()")
    ('humanoid.moveto', 'std.vector.push_back', 'foo.bar')
    """
    return fold_separators(name).casefold()


def fold_separators(name: str) -> str:
    """Fold the separators alone: names alike but for their case stay apart.

    >>> fold_separators("Foo#bar()")
    'Foo.bar'
    """
    return _SEPARATORS.sub(".", name.strip().removesuffix("()")).strip(".")


def last_part(folded: str) -> str:
    """The member's own name in a folded symbol.

    >>> last_part("humanoid.moveto")
    'moveto'
    """
    return folded.rpartition(".")[2]

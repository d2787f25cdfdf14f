"""Documents in, immutable segments out, cited hits back.

import quire

index = quire.open(".quire/store", "quire")
index.search("How is an index published?")
index.ask("How is an index published?").text
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.answering.request import Answer
    from quire.documents import Citation, Hit
    from quire.entry import Index, open  # noqa: A004
    from quire.errors import QuireError

__version__ = "0.1.0"
__all__ = ["Answer", "Citation", "Hit", "Index", "QuireError", "__version__", "open"]

_HOMES = {
    "Answer": "quire.answering.request",
    "Citation": "quire.documents",
    "Hit": "quire.documents",
    "Index": "quire.entry",
    "QuireError": "quire.errors",
    "open": "quire.entry",
}


def __getattr__(name: str) -> Any:
    """Names of the Python entry, imported when they are first used: `import quire` alone loads nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'quire' has no attribute {name!r}; it offers {', '.join(__all__)}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)

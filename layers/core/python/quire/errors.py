"""Every error that Quire raises. Which HTTP status a route answers is `functions.web.problems`' matter.

QuireError
├── InputError  the caller's value is wrong; `field` names it
│   ├── UnknownCollection
│   ├── UnknownVersion
│   ├── UnknownDocument
│   ├── UnknownPassage
│   ├── Superseded  somebody wrote it anew since the request was accepted
│   └── TooLarge
├── AccessDenied  no key, or a wrong one
│   └── ScopeMissing  a right key that may not do this
├── SourceError  a source cannot be read or parsed; `path` names the file
│   └── NoText  a document holds pictures alone
├── ConfigError  a setting or collections.toml is wrong
├── ArtifactError
│   ├── ArtifactCorrupt  bytes differ from the manifest's digest
│   └── ArtifactMismatch  format or model is not what this program reads
├── StoreError
│   ├── StoreUnavailable
│   │   └── DiskFull  this machine's disk has no room for what was to be fetched
│   ├── NotPublished  no index of the collection is published
│   ├── SwapConflict  the pointer moved meanwhile: read it again and retry
│   └── BuildInProgress  another build holds the lock
├── ModelError  an embedding model cannot be exported, opened or run
│   └── ModelOutOfReach  the store cannot give it now, or the disk cannot take it
├── AskerGone  nobody reads what comes
├── Overloaded  there is room for no more of this now
├── PublishRefused  a guard or the gate refused a built version
└── AnswerModelError
    ├── ModelUnavailable  network, overload, deadline
    │   └── ModelTooSlow  the deadline passed
    ├── QuotaExceeded
    ├── ModelRefused  blocked by the provider's filters
    ├── AnswerCut  ended by the provider at its length limit
    └── ModelMisconfigured  bad key, unknown model
"""

from __future__ import annotations

import errno

_HELP = {
    errno.ENOSPC: "make room, or lead QUIRE_STORE and QUIRE_CACHE to another disk",
    errno.EACCES: "lead QUIRE_STORE and QUIRE_CACHE to folders that you may write to, or let this user in",
}
_HELP[errno.EDQUOT] = _HELP[errno.EFBIG] = _HELP[errno.ENOSPC]
_HELP[errno.EPERM] = _HELP[errno.EROFS] = _HELP[errno.EACCES]


def explain(error: OSError) -> str:
    """What the system refused, where, and what helps, in one line.

    >>> explain(PermissionError(13, "Permission denied", "/store"))
    '/store: Permission denied: lead QUIRE_STORE and QUIRE_CACHE to folders that you may write to, or let this user in'
    """
    place = [] if error.filename is None else [str(error.filename)]
    help_ = [_HELP[error.errno]] if error.errno in _HELP else []
    return ": ".join([*place, error.strerror or str(error), *help_])


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def is_full(error: OSError) -> bool:
    """Whether the system had no room for a file."""
    return error.errno in _NO_ROOM


def unavailable(what: str, error: OSError) -> StoreUnavailable:
    """The error of ours that stands for what this machine's disk refused, to be raised `from` it.

    >>> unavailable("segment 4a15", OSError(errno.ENOSPC, "No space left on device"))
    DiskFull('segment 4a15: No space left on device: make room, or lead QUIRE_STORE and QUIRE_CACHE to another disk')
    """
    kind = DiskFull if is_full(error) else StoreUnavailable
    return kind(f"{what}: {explain(error)}")


class QuireError(Exception):
    """Root of the tree; catching it catches every failure that Quire names."""


class InputError(QuireError):
    """The caller's value is wrong. `field` is the wire or option name of the offending value."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class UnknownCollection(InputError):
    """No collection of that name is in the store."""


class UnknownVersion(InputError):
    """The store holds no such version of the collection."""


class UnknownDocument(InputError):
    """The collection or site holds no such document."""


class UnknownPassage(InputError):
    """A version has no passage of that id."""


class Superseded(InputError):
    """Somebody wrote the document anew since the request was accepted, which therefore counts no more."""


class TooLarge(InputError):
    """The body or document is over its bound."""


class AccessDenied(QuireError):
    """No key, or a wrong one."""


class ScopeMissing(AccessDenied):
    """The key is right but may not do this."""


class SourceError(QuireError):
    """A source cannot be read or parsed. `path` names the file, repository or URL."""

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class NoText(SourceError):
    """A document holds pictures alone, such as a drawing or a scan that nobody has recognised."""


class ConfigError(QuireError):
    """A setting or `collections.toml` is wrong."""


class ArtifactError(QuireError):
    """An index artifact cannot be used."""


REBUILT = "building the collection again replaces it"
"""What mends a damaged file of an index."""


class ArtifactCorrupt(ArtifactError):
    """Bytes differ from what the manifest's digests promise."""


class ArtifactMismatch(ArtifactError):
    """The artifact's format or model is not the one that this program reads."""


class StoreError(QuireError):
    """The segment store refused or failed."""


class StoreUnavailable(StoreError):
    """The store cannot be reached now."""


class DiskFull(StoreUnavailable):
    """This machine's disk has no room for what was to be fetched or written."""


class NotPublished(StoreError):
    """A collection that builds fill has no published index yet, or lost its pointer."""


class SwapConflict(StoreError):
    """The pointer moved since it was read: read it again and retry."""


class BuildInProgress(StoreError):
    """Another build holds the collection's lock."""


class ModelError(QuireError):
    """An embedding model cannot be exported, opened or run."""


class AskerGone(QuireError):
    """Whoever asked has gone, so that nobody reads what comes."""


class Overloaded(QuireError):
    """As much of this is under way as there is room for; the same request may pass in a moment."""


class ModelOutOfReach(ModelError):
    """The store cannot give the model now, or this machine's disk cannot take it."""


class PublishRefused(QuireError):
    """A guard or the publish gate refused a built version; the message says why, what was lost, and how to insist."""


class AnswerModelError(QuireError):
    """An answer model failed.

    Attributes:
        provider_status: the HTTP status that the provider answered with; None where it answered none.
    """

    provider_status: int | None = None


class ModelUnavailable(AnswerModelError):
    """Network failure, overload or a deadline; `retry_after_s` is the provider's own word, where it gave one."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelTooSlow(ModelUnavailable):
    """The deadline passed before the answer was whole."""


class QuotaExceeded(AnswerModelError):
    """The provider's quota is used up; `retry_after_s` is its own word, where it gave one."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelRefused(AnswerModelError):
    """The provider's filters blocked the prompt or the answer."""


class AnswerCut(AnswerModelError):
    """The provider ended the answer at its length limit; what came before stands."""


class ModelMisconfigured(AnswerModelError):
    """A bad key or an unknown model."""


TELLABLE = (
    InputError,
    AccessDenied,
    SourceError,
    SwapConflict,
    BuildInProgress,
    PublishRefused,
    QuotaExceeded,
)
"""Errors whose messages the caller may read: they say what to do and name no machine, path or bucket of ours."""

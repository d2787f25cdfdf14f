"""Every error that Quire raises, with the HTTP status a route answers.

QuireError                    500
├── InputError                422  the caller's value is wrong; `field` names it
│   ├── UnknownCollection     404
│   ├── UnknownVersion        404
│   ├── UnknownDocument       404
│   ├── UnknownPassage        404
│   ├── Superseded            409  somebody wrote it anew since the request was accepted
│   └── TooLarge              413
├── AccessDenied              401  no key, or a wrong one
│   └── ScopeMissing          403  a right key that may not do this
├── SourceError               400  a source cannot be read or parsed; `path` names the file
├── ConfigError               500  a setting or collections.toml is wrong
├── ArtifactError             503
│   ├── ArtifactCorrupt       503  bytes differ from the manifest's digest
│   └── ArtifactMismatch      503  format or model is not what this program reads
├── StoreError                503
│   ├── StoreUnavailable      503
│   │   └── DiskFull          503  this machine's disk has no room for what was to be fetched
│   ├── NotPublished          503  no index of the collection is published
│   ├── SwapConflict          409  the pointer moved meanwhile: read it again and retry
│   └── BuildInProgress       409  another build holds the lock
├── ModelError                500  an embedding model cannot be exported, opened or run
│   └── ModelOutOfReach       503  the store cannot give it now, or the disk cannot take it
├── PublishRefused            409  a guard or the gate refused a built version
└── AnswerModelError          502
    ├── ModelUnavailable      503  network, overload, deadline
    ├── QuotaExceeded         429
    ├── ModelRefused          502  blocked by the provider's filters
    ├── AnswerCut             502  ended by the provider at its length limit
    └── ModelMisconfigured    500  bad key, unknown model
"""

from __future__ import annotations

import errno

_HELP = {
    errno.ENOSPC: "make room, or lead QUIRE_STORE and QUIRE_CACHE to another disk",
    errno.EACCES: "lead QUIRE_STORE and QUIRE_CACHE to folders that you may write to",
}
_HELP[errno.EDQUOT] = _HELP[errno.EFBIG] = _HELP[errno.ENOSPC]
_HELP[errno.EPERM] = _HELP[errno.EROFS] = _HELP[errno.EACCES]


def explain(error: OSError) -> str:
    """What the system refused, where, and what helps, in one line.

    >>> explain(PermissionError(13, "Permission denied", "/store"))
    '/store: Permission denied: lead QUIRE_STORE and QUIRE_CACHE to folders that you may write to'
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

    status = 500


class InputError(QuireError):
    """The caller's value is wrong. `field` is the wire or option name of the offending value."""

    status = 422

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class UnknownCollection(InputError):
    """No collection of that name is in the store."""

    status = 404


class UnknownVersion(InputError):
    """The store holds no such version of the collection."""

    status = 404


class UnknownDocument(InputError):
    """The collection or site holds no such document."""

    status = 404


class UnknownPassage(InputError):
    """A version has no passage of that id."""

    status = 404


class Superseded(InputError):
    """Somebody wrote the document anew since the request was accepted, which therefore counts no more."""

    status = 409


class TooLarge(InputError):
    """The body or document is over its bound."""

    status = 413


class AccessDenied(QuireError):
    """No key, or a wrong one."""

    status = 401


class ScopeMissing(AccessDenied):
    """The key is right but may not do this."""

    status = 403


class SourceError(QuireError):
    """A source cannot be read or parsed. `path` names the file, repository or URL."""

    status = 400

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class ConfigError(QuireError):
    """A setting or `collections.toml` is wrong."""


class ArtifactError(QuireError):
    """An index artifact cannot be used."""

    status = 503


class ArtifactCorrupt(ArtifactError):
    """Bytes differ from what the manifest's digests promise."""


class ArtifactMismatch(ArtifactError):
    """The artifact's format or model is not the one that this program reads."""


class StoreError(QuireError):
    """The segment store refused or failed."""

    status = 503


class StoreUnavailable(StoreError):
    """The store cannot be reached now."""


class DiskFull(StoreUnavailable):
    """This machine's disk has no room for what was to be fetched or written."""


class NotPublished(StoreError):
    """A collection that builds fill has no published index yet, or lost its pointer."""


class SwapConflict(StoreError):
    """The pointer moved since it was read: read it again and retry."""

    status = 409


class BuildInProgress(StoreError):
    """Another build holds the collection's lock."""

    status = 409


class ModelError(QuireError):
    """An embedding model cannot be exported, opened or run."""


class Overloaded(QuireError):
    """As much of this is under way as there is room for; the same request may pass in a moment."""

    status = 503


class ModelOutOfReach(ModelError):
    """The store cannot give the model now, or this machine's disk cannot take it."""

    status = 503


class PublishRefused(QuireError):
    """A guard or the publish gate refused a built version; the message says why, what was lost, and how to insist."""

    status = 409


class AnswerModelError(QuireError):
    """An answer model failed."""

    status = 502


class ModelUnavailable(AnswerModelError):
    """Network failure, overload or a deadline; `retry_after_s` is the provider's own word, where it gave one."""

    status = 503

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class QuotaExceeded(AnswerModelError):
    """The provider's quota is used up; `retry_after_s` is its own word, where it gave one."""

    status = 429

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelRefused(AnswerModelError):
    """The provider's filters blocked the prompt or the answer."""


class AnswerCut(AnswerModelError):
    """The provider ended the answer at its length limit; what came before stands."""


class ModelMisconfigured(AnswerModelError):
    """A bad key or an unknown model."""

    status = 500

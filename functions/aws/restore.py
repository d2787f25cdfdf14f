"""What a function does when Lambda starts a copy of it from a snapshot (SnapStart)."""

from __future__ import annotations

from collections.abc import Callable


def after_restore(work: Callable[[], object]) -> None:
    """Have `work` done after each restore, in the order of these calls. Outside Lambda nothing is ever restored."""
    try:
        from snapshot_restore_py import register_after_restore
    except ModuleNotFoundError:  # a part of Lambda's runtime
        return
    register_after_restore(work)

"""Cuts a passage's tokens into the windows that a model can read."""

from __future__ import annotations

from collections.abc import Sequence


def cut_windows(
    prefix: Sequence[int], body: Sequence[int], *, window: int, overlap: int
) -> list[tuple[int, ...]]:
    """Token windows without their special tokens, each beginning with the prefix; at least one.

    `window` counts two special tokens, so that a result has at most `window - 2` ids. The prefix is cut to a third of
    the window. Where the body needs several windows, they are of even size and neighbours share at least `overlap` ids
    (less in a window too small for that), so no window is a mere tail.

    >>> cut_windows([7], [1, 2, 3, 4, 5, 6], window=7, overlap=1)
    [(7, 1, 2, 3, 4), (7, 3, 4, 5, 6)]
    """
    head = tuple(prefix[: window // 3])
    room = window - 2 - len(head)
    if room < 1:
        raise ValueError(
            f"window: wanted room for one token beside {len(head)} of the prefix, found {window}"
        )
    if len(body) <= room:
        return [(*head, *body)]
    shared = min(overlap, room // 2)
    count = -(-(len(body) - shared) // (room - shared))
    size = -(-(len(body) + (count - 1) * shared) // count)
    last = len(body) - size
    starts = [last * number // (count - 1) for number in range(count)]
    return [(*head, *body[start : start + size]) for start in starts]

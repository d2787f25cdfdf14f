from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.documents import Chunk, Hit
from quire.search.reranking import PART_LINES, rerank, split_parts
from tests.support.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder()


def hits(*texts: str) -> tuple[Hit, ...]:
    return tuple(
        Hit(Chunk(str(number), f"{number}.py", text), number, 1 / number, None, "v1")
        for number, text in enumerate(texts, 1)
    )


def test_the_hit_with_the_nearest_part_comes_first() -> None:
    filler = "\n".join(f"line{number} = other{number}" for number in range(12))
    found, missing = rerank(
        EMBEDDER, "rotate the session token", hits(filler, f"{filler}\nrotateSessionToken()")
    )
    assert missing == ()
    assert [hit.chunk.id for hit in found] == ["2", "1"]
    assert [hit.rank for hit in found] == [1, 2]
    assert [hit.score for hit in found] == [1.0, 0.5]


@given(st.lists(st.text(max_size=60), max_size=16), st.text(min_size=1, max_size=20))
def test_a_second_look_loses_nothing_and_repeats_nothing(texts: list[str], question: str) -> None:
    given_hits = hits(*texts)
    found, _ = rerank(EMBEDDER, question, given_hits)
    assert sorted(hit.chunk.id for hit in found) == sorted(hit.chunk.id for hit in given_hits)
    assert [hit.rank for hit in found] == list(range(1, len(texts) + 1))
    assert [hit.score for hit in found] == sorted((hit.score for hit in given_hits), reverse=True)


def test_without_time_or_model_the_first_order_stays_and_says_so() -> None:
    given_hits = hits("b", "a")
    times = iter([0.0, 0.8])
    late = rerank(EMBEDDER, "a", given_hits, budget_s=0.7, clock=lambda: next(times))
    assert late == (given_hits, ("rerank: over 0.7 s: in the order of the first search",))
    found, missing = rerank(None, "a", given_hits)
    assert found == given_hits
    assert "model unavailable" in missing[0]


@given(st.integers(1, 60))
def test_every_line_is_in_a_part(count: int) -> None:
    parts = list(split_parts(Chunk("0", "a.py", "\n".join(f"word{number}" for number in range(count)))))
    assert {word for part in parts for word in part.split()} == {f"word{number}" for number in range(count)}
    assert all(len(part.split()) <= PART_LINES for part in parts)

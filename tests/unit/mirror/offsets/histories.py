"""Histories of a mirrored partition: what was copied when, as a simple list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from hypothesis import strategies as st

from pykafka_ops.mirror.offsets.runs import OffsetRun

Event = tuple[Literal["copy", "skip", "marker", "back"], int]


class History(NamedTuple):
    """``log``: (target, source) of each record in order; ``runs`` as a copier tells them;
    ``position``: the source's offset that is copied next; ``alive``: what the source was seen to
    have below it (what is skipped in the second copy was compacted)."""

    log: list[tuple[int, int]]
    runs: list[OffsetRun]
    position: int
    alive: set[int]


def play(events: list[Event], start: int = 0, target: int = 0) -> History:
    """What events lead to: records copied, left out of the copy, foreign records on the target,
    and a restart that goes back."""
    log: list[tuple[int, int]] = []
    runs: list[OffsetRun] = []
    alive: set[int] = set()
    source = start
    for what, count in events:
        if what == "copy":
            runs.append(OffsetRun(source, target, count))
            log += [(target + n, source + n) for n in range(count)]
            alive.update(range(source, source + count))
            source, target = source + count, target + count
        elif what == "skip":
            alive.difference_update(range(source, source + count))
            source += count
        elif what == "marker":
            target += count
        else:
            source = max(start, source - count)
    return History(log, runs, source, {one for one in alive if one < source})


_EVENTS = st.tuples(st.sampled_from(["copy", "copy", "skip", "marker", "back"]), st.integers(1, 9))
_STEADY = st.tuples(st.sampled_from(["copy", "copy", "skip", "marker"]), st.integers(1, 9))


def _of(event: st.SearchStrategy[tuple[str, int]]) -> st.SearchStrategy[History]:
    played: Callable[..., History] = play
    begin = st.integers(0, 5)
    return st.builds(played, st.lists(event, max_size=25), start=begin, target=begin)


HISTORIES = _of(_EVENTS)
STEADY = _of(_STEADY)
"""Without restarts."""

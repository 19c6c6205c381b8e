"""Whether the preferred replica leads, and why not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

NO_LEADER: Final = "no leader"
ELSEWHERE: Final = "not preferred"
DOWN: Final = "preferred is down"
BEHIND: Final = "preferred is behind"


def preferred_state(leader: int, preferred: int, isr: Sequence[int], live: Collection[int]) -> str:
    """ "" where it leads, else one of the texts above; ``leader`` -1: there is none."""
    if leader < 0:
        return NO_LEADER
    if leader == preferred:
        return ""
    if preferred not in live:
        return DOWN
    return ELSEWHERE if preferred in isr else BEHIND

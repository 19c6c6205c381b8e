"""Who copies which partitions: evenly by measured bytes, and mostly as it was. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pykafka_ops.client.leaders import Partition

UNEVEN: Final = 1.25
"""How many times its fair part a member may have before partitions move."""
MOST_MOVES: Final = 1000


def shared(
    partitions: Sequence[Partition],
    members: Sequence[str],
    owned: Mapping[str, Sequence[Partition]],
    rates: Mapping[Partition, float],
) -> dict[str, list[Partition]]:
    """Each member's partitions. ``owned``: what a member copies now, and keeps where that is fair;
    ``rates`` in bytes a second. Those that are not known count as the mean of the known ones, and
    each counts something for itself, so that idle ones are spread too."""
    known = [rate for p in partitions if (rate := rates.get(p)) is not None]
    mean = sum(known) / len(known) if known else 1.0
    weight = {p: rates.get(p, mean) + max(1.0, mean / 10) for p in partitions}
    given: dict[str, list[Partition]] = {member: [] for member in members}
    free = set(partitions)
    for member in members:
        for p in owned.get(member, ()):
            if p in free:
                free.discard(p)
                given[member].append(p)
    loads = {member: sum(weight[p] for p in mine) for member, mine in given.items()}
    for p in sorted(free, key=lambda p: (-weight[p], p)):
        least = min(members, key=lambda m: (loads[m], m))
        given[least].append(p)
        loads[least] += weight[p]
    _even_out(given, loads, weight)
    return {member: sorted(mine) for member, mine in given.items()}


def _even_out(
    given: dict[str, list[Partition]], loads: dict[str, float], weight: Mapping[Partition, float]
) -> None:
    """Move partitions from whom has most to whom has least, while somebody has too much."""
    fair = sum(loads.values()) / len(loads) if loads else 0.0
    for _ in range(MOST_MOVES):
        most, least = max(loads, key=lambda m: loads[m]), min(loads, key=lambda m: loads[m])
        between = loads[most] - loads[least]
        if loads[most] <= fair * UNEVEN and (given[least] or len(given[most]) < 2):
            return
        fitting = [p for p in given[most] if weight[p] < between]
        if not fitting:
            return
        best = min(fitting, key=lambda p: (abs(between / 2 - weight[p]), p))
        given[most].remove(best)
        given[least].append(best)
        loads[most] -= weight[best]
        loads[least] += weight[best]


def numbered(members: Sequence[str], before: Mapping[str, int]) -> dict[str, int]:
    """A slot for each member: the one it had, else the lowest that is free."""
    slots: dict[str, int] = {}
    for member in members:
        slot = before.get(member, -1)
        if slot >= 0 and slot not in slots.values():
            slots[member] = slot
    for member in members:
        if member not in slots:
            slots[member] = next(n for n in range(len(members) + 1) if n not in slots.values())
    return slots

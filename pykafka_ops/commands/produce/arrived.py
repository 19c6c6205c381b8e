"""Where the records of ``pko produce`` arrived: how many, in which partitions, at which offsets."""

from __future__ import annotations

from pykafka_ops.commands.framework.output import counted

SHOWN = 8
"""Partitions that are named, at most."""


class Arrived:
    """Counts and offsets, by partition."""

    def __init__(self) -> None:
        self.partitions: dict[int, list[int]] = {}
        """First offset, last offset and count; offsets are -1 where acks=0 leaves them unknown."""

    def add(self, partition: int, offset: int | None) -> None:
        """One more record."""
        at = -1 if offset is None else offset
        found = self.partitions.get(partition)
        if found is None:
            self.partitions[partition] = [at, at, 1]
            return
        if at < found[0]:
            found[0] = at
        elif at > found[1]:
            found[1] = at
        found[2] += 1

    def text(self, topic: str) -> str:
        """``3 records: orders-0 at 15..17``; "" where none arrived."""
        if not self.partitions:
            return ""
        total = sum(count for _, _, count in self.partitions.values())
        places = [_place(f"{topic}-{n}", *found) for n, found in sorted(self.partitions.items())]
        more = places[SHOWN:]
        tail = f" and {counted(more, 'more partition')}" if more else ""
        return f"{counted(range(total), 'record')}: {', '.join(places[:SHOWN])}{tail}"


def _place(name: str, first: int, last: int, count: int) -> str:
    """Where others wrote in between, the line says the count, too."""
    if first < 0:
        return name
    if count == 1:
        return f"{name} at {first}"
    between = last - first + 1 != count
    return f"{name} at {first}..{last}{f' ({count} of them)' if between else ''}"

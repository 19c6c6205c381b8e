"""The records of a topic, in order of time: made by chance, the same with every run."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from pykafka_ops.spark.demo.plan import DAY, SEED, TopicPlan

POOL = 400
"""Different values of a topic; what is compressed together repeats as much as real events do."""
KEYS = 20_000
STEEP = 1.15
"""Weight of the n-th key is n to the power of minus this: the first makes a sixth of all."""

Record = tuple[int, int, bytes | None, bytes]
"""Partition, timestamp (ms), key, value."""


@dataclass(slots=True)
class WrittenTimes:
    """The timestamps of each partition's records, in order of offset."""

    partitions: list[list[int]]

    def end(self, partition: int, time: int) -> int:
        """The end offset of a partition at a time."""
        return bisect_right(self.partitions[partition], time)

    @property
    def fullest(self) -> int:
        """The partition with most records."""
        return max(range(len(self.partitions)), key=lambda p: len(self.partitions[p]))


def records(plan: TopicPlan, now: int) -> Iterator[Record]:
    """The topic's records up to ``now``; a day has its busy and its quiet hours."""
    seed = SEED + zlib.crc32(plan.name.encode())
    times = _times(plan, now)
    keys = _keys(plan, np.random.default_rng(seed))
    values = _values(plan, Random(seed))
    spread = Random(seed + 1)
    for i, time in enumerate(times):
        key = None if keys is None else keys[i]
        if plan.keys == "none":
            partition = spread.randrange(plan.partitions)
        elif plan.keys == "turns" or key is None:
            partition = i % plan.partitions
        else:
            partition = zlib.crc32(key) % plan.partitions
        yield partition, time, key, values[i % POOL]


def _times(plan: TopicPlan, now: int) -> list[int]:
    """As many moments as there are records, dense where the day is busy.

    It always gets busier towards ``now``: who lags would seem to recover in quieter hours.
    """
    span = int(plan.days * DAY)
    hours = np.linspace(now - span, now, 2_000)
    busy = 1 + 0.6 * np.sin(2 * np.pi * (hours - now) / DAY)
    total = np.concatenate(([0.0], np.cumsum((busy[1:] + busy[:-1]) / 2)))
    wanted = np.linspace(0, total[-1], plan.records)
    found: list[int] = np.interp(wanted, total, hours).astype(np.int64).tolist()
    return found


def _keys(plan: TopicPlan, chance: np.random.Generator) -> list[bytes] | None:
    if plan.keys == "none":
        return None
    if plan.keys == "turns":
        return [b"%s-%07d" % (plan.name.encode(), i) for i in range(plan.records)]
    weights = np.arange(1, KEYS + 1, dtype=float) ** -STEEP if plan.keys == "zipf" else None
    share = None if weights is None else weights / weights.sum()
    drawn = chance.choice(KEYS, plan.records, p=share)
    return [b"user-%d" % (n + 1) for n in drawn.tolist()]


def _values(plan: TopicPlan, chance: Random) -> Sequence[bytes]:
    """Events as JSON."""
    places = ("berlin", "lisbon", "osaka", "quito", "nairobi", "perth")
    made = []
    for i in range(POOL):
        event = {
            "event": plan.name,
            "version": 3,
            "amount": chance.randrange(100, 99_999) / 100,
            "place": chance.choice(places),
            "session": f"{chance.getrandbits(64):016x}",
            "note": "",
        }
        short = plan.size - len(json.dumps(event))
        noise = f"{chance.getrandbits(4 * max(8, short // 2)):x}"
        event["note"] = (noise + " delivered as ordered" * 9)[: max(0, short)]
        made.append(json.dumps({**event, "n": i}).encode())
    return made

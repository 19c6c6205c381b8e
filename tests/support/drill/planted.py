"""Faults planted in a copy of a topic, drawn by a seed, and what ``pko audit`` must say of each:
the kind, both offsets and the key."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import confluent_kafka as ck

from tests.support.drill.audits import BUCKET_MS
from tests.support.waiting import PATIENCE

APART = 12
"""Records between two faults, so that each is told by itself."""
LOST, DOUBLED, MOVED, ALTERED = "missing", "duplicate", "reordered", "altered"
Told = tuple[str, int | None, int | None, str | None]
"""Kind, offsets in the first and the second tier, key as text."""


class SourceRecord(NamedTuple):
    """A record as it is planted."""

    offset: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]]
    timestamp: int

    @classmethod
    def of(cls, message: ck.Message) -> SourceRecord:
        return cls(
            message.offset(), message.key(), message.value(), message.headers() or [],
            message.timestamp()[1],
        )  # fmt: skip


class PlantedCopy(NamedTuple):
    """The records of the copy, and what is to be told of them."""

    records: Sequence[SourceRecord]
    expected: Counter[Told]


def plant(source: Sequence[SourceRecord], faults: int, chance: random.Random) -> PlantedCopy:
    """A copy with so many faults, fewer where the log is too short. The last records stay as they
    are: what is missing at the end is not lost but not there yet."""
    places = list(range(APART, len(source) - 4 * APART, 2 * APART))
    chosen = sorted(chance.sample(places, min(faults, len(places))))
    kinds = {at: _possible(source, at, chance.choice((LOST, DOUBLED, MOVED, ALTERED)))
             for at in chosen}  # fmt: skip
    copy: list[tuple[SourceRecord, str]] = []
    late: dict[int, tuple[SourceRecord, str]] = {}
    for at, record in enumerate(source):
        kind = kinds.get(at, "")
        if kind == MOVED:
            late[_behind(source, at)] = record, kind
        elif kind == ALTERED:
            copy.append((record._replace(value=(record.value or b"") + b"!"), kind))
        elif kind != LOST:
            copy.append((record, ""))
        if kind == DOUBLED:
            copy.append((record, kind))
        if at in late:
            copy.append(late.pop(at))
    expected = Counter[Told](
        (kind, None if kind == DOUBLED else record.offset, offset, key_shown(record.key))
        for offset, (record, kind) in enumerate(copy)
        if kind
    )
    for at, kind in kinds.items():
        if kind == LOST:
            expected[kind, source[at].offset, None, key_shown(source[at].key)] += 1
    return PlantedCopy([record for record, _ in copy], expected)


def key_shown(key: bytes | None) -> str | None:
    """As ``pko audit`` shows it; the keys here are text."""
    return None if key is None else key.decode()


def _behind(source: Sequence[SourceRecord], at: int) -> int:
    """Behind which record one goes that is moved."""
    bucket = source[at].timestamp // BUCKET_MS
    same = [n for n in range(at + 1, at + APART) if source[n].timestamp // BUCKET_MS == bucket]
    return same[1] if len(same) > 1 else at


def _possible(source: Sequence[SourceRecord], at: int, kind: str) -> str:
    """Only within its bucket a record is in another order; it must pass two, or it could as well
    be the other that was moved."""
    return LOST if kind == MOVED and _behind(source, at) == at else kind


def produce_copy(bootstrap: str, topic: str, partition: int, copy: PlantedCopy) -> None:
    """Into an empty partition, so that the offsets are 0, 1, ..."""
    producer = ck.Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
    for record in copy.records:
        while True:
            try:
                producer.produce(
                    topic, record.value, record.key, partition, timestamp=record.timestamp,
                    headers=list(record.headers),
                )  # fmt: skip
            except BufferError:
                producer.poll(0.5)
            else:
                break
    assert producer.flush(PATIENCE) == 0


def told_by(row: dict[str, object]) -> Counter[Told]:
    """What ``pko audit compare --records`` says of a partition."""
    found = row["different_records"]
    assert isinstance(found, list)
    return Counter((one["what"], one["offset_a"], one["offset_b"], one["key"]) for one in found)

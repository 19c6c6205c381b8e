"""What is in a topic as a consumer of librdkafka with read_committed sees it, and whether two
topics hold the same. It knows nothing of ``pko audit``, which it is to check."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import confluent_kafka as ck

from tests.support.drill.sites import PARTITIONS, QUIET
from tests.support.waiting import wait_for

SHOWN = 5
READ_SECONDS = 600.0


class SeenRecord(NamedTuple):
    """A record; ``digest`` is over key, value, headers and timestamp."""

    offset: int
    id: str
    key: bytes | None
    alive: bool
    timestamp: int
    digest: bytes


def seen(message: ck.Message) -> SeenRecord:
    """A record as it was read."""
    headers, stamp = message.headers() or [], message.timestamp()[1]
    value = message.value()
    content = repr((message.key(), value, headers, stamp)).encode()
    name = headers[0][1].decode()
    digest = hashlib.blake2b(content, digest_size=16).digest()
    return SeenRecord(message.offset(), name, message.key(), value is not None, stamp, digest)


def read_topics(bootstrap: str, topics: Sequence[str]) -> dict[str, list[list[SeenRecord]]]:
    """All that is committed, by topic and partition."""
    consumer = ck.Consumer(
        {
            **QUIET,
            "bootstrap.servers": bootstrap,
            "group.id": "drill",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    places = [(topic, n) for topic in topics for n in range(PARTITIONS)]
    consumer.assign([ck.TopicPartition(*place, ck.OFFSET_BEGINNING) for place in places])
    found: dict[str, list[list[SeenRecord]]] = {
        topic: [[] for _ in range(PARTITIONS)] for topic in topics
    }
    left = set(places)

    def all_read() -> bool:
        for message in consumer.consume(1000, 0.2):
            place = message.topic(), message.partition()
            error = message.error()
            if error is None:
                found[place[0]][place[1]].append(seen(message))
            elif error.code() == ck.KafkaError._PARTITION_EOF:
                left.discard(place)
        return not left

    wait_for(all_read, what="the ends of all topics", about=left, seconds=READ_SECONDS)
    consumer.close()
    return found


def _shown(records: Sequence[SeenRecord]) -> str:
    return ", ".join(f"{r.id} at {r.offset}" for r in records[:SHOWN])


def differences(a: Sequence[SeenRecord], b: Sequence[SeenRecord]) -> list[str]:
    """How the second log is not the first, record by record and in order."""
    if [r.digest for r in a] == [r.digest for r in b]:
        return []
    in_a, in_b = Counter(r.id for r in a), Counter(r.id for r in b)
    told = [
        ("lost", [r for r in a if r.id not in in_b]),
        ("doubled", [r for r in b if in_b[r.id] > in_a[r.id] > 0]),
        ("not of the source", [r for r in b if r.id not in in_a]),
    ]
    lines = [f"{len(some)} {what}: {_shown(some)}" for what, some in told if some]
    for one, two in zip(a, b, strict=False):
        if one.digest != two.digest:
            lines.append(f"from {one.id} at {one.offset} on: {two.id} at {two.offset}")
            break
    return lines or [f"{len(a)} records and {len(b)}"]


def suffix_differences(
    a: Sequence[SeenRecord], b: Sequence[SeenRecord], sent: set[str], *, once: bool = True
) -> list[str]:
    """The first log lost its beginning (DeleteRecords, or the topic was made anew): the second ends
    with all that is left, and has before it records that were sent, each ``once``
    and in order."""
    begin = len(b) - len(a)
    lines = differences(a, b[max(0, begin) :])
    if begin > 0:
        strange = [r for r in b[:begin] if r.id not in sent]
        if strange:
            lines.append(f"{len(strange)} that nobody sent: {_shown(strange)}")
    return lines + (disorder(b) if once else [])


def compacted_differences(
    a: Sequence[SeenRecord], b: Sequence[SeenRecord], *, once: bool = True
) -> list[str]:
    """Each log may have been cleaned of what a later record of the key replaced, and of tombstones:
    the last values are the same, what both have is in the same order, each ``once``."""
    last_a, last_b = _last(a), _last(b)
    keys = sorted(last_a.keys() | last_b.keys(), key=repr)
    digests = [{key: r.digest for key, r in found.items()} for found in (last_a, last_b)]
    wrong = [key for key in keys if digests[0].get(key) != digests[1].get(key)]
    lines = [f"{len(wrong)} keys have another last value"] if wrong else []
    for key in wrong[:SHOWN]:
        values = (_shown([found[key]]) if key in found else "none" for found in (last_a, last_b))
        lines.append(f"{key!r}: {' | '.join(values)}")
    both = {r.id for r in a} & {r.id for r in b}
    lines += differences([r for r in a if r.id in both], [r for r in b if r.id in both])
    return lines + (disorder(b) if once else [])


def _last(records: Sequence[SeenRecord]) -> dict[bytes | None, SeenRecord]:
    """The last value of each key that was not deleted."""
    found = {r.key: r for r in records}
    return {key: r for key, r in found.items() if r.alive}


def disorder(records: Sequence[SeenRecord]) -> list[str]:
    """Records of a writer that are there twice, or not in its order."""
    last: dict[str, int] = {}
    bad = []
    for record in records:
        writer, _, number = record.id.rpartition(".")
        if int(number) <= last.get(writer, 0):
            bad.append(record)
        last[writer] = max(last.get(writer, 0), int(number))
    return [f"{len(bad)} twice or out of order: {_shown(bad)}"] if bad else []

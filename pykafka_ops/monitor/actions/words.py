"""Parameters read: names, partitions, offsets, moments. UsageError with one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pykafka_ops.analysis.moments import moment
from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import TopicDescription, all_topics
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.actions.plan import Params

MOST_PARTITIONS: Final = 100_000
MOST_DIGITS: Final = 18


def needed(params: Params, key: str) -> str:
    """A parameter that must be there."""
    value = params.get(key, "")
    if not value.strip():
        raise UsageError(f"{key} is missing")
    return value


def whole(text: str, what: str, *, signed: bool = False) -> int:
    """A whole number."""
    digits = text.strip().removeprefix("-") if signed else text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
        raise UsageError(f"{what} {text[:40]!r}: write a whole number")
    return int(text)


def time_of(text: str, now: int) -> int:
    """ms since 1970."""
    return moment(text.strip(), now)[0]


def topic_of(cluster: Cluster, name: str) -> TopicDescription:
    """A topic that is there. UsageError, KafkaError."""
    known = {topic.name: topic for topic in all_topics(cluster)}
    if name not in known:
        raise UsageError(f"there is no topic {name[:100]}{did_you_mean(name, known)}")
    return known[name]


def numbers_of(topic: TopicDescription, text: str) -> list[int]:
    """``0,2``: partitions that are there; "": all."""
    there = [p.number for p in topic.partitions]
    if not text.strip():
        return sorted(there)
    found = sorted({whole(word, "partition") for word in text.split(",")})
    for number in found:
        if number not in there:
            raise UsageError(f"{topic.name} has no partition {number}: it has {len(there)}")
    return found


def pairs(text: str) -> dict[str, int]:
    """``orders:0=5,orders:1=7`` or ``0=5,1=7``."""
    words = text.split(",")
    if len(words) > MOST_PARTITIONS:
        raise UsageError(f"more than {MOST_PARTITIONS} offsets")
    found = {}
    for word in words:
        place, equals, offset = word.strip().rpartition("=")
        if not equals or not place:
            raise UsageError(f"offsets {word[:60]!r}: write PARTITION=OFFSET")
        found[place] = whole(offset, "offset")
    return found


def listed(numbers: Sequence[int]) -> str:
    """``0,2``."""
    return ",".join(map(str, numbers))


def named(partition: Partition) -> str:
    """``orders-0``."""
    return f"{partition[0]}-{partition[1]}"

"""What members of a link's group tell each other: Kafka's consumer protocol, so that its tools show
who copies what, with our own part as JSON in the user data. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from pykafka_ops.client.answers import by_topic
from pykafka_ops.client.leaders import Partition
from pykafka_ops.disk.internal import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartitions,
    encode,
    read_assignment,
    read_subscription,
)
from pykafka_ops.disk.schema import RecordStruct
from pykafka_ops.errors import CorruptError

KIND: Final = "consumer"
NAME: Final = "pko-mirror"
"""Of the assignor. Others that join the group have no protocol in common, and are refused."""
MOST_RATES: Final = 1000
"""Partitions whose bytes a member tells; the busiest."""
_VERSION: Final = 1


class MemberSaid(NamedTuple):
    """What a member says when it joins: what it copies, how busy that is (bytes a second), its
    slot (-1: none), and how many slots it knows of."""

    topics: tuple[str, ...] = ()
    owned: tuple[Partition, ...] = ()
    rates: Mapping[Partition, float] = {}
    slot: int = -1
    slots: int = 0


class Share(NamedTuple):
    """What a member gets: partitions of the target, its slot, and how many slots there are."""

    partitions: tuple[Partition, ...] = ()
    slot: int = -1
    slots: int = 0


def subscription_bytes(said: MemberSaid) -> bytes:
    """As JoinGroup has it."""
    busiest = sorted(said.rates.items(), key=lambda one: -one[1])[:MOST_RATES]
    rates = [[topic, n, round(rate)] for (topic, n), rate in busiest]
    return _written(
        ConsumerProtocolSubscription(
            topics=list(said.topics),
            owned_partitions=_topics(said.owned),
            user_data=_json(slot=said.slot, slots=said.slots, rates=rates),
        )
    )


def read_subscription_bytes(data: bytes) -> MemberSaid:
    """What a member said; of bytes that are not ours nothing."""
    try:
        _, found = read_subscription(data)
    except CorruptError:
        return MemberSaid()
    own = _parsed(found.user_data)
    rates: dict[Partition, float] = {}
    for one in own["rates"] if isinstance(own.get("rates"), list) else ():
        match one:
            case [str(topic), int(number), int(rate) | float(rate)]:
                rates[topic, number] = float(rate)
    owned = tuple(_partitions(found.owned_partitions))
    return MemberSaid(
        tuple(found.topics), owned, rates, _small(own, "slot", -1), _small(own, "slots", 0)
    )


def share_bytes(share: Share) -> bytes:
    """As SyncGroup has it."""
    return _written(
        ConsumerProtocolAssignment(
            assigned_partitions=_topics(share.partitions),
            user_data=_json(slot=share.slot, slots=share.slots),
        )
    )


def read_share_bytes(data: bytes) -> Share:
    """What the leader gave; of bytes that are not ours nothing."""
    try:
        _, found = read_assignment(data)
    except CorruptError:
        return Share()
    own = _parsed(found.user_data)
    partitions = tuple(_partitions(found.assigned_partitions))
    return Share(partitions, _small(own, "slot", -1), _small(own, "slots", 0))


def _written(struct: RecordStruct) -> bytes:
    return encode(struct, _VERSION)


def _topics(partitions: Iterable[Partition]) -> list[TopicPartitions]:
    return [TopicPartitions(topic=t, partitions=n) for t, n in by_topic(sorted(partitions)).items()]


def _partitions(topics: Iterable[TopicPartitions]) -> Iterable[Partition]:
    return ((t.topic, n) for t in topics for n in t.partitions)


def _json(**parts: Any) -> bytes:
    return json.dumps(parts, separators=(",", ":")).encode()


def _parsed(data: bytes | None) -> dict[str, Any]:
    try:
        found = json.loads(bytes(data or b"{}"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _small(own: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = own.get(name)
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10_000
    return value if fits and isinstance(value, int) else otherwise

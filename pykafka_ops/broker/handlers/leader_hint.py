"""The present leader of a partition, sent with the error that this broker is not it (KIP-951).

Produce has it from v10, Fetch from v16 on; it spares clients a Metadata request. Counterpart of
``KafkaApis.getCurrentLeader``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from pykafka_ops.broker.handlers.api import Context

N = TypeVar("N")


class Hint(NamedTuple):
    """Leader and epoch of a partition, -1 each if unknown."""

    leader_id: int
    leader_epoch: int


def find(context: Context, topic: str, index: int) -> Hint:
    """What the replica hosted here knows; what the metadata say where there is none."""
    hosted = context.services.replicas.find(topic, index)
    if hosted is not None:
        return Hint(hosted.leader, hosted.leader_epoch)
    image = context.services.image.partition(topic, index)
    return Hint(-1, -1) if image is None else Hint(image.leader, image.leader_epoch)


def endpoints(context: Context, leaders: set[int], make: Callable[..., N]) -> list[N]:
    """Addresses of those leaders that live, on the listener that was asked."""
    return [
        make(node_id=id_, host=endpoint.host, port=endpoint.port, rack=rack)
        for id_, endpoint, rack in context.services.image.nodes(context.listener)
        if id_ in leaders
    ]

"""Which generation of Kafka a cluster is of: Kafka's tools of each have words of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.wire.apis import ApiKey

_FIRST_FETCH_OF_4: Final = 4


def is_kafka_4(cluster: Cluster, name: str = "describeCluster") -> bool:
    """Whether the broker that answered last is of Kafka 4 or newer; those have given up the first
    versions of Fetch (KIP-896).

    One is asked where none has answered yet, under this ``name``; raises what that raises.
    """
    if not cluster.announced:
        cluster.metadata([], name=name)
    return is_of_kafka_4(cluster.announced)


def is_of_kafka_4(announced: Mapping[int, tuple[int, int]]) -> bool:
    """The same of a broker with these first and last versions of each API."""
    first: int = announced.get(ApiKey.FETCH, (0, 0))[0]
    return first >= _FIRST_FETCH_OF_4

"""Leader elections asked of the controller (KIP-183, KIP-460)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pykafka_ops.client.answers import by_topic, error_of, raise_error
from pykafka_ops.client.cluster import CONTROLLER, Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import elect_leaders as el

PREFERRED: Final = 0
UNCLEAN: Final = 1


def elect_leaders(
    cluster: Cluster, kind: int, partitions: Iterable[Partition] | None
) -> dict[Partition, KafkaError | None]:
    """Elect leaders of these partitions, or (None) of all where it is needed.

    Per partition None, or its error: ELECTION_NOT_NEEDED where the leader is right already; of all
    partitions only those where something was to do come back. KafkaError where the controller
    refuses it all, UnsupportedVersionError for UNCLEAN before 2.4.
    """
    request = el.ElectLeadersRequest(
        election_type=kind,
        topic_partitions=None
        if partitions is None
        else [el.TopicPartitions(topic=t, partitions=p) for t, p in by_topic(partitions).items()],
        timeout_ms=int(cluster.config.request_timeout * 1000),
    )
    response = cluster.call(
        request,
        el.ElectLeadersResponse,
        to=CONTROLLER,
        name="electLeaders",
        lowest=0 if kind == PREFERRED else 1,
        again=_elsewhere,
    )
    raise_error(response)
    return {
        (t.topic, p.partition_id): error_of(p)
        for t in response.replica_election_results
        for p in t.partition_result
    }


def _elsewhere(response: el.ElectLeadersResponse) -> bool:
    """Whether the broker that was asked is not the controller any more."""
    codes = {p.error_code for t in response.replica_election_results for p in t.partition_result}
    return ErrorCode.NOT_CONTROLLER in codes | {response.error_code}

"""Who a cluster consists of (DescribeCluster, KIP-700), and forgetting a broker (KIP-543)."""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import ANY, CONTROLLER, Cluster, Node
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.quorum import controller_of
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import describe_cluster as dc
from pykafka_ops.wire.messages import unregister_broker as ub

BROKERS: Final = 1
CONTROLLERS: Final = 2


class ClusterMembers(NamedTuple):
    """``cluster_id`` is None where the brokers are too old to have one, ``controller`` -1: none."""

    cluster_id: str | None
    controller: int
    nodes: list[Node]


def describe_members(cluster: Cluster, *, endpoints: int = BROKERS) -> ClusterMembers:
    """The live nodes by id: of brokers, or (KIP-919) of the controllers that are asked.

    Brokers before 2.8 are asked for Metadata instead. The controller is not known (-1) where the
    quorum does not tell. KafkaError, UnsupportedVersionError.
    """
    request = dc.DescribeClusterRequest(
        include_cluster_authorized_operations=False, endpoint_type=endpoints
    )
    lowest = 0 if endpoints == BROKERS else 1
    try:
        answer = cluster.call(
            request, dc.DescribeClusterResponse, name="describeCluster", lowest=lowest
        )
    except UnsupportedVersionError:
        if endpoints != BROKERS:
            raise
        cluster.metadata([], name="describeCluster")
        nodes = sorted(cluster.nodes.values())
        return ClusterMembers(cluster.cluster_id, cluster.controller, nodes)
    raise_error(answer)
    nodes = sorted(Node(b.broker_id, b.host, b.port, b.rack) for b in answer.brokers)
    controller = answer.controller_id
    if endpoints == BROKERS:  # brokers in KRaft name any of them
        try:
            controller = controller_of(cluster, controller)
        except PkoError:
            controller = -1
    return ClusterMembers(answer.cluster_id or None, controller, nodes)


def go_by_controllers(cluster: Cluster) -> None:
    """Let CONTROLLER be the active one of the controllers that ``bootstrap.servers`` names
    (KIP-919). UnsupportedVersionError, KafkaError, ConnectError."""
    found = describe_members(cluster, endpoints=CONTROLLERS)
    cluster.nodes = {node.id: node for node in found.nodes}
    cluster.controller, cluster.cluster_id = found.controller, found.cluster_id


def fenced_brokers(cluster: Cluster) -> list[int]:
    """The brokers that are registered but fenced (KIP-1073): started, or gone, without a heartbeat
    to the controller. UnsupportedVersionError before 4.0, KafkaError, ConnectError."""
    request = dc.DescribeClusterRequest(include_fenced_brokers=True)
    answer = cluster.call(request, dc.DescribeClusterResponse, name="describeCluster", lowest=2)
    raise_error(answer)
    return sorted(b.broker_id for b in answer.brokers if b.is_fenced)


def unregister_broker(cluster: Cluster, broker: int, *, of_controllers: bool = False) -> None:
    """Forget a broker; UnsupportedVersionError where the cluster is on ZooKeeper, KafkaError."""
    raise_error(
        cluster.call(
            ub.UnregisterBrokerRequest(broker_id=broker),
            ub.UnregisterBrokerResponse,
            to=ANY if of_controllers else CONTROLLER,
            name="unregisterBroker",
            again=lambda r: bool(r.error_code == ErrorCode.NOT_CONTROLLER),
        )
    )

"""DescribeCluster (60): cluster id, controller, brokers (KIP-700)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, STRING


@message(ApiKey.DESCRIBE_CLUSTER)
class DescribeClusterRequest:
    """``endpoint_type`` 1 asks for brokers, 2 for controllers (KIP-919); of brokers, version 2 can
    include those that are fenced (KIP-1073)."""

    include_cluster_authorized_operations: bool = wire(BOOL)
    endpoint_type: int = wire(INT8, "1+", default=1)
    include_fenced_brokers: bool = wire(BOOL, "2+")


@struct
class DescribeClusterBroker:
    """One node and its address."""

    broker_id: int = wire(INT32)
    host: str = wire(STRING)
    port: int = wire(INT32)
    rack: str | None = wire(STRING, nullable="0+", default=None)
    is_fenced: bool = wire(BOOL, "2+")


@message(ApiKey.DESCRIBE_CLUSTER)
class DescribeClusterResponse:
    """The cluster as the broker that was asked sees it."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    endpoint_type: int = wire(INT8, "1+", default=1)
    cluster_id: str = wire(STRING)
    controller_id: int = wire(INT32, default=-1)
    brokers: list[DescribeClusterBroker] = wire([DescribeClusterBroker])
    cluster_authorized_operations: int = wire(INT32, default=-2147483648)

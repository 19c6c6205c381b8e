"""DescribeCluster (60), v0-1: brokers and controller (KIP-700); v1 names the kind of endpoint."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.operations import CLUSTER_OPERATIONS, NOT_ASKED
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

BROKERS = 1
CONTROLLERS = 2


def handle(context: Context, request: DescribeClusterRequest) -> Answer:
    """The live brokers on the listener the client came by."""
    if request.endpoint_type != BROKERS:
        raise _wrong_endpoint(request.endpoint_type, context.version)
    image = context.services.image
    nodes = image.nodes(context.listener)
    known = any(id_ == image.controller_id for id_, _, _ in nodes)
    asked = request.include_cluster_authorized_operations
    return DescribeClusterResponse(
        error_message=None,
        cluster_id=context.services.cluster_id,
        controller_id=image.controller_id if known else -1,
        brokers=[
            DescribeClusterBroker(broker_id=id_, host=endpoint.host, port=endpoint.port, rack=rack)
            for id_, endpoint, rack in nodes
        ],
        cluster_authorized_operations=CLUSTER_OPERATIONS if asked else NOT_ASKED,
    )


def _wrong_endpoint(kind: int, version: int) -> KafkaError:
    code = ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
    text = f"Unsupported endpoint type {kind}"
    if kind == CONTROLLERS:
        code = ErrorCode.MISMATCHED_ENDPOINT_TYPE
        text = (
            "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of"
            " type CONTROLLER"
        )
    return KafkaError(code if version > 0 else ErrorCode.INVALID_REQUEST, text)

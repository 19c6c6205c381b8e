"""DescribeCluster: everybody may ask; what a client may do with the cluster is said to those who
may describe it."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.operations import CLUSTER_OPERATIONS
from pykafka_ops.broker.handlers.rights.checks import Served, after, allowed_operations
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.messages.describe_cluster import (
    DescribeClusterRequest,
    DescribeClusterResponse,
)


def guard(context: Context, request: DescribeClusterRequest, served: Served) -> Answer:
    """The handler's answer, with the client's operations if it asks for them."""
    answer = served.handle(context, request)
    if not request.include_cluster_authorized_operations:
        return answer
    return after(answer, lambda found: _with_operations(context, found))


def _with_operations(context: Context, answer: DescribeClusterResponse) -> DescribeClusterResponse:
    answer.cluster_authorized_operations = cluster_operations(context)
    return answer


def cluster_operations(context: Context) -> int:
    """What the client may do with the cluster, as bits; 0 if it may not describe it."""
    if not context.may(Operation.DESCRIBE, ResourceType.CLUSTER, CLUSTER_NAME):
        return 0
    return allowed_operations(context, ResourceType.CLUSTER, CLUSTER_NAME, CLUSTER_OPERATIONS)

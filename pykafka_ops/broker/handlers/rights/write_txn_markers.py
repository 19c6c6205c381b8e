"""WriteTxnMarkers: for brokers, and for admin clients that may alter the cluster (KIP-664)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Need, Served
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.messages.write_txn_markers import WriteTxnMarkersRequest


def guard(context: Context, request: WriteTxnMarkersRequest, served: Served) -> Answer:
    """Raises KafkaError CLUSTER_AUTHORIZATION_FAILED for the others."""
    if not context.may(Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME, quiet=True):
        Need(Operation.CLUSTER_ACTION).require(context, request)
    return served.handle(context, request)

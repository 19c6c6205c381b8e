"""AlterPartition (56), v0-3: a leader asks the controller for another ISR (KIP-497)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.messages.alter_partition import AlterPartitionRequest


def handle(context: Context, request: AlterPartitionRequest) -> Answer:
    """Errors stand at the partition, NOT_CONTROLLER and STALE_BROKER_EPOCH at the top."""
    return context.services.controller.alter_partitions(request, context.version)

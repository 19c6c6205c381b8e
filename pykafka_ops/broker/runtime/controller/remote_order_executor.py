"""Another broker that executes this controller's orders, sent as requests.

Counterpart of ``ControllerChannelManager``.
"""

from __future__ import annotations

from pykafka_ops.broker.runtime.cluster.peer import Peer
from pykafka_ops.broker.state.controller import order_messages as codec
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    PartitionErrors,
    StopReplicaOrder,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.leader_and_isr import LeaderAndIsrResponse
from pykafka_ops.wire.messages.stop_replica import StopReplicaResponse
from pykafka_ops.wire.messages.update_metadata import UpdateMetadataResponse


class RemoteOrderExecutor:
    """A :class:`~pykafka_ops.broker.state.controller.orders.OrderExecutor` behind a connection.

    Each call raises ConnectError if no answer comes, KafkaError if the whole order is refused.
    """

    def __init__(self, peer: Peer, listener: str) -> None:
        """``listener`` is the one that brokers use between them."""
        self._peer = peer
        self._listener = listener

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        """Have it lead and follow."""
        request = codec.leader_and_isr_request(order, self._listener)
        version = codec.LEADER_AND_ISR_VERSION
        response = await self._peer.ask(request, version, LeaderAndIsrResponse)
        _check(response.error_code)
        return codec.read_leader_and_isr_errors(order, response)

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        """Have it stop replicas."""
        request = codec.stop_replica_request(order)
        response = await self._peer.ask(request, codec.STOP_REPLICA_VERSION, StopReplicaResponse)
        _check(response.error_code)
        return codec.read_stop_replica_errors(response)

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        """Have it know the cluster."""
        request = codec.update_metadata_request(order)
        version = codec.UPDATE_METADATA_VERSION
        response = await self._peer.ask(request, version, UpdateMetadataResponse)
        _check(response.error_code)

    def close(self) -> None:
        """Close the connection."""
        self._peer.close()


def _check(code: int) -> None:
    if code:
        raise KafkaError(code, ErrorCode(code).text)

"""Has the controller claim a block of producer ids (``RPCProducerIdManager.sendRequest``)."""

from __future__ import annotations

import logging
from collections.abc import Callable

from pykafka_ops.broker.metadata.znodes.cluster import ProducerIdBlock
from pykafka_ops.broker.runtime.cluster.controller_link import ControllerLink
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)

log = logging.getLogger("kafka.coordinator.transaction.RPCProducerIdManager")

LARGEST = 2**63 - 1


class ProducerBlocks:
    """``broker_epoch()`` is that of the registration at hand."""

    def __init__(
        self, broker_id: int, link: ControllerLink, broker_epoch: Callable[[], int]
    ) -> None:
        self._broker_id = broker_id
        self._link = link
        self._broker_epoch = broker_epoch

    async def claim(self) -> ProducerIdBlock:
        """A block that is this broker's.

        Raises KafkaError COORDINATOR_LOAD_IN_PROGRESS, which clients try again after, if there
        is none to be had now.
        """
        request = AllocateProducerIdsRequest(
            broker_id=self._broker_id, broker_epoch=self._broker_epoch()
        )
        try:
            response = await self._link.ask(request, 0, AllocateProducerIdsResponse)
        except (ConnectError, KafkaError) as error:
            raise _not_now(str(error)) from error
        first, count = response.producer_id_start, response.producer_id_len
        if response.error_code:
            raise _not_now(ErrorCode.of(response.error_code).text)
        if first < 0 or count <= 0 or first > LARGEST - count:
            raise _not_now(f"the controller gave {count} ids from {first} on")
        return ProducerIdBlock(self._broker_id, first, first + count - 1)


def _not_now(reason: str) -> KafkaError:
    log.error("cannot claim a block of producer ids: %s", reason)
    return KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "")

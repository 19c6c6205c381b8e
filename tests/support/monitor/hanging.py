"""A transaction that no coordinator knows: nobody but an operator will ever end it."""

from __future__ import annotations

import time

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.configs import BROKER, AlterOp, ConfigResource, alter_configs
from pykafka_ops.client.produce import produce
from pykafka_ops.client.transactions import abort_on, describe_producers
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.waiting import wait_for

PRODUCER, EPOCH = 987_654, 0
AGE_MS = 1_200_000
VERIFICATION = "transaction.partition.verification.enable"


class HangingTransaction:
    """One record in partition 0 of ``topic``, written 20 minutes ago as its time says, as a client
    writes that lost its coordinator. Brokers check that since KIP-890 unless they are told not to.
    """

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._cluster = Cluster(ClientConfig.of({"bootstrap.servers": bootstrap}))
        self._place = topic, 0
        self._verify(verify=False)
        at = int(time.time() * 1000) - AGE_MS
        batch = build_batch(
            [Record(0, at, None, b"x", [])],
            producer_id=PRODUCER, producer_epoch=EPOCH, base_sequence=0, transactional=True,
        )  # fmt: skip

        def is_written() -> bool:
            done = produce(self._cluster, {self._place: batch}, transactional_id="nobody")
            refused = done[self._place]
            if not isinstance(refused, PkoError):
                return True
            # a broker that has not heard of the setting yet asks the coordinator
            if isinstance(refused, KafkaError) and refused.code in (
                ErrorCode.NOT_ENOUGH_REPLICAS,  # the coordinator is not known, or has moved
                ErrorCode.INVALID_TXN_STATE,
                ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            ):
                return False
            raise refused

        wait_for(is_written, what="a record of a transaction that nobody knows", poll=0.2)

    def abort(self) -> None:
        """As ``pko transactions abort`` does."""
        found = describe_producers(self._cluster, [self._place])[self._place]
        if isinstance(found, PkoError):
            raise found
        (held,) = [p for p in found if p.id == PRODUCER]
        abort_on(self._cluster, self._place, PRODUCER, EPOCH, max(0, held.coordinator_epoch))

    def close(self) -> None:
        """Have brokers check again."""
        self._verify(verify=True)
        self._cluster.close()

    def _verify(self, *, verify: bool) -> None:
        every = ConfigResource(BROKER, "")
        change = (AlterOp.DELETE, None) if verify else (AlterOp.SET, "false")
        done = alter_configs(self._cluster, {every: [(change[0], VERIFICATION, change[1])]})[every]
        if done is not None:
            raise done

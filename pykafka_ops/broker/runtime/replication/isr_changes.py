"""Brings changes of ISRs to the controller, and finds the followers that fell behind.

Counterpart of ``AlterPartitionManager`` and of the task ``isr-expiration``: what several
partitions propose goes in one request, one request is under way at a time, and what fails for a
reason that passes is sent again until the controller has answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pykafka_ops.broker import jobs
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import PartitionKey, Replicas
from pykafka_ops.broker.runtime.cluster.controller_link import ControllerLink
from pykafka_ops.broker.runtime.time_slice import TimeSlice
from pykafka_ops.broker.state.replication.in_sync import Proposal, ProposalVerdict
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    AlterPartitionResponse,
    AlterPartitionResponsePartitionData,
    BrokerState,
)
from pykafka_ops.wire.types import ZERO_UUID

log = logging.getLogger("kafka.server.DefaultAlterPartitionManager")

VERSION = 3
VERSION_WITHOUT_IDS = 1
RETRY_S = 0.05

Item = tuple["Partition", Proposal]


class IsrChanges:
    """One per broker. ``broker_epoch()`` is that of the registration at hand."""

    def __init__(
        self,
        broker_id: int,
        link: ControllerLink,
        replicas: Replicas,
        broker_epoch: Callable[[], int],
    ) -> None:
        self._broker_id = broker_id
        self._link = link
        self._replicas = replicas
        self._broker_epoch = broker_epoch
        self._waiting: dict[PartitionKey, Item] = {}
        self._trouble = ""
        self._sender: asyncio.Task[None] | None = None
        self._watcher: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for followers that fell behind, and take proposals."""
        self._replicas.propose = self.propose
        self._watcher = jobs.start("ISR expiration", self._watch())

    async def stop(self) -> None:
        """Send nothing any more."""
        tasks = [task for task in (self._watcher, self._sender) if task is not None]
        self._watcher = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- proposals

    def propose(self, partition: Partition, proposal: Proposal) -> None:
        """Bring ``proposal`` to the controller; its answer goes to ``partition.settle``."""
        self._waiting[partition.key] = partition, proposal
        if self._sender is None or self._sender.done():
            self._sender = jobs.start("ISR changes", self._send_all())

    async def _send_all(self) -> None:
        while self._waiting:
            items = [item for item in self._waiting.values() if _is_pending(*item)]
            self._waiting = {}
            again: list[Item] = []
            try:
                again = await self._send(items) if items else []
            except (ConnectError, KafkaError) as error:
                self._complain(str(error))
                again = items
            except Exception:
                log.exception("asking the controller to change ISRs failed")
                again = items
            for item in again:
                self._waiting.setdefault(item[0].key, item)
            if again:
                await asyncio.sleep(RETRY_S)

    def _complain(self, why: str) -> None:
        """Say once, not twenty times a second, that the controller cannot be asked."""
        if why != self._trouble:
            log.warning("cannot ask the controller to change ISRs: %s; trying again", why)
        self._trouble = why

    async def _send(self, items: list[Item]) -> list[Item]:
        """Ask once; what is to be asked again."""
        by_id = all(partition.topic_id != ZERO_UUID for partition, _ in items)
        version = VERSION if by_id else VERSION_WITHOUT_IDS
        request = _request(self._broker_id, self._broker_epoch(), items, version)
        response = await self._link.ask(request, version, AlterPartitionResponse)
        if response.error_code:
            raise KafkaError(response.error_code, ErrorCode.of(response.error_code).text)
        self._trouble = ""
        answers: dict[tuple[bytes | str, int], AlterPartitionResponsePartitionData] = {
            (topic.topic_id if by_id else topic.topic_name, data.partition_index): data
            for topic in response.topics
            for data in topic.partitions
        }
        again, time_slice = [], TimeSlice()
        for partition, proposal in items:
            name = partition.topic_id if by_id else partition.topic
            answer = answers.get((name, partition.index))
            if answer is None or self._settle(partition, proposal, answer) is ProposalVerdict.RETRY:
                again.append((partition, proposal))
            await time_slice.pause()
        return again

    def _settle(
        self,
        partition: Partition,
        proposal: Proposal,
        answer: AlterPartitionResponsePartitionData,
    ) -> ProposalVerdict:
        try:
            verdict = partition.settle(
                proposal,
                answer.error_code,
                isr=tuple(answer.isr),
                leader_epoch=answer.leader_epoch,
                partition_epoch=answer.partition_epoch,
            )
        except KafkaError as error:  # its directory failed meanwhile
            log.error("%s-%d: %s", *partition.key, error.message or error.code)
            return ProposalVerdict.DROPPED
        if verdict is ProposalVerdict.CHANGED:
            log.info("%s-%d: ISR is now %s", *partition.key, list(partition.isr))
            self._replicas.wake_soon(partition.key)
        elif answer.error_code:
            code = ErrorCode.of(answer.error_code)
            log.info("%s-%d: ISR %s: %s", *partition.key, list(proposal.isr), code.name)
        return verdict

    # -- followers that are late

    async def _watch(self) -> None:
        """Look twice in ``replica.lag.time.max.ms`` at every partition led here."""
        while True:
            await asyncio.sleep(self._replicas.max_lag_ms() / 2000)
            time_slice = TimeSlice()
            for partition in self._replicas.all():
                if partition.in_sync is None:
                    continue
                with jobs.logged(f"ISR expiration of {partition.topic}-{partition.index}"):
                    partition.drop_late()
                await time_slice.pause()


def _is_pending(partition: Partition, proposal: Proposal) -> bool:
    """Whether nothing has overtaken the proposal: a new leader, a newer proposal."""
    return partition.in_sync is not None and partition.in_sync.pending is proposal


def _request(
    broker_id: int, broker_epoch: int, items: list[Item], version: int
) -> AlterPartitionRequest:
    with_epochs = version >= VERSION
    topics: dict[str, AlterPartitionRequestTopicData] = {}
    for partition, proposal in items:
        topic = topics.get(partition.topic)
        if topic is None:
            topic = topics[partition.topic] = AlterPartitionRequestTopicData(
                topic_name=partition.topic, topic_id=partition.topic_id
            )
        topic.partitions.append(
            AlterPartitionRequestPartitionData(
                partition_index=partition.index,
                leader_epoch=proposal.leader_epoch,
                new_isr=[] if with_epochs else list(proposal.isr),
                new_isr_with_epochs=[
                    BrokerState(broker_id=id_) for id_ in (proposal.isr if with_epochs else ())
                ],
                partition_epoch=proposal.partition_epoch,
            )
        )
    return AlterPartitionRequest(
        broker_id=broker_id, broker_epoch=broker_epoch, topics=list(topics.values())
    )

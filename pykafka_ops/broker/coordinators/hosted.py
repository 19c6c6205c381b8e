"""The coordinators of one broker: they learn what it leads, and run on its loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker import jobs
from pykafka_ops.broker.coordinators.groups import Groups
from pykafka_ops.broker.coordinators.markers import LocalMarkers
from pykafka_ops.broker.coordinators.runtime import Coordinator, Environment
from pykafka_ops.broker.coordinators.transactions import Transactions
from pykafka_ops.broker.deadline_timer import DeadlineTimer
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.random_uuid import random_uuid

if TYPE_CHECKING:  # a broker alone asks nobody
    from pykafka_ops.broker.coordinators.elsewhere import AskBroker

log = logging.getLogger("kafka.server.KafkaServer")


def _new_id() -> str:
    """What makes the id of a group's member unlike any other."""
    text = random_uuid().hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class Coordinators:
    """All coordinators, by the internal topic whose partitions give them their work."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        replicas: Replicas,
        *,
        clock: Callable[[], int],
        timer: Callable[[], float],
        run_in_thread: Callable[..., Coroutine[Any, Any, Any]],
        memory: Account,
    ) -> None:
        self._loop = loop
        self._replicas = replicas
        self._clock = clock
        self._timer = timer
        self._run_in_thread = run_in_thread
        self._memory = memory
        self._groups: Groups | None = None
        self._by_topic: dict[str, Coordinator[Any]] = {}
        self._timers: list[DeadlineTimer] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def _environment(self) -> tuple[Environment, DeadlineTimer]:
        timer = DeadlineTimer(self._loop, self._timer)
        environment = Environment(
            replicas=self._replicas,
            clock=self._clock,
            timer=self._timer,
            arm=timer.arm,
            spawn=self._spawn,
            run_in_thread=self._run_in_thread,
            memory=self._memory,
        )
        return environment, timer

    def _host(self, coordinator: Coordinator[Any], timer: DeadlineTimer) -> None:
        timer.due = coordinator.tick
        self._timers.append(timer)
        self._by_topic[coordinator.topic] = coordinator

    def add_transactions(
        self,
        image: MetadataImage,
        configs: BrokerConfigs,
        take_id: Callable[[], int | None],
        ask: AskBroker | None = None,
    ) -> Transactions:
        """Have the transaction coordinator, before the first order comes; ``ask`` reaches other
        brokers.

        ``take_id()`` gives a new producer id, None if there is none at hand.
        """
        markers = LocalMarkers(
            self._replicas,
            clock=self._clock,
            timer=self._timer,
            timeout_ms=lambda: configs.value("request.timeout.ms"),
            on_marker=self.marker_written,
        )
        environment, timer = self._environment()
        made = Transactions(
            environment, image=image, configs=configs, markers=markers, take_id=take_id, ask=ask
        )
        self._host(made.coordinator, timer)
        return made

    def add_groups(self, image: MetadataImage, configs: BrokerConfigs) -> Groups:
        """Have the group coordinator, before the first order comes."""
        environment, timer = self._environment()
        self._groups = Groups(environment, image=image, configs=configs, new_id=_new_id)
        self._host(self._groups.coordinator, timer)
        return self._groups

    def topics_deleted(self, topics: Collection[str]) -> None:
        """The cluster has these topics no more."""
        if self._groups is not None:
            self._groups.topics_deleted(topics)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = jobs.start("work of a coordinator", work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def led(self, partition: Partition) -> None:
        """A partition has a new leader epoch, here or elsewhere."""
        coordinator = self._by_topic.get(partition.topic)
        if coordinator is None:
            return
        if partition.is_leader:
            coordinator.elected(partition)
        else:
            coordinator.resigned(partition.index)

    def lost(self, topic: str, index: int) -> None:
        """This broker serves a partition no more."""
        coordinator = self._by_topic.get(topic)
        if coordinator is not None:
            coordinator.resigned(index)

    def marker_written(
        self, topic: str, index: int, producer_id: int, offset: int, committed: bool
    ) -> None:
        """A transaction's marker in a partition of any topic is committed."""
        coordinator = self._by_topic.get(topic)
        if coordinator is not None:
            coordinator.marker_written(index, producer_id, offset, committed=committed)

    async def close(self) -> None:
        """Answer everybody who waits and stop."""
        for coordinator in self._by_topic.values():
            coordinator.close()
        for timer in self._timers:
            timer.stop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

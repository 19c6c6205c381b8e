"""A broker in its term as controller: runs its rules, executes their steps, follows the tree.

Counterpart of what ``KafkaController`` sets up in ``onControllerFailover`` and gives up in
``onControllerResignation``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pykafka_ops.broker.metadata.controller_store import ControllerStore
from pykafka_ops.broker.metadata.registration import ControllerTerm
from pykafka_ops.broker.metadata.store import MetadataStore, NoRoomError
from pykafka_ops.broker.runtime.controller.channels import ChannelTarget, ControllerChannels
from pykafka_ops.broker.runtime.controller.event_kinds import ControllerEventKind
from pykafka_ops.broker.runtime.controller.leader_rebalance import (
    LeaderRebalance,
    RebalanceSettings,
)
from pykafka_ops.broker.runtime.controller.watches import ControllerWatches
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    Order,
    PartitionErrors,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.controller.steps import (
    Pause,
    ReadStates,
    Reply,
    Send,
    Step,
    Steps,
    Write,
)
from pykafka_ops.broker.state.image import BrokerInfo

log = logging.getLogger("kafka.controller.KafkaController")

R = TypeVar("R")
Rule = Callable[[Controller], Steps[R]]
Job = Callable[[], Awaitable[None]]
TimedEvent = Callable[[ControllerEventKind, float], None]
"""Hears how long something took, in ms."""


def now_ms() -> float:
    """Monotonic ms of the event loop."""
    return asyncio.get_running_loop().time() * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerSettings:
    """What a controller needs from its broker.

    ``connect(broker)`` opens the way to another broker, ``rejoin()`` registers this one again
    after its session was lost. ``clock`` is in ms; without ``rebalance`` leaders stay
    where they are; the others as for ``Controller``.
    """

    broker_id: int
    clock: Callable[[], int]
    new_topic_id: Callable[[], bytes]
    unclean: Callable[[str], bool] = lambda topic: False
    delete_enabled: bool = True
    connect: Callable[[BrokerInfo], ChannelTarget] | None = None
    rebalance: RebalanceSettings | None = None
    rejoin: Callable[[], Awaitable[None]] | None = None


class ActiveController:
    """One term. ``post(job)`` does a job after all former ones, ``channels`` reach the brokers."""

    def __init__(
        self,
        store: MetadataStore,
        term: ControllerTerm,
        settings: ControllerSettings,
        channels: ControllerChannels,
        post: Callable[[Job], None],
        timed: TimedEvent,
    ) -> None:
        """``timed`` hears how long each change that was found in the tree took."""
        self.term = term
        self._timed = timed
        self._channels = channels
        self._post = post
        self._rules = Controller(
            settings.broker_id,
            term.epoch,
            new_topic_id=settings.new_topic_id,
            unclean=settings.unclean,
            delete_enabled=settings.delete_enabled,
        )
        self._tree = ControllerStore(store, term)
        self._watches = ControllerWatches(store, self._tree, self._event)
        self._rebalance = LeaderRebalance(settings.rebalance, self._event)
        self._waiters: list[tuple[str, asyncio.Future[None]]] = []
        self._over = False
        self.rules: Controller | None = None
        """The rules, once they know the cluster."""

    async def begin(self) -> None:
        """Read the cluster and have the brokers obey.

        Raises StoreError, StorageError, ZnodeError.
        """
        self._watches.start()
        await self._tree.forget_events()
        snapshot = await self._tree.snapshot()
        self.rules = self._rules
        await self.run(lambda rules: rules.elected(snapshot))
        self._rebalance.start()

    def end(self) -> None:
        """Do nothing any more: another broker may be controller."""
        self._over = True
        self._watches.stop()
        self._rebalance.stop()
        self._channels.close()
        for _, future in self._waiters:
            if not future.done():
                future.set_result(None)

    # -- rules

    async def run(self, rule: Rule[R]) -> R:
        """Run a rule and execute its steps; its result. Raises what the rule or the tree raises."""
        rules = self._rules
        steps = rule(rules)
        reply: Reply = None
        acted = False
        try:
            while True:
                step = steps.send(reply)
                reply = await self._execute(step)
                acted |= isinstance(step, Write | Send)
        except NoRoomError as error:
            error.torn |= acted
            raise
        except StopIteration as done:
            result: R = done.value
            return result
        finally:
            self._log_notices()
            if not self._over:
                self._watches.follow(rules.cluster)
            self._channels.hang_up(rules.cluster.brokers)
            following = rules.follow_up()
            if following is not None:
                self.later(lambda _: following())

    async def _execute(self, step: Step) -> Reply:
        if isinstance(step, Write):
            return await self._tree.write(step.items)
        if isinstance(step, ReadStates):
            return await self._tree.read_states(step.partitions)
        if not isinstance(step, Pause):
            for broker, order in step.orders:
                self._channels.send(broker, order, self._rules.cluster.brokers)
        await asyncio.sleep(0)  # a rule may send thousands of partitions, some hundreds at a time
        return None

    def later(self, rule: Rule[None]) -> None:
        """Run a rule after all that is to be done before, if the term is not over by then."""

        async def job() -> None:
            if not self._over:
                await self.run(rule)

        self._post(job)

    def _event(
        self, kind: ControllerEventKind, find: Callable[[], Awaitable[Rule[Any] | None]]
    ) -> None:
        """Something of a ``kind`` changed in the tree: find out what, then run the rule for it."""

        async def job() -> None:
            if not self._over and self.rules is not None:
                began = now_ms()
                rule = await find()
                if rule is not None:
                    await self.run(rule)
                else:
                    self._log_notices()
                self._timed(kind, now_ms() - began)

        self._post(job)

    def _log_notices(self) -> None:
        for notice in self._rules.take_notices() + self._tree.take_notices():
            log.warning("%s", notice)

    def replied(self, broker: int, order: Order, errors: PartitionErrors) -> None:
        """A broker has obeyed, but for the partitions in ``errors``."""
        if isinstance(order, StopReplicaOrder) and any(stop.delete for stop in order.stops):
            self.later(lambda rules: rules.topics.stop_replica_replied(broker, order, errors))
        elif isinstance(order, LeaderAndIsrOrder) and (
            errors or broker in self._rules.cluster.offline_dirs
        ):
            asked = [(change.topic, change.partition) for change in order.changes]
            self.later(lambda rules: rules.brokers.leader_and_isr_replied(broker, asked, errors))

    # -- deletions

    async def deletion_settled(self, topic: str) -> None:
        """Wait until a topic's deletion is over, or stuck until some broker comes back."""
        if not self._rules.deletion_settled(topic):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append((topic, future))
            await future

    def settle_waiters(self) -> None:
        """Something has been done: who waits for a deletion may be answered now."""
        waiting = []
        for topic, future in self._waiters:
            if not self._rules.deletion_settled(topic):
                waiting.append((topic, future))
            elif not future.done():
                future.set_result(None)
        self._waiters = waiting

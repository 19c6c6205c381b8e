"""Makes a broker controller, feeds the controller's rules with events, executes their steps.

Counterpart of ``KafkaController``'s event queue, elector and watch handlers. Rules run one at
a time on the event loop; a rule that waits for the tree does not hold up the broker.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pykafka_ops.broker.metadata.controller_store import ControllerStore
from pykafka_ops.broker.metadata.registration import (
    ControllerMovedError,
    ControllerTerm,
    become_controller,
    ensure_feature,
    resign,
)
from pykafka_ops.broker.metadata.store import (
    Cancel,
    MetadataStore,
    SessionLostError,
    SessionState,
    StoreError,
)
from pykafka_ops.broker.metadata.znodes.cluster import Controller as ControllerZnode
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.broker.runtime.controller.channel import ChannelTarget
from pykafka_ops.broker.runtime.controller.channels import ControllerChannels
from pykafka_ops.broker.runtime.controller.leader_rebalance import (
    LeaderRebalance,
    RebalanceSettings,
)
from pykafka_ops.broker.runtime.controller.watches import ControllerWatches
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    Order,
    OrderExecutor,
    PartitionErrors,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.controller.steps import ReadStates, Reply, Step, Steps, Write
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.controller.KafkaController")

RETRY_S = 1.0
RESIGN_S = 5.0
"""How long a stop waits to resign."""

R = TypeVar("R")
Rule = Callable[[Controller], Steps[R]]
Job = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerSettings:
    """What the loop needs from its broker.

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


class ControllerLoop:
    """Controller, or candidate, for as long as the broker runs."""

    def __init__(
        self, store: MetadataStore, executor: OrderExecutor, settings: ControllerSettings
    ) -> None:
        """``executor`` obeys the orders for this broker."""
        self._store = store
        self._settings = settings
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._cancels: list[Cancel] = []
        self._channels = ControllerChannels(
            settings.broker_id, executor, settings.connect, self._replied
        )
        self._waiters: list[tuple[str, asyncio.Future[None]]] = []
        self._expired = False
        self.connected = True
        """Whether the tree can be reached, as far as is known."""
        self._controller: Controller | None = None
        self._term: ControllerTerm | None = None
        self._tree: ControllerStore | None = None
        self._watches: ControllerWatches | None = None
        self._rebalance: LeaderRebalance | None = None

    # -- for the broker

    @property
    def is_active(self) -> bool:
        """Whether this broker is controller."""
        return self._controller is not None

    @property
    def epoch(self) -> int:
        """The controller epoch of this broker's term, -1 if it has none."""
        return -1 if self._term is None else self._term.epoch

    async def start(self) -> None:
        """Stand for election; the broker must be registered.

        Returns once there is a controller. If it is this broker, its own replicas have obeyed
        by then: it knows its topics. Raises StoreError, StorageError, ZnodeError.
        """
        self._worker = asyncio.get_running_loop().create_task(self._work())
        self._cancels = [
            self._store.watch_data(ControllerZnode.path, lambda _: self.post(self._elect)),
            self._store.on_session(self._session_changed),
        ]
        await self._finished(self._elect)
        await self._channels.own_idle()

    async def stop(self) -> None:
        """Give up being controller, at once for the other brokers to see."""
        for cancel in self._cancels:
            cancel()
        self._cancels.clear()
        if self._worker is None:
            return
        try:
            async with asyncio.timeout(RESIGN_S if self.connected else 0):
                await self._finished(self._resign)
        except (StoreError, StorageError, TimeoutError) as error:
            log.warning("could not resign: %s", str(error) or "the tree cannot be reached")
            self._forget()
        self._worker.cancel()
        await asyncio.wait([self._worker])
        self._worker = None

    async def perform(self, rule: Rule[R]) -> R:
        """Run a rule of the controller; its result.

        Raises KafkaError NOT_CONTROLLER if this broker is not controller, what the rule raises,
        and StoreError if the tree cannot be reached.
        """
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()

        async def job() -> None:
            try:
                result = await self._run(rule)
            except ControllerMovedError:
                _fail(future, _not_controller())
                raise
            except Exception as error:
                _fail(future, error)
                if not isinstance(error, KafkaError):
                    raise
            else:
                if not future.done():
                    future.set_result(result)

        self.post(job)
        return await future

    async def deletion_settled(self, topic: str) -> None:
        """Wait until a topic's deletion is over, or stuck until some broker comes back."""
        controller = self._controller
        if controller is not None and not controller.deletion_settled(topic):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append((topic, future))
            await future

    def unclean_allowed(self, topic: str | None) -> None:
        """A topic, or every topic (None), allows unclean elections now: for who is controller."""
        controller = self._controller
        if controller is not None:
            self._reply(controller, lambda c: c.unclean_allowed(topic))

    # -- jobs

    def post(self, job: Job) -> None:
        """Do ``job`` after all former ones."""
        self._jobs.put_nowait(job)

    async def _finished(self, job: Job) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def notify() -> None:
            try:
                await job()
            except Exception as error:
                _fail(future, error)
                raise
            if not future.done():
                future.set_result(None)

        self.post(notify)
        await future

    async def _work(self) -> None:
        while True:
            job = await self._jobs.get()
            try:
                await job()
            except ControllerMovedError as error:
                log.info("another broker is controller: %s", error)
                self._forget()
                self.post(self._elect)
            except (StoreError, StorageError, ZnodeError) as error:
                level = logging.WARNING if isinstance(error, SessionLostError) else logging.ERROR
                log.log(level, "controller stops: %s", error)
                await self._start_over()
            except Exception:
                log.exception("controller stops: an event could not be handled")
                await self._start_over()
            self._settle_waiters()

    async def _start_over(self) -> None:
        """What we remember may be wrong: read it all again, as a new controller."""
        try:
            await self._resign()
        except (StoreError, StorageError):
            self._forget()
        asyncio.get_running_loop().call_later(RETRY_S, self.post, self._renewed)

    def _session_changed(self, state: SessionState) -> None:
        self.connected = state is SessionState.CONNECTED
        if state is SessionState.EXPIRED:
            self._expired = True  # at once: nobody unregistered may become controller
            self.post(self._lose_session)
        elif state is SessionState.CONNECTED:
            self.post(self._renewed)

    async def _lose_session(self) -> None:
        log.warning("the session is lost, and with it this broker's registration")
        self._forget()

    async def _renewed(self) -> None:
        if self._expired and self._settings.rejoin is not None:
            await self._settings.rejoin()
        self._expired = False
        await self._elect()

    # -- being controller

    async def _elect(self) -> None:
        """Become controller if nobody is; stop being it if somebody else is."""
        if self._expired:
            return
        node = await self._store.get(ControllerZnode.path)
        if node is not None:
            holder = ControllerZnode.decode(node.data)
            ours = node.stat.ephemeral_owner == self._store.session_id
            if self.is_active and not ours:
                log.info("broker %d is controller now", holder)
                self._forget()
            if not ours or self.is_active:
                return
            await self._store.delete(ControllerZnode.path)  # of a term that went wrong
        self._forget()
        settings = self._settings
        try:
            term = await become_controller(self._store, settings.broker_id, settings.clock())
        except ControllerMovedError:
            return
        log.info("broker %d is controller, epoch %d", settings.broker_id, term.epoch)
        await self._begin(term)

    async def _begin(self, term: ControllerTerm) -> None:
        await ensure_feature(self._store)
        tree = ControllerStore(self._store, term)
        controller = Controller(
            self._settings.broker_id,
            term.epoch,
            new_topic_id=self._settings.new_topic_id,
            unclean=self._settings.unclean,
            delete_enabled=self._settings.delete_enabled,
        )
        self._term, self._tree = term, tree
        self._watches = ControllerWatches(self._store, tree, self._event)
        self._watches.start()
        await tree.forget_events()
        snapshot = await tree.snapshot()
        self._controller = controller
        await self._run(lambda c: c.elected(snapshot))
        self._watches.follow(controller.cluster)
        self._rebalance = LeaderRebalance(self._settings.rebalance, self._event)
        self._rebalance.start()

    async def _resign(self) -> None:
        term = self._term
        self._forget()
        if term is not None:
            log.info("broker %d resigns as controller", self._settings.broker_id)
            await resign(self._store, term)

    def _forget(self) -> None:
        if self._watches is not None:
            self._watches.stop()
        if self._rebalance is not None:
            self._rebalance.stop()
        self._channels.close()
        self._controller = self._term = self._tree = None
        self._watches = self._rebalance = None
        self._settle_waiters()

    def _event(self, make: Callable[[], Awaitable[Rule[Any] | None]]) -> None:
        """Something changed in the tree: find out what, then run the rule for it."""
        watches = self._watches

        async def job() -> None:
            if watches is self._watches and self._controller is not None:
                rule = await make()
                if rule is not None:
                    await self._run(rule)

        self.post(job)

    # -- rules

    async def _run(self, rule: Rule[R]) -> R:
        controller, tree = self._controller, self._tree
        if controller is None or tree is None:
            raise _not_controller()
        steps = rule(controller)
        reply: Reply = None
        try:
            while True:
                step = steps.send(reply)
                reply = await self._execute(step, controller, tree)
        except StopIteration as done:
            result: R = done.value
            return result
        finally:
            for notice in controller.take_notices() + tree.take_notices():
                log.warning("%s", notice)
            if self._watches is not None:
                self._watches.follow(controller.cluster)
            self._channels.hang_up(controller.cluster.brokers)
            following = controller.follow_up()
            if following is not None:
                self._reply(controller, lambda _: following())

    async def _execute(self, step: Step, controller: Controller, tree: ControllerStore) -> Reply:
        if isinstance(step, Write):
            return await tree.write(step.items)
        if isinstance(step, ReadStates):
            return await tree.read_states(step.partitions)
        for broker, order in step.orders:
            self._channels.send(broker, order, controller.cluster.brokers)
        return None

    def _replied(self, broker: int, order: Order, errors: PartitionErrors) -> None:
        controller = self._controller
        if controller is None:
            return
        if isinstance(order, StopReplicaOrder) and any(stop.delete for stop in order.stops):
            self._reply(controller, lambda c: c.topics.stop_replica_replied(broker, order, errors))
        elif isinstance(order, LeaderAndIsrOrder) and (
            errors or broker in controller.cluster.offline_dirs
        ):
            asked = [(change.topic, change.partition) for change in order.changes]
            self._reply(
                controller, lambda c: c.brokers.leader_and_isr_replied(broker, asked, errors)
            )

    def _reply(self, controller: Controller, rule: Rule[None]) -> None:
        async def job() -> None:
            if self._controller is controller:
                await self._run(rule)

        self.post(job)

    def _settle_waiters(self) -> None:
        waiting = []
        for topic, future in self._waiters:
            if self._controller is not None and not self._controller.deletion_settled(topic):
                waiting.append((topic, future))
            elif not future.done():
                future.set_result(None)
        self._waiters = waiting


def _not_controller() -> KafkaError:
    return KafkaError(ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_CONTROLLER.text)


def _fail(future: asyncio.Future[R], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)

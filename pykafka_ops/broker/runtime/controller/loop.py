"""Elects a broker controller, and does what controllers have to do, one job after the other.

Counterpart of ``KafkaController``'s event queue and elector. Rules run one at
a time on the event loop; a rule that waits for the tree does not hold up the broker.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pykafka_ops.broker import jobs
from pykafka_ops.broker.metadata.registration import (
    ControllerMovedError,
    become_controller,
    ensure_feature,
    resign,
)
from pykafka_ops.broker.metadata.store import (
    Cancel,
    MetadataStore,
    NoRoomError,
    SessionLostError,
    SessionState,
    StoreError,
)
from pykafka_ops.broker.metadata.znodes.cluster import ControllerZNode
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.broker.runtime.controller.active import (
    ActiveController,
    ControllerSettings,
    Job,
    Rule,
    TimedEvent,
    now_ms,
)
from pykafka_ops.broker.runtime.controller.channels import ControllerChannels
from pykafka_ops.broker.runtime.controller.event_kinds import ControllerEventKind
from pykafka_ops.broker.state.controller.cluster import ControllerContext
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.orders import (
    Order,
    OrderExecutor,
    PartitionErrors,
)
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.controller.KafkaController")

RETRY_S = 1.0
RESIGN_S = 5.0
"""How long a stop waits to resign."""

R = TypeVar("R")


class ControllerLoop:
    """Controller, or candidate, for as long as the broker runs."""

    def __init__(
        self, store: MetadataStore, executor: OrderExecutor, settings: ControllerSettings
    ) -> None:
        """``executor`` executes the orders for this broker."""
        self._store = store
        self._settings = settings
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._cancels: list[Cancel] = []
        self._channels = ControllerChannels(
            settings.broker_id, executor, settings.connect, self._replied
        )
        self._expired = False
        self.connected = True
        """Whether the tree can be reached, as far as is known."""
        self._active: ActiveController | None = None
        self.on_event: TimedEvent | None = None
        """Hears how long what the controller does took."""

    # -- for the broker

    @property
    def is_active(self) -> bool:
        """Whether this broker is controller."""
        return self._rules is not None

    @property
    def epoch(self) -> int:
        """The controller epoch of this broker's term, -1 if it has none."""
        return -1 if self._active is None else self._active.term.epoch

    @property
    def cluster(self) -> ControllerContext | None:
        """What this broker knows as controller; None if it is not."""
        return None if self._rules is None else self._rules.cluster

    @property
    def queued(self) -> int:
        """Jobs that wait for those before them."""
        return self._jobs.qsize()

    @property
    def _rules(self) -> Controller | None:
        return None if self._active is None else self._active.rules

    async def start(self) -> None:
        """Stand for election; the broker must be registered.

        Returns once there is a controller. If it is this broker, it has executed its own
        orders by then and knows its topics. Raises StoreError, StorageError, ZnodeError.
        """
        self._worker = jobs.start("controller", self._work())
        self._cancels = [
            self._store.watch_data(ControllerZNode.path, lambda _: self.post(self._elect)),
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
            log.warning("could not resign: %s", str(error) or "ZooKeeper does not answer")
            self._forget()
        self._worker.cancel()
        await asyncio.wait([self._worker])
        self._worker = None

    async def perform(self, rule: Rule[R]) -> R:
        """Run a rule of the controller; its result.

        Raises KafkaError NOT_CONTROLLER if this broker is not controller, KAFKA_STORAGE_ERROR if
        the tree's disk is full, what the rule raises, and StoreError if the tree cannot be reached.
        """
        try:
            return await self._finished(lambda: self._run(rule))
        except ControllerMovedError:
            raise _not_controller() from None

    async def deletion_settled(self, topic: str) -> None:
        """Wait until a topic's deletion is over, or stuck until some broker comes back."""
        if self._active is not None and self._active.rules is not None:
            await self._active.deletion_settled(topic)

    def unclean_allowed(self, topic: str | None) -> None:
        """A topic, or every topic (None), allows unclean elections now; a controller elects."""
        if self._active is not None and self._active.rules is not None:
            self._active.later(lambda rules: rules.elections.unclean_allowed(topic))

    # -- jobs

    def post(self, job: Job) -> None:
        """Do ``job`` after all former ones."""
        self._jobs.put_nowait(job)

    async def _finished(self, work: Callable[[], Awaitable[R]]) -> R:
        """Do ``work`` after all former jobs; what it returns or raises."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()

        async def job() -> None:
            try:
                result = await work()
            except Exception as error:
                if not future.done():
                    future.set_exception(error)
                if not isinstance(error, KafkaError):  # which a rule may answer with
                    raise
            else:
                if not future.done():
                    future.set_result(result)

        self.post(job)
        return await future

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
                log.exception("controller stops: an event failed")
                await self._start_over()
            if self._active is not None:
                self._active.settle_waiters()

    async def _start_over(self) -> None:
        """The controller's context may be wrong: read all of it again, as a new controller does."""
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
        log.warning("lost the session with ZooKeeper, and with it this broker's registration")
        self._forget()

    async def _renewed(self) -> None:
        if self._expired and self._settings.rejoin is not None:
            await self._settings.rejoin()
        self._expired = False
        await self._elect()

    # -- being controller

    async def _elect(self) -> None:
        """Become controller if there is none; resign if another broker is."""
        if self._expired:
            return
        node = await self._store.get(ControllerZNode.path)
        if node is not None:
            holder = ControllerZNode.decode(node.data)
            ours = node.stat.ephemeral_owner == self._store.session_id
            if self.is_active and not ours:
                log.info("broker %d is controller now", holder)
                self._forget()
            if not ours or self.is_active:
                return
            await self._store.delete(ControllerZNode.path)  # of a term that went wrong
        self._forget()
        settings, began = self._settings, now_ms()
        try:
            term = await become_controller(self._store, settings.broker_id, settings.clock())
        except ControllerMovedError:
            return
        log.info("broker %d is controller, epoch %d", settings.broker_id, term.epoch)
        await ensure_feature(self._store)
        self._active = ActiveController(
            self._store, term, settings, self._channels, self.post, self._timed
        )
        await self._active.begin()
        self._timed(ControllerEventKind.CONTROLLER_CHANGE, now_ms() - began)

    def _timed(self, kind: ControllerEventKind, ms: float) -> None:
        if self.on_event is not None:
            self.on_event(kind, ms)

    async def _resign(self) -> None:
        active = self._active
        self._forget()
        if active is not None:
            log.info("broker %d resigns as controller", self._settings.broker_id)
            await resign(self._store, active.term)

    def _forget(self) -> None:
        if self._active is not None:
            self._active.end()
            self._active = None

    async def _run(self, rule: Rule[R]) -> R:
        if self._active is None or self._active.rules is None:
            raise _not_controller()
        try:
            return await self._active.run(rule)
        except NoRoomError as error:
            if error.torn:
                raise
            # Rules remember what is written, and nothing was.
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error

    def _replied(self, broker: int, order: Order, errors: PartitionErrors) -> None:
        if self._active is not None and self._active.rules is not None:
            self._active.replied(broker, order, errors)


def _not_controller() -> KafkaError:
    return KafkaError(ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_CONTROLLER.text)

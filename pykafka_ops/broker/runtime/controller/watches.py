"""The controller's watches on the tree, and the rule for each change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pykafka_ops.broker.metadata.controller_store import ControllerStore
from pykafka_ops.broker.metadata.store import Cancel, MetadataStore
from pykafka_ops.broker.metadata.znodes.admin import (
    IsrChangeNotifications,
    LogDirEvents,
    PreferredElection,
    Reassignments,
    TopicDeletions,
)
from pykafka_ops.broker.metadata.znodes.brokers import BrokerIdZNode, Brokers
from pykafka_ops.broker.metadata.znodes.topics import Topics, TopicZNode
from pykafka_ops.broker.runtime.controller.event_kinds import ControllerEventKind as Kind
from pykafka_ops.broker.state.controller.cluster import ControllerContext
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.steps import Steps

Rule = Callable[[Controller], Steps[Any]]
Find = Callable[[], Awaitable[Rule | None]]


class ControllerWatches:
    """The watches of one term.

    ``event(kind, find)`` is called for every change; ``await find()`` reads what there is to know
    and returns the rule to run, or None. Topics and brokers are watched before they are read, as
    Kafka does: what changes after that is not missed.
    """

    def __init__(
        self,
        store: MetadataStore,
        tree: ControllerStore,
        event: Callable[[Kind, Find], None],
    ) -> None:
        self._store = store
        self._tree = tree
        self._event = event
        self._cancels: list[Cancel] = []
        self._topics: dict[str, Cancel] = {}
        self._unknown: set[str] = set()
        """Topics that are watched, while no rule has taken them over yet."""
        self._stopped = False
        self._brokers: dict[int, Cancel] = {}
        tree.watch_topics = self._topics_named
        tree.watch_brokers = self._brokers_named

    def start(self) -> None:
        """Watch the lists of brokers, topics, deletions, failed directories and ISR changes,
        and what older tools ask for."""
        for path, kind, find in (
            (Brokers.path, Kind.BROKER_CHANGE, self._brokers_changed),
            (Topics.path, Kind.TOPIC_CHANGE, self._topics_changed),
            (TopicDeletions.path, Kind.TOPIC_DELETION, self._deletions_changed),
            (LogDirEvents.path, Kind.LOG_DIR_CHANGE, self._log_dirs_failed),
            (IsrChangeNotifications.path, Kind.ISR_CHANGE, self._isr_changed),
        ):
            self._cancels.append(self._store.watch_children(path, self._caller(kind, find)))
        for path, kind, find in (
            (Reassignments.path, Kind.REASSIGNMENT, self._moves_asked),
            (
                PreferredElection.path,
                Kind.MANUAL_LEADER_BALANCE,
                self._elections_asked,
            ),
        ):
            self._cancels.append(self._store.watch_data(path, self._caller(kind, find)))

    def _caller(self, kind: Kind, find: Find) -> Callable[[str], None]:
        return lambda _: self._event(kind, find)

    def stop(self) -> None:
        """Watch nothing any more."""
        self._stopped = True
        for cancel in (*self._cancels, *self._topics.values(), *self._brokers.values()):
            cancel()
        self._cancels.clear()
        self._topics.clear()
        self._unknown.clear()
        self._brokers.clear()

    def _topics_named(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self._topics and not self._stopped:
                self._topics[name] = self._watch_topic(name)
                self._unknown.add(name)

    def _brokers_named(self, ids: Sequence[int]) -> None:
        for broker in ids:
            if broker not in self._brokers and not self._stopped:
                self._brokers[broker] = self._watch_broker(broker)

    def follow(self, cluster: ControllerContext) -> None:
        """Watch each topic and broker that ``cluster`` knows, and no other."""
        for topic in cluster.changed_topics | self._unknown:
            if topic not in cluster.topics:
                self._topics.pop(topic, lambda: None)()
            elif topic not in self._topics:
                self._topics[topic] = self._watch_topic(topic)
        cluster.changed_topics.clear()
        self._unknown.clear()
        for broker in self._brokers.keys() - cluster.brokers.keys():
            self._brokers.pop(broker)()
        for broker in cluster.brokers.keys() - self._brokers.keys():
            self._brokers[broker] = self._watch_broker(broker)

    def _watch_topic(self, topic: str) -> Cancel:
        return self._store.watch_data(
            TopicZNode.path(topic),
            self._caller(Kind.TOPIC_CHANGE, lambda: self._topic_changed(topic)),
        )

    def _watch_broker(self, broker: int) -> Cancel:
        return self._store.watch_data(
            BrokerIdZNode.path(broker),
            self._caller(Kind.BROKER_CHANGE, lambda: self._broker_changed(broker)),
        )

    async def _brokers_changed(self) -> Rule | None:
        live = await self._tree.brokers()
        return lambda controller: controller.brokers.changed(live)

    async def _broker_changed(self, broker: int) -> Rule | None:
        info = (await self._tree.brokers()).get(broker)
        if info is None:
            return None

        def rule(controller: Controller) -> Steps[None]:
            known = controller.cluster.brokers.get(broker)
            if known is not None and known.epoch == info.epoch and known != info:
                yield from controller.brokers.updated(info)

        return rule

    async def _topics_changed(self) -> Rule | None:
        names = await self._tree.topic_names()
        if names is None:
            return None
        known = self._topics.keys() - self._unknown if self._unknown else self._topics
        records = await self._tree.topics([name for name in names if name not in known])
        return lambda controller: controller.topics.changed(set(names), records)

    async def _topic_changed(self, topic: str) -> Rule | None:
        record = await self._tree.changed_topic(topic)
        if record is None:
            return None
        return lambda controller: controller.topics.assignment_changed(topic, record)

    async def _deletions_changed(self) -> Rule | None:
        marked = await self._tree.deletions()
        return lambda controller: controller.topics.deletions_found(marked)

    async def _log_dirs_failed(self) -> Rule | None:
        brokers = await self._tree.take_log_dir_events()
        if not brokers:
            return None
        return lambda controller: controller.brokers.log_dirs_failed(brokers)

    async def _isr_changed(self) -> Rule | None:
        partitions = await self._tree.take_isr_changes()
        return (lambda controller: controller.isr.written(partitions)) if partitions else None

    async def _moves_asked(self) -> Rule | None:
        moves = await self._tree.reassignments()
        return None if moves is None else lambda controller: controller.moves.asked_by_znode(moves)

    async def _elections_asked(self) -> Rule | None:
        partitions = await self._tree.elections()
        if partitions is None:
            return None
        return lambda controller: controller.elections.asked_by_znode(partitions)

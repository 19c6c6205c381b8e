"""Executes the reads and writes of the controller's rules, fenced by its epoch.

Counterpart of the controller's half of ``KafkaZkClient``. Every transaction starts with a check
of ``/controller_epoch``, so a former controller cannot write anything any more.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pykafka_ops.broker.metadata.registration import ControllerMovedError, ControllerTerm
from pykafka_ops.broker.metadata.store import (
    BadVersionError,
    Create,
    Delete,
    MetadataStore,
    NodeExistsError,
    NoNodeError,
    NoRoomError,
    NotEmptyError,
    Op,
    SetData,
    StoreError,
    ZNode,
)
from pykafka_ops.broker.metadata.write_plan import MAX_OPS, Unit, WriteGroup, is_done, plan
from pykafka_ops.broker.metadata.znodes.admin import (
    IsrChangeNotifications,
    LogDirEvents,
    PreferredElection,
    Reassignments,
    TopicDeletions,
)
from pykafka_ops.broker.metadata.znodes.brokers import BrokerIdZNode, Brokers
from pykafka_ops.broker.metadata.znodes.cluster import ControllerEpoch
from pykafka_ops.broker.metadata.znodes.config import EntityConfig
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.broker.metadata.znodes.topics import Partitions, PartitionState, Topics, TopicZNode
from pykafka_ops.broker.state.controller.cluster import Snapshot
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr, TopicPartition, TopicRecord
from pykafka_ops.broker.state.controller.steps import (
    CreateState,
    CreateTopic,
    Problems,
    RemoveTopic,
    SetAssignment,
    States,
    WriteItem,
    WriteProblem,
    portions,
)
from pykafka_ops.broker.state.image import BrokerInfo

R = TypeVar("R")

_DELETES = MAX_OPS // 2
"""At once: each looks for children, which takes longer than to create."""
_LOOKED_AT = 2 * MAX_OPS
"""At once: with ZooKeeper as many as are under way."""
_LARGE = 50_000
"""Bytes of a unit that took ms to make."""
_ATTEMPTS_TOGETHER = 3
"""Failed tries of several units in one transaction before each goes alone."""


class ControllerStore:
    """One term's view of the tree."""

    def __init__(self, store: MetadataStore, term: ControllerTerm) -> None:
        self._store = store
        self._term = term
        self._topics_cversion = -1
        self._notices: list[str] = []
        self._told: set[str] = set()
        self._assigned: dict[str, int] = {}
        """Hashes of what was written to topics that are there."""
        self._torn = False
        """Whether a part of what is being written stands there."""
        self.watch_topics: Callable[[Sequence[str]], None] = lambda names: None
        """Called before topics are read and when they are created: no later change is missed."""
        self.watch_brokers: Callable[[Sequence[int]], None] = lambda ids: None
        """Called before brokers are read."""

    def take_notices(self) -> list[str]:
        """Znodes that could not be understood since the last call, each named once."""
        notices, self._notices = self._notices, []
        return notices

    def _notice(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._notices.append(text)

    # -- writes

    async def write(self, items: Sequence[WriteItem]) -> Problems:
        """Per item why it was not written, or None.

        Raises ControllerMovedError if this broker is no longer controller, StoreError if the
        tree cannot be reached, StorageError if its disk fails or is full.
        """
        self._torn = False
        try:
            return await self._write(items)
        except NoRoomError as error:
            error.torn |= self._torn
            raise

    async def _write(self, items: Sequence[WriteItem]) -> Problems:
        problems: Problems = [None] * len(items)
        group = WriteGroup()
        for number, item in enumerate(items):
            if isinstance(item, RemoveTopic):
                problems[number] = await self._remove(item.topic)
                continue
            if isinstance(item, SetAssignment | CreateState):
                await self._ensure_partitions(item.topic)
            for unit in plan(number, item):
                if not group.has_room(unit):
                    await self._commit_group(group, items, problems)
                    group = WriteGroup()
                group.add(unit)
                if unit.size >= _LARGE:
                    await asyncio.sleep(0)
        await self._commit_group(group, items, problems)
        for number, item in enumerate(items):
            if isinstance(item, CreateTopic) and problems[number] is None:
                self._topics_cversion += 1
        return problems

    async def _commit_group(
        self, group: WriteGroup, items: Sequence[WriteItem], problems: Problems
    ) -> None:
        """The parts after one that failed are not written either."""
        await self._commit([unit for unit in group.units if problems[unit.item] is None])
        for unit in group.units:
            problems[unit.item] = problems[unit.item] or unit.problem
        for unit in group.units:
            item, op = items[unit.item], unit.ops[0].op if unit.ops else None
            if problems[unit.item] is not None:
                continue
            if isinstance(item, CreateTopic):
                self.watch_topics([item.topic])
            elif isinstance(item, SetAssignment) and isinstance(op, SetData):
                self._assigned[item.topic] = hash(op.data)

    async def _commit(self, group: list[Unit]) -> None:
        waiting = list(group)
        failures = 0
        while waiting:
            together = waiting if failures < _ATTEMPTS_TOGETHER else waiting[:1]
            try:
                await self._multi(planned.op for unit in together for planned in unit.ops)
                del waiting[: len(together)]
            except (NodeExistsError, NoNodeError, BadVersionError) as error:
                failures += 1
                written = await self._written_before(together, error)
                if written:
                    waiting = [unit for unit in waiting if unit not in written]
                    continue
                broken = _mend(together, error)
                if broken is not None:
                    waiting = [unit for unit in waiting if unit.item != broken.item]

    async def _written_before(self, units: list[Unit], error: StoreError) -> list[Unit]:
        """Units that are there exactly as wanted: their transaction was carried out, but the
        answer was lost with the connection, and the store has tried again."""
        failed = _at(units, error)[0]
        if isinstance(error, NoNodeError) or not (await self._are_there([failed])):
            return []
        return await self._are_there(units)

    async def _are_there(self, units: list[Unit]) -> list[Unit]:
        paths = [op.path for unit in units for op in unit.proofs]
        nodes = dict(zip(paths, await self._store.get_many(paths), strict=True))
        return [
            unit
            for unit in units
            if unit.proofs and all(is_done(op, nodes[op.path]) for op in unit.proofs)
        ]

    async def _multi(self, ops: Iterable[Op]) -> None:
        try:
            await self._store.multi([self._term.check(), *ops])
            self._torn = True
        except (BadVersionError, NoNodeError) as error:
            if error.index == 0:
                raise ControllerMovedError(ControllerEpoch.path) from error
            raise

    async def _ensure_partitions(self, topic: str) -> None:
        path = Partitions.path(topic)
        if await self._store.exists(path) is None:
            with contextlib.suppress(NodeExistsError, NoNodeError):
                await self._store.multi([self._term.check(), Create(path)])

    async def _remove(self, topic: str) -> WriteProblem | None:
        """Remove a topic's znodes, those that Kafka knows first; more only if there are any."""
        leaves = [EntityConfig.topic(topic), TopicDeletions.topic(topic)]
        for find in (self._usual_tree, self._tree):
            paths = [path for leaf in leaves for path in await find(leaf)]
            paths = await find(TopicZNode.path(topic)) + paths
            with contextlib.suppress(NotEmptyError, NoNodeError):
                for start in range(0, len(paths), _DELETES):
                    await self._multi(Delete(path) for path in paths[start : start + _DELETES])
                self._topics_cversion += TopicZNode.path(topic) in paths
                self._assigned.pop(topic, None)
                return None
        return WriteProblem.FAILED

    async def _usual_tree(self, path: str) -> list[str]:
        """The znodes of a topic (or a leaf) below and at ``path``, children first."""
        if await self._store.exists(path) is None:
            return []
        parent = f"{path}/partitions"
        if not path.startswith(Topics.path) or await self._store.exists(parent) is None:
            return [path]
        partitions = [f"{parent}/{name}" for name in await self._store.children(parent)]
        paths: list[str] = []
        for start in range(0, len(partitions), _LOOKED_AT):  # what was found is let go in between
            some = partitions[start : start + _LOOKED_AT]
            states = [f"{partition}/state" for partition in some]
            there = await self._store.get_many(states)
            paths += [state for state, node in zip(states, there, strict=True) if node is not None]
        return [*paths, *partitions, parent, path]

    async def _tree(self, path: str) -> list[str]:
        """Everything below and at ``path``, children first."""
        try:
            names = await self._store.children(path)
        except NoNodeError:
            return []
        return [p for name in names for p in await self._tree(f"{path}/{name}")] + [path]

    # -- reads

    async def read_states(self, partitions: Sequence[TopicPartition]) -> States:
        """The states; None for those that do not exist or cannot be understood."""
        nodes = await self._state_nodes(partitions)
        return [self._state(*key, node) for key, node in zip(partitions, nodes, strict=True)]

    async def _state_nodes(self, partitions: Sequence[TopicPartition]) -> list[ZNode | None]:
        return [
            node
            for some in portions(partitions)
            for node in await self._store.get_many([PartitionState.path(t, i) for t, i in some])
        ]

    def _state(self, topic: str, index: int, node: ZNode | None) -> LeaderAndIsr | None:
        if node is None:
            return None
        try:
            return PartitionState.decode(topic, index, node.data, node.stat.version)
        except ZnodeError as error:
            self._notice(str(error))
            return None

    async def brokers(self) -> dict[int, BrokerInfo]:
        """The registered brokers."""
        ids = [int(name) for name in await self._store.children(Brokers.path) if name.isdecimal()]
        self.watch_brokers(ids)
        nodes = await self._store.get_many([BrokerIdZNode.path(id_) for id_ in ids])
        found = {}
        for id_, node in zip(ids, nodes, strict=True):
            try:
                if node is not None:
                    found[id_] = BrokerIdZNode.decode(id_, node.data, node.stat.czxid)
            except ZnodeError as error:
                self._notice(str(error))
        return found

    async def topics(self, names: Sequence[str]) -> dict[str, TopicRecord]:
        """The topics' assignments; those that cannot be understood are left out."""
        self.watch_topics(names)
        nodes = await self._store.get_many([TopicZNode.path(name) for name in names])
        found = {}
        for name, node in zip(names, nodes, strict=True):
            try:
                if node is not None:
                    found[name] = TopicZNode.decode(name, node.data)
            except ZnodeError as error:
                self._notice(str(error))
        return found

    async def changed_topic(self, name: str) -> TopicRecord | None:
        """The topic as somebody else has written it; None if nobody has."""
        node = await self._store.get(TopicZNode.path(name))
        if node is None or self._assigned.get(name) == hash(node.data):
            return None
        return (await self.topics([name])).get(name)

    async def topic_names(self) -> list[str] | None:
        """All topics; None if only this controller has changed them since the last call."""
        stat = await self._store.exists(Topics.path)
        if stat is None:
            return []
        if stat.cversion == self._topics_cversion:
            return None
        self._topics_cversion = stat.cversion
        return await self._store.children(Topics.path)

    async def deletions(self) -> list[str]:
        """Topics marked for deletion."""
        return await self._store.children(TopicDeletions.path)

    async def snapshot(self) -> Snapshot:
        """All that a new controller has to know."""
        names = await self.topic_names() or []
        topics = await self.topics(names)
        keys = [(topic, index) for topic, record in topics.items() for index in record.partitions]
        nodes = dict(zip(keys, await self._state_nodes(keys), strict=True))
        read = {key: self._state(*key, node) for key, node in nodes.items()}
        states = {key: state for key, state in read.items() if state is not None}
        written = {key: node.stat.mzxid for key, node in nodes.items() if node is not None}
        brokers = await self.brokers()
        joined = {id_: info.epoch for id_, info in brokers.items()}
        return Snapshot(
            brokers=brokers,
            topics=topics,
            states=states,
            restarted={k for k, s in states.items() if joined.get(s.leader, -1) > written[k]},
            deletions=await self.deletions(),
            reassignments=await self.reassignments() or {},
            elections=await self.elections(),
        )

    async def reassignments(self) -> dict[TopicPartition, list[int]] | None:
        """Moves that older tools ask for, None if there is no such znode or it makes no sense."""
        return await self._asked(Reassignments.path, Reassignments.decode)

    async def elections(self) -> list[TopicPartition] | None:
        """Preferred elections that older tools ask for, None as above."""
        return await self._asked(PreferredElection.path, PreferredElection.decode)

    async def _asked(self, path: str, decode: Callable[[bytes | None], R]) -> R | None:
        node = await self._store.get(path)
        try:
            return None if node is None else decode(node.data)
        except ZnodeError as error:
            self._notice(f"{error}; remove it, or write it anew")
            return None

    async def take_log_dir_events(self) -> set[int]:
        """Brokers that said a log directory failed; their notes are removed."""
        return set(await self._take(LogDirEvents.path, LogDirEvents.decode))

    async def take_isr_changes(self) -> list[TopicPartition]:
        """Partitions whose ISR brokers of old protocols have written; the notes are removed."""
        found = await self._take(IsrChangeNotifications.path, IsrChangeNotifications.decode)
        return list(dict.fromkeys(key for keys in found for key in keys))

    async def forget_events(self) -> None:
        """Remove what brokers have noted so far: a new controller reads everything anyhow."""
        await self.take_log_dir_events()
        await self.take_isr_changes()

    async def _take(self, parent: str, decode: Callable[[bytes | None], R]) -> list[R]:
        paths = [f"{parent}/{name}" for name in await self._store.children(parent)]
        found: list[R] = []
        for node in await self._store.get_many(paths):
            try:
                if node is not None:
                    found.append(decode(node.data))
            except ZnodeError as error:
                self._notices.append(str(error))
        for path in paths:
            with contextlib.suppress(NoNodeError):
                await self._multi([Delete(path)])
        return found


def _mend(units: list[Unit], error: StoreError) -> Unit | None:
    """Change the operation that failed so that it may pass, or give up its unit and return it."""
    unit, position = _at(units, error)
    return None if unit.mend(position, error) else unit


def _at(units: list[Unit], error: StoreError) -> tuple[Unit, int]:
    """Whose operation failed, and which of it."""
    position = error.index - 1
    for unit in units:
        if position < len(unit.ops):
            return unit, position
        position -= len(unit.ops)
    raise error

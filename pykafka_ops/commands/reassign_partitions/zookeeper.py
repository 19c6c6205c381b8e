"""``--zookeeper``, as the tool did before 3.0: the wish goes to ``/admin/reassign_partitions``.

Settings of topics and brokers are written as kafka-configs does. Only moves that were asked for in
this way are seen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from pykafka_ops.client.configs import BROKER
from pykafka_ops.commands.configs.zookeeper import ConfigTree as Settings
from pykafka_ops.commands.configs.zookeeper import opened_tree
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions.assignment import Assignment
from pykafka_ops.commands.reassign_partitions.text import (
    EXISTING,
    Partition,
    ReassignError,
    Talk,
    TerseError,
    joined,
    named,
)
from pykafka_ops.commands.reassign_partitions.throttles import Values
from pykafka_ops.errors import ConnectError

MOVES = "/admin/reassign_partitions"
DEPRECATED = "Warning: --zookeeper is deprecated, and will be removed in a future version of Kafka."
NEEDS_BROKER = "bootstrap-server needs to be provided when replica reassignments are present."


class MoveTree(NamedTuple):
    """The znodes of topics, brokers and moves; ``client`` is a kazoo client."""

    client: Any
    settings: Settings

    def of_topics(self, topics: Iterable[str]) -> Assignment:
        """Replicas of every partition of these topics; ReassignError where one is not there."""
        found: Assignment = {}
        for topic in sorted(set(topics)):
            odd = topic in ("", ".", "..") or "/" in topic or "\0" in topic
            path = f"/brokers/topics/{topic}"
            partitions = None if odd else self._read(path, _replicas)
            if partitions is None:
                raise ReassignError(f"Topic {topic} not found.")
            found.update({(topic, number): ids for number, ids in partitions.items()})
        return found

    def brokers(self) -> dict[int, str | None]:
        """Racks of the live brokers by id."""
        ids = [int(name) for name in self.settings.names("/brokers/ids")]
        return {id_: self._read(f"/brokers/ids/{id_}", _rack) for id_ in sorted(ids)}

    def moves(self) -> dict[Partition, list[int]] | None:
        """What was asked for and is not done; None where the znode is missing."""
        found: dict[Partition, list[int]] | None = self._read(MOVES, _moves)
        return found

    def _read(self, path: str, read: Callable[[Any], Any]) -> Any:
        """What the znode holds, None where it is missing; ReassignError where it is not Kafka's."""
        from kazoo.exceptions import NoNodeError

        try:
            data, _ = self.client.get(path)
        except NoNodeError:
            return None
        try:
            return read(json.loads(data or b"{}"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ReassignError(f"{path} holds no JSON that Kafka writes there") from None

    def ask(self, moves: Mapping[Partition, list[int]]) -> None:
        """Leave the wish for the controller; TerseError where another one lies there."""
        from kazoo.exceptions import NodeExistsError

        from pykafka_ops.zookeeper import acls

        partitions = [
            {"topic": t, "partition": n, "replicas": replicas}
            for (t, n), replicas in sorted(moves.items())
        ]
        data = json.dumps({"version": 1, "partitions": partitions}, separators=(",", ":"))
        try:
            acls.create(self.client, MOVES, data.encode(), secure=self.client.access.secure)
        except NodeExistsError:
            raise TerseError(EXISTING) from None

    def write(self, values: Values) -> None:
        """Set settings of topics and brokers, take away those that are None."""
        for place, wanted in values.items():
            entity = f"{'brokers' if place.type == BROKER else 'topics'}/{place.name}"
            before = self.settings.read(entity)
            after = {k: v for k, v in {**before, **wanted}.items() if v is not None}
            if after != before:
                self.settings.write(entity, after)


def _replicas(data: Any) -> dict[int, list[int]]:
    return {int(n): [int(id_) for id_ in ids] for n, ids in data["partitions"].items()}


def _rack(data: Any) -> str | None:
    rack = data.get("rack")
    return None if rack is None else str(rack)


def _moves(data: Any) -> dict[Partition, list[int]]:
    return {
        (str(row["topic"]), int(row["partition"])): [int(id_) for id_ in row["replicas"]]
        for row in data["partitions"]
    }


@contextmanager
def connected(run: Run) -> Iterator[MoveTree]:
    """The tree of ``--zookeeper`` until done; ConnectError."""
    from kazoo.exceptions import KazooException

    Talk(run).say(DEPRECATED)
    try:
        with opened_tree(run) as settings:
            yield MoveTree(settings.client, settings)
    except KazooException as e:
        why = str(e) or type(e).__name__
        raise ConnectError(f"ZooKeeper {run.args.text('zookeeper')}: {why}") from None


def require_known(tree: MoveTree, target: Mapping[Partition, list[int]]) -> Assignment:
    """Present replicas of the partitions; ReassignError where one, or a broker, is not there."""
    current = tree.of_topics(topic for topic, _ in target)
    missing = sorted(set(target) - set(current))
    if missing:
        raise ReassignError(
            "The proposed assignment contains non-existent partitions: "
            + ", ".join(map(named, missing))
        )
    unknown = {id_ for replicas in target.values() for id_ in replicas} - set(tree.brokers())
    if unknown:
        raise ReassignError(
            "The proposed assignment contains non-existent brokerIDs: " + joined(sorted(unknown))
        )
    return {key: current[key] for key in target}


def of_those_there(tree: MoveTree, partitions: Iterable[Partition]) -> Assignment:
    """Replicas of the partitions; none of one that is not there."""
    found: Assignment = {}
    for topic in {topic for topic, _ in partitions}:
        try:
            found.update(tree.of_topics([topic]))
        except ReassignError:
            continue
    return {key: found.get(key, []) for key in partitions}

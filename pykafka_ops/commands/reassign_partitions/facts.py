"""What a plan is made from: the brokers of a cluster, their disks, replicas and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pykafka_ops.analysis.moves.model import Key, PlanBroker
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.log_dirs import LogDirDescription, describe_log_dirs
from pykafka_ops.client.reassignments import Reassignment, list_reassignments
from pykafka_ops.client.topics import PartitionDescription, all_topics
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.types import ZERO_UUID, uuid_text


class ClusterFacts(NamedTuple):
    """``brokers``: the live ones by id; ``sizes``: bytes of one replica; ``moving``: under way;
    ``ids``: of topics, of those that have one."""

    brokers: dict[int, PlanBroker]
    partitions: dict[Key, PartitionDescription]
    sizes: dict[Key, int]
    moving: dict[Key, Reassignment]
    errors: list[ItemError]
    ids: dict[str, str]

    def replicas(self, key: Key) -> tuple[int, ...]:
        """Where the replicas of a partition are, or will be once its move is done."""
        move = self.moving.get(key)
        if move is None:
            return tuple(self.partitions[key].replicas)
        return tuple(i for i in move.replicas if i not in move.removing)


def facts_of(cluster: Cluster, *, racks: bool = True) -> ClusterFacts:
    """Ask for all of it; PkoError. Brokers that hide their disks are among the errors."""
    topics = all_topics(cluster)
    partitions = {(topic.name, p.number): p for topic in topics for p in topic.partitions}
    ids = {topic.name: uuid_text(topic.id) for topic in topics if topic.id != ZERO_UUID}
    moving = list_reassignments(cluster)
    answers = describe_log_dirs(cluster, sorted(cluster.nodes))
    dirs: dict[int, list[LogDirDescription]] = {}
    errors = []
    for id_, answer in answers.items():
        if isinstance(answer, PkoError):
            errors.append(item_error(f"broker {id_}", answer))
        else:
            dirs[id_] = [d for d in answer if d.error is None]
            errors += [item_error(f"broker {id_} {d.path}", d.error) for d in answer if d.error]
    brokers = {
        id_: PlanBroker(id_, node.rack if racks else None, *_disks(dirs.get(id_, ())))
        for id_, node in sorted(cluster.nodes.items())
    }
    return ClusterFacts(brokers, partitions, _sizes(dirs, partitions), moving, errors, ids)


def _disks(dirs: Iterable[LogDirDescription]) -> tuple[int | None, int | None]:
    """Bytes of a broker's volumes, and how many of them are free.

    Each directory counts as a volume of its own, which is what several are there for; that two are
    on the same one cannot be seen from here.
    """
    volumes = [(d.total_bytes, d.usable_bytes) for d in dirs]
    if not volumes or any(total <= 0 or usable < 0 for total, usable in volumes):
        return None, None
    return sum(total for total, _ in volumes), sum(usable for _, usable in volumes)


def _sizes(
    dirs: Mapping[int, Iterable[LogDirDescription]], partitions: Mapping[Key, PartitionDescription]
) -> dict[Key, int]:
    """Bytes of the leader's replica, else of the largest one."""
    held = held_bytes(dirs)
    found: dict[Key, int] = dict.fromkeys(partitions, 0)
    for (topic, number, _), size in held.items():
        if (topic, number) in found:
            found[topic, number] = max(found[topic, number], size)
    for (topic, number), p in partitions.items():
        led = held.get((topic, number, p.leader))
        if led is not None:
            found[topic, number] = led
    return found


def held_bytes(dirs: Mapping[int, Iterable[LogDirDescription]]) -> dict[tuple[str, int, int], int]:
    """Bytes by topic, partition and broker; replicas that move between directories not twice."""
    return {
        (r.topic, r.partition, id_): r.size
        for id_, listed in dirs.items()
        for d in listed
        for r in d.replicas
        if not r.future
    }

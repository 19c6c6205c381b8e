"""A cluster at a glance, from given answers: partitions with their settings, brokers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.analysis.cluster_state import BrokerShare, Placed
from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster, Node
from pykafka_ops.client.configs import ConfigResource
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.log_dirs import LogDirDescription
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.errors import PkoError

MIN_ISR: Final = "min.insync.replicas"
AT_ONCE: Final = 1000
"""Topics whose settings one request asks for."""
Dirs = Mapping[int, Sequence[LogDirDescription]]
"""Log directories by broker, only of those that answered."""
BrokerRow = dict[str, object]
NEAR_BYTES: Final = 64 << 20
"""What may be written to a disk while a broker looks at one directory after the other."""


def topic_settings(
    cluster: Cluster, topics: Sequence[str], keys: Sequence[str]
) -> tuple[dict[str, dict[str, str]], dict[str, PkoError]]:
    """These settings of each topic that may be described, and the topics that may not."""
    found: dict[str, dict[str, str]] = {}
    refused: dict[str, PkoError] = {}
    for start in range(0, len(topics), AT_ONCE):
        asked = [ConfigResource(configs.TOPIC, t) for t in topics[start : start + AT_ONCE]]
        for resource, entries in configs.describe_configs(cluster, asked, keys=keys).items():
            if isinstance(entries, PkoError):
                refused[resource.name] = entries
            else:
                found[resource.name] = {
                    e.name: e.value for e in entries if e.name in keys and e.value is not None
                }
    return found, refused


def min_isr(settings: Mapping[str, Mapping[str, str]]) -> dict[str, int]:
    """min.insync.replicas of each topic of which it is known."""
    values = {topic: found.get(MIN_ISR, "") for topic, found in settings.items()}
    return {topic: int(value) for topic, value in values.items() if value.isdigit()}


def placed(
    topics: Iterable[TopicDescription],
    minimum: Mapping[str, int],
    moves: Mapping[Partition, Reassignment],
) -> list[Placed]:
    """Every partition, with min.insync.replicas and the replicas that a move adds."""
    return [
        Placed(
            t.name, p.number, p.leader, p.replicas, p.isr, minimum.get(t.name),
            len(move.adding) if (move := moves.get((t.name, p.number))) else 0,
        )
        for t in topics
        for p in t.partitions
    ]  # fmt: skip


def bytes_of(dirs: Dirs, broker: int) -> int | None:
    """Bytes of all replicas on a broker; None where it did not say."""
    found = dirs.get(broker)
    return None if found is None else sum(r.size for d in found for r in d.replicas)


class DiskRoom(NamedTuple):
    """Bytes of the disks of a broker, and what may still be written; None: not known."""

    total: int | None
    free: int | None


def disk_room(dirs: Dirs, broker: int) -> DiskRoom:
    """The disks under the directories that gave their numbers, each counted once.

    A broker names directories, not disks, and looks at one after the other. Directories with equal
    totals are on one disk where they say the same free bytes, or nearly the same of a disk that
    holds all they do and more than a tenth of its size. Other disks of the same size could only
    nearly agree by chance, mostly while they are empty: then nothing is said.
    """
    by_total: dict[int, list[LogDirDescription]] = {}
    for d in dirs.get(broker, ()):
        if d.total_bytes > 0 and d.usable_bytes >= 0:
            by_total.setdefault(d.total_bytes, []).append(d)
    if not by_total:
        return DiskRoom(None, None)
    total = free = 0
    for size, found in by_total.items():
        for disk in _alike(found):
            least = disk[0].usable_bytes
            if least != disk[-1].usable_bytes and not _is_one(size, disk):
                return DiskRoom(None, None)
            total, free = total + size, free + least
    return DiskRoom(total, free)


def _alike(found: Iterable[LogDirDescription]) -> list[list[LogDirDescription]]:
    """Directories of equal totals, parted where free bytes differ by more than ``NEAR_BYTES``."""
    groups: list[list[LogDirDescription]] = []
    for d in sorted(found, key=lambda d: d.usable_bytes):
        if groups and d.usable_bytes - groups[-1][-1].usable_bytes <= NEAR_BYTES:
            groups[-1].append(d)
        else:
            groups.append([d])
    return groups


def _is_one(total: int, disk: Sequence[LogDirDescription]) -> bool:
    used = total - disk[0].usable_bytes
    return used >= sum(r.size for d in disk for r in d.replicas) and used * 10 >= total


def broker_rows(
    nodes: Mapping[int, Node],
    controller: int,
    shares: Mapping[int, BrokerShare],
    dirs: Dirs,
    versions: Mapping[int, str],
) -> list[BrokerRow]:
    """A row for every broker of ``shares``, which lives or is named by a partition; ``versions`` of
    those that answered."""
    rows: list[BrokerRow] = []
    for broker, share in shares.items():
        node = nodes.get(broker)
        rows.append(
            {
                "id": broker,
                "address": str(node.address) if node else None,
                "rack": node.rack if node else None,
                "version": versions.get(broker),
                "controller": broker == controller,
                "replicas": share.replicas,
                "lagging": share.lagging,
                "leaders": share.leaders,
                "preferred": share.preferred,
                "imbalance_percent": round(share.imbalance_percent, 1),
                "bytes": bytes_of(dirs, broker),
                "free_bytes": disk_room(dirs, broker).free,
                "state": "down" if node is None else "up" if broker in versions else "silent",
            }
        )
    return rows

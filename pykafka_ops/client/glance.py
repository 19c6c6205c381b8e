"""A cluster at a glance, from given answers: partitions with their settings, brokers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pykafka_ops.analysis.cluster_state import Placed, shares
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


def free_bytes(dirs: Dirs, broker: int) -> int | None:
    """What may still be written; directories with equal numbers are taken for one disk's."""
    answers = {(d.total_bytes, d.usable_bytes) for d in dirs.get(broker, ())}
    usable = [free for _, free in answers if free >= 0]
    return sum(usable) if usable else None


def broker_rows(
    nodes: Mapping[int, Node],
    controller: int,
    partitions: Iterable[Placed],
    dirs: Dirs,
    versions: Mapping[int, str],
) -> list[BrokerRow]:
    """A row for every broker that lives or is named by a partition; ``versions`` of those that
    answered."""
    rows: list[BrokerRow] = []
    for broker, share in shares(partitions, nodes).items():
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
                "free_bytes": free_bytes(dirs, broker),
                "state": "down" if node is None else "up" if broker in versions else "silent",
            }
        )
    return rows

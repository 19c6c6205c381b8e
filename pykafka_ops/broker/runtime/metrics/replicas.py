"""The partitions of a broker (``Partition``, ``ReplicaManager``)."""

from __future__ import annotations

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.runtime.metrics.labels import PartitionLabels
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.metrics.family import Book, Family, Labels

OF_EACH = {
    "UnderReplicated": "1 if a replica is not in the ISR, at the leader",
    "UnderMinIsr": "1 if the ISR is smaller than min.insync.replicas, at the leader",
    "AtMinIsr": "1 if the ISR is as small as min.insync.replicas, at the leader",
    "ReplicasCount": "Replicas of a partition, at the leader",
    "InSyncReplicasCount": "Replicas in the ISR, at the leader",
    "LastStableOffsetLag": "High watermark minus last stable offset",
}
OF_ALL = {
    "LeaderCount": "Partitions that this broker leads",
    "PartitionCount": "Replicas on this broker",
    "OfflineReplicaCount": "Replicas in failed log directories",
    "UnderReplicatedPartitions": "Led partitions with a replica that is not in the ISR",
    "UnderMinIsrPartitionCount": "Led partitions with an ISR smaller than min.insync.replicas",
    "AtMinIsrPartitionCount": "Led partitions with an ISR as small as min.insync.replicas",
    "ReassigningPartitions": "Led partitions that are being reassigned",
    "PartitionsWithLateTransactionsCount": "Led partitions with a transaction open for too long",
}


LATE_MS = 300_000
"""A transaction is late once it is open for so much longer than ``transaction.max.timeout.ms``."""


def collect(parts: Parts, labels: PartitionLabels, book: Book) -> Steps[None]:
    """Each partition, then the sums."""
    each = {
        name: book.bean(f"kafka.cluster:Partition:{name}", what) for name, what in OF_EACH.items()
    }
    sums = dict.fromkeys(OF_ALL, 0)
    for number, partition in enumerate(parts.replicas.all()):
        if not number % STEP:
            yield None
        _collect_one(parts, partition, labels.of(partition.key), each, sums)
    for name, what in OF_ALL.items():
        book.bean(f"kafka.server:ReplicaManager:{name}", what).add(sums[name])


def _collect_one(
    parts: Parts,
    partition: Partition,
    labels: Labels,
    each: dict[str, Family],
    sums: dict[str, int],
) -> None:
    sums["PartitionCount"] += 1
    sums["OfflineReplicaCount"] += partition.offline
    led = partition.is_leader and not partition.offline
    in_sync, replicas = len(partition.isr), len(partition.replicas)
    asked = parts.settings.topic_config(partition.topic).min_insync_replicas
    least = min(asked, replicas)
    under = led and in_sync < replicas - len(partition.adding)
    under_min, at_min = led and in_sync < least, led and in_sync == least
    sums["LeaderCount"] += led
    sums["UnderReplicatedPartitions"] += under
    sums["UnderMinIsrPartitionCount"] += under_min
    sums["AtMinIsrPartitionCount"] += at_min
    sums["ReassigningPartitions"] += led and bool(partition.adding)
    sums["PartitionsWithLateTransactionsCount"] += led and _is_late(parts, partition)
    each["UnderReplicated"].add(int(under), labels)
    each["UnderMinIsr"].add(int(under_min), labels)
    each["AtMinIsr"].add(int(at_min), labels)
    each["ReplicasCount"].add(replicas if led else 0, labels)
    each["InSyncReplicasCount"].add(in_sync if led else 0, labels)
    each["LastStableOffsetLag"].add(_behind(partition) if led else 0, labels)


def _is_late(parts: Parts, partition: Partition) -> bool:
    """As ``ProducerStateManager.hasLateTransaction``."""
    log = partition.used_log
    last = -1 if log is None else log.producers.last_sign_of_oldest()
    if last < 0:
        return False
    longest: int = parts.configs.value("transaction.max.timeout.ms")
    return parts.services.clock() - last > longest + LATE_MS


def _behind(partition: Partition) -> int:
    """In an unused log only transactions that are open at its end are open."""
    log = partition.used_log
    return 0 if log is None else log.high_watermark - log.last_stable_offset

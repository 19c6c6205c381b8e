"""The partitions that a broker hosts (``Partition``, ``ReplicaManager``)."""

from __future__ import annotations

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.runtime.metrics.labels import PartitionLabels
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.state.steps import STEP, Steps
from pykafka_ops.metrics.family import Book, Family, Labels

OF_EACH = {
    "UnderReplicated": "1 if a replica is missing from the ISR of a partition led here",
    "UnderMinIsr": "1 if the ISR is smaller than min.insync.replicas, at the leader",
    "AtMinIsr": "1 if the ISR is just min.insync.replicas, at the leader",
    "ReplicasCount": "Replicas of a partition, at the leader",
    "InSyncReplicasCount": "Replicas in the ISR, at the leader",
    "LastStableOffsetLag": "High watermark minus last stable offset",
}
OF_ALL = {
    "LeaderCount": "Partitions led here",
    "PartitionCount": "Replicas here",
    "OfflineReplicaCount": "Replicas in log directories that failed",
    "UnderReplicatedPartitions": "Partitions led here with a replica missing from the ISR",
    "UnderMinIsrPartitionCount": "Partitions led here with fewer in sync than required",
    "AtMinIsrPartitionCount": "Partitions led here with just as many in sync as required",
    "ReassigningPartitions": "Partitions led here whose replicas are on the move",
    "PartitionsWithLateTransactionsCount": "Partitions led here with a transaction open too long",
}


LATE_MS = 300_000
"""How much longer than ``transaction.max.timeout.ms`` a transaction is open that is late."""


def tell(parts: Parts, labels: PartitionLabels, book: Book) -> Steps[None]:
    """All partitions, then their sums."""
    each = {
        name: book.bean(f"kafka.cluster:Partition:{name}", what) for name, what in OF_EACH.items()
    }
    sums = dict.fromkeys(OF_ALL, 0)
    for number, partition in enumerate(parts.replicas.all()):
        if not number % STEP:
            yield None
        _tell_one(parts, partition, labels.of(partition.key), each, sums)
    for name, what in OF_ALL.items():
        book.bean(f"kafka.server:ReplicaManager:{name}", what).add(sums[name])


def _tell_one(
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
    """Of a log that nobody has used no transaction is open that is not open at its end."""
    log = partition.used_log
    return 0 if log is None else log.high_watermark - log.last_stable_offset

"""Counts restored topics at the target, and compares them with what the backup counted."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.backup.chain import StoredPartition
from pykafka_ops.backup.counting import Counter, Counts
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.fetch import FetchedBatches, end_of, fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import LATEST, Offset, list_offsets
from pykafka_ops.disk.hot.hashing import added
from pykafka_ops.errors import PkoError

PARTITION_BYTES = 8 << 20


class Compared(NamedTuple):
    """One partition at the target: ``problem`` is None where it holds what the backup counted.
    ``records`` are None where they could not be counted."""

    target: Partition
    records: int | None
    problem: str | None


def wanted_of(stored: StoredPartition) -> Counts:
    """What all runs counted together; None each where one did not count."""
    records = size = checksum = 0
    for run in stored.runs:
        if run.records is None or run.bytes is None or run.checksum is None:
            return None, None, None
        records, size = records + run.records, size + run.bytes
        checksum = added(checksum, run.checksum)
    return records, size, checksum


def compare(cluster: Cluster, target: Partition, stored: StoredPartition) -> Compared | None:
    """Read one partition of the target whole; None if the backup has no counts of what it holds."""
    wanted = wanted_of(stored)
    if wanted[0] is None:
        return None
    try:
        found, trouble = _count(cluster, target)
    except PkoError as error:
        return Compared(target, None, in_one_line(error))
    if found[0] is None:
        return Compared(target, None, trouble)
    if found == wanted:
        return Compared(target, found[0], None)
    if found[0] != wanted[0]:
        return Compared(target, found[0], f"{found[0]:,} records, the backup has {wanted[0]:,}")
    return Compared(target, found[0], "other records than the backup has")


def _count(cluster: Cluster, target: Partition) -> tuple[Counts, str | None]:
    answer = list_offsets(cluster, {target: LATEST}, read_committed=True)[target]
    if not isinstance(answer, Offset):
        raise answer
    end, position = answer.offset, 0
    counter = Counter(0, end)
    while position < end:
        found = fetch(
            cluster, {target: position}, partition_bytes=PARTITION_BYTES, read_committed=True
        )[target]
        if not isinstance(found, FetchedBatches):
            raise found
        counter.take(found.records, found.aborted)
        reached = end_of(found.records, position)
        if reached <= position:
            break
        position = reached
    return counter.counts(end), counter.trouble

"""Replicas held against each other, batch by batch up to the high watermark. Pure.

Source: ReplicaVerificationTool.ReplicaBuffer.verifyCheckSum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.replica_fetch import Replica
from pykafka_ops.disk.batch import BatchHeader, scan
from pykafka_ops.errors import CorruptBatchError, PkoError


class OtherOffsetError(PkoError):
    """Replicas have batches that end at other offsets: nothing more can be compared."""

    exit_code = 1


class UnreadableReplicaError(PkoError):
    """A replica gave what is no batch."""

    exit_code = 1


class ComparedReplicas(NamedTuple):
    """Where to go on, and what differs in words."""

    offset: int
    differences: list[str]


def compare(place: Partition, offset: int, replicas: Mapping[int, Replica]) -> ComparedReplicas:
    """Compare what brokers gave of a partition from ``offset`` on.

    Raises OtherOffsetError, UnreadableReplicaError.
    """
    name = f"{place[0]}-{place[1]}"
    walks = {b: scan(replica.records) for b, replica in sorted(replicas.items())}
    said: list[str] = []
    while walks:
        round_ = {b: _next(b, name, offset, walk) for b, walk in walks.items()}
        whole = {
            broker: header
            for broker, header in round_.items()
            if header is not None and header.last_offset < replicas[broker].high_watermark
        }
        first = next(iter(whole), None)
        if first is None:
            break
        mine = whole[first]
        for broker, header in whole.items():
            if header.last_offset != mine.last_offset:
                raise OtherOffsetError(
                    f"partition {name}: replica {first}'s offset {mine.last_offset} doesn't match "
                    f"replica {broker}'s offset {header.last_offset}"
                )
            if header.crc != mine.crc:
                said.append(
                    f"partition {name} has unmatched checksum at offset {header.last_offset}; "
                    f"replica {first}'s checksum {mine.crc}; replica {broker}'s checksum "
                    f"{header.crc}"
                )
        if len(whole) < len(walks):
            break
        offset = mine.next_offset
    return ComparedReplicas(offset, said)


def _next(
    broker: int, name: str, offset: int, walk: Iterator[tuple[int, BatchHeader]]
) -> BatchHeader | None:
    try:
        found = next(walk, None)
    except CorruptBatchError as error:
        raise UnreadableReplicaError(
            f"Error in processing replica {broker} in partition {name} at offset {offset}: {error}"
        ) from None
    return None if found is None else found[1]

"""Bugs to plant into the broker: the simulation is worth something only if it finds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from pykafka_ops.broker.partitions import offset_lookup, read
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.runtime.sockets import exchange
from pykafka_ops.broker.state.controller.broker_rules import BrokerRules
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr
from pykafka_ops.broker.state.groups.shard import GroupShard
from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.state.replication.in_sync import InSync
from pykafka_ops.broker.storage.cleaner.loops import DEAD
from pykafka_ops.broker.storage.cleaner.output import CleanedOutput
from pykafka_ops.broker.storage.cleaner.retain import Retention
from pykafka_ops.broker.storage.log.durability import Durability, FlushJob
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.errors import WireError
from pykafka_ops.wire.codec import decode_at
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.files import MemoryFile

Patch = tuple[Any, str, Any]


def _nothing(*_: object, **__: object) -> None:
    """Left out."""


def _no_steps(*_: object) -> Iterator[Any]:
    """A rule that does nothing."""
    yield from ()


def _joins_anyway(view: InSync, replica: int, *_: object) -> Any:
    if view.pending is not None or replica in view.isr or replica not in view.followers:
        return None
    return view._propose((*view.isr, replica), replica)


_read_records = read._read_records


def _reads_all(read: Any, log: Any, bound: int, budget: Any) -> None:
    _read_records(read, log, log.log_end_offset, budget)


_elect = LeaderAndIsr.elect


def _elects_in_the_same_epoch(state: LeaderAndIsr, *arguments: Any, **rest: Any) -> LeaderAndIsr:
    return _elect(state, *arguments, **rest)._replace(leader_epoch=state.leader_epoch)


_begin = Partition._begin


def _begins_at_nothing(partition: Partition, log: Any) -> None:
    _begin(partition, log)
    log.tail.high_watermark = 0


def _commits_as_follower(replicas: Replicas, topic: str, index: int) -> None:
    partition = replicas.find(topic, index)
    if partition is not None:
        partition.advance_high_watermark()
        replicas.wake_soon(partition.key)


_decode_at = decode_at


def _falls_over(*arguments: Any) -> Any:
    try:
        return _decode_at(*arguments)
    except WireError as error:
        raise ValueError(str(error)) from error


_finish = CleanedOutput.finish


def _finishes_without_a_sync(output: CleanedOutput, *arguments: Any) -> None:
    with patch.object(MemoryFile, "sync", _nothing):
        _finish(output, *arguments)


def _all_are_dead(_: Retention, header: BatchHeader) -> bytearray:
    return bytearray([DEAD]) * (header.next_offset - header.base_offset)


BUGS: dict[str, list[Patch]] = {
    "the watermark waits for nobody": [(InSync, "committed", lambda view, end, *_: end)],
    "anybody may be elected": [(Parts, "_unclean", lambda parts, topic: True)],
    "logs that differ are not noticed": [(read, "_diverges", lambda *_: False)],
    "nothing is written once only": [
        (Producers, "find_duplicate", _nothing),
        (Producers, "_check_sequence", _nothing),
    ],
    "consumers read to the end": [(read, "_read_records", _reads_all)],
    "a new leader forgets what is committed": [
        (Partition, "_begin", _begins_at_nothing),
        (offset_lookup, "_check_committed", _nothing),
    ],
    "leader epochs stay": [(LeaderAndIsr, "elect", _elects_in_the_same_epoch)],
    "anybody may join the ISR": [(InSync, "expand", _joins_anyway)],
    "nobody joins the ISR": [(InSync, "expand", _nothing)],
    "open transactions are read": [(Producers, "first_unstable_offset", -1)],
    "aborts are not indexed": [(Segment, "append_aborted", _nothing)],
    "generations are not compared": [(GroupShard, "may_commit", lambda *_, **__: ErrorCode.NONE)],
    "a clean stop syncs nothing": [(FlushJob, "run", _nothing)],
    "answers do not wait for the disk": [
        (Durability, "flush_soon", _nothing),
        (Durability, "flush", _nothing),
    ],
    "a flush commits": [(Replicas, "flushed", _commits_as_follower)],
    "lost brokers are not missed": [(BrokerRules, "_replicas_lost", _no_steps)],
    "cleaned segments are not synced": [(CleanedOutput, "finish", _finishes_without_a_sync)],
    "cleaning forgets what was written last": [(Retention, "fates_of", _all_are_dead)],
    "malformed requests are not expected": [(exchange, "decode_at", _falls_over)],
}
"""By what is wrong."""


@contextmanager
def planted(bug: str) -> Iterator[None]:
    """While it lasts, the broker has this bug (none if empty)."""
    with ExitStack() as stack:
        for owner, name, value in BUGS.get(bug, ()):
            stack.enter_context(patch.object(owner, name, value))
        yield

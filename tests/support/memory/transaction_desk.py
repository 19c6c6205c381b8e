"""A broker's transactions over logs in memory, on a clock of the test's, killed at any write."""

from __future__ import annotations

from types import MethodType
from typing import Any, NamedTuple

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.state.transactions.metadata import Transaction
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.disk.batch import BatchHeader, scan
from pykafka_ops.disk.control import read_marker
from pykafka_ops.disk.record import iter_records
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from pykafka_ops.wire.messages.end_txn import EndTxnRequest
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest
from tests.support.memory.files import Inode, MemoryFiles
from tests.support.memory.handler_site import ME, Later, Logs, Site, batch, topic_id

STATE = "__transaction_state"
OFFSETS = "__consumer_offsets"


class KilledError(BaseException):
    """The process was killed before a write."""


class Given(NamedTuple):
    """What InitProducerId answered."""

    code: int
    producer_id: int
    epoch: int


class TransactionDesk:
    """``t`` with some partitions, the internal topics, and requests in short.

    ``kill_in`` counts writes to files down: at 0 the next one raises KilledError and does nothing.
    """

    def __init__(self, partitions: int = 2, *, verify: bool = True, **settings: object) -> None:
        self.settings = settings
        self.verify = verify
        self.topics = {STATE: 3, OFFSETS: 2, "t": partitions}
        self.kill_in: int | None = None
        self.epoch = 0
        self.next_id = 1000
        self.now = 1_000_000
        self.files = MemoryFiles()
        self._start(fresh=True)

    def _start(self, *, fresh: bool) -> None:
        self.site = site = Site(**self.settings)
        self.epoch += 1
        site.now = self.now
        site.ids = iter(range(self.next_id, self.next_id + 1000))  # type: ignore[assignment]
        self.next_id += 1000
        if fresh:
            self.files = site.logs.files
            self.files.append = MethodType(_append, self)  # type: ignore[method-assign,assignment]
        else:
            site.logs.files = self.files
            site.logs.home = type(site.logs.home)("/data", self.files, site.logs.home.settings)
        site.logs.home.settings.verify_transactions = self.verify
        if not fresh:
            site.logs.create = MethodType(_reopen, site.logs)  # type: ignore[method-assign]
        for name, count in self.topics.items():
            self._image(name, count)
        hosted: list[Partition] = []
        for name, count in self.topics.items():
            hosted += site.topic(name, count, epoch=self.epoch)
        for name, count in self.topics.items():
            self._image(name, count)
        for partition in hosted:
            if partition.topic != "t":
                site.coordinators.led(partition)

    def _image(self, name: str, count: int) -> None:
        from pykafka_ops.broker.state.image import PartitionImage

        image = PartitionImage(ME, self.epoch, (ME,), (ME,))
        self.site.update({name: dict.fromkeys(range(count), image)})

    def restart(self) -> None:
        """As after kill -9: only the files are left."""
        self.kill_in = None
        self.now = self.site.now
        self.files.crash()
        self._start(fresh=False)

    def pass_time(self, ms: int) -> None:
        """Both clocks go on; the coordinators do what is due."""
        self.site.now += ms
        self.site.pass_time(ms)
        self.site.coordinators.tick()

    # -- requests ----------------------------------------------------------------------------------

    def init(
        self,
        tid: str,
        producer: tuple[int, int] = (-1, -1),
        *,
        timeout: int = 60_000,
        version: int = 4,
    ) -> Given:
        request = InitProducerIdRequest(
            transactional_id=tid,
            transaction_timeout_ms=timeout,
            producer_id=producer[0],
            producer_epoch=producer[1],
        )
        answer = _given(self.site.ask(request, version))
        return Given(answer.error_code, answer.producer_id, answer.producer_epoch)

    def add(
        self,
        tid: str,
        producer: tuple[int, int],
        *partitions: int,
        topic: str = "t",
        version: int = 3,
    ) -> list[int]:
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=tid,
            v3_and_below_producer_id=producer[0],
            v3_and_below_producer_epoch=producer[1],
            v3_and_below_topics=[AddPartitionsToTxnTopic(name=topic, partitions=list(partitions))],
        )
        answer = _given(self.site.ask(request, version))
        results = answer.results_by_topic_v3_and_below
        return [p.partition_error_code for t in results for p in t.results_by_partition]

    def produce(
        self,
        tid: str,
        producer: tuple[int, int],
        index: int,
        sequence: int,
        *values: bytes,
        version: int = 11,
    ) -> int:
        records = batch(
            *values,
            timestamp=self.site.now,
            producer_id=producer[0],
            producer_epoch=producer[1],
            base_sequence=sequence,
            transactional=True,
        )
        answer = self.site.produce(records, index=index, version=version, transactional_id=tid)
        return int(answer.error_code)

    def end(self, tid: str, producer: tuple[int, int], *, commit: bool, version: int = 3) -> int:
        request = EndTxnRequest(
            transactional_id=tid,
            producer_id=producer[0],
            producer_epoch=producer[1],
            committed=commit,
        )
        return int(_given(self.site.ask(request, version)).error_code)

    # -- looking -----------------------------------------------------------------------------------

    def transaction(self, tid: str) -> Transaction:
        coordinator = self.site.services.transactions.coordinator
        return coordinator.slot_of(tid).shard.transactions[tid]

    def log(self, index: int = 0, topic: str = "t") -> Log:
        found = self.site.replicas.find(topic, index)
        assert found is not None
        return found.log

    def lso(self, index: int = 0) -> int:
        return self.log(index).last_stable_offset

    def committed(self, index: int = 0) -> list[bytes]:
        """The values a client that reads committed records is shown."""
        wanted = FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=1 << 24)
        topic = FetchTopic(topic="t", partitions=[wanted])
        request = FetchRequest(isolation_level=1, max_wait_ms=0, max_bytes=1 << 24, topics=[topic])
        (data,) = self.site.ask(request, 11).responses[0].partitions
        aborted = sorted((a.first_offset, a.producer_id) for a in data.aborted_transactions or ())
        return list(_visible(bytes(data.records or b""), aborted))


def _append(desk: TransactionDesk, inode: Inode, path: str, data: bytes) -> None:
    if desk.kill_in is not None:
        if not desk.kill_in:
            raise KilledError
        desk.kill_in -= 1
    MemoryFiles.append(desk.files, inode, path, data)


def _reopen(logs: Logs, topic: str, index: int, config: Any) -> Log:
    log = Log(PartitionDir(logs.home, topic, index, config, topic_id=topic_id(topic)))
    logs.logs[topic, index] = log
    return log


def _given(answer: Any) -> Any:
    return answer.answer if isinstance(answer, Later) else answer


def _visible(data: bytes, aborted: list[tuple[int, int]]) -> Any:
    """What the Java consumer's ``CompletedFetch`` lets through."""
    open_aborts: set[int] = set()
    for position, header in scan(data):
        while aborted and aborted[0][0] <= header.last_offset:
            open_aborts.add(aborted.pop(0)[1])
        records = list(iter_records(data, position, header, 1 << 20))
        if header.is_control:
            if not read_marker(records[0]).type:
                open_aborts.discard(header.producer_id)
        elif not _hidden(header, open_aborts):
            yield from (record.value for record in records)


def _hidden(header: BatchHeader, open_aborts: set[int]) -> bool:
    return header.is_transactional and header.producer_id in open_aborts

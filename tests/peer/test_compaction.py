"""The same directory cleaned by Apache Kafka and by us: the same segments, batches and records."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.data_dir import read_meta
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.checkpoint import parse_offsets
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages, iter_message, read_message_header
from pykafka_ops.disk.record import Record, iter_records
from tests.support.memory.compaction import batches, clean
from tests.support.memory.logs import end_txn
from tests.support.process.apache import ApacheBroker, run_tool
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

SEGMENT = 3000
CONFIG = TopicConfig(
    cleanup_policy=frozenset({"compact"}), segment_bytes=SEGMENT, delete_retention_ms=1000
)
SETTINGS = {
    "log.cleanup.policy": "compact",
    "log.segment.bytes": SEGMENT,
    "log.cleaner.min.cleanable.ratio": "0.000001",
    "log.cleaner.backoff.ms": 100,
    "log.segment.delete.delay.ms": 0,
    "controlled.shutdown.enable": "false",
}
BEGIN = int(time.time() * 1000) - 3_600_000
PARTITIONS = 4
Rows = list[tuple[object, ...]]


class Writer:
    """Appends what producers of many kinds would, by a seed."""

    def __init__(self, log: Log, seed: int) -> None:
        self.log = log
        self.draw = random.Random(seed)
        self.sequences: dict[int, int] = {}

    def records(self, first: int = 0) -> list[Record]:
        now = BEGIN + self.log.log_end_offset
        found = []
        for n in range(self.draw.randint(1, 6)):
            key = b"key-%d" % self.draw.randrange(30)
            value = None if self.draw.random() < 0.2 else self.draw.randbytes(30)
            headers = [("h", b"1")] if self.draw.random() < 0.2 else []
            found.append(Record(first + n, now + n, key, value, headers))
        return found

    def plain(self, codec: Codec) -> None:
        data = memoryview(build_batch(self.records(), codec=codec))
        self.log.append_as_leader(data, leader_epoch=0, now=BEGIN)

    def produced(self, pid: int, codec: Codec, *, transactional: bool) -> None:
        records = self.records()
        sequence = self.sequences.get(pid, 0)
        self.sequences[pid] = sequence + len(records)
        batch = build_batch(
            records,
            codec=codec,
            producer_id=pid,
            producer_epoch=0,
            base_sequence=sequence,
            transactional=transactional,
        )
        self.log.append_as_leader(memoryview(batch), leader_epoch=0, now=BEGIN)

    def transactions(self) -> None:
        """Two transactions side by side; one may be aborted, or empty."""
        for _ in range(self.draw.randint(1, 4)):
            codec = self.draw.choice(list(Codec))
            self.produced(self.draw.choice([21, 22]), codec, transactional=True)
        for pid in (21, 22):
            if pid in self.sequences:
                commit = self.draw.random() < 0.5
                end_txn(self.log, pid, commit=commit, now=BEGIN + self.log.log_end_offset)

    def old(self, magic: int) -> None:
        codec = self.draw.choice([Codec.NONE, Codec.GZIP, Codec.SNAPPY])
        records = [r._replace(headers=()) for r in self.records(self.log.log_end_offset)]
        if codec is Codec.NONE:
            records = records[:1]
        data = build_messages(records, magic, codec=codec)
        self.log.append_as_follower(memoryview(bytearray(data)))

    def write(self, rounds: int) -> None:
        kind = self.log.place.key[1]
        if kind == 1:  # a producer that falls silent, whose records all become obsolete
            self.produced(100 + len(self.sequences), Codec.GZIP, transactional=False)
        for _ in range(rounds):
            if kind == 3:
                self.old(self.draw.choice([0, 1]))
                continue
            codec = self.draw.choice(list(Codec))
            if kind == 0:
                self.plain(codec)
            elif kind == 1:
                self.produced(self.draw.choice([11, 12, 13]), codec, transactional=False)
            else:
                self.transactions()
        self.log.raise_high_watermark(self.log.log_end_offset)


def open_logs(directory: Path) -> LogManager:
    meta = read_meta(RealFiles(), str(directory))
    assert meta is not None and meta.cluster_id is not None
    logs = LogManager(
        [str(directory)], broker_id=0, cluster_id=meta.cluster_id, config_of=lambda _: CONFIG
    )
    logs.open(BEGIN)
    return logs


def prepare(directory: Path) -> None:
    """Fill the partitions; a part is cleaned already, with delete horizons that have passed."""
    logs = open_logs(directory)
    for partition in range(PARTITIONS):
        log = logs.get("t", partition)
        assert log is not None
        writer = Writer(log, partition)
        writer.write(150)
        found = log.compaction.cleanable(BEGIN)
        assert found.cleanable_bytes
        report = clean(logs.files, log, log.compaction.job(found, BEGIN))
        log.compaction.cleaned_to = report.end_offset
        writer.write(150)
    job = logs.dirs[0].collect_cleaner_offsets()
    assert job is not None
    job.run()
    logs.close()


def cleaned(directory: Path) -> dict[tuple[str, int], int]:
    path = directory / "cleaner-offset-checkpoint"
    return parse_offsets(path.read_text()) if path.exists() else {}


def active(directory: Path, partition: int) -> int:
    return max(int(p.stem) for p in (directory / f"t-{partition}").glob("*.log"))


def wait_clean(directory: Path) -> None:
    def done() -> bool:
        offsets = cleaned(directory)
        return all(offsets.get(("t", n)) == active(directory, n) for n in range(PARTITIONS))

    wait_for(done, what=f"clean logs in {directory}: {cleaned(directory)}")


def contents(directory: Path, partition: int) -> Rows:
    """Every batch below the active segment: where, of whom, and its records."""
    logs = open_logs(directory)
    log = logs.get("t", partition)
    assert log is not None
    rows: Rows = [("segments", [s.base_offset for s in log.segments])]
    rows.append(("aborted", [s.aborted() for s in log.segments]))
    for header, data in batches(log):
        if header.magic < 2:
            message = read_message_header(data)
            found = list(iter_message(data, 0, message))
            rows.append((message.magic, message.offset, message.codec, message.timestamp, found))
            continue
        rows.append(
            (
                *header[0:1],
                *(header.last_offset, header.record_count, header.attributes),
                *(header.max_timestamp, header.producer_id, header.producer_epoch),
                *(header.base_sequence, header.partition_leader_epoch),
                list(iter_records(data, 0, header)),
            )
        )
    logs.close()
    return rows


def check_variety(rows: list[Rows]) -> None:
    """The comparison is worth something: all the special cases are there."""
    found = [row for part in rows for row in part[2:] if len(row) == 10]
    flags = [int(str(row[3])) for row in found]
    assert any(f & 0x40 for f in flags), "a delete horizon"
    assert any(f & 0x20 for f in flags), "a marker"
    assert any(row[2] == 0 for row in found), "an emptied batch"
    assert {f & 7 for f in flags} == set(Codec)
    assert {row[0] for row in rows[3][2:]} == {0, 1}, "old formats"
    assert any(len(str(part[0])) > 30 for part in rows), "several segments"


def test_both_keep_the_same(
    tmp_path: Path,
    make_apache: Callable[..., ApacheBroker],
    make_broker: Callable[..., BrokerProcess],
) -> None:
    apache_kafka = make_apache(tmp_path / "apache", SETTINGS)
    apache_kafka.start()
    made = run_tool(
        "kafka-topics",
        *("--bootstrap-server", apache_kafka.bootstrap, "--create", "--topic", "t"),
        *("--partitions", str(PARTITIONS), "--replication-factor", "1"),
    )
    assert made.returncode == 0, made.stderr
    apache_kafka.stop()
    prepare(apache_kafka.data_dir)
    ours = make_broker("ours", **{k.replace(".", "_"): v for k, v in SETTINGS.items()})
    shutil.copytree(apache_kafka.data_dir, ours.data_dir)
    before = [contents(ours.data_dir, n) for n in range(PARTITIONS)]
    logs = open_logs(ours.data_dir)  # leaves the marker of a clean stop behind
    logs.close()

    ours.start()
    wait_clean(ours.data_dir)
    assert ours.stop() == 0
    apache_kafka.start()
    wait_clean(apache_kafka.data_dir)
    apache_kafka.stop()
    assert cleaned(ours.data_dir) == cleaned(apache_kafka.data_dir)
    for n in range(PARTITIONS):
        mine, theirs = contents(ours.data_dir, n), contents(apache_kafka.data_dir, n)
        assert mine == theirs, n
        assert mine != before[n]
    check_variety([contents(ours.data_dir, n) for n in range(PARTITIONS)])

    # what we cleaned opens in Apache Kafka, and is clean for it
    shutil.rmtree(apache_kafka.data_dir)
    shutil.copytree(ours.data_dir, apache_kafka.data_dir)
    apache_kafka.log.write_text("")
    apache_kafka.start()
    wait_for(lambda: _serves(apache_kafka), what="leaders of the cleaned logs")
    apache_kafka.stop()
    said = apache_kafka.log.read_text()
    assert not [w for w in ("ERROR", "corrupt", "uncleanable") if w in said], said[-3000:]
    for n in range(PARTITIONS):
        assert contents(apache_kafka.data_dir, n) == contents(ours.data_dir, n)


def _serves(broker: ApacheBroker) -> bool:
    """Whether it leads what was cleaned: before, a stop interrupts its controller, an ERROR."""
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    partitions = admin.list_topics("t", timeout=300).topics["t"].partitions
    return len(partitions) == PARTITIONS and all(p.leader >= 0 for p in partitions.values())

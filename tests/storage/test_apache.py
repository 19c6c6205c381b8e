"""Apache Kafka and our logs take turns on the same directories."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.data_dir import read_meta
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.disk.snapshot import read_snapshot
from tests.support.golden.segments import CASES, SEGMENTS
from tests.support.memory.logs import NOW, batch_of, end_txn, values
from tests.support.process.apache import ApacheBroker
from tests.support.process.commands import KafkaTools
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

SEGMENT_BYTES, INTERVAL = 1 << 14, 1024
CONFIG = TopicConfig(segment_bytes=SEGMENT_BYTES, index_interval_bytes=INTERVAL)
SETTINGS = {
    "log.segment.bytes": SEGMENT_BYTES,
    "log.index.interval.bytes": INTERVAL,
    "log.retention.ms": -1,
    "log.cleaner.enable": "false",
    "controlled.shutdown.enable": "false",
}


@pytest.fixture
def broker(tmp_path: Path, make_apache: Callable[..., ApacheBroker]) -> ApacheBroker:
    """Not started."""
    return make_apache(tmp_path / "data", SETTINGS)


class Ours:
    """Our side of the directory."""

    def __init__(self, directory: Path) -> None:
        files = RealFiles()
        meta = read_meta(files, str(directory))
        assert meta is not None and meta.cluster_id is not None
        self.logs = LogManager(
            [str(directory)],
            broker_id=0,
            cluster_id=meta.cluster_id,
            config_of=lambda _: CONFIG,
            files=files,
        )
        self.logs.open(NOW)
        self.clean = self.logs.dirs[0].clean

    def log(self, topic: str, partition: int = 0) -> Log:
        log = self.logs.get(topic, partition)
        assert log is not None
        return log

    def kill(self) -> None:
        """Leave the directory as kill -9 does."""
        for data_dir in self.logs.dirs:
            data_dir.unlock()


def produce(tools: KafkaTools, broker: ApacheBroker, topic: str, words: list[str]) -> None:
    done = tools(
        "kafka-console-producer",
        *("--bootstrap-server", broker.bootstrap, "--topic", topic),
        *("--producer-property", "enable.idempotence=true", "--batch-size", "300"),
        text="".join(f"{w}\n" for w in words),
    )
    assert done.code == 0, done.err


def consume(
    tools: KafkaTools, broker: ApacheBroker, topic: str, count: int, *more: str
) -> list[str]:
    done = tools(
        "kafka-console-consumer",
        *("--bootstrap-server", broker.bootstrap, "--topic", topic, "--from-beginning"),
        *("--max-messages", str(count), "--timeout-ms", "30000", *more),
    )
    return done.out.splitlines()


def ends(tools: KafkaTools, broker: ApacheBroker, topic: str) -> str:
    words = ("--bootstrap-server", broker.bootstrap, "--topic", topic)
    return tools("kafka-get-offsets", *words).out.strip()


def check_files(tools: KafkaTools, directory: Path) -> None:
    """Apache's own tool finds no fault with logs and indexes."""
    for path in sorted(directory.glob("*.log")):
        done = tools("kafka-dump-log", "--deep-iteration", "--files", str(path))
        assert done.code == 0 and "isvalid: false" not in done.out, done.err
        assert not done.err.strip(), done.err
        for kind in (".index", ".timeindex"):
            index = path.with_suffix(kind)
            for check in ("--verify-index-only", "--index-sanity-check"):
                done = tools("kafka-dump-log", check, "--files", str(index))
                assert done.code == 0 and not done.err.strip(), done.err


def problems(broker: ApacheBroker) -> list[str]:
    """Lines of the broker's log that a directory in order would not cause."""
    words = ("corrupt", "ERROR", "FATAL", "invalid", "orphaned", "Could not find offset index")
    return [
        line
        for line in broker.log.read_text().splitlines()
        if any(w in line for w in words) and "KafkaConfig values" not in line
    ]


def extend(log: Log, word: str, count: int, epoch: int) -> list[str]:
    """Append single records as a leader of ``epoch``."""
    words = [f"{word}-{n}-{'x' * 100}" for n in range(count)]
    for text in words:
        log.append_as_leader(batch_of(text.encode()), leader_epoch=epoch, now=NOW)
    return words


def add_transactions(log: Log) -> list[str]:
    """One committed, one aborted; what readers of committed data see of them."""
    for pid, commit in ((901, True), (902, False)):
        batch = batch_of(
            b"txn-%d" % pid,
            producer_id=pid,
            producer_epoch=0,
            base_sequence=0,
            transactional=True,
        )
        log.append_as_leader(batch, leader_epoch=log.latest_epoch, now=NOW)
        end_txn(log, pid, commit=commit, now=NOW)
    return ["txn-901"]


def after_a_clean_stop(directory: Path, expected: list[str]) -> None:
    """We find what Apache wrote, and go on."""
    ours = Ours(directory)
    log = ours.log("t")
    assert ours.clean
    assert (log.log_end_offset, log.is_open, log.high_watermark) == (400, False, 400)
    assert [v.decode() for _, v in values(log) if v is not None] == expected
    ((_, producer),) = log.producers
    assert producer.last_sequence == 399
    expected += extend(log, "ours", 300, 7)
    assert len(log.segments) > 2
    expected += add_transactions(log)
    log.raise_high_watermark(log.log_end_offset)
    ours.logs.close()


def after_a_kill(directory: Path, expected: list[str]) -> None:
    """We repair what a killed Apache broker left, go on, and are killed."""
    ours = Ours(directory)
    assert not ours.clean
    log = ours.log("t")
    assert log.log_end_offset == 705
    assert log.aborted_transactions(0, 705) == [(902, 702)]
    expected += extend(log, "again", 100, 9)
    ours.kill()


def test_apache_and_we_take_turns(broker: ApacheBroker, kafka_tools: KafkaTools) -> None:
    broker.start()
    kafka_tools(
        "kafka-topics",
        *("--bootstrap-server", broker.bootstrap, "--create", "--topic", "t"),
        *("--partitions", "1", "--replication-factor", "1"),
    )
    expected = [f"apache-{n}" for n in range(400)]
    produce(kafka_tools, broker, "t", expected)
    broker.stop()
    after_a_clean_stop(broker.data_dir, expected)
    check_files(kafka_tools, broker.data_dir / "t-0")

    broker.start()
    committed = ("--isolation-level", "read_committed")
    assert consume(kafka_tools, broker, "t", 701, *committed) == expected
    assert ends(kafka_tools, broker, "t") == "t:0:704"
    assert problems(broker) == []
    produce(kafka_tools, broker, "t", ["once more"])
    expected.append("once more")
    broker.kill()
    after_a_kill(broker.data_dir, expected)

    broker.start()
    assert consume(kafka_tools, broker, "t", 802, *committed) == expected
    assert problems(broker) == []
    broker.stop()
    ours = Ours(broker.data_dir)
    assert (ours.clean, ours.log("t").log_end_offset) == (True, 805)
    ours.logs.close()


def test_a_second_owner_is_refused_both_ways(broker: ApacheBroker) -> None:
    broker.start()
    with pytest.raises(Exception, match="Failed to acquire lock"):
        Ours(broker.data_dir)
    broker.stop()
    ours = Ours(broker.data_dir)
    with pytest.raises(Exception, match=r"(?s).*"):
        broker.start(seconds=30)
    assert "Failed to acquire lock on file .lock" in broker.log.read_text()
    ours.logs.close()


def listing(directory: Path) -> dict[str, bytes]:
    """Content by file name; without what was deleted, empty, or a snapshot."""
    found = {p.name: p.read_bytes() for p in directory.iterdir()}
    left_out = (".deleted", ".metadata", ".snapshot")
    return {name: data for name, data in found.items() if data and not name.endswith(left_out)}


def last_snapshot(directory: Path) -> tuple[str, set[object]]:
    """Name and producers of the newest snapshot."""
    path = max(directory.glob("*.snapshot"), default=None)
    if path is None:
        return "", set()
    return path.name, set(read_snapshot(path.read_bytes()))


def place(directory: Path) -> None:
    """All golden cases as partitions of topics named after them."""
    for case in CASES:
        target = directory / f"{case}-0"
        shutil.copytree(SEGMENTS / case, target)
        for path in target.iterdir():
            path.chmod(0o644)


def test_recovery_ends_as_apaches_does(tmp_path: Path, broker: ApacheBroker) -> None:
    """All golden directories, damaged or not, after an unclean stop without checkpoints."""
    place(broker.data_dir)
    place(tmp_path / "ours")
    broker.start()
    wait_for(lambda: "started (kafka.server.KafkaServer)" in broker.log.read_text())
    broker.stop()
    assert (broker.data_dir / ".kafka_cleanshutdown").exists()
    ours = LogManager(
        [str(tmp_path / "ours")], broker_id=0, cluster_id="c", config_of=lambda _: CONFIG
    )
    ours.open(NOW)
    for key in ours.partitions():
        log = ours.get(*key)
        assert log is not None
        log.open()
    ours.close()
    differences = {}
    for case in CASES:
        theirs = listing(broker.data_dir / f"{case}-0")
        mine = listing(tmp_path / "ours" / f"{case}-0")
        if theirs == mine:
            their_name, their_producers = last_snapshot(broker.data_dir / f"{case}-0")
            my_name, my_producers = last_snapshot(tmp_path / "ours" / f"{case}-0")
            # Apache expires producers between two segments, by the clock; without any we keep
            # no snapshot, which says the same
            assert my_name in (their_name, "") and their_producers <= my_producers, case
        else:
            names = sorted(set(theirs) | set(mine))
            differences[case] = [
                (n, len(theirs.get(n, b"-")), len(mine.get(n, b"-")))
                for n in names
                if theirs.get(n) != mine.get(n)
            ]
    assert differences == {}

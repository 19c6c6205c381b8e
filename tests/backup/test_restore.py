"""A cluster kept and brought back: the same records, groups that read on where they stood."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import Said, pko
from tests.support.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.slow
BEGIN_MS = int(time.time() * 1000) - 3_600_000
"""Of the first record: within what topics retain."""
Kept = tuple[int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...], int]
"""Partition, key, value, headers, timestamp (ms)."""


class Site(NamedTuple):
    """A broker that is kept, one that gets it back, and the place between."""

    old: BrokerProcess
    new: BrokerProcess
    place: str

    def backup(self, *words: str) -> Said:
        return pko("backup", "run", self.place, "-b", self.old.bootstrap, *words)

    def restore(self, *words: str) -> Said:
        return pko("restore", self.place, "-b", self.new.bootstrap, *words)


@pytest.fixture
def site(make_broker: Callable[..., BrokerProcess], tmp_path: Path) -> Iterator[Site]:
    yield Site(make_broker("old").start(), make_broker("new").start(), str(tmp_path / "kept"))


def produce(
    bootstrap: str, topic: str, first: int, count: int, *, size: int = 0, **settings: object
) -> None:
    """Numbered records over two partitions; some without key or value, with headers. With a
    transactional id each ten are a transaction, and the second of each three is aborted."""
    config: dict[str, Any] = {"bootstrap.servers": bootstrap, "linger.ms": 5, **settings}
    producer = Producer(config)
    in_transactions = "transactional.id" in settings
    if in_transactions:
        producer.init_transactions(PATIENCE)
    for start in range(first, first + count, 10):
        if in_transactions:
            producer.begin_transaction()
        for n in range(start, min(start + 10, first + count)):
            producer.produce(
                topic,
                None if n % 7 == 0 else b"v%d" % n + b"." * size,
                None if n % 5 == 0 else b"k%d" % n,
                n % 2,
                timestamp=BEGIN_MS + n,
                headers=[("n", str(n).encode()), ("empty", None)] if n % 3 == 0 else None,
            )
            producer.poll(0)
        assert producer.flush(PATIENCE) == 0
        if in_transactions and start // 10 % 3 == 1:
            producer.abort_transaction(PATIENCE)
        elif in_transactions:
            producer.commit_transaction(PATIENCE)


def records(bootstrap: str, topic: str, count: int, group: str = "look") -> list[Kept]:
    """The first records that a consumer with read_committed gets, in order by partition."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
        }
    )
    consumer.assign([TopicPartition(topic, n, 0) for n in range(2)])
    found: list[Kept] = []
    try:
        while len(found) < count:
            message = consumer.poll(PATIENCE)
            assert message is not None, f"{len(found)} of {count} records"
            assert message.error() is None
            headers = tuple(message.headers() or ())
            found.append(
                (
                    message.partition(), message.key(), message.value(), headers,
                    message.timestamp()[1],
                )
            )  # fmt: skip
    finally:
        consumer.close()
    return sorted(found, key=lambda kept: kept[0])


def create(bootstrap: str, topic: str, *configs: str) -> None:
    words = [word for config in configs for word in ("--config", config)]
    said = pko("topics", "create", topic, "-p", "2", "-b", bootstrap, *words)
    assert said.code == 0, said.err


def commit(bootstrap: str, group: str, topic: str, offsets: list[int]) -> None:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    consumer.commit(
        offsets=[TopicPartition(topic, n, at) for n, at in enumerate(offsets)], asynchronous=False
    )
    consumer.close()


def committed(bootstrap: str, group: str, topic: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    found = consumer.committed([TopicPartition(topic, n) for n in range(2)], timeout=PATIENCE)
    consumer.close()
    return [one.offset for one in found]


def items(said: Said) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said.out)["items"]
    return found


@pytest.mark.parametrize(
    ("codec", "form"),
    [(codec, "segments") for codec in ("none", "gzip", "snappy", "lz4", "zstd")]
    + [("lz4", "parquet")],
)
def test_records_come_back_as_they_were_with_every_codec(site: Site, codec: str, form: str) -> None:
    create(site.old.bootstrap, "orders", "retention.ms=123456789")
    produce(site.old.bootstrap, "orders", 0, 300, **{"compression.type": codec})
    assert site.backup("--format", form).code == 0
    produce(site.old.bootstrap, "orders", 300, 100, **{"compression.type": codec})
    assert site.backup().code == 0
    restored = site.restore("-o", "json")
    assert (restored.code, [i["state"] for i in items(restored)]) == (0, ["compared"])
    assert records(site.new.bootstrap, "orders", 400) == records(site.old.bootstrap, "orders", 400)
    shown = pko(
        "configs", "--bootstrap-server", site.new.bootstrap, "--describe", "--topic", "orders"
    )
    assert "retention.ms=123456789" in shown.out and "cleanup.policy" not in shown.out


@pytest.mark.parametrize("form", ["segments", "parquet"])
def test_aborted_transactions_stay_behind_and_groups_stand_where_they_stood(
    site: Site, form: str
) -> None:
    create(site.old.bootstrap, "orders")
    produce(site.old.bootstrap, "orders", 0, 300, **{"transactional.id": "t"})
    everything = records(site.old.bootstrap, "orders", 200)
    ends = pko("get-offsets", "orders", "-b", site.old.bootstrap, "-o", "json")
    highs = [i["latest"] for i in sorted(items(ends), key=lambda i: i["partition"])]
    for group, offsets in {"begin": [0, 0], "middle": [66, 78], "end": highs}.items():
        commit(site.old.bootstrap, group, "orders", offsets)
    assert site.backup("--format", form).code == 0
    assert pko("backup", "verify", site.place).code == 0
    assert site.restore().code == 0
    assert records(site.new.bootstrap, "orders", 200) == everything
    for group, offsets in {"begin": [0, 0], "middle": [66, 78], "end": highs}.items():
        theirs = committed(site.new.bootstrap, group, "orders")
        assert left(site.new.bootstrap, theirs) == left(site.old.bootstrap, offsets), group
    left_over = pko("topics", "list", "-b", site.new.bootstrap, "-o", "name").out
    assert "pko-mirror" not in left_over


def left(bootstrap: str, offsets: list[int]) -> list[Kept]:
    """What a group at these offsets still reads: up to the ends, which hold no more records."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap, "group.id": "left", "isolation.level": "read_committed",
            "enable.partition.eof": True, "enable.auto.commit": False,
        }
    )  # fmt: skip
    consumer.assign([TopicPartition("orders", n, at) for n, at in enumerate(offsets)])
    found: list[Kept] = []
    ended = set()
    while len(ended) < 2:
        message = consumer.poll(PATIENCE)
        assert message is not None
        if message.error() is not None:
            ended.add(message.partition())
        else:
            headers = tuple(message.headers() or ())
            found.append(
                (
                    message.partition(), message.key(), message.value(), headers,
                    message.timestamp()[1],
                )
            )  # fmt: skip
    consumer.close()
    return sorted(found, key=lambda kept: kept[0])


def test_a_topic_made_anew_is_kept_beside_the_old_one_and_is_what_comes_back(site: Site) -> None:
    create(site.old.bootstrap, "orders")
    produce(site.old.bootstrap, "orders", 0, 50)
    assert site.backup().code == 0
    assert pko("topics", "delete", "orders", "-b", site.old.bootstrap, "--yes").code == 0
    create(site.old.bootstrap, "orders")
    produce(site.old.bootstrap, "orders", 1000, 20)
    assert site.backup().code == 0
    assert (Path(site.place) / "data-1" / "orders-0").is_dir()
    assert site.restore("--prefix", "new.").code == 0
    assert site.restore("--run", "1", "--prefix", "old.").code == 0
    fresh = records(site.new.bootstrap, "new.orders", 20)
    assert fresh == records(site.old.bootstrap, "orders", 20)
    assert len(records(site.new.bootstrap, "old.orders", 50)) == 50


def kill_soon(words: list[str], appears: Callable[[], bool]) -> None:
    """Run a command, and kill it -9 once something appears."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pykafka_ops", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PKO_BOOTSTRAP_SERVER": ""},
    )
    try:
        wait_for(lambda: appears() or process.poll() is not None)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)


def test_a_restore_that_is_killed_goes_on_and_writes_nothing_twice(site: Site) -> None:
    create(site.old.bootstrap, "orders")
    produce(site.old.bootstrap, "orders", 0, 3000, size=600, **{"batch.num.messages": 20})
    assert site.backup().code == 0

    def begun(least: int) -> bool:
        said = pko("get-offsets", "orders", "-b", site.new.bootstrap, "-o", "json")
        return said.code == 0 and sum(i["latest"] for i in items(said)) > least

    words = ["restore", site.place, "-b", site.new.bootstrap, "--limit", "150kB"]
    for least in (10, 600):
        kill_soon(words, lambda least=least: begun(least))  # type: ignore[misc]
    said = site.restore("-o", "json")
    assert said.code == 0, said.err
    assert [i["state"] for i in items(said)] == ["compared"]
    assert records(site.new.bootstrap, "orders", 3000) == records(
        site.old.bootstrap, "orders", 3000
    )


def test_a_backup_that_is_killed_goes_on(site: Site) -> None:
    create(site.old.bootstrap, "orders")
    produce(site.old.bootstrap, "orders", 0, 3000, size=600, **{"batch.num.messages": 20})
    data = Path(site.place) / "data"
    words = ["backup", "run", site.place, "-b", site.old.bootstrap, "--limit", "150kB"]
    kill_soon(words, lambda: any(data.glob("*/*.part")))
    assert pko("backup", "describe", site.place).code == 1, "no run was complete"
    assert site.backup().code == 0
    assert list(data.glob("*/*.part")) == []
    assert pko("backup", "verify", site.place).code == 0
    assert site.restore().code == 0


def test_damage_is_found_and_restored_up_to_it(site: Site) -> None:
    create(site.old.bootstrap, "orders")
    produce(site.old.bootstrap, "orders", 0, 100, **{"batch.num.messages": 10})
    assert site.backup().code == 0
    file = next((Path(site.place) / "data" / "orders-0").glob("*.log"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    said = pko("backup", "verify", site.place)
    assert said.code == 4 and file.name in said.out
    said = site.restore()
    assert said.code == 1 and "orders-0" in said.err and "CRC" in said.err


@pytest.mark.java
@pytest.mark.parametrize("towards", ["theirs", "ours"])
def test_between_apache_kafka_and_ours(
    make_broker: Callable[..., BrokerProcess], apache: ApacheBroker, tmp_path: Path, towards: str
) -> None:
    ours, topic = make_broker("ours").start().bootstrap, f"backed-up-{towards}"
    old, new = (ours, apache.bootstrap) if towards == "theirs" else (apache.bootstrap, ours)
    create(old, topic)
    produce(old, topic, 0, 300, **{"transactional.id": topic, "compression.type": "lz4"})
    commit(old, topic, topic, [30, 30])
    place = str(tmp_path / "kept")
    only = ("--topic", topic, "--group", topic)
    assert pko("backup", "run", place, "-b", old, *only).code == 0
    said = pko("restore", place, "-b", new, "-o", "json")
    assert said.code == 0, said.err
    assert [i["state"] for i in items(said)] == ["compared"]
    assert records(new, topic, 200) == records(old, topic, 200)
    assert all(at > 0 for at in committed(new, topic, topic))

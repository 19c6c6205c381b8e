"""``pko consume`` as people read: the last records, from a time, to an offset, by key."""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Producer

from tests.conftest import Broker
from tests.support.process.console import pko, start
from tests.support.waiting import wait_for

pytestmark = pytest.mark.live

HOUR = 3_600_000
NOW = int(time.time() * 1000)


@pytest.fixture
def filled(broker: Broker, topic: str) -> str:
    """Three partitions of ten records, a record an hour, the last one now: 0:0, 0:1, ..."""
    made = pko("topics", "create", topic, "--partitions", "3", "-b", broker.bootstrap)
    assert made.returncode == 0, made.stderr
    producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0})
    for n in range(10):
        for partition in range(3):
            producer.produce(
                topic, f"{partition}:{n}", f"key-{n % 2}", partition,
                timestamp=NOW - (9 - n) * HOUR, headers=[("n", str(n))],
            )  # fmt: skip
    assert producer.flush(120) == 0
    return topic


def read(broker: Broker, topic: str, *more: str) -> list[str]:
    """What is printed, in order of partitions and offsets; it ends by itself."""
    said = pko("consume", topic, "-b", broker.bootstrap, *more)
    assert (said.returncode, said.stderr) == (0, b"")
    return sorted(said.stdout.decode().split())


def test_the_last_records_of_each_partition_are_read_and_that_is_the_end(
    broker: Broker, filled: str
) -> None:
    assert read(broker, filled, "--last", "2") == ["0:8", "0:9", "1:8", "1:9", "2:8", "2:9"]
    assert read(broker, filled, "--last", "1", "-p", "0,2") == ["0:9", "2:9"]
    assert read(broker, filled, "--last", "1", "-p", "0", "-p", "2") == ["0:9", "2:9"]
    assert len(read(broker, filled, "--last", "99")) == 30


def test_times_and_offsets_bound_what_is_read(broker: Broker, filled: str) -> None:
    one = ("-p", "1")
    assert read(broker, filled, *one, "--since", "90m") == ["1:8", "1:9"]
    assert read(broker, filled, *one, "--from", str(NOW - HOUR)) == ["1:8", "1:9"]
    assert read(broker, filled, *one, "--to", str(NOW - 8 * HOUR)) == ["1:0", "1:1"]
    span = ("--since", str(NOW - 5 * HOUR), "--until", str(NOW - 4 * HOUR))
    assert read(broker, filled, *one, *span) == ["1:4", "1:5"]
    assert read(broker, filled, *one, "--offset", "3..4") == ["1:3", "1:4"]
    assert read(broker, filled, *one, "--offset", "8..") == ["1:8", "1:9"]
    assert read(broker, filled, "--since", "2100-01-01") == []
    assert read(broker, filled, "--until", "2000-01-01") == []


def test_filters_find_records_and_count_only_those(broker: Broker, filled: str) -> None:
    everything = ("--from-beginning", "--until", "2100-01-01")
    assert read(broker, filled, *everything, "--key", "key-1", "-p", "0") == [
        "0:1", "0:3", "0:5", "0:7", "0:9"
    ]  # fmt: skip
    assert read(broker, filled, *everything, "--value-regex", "^[02]:7$") == ["0:7", "2:7"]
    assert read(broker, filled, *everything, "--header", "n=3") == ["0:3", "1:3", "2:3"]
    assert read(broker, filled, *everything, "--key-regex", "0$", "-n", "2", "-p", "2") == [
        "2:0", "2:2"
    ]  # fmt: skip
    assert read(broker, filled, *everything, "--key", "nothing") == []


def test_following_goes_on_behind_the_end(broker: Broker, filled: str) -> None:
    process = start("consume", filled, "-b", broker.bootstrap, "--last", "1", "--follow",
                    "--key", "key-1", "-p", "0", "-n", "2")  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0:9\n"
        producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        producer.produce(filled, "other", "key-0", 0)
        producer.produce(filled, "new", "key-1", 0)
        assert producer.flush(120) == 0
        assert process.communicate(timeout=300) == (b"new\n", b"")
    finally:
        process.kill()


def test_what_is_written_meanwhile_is_not_waited_for(broker: Broker, topic: str) -> None:
    """The end is where the topic ended at the start, however much comes."""
    made = pko("topics", "create", topic, "-b", broker.bootstrap)
    assert made.returncode == 0
    producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0, "linger.ms": 0})
    for n in range(50):
        producer.produce(topic, f"{n}", partition=0)
    assert producer.flush(120) == 0
    process = start("consume", topic, "-b", broker.bootstrap, "--last", "50")

    def more() -> bool:
        producer.produce(topic, "more", partition=0)
        producer.flush(120)
        return process.poll() is not None

    try:
        wait_for(more, what="the end of reading", poll=0.001)
        lines = process.communicate()[0].split()
    finally:
        process.kill()
    assert len(lines) == 50


def test_transactions_and_their_markers_at_the_end_hold_nothing_up(
    broker: Broker, topic: str
) -> None:
    made = pko("topics", "create", topic, "-b", broker.bootstrap)
    assert made.returncode == 0
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap, "transactional.id": topic, "log_level": 0}
    )
    producer.init_transactions()
    for value, commit in (("a", True), ("b", False)):
        producer.begin_transaction()
        producer.produce(topic, value, partition=0)
        assert producer.flush(120) == 0
        (producer.commit_transaction if commit else producer.abort_transaction)()
    assert read(broker, topic, "--last", "9") == ["a", "b"]
    committed = ("--isolation-level", "read_committed")
    assert read(broker, topic, "--last", "9", *committed) == ["a"]


def test_a_table_and_a_format_of_ones_own_show_where_records_are(
    broker: Broker, filled: str
) -> None:
    said = pko("consume", filled, "-b", broker.bootstrap, "--last", "1", "-p", "1", "-o", "table")
    head, row = said.stdout.decode().splitlines()
    assert head.split() == ["PARTITION", "OFFSET", "TIME", "KEY", "VALUE"]
    assert row.split()[:2] + row.split()[3:] == ["1", "9", "key-1", "1:9"]
    said = pko("consume", filled, "-b", broker.bootstrap, "--last", "1", "-p", "1",
               "--format", r"%t-%p@%o %k %s %h %T\n")  # fmt: skip
    assert said.stdout.decode() == f"{filled}-1@9 key-1 1:9 n=9 {NOW}\n"

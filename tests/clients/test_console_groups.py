"""Console tools beside transactions: what ``pko consume`` and ``produce`` show of them."""

from __future__ import annotations

import json
from typing import Any

import confluent_kafka as ck
import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow


def producer_of(bootstrap: str, identity: str) -> ck.Producer:
    made = ck.Producer({"bootstrap.servers": bootstrap, "transactional.id": identity})
    made.init_transactions(120)
    return made


def transaction(producer: ck.Producer, bootstrap: str, topic: str, *, commit: bool) -> None:
    """One record of partition 0 and an offset of the group ``TOPIC-in``."""
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, "group.id": f"{topic}-in"})
    producer.begin_transaction()
    value = "kept" if commit else "dropped"
    producer.produce(topic, value, partition=0)
    assert producer.flush(120) == 0  # an abort would take back what was not sent yet
    at = [ck.TopicPartition(topic, 0, len(value), metadata=value)]
    producer.send_offsets_to_transaction(at, consumer.consumer_group_metadata(), 120)
    (producer.commit_transaction if commit else producer.abort_transaction)(120)
    consumer.close()


def consumed(bootstrap: str, *words: str, seconds: int = 60) -> list[str]:
    """What it prints until nothing comes for that long."""
    said = pko(
        *("kafka-console-consumer", "--bootstrap-server", bootstrap, *words),
        *("--timeout-ms", str(seconds * 1000)),
    )
    assert said.code == 0, said.err
    return said.out.splitlines()


def formatted(bootstrap: str, topic: str, name: str, about: str, least: int) -> list[Any]:
    """The records of an internal topic, as a formatter of Kafka shows them, ``least`` or more."""
    words = ("--topic", topic, "--from-beginning")
    formatter = ("--formatter", f"org.apache.kafka.tools.consumer.{name}")

    def found() -> list[Any] | None:
        lines = consumed(bootstrap, *words, *formatter, seconds=2)
        got = [json.loads(line) for line in lines if about in line]
        return got if len(got) >= least else None

    return wait_for(found, what=f"{least} records of {topic}") or []


def test_console_tools_keep_to_committed_records(broker: Any, topic: str) -> None:
    where = broker.bootstrap
    ConfluentClient(where).create_topic(topic, 2)
    done = producer_of(where, f"{topic}-done")
    transaction(done, where, topic, commit=True)
    transaction(done, where, topic, commit=False)
    said = pko("produce", "--create", topic, "-b", where, "-p", "0", text="beside\n")
    assert said.code == 0, said.err
    still_open = producer_of(where, f"{topic}-open")
    still_open.begin_transaction()
    still_open.produce(topic, b"still open", partition=1)
    assert still_open.flush(120) == 0
    assert pko("produce", "--create", topic, "-b", where, "-p", "1", text="behind\n").code == 0

    def of_partition(index: int, level: str, *bound: str, seconds: int = 60) -> list[str]:
        words = ("--topic", topic, "--partition", str(index), "--offset", "earliest", *bound)
        return consumed(where, *words, "--isolation-level", level, seconds=seconds)

    two, three = ("--max-messages", "2"), ("--max-messages", "3")
    assert of_partition(0, "read_committed", *two) == ["kept", "beside"]
    assert of_partition(1, "read_committed", seconds=1) == []
    assert of_partition(0, "read_uncommitted", *three) == ["kept", "dropped", "beside"]
    assert of_partition(1, "read_uncommitted", *two) == ["still open", "behind"]
    group = ("--topic", topic, "--group", f"{topic}-out", "--from-beginning")
    committed = (*group, "--isolation-level", "read_committed")
    first = consumed(where, *committed, "--max-messages", "2")
    assert sorted(first) == ["beside", "kept"]
    still_open.commit_transaction(120)
    again = consumed(where, *committed, "--max-messages", "2")
    assert again == ["still open", "behind"], "and not again what it had before"


def test_formatters_show_offsets_and_transactions(broker: Any, topic: str) -> None:
    where = broker.bootstrap
    ConfluentClient(where).create_topic(topic, 1)
    done = producer_of(where, f"{topic}-done")
    transaction(done, where, topic, commit=True)
    transaction(done, where, topic, commit=False)
    found = formatted(where, "__consumer_offsets", "OffsetsMessageFormatter", f"{topic}-in", 2)
    assert [each["key"]["data"] for each in found] == [
        {"group": f"{topic}-in", "topic": topic, "partition": 0}
    ] * 2
    values = [each["value"]["data"] for each in found]
    # confluent-kafka sends metadata with the NUL that ends it
    texts = [(v["offset"], v["metadata"].rstrip("\0")) for v in values]
    assert texts == [(4, "kept"), (7, "dropped")]
    name = "TransactionLogMessageFormatter"
    states = formatted(where, "__transaction_state", name, f"{topic}-done", 7)
    assert {each["key"]["data"]["transactionalId"] for each in states} == {f"{topic}-done"}
    codes = [each["value"]["data"]["transactionStatus"] for each in states]
    empty, ongoing, prepare_commit, prepare_abort, commit, abort = range(6)
    # an ongoing one is written again for each partition that joins it
    once = [code for n, code in enumerate(codes) if n == 0 or codes[n - 1] != code]
    assert once == [empty, ongoing, prepare_commit, commit, ongoing, prepare_abort, abort]

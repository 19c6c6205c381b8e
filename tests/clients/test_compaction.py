"""Compacted topics on a running broker: what consumers see, kills, settings that change."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import confluent_kafka as ck
import pytest
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from tests.support.clients.base import Fetched
from tests.support.clients.confluent import ConfluentClient, fetched
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

MakeBroker = Callable[..., BrokerProcess]
CONFIG = {"cleanup.policy": "compact", "segment.bytes": "20000", "file.delete.delay.ms": "0"}
DIRTY = CONFIG | {"min.cleanable.dirty.ratio": "0.01"}


def compacting(make_broker: MakeBroker, **more: object) -> BrokerProcess:
    return make_broker(log_cleaner_backoff_ms=50, **more)


def fill(client: ConfluentClient, topic: str, rounds: int = 20, first: int = 0) -> None:
    """Each round writes the same 50 keys."""
    settings = {"enable.idempotence": True, "batch.num.messages": 25, "linger.ms": 0}
    producer = ck.Producer({"bootstrap.servers": client.bootstrap, **settings})
    for n in range(first, first + rounds):
        for key in range(50):
            producer.produce(topic, b"%d" % n + b"v" * 100, b"key-%02d" % key, 0)
    assert producer.flush(120) == 0


def read_all(client: ConfluentClient, topic: str) -> list[Fetched]:
    """Every record, however many a compaction left."""
    config = {"bootstrap.servers": client.bootstrap, "group.id": "x", "enable.partition.eof": True}
    consumer = ck.Consumer(config)
    consumer.assign([ck.TopicPartition(topic, 0, 0)])
    found: list[Fetched] = []
    try:
        while True:
            message = consumer.poll(120)
            assert message is not None
            error = message.error()
            if error is None:
                found.append(fetched(message))
                continue
            assert error.code() == ck.KafkaError._PARTITION_EOF, error
            return found
    finally:
        consumer.close()


def set_broker_config(client: ConfluentClient, name: str, value: str) -> None:
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.BROKER, "0", incremental_configs=[entry])
    client.admin.incremental_alter_configs([resource])[resource].result(120)


def segments(broker: BrokerProcess, topic: str) -> list[int]:
    directory = broker.data_dir / f"{topic}-0"
    return sorted(int(p.stem) for p in directory.glob("*.log"))


def cleaned_to(broker: BrokerProcess, topic: str) -> int:
    path = broker.data_dir / "cleaner-offset-checkpoint"
    if not path.exists():
        return -1
    rows = [line.split() for line in path.read_text().splitlines()[2:]]
    return max((int(row[2]) for row in rows if row[0] == topic), default=-1)


def wait_clean(broker: BrokerProcess, topic: str) -> None:
    """Until everything below the active segment is clean."""

    def clean() -> bool:
        return 0 < cleaned_to(broker, topic) == segments(broker, topic)[-1]

    wait_for(clean, what="a clean log")


def children(broker: BrokerProcess) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == broker.running.pid and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def check_last(client: ConfluentClient, topic: str, last: int) -> None:
    """Every key has its newest value, and at most one older copy per key of the active segment."""
    found = read_all(client, topic)
    values = {f.message.key: f.message.value for f in found}
    assert values == {b"key-%02d" % k: b"%d" % last + b"v" * 100 for k in range(50)}
    assert [f.offset for f in found] == sorted({f.offset for f in found})


def test_a_topic_is_compacted_while_it_runs(make_broker: MakeBroker, topic: str) -> None:
    broker = compacting(make_broker).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic, 1, DIRTY)
    fill(client, topic)
    wait_clean(broker, topic)
    check_last(client, topic, 19)
    assert client.offsets(topic) == (0, 1000)
    active = segments(broker, topic)[-1]
    below = [f for f in read_all(client, topic) if f.offset < active]
    assert len({f.message.key for f in below}) == len(below) <= 50
    assert "not compacted" not in broker.log.read_text()
    broker.restart()
    check_last(client, topic, 19)
    fill(client, topic, first=20)
    wait_clean(broker, topic)
    check_last(client, topic, 39)
    broker.kill()
    broker.start()
    check_last(client, topic, 39)
    assert broker.stop() == 0


def test_the_cleaners_process_dies_with_the_broker(make_broker: MakeBroker, topic: str) -> None:
    broker = compacting(make_broker, log_cleaner_io_max_bytes_per_second=1000).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic, 1, DIRTY)
    fill(client, topic)
    wait_for(lambda: children(broker) != [], what="the cleaner's process")
    (child,) = children(broker)
    broker.kill()
    wait_for(lambda: not Path(f"/proc/{child}").exists(), what="the end of the child")
    broker.overrides.clear()
    broker.start()
    check_last(client, topic, 19)


def test_a_killed_cleaner_costs_no_data(make_broker: MakeBroker, topic: str) -> None:
    broker = compacting(make_broker, log_cleaner_io_max_bytes_per_second=1000).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic, 1, DIRTY)
    fill(client, topic)
    wait_for(lambda: children(broker) != [], what="the cleaner's process")
    os.kill(children(broker)[0], signal.SIGKILL)
    wait_for(lambda: "cannot clean" in broker.log.read_text(), what="the broker to notice")
    fill(client, topic, first=20, rounds=2)
    check_last(client, topic, 21)
    assert not list((broker.data_dir / f"{topic}-0").glob("*.cleaned"))


def test_the_rate_can_change_while_it_cleans(make_broker: MakeBroker, topic: str) -> None:
    broker = compacting(make_broker, log_cleaner_io_max_bytes_per_second=1000).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic, 1, DIRTY)
    fill(client, topic)
    wait_for(lambda: children(broker) != [], what="the cleaner's process")
    set_broker_config(client, "log.cleaner.io.max.bytes.per.second", "1e9")
    wait_clean(broker, topic)
    check_last(client, topic, 19)


def test_a_topic_may_go_while_it_is_cleaned(make_broker: MakeBroker, topic: str) -> None:
    broker = compacting(make_broker, log_cleaner_io_max_bytes_per_second=100_000).start()
    client = ConfluentClient(broker.bootstrap)
    for name in (topic, f"{topic}-other"):
        client.create_topic(name, 1, DIRTY)
        fill(client, name)
    wait_for(lambda: children(broker) != [], what="the cleaner's process")
    client.delete_topic(topic)
    wait_clean(broker, f"{topic}-other")
    check_last(client, f"{topic}-other", 19)
    assert "Traceback" not in broker.log.read_text()
    assert broker.stop() == 0


@pytest.mark.parametrize("policy", ["compact", "compact,delete"])
def test_compaction_can_be_turned_off(make_broker: MakeBroker, topic: str, policy: str) -> None:
    broker = compacting(make_broker, log_cleaner_enable="false").start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic, 1, DIRTY | {"cleanup.policy": policy})
    fill(client, topic, 5)
    broker.restart()
    assert len(read_all(client, topic)) == 250
    assert children(broker) == []

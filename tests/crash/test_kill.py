"""kill -9 under load: every acknowledged record is there, in order, once."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.base import Fetched
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.load import IDEMPOTENT, PLAIN, Load, check_ledger
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.process import Process

MakeBroker = Callable[..., BrokerProcess]
KILLS = 5


def read_all(broker: BrokerProcess, topic: str, partition: int = 0) -> list[Fetched]:
    client = ConfluentClient(broker.bootstrap)
    start, end = client.offsets(topic, partition)
    found = client.consume(topic, end - start, partition=partition, start=start)
    assert len(found) == end - start
    return found


@pytest.mark.parametrize("segment_bytes", [1 << 30, 200_000], ids=["one segment", "many segments"])
def test_nothing_acknowledged_is_lost(
    make_broker: MakeBroker, topic: str, segment_bytes: int
) -> None:
    broker = make_broker(log_segment_bytes=segment_bytes).start()
    ConfluentClient(broker.bootstrap).create_topic(topic, 4)
    where = broker.bootstrap
    loads = [
        Load(where, topic, 0, IDEMPOTENT).start(),
        Load(where, topic, 1, IDEMPOTENT | {"compression.type": "lz4"}).start(),
        Load(where, topic, 2, PLAIN | {"acks": "1"}).start(),
        Load(where, topic, 3, PLAIN | {"acks": "all"}).start(),
    ]
    try:
        for _ in range(KILLS):
            for load in loads:
                load.wait_acked(500)
            broker.kill()
            broker.start()
        for load in loads:
            load.wait_acked(200)
            load.finish()
    except BaseException:
        for load in loads:
            load.abandon()
        raise
    for load in loads:
        found = read_all(broker, topic, load.partition)
        check_ledger(load, found, exactly=load.partition < 2)
    assert broker.stop() == 0


def test_a_clean_stop_loses_nothing_and_needs_no_recovery(
    make_broker: MakeBroker, topic: str
) -> None:
    broker = make_broker().start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic)
    load = Load(broker.bootstrap, topic, 0, IDEMPOTENT).start()
    for _ in range(3):
        load.wait_acked(500)
        broker.restart()
    load.finish()
    check_ledger(load, read_all(broker, topic), exactly=True)
    assert broker.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_stop_it_cleanly(make_broker: MakeBroker, topic: str, number: int) -> None:
    broker = make_broker().start()
    ConfluentClient(broker.bootstrap).create_topic(topic)
    broker.running.signal(number)
    assert broker.running.popen.wait(120) == 0
    assert (broker.data_dir / ".kafka_cleanshutdown").exists()


def test_a_kill_while_it_recovers_does_no_harm(make_broker: MakeBroker, topic: str) -> None:
    broker = make_broker(log_segment_bytes=100_000).start()
    ConfluentClient(broker.bootstrap).create_topic(topic)
    load = Load(broker.bootstrap, topic, 0, IDEMPOTENT).start()
    load.wait_acked(3000)
    for pause in (0.05, 0.1, 0.15, 0.2, 0.3):
        broker.kill()
        starting = Process(broker.argv(), broker.log)
        time.sleep(pause)
        starting.kill()
        broker.process = starting
    broker.start()
    load.finish()
    check_ledger(load, read_all(broker, topic), exactly=True)


def first_log(broker: BrokerProcess, topic: str) -> Path:
    return broker.data_dir / f"{topic}-0" / f"{0:020}.log"


@pytest.mark.parametrize("damage", ["cut", "zeros", "noise", "flipped"])
def test_a_torn_tail_is_cut_to_the_last_whole_batch(
    make_broker: MakeBroker, topic: str, damage: str
) -> None:
    broker = make_broker().start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic)
    sent = messages(50)
    client.produce(topic, sent[:25])
    whole = first_log(broker, topic).stat().st_size
    client.produce(topic, sent[25:])
    broker.kill()
    log = first_log(broker, topic)
    data = bytearray(log.read_bytes())
    kept = 25
    if damage == "cut":
        del data[-9:]
    elif damage == "flipped":
        data[whole + 70] ^= 0x40
    else:
        data += bytes(500) if damage == "zeros" else bytes(range(1, 256))
        kept = 50
    log.write_bytes(data)
    broker.start()
    assert client.offsets(topic) == (0, kept)
    assert [f.message for f in client.consume(topic, kept)] == sent[:kept]
    assert client.produce(topic, sent[:5]) == list(range(kept, kept + 5))
    assert broker.stop() == 0


@pytest.mark.parametrize("name", ["index", "timeindex", "snapshot", "leader-epoch-checkpoint"])
def test_missing_side_files_are_made_again(make_broker: MakeBroker, topic: str, name: str) -> None:
    broker = make_broker(log_segment_bytes=20_000, log_index_interval_bytes=100).start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(topic)
    sent = messages(400)
    # one producer for all batches: librdkafka takes half a second to ask for an id
    packed = ConfluentClient(broker.bootstrap, **{"batch.num.messages": 20, "log_level": 0})
    packed.produce(topic, sent, idempotent=True)
    broker.kill()
    for path in first_log(broker, topic).parent.iterdir():
        if path.name.endswith(name):
            path.unlink()
    broker.start()
    assert client.offsets(topic) == (0, 400)
    assert [f.message for f in client.consume(topic, 400)] == sent
    assert client.consume(topic, 1, start=333)[0].message == sent[333]
    assert client.offset_for_time(topic, sent[200].timestamp) is not None
    assert client.produce(topic, sent[:3]) == [400, 401, 402]


def test_topics_settings_and_deletions_survive(make_broker: MakeBroker, topic: str) -> None:
    broker = make_broker().start()
    client = ConfluentClient(broker.bootstrap)
    client.create_topic(f"{topic}-a", 3, {"retention.ms": "77000"})
    client.create_topic(f"{topic}-b", 2)
    client.set_topic_configs(f"{topic}-b", {"max.message.bytes": "5000"})
    client.create_partitions(f"{topic}-b", 4)
    client.produce(f"{topic}-b", messages(20))
    client.delete_records(f"{topic}-b", 5)  # the new start is checkpointed when it stops
    client.delete_topic(f"{topic}-a")
    cluster: Any = client.cluster()
    broker.restart()
    broker.kill()
    broker.start()
    assert client.list_topics() == {f"{topic}-b"}
    assert len(client.describe_topic(f"{topic}-b")) == 4
    assert client.topic_configs(f"{topic}-b")["max.message.bytes"] == "5000"
    assert client.offsets(f"{topic}-b") == (5, 20)
    assert client.cluster() == cluster

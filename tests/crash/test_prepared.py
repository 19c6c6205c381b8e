"""The broker ends between the decision about a transaction and its markers: it is completed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import confluent_kafka as ck
import pytest

from pykafka_ops.wire.messages.describe_transactions import DescribeTransactionsRequest
from tests.crash.test_groups import ENDINGS, end_and_start
from tests.crash.test_transactions import read_committed
from tests.support.clients.confluent import ConfluentClient
from tests.support.cluster.copier import QUICK
from tests.support.cluster.znodes import from_embedded, to_embedded
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for
from tests.support.wire import raw

MakeBroker = Callable[..., BrokerProcess]
COPIED = 7
FEW = {"offsets_topic_num_partitions": 1, "transaction_state_log_num_partitions": 1}
ABSENT = 1
PROBE = b"probe"
NOT_ENOUGH_REPLICAS = 19


@pytest.fixture
def tid(topic: str) -> str:
    return f"{topic}-tx"


def state(bootstrap: str, tid: str) -> str:
    """Of the transaction; empty while the coordinator is loading."""
    link = Link(bootstrap)
    answer: Any = link.ask(DescribeTransactionsRequest(transactional_ids=[tid]), 0)
    link.close()
    return "" if answer == CLOSED else str(answer.transaction_states[0].transaction_state)


def wait_state(bootstrap: str, tid: str, wanted: str) -> None:
    found: list[str] = []

    def there() -> bool:
        found[:] = [state(bootstrap, tid)]
        return found == [wanted]

    wait_for(there, what=wanted, about=found)


def producer_of(bootstrap: str, tid: str) -> ck.Producer:
    made = ck.Producer({"bootstrap.servers": bootstrap, "transactional.id": tid, **QUICK})
    made.init_transactions(120)
    return made


def fill(bootstrap: str, topic: str, producer: ck.Producer) -> None:
    """An open transaction with a record in both partitions and an offset."""
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, "group.id": topic, **QUICK})
    producer.begin_transaction()
    for n in (0, 1):
        producer.produce(topic, b"in it", partition=n)
    at = [ck.TopicPartition(topic, 0, COPIED)]
    producer.send_offsets_to_transaction(at, consumer.consumer_group_metadata(), 120)
    assert producer.flush(120) == 0
    consumer.close()


def committed_offset(bootstrap: str, topic: str) -> int:
    consumer = ck.Consumer({"bootstrap.servers": bootstrap, "group.id": topic, **QUICK})
    (found,) = consumer.committed([ck.TopicPartition(topic, 0)], 120)
    consumer.close()
    return int(found.offset)


def completed(bootstrap: str, topic: str, tid: str, *, commit: bool) -> None:
    """The transaction is whole, to readers and to the group, and the id can be used again."""
    wait_state(bootstrap, tid, "CompleteCommit" if commit else "CompleteAbort")
    kept = [b"in it"] if commit else []
    assert seen(bootstrap, topic) == [kept, kept]
    assert committed_offset(bootstrap, topic) == (COPIED if commit else ck.OFFSET_INVALID)
    again = producer_of(bootstrap, tid)
    again.begin_transaction()
    again.produce(topic, b"next", partition=0)
    again.commit_transaction(120)
    assert seen(bootstrap, topic) == [[*kept, b"next"], kept]


# --- while the markers cannot be written ----------------------------------------------------------


def lose_a_replica(data_dir: Path, topic: str) -> None:
    """Both partitions have a second replica from now on, on a broker that is not there."""
    tree = from_embedded(data_dir)
    path = f"/brokers/topics/{topic}"
    found = json.loads(tree[path])
    found["partitions"] = {index: [0, ABSENT] for index in found["partitions"]}
    to_embedded(data_dir, {path: json.dumps(found).encode()})


def need_replicas(bootstrap: str, topic: str, count: int) -> None:
    """Returns when it is so: brokers apply settings a little later than they answer."""
    client = ConfluentClient(bootstrap)
    client.set_topic_configs(topic, {"min.insync.replicas": str(count)})

    def applied() -> bool:
        with raw.Connection(bootstrap) as connection:
            answer = connection.ask(raw.produce(topic, raw.batch([PROBE]), acks=-1))
        return (raw.produced(answer)[0] == NOT_ENOUGH_REPLICAS) == (count > 1)

    wait_for(applied, what="the setting")


def seen(bootstrap: str, topic: str) -> list[list[bytes]]:
    """The committed records of both partitions, without probes."""
    found = [read_committed(bootstrap, topic, n) for n in (0, 1)]
    return [[value for value in values if value != PROBE] for values in found]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
def test_a_decision_without_markers_outlives_the_broker(
    make_broker: MakeBroker, topic: str, tid: str, ending: str, commit: bool
) -> None:
    broker = make_broker(**FEW).start()
    where = broker.bootstrap
    ConfluentClient(where).create_topic(topic, 2)
    assert broker.stop() == 0
    lose_a_replica(broker.data_dir, topic)
    broker.start()
    producer = producer_of(where, tid)
    fill(where, topic, producer)
    need_replicas(where, topic, 2)
    (producer.commit_transaction if commit else producer.abort_transaction)(120)
    prepared = "PrepareCommit" if commit else "PrepareAbort"
    for _ in range(2):
        wait_state(where, tid, prepared)
        assert seen(where, topic) == [[], []]
        end_and_start(broker, ending)
    wait_state(where, tid, prepared)
    need_replicas(where, topic, 1)
    completed(where, topic, tid, commit=commit)
    assert broker.stop() == 0


# --- between any two writes -----------------------------------------------------------------------


def cut_last_batch(partition: Path) -> None:
    """As if the last batch of a log had never been written."""
    (segment,) = partition.glob("*.log")
    data = segment.read_bytes()
    at = last = 0
    while at < len(data):
        last = at
        at += 12 + int.from_bytes(data[at + 8 : at + 12], "big")
    assert at == len(data) > 0
    with segment.open("r+b") as file:
        file.truncate(last)


def written(data_dir: Path, topic: str) -> list[Path]:
    """Where the end of a transaction was written to, in order: the decision, the markers, done."""

    def used(name: str) -> Path:
        (found,) = (p.parent for p in data_dir.glob(f"{name}-*/*.log") if p.stat().st_size)
        return found

    decided = used("__transaction_state")
    marked = [used("__consumer_offsets"), data_dir / f"{topic}-0", data_dir / f"{topic}-1"]
    return [decided, *marked, decided]


def deaths(data_dir: Path, topic: str, spare: Path) -> Iterator[int]:
    """``data_dir`` as a kill behind each of the writes would have left it; how many were made.

    The last write is taken away first.
    """
    shutil.copytree(data_dir, spare)
    places = written(data_dir, topic)
    for made in range(len(places) - 1, -1, -1):
        cut_last_batch(spare / places[made].name)
        shutil.rmtree(data_dir)
        shutil.copytree(spare, data_dir)
        yield made


@pytest.mark.parametrize("commit", [True, False], ids=["commit", "abort"])
def test_a_transaction_is_whole_whichever_write_was_the_last(
    make_broker: MakeBroker, topic: str, tid: str, tmp_path: Path, commit: bool
) -> None:
    broker = make_broker(**FEW).start()
    where = broker.bootstrap
    ConfluentClient(where).create_topic(topic, 2)
    producer = producer_of(where, tid)
    fill(where, topic, producer)
    (producer.commit_transaction if commit else producer.abort_transaction)(120)
    wait_state(where, tid, "CompleteCommit" if commit else "CompleteAbort")
    broker.kill()
    for made in deaths(broker.data_dir, topic, tmp_path / "spare"):
        broker.start()
        if not made:  # not even the decision
            wait_state(where, tid, "Ongoing")
            assert read_committed(where, topic, 0) == []
            producer_of(where, tid)
            wait_state(where, tid, "Empty")
        else:
            completed(where, topic, tid, commit=commit)
        broker.kill()

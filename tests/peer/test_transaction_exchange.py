"""Transactions go on with the other broker: ids, epochs, open and decided ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import confluent_kafka as ck
import pytest

from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from pykafka_ops.wire.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from tests.support.clients.confluent import ConfluentClient
from tests.support.cluster.znodes import from_zookeeper, hand_over, to_embedded
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for
from tests.support.wire.raw import Connection

pytestmark = [pytest.mark.java, pytest.mark.slow]
Facts = dict[str, tuple[str, int, int, int, tuple[str, ...]]]
OPEN, DONE, UNDONE = "open", "done", "undone"


def producer(bootstrap: str, identity: str) -> ck.Producer:
    made = ck.Producer({"bootstrap.servers": bootstrap, "transactional.id": identity})
    made.init_transactions(120)
    return made


def fill(bootstrap: str) -> list[ck.Producer]:
    """A committed, an aborted and an open transaction; the producers are to be kept."""
    ConfluentClient(bootstrap).create_topic("t", 2, {"retention.ms": "-1"})
    made = []
    for identity in (DONE, UNDONE, OPEN):
        one = producer(bootstrap, identity)
        made.append(one)
        one.begin_transaction()
        for partition in (0, 1):
            one.produce("t", identity.encode(), partition=partition)
        one.flush(120)
    made[0].commit_transaction(120)
    made[1].abort_transaction(120)
    wait_for(
        lambda: (
            {f[0] for f in facts(bootstrap).values()}
            == {"Ongoing", "CompleteCommit", "CompleteAbort"}
        ),
        what="completed transactions",
    )
    return made


def ask(bootstrap: str, request: object, response: type, version: int) -> object:
    with Connection(bootstrap) as connection:
        connection.send(encode_request(request, version, 1, "peer"))
        correlation, body = connection.read()
        data = correlation.to_bytes(4, "big", signed=True) + body
        return decode_response(response, version, data)[1]


def facts(bootstrap: str) -> Facts:
    """State, producer id, epoch, start (ms) and partitions of each id."""
    asked = DescribeTransactionsRequest(transactional_ids=[DONE, UNDONE, OPEN])
    answer = ask(bootstrap, asked, DescribeTransactionsResponse, 0)
    assert isinstance(answer, DescribeTransactionsResponse)
    return {
        s.transactional_id: (
            s.transaction_state or str(s.error_code),
            s.producer_id,
            s.producer_epoch,
            s.transaction_start_time_ms,
            tuple(sorted(f"{t.topic}-{p}" for t in s.topics for p in t.partitions)),
        )
        for s in answer.transaction_states
    }


def loaded(bootstrap: str) -> bool:
    """Whether the coordinators serve every id, and the topic has its leaders."""
    try:
        return all(f[1] >= 0 and f[0] in STATES for f in facts(bootstrap).values()) and all(
            p.leader == 0 for p in ConfluentClient(bootstrap).describe_topic("t")
        )
    except (AssertionError, ConnectionError, ck.KafkaException):
        return False


STATES = {"Ongoing", "CompleteCommit", "CompleteAbort"}


def committed(bootstrap: str, partition: int) -> list[bytes]:
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 20,
        }
    )
    consumer.assign([ck.TopicPartition("t", partition, 0)])
    found: list[bytes] = []
    while (message := consumer.poll(120)) is not None and not message.error():
        found.append(message.value())
    consumer.close()
    return found


def goes_on(bootstrap: str, before: Facts) -> None:
    """Everything is as it was with the other broker, and can be carried on."""
    wait_for(lambda: loaded(bootstrap), what="loaded transactions")
    assert facts(bootstrap) == before
    assert [committed(bootstrap, n) for n in (0, 1)] == [[b"done"], [b"done"]]
    again = producer(bootstrap, OPEN)
    after = facts(bootstrap)
    assert after[OPEN][:3] == ("Empty", before[OPEN][1], before[OPEN][2] + 2)
    again.begin_transaction()
    again.produce("t", b"again", partition=0)
    again.commit_transaction(120)
    assert [committed(bootstrap, n) for n in (0, 1)] == [[b"done", b"again"], [b"done"]]
    asked = InitProducerIdRequest(transactional_id=DONE, transaction_timeout_ms=1000)
    found = ask(bootstrap, asked, InitProducerIdResponse, 4)
    assert isinstance(found, InitProducerIdResponse)
    assert (found.producer_id, found.producer_epoch) == (before[DONE][1], before[DONE][2] + 1)


def test_apache_kafka_goes_on_with_our_transactions_after_a_kill(
    tmp_path: Path,
    zookeeper: ZooKeeper,
    make_apache: Callable[..., ApacheBroker],
    make_broker: Callable[..., BrokerProcess],
) -> None:
    ours = make_broker("data").start()
    kept = fill(ours.bootstrap)
    before = facts(ours.bootstrap)
    ours.kill()
    logs = tmp_path / "for-apache"
    hand_over(ours.data_dir, logs, zookeeper.connect)
    theirs = make_apache(logs).start()
    goes_on(theirs.bootstrap, before)
    theirs.stop()
    del kept


def test_we_go_on_with_transactions_of_apache_kafka_after_a_kill(
    tmp_path: Path,
    zookeeper: ZooKeeper,
    make_apache: Callable[..., ApacheBroker],
    make_broker: Callable[..., BrokerProcess],
) -> None:
    theirs = make_apache(tmp_path / "data").start()
    kept = fill(theirs.bootstrap)
    before = facts(theirs.bootstrap)
    theirs.kill()
    logs = tmp_path / "for-us"
    shutil.copytree(theirs.data_dir, logs)
    to_embedded(logs, from_zookeeper(zookeeper.connect))
    ours = make_broker("ours", data_dir=logs).start()
    goes_on(ours.bootstrap, before)
    assert ours.stop() == 0
    del kept

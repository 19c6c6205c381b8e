"""The broker ends in each phase of a rebalance and of a transaction: clients go on afterwards."""

from __future__ import annotations

from collections.abc import Callable

import confluent_kafka as ck
import pytest

from scripts.benchmarks.group_loads import (
    NOT_YET,
    REBALANCE_IN_PROGRESS,
    Link,
    Member,
    meet,
)
from tests.crash.test_transactions import read_committed
from tests.support.clients.confluent import ConfluentClient
from tests.support.cluster.copier import QUICK
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

MakeBroker = Callable[..., BrokerProcess]
NONE, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID = 0, 22, 25
ENDINGS = ["stop", "kill"]


def end_and_start(broker: BrokerProcess, ending: str) -> None:
    if ending == "stop":
        broker.restart()
    else:
        broker.kill()
        broker.start()


def join_again(old: list[Member], new: Member) -> None:
    """The third member's JoinGroup waits for the other two."""
    new.send_join()
    wait_for(lambda: old[0].heartbeat() == REBALANCE_IN_PROGRESS, what="the rebalance")


def join_all(old: list[Member], new: Member) -> None:
    """All have joined, nobody has asked for an assignment."""
    everybody = [*old, new]
    join_again(old, new)
    for member in old:
        member.send_join()
    assert [member.read_join() for member in everybody] == [NONE] * 3


def sync_followers(old: list[Member], new: Member) -> None:
    """The followers wait for what the leader assigns."""
    join_all(old, new)
    for member in (*old, new):
        if member.id != member.leader:
            member.send_sync()
    for member in (*old, new):
        if member.id == member.leader:
            assert member.heartbeat() == NONE  # read after what the others have sent


def sync_all(old: list[Member], new: Member) -> None:
    """The generation is complete, and so in the log."""
    join_all(old, new)
    everybody = [*old, new]
    for member in everybody:
        member.send_sync()
    assert [member.read_sync() for member in everybody] == [NONE] * 3


def answer_of(member: Member) -> int:
    """What a heartbeat is answered once the coordinator has been loaded."""
    code = NOT_YET[0]

    def said() -> bool:
        nonlocal code
        code = member.heartbeat()
        return code not in NOT_YET

    wait_for(said, what="the coordinator")
    return code


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("phase", "codes"),
    [
        (join_again, [NONE, NONE, UNKNOWN_MEMBER_ID]),
        (join_all, [ILLEGAL_GENERATION, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID]),
        (sync_followers, [ILLEGAL_GENERATION, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID]),
        (sync_all, [NONE, NONE, NONE]),
    ],
)
def test_only_complete_generations_outlive_the_broker(
    make_broker: MakeBroker,
    ending: str,
    phase: Callable[[list[Member], Member], None],
    codes: list[int],
) -> None:
    broker = make_broker(group_initial_rebalance_delay_ms=0).start()
    old = [Member(broker.bootstrap, "g") for _ in range(2)]
    old[0].link.find_coordinator("g")
    meet(old[:1])
    meet(old)
    stored = old[0].generation
    new = Member(broker.bootstrap, "g")
    new.send_join()
    new.read_join()  # the id to join with
    phase(old, new)
    end_and_start(broker, ending)
    everybody = [*old, new]
    for member, code in zip(everybody, codes, strict=True):
        member.link.close()
        member.link = Link(broker.bootstrap)
        assert answer_of(member) == code
        if code == UNKNOWN_MEMBER_ID:
            member.id = ""
        elif code == ILLEGAL_GENERATION:
            member.generation = stored
    other = Member(broker.bootstrap, "g")
    other.send_join()
    other.read_join()
    join_again(old, other)
    meet(everybody)
    assert {member.heartbeat() for member in everybody} == {NONE}
    assert {member.generation > stored for member in everybody} == {True}
    assert [member.assignment for member in everybody] == [m.id.encode() for m in everybody]
    assert broker.stop() == 0


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("commit", [True, False])
def test_an_open_transaction_outlives_the_broker(
    make_broker: MakeBroker, topic: str, ending: str, commit: bool
) -> None:
    broker = make_broker().start()
    ConfluentClient(broker.bootstrap).create_topic(topic, 1)
    where = {"bootstrap.servers": broker.bootstrap, **QUICK}
    consumer = ck.Consumer({**where, "group.id": topic})
    # librdkafka 2.16 may wait for ever for a coordinator that is just being made
    consumer.committed([ck.TopicPartition(topic, 0)], 120)
    producer = ck.Producer({**where, "transactional.id": topic})
    producer.init_transactions(120)
    producer.begin_transaction()
    producer.produce(topic, b"before", partition=0)
    producer.flush(120)
    end_and_start(broker, ending)
    producer.produce(topic, b"between", partition=0)
    producer.flush(120)
    at = [ck.TopicPartition(topic, 0, 7)]
    producer.send_offsets_to_transaction(at, consumer.consumer_group_metadata(), 120)
    end_and_start(broker, ending)
    assert read_committed(broker.bootstrap, topic, 0) == []
    (producer.commit_transaction if commit else producer.abort_transaction)(120)
    end_and_start(broker, ending)
    kept = [b"before", b"between"] if commit else []
    assert read_committed(broker.bootstrap, topic, 0) == kept
    (found,) = consumer.committed([ck.TopicPartition(topic, 0)], 120)
    assert found.offset == (7 if commit else ck.OFFSET_INVALID)
    consumer.close()
    assert broker.stop() == 0

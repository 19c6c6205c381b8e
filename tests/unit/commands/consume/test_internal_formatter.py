"""Records of the internal topics are shown as Kafka's formatters, new and old, show them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.commands.consume.internal_formatter import internal_formatter
from pykafka_ops.commands.consume.printing import DEPRECATED, formatter
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.internal import (
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
    TransactionLogKey,
    TransactionLogValue,
    TransactionPartitions,
    encode,
)
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import DeserializeError
from tests.support.golden.damage import batches

COMMIT_KEY = encode(OffsetCommitKey(group="g1", topic="orders", partition=2), 1)
COMMIT = encode(
    OffsetCommitValue(offset=5, leader_epoch=0, metadata="m", commit_timestamp=1700000000000), 3
)
GROUP_KEY = encode(GroupMetadataKey(group="g1"), 2)
MEMBER = MemberMetadata(
    member_id="c-1",
    group_instance_id="i",
    client_id="c",
    client_host="/127.0.0.1",
    rebalance_timeout=300000,
    session_timeout=45000,
    subscription=b"\0\1",
    assignment=b"",
)
GROUP = encode(
    GroupMetadataValue(
        protocol_type="consumer",
        generation=1,
        protocol="range",
        leader="c-1",
        current_state_timestamp=1700000000000,
        members=[MEMBER],
    ),
    3,
)
TRANSACTION_KEY = encode(TransactionLogKey(transactional_id="tx"), 0)
TRANSACTION = encode(
    TransactionLogValue(
        producer_id=7,
        producer_epoch=1,
        transaction_timeout_ms=60000,
        transaction_status=1,
        transaction_partitions=[TransactionPartitions(topic="t", partition_ids=[1, 0])],
        transaction_last_update_timestamp_ms=20,
        transaction_start_timestamp_ms=10,
    ),
    0,
)
LATER_TYPE = b"\0\3\0\2g1"


class Message:
    def __init__(self, key: bytes | None, value: bytes | None) -> None:
        self._key, self._value = key, value

    def key(self) -> bytes | None:
        return self._key

    def value(self) -> bytes | None:
        return self._value


def show(kind: str, key: bytes | None, value: bytes | None, *, old: bool = False) -> str:
    name = next(n for n, short in DEPRECATED.items() if short == kind) if old else kind
    return formatter(name, {}).format(Message(key, value)).decode()


def test_commits_are_json_lines() -> None:
    assert show("OffsetsMessageFormatter", COMMIT_KEY, COMMIT) == (
        '{"key":{"version":1,"data":{"group":"g1","topic":"orders","partition":2}},'
        '"value":{"version":3,"data":{"offset":5,"leaderEpoch":0,"metadata":"m",'
        '"commitTimestamp":1700000000000}}}\n'
    )


def test_tombstones_have_a_null_value() -> None:
    assert show("OffsetsMessageFormatter", COMMIT_KEY, None).endswith('"value":null}\n')
    assert show("TransactionLogMessageFormatter", TRANSACTION_KEY, None) == (
        '{"key":{"version":0,"data":{"transactionalId":"tx"}},"value":null}\n'
    )
    assert show("OffsetsMessageFormatter", COMMIT_KEY, None, old=True) == "[g1,orders,2]::NULL\n"
    assert show("GroupMetadataMessageFormatter", GROUP_KEY, None, old=True) == "g1::NULL\n"
    assert show("TransactionLogMessageFormatter", TRANSACTION_KEY, None, old=True) == "tx::NULL\n"


def test_groups_are_json_lines() -> None:
    assert show("GroupMetadataMessageFormatter", GROUP_KEY, GROUP) == (
        '{"key":{"version":2,"data":{"group":"g1"}},"value":{"version":3,"data":{"protocolType":'
        '"consumer","generation":1,"protocol":"range","leader":"c-1","currentStateTimestamp":'
        '1700000000000,"members":[{"memberId":"c-1","groupInstanceId":"i","clientId":"c",'
        '"clientHost":"/127.0.0.1","rebalanceTimeout":300000,"sessionTimeout":45000,'
        '"subscription":"AAE=","assignment":""}]}}}\n'
    )


def test_each_formatter_passes_over_the_other_kind() -> None:
    for old in (False, True):
        assert show("OffsetsMessageFormatter", GROUP_KEY, GROUP, old=old) == ""
        assert show("GroupMetadataMessageFormatter", COMMIT_KEY, COMMIT, old=old) == ""
    assert show("OffsetsMessageFormatter", None, b"x") == ""


def test_transactions_are_json_lines() -> None:
    assert show("TransactionLogMessageFormatter", TRANSACTION_KEY, TRANSACTION) == (
        '{"key":{"version":0,"data":{"transactionalId":"tx"}},"value":{"version":0,"data":'
        '{"producerId":7,"producerEpoch":1,"transactionTimeoutMs":60000,"transactionStatus":1,'
        '"transactionPartitions":[{"topic":"t","partitionIds":[1,0]}],'
        '"transactionLastUpdateTimestampMs":20,"transactionStartTimestampMs":10}}}\n'
    )


def test_old_formatters_print_what_scala_printed() -> None:
    assert show("OffsetsMessageFormatter", COMMIT_KEY, COMMIT, old=True) == (
        "[g1,orders,2]::OffsetAndMetadata(offset=5, leaderEpoch=Optional[0], metadata=m, "
        "commitTimestamp=1700000000000, expireTimestamp=None)\n"
    )
    assert show("GroupMetadataMessageFormatter", GROUP_KEY, GROUP, old=True) == (
        "g1::GroupMetadata(groupId=g1, generation=1, protocolType=Some(consumer), "
        "currentState=Stable, members=HashMap(c-1 -> MemberMetadata(memberId=c-1, "
        "groupInstanceId=Some(i), clientId=c, clientHost=/127.0.0.1, sessionTimeoutMs=45000, "
        "rebalanceTimeoutMs=300000, supportedProtocols=List(range))))\n"
    )
    assert show("TransactionLogMessageFormatter", TRANSACTION_KEY, TRANSACTION, old=True) == (
        "tx::TransactionMetadata(transactionalId=tx, producerId=7, producerEpoch=1, "
        "txnTimeoutMs=60000, state=Ongoing, pendingState=None, topicPartitions=HashSet(t-0, t-1), "
        "txnStartTimestamp=10, txnLastUpdateTimestamp=20)\n"
    )


def test_records_of_newer_brokers_are_unknown_not_errors() -> None:
    assert show("OffsetsMessageFormatter", LATER_TYPE, None) == (
        '{"key":{"version":3,"data":"unknown"},"value":null}\n'
    )
    assert show("OffsetsMessageFormatter", LATER_TYPE, None, old=True) == ""
    assert show("TransactionLogMessageFormatter", b"\0\7x", b"\0\1") == (
        '{"key":{"version":7,"data":"unknown"},"value":{"version":1,"data":"unknown"}}\n'
    )


@pytest.mark.parametrize("old", [False, True])
def test_damage_is_an_error_of_that_record(old: bool) -> None:
    for kind, key, value in (
        ("OffsetsMessageFormatter", COMMIT_KEY[:-1], None),
        ("GroupMetadataMessageFormatter", GROUP_KEY, GROUP[:20]),
        ("TransactionLogMessageFormatter", TRANSACTION_KEY, TRANSACTION[:9]),
    ):
        with pytest.raises(DeserializeError):
            show(kind, key, value, old=old)


KAFKA4 = Path(__file__).parents[3] / "golden" / "kafka4"


def golden(topic: str) -> list[tuple[bytes | None, bytes | None]]:
    """Keys and values that Kafka 4.3.1 wrote."""
    found = []
    for path in sorted(KAFKA4.glob(f"{topic}-*/*.log")):
        for batch in batches(path):
            header = read_header(batch, 0)
            if header.is_control:
                continue
            found += [(r.key, r.value) for r in iter_records(batch, 0, header, 1 << 20)]
    return found


def lines(kind: str, topic: str) -> list[Any]:
    """What a formatter makes of all of them."""
    made = internal_formatter(kind, old=False)
    texts = [made.format(Message(key, value)).decode() for key, value in golden(topic)]
    return [json.loads(text) for text in texts if text]


def test_groups_of_every_kind_are_decoded() -> None:
    found = lines("groups", "__consumer_offsets")
    kinds = {line["key"]["version"] for line in found}
    assert {2, 3, 5, 10, 15, 16, 17, 19, 23} <= kinds
    assert all(line["key"]["data"] != "unknown" for line in found)


def test_share_groups_are_shown_as_kafka_4_shows_them() -> None:
    first = lines("ShareGroupMessageFormatter", "__consumer_offsets")[0]
    assert first["key"] == {
        "type": 10, "data": {"groupId": "sh", "memberId": "h9VBaDW6QYyPEoDECmPcNg"}
    }  # fmt: skip
    assert first["value"]["data"]["subscribedTopicNames"] == ["orders"]
    state = lines("group.share.ShareGroupStateMessageFormatter", "__share_group_state")
    assert [line["key"]["type"] for line in state] == [0, 1]
    assert state == lines("share-group-state", "__share_group_state")


@pytest.mark.parametrize("kind", ["OffsetsMessageFormatter", "GroupMetadataMessageFormatter"])
def test_no_record_of_kafka_4_ends_a_formatter_of_3_9(kind: str) -> None:
    assert lines(kind, "__consumer_offsets")

"""Records of the internal topics."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import internal
from pykafka_ops.disk.internal import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
    TopicPartitions,
    TransactionLogKey,
    TransactionLogValue,
    TransactionPartitions,
    encode,
    read_offsets_record,
)
from pykafka_ops.disk.schema import to_json
from pykafka_ops.errors import CorruptError
from tests.support.raising import raises_only

COMMIT_KEY = OffsetCommitKey(group="g", topic="orders", partition=3)
TEXT = st.text(max_size=20)


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
@given(
    offset=st.integers(-1, 2**63 - 1),
    epoch=st.integers(-1, 2**31 - 1),
    metadata=TEXT,
    group=TEXT,
    partition=st.integers(0, 2**31 - 1),
)
def test_offset_commits_round_trip_in_every_version(
    version: int, offset: int, epoch: int, metadata: str, group: str, partition: int
) -> None:
    key = OffsetCommitKey(group=group, topic="t", partition=partition)
    value = OffsetCommitValue(
        offset=offset, leader_epoch=epoch, metadata=metadata, commit_timestamp=5, expire_timestamp=6
    )
    found = read_offsets_record(encode(key, 1), encode(value, version))
    assert (found.type, found.value_version, found.key) == (1, version, key)
    assert isinstance(found.value, OffsetCommitValue)
    assert (found.value.offset, found.value.metadata) == (offset, metadata)
    assert found.value.leader_epoch == (epoch if version >= 3 else -1)
    assert found.value.expire_timestamp == (6 if version == 1 else -1)
    assert encode(found.value, version) == encode(value, version)


def test_an_offset_commit_has_kafkas_bytes() -> None:
    value = OffsetCommitValue(offset=5, metadata="m", commit_timestamp=7)
    assert encode(COMMIT_KEY, 1).hex() == "000100016700066f726465727300000003"
    assert encode(value, 3).hex() == ("00030000000000000005ffffffff00016d0000000000000007")


MEMBER = MemberMetadata(
    member_id="m-1",
    group_instance_id="i",
    client_id="c",
    client_host="/1.2.3.4",
    rebalance_timeout=3,
    session_timeout=4,
    subscription=b"s",
    assignment=b"",
)


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_group_metadata_round_trips_in_every_version(version: int) -> None:
    value = GroupMetadataValue(
        protocol_type="consumer",
        generation=2,
        protocol=None,
        leader="m-1",
        current_state_timestamp=9,
        members=[MEMBER],
    )
    found = read_offsets_record(encode(GroupMetadataKey(group="g"), 2), encode(value, version))
    assert found.type == 2 and isinstance(found.value, GroupMetadataValue)
    assert found.value.current_state_timestamp == (9 if version >= 2 else -1)
    (member,) = found.value.members
    assert member.rebalance_timeout == (3 if version >= 1 else -1)
    assert member.group_instance_id == ("i" if version >= 3 else None)
    assert (member.subscription, member.client_host) == (b"s", "/1.2.3.4")


def test_tombstones_have_no_value() -> None:
    assert read_offsets_record(encode(COMMIT_KEY, 1), None).value is None
    assert read_offsets_record(encode(COMMIT_KEY, 0), None) == (0, COMMIT_KEY, -1, None)


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("partitions", [None, [("a", [1, 2]), ("b", [])]])
def test_transaction_records_round_trip(version: int, partitions: Any) -> None:
    value = TransactionLogValue(
        producer_id=1,
        producer_epoch=2,
        transaction_timeout_ms=3,
        transaction_status=1,
        transaction_partitions=partitions
        and [TransactionPartitions(topic=t, partition_ids=p) for t, p in partitions],
        transaction_last_update_timestamp_ms=5,
        transaction_start_timestamp_ms=6,
    )
    assert internal.read_transaction_value(encode(value, version)) == value
    key = TransactionLogKey(transactional_id="tx")
    assert internal.read_transaction_key(encode(key, 0)) == key


@pytest.mark.parametrize("version", [0, 1, 2, 3, 9])
def test_consumer_protocol_round_trips(version: int) -> None:
    owned = [TopicPartitions(topic="a", partitions=[0, 1])]
    subscription = ConsumerProtocolSubscription(
        topics=["a", "b"], user_data=b"u", owned_partitions=owned, generation_id=4, rack_id="r"
    )
    found_version, found = internal.read_subscription(encode(subscription, version))
    assert found_version == version
    assert found.topics == ["a", "b"] and found.user_data == b"u"
    assert found.owned_partitions == (owned if version else [])
    assert (found.generation_id, found.rack_id) == (
        4 if version >= 2 else -1,
        "r" if version >= 3 else None,
    )
    assignment = ConsumerProtocolAssignment(assigned_partitions=owned, user_data=None)
    assert internal.read_assignment(encode(assignment, version)) == (version, assignment)


def test_json_has_kafkas_names_and_leaves_out_what_a_version_lacks() -> None:
    value = OffsetCommitValue(offset=1, metadata="m", commit_timestamp=2, expire_timestamp=3)
    assert list(to_json(value, 3)) == ["offset", "leaderEpoch", "metadata", "commitTimestamp"]
    assert list(to_json(value, 1)) == ["offset", "metadata", "commitTimestamp", "expireTimestamp"]
    assert to_json(MEMBER, 3)["subscription"] == "cw=="
    assert "groupInstanceId" not in to_json(MEMBER, 2)


def test_unknown_tagged_fields_are_skipped() -> None:
    value = OffsetCommitValue(offset=1, metadata="m", commit_timestamp=2)
    data = encode(value, 4)[:-1] + b"\x02" + b"\x05\x03abc" + b"\x09\x00"
    assert read_offsets_record(encode(COMMIT_KEY, 1), data).value == value


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (b"", None, "Could not read version from key's buffer."),
        (b"\x00\x01\x00", None, "version 1 from key's buffer due to: null."),
        (b"\x00\x01\xff\xff", None, "due to: non-nullable field group was serialized as null."),
        (b"\x00\x02\x00\x05ab", None, "5 byte(s): only 2 byte(s) available."),
        (encode(COMMIT_KEY, 1), b"\x00", "Could not read version from value's buffer."),
        (encode(COMMIT_KEY, 1), b"\x00\x03", "version 3 from value's buffer due to: null."),
        (
            encode(GroupMetadataKey(group="g"), 2),
            bytes.fromhex("0000000000000000000000007fffffff"),
            "collection of size 2147483647, but there are only 0 bytes remaining.",
        ),
        (
            encode(GroupMetadataKey(group="g"), 2),
            bytes.fromhex("000000000000000000000000ffffffff"),
            "non-nullable field members was serialized as null",
        ),
    ],
)
def test_damage_is_told_in_kafkas_words(key: bytes, value: bytes | None, reason: str) -> None:
    with pytest.raises(CorruptError) as caught:
        read_offsets_record(key, value)
    assert reason in str(caught.value)


def test_unknown_types_are_told_apart() -> None:
    with pytest.raises(internal.UnknownRecordType) as caught:
        read_offsets_record(b"\x6b\x31", None)
    assert caught.value.record_type == 0x6B31
    with pytest.raises(internal.UnknownRecordType):
        internal.read_transaction_key(b"\x00\x09")
    with pytest.raises(CorruptError, match="Unknown version 7"):
        internal.read_transaction_value(b"\x00\x07")


@given(st.integers(0, 24), st.binary(max_size=60), st.none() | st.binary(max_size=80))
def test_noise_gives_a_record_or_a_corrupt_error(
    kind: int, key: bytes, value: bytes | None
) -> None:
    with raises_only(CorruptError):
        read_offsets_record(kind.to_bytes(2, "big") + key, value)
    for read in (
        internal.read_subscription,
        internal.read_assignment,
        internal.read_transaction_value,
        internal.read_transaction_key,
    ):
        with raises_only(CorruptError):
            read(b"\x00\x00" + key)


def test_nulls_where_a_version_has_none_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="may not be null"):
        encode(GroupMetadataValue(protocol_type=None), 0)  # type: ignore[arg-type, call-arg]

from __future__ import annotations

import struct
import traceback

import pytest

from pykafka_ops.errors import WireError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codec import decode, decode_at, encode, encode_parts, source_of
from pykafka_ops.wire.decoder import MAX_ITEMS
from pykafka_ops.wire.encoder import CUT_AT
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.message import struct as declare
from pykafka_ops.wire.messages.api_versions import ApiVersionsResponse
from pykafka_ops.wire.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
)
from pykafka_ops.wire.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    PartitionData,
    ReplicaState,
)
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.list_groups import ListGroupsRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from pykafka_ops.wire.types import INT8, INT16, INT32, RECORDS, STRING, UUID, Buffer, Records
from pykafka_ops.wire.varint import MAX_TAGS, varint

BEAT = HeartbeatRequest(group_id="g", generation_id=7, member_id="m")


@declare
class Item:
    """Something with a number and a name."""

    number: int = wire(INT32)
    name: str | None = wire(STRING, nullable="1+", default=None)


@message(ApiKey.CREATE_PARTITIONS)  # versions 0-3, flexible from 2 on
class Sample:
    """One of everything that matters here."""

    small: int = wire(INT8, default=-1)
    flag: int = wire(INT16, "1+", default=5)
    soft: int = wire(INT16, "1+", ignorable=True)
    ids: list[bytes] = wire([UUID], "1+", ignorable=True)
    items: list[Item] | None = wire([Item], nullable="1+")
    names: list[str] = wire([STRING], "1+", ignorable=True)
    data: Records = wire(RECORDS, nullable="0+")
    extra: Item | None = wire(Item, "2+", tag=3)
    count: int = wire(INT32, "2+", default=-1, tag=0, ignorable=True)


def produce(records: Records) -> ProduceRequest:
    partition = PartitionProduceData(index=3, records=records)
    return ProduceRequest(
        acks=1, topic_data=[TopicProduceData(name="t", partition_data=[partition])]
    )


def test_a_plain_version_is_what_the_protocol_says() -> None:
    assert encode(BEAT, 0) == b"\0\1g" + struct.pack(">i", 7) + b"\0\1m"


def test_a_flexible_version_has_compact_sizes_and_a_tag_count() -> None:
    assert encode(BEAT, 4) == b"\2g" + struct.pack(">i", 7) + b"\2m" + b"\0" + b"\0"


@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("version", range(4))
def test_every_kind_of_field_survives(version: int, buffer: type[Buffer]) -> None:
    sample = Sample(small=-128, items=[Item(number=1, name="é"), Item()], data=b"x" * 300)
    sample.items[1].name = "" if version == 0 else None  # type: ignore[index]
    if version >= 1:
        sample.flag, sample.soft, sample.names = -2, 9, ["a", "", "ü" * 100]
        sample.ids = [bytes(range(16))] * 20
    if version >= 2:
        sample.extra, sample.count = Item(number=8), 2**31 - 1
    data = encode(sample, version)
    assert decode(Sample, version, buffer(data)) == sample
    assert encode(decode(Sample, version, buffer(data)), version) == data


def test_fields_a_version_lacks_get_their_defaults() -> None:
    found = decode(Sample, 0, encode(Sample(small=1), 0))
    assert (found.flag, found.soft, found.ids, found.names) == (5, 0, [], [])
    assert (found.extra, found.count) == (None, -1)


def test_a_value_the_version_lacks_is_refused_unless_ignorable() -> None:
    assert encode(Sample(soft=9, ids=[bytes(16)], names=["a"]), 0) == encode(Sample(), 0)
    with pytest.raises(WireError, match=r"version 0 has no field Sample\.flag"):
        encode(Sample(flag=6), 0)
    with pytest.raises(WireError, match=r"Sample\.extra"):
        encode(Sample(extra=Item()), 1)
    with pytest.raises(WireError, match="group_instance_id"):
        encode(HeartbeatRequest(group_instance_id=""), 2)


def test_a_version_that_does_not_exist_is_refused() -> None:
    for version in (-1, 4):
        with pytest.raises(WireError, match=f"versions 0 to 3, not {version}"):
            encode(Sample(), version)
        with pytest.raises(WireError, match=f"versions 0 to 3, not {version}"):
            decode(Sample, version, b"")
        with pytest.raises(WireError, match=f"versions 0 to 3, not {version}"):
            decode(Sample, version, memoryview(b""))


def test_null_needs_a_version_that_allows_it() -> None:
    assert decode(Sample, 1, encode(Sample(items=None), 1)).items is None
    with pytest.raises(WireError, match="cannot be encoded"):
        encode(Sample(items=None), 0)
    with pytest.raises(WireError, match=r"Sample\.items is null"):
        decode(Sample, 0, b"\0" + b"\xff" * 4 + b"\xff" * 4)
    with pytest.raises(WireError, match=r"HeartbeatRequest\.group_id is null"):
        decode(HeartbeatRequest, 4, b"\0" + encode(BEAT, 4)[2:])
    assert decode(MetadataRequest, 1, b"\xff\xff\xff\xff").topics is None


@pytest.mark.parametrize("size", [-2, -32768])
def test_a_negative_size_other_than_null_is_refused(size: int) -> None:
    data = struct.pack(">h", size) + encode(BEAT, 3)[2:]
    with pytest.raises(WireError, match="group_id has a size of"):
        decode(HeartbeatRequest, 3, data)
    with pytest.raises(WireError, match="group_instance_id has a size of"):
        decode(HeartbeatRequest, 3, encode(BEAT, 3)[:-2] + struct.pack(">h", size))
    with pytest.raises(WireError, match="topics has a size of"):
        decode(MetadataRequest, 1, struct.pack(">i", size))


@pytest.mark.parametrize("version", [0, 4])
def test_left_over_bytes_are_refused(version: int) -> None:
    data = encode(BEAT, version)
    with pytest.raises(WireError, match="1 bytes are left over"):
        decode(HeartbeatRequest, version, data + b"\0")
    assert decode_at(HeartbeatRequest, version, b"ab" + data + b"c", 2) == (BEAT, len(data) + 2)


def test_an_offset_behind_the_end_is_refused_even_for_an_empty_message() -> None:
    assert decode(ListGroupsRequest, 0, b"ab", 2) == ListGroupsRequest()
    with pytest.raises(WireError):
        decode(ListGroupsRequest, 0, b"ab", 3)


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("buffer", [bytes, memoryview])
def test_every_cut_frame_is_refused(version: int, buffer: type[Buffer]) -> None:
    data = encode(BEAT, version)
    for end in range(len(data)):
        with pytest.raises(WireError):
            decode(HeartbeatRequest, version, buffer(data[:end]))


@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
def test_bad_utf8_is_refused(buffer: type[Buffer]) -> None:
    with pytest.raises(WireError, match="malformed"):
        decode(HeartbeatRequest, 0, buffer(encode(BEAT, 0).replace(b"g", b"\xff")))


def test_strings_longer_than_kafka_reads_are_refused_on_both_sides() -> None:
    longest = HeartbeatRequest(group_id="x" * 0x7FFF)
    for version in (3, 4):
        assert decode(HeartbeatRequest, version, encode(longest, version)) == longest
        with pytest.raises(WireError):
            encode(HeartbeatRequest(group_id="x" * 0x8000), version)
    data = varint(0x8001) + b"x" * 0x8000 + encode(BEAT, 4)[2:]
    with pytest.raises(WireError, match="group_id is longer than 32767"):
        decode(HeartbeatRequest, 4, data)


@pytest.mark.parametrize(
    "values",
    [{"group_id": None}, {"group_id": b"g"}, {"generation_id": "1"}, {"generation_id": 2**31}],
)
def test_a_value_of_the_wrong_type_or_range_is_a_wire_error(values: dict[str, object]) -> None:
    with pytest.raises(WireError, match="cannot be encoded"):
        encode(HeartbeatRequest(**values), 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", [8, 9])
def test_records_are_views_into_the_frame(version: int) -> None:
    frame = bytearray(encode(produce(b"0123456789" * 40), version))
    records = decode(ProduceRequest, version, frame).topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    assert records.obj is frame
    assert not records.readonly
    records[0:4] = b"abcd"
    assert b"abcd456789" in frame


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("size", [0, 1, 126, 127, 16382, 16383, 2097151, 2097152])
def test_records_of_any_size_survive(version: int, size: int) -> None:
    data = encode(produce(bytes(size)), version)
    found = decode(ProduceRequest, version, data).topic_data[0].partition_data[0].records
    assert found == bytes(size)


@pytest.mark.parametrize("version", [8, 9])
def test_records_may_come_in_several_buffers(version: int) -> None:
    whole = encode(produce(b"ab" * 3000), version)
    assert encode(produce([b"ab" * 1000, memoryview(b"ab" * 1999), b"", b"ab"]), version) == whole
    assert encode(produce([]), version) == encode(produce(b""), version)


@pytest.mark.parametrize("version", [11, 12])
def test_long_records_stay_the_buffers_they_are(version: int) -> None:
    long, longer, short = b"a" * (CUT_AT + 2), memoryview(b"b" * 9000), b"c" * 10
    values: list[Records] = [long, short, [longer, short, long], None]
    response = FetchResponse(
        responses=[
            FetchableTopicResponse(
                topic="t", partitions=[PartitionData(partition_index=i) for i in range(4)]
            )
        ]
    )
    for partition, value in zip(response.responses[0].partitions, values, strict=True):
        partition.records = value
    parts: list[Buffer] = [b"before"]
    encode_parts(response, version, parts)
    assert parts[0] == b"before"
    assert [p for p in parts if p is long or p is longer] == [long, longer, long]
    assert len(parts) == 8
    assert b"".join(parts[1:]) == encode(response, version)


def test_defaults_of_tagged_fields_are_not_sent() -> None:
    bare = encode(FetchRequest(), 17)
    assert encode(FetchRequest(replica_state=ReplicaState()), 17) == bare
    assert decode(FetchRequest, 17, bare).replica_state is None
    said = encode(FetchRequest(replica_state=ReplicaState(replica_id=1)), 17)
    assert decode(FetchRequest, 17, said).replica_state == ReplicaState(replica_id=1)
    assert len(said) > len(bare)


def test_tagged_fields_are_written_in_the_order_of_their_tags() -> None:
    data = encode(Sample(extra=Item(number=1), count=2), 2)
    tags = data[data.index(b"\2\0\4") :]
    assert tags == b"\2" + b"\0\4\0\0\0\2" + b"\3\6" + b"\0\0\0\1\0\0"
    partition = PartitionData(
        diverging_epoch=EpochEndOffset(epoch=1, end_offset=2),
        current_leader=LeaderIdAndEpoch(leader_id=3, leader_epoch=4),
    )
    response = FetchResponse(responses=[FetchableTopicResponse(partitions=[partition])])
    assert decode(FetchResponse, 12, encode(response, 12)) == response


def test_unknown_tagged_fields_are_stepped_over() -> None:
    data = encode(BEAT, 4)
    known = decode(HeartbeatRequest, 4, data[:-1] + b"\2" + b"\5\3abc" + b"\x80\1\0")
    assert known == BEAT
    features = encode(ApiVersionsResponse(finalized_features_epoch=9), 3)
    tag = features.index(b"\1\1\x08")
    more = features[:tag] + b"\2" + features[tag + 1 :] + b"\x63\2hi"
    assert decode(ApiVersionsResponse, 3, more).finalized_features_epoch == 9


@pytest.mark.parametrize(
    "tags",
    [
        b"\1",  # no tag
        b"\1\5",  # no size
        b"\1\5\4abc",  # value cut
        b"\1\5\xff\xff\xff\xff\x0fabc",  # size of 4 GiB
        b"\xff\xff\xff\xff\x0f",  # four thousand million tags
        b"\xff\xff\xff\xff\xff\xff\xff\x0f",  # a count of more than 32 bits
        varint(MAX_TAGS + 1) + b"\5\0" * (MAX_TAGS + 1),
    ],
)
def test_malformed_tagged_fields_are_refused(tags: bytes) -> None:
    with pytest.raises(WireError):
        decode(HeartbeatRequest, 4, encode(BEAT, 4)[:-1] + tags)
    with pytest.raises(WireError):
        decode(ApiVersionsResponse, 3, encode(ApiVersionsResponse(), 3)[:-1] + tags)


@pytest.mark.parametrize("size", [7, 9])
def test_a_known_tagged_field_must_be_as_long_as_it_says(size: int) -> None:
    data = encode(ApiVersionsResponse(), 3)[:-1]
    with pytest.raises(WireError, match="finalized_features_epoch is tagged"):
        decode(ApiVersionsResponse, 3, data + b"\1\1" + bytes((size,)) + bytes(9))


@pytest.mark.parametrize("count", [2, 1000, 2**31 - 1])
def test_a_count_that_cannot_fit_is_refused_before_anything_is_made(count: int) -> None:
    with pytest.raises(WireError, match=f"topics has a size of {count}"):
        decode(MetadataRequest, 1, struct.pack(">i", count) + b"\0\1a")
    with pytest.raises(WireError, match="does not fit"):
        decode(MetadataRequest, 9, varint(count + 1) + b"\2a\0")


def test_a_message_of_millions_of_items_is_refused() -> None:
    data = struct.pack(">i", MAX_ITEMS + 1) + bytes(2 * MAX_ITEMS + 2)
    with pytest.raises(WireError, match="more than 4000000 items"):
        decode(MetadataRequest, 1, data)


def test_a_nullable_struct_says_whether_it_is_there() -> None:
    answer = ConsumerGroupHeartbeatResponse(assignment=Assignment(topic_partitions=[]))
    data = encode(answer, 0)
    assert decode(ConsumerGroupHeartbeatResponse, 0, data) == answer
    without = encode(ConsumerGroupHeartbeatResponse(assignment=None), 0)
    assert without[-2:] == b"\xff\0"
    assert data.startswith(without[:-2] + b"\1")
    assert decode(ConsumerGroupHeartbeatResponse, 0, without).assignment is None
    with pytest.raises(WireError, match="assignment"):
        decode(ConsumerGroupHeartbeatResponse, 0, without[:-2] + b"\2" + without[-1:])


def test_decoded_lists_belong_to_their_message() -> None:
    data = encode(Sample(), 0)
    one, other = decode(Sample, 0, data), decode(Sample, 0, data)
    one.names.append("a")
    assert other.names == []
    assert decode(Sample, 0, data).names == []


def test_a_traceback_shows_the_compiled_source() -> None:
    with pytest.raises(WireError) as caught:
        encode(MetadataRequest(topics=[MetadataRequestTopic(name=5)]), 9)  # type: ignore[arg-type]
    text = "".join(traceback.format_exception(caught.value))
    assert "wire/MetadataRequest/v9/encode" in text
    assert ".name.encode()" in text


def test_the_compiled_source_can_be_shown() -> None:
    text = source_of(HeartbeatRequest, 4)
    assert "def encode(o, out, cuts):" in text
    assert "def decode(buf, pos, end, left):" in text

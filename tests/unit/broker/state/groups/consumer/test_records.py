"""Records of consumer groups byte by byte as Apache Kafka 4.3 writes them, and the hash in them."""

from __future__ import annotations

from base64 import urlsafe_b64decode

import pytest

from pykafka_ops.broker.state.groups.consumer.records import (
    ConsumerRecord,
    encode_record,
    read_record,
)
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.groups.consumer.xxh3 import signed, xxh3_64
from pykafka_ops.broker.state.image import BrokerInfo, MetadataImage, PartitionImage, TopicImage
from pykafka_ops.disk.internal import encode, read_offsets_record
from pykafka_ops.disk.tables.read import record_table
from pykafka_ops.errors import CorruptError

KAFKA_WROTE = [
    (
        "00050002706700165646367174584563542b794f7941666b4b6431574267",
        ("00000000046f6e650b2f3132372e302e302e3103046b7431046b743201000493e00001000100"),
    ),
    (
        "000300027067",
        ("000000000002010008be91f88e2db9ff9d"),
    ),
    (
        "000600027067",
        ("000000000002010008000001a21de647cf"),
    ),
    (
        "000500027067001647442b42334b5478526d6d573934466a793670384451",
        ("0000037374000474776f0b2f3132372e302e302e310109285e6b74312e2a29000493e00001000100"),
    ),
    (
        "0010000270670008285e6b74312e2a29",
        ("000002046b74310000000000000050000001a21de6551f00"),
    ),
    (
        "00070002706700165646367174584563542b794f7941666b4b6431574267",
        (
            "000003b7daaa6342074e0292e7715e693dd6650200000000002ede90b3743c45d29bd1cf863a45c2"
            "7e0300000000000000010000"
        ),
    ),
    (
        "00080002706700165646367174584563542b794f7941666b4b6431574267",
        (
            "000000000002000000020103b7daaa6342074e0292e7715e693dd665020000000001000502000000"
            "022ede90b3743c45d29bd1cf863a45c27e03000000000000000101000903000000020000000202b7"
            "daaa6342074e0292e7715e693dd66503000000010000000201000903000000020000000200"
        ),
    ),
    (
        "000800027067001647442b42334b5478526d6d573934466a793670384451",
        (
            "000000000003000000020002b7daaa6342074e0292e7715e693dd665030000000100000002010009"
            "0300000003000000030100"
        ),
    ),
    (
        "000800027067001647442b42334b5478526d6d573934466a793670384451",
        (
            "0000fffffffe000000020002b7daaa6342074e0292e7715e693dd665030000000100000002010009"
            "0300000000000000000100"
        ),
    ),
    (
        "00080002706700165646367174584563542b794f7941666b4b6431574267",
        None,
    ),
]
"""Keys and values from ``__consumer_offsets`` of Apache Kafka 4.3.1: members by names and by an
expression, targets, members on their way and at their end."""


@pytest.mark.parametrize(("key", "value"), KAFKA_WROTE)
def test_what_kafka_wrote_is_read_and_written_again(key: str, value: str | None) -> None:
    pair = bytes.fromhex(key), None if value is None else bytes.fromhex(value)
    record = read_record(read_offsets_record(*pair))
    assert isinstance(record, ConsumerRecord)
    assert encode_record(record) == pair


def test_partitions_without_epochs_have_their_members_epoch() -> None:
    value = record_table("groups").find(8, "value").struct()
    value.memberEpoch = 7  # type: ignore[attr-defined]
    kind = next(f.kind for f in value.FIELDS if f.attr == "assignedPartitions")
    value.assignedPartitions = [kind(topicId=bytes(16), partitions=[1])]  # type: ignore
    key = record_table("groups").find(8, "key").struct()
    key.groupId, key.memberId = "g", "m"  # type: ignore[attr-defined]
    record = read_record(read_offsets_record(encode(key, 8), encode(value, 0)))
    assert record is not None
    assert record.value.assigned == {bytes(16): {1: 7}}
    value.assignedPartitions[0].assignmentEpochs = [1, 2]  # type: ignore[attr-defined]
    with pytest.raises(CorruptError):
        read_record(read_offsets_record(encode(key, 8), encode(value, 0)))


def test_topics_are_hashed_as_kafka_hashes_them() -> None:
    image = MetadataImage()
    image.brokers = {0: BrokerInfo(id=0, endpoints=(), rack="r0")}
    partition = PartitionImage(0, 0, (0,), (0,))
    for name, id_, count in (
        ("kt1", "t9qqY0IHTgKS53FeaT3WZQ==", 3),
        ("kt2", "Lt6Qs3Q8RdKb0c-GOkXCfg==", 2),
    ):
        partitions = dict.fromkeys(range(count), partition)
        image.topics[name] = TopicImage(name, urlsafe_b64decode(id_), partitions)
    topics = SeenTopics(image)
    assert topics.hash_of(["kt1"]) == 6644031905735584110
    assert topics.hash_of(["kt2", "kt1", "none"]) == -4714714045343989859
    assert topics.hash_of([]) == topics.hash_of(["none"]) == 0


@pytest.mark.parametrize(
    ("size", "value"),
    [
        (0, 3244421341483603138),
        (1, 1433843135270481901),
        (2, 2058273368586827884),
        (3, -6266602912829716452),
        (4, 7895465118229274323),
        (7, -8177813798836339154),
        (8, 6941064856527638883),
        (9, -72226354546400344),
        (15, -7007203045674962495),
        (16, -5131753158909839995),
        (17, 8163341949877205007),
        (32, 1873302701886544469),
        (33, 4486878507168070088),
        (64, 2917965298538373825),
        (100, -5362810412169982817),
        (128, 7440608504995537343),
        (129, -4150982730466284604),
        (200, 8389308914288017243),
        (240, 7229805477010515663),
        (241, -8364630114420064745),
        (255, -5297528147452990407),
        (256, 4339360625268998362),
        (300, -172648679454408153),
        (1000, 7804479483783519874),
        (1023, -3284946428344021948),
        (1024, -7241394453710343503),
        (1025, -9192937061388044938),
        (1088, 3424848841118183642),
        (1089, 3067025562774136808),
        (5000, 8762507191635236893),
    ],
)
def test_xxh3_of_every_length(size: int, value: int) -> None:
    data = bytes((n * 7 + 3) & 255 for n in range(size))
    assert signed(xxh3_64(data)) == value

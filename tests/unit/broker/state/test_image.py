"""The brokers' picture of the cluster."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.image import (
    BrokerEndpoint,
    BrokerInfo,
    MetadataDelta,
    MetadataImage,
    PartitionImage,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

ID, OTHER = b"1" * 16, b"2" * 16


def part(leader: int, epoch: int = 0) -> PartitionImage:
    return PartitionImage(leader, epoch, (leader,), (leader,))


def delta(
    partitions: dict[str, dict[int, PartitionImage]] | None = None,
    *,
    ids: dict[str, bytes] | None = None,
    epoch: int = 1,
) -> MetadataDelta:
    brokers = [
        BrokerInfo(
            id=1,
            endpoints=(
                BrokerEndpoint("h", 1, "A", "PLAINTEXT"),
                BrokerEndpoint("h", 2, "B", "SSL"),
            ),
            rack="r",
        ),
        BrokerInfo(id=0, endpoints=(BrokerEndpoint("h", 3, "A", "PLAINTEXT"),)),
    ]
    return MetadataDelta(
        controller_id=0,
        controller_epoch=epoch,
        brokers=brokers,
        partitions=partitions or {},
        topic_ids=ids or {},
    )


def test_topics_come_change_and_go() -> None:
    image = MetadataImage()
    image.apply(delta({"t": {0: part(0), 1: part(1)}}, ids={"t": ID}))
    before = image.topics["t"]
    image.apply(delta({"t": {1: part(0, 3)}}, ids={"t": ID}))
    assert image.partition("t", 1) == part(0, 3)
    assert image.partition("t", 0) == part(0)
    assert before.partitions[1] == part(1), "whoever holds the old picture keeps it"
    assert image.topic_names_by_id == {ID: "t"}
    image.apply(delta({"t": {0: part(0).deleted(), 1: part(0).deleted()}}, ids={"t": ID}))
    assert image.topics == {}
    assert image.topic_names_by_id == {}
    assert image.epoch == 3


def test_a_recreated_topic_has_nothing_of_the_old_one() -> None:
    image = MetadataImage()
    image.apply(delta({"t": {0: part(0), 1: part(0)}}, ids={"t": ID}))
    image.apply(delta({"t": {0: part(1)}}, ids={"t": OTHER}))
    assert image.topics["t"].partitions == {0: part(1)}
    assert image.topic_names_by_id == {OTHER: "t"}


def test_brokers_are_those_of_the_last_update() -> None:
    image = MetadataImage()
    image.apply(delta())
    assert image.alive(1)
    assert [(n[0], n[1].port, n[2]) for n in image.nodes("A")] == [(0, 3, None), (1, 1, "r")]
    assert [n[0] for n in image.nodes("B")] == [1]
    image.apply(MetadataDelta(controller_id=0, controller_epoch=1, brokers=[]))
    assert not image.alive(1)


def test_an_old_controller_is_refused() -> None:
    image = MetadataImage()
    image.apply(delta(epoch=5))
    with pytest.raises(KafkaError) as caught:
        image.apply(delta({"t": {0: part(0)}}, epoch=4))
    assert caught.value.code == ErrorCode.STALE_CONTROLLER_EPOCH
    assert image.topics == {}


def test_leaders_are_known_only_for_partitions_that_have_one() -> None:
    image = MetadataImage()
    image.apply(delta({"t": {0: part(0), 1: part(-1)}}))
    assert image.has_leaders("t", [0])
    assert not image.has_leaders("t", [0, 1])
    assert not image.has_leaders("t", [2])
    assert not image.has_leaders("x", [])
    assert image.topic_id("t") == image.topic_id("x") == bytes(16)


def test_listeners_hear_every_change() -> None:
    image = MetadataImage()
    heard: list[MetadataDelta] = []
    image.listeners.append(heard.append)
    change = delta({"t": {0: part(0)}})
    image.apply(change)
    assert heard == [change]

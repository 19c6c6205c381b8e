"""What stands in a partition's directory beside its segments."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import World


def test_the_topic_id_is_stored_once() -> None:
    w = World()
    w.log.place.assign_topic_id(bytes(15) + b"\1")
    w.log.place.assign_topic_id(bytes(15) + b"\1")
    with pytest.raises(KafkaError) as caught:
        w.log.place.assign_topic_id(bytes(15) + b"\2")
    assert caught.value.code == ErrorCode.INCONSISTENT_TOPIC_ID
    w.log.close()
    w.reopen(clean=True)
    w.log.open()
    assert w.log.place.topic_id == bytes(15) + b"\1"
    w.files.inodes["/data/t-0/partition.metadata"].data = bytearray(b"")
    w.reopen(clean=True)
    w.log.open()
    assert w.log.place.topic_id is None

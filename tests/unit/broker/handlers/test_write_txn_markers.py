"""WriteTxnMarkers: a coordinator ends transactions in the logs of this broker."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.support.memory.handler_site import Later
from tests.support.memory.transaction_desk import TransactionDesk

UNKNOWN_SERVER_ERROR, UNKNOWN_TOPIC = -1, 3


def codes(desk: TransactionDesk, version: int, *markers: WritableTxnMarker) -> dict[Any, int]:
    """By producer id, topic and partition the error code."""
    answer = desk.site.ask(WriteTxnMarkersRequest(markers=list(markers)), version)
    answer = answer.answer if isinstance(answer, Later) else answer
    return {
        (marker.producer_id, topic.name, place.partition_index): place.error_code
        for marker in answer.markers
        for topic in marker.topics
        for place in topic.partitions
    }


def marker(producer: tuple[int, int], *partitions: int, commit: bool = True) -> WritableTxnMarker:
    topic = WritableTxnMarkerTopic(name="t", partition_indexes=list(partitions))
    return WritableTxnMarker(
        producer_id=producer[0],
        producer_epoch=producer[1],
        coordinator_epoch=0,
        transaction_result=commit,
        topics=[topic],
    )


@pytest.mark.parametrize("version", range(2))
@pytest.mark.parametrize(("commit", "seen"), [(True, [b"x"]), (False, [])])
def test_the_transaction_ends_in_the_log(version: int, commit: bool, seen: list[bytes]) -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    who = (given.producer_id, given.epoch)
    desk.add("tx", who, 0)
    desk.produce("tx", who, 0, 0, b"x")
    found = codes(desk, version, marker(who, 0, 9, commit=commit))
    assert found == {(who[0], "t", 0): 0, (who[0], "t", 9): UNKNOWN_TOPIC}
    assert desk.committed() == seen


def test_a_producer_that_cannot_be_is_answered_beside_the_others() -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    who = (given.producer_id, given.epoch)
    found = codes(desk, 1, marker((-1, 0), 0), marker(who, 1))
    assert found == {(-1, "t", 0): UNKNOWN_SERVER_ERROR, (who[0], "t", 1): 0}

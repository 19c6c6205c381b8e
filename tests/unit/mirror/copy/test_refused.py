"""Whose records a target refuses, where it refuses those of many."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import KafkaError
from pykafka_ops.mirror.copy.copier import refused
from pykafka_ops.mirror.copy.lane import CopyLane
from pykafka_ops.mirror.copy.outlet import TargetOutlet
from pykafka_ops.mirror.copy.tasks import CopyTask
from pykafka_ops.wire.codes import ErrorCode as E
from pykafka_ops.wire.types import ZERO_UUID


def lane(number: int, code: int) -> CopyLane:
    outlet = TargetOutlet(("a.t", number))
    outlet.failure = KafkaError(code) if code else None
    return CopyLane(("t", number), CopyTask(("a.t", number), 0, ZERO_UUID), outlet, skip=False)


@pytest.mark.parametrize(
    ("codes", "found"),
    [
        ((0, 0), []),
        ((0, E.RECORD_LIST_TOO_LARGE, E.TOPIC_AUTHORIZATION_FAILED), [1, 2]),
        ((E.OPERATION_NOT_ATTEMPTED, 0, E.UNKNOWN_TOPIC_OR_PARTITION), [2]),
        ((E.OPERATION_NOT_ATTEMPTED, 0), [0]),
    ],
)
def test_partitions_that_were_refused_for_another_go_on_at_once(
    codes: tuple[int, ...], found: list[int]
) -> None:
    lanes = [lane(n, code) for n, code in enumerate(codes)]
    assert [one.source[1] for one in refused(lanes)] == found

"""The end of a log, as appends and small reads see it."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.storage.log.tail import ALWAYS, PLACES, Tail


def tail(**config: Any) -> Tail:
    made = Tail(Producers("t-0"), TopicConfig(**config))
    made.start, made.end, made.high_watermark = 10, 20, 10
    return made


@pytest.mark.parametrize(("to", "expected"), [(5, 10), (15, 15), (25, 20)])
def test_the_high_watermark_stays_within_the_log(to: int, expected: int) -> None:
    end = tail()
    end.move_high_watermark(to)
    assert end.high_watermark == end.last_stable == expected


@pytest.mark.parametrize(("first_unstable", "stable"), [(-1, 15), (15, 15), (12, 12), (3, 10)])
def test_an_open_transaction_holds_back_the_last_stable_offset(
    first_unstable: int, stable: int
) -> None:
    end = tail()
    end.high_watermark, end.first_unstable = 15, first_unstable
    assert end.last_stable == stable


@pytest.mark.parametrize(
    "unusual",
    [
        {"cleanup_policy": frozenset({"compact"})},
        {"message_timestamp_type": "LogAppendTime"},
        {"compression_type": "gzip"},
        {"flush_messages": 1},
        {"message_timestamp_before_max_ms": 1},
    ],
)
def test_settings_that_ask_for_a_close_look_leave_no_batch_usual(unusual: dict[str, Any]) -> None:
    end = tail(max_message_bytes=100, segment_bytes=1000)
    assert (end.usual_bytes, end.segment_bytes) == (100, 1000)
    end.roll_after = 7
    end.configure(TopicConfig(**unusual))
    assert (end.usual_bytes, end.roll_after) == (-1, ALWAYS)


def test_only_the_last_places_are_remembered() -> None:
    end = tail()
    for n in range(PLACES + 1):
        end.remember(n, 100 * n)
    assert end.offsets == list(range(PLACES // 2, PLACES + 1))
    assert end.positions == [100 * offset for offset in end.offsets]
    end.close()
    assert (end.offsets, end.positions, end.active) == ([], [], None)

"""Asked back to what groups have not read, a log says of it what all its moments would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.analysis.lag.loss import Departure, loss_in_seconds
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.inputs.asked_ends import FIRST, AskedBack, AskedLog, AskedPast
from pykafka_ops.spark.reports.lag.departures import departures
from pykafka_ops.spark.schemas import COMMITTED, LOG_PASTS
from tests.support.spark.given import FrameInputs, frame_of

HOUR = 3_600_000
NOW = 20_000 * 24 * HOUR
LOCAL: Any = LocalSession()
ages = st.integers(-2, 9000).map(lambda tenths: NOW - tenths * HOUR // 10)
LIMITS = (
    {"retention.ms": "-1"},
    {"retention.ms": str(48 * HOUR)},
    {"retention.ms": str(9 * HOUR), "segment.ms": str(2 * HOUR)},
    {"retention.ms": "-1", "retention.bytes": "500"},
    {"retention.ms": str(72 * HOUR), "retention.bytes": "400", "segment.bytes": "150"},
    {"cleanup.policy": "compact"},
)


@st.composite
def logs(draw: st.DrawFn) -> dict[str, Any]:
    """Times of the records of a log, in order or not, or -1, from an offset on; a size, settings,
    and where a group goes on."""
    times = draw(st.lists(ages, min_size=1, max_size=12))
    times = sorted(times) if draw(st.booleans()) else times
    if draw(st.integers(0, 9)) == 0:  # as from before timestamps
        times = [-1] * len(times)
    start = draw(st.integers(0, 3))
    return {
        "times": times,
        "start": start,
        "bytes": draw(st.integers(0, 900)),
        "limits": draw(st.sampled_from(LIMITS)),
        "offset": draw(st.integers(start, start + len(times) - 1)),
        "newest": max(times) if times[0] >= 0 and draw(st.booleans()) else None,
    }


def answered(log: AskedLog, made: dict[str, Any], moments: Sequence[int]) -> None:
    """What ListOffsets answers: the first record from a moment on, and its time."""
    for moment in moments:
        if log.asks(moment):
            later = ((made["start"] + n, t) for n, t in enumerate(made["times"]) if t >= moment)
            log.told(moment, *next(later, (-1, -1)))


class AskedInputs(FrameInputs):
    """A cluster alone with these logs, a topic each."""

    def __init__(self, found: list[dict[str, Any]]) -> None:
        self.found = found
        super().__init__(
            LOCAL,
            now=NOW,
            log_dirs=[
                {"broker": 1, "log_dir": "/d", "topic": str(n), "partition": 0, "size": m["bytes"]}
                for n, m in enumerate(found)
            ],
            partitions=[
                {"topic": str(n), "partition": 0, "leader": 1, "start_offset": m["start"],
                 "end_offset": m["start"] + len(m["times"]), "max_timestamp": m["newest"]}
                for n, m in enumerate(found)
            ],
            configs=[
                {"topic": str(n), "name": name, "value": value}
                for n, m in enumerate(found)
                for name, value in m["limits"].items()
            ],
        )  # fmt: skip

    def pasts(self, *asked: Any) -> Any:
        moments, readers, always = asked
        rows = []
        for n, made in enumerate(self.found):
            end = made["start"] + len(made["times"])
            log: AskedPast | AskedBack = AskedPast(end, made["newest"])
            order = [FIRST, *moments]
            if readers is not None:
                log = AskedBack(made["start"], end, made["newest"], made["offset"], set(always))
                order = [*reversed(moments), FIRST]
            answered(log, made, order)
            rows.append({"topic": str(n), "partition": 0, "ends": log.pairs, "first": log.first})
        return frame_of(self.spark, rows, LOG_PASTS)

    def losses(self, *, whole: bool) -> list[float | None]:
        """Of the group in each log."""
        rows = [
            {"group": "g", "topic": str(n), "partition": 0, "offset": made["offset"]}
            for n, made in enumerate(self.found)
        ]
        readers = None if whole else frame_of(self.spark, rows, COMMITTED)
        told = departures(self, readers)
        assert told is not None
        leaves = {int(row["topic"]): row["leaves"] for row in told.toArrow().to_pylist()}
        return [
            loss_in_seconds(
                None if leaves[n] is None else [Departure(**one) for one in leaves[n]],
                NOW, committed=made["offset"], lag=1, lead=0,
            )
            for n, made in enumerate(self.found)
        ]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(logs(), min_size=1, max_size=20))
def test_what_retention_takes_of_the_unread_is_the_same(found: list[dict[str, Any]]) -> None:
    assert AskedInputs(found).losses(whole=False) == AskedInputs(found).losses(whole=True)


def test_other_reports_of_the_run_get_whole_logs() -> None:
    log = {"times": [NOW - 50 * HOUR, NOW - HOUR // 2], "start": 0, "bytes": 10, "newest": NOW,
           "limits": LIMITS[1], "offset": 1}  # fmt: skip
    for is_shared in (False, True):
        inputs = AskedInputs([log])
        inputs.shared = is_shared
        assert inputs.losses(whole=False) == inputs.losses(whole=True)
        assert ("pieces" in inputs.frames) == is_shared

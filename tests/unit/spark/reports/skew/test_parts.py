"""Parts of the skew report that need no session."""

from __future__ import annotations

from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.skew.brokers import (
    ReplicaPlaces,
    broker_rows,
    dir_rows,
    places,
    plan,
    rack_rows,
)
from pykafka_ops.spark.reports.skew.rows import key_text
from pykafka_ops.spark.reports.skew.volume import WINDOWS, FromBatches, FromEnds, window_for
from tests.support.spark.given import FrameInputs


def test_windows_are_of_a_usual_length_and_not_too_many() -> None:
    assert window_for(0) == UNITS["m"]
    assert window_for(UNITS["h"]) == 5 * UNITS["m"]
    assert window_for(UNITS["d"]) == UNITS["h"]
    assert window_for(7 * UNITS["d"]) == 6 * UNITS["h"]
    years = 20 * 365 * UNITS["d"]
    assert years / window_for(years) <= WINDOWS


def test_keys_are_shown_as_text_where_they_are() -> None:
    assert key_text("käse".encode()) == "käse"
    assert key_text(b"") == ""
    assert key_text(b"\x00\x01") == "0x0001"
    assert key_text(b"a\nb") == "0x610a62"
    assert key_text(b"\xff" * 3) == "0xffffff"
    long = key_text(b"x" * 3000)
    assert long.startswith("xxx") and "3000 bytes" in long and len(long) < 200
    assert len(key_text(b"\xff" * 3000)) < 200


def _replica(broker: int | None, log_dir: str, **more: object) -> dict[str, object]:
    return {"broker": broker, "log_dir": log_dir, "future": False, **more}


def _places() -> ReplicaPlaces:
    volume = {"total_bytes": 100, "usable_bytes": 60}
    dirs = [
        _replica(1, "/x", topic="t", partition=0, size=10, **volume),
        _replica(1, "/x", topic="t", partition=1, size=30, **volume),
        _replica(1, "/x", topic="t", partition=1, size=29, **volume) | {"future": True},
        _replica(2, "/x", topic="t", partition=0, size=12),
        _replica(1, "/y"),
        _replica(3, "/x"),
        _replica(None, "/z", topic="t", partition=0, size=10),
    ]
    partitions = [{"topic": "t", "partition": 0, "leader": 1, "replicas": [1, 2]}]
    brokers = [{"broker": 1, "rack": "a"}, {"broker": 2, "rack": "b"}, {"broker": 3}]
    return places(
        FrameInputs(local_session(), now=0, log_dirs=dirs, partitions=partitions, brokers=brokers)
    )


def test_the_leaders_replica_tells_the_size() -> None:
    sizes = _places().sizes
    assert sizes is not None
    rows = sizes.toArrow().to_pylist()
    assert sorted((r["partition"], r["bytes"]) for r in rows) == [(0, 10), (1, 30)]


def test_brokers_without_replicas_and_racks_without_a_name_count() -> None:
    rows = broker_rows(_places())
    assert [(r["broker"], r["replicas"], r["bytes"]) for r in rows] == [
        (1, 2, 40), (2, 1, 12), (3, 0, 0),
    ]  # fmt: skip
    assert [r["rack"] for r in rack_rows(rows)] == ["a", "b", None]
    assert rack_rows([r | {"rack": None} for r in rows]) == []


def test_directories_are_listed_even_when_empty_or_of_nobody() -> None:
    rows = dir_rows(_places())
    assert [(r["broker"], r["log_dir"], r["replicas"], r["skew_percent"]) for r in rows] == [
        (1, "/x", 2, 100.0), (1, "/y", 0, -100.0), (2, "/x", 1, 0.0), (3, "/x", 0, 0.0),
        (None, "/z", 1, 0.0),
    ]  # fmt: skip


def test_one_broker_has_nobody_to_give_to() -> None:
    assert plan(ReplicaPlaces(racks={1: None}), 0.1) is None
    assert plan(_places(), 0.1) is not None


def test_what_is_not_among_the_largest_stays_where_it_is_and_weighs() -> None:
    found = ReplicaPlaces(
        racks={1: None, 2: None},
        held=[{"broker": 1, "replicas": 9, "bytes": 60}, {"broker": 2, "replicas": 5, "bytes": 20}],
        dirs=[{"broker": 1, "log_dir": "/x", "total_bytes": None}],
        largest=[{"topic": "t", "partition": n, "replicas": [1], "bytes": 20} for n in range(2)],
        partitions=14,
    )  # fmt: skip
    made = plan(found, 0.0)
    assert made is not None
    assert [(m.topic, m.source, m.target, m.size) for m in made.moves] == [("t", 1, 2, 20)]
    assert {id_: share.bytes for id_, share in made.shares_after.items()} == {1: 40, 2: 40}


def _windows(window: int | None, times: list[int], **span: int) -> list[tuple[int, int]]:
    """(start, bytes) of windows of batches of one byte at these times (ms)."""
    batches = [
        {"topic": "t", "partition": 0, "codec": "none", "records": 1, "size": 1, "control": False,
         "first_timestamp": at, "max_timestamp": at}
        for at in times
    ]  # fmt: skip
    inputs = FrameInputs(local_session(), now=UNITS["d"], batches=batches, **span)
    frame = inputs.batches()
    assert frame is not None
    volume = FromBatches(inputs, frame, ReportOptions(window=window))
    length = volume.window((min(times), max(times)))
    assert length is not None
    found = volume.windows(length, ["t"])
    volume.close()
    return [(row["start"], row["bytes"]) for row in found]


def test_a_batch_is_in_the_window_of_its_time_however_long_windows_are() -> None:
    second = UNITS["s"]
    times = [0, 89 * second, 95 * second, 185 * second]
    assert _windows(90 * second, times) == [(0, 2), (90 * second, 1), (180 * second, 1)]
    assert _windows(7, [0, 6, 7, 13, 14]) == [(0, 2), (7, 2), (14, 1)]


def test_windows_have_all_of_the_span_that_is_asked_for_and_no_more() -> None:
    second = UNITS["s"]
    times = [29 * second, 30 * second, 45 * second, 90 * second, 100 * second, 101 * second]
    assert _windows(None, times, since=30 * second, until=101 * second) == [
        (0, 2), (60 * second, 2),
    ]  # fmt: skip


def test_windows_of_many_years_are_whole_minutes() -> None:
    assert window_for(20 * 365 * UNITS["d"] + 12_345) % UNITS["m"] == 0


def test_a_running_cluster_is_asked_for_the_hours_of_a_day() -> None:
    hour, now = UNITS["h"], 10 * UNITS["d"]
    partitions = [{"topic": "t", "partition": 0, "start_offset": 0, "end_offset": 24}]
    ends = [
        {"topic": "t", "partition": 0, "at": now - (24 - n) * hour, "offset": n} for n in range(25)
    ]
    asked: list[list[int]] = []

    inputs = FrameInputs(local_session(), now=now, partitions=partitions, ends=ends)
    given = inputs.ends

    def look(moments: list[int], wanted: object = None) -> object:
        asked.append(moments)
        return given(moments)

    inputs.ends = look  # type: ignore[method-assign, assignment]
    volume = FromEnds(inputs, inputs.partitions(), None, ReportOptions())
    window = volume.window(None)
    assert window == hour
    found = volume.windows(window, ["t"])
    assert [(row["start"], row["records"]) for row in found] == [
        (now - (24 - n) * hour, 1) for n in range(24)
    ]
    assert asked == [[now - (24 - n) * hour for n in range(25)]]
    assert FromEnds(inputs, None, None, ReportOptions(window=7)).window(None) == 7

"""The load of a cluster, the runway of its disks, points with gaps."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.history.model import HistoryPoint, SeriesKey
from pykafka_ops.monitor.series import values
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.load import bytes_in, load
from pykafka_ops.monitor.wording.past import gapped, highest
from pykafka_ops.monitor.wording.runway import DiskRunway, disks, with_growth
from tests.support.monitor.rounds import answers

GIB = 1 << 30
DAY = 86_400


def directory(total: int, free: int) -> LogDirDescription:
    return LogDirDescription("/logs", None, total, free, [ReplicaInfo("orders", 0, 5000, 0, False)])


def seen(*ends: int) -> ClusterView:
    """A view after a round a minute for each end; all records are 50 bytes."""
    watched = WatchedCluster("local")
    for at, end in enumerate(ends):
        watched.take(answers(at * 60_000, end, dirs={1: [directory(100 * GIB, 40 * GIB)]}))
    return watched.view


def test_the_load_is_the_growth_of_all_logs_and_their_mean_record() -> None:
    found = load(seen(40, 100))
    assert (found.records, found.bytes, found.unknown) == (1.0, 50.0, 0)


def test_a_load_that_nobody_knows_is_not_0() -> None:
    assert load(seen(100)) == (None, None, 1)
    assert load(ClusterView("local")) == (None, None, 0)


def test_records_without_a_size_leave_the_bytes_unknown() -> None:
    (topic,) = (seen(40, 100).topics or {}).values()
    assert bytes_in(replace(topic, bytes=None)) is None
    assert bytes_in(replace(topic, starts=array("q", [-1]))) is None
    assert bytes_in(replace(topic, rate_in=0.0, bytes=None)) == 0.0


def test_the_history_keeps_the_load() -> None:
    kept = values(seen(40, 100))
    assert kept[SeriesKey("cluster", "local", "rate_in")] == 1.0
    assert kept[SeriesKey("cluster", "local", "bytes_in")] == 50.0


def test_the_disk_with_the_least_free_share_comes_first() -> None:
    full = replace(
        seen(40, 100),
        brokers=[
            *({"id": n, "free_bytes": n * GIB, "state": "up"} for n in (3, 1, 2)),
            {"id": 4, "free_bytes": None, "state": "up"},
            {"id": 5, "free_bytes": GIB, "state": "down"},
        ],
        dirs={n: [directory(10 * GIB, n * GIB)] for n in (1, 2, 3)},
    )  # fmt: skip
    assert [d.broker for d in disks(full, 10)] == [1, 2, 3, 4, 5]
    assert [d.broker for d in disks(full, 2)] == [1, 2, 4, 5], "who does not tell is never left out"
    assert disks(full, 10)[-1].free is None, "of a broker that is down nothing is known"
    assert disks(full, 1)[0].share == pytest.approx(0.1)


def test_a_disk_that_fills_says_when_it_is_full() -> None:
    disk = DiskRunway(1, 50 * GIB, 100 * GIB, None, None)
    days = [(n * DAY * 1000, (60.0 - 5 * n) * GIB) for n in range(3)]
    found = with_growth(disk, days)
    assert found.full_in == pytest.approx(10 * DAY)
    assert found.tone == line.WARN
    assert with_growth(disk._replace(free=20 * GIB), days).tone == line.BAD


def test_a_disk_that_does_not_grow_never_fills_and_little_history_tells_nothing() -> None:
    disk = DiskRunway(1, 50 * GIB, 100 * GIB, None, None)
    even = [(n * DAY * 1000, 50.0 * GIB) for n in range(3)]
    assert (with_growth(disk, even).full_in, with_growth(disk, even).tone) == (None, line.GOOD)
    assert with_growth(disk, even[:1]).growth is None
    assert with_growth(disk, [(0, 1.0), (1000, 2.0)]) == disk


def test_unknown_disks_are_never_good() -> None:
    assert DiskRunway(1, None, None, None, None).tone == line.WARN
    assert DiskRunway(1, 5, None, None, None).tone == line.WARN
    assert DiskRunway(1, 50, 100, None, None).tone == line.NONE


def test_steps_without_a_point_are_a_gap_not_a_line() -> None:
    points = [HistoryPoint(at, at, 0, 9) for at in (0, 10, 20, 60, 70)]
    assert gapped(points, 10) == [(0, 0), (10, 10), (20, 20), (30, None), (60, 60), (70, 70)]
    assert gapped(points[:1], 10, highest) == [(0, 9)]


def test_a_disk_that_fills_within_minutes_is_told_from_minutes() -> None:
    disk = DiskRunway(1, 10 * GIB, 100 * GIB, None, None)
    falls = [(n * 10_000, (16.0 - n) * GIB) for n in range(7)]
    assert with_growth(disk, [], falls).full_in == pytest.approx(100)
    days = [(n * DAY * 1000, (10.0 + n) * GIB) for n in range(3)]
    assert with_growth(disk, days, falls).tone == line.BAD


@pytest.mark.parametrize(
    "fall",
    [(16.0, 16.0, 15.0), (10.3, 10.2, 10.1, 10.0)],
    ids=["seen only twice", "full later than ten times what was seen"],
)
def test_minutes_do_not_foretell_days(fall: tuple[float, ...]) -> None:
    disk = DiskRunway(1, 10 * GIB, 100 * GIB, None, None)
    falls = [(n * 10_000, free * GIB) for n, free in enumerate(fall)]
    assert with_growth(disk, [], falls).growth is None
    days = [(n * DAY * 1000, (60.0 - 5 * n) * GIB) for n in range(3)]
    assert with_growth(disk, days, falls) == with_growth(disk, days)

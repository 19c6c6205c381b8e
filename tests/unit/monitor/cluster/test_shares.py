"""Share groups over rounds: what their coordinators count, and what it means. Unknown stays so."""

from __future__ import annotations

import pytest

from pykafka_ops.client.share_offsets import ShareStart
from pykafka_ops.errors import KafkaError
from pykafka_ops.monitor.burrow.found import partitions, topics
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.series import values
from pykafka_ops.wire.codes import ErrorCode
from tests.support.monitor.rounds import shared

EVERY = 10_000


def rounds(*found: tuple[int, int, int], members: bool = True) -> WatchedCluster:
    """End, start and lag of each round."""
    watched = WatchedCluster("c")
    for n, (end, start, lag) in enumerate(found):
        watched.take(shared(n * EVERY, end, ShareStart(start, lag), members=members))
    return watched


def of(view: ClusterView) -> WatchedGroup:
    return (view.groups or {})["billing"]


@pytest.mark.parametrize(
    ("found", "members", "status"),
    [
        ([(100, 50, 20)] * 8, True, "STALL"),
        ([(100, 50, 20)] * 8, False, "STOP"),
        ([(100 + 50 * n, 50 + n, 20 + 45 * n) for n in range(8)], True, "WARN"),
        ([(100, 50, 50 - 3 * n) for n in range(8)], True, "OK"),
        ([(100, 100, 0)] * 2, True, "OK"),
        ([(100, 50, 20)], True, "UNKNOWN"),
    ],
)
def test_verdicts_by_what_was_seen(
    found: list[tuple[int, int, int]], members: bool, status: str
) -> None:
    group = of(rounds(*found, members=members).view)
    assert (group.row.status, group.row.lag) == (status, found[-1][2])


def test_the_lag_is_what_the_coordinator_counts_not_what_offsets_say() -> None:
    watched = rounds((100, 50, 7))
    (row,) = watched.rows("billing")
    assert (row.current_offset, row.log_end_offset, row.lag, row.lead) == (50, 100, 7, 50)
    with watched.partitions("billing") as columns:
        assert [list(columns[name]) for name in ("lag", "current_offset")] == [[7], [50]]


def test_a_coordinator_that_does_not_tell_leaves_all_unknown() -> None:
    watched = rounds(*[(100, 50, 7)] * 8)
    view = watched.take(shared(8 * EVERY, 100, None))
    row = of(view).row
    assert (row.status, row.lag, row.unknown_partitions) == ("UNKNOWN", None, 1)
    assert not [k for k in values(view) if (k.kind, k.fact) == ("group", "lag")]
    again = of(watched.take(shared(9 * EVERY, 100, ShareStart(50, 7))))
    assert (again.row.status, again.row.lag) == ("STALL", 7)


@pytest.mark.parametrize(
    "where", [ShareStart(None, None), KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)]
)
def test_a_partition_without_a_start_or_a_right_is_unknown(where: object) -> None:
    told = {"billing": {("orders", 0): where}}
    view = WatchedCluster("c").take(shared(0, 100, None, shares=told))
    assert (of(view).row.status, of(view).row.lag) == ("UNKNOWN", None)


def test_brokers_before_4_2_tell_a_start_but_no_lag() -> None:
    row = of(WatchedCluster("c").take(shared(0, 100, ShareStart(50, None)))).row
    assert (row.status, row.lag, row.lead) == ("UNKNOWN", None, 50)


def test_a_group_of_which_nothing_was_ever_told_is_not_well() -> None:
    group = of(WatchedCluster("c").take(shared(0, 100, None, described={})))
    assert (group.row.status, group.type, group.member_count) == ("UNKNOWN", "Share", None)
    assert (group.loss, group.loss_in_seconds) == (None, None)


def test_members_that_nobody_tells_of_do_not_mean_that_nobody_reads() -> None:
    watched = WatchedCluster("c")
    for n in range(8):
        watched.take(shared(n * EVERY, 100, ShareStart(50, 9), described={}))
    assert of(watched.view).row.status == "STALL"


def test_an_older_answer_is_not_counted_again() -> None:
    watched = WatchedCluster("c")
    for n in range(8):
        watched.take(shared(n * EVERY, 100, ShareStart(50, 20), shares_at=0))
    assert len(watched.ring("billing", "orders", 0)) == 1
    assert of(watched.view).row.status == "UNKNOWN"


def test_of_many_rounds_a_minute_and_a_half_is_kept() -> None:
    watched = WatchedCluster("c")
    for n in range(200):
        watched.take(shared(n * 1000, 100, ShareStart(50, 20)))
    seen = watched.ring("billing", "orders", 0)
    assert (len(seen), seen[-1].timestamp - seen[0].timestamp) == (10, 90_000)
    assert of(watched.view).row.status == "STALL"


def test_a_topic_made_anew_and_a_group_that_is_gone_have_no_past() -> None:
    watched = rounds(*[(100, 50, 20)] * 8)
    anew = shared(9 * EVERY, 100, ShareStart(50, 20))
    anew.topics = {"orders": anew.topics["orders"]._replace(id=b"j" * 16)}
    assert of(watched.take(anew)).row.status == "UNKNOWN"
    watched.take(shared(10 * EVERY, 100, None, listed={}, described={}))
    assert watched.share_starts("billing") == {}
    assert watched.ring("billing", "orders", 0) == []


def test_burrow_does_not_know_who_commits_nothing() -> None:
    watched = rounds((100, 50, 20))
    assert partitions(watched, "billing") == []
    assert list(topics(watched, "billing", of(watched.view))) == []
    assert watched.committed("billing") == {}

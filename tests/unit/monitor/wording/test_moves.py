"""How far moves of replicas are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.series import values
from pykafka_ops.monitor.wording.moves import MovesLeft, move_progress, moves_left, seconds_left
from tests.support.monitor.rounds import answers


def directory(size: int) -> LogDirDescription:
    return LogDirDescription("/logs", None, -1, -1, [ReplicaInfo("orders", 0, size, 0, False)])


def moving(**sizes: int) -> ClusterView:
    """``orders-0`` moves from broker 1 to 2 and 3; ``b1=100``: its bytes on broker 1."""
    watched = WatchedCluster("local")
    move = {("orders", 0): Reassignment([1, 2, 3], [2, 3], [1])}
    dirs = {int(name[1:]): [directory(size)] for name, size in sizes.items()}
    return watched.take(answers(1000, 100, moves=move, dirs=dirs))


def summed(view: ClusterView) -> MovesLeft | None:
    return moves_left(view, move_progress(view))


def test_what_new_replicas_lack_of_the_leader_is_to_go() -> None:
    (row,) = move_progress(moving(b1=100, b2=100, b3=20))
    assert (row["bytes"], row["left"], row["share"]) == (200, 80, 0.6)
    assert summed(moving(b1=100, b2=100, b3=20)) == MovesLeft(1, 200, 80)


def test_a_replica_larger_than_the_leader_has_no_more_to_come() -> None:
    (row,) = move_progress(moving(b1=100, b2=130, b3=100))
    assert (row["left"], row["share"]) == (0, 1.0)


@pytest.mark.parametrize("sizes", [{}, {"b1": 100, "b2": 50}, {"b2": 100, "b3": 50}])
def test_sizes_that_a_broker_did_not_tell_are_not_0(sizes: dict[str, int]) -> None:
    (row,) = move_progress(moving(**sizes))
    assert (row["bytes"], row["left"], row["share"]) == (None, None, None)
    assert summed(moving(**sizes)) == MovesLeft(1, None, None)


def test_moves_nobody_told_of_are_not_none() -> None:
    assert summed(replace(moving(), moves=None)) is None
    assert summed(replace(moving(), moves={})) == MovesLeft(0, 0, 0)


def test_the_history_keeps_what_is_to_go() -> None:
    key = SeriesKey("cluster", "local", "move_bytes_left")
    assert values(moving(b1=100, b2=100, b3=20))[key] == 80
    assert key not in values(moving())


def test_the_rate_of_the_last_minutes_tells_when_it_is_done() -> None:
    assert seconds_left(50, [(0, 110.0), (60_000, 50.0)]) == 50.0
    assert seconds_left(50, [(0, 50.0), (60_000, 50.0)]) is None
    assert seconds_left(50, [(0, 110.0), (5_000, 50.0)]) is None
    assert seconds_left(50, []) is None

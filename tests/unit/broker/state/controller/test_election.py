"""The four elections, case by case."""

from __future__ import annotations

from pykafka_ops.broker.state.controller.election import (
    Strategy,
    elect_for_controlled_shutdown,
    elect_for_reassignment,
    elect_offline,
    elect_preferred,
)


def test_offline_takes_the_first_live_in_sync_replica() -> None:
    assert elect_offline([1, 2, 3], [3, 2], {2, 3}, unclean=False) == 2


def test_offline_without_a_live_in_sync_replica_needs_unclean() -> None:
    assert elect_offline([1, 2, 3], [1], {2, 3}, unclean=False) is None
    assert elect_offline([1, 2, 3], [1], {2, 3}, unclean=True) == 2
    assert elect_offline([1, 2], [1], set(), unclean=True) is None


def test_unclean_still_prefers_the_isr() -> None:
    assert elect_offline([1, 2, 3], [3], {2, 3}, unclean=True) == 3


def test_reassignment_elects_among_the_targets() -> None:
    assert elect_for_reassignment([4, 5], [1, 5], {1, 4, 5}) == 5
    assert elect_for_reassignment([4], [1], {1, 4}) is None


def test_preferred_is_the_first_replica_or_nobody() -> None:
    assert elect_preferred([1, 2], [2, 1], {1, 2}) == 1
    assert elect_preferred([1, 2], [2], {1, 2}) is None
    assert elect_preferred([1, 2], [1, 2], {2}) is None
    assert elect_preferred([], [], set()) is None


def test_controlled_shutdown_skips_brokers_that_stop() -> None:
    assert elect_for_controlled_shutdown([1, 2, 3], [1, 2, 3], {1, 2, 3}, {1}) == 2
    assert elect_for_controlled_shutdown([1, 2], [1, 2], {1, 2}, {1, 2}) is None


def test_strategies_have_kafkas_names() -> None:
    assert Strategy.PREFERRED.label == "PreferredReplicaPartitionLeaderElectionStrategy"
    assert Strategy.UNCLEAN.label == "OfflinePartitionLeaderElectionStrategy(true)"
    assert len({strategy.label for strategy in Strategy}) == len(Strategy)

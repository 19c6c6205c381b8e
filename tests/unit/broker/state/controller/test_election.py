"""The four elections, case by case."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pykafka_ops.broker.state.controller.cluster import ControllerContext
from pykafka_ops.broker.state.controller.election import Strategy
from pykafka_ops.broker.state.controller.leader_rules import LeaderRules
from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    TopicRecord,
)
from pykafka_ops.broker.state.controller.order_batch import OrderBatch
from pykafka_ops.broker.state.image import BrokerInfo


def elected(
    strategy: Strategy,
    replicas: Sequence[int],
    isr: Sequence[int],
    live: Collection[int],
    *,
    stopping: Collection[int] = (),
    removing: Sequence[int] = (),
    unclean: bool = False,
) -> LeaderAndIsr | None:
    cluster = ControllerContext()
    cluster.brokers = {id_: BrokerInfo(id=id_, endpoints=()) for id_ in live}
    cluster.shutting_down = set(stopping)
    assignment = ReplicaAssignment(tuple(replicas), (), tuple(removing))
    cluster.add_topic("t", TopicRecord(bytes(16), {0: assignment}))
    record = cluster.topics["t"].partitions[0]
    record.state = LeaderAndIsr(-1, 4, tuple(isr), 1)
    rules = LeaderRules(cluster, OrderBatch(cluster, 0, 1), 1, lambda _: unclean)
    return rules._elected("t", 0, record, strategy)


def leader(*args: object, **options: object) -> int | None:
    found = elected(*args, **options)  # type: ignore[arg-type]
    return None if found is None else found.leader


def test_offline_takes_the_first_live_in_sync_replica() -> None:
    found = elected(Strategy.OFFLINE, [1, 2, 3], [3, 2, 1], {2, 3})
    assert found is not None
    assert (found.leader, found.isr, found.recovering) == (2, (3, 2), False)


def test_offline_without_a_live_in_sync_replica_needs_unclean() -> None:
    assert leader(Strategy.OFFLINE, [1, 2, 3], [1], {2, 3}) is None
    assert leader(Strategy.OFFLINE, [1, 2, 3], [1], {2, 3}, unclean=True) == 2
    assert leader(Strategy.OFFLINE, [1, 2], [1], set(), unclean=True) is None
    found = elected(Strategy.UNCLEAN, [1, 2, 3], [1], {2, 3})
    assert found is not None
    assert (found.leader, found.isr, found.recovering) == (2, (2,), True)


def test_unclean_still_prefers_the_isr() -> None:
    assert leader(Strategy.OFFLINE, [1, 2, 3], [3], {2, 3}, unclean=True) == 3
    assert leader(Strategy.UNCLEAN, [1, 2, 3], [3], {2, 3}) == 3


def test_reassignment_elects_among_the_targets() -> None:
    assert leader(Strategy.REASSIGN, [4, 5, 1], [1, 5], {1, 4, 5}, removing=[1]) == 5
    assert leader(Strategy.REASSIGN, [4, 1], [1], {1, 4}, removing=[1], unclean=True) is None


def test_preferred_is_the_first_replica_or_nobody() -> None:
    assert leader(Strategy.PREFERRED, [1, 2], [2, 1], {1, 2}) == 1
    assert leader(Strategy.PREFERRED, [1, 2], [2], {1, 2}) is None
    assert leader(Strategy.PREFERRED, [1, 2], [1, 2], {2}, unclean=True) is None
    assert leader(Strategy.PREFERRED, [], [], set()) is None


def test_controlled_shutdown_skips_brokers_that_stop() -> None:
    strategy = Strategy.CONTROLLED_SHUTDOWN
    found = elected(strategy, [1, 2, 3], [1, 2, 3], {1, 2, 3}, stopping={1})
    assert found is not None
    assert (found.leader, found.isr) == (2, (2, 3))
    assert leader(strategy, [1, 2], [1, 2], {1, 2}, stopping={1, 2}, unclean=True) is None


def test_strategies_have_kafkas_names() -> None:
    assert Strategy.PREFERRED.label == "PreferredReplicaPartitionLeaderElectionStrategy"
    assert Strategy.UNCLEAN.label == "OfflinePartitionLeaderElectionStrategy(true)"
    assert len({strategy.label for strategy in Strategy}) == len(Strategy)

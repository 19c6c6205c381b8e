"""Which replicas to move so that brokers hold fair shares, copying as few bytes as can be.

The plan starts from the present replicas. First it mends what must not stay: replicas on brokers
that are drained or unknown, too few or too many replicas, and two replicas of a partition in one
rack though there are racks enough. Then it levels bytes, then numbers of replicas, then leaders, as
far as asked for; each step keeps what was reached before. Ties go by size, then by topic, partition
and broker: the same input gives the same plan. No broker ever gets two replicas of a partition,
none gets more in one rack than the racks make needed.

A replica that moves keeps its place in the list, so leadership moves with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pykafka_ops.analysis.moves.goals import least_bytes, unmet
from pykafka_ops.analysis.moves.level_bytes import level_bytes
from pykafka_ops.analysis.moves.level_counts import level_leaders, level_replicas
from pykafka_ops.analysis.moves.mend import mend
from pykafka_ops.analysis.moves.model import (
    BYTES,
    LEADERS,
    REPLICAS,
    Key,
    Limits,
    MovePlan,
    PlanBroker,
    PlanPartition,
)
from pykafka_ops.analysis.moves.state import PlanState

_STAGES = ((BYTES, level_bytes), (REPLICAS, level_replicas), (LEADERS, level_leaders))


def plan_moves(
    partitions: Iterable[PlanPartition], brokers: Iterable[PlanBroker], limits: Limits | None = None
) -> MovePlan:
    """The plan for these partitions over these brokers (alive ones; of others replicas leave).

    Raises PlanError where the replication factor cannot be had.
    """
    state = PlanState(partitions, brokers, limits or Limits())
    before = state.shares()
    mend(state)
    for what, level in _STAGES:
        if what in state.limits.balance:
            level(state)
    changed = sorted(key for key, now in state.replicas.items() if now != state.original[key])
    missed = unmet(state)
    return MovePlan(
        state.made(),
        {key: state.original[key] for key in changed},
        {key: state.replicas[key] for key in changed},
        before,
        state.shares(),
        None if missed else least_bytes(state),
        missed,
    )


def reassignment(
    replicas: Mapping[Key, Sequence[int]], dirs: Mapping[tuple[str, int, int], str] | None = None
) -> dict[str, object]:
    """The document that ``kafka-reassign-partitions --reassignment-json-file`` takes; ``dirs``: the
    log directories of replicas (topic, partition, broker), where they matter."""
    known = dirs or {}
    return {
        "version": 1,
        "partitions": [
            {
                "topic": topic,
                "partition": partition,
                "replicas": list(ids),
                "log_dirs": [known.get((topic, partition, id_), "any") for id_ in ids],
            }
            for (topic, partition), ids in sorted(replicas.items())
        ],
    }

"""Elections of leaders: of preferred replicas, and of those that are not in sync."""

from __future__ import annotations

from functools import partial

from pykafka_ops.analysis.elections import ELSEWHERE, NO_LEADER, preferred_state
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.elections import PREFERRED, UNCLEAN, elect_leaders
from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.actions.plan import (
    PARTITIONS_FIELD,
    TOPIC_FIELD,
    Action,
    ActionPlan,
    Failures,
    Ground,
    Params,
    PlannedChange,
)
from pykafka_ops.monitor.actions.words import listed, needed, numbers_of, topic_of
from pykafka_ops.wire.codes import ErrorCode


def plan_elect(kind: int, cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """Of the partitions of a topic those where an election makes a change."""
    topic = topic_of(cluster, needed(params, "topic"))
    numbers = numbers_of(topic, params.get("partition", ""))
    live = set(cluster.brokers())
    changes, notes, chosen = [], [], []
    for p in topic.partitions:
        if p.number not in numbers:
            continue
        state = preferred_state(p.leader, p.replicas[0] if p.replicas else -1, p.isr, live)
        if state == (ELSEWHERE if kind == PREFERRED else NO_LEADER):
            after = _after(kind, p, live)
            changes.append(PlannedChange(f"{topic.name}-{p.number}", _led(p), after))
            chosen.append(p.number)
        elif state:
            notes.append(f"{topic.name}-{p.number}: {state}, this election does not help")
    public = {"topic": topic.name, "partition": listed(chosen)}
    if kind == UNCLEAN and chosen:
        notes.insert(0, "records that only the lost leader had are gone for good")
    verb = "preferred" if kind == PREFERRED else "unclean"
    command = ("pko", "leader-election", verb, f"{topic.name}:{listed(chosen)}")
    again = {k: v for k, v in params.items() if k in public}
    return ActionPlan(
        topic.name, tuple(changes), chosen, again, public, command, notes=tuple(notes[:100])
    )


def run_elect(kind: int, cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Elect; a leader that is right already is no failure."""
    found = elect_leaders(cluster, kind, [(plan.name, number) for number in plan.steps])
    return {
        f"{topic}-{number}": error
        for (topic, number), error in found.items()
        if error is not None and error.code != ErrorCode.ELECTION_NOT_NEEDED
    }


def _led(partition: PartitionDescription) -> str:
    return f"broker {partition.leader}" if partition.leader >= 0 else "no leader"


def _after(kind: int, partition: PartitionDescription, live: set[int]) -> str:
    if kind == PREFERRED:
        return f"broker {partition.replicas[0]}"
    there = [str(r) for r in partition.replicas if r in live]
    if not there:
        raise UsageError(f"partition {partition.number}: none of its replicas is there")
    return f"one of the brokers {', '.join(there)}" if len(there) > 1 else f"broker {there[0]}"


FIELDS = (
    TOPIC_FIELD,
    PARTITIONS_FIELD,
)
ELECT = Action(
    "elect", "Elect preferred leaders", "topic", FIELDS,
    partial(plan_elect, PREFERRED), partial(run_elect, PREFERRED),
)  # fmt: skip
ELECT_UNCLEAN = Action(
    "elect-unclean", "Elect a replica that is not in sync", "topic", FIELDS,
    partial(plan_elect, UNCLEAN), partial(run_elect, UNCLEAN), typed=True,
)  # fmt: skip

"""Cancel moves of replicas that are under way."""

from __future__ import annotations

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.reassignments import (
    Reassignment,
    alter_reassignments,
    list_reassignments,
)
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


def plan_cancel(cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """The moves of a topic, and the replicas that it has without them."""
    topic = topic_of(cluster, needed(params, "topic"))
    numbers = numbers_of(topic, params.get("partition", ""))
    moving = list_reassignments(cluster, [(topic.name, n) for n in numbers])
    changes = tuple(
        PlannedChange(f"{topic.name}-{n}", _said(move), listed(_left(move)))
        for (_, n), move in sorted(moving.items())
    )
    steps = sorted(n for _, n in moving)
    again = {k: v for k, v in params.items() if k in ("topic", "partition")}
    public = {"topic": topic.name, "partition": listed(steps)}
    notes = ("throttles stay as they are: unthrottle takes them away",)
    command = ("pko", "reassign-partitions", "cancel")
    return ActionPlan(topic.name, changes, steps, again, public, command, notes=notes)


def run_cancel(cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Cancel them."""
    found = alter_reassignments(cluster, {(plan.name, n): None for n in plan.steps})
    return {f"{t}-{n}": error for (t, n), error in found.items() if error is not None}


def _left(move: Reassignment) -> list[int]:
    return [r for r in move.replicas if r not in move.adding]


def _said(move: Reassignment) -> str:
    said = listed(_left(move))
    if move.adding:
        said += f", to come: {listed(move.adding)}"
    if move.removing:
        said += f", to go: {listed(move.removing)}"
    return said


CANCEL_MOVE = Action(
    "cancel-move", "Cancel moves of replicas", "topic",
    (TOPIC_FIELD, PARTITIONS_FIELD),
    plan_cancel, run_cancel,
)  # fmt: skip

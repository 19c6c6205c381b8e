"""Delete the records of a topic before an offset or a moment."""

from __future__ import annotations

from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.records import delete_records
from pykafka_ops.client.seeking import Offsets, offsets_at, since
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.monitor.actions.plan import (
    PARTITIONS_FIELD,
    TOPIC_FIELD,
    Action,
    ActionField,
    ActionPlan,
    Failures,
    Ground,
    Params,
    PlannedChange,
)
from pykafka_ops.monitor.actions.words import (
    listed,
    needed,
    numbers_of,
    pairs,
    time_of,
    topic_of,
    whole,
)

END = "end"
_OFFSET_DIGITS = 12
"""More of them are a time in ms."""


def plan_delete(cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """Where each log begins now and then."""
    topic = topic_of(cluster, needed(params, "topic"))
    numbers = numbers_of(topic, params.get("partition", ""))
    places = [(topic.name, n) for n in numbers]
    ends = offsets_at(cluster, places, offsets.LATEST)
    starts = offsets_at(cluster, places, offsets.EARLIEST)
    until = _until(cluster, topic.name, params, ground, ends)
    changes, again, notes = [], [], []
    for place, offset in sorted(until.items()):
        name = f"{topic.name}-{place[1]}"
        if offset > ends[place]:
            raise UsageError(f"{name} ends at {ends[place]}, before {offset}")
        if offset <= starts[place]:
            notes.append(f"{name} begins at {starts[place]} already")
            continue
        gone = f"{offset - starts[place]:,} offsets are deleted"
        changes.append(PlannedChange(name, str(starts[place]), str(offset), gone))
        again.append(f"{place[1]}={offset}")
    chosen = [int(word.partition("=")[0]) for word in again]
    public = {k: v for k, v in params.items() if k in ("topic", "partition", "before", "offsets")}
    command = ("pko", "delete-records", f"{topic.name}:{listed(chosen)}", "--before",
               params.get("before", "") or END)  # fmt: skip
    return ActionPlan(
        topic.name,
        tuple(changes),
        again,
        {"topic": topic.name, "partition": listed(chosen), "offsets": ",".join(again)},
        public,
        command if "before" in params else (),
        notes=tuple(notes[:100]),
    )


def _until(cluster: Cluster, topic: str, params: Params, ground: Ground, ends: Offsets) -> Offsets:
    if "offsets" in params:
        found = {(topic, whole(n, "partition")): o for n, o in pairs(params["offsets"]).items()}
        for place in found:
            if place not in ends:
                raise UsageError(f"partition {place[1]} is not among those named")
        return found
    before = needed(params, "before").strip()
    if before == END:
        return ends
    if before.isascii() and before.isdigit() and len(before) <= _OFFSET_DIGITS:
        return dict.fromkeys(ends, int(before))
    at = time_of(before, ground.now)
    return since(cluster, at, list(ends), {}).offsets


def run_delete(cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Delete them."""
    until = {(plan.name, int(n)): o for n, o in pairs(plan.again["offsets"]).items()}
    found = delete_records(cluster, until)
    return {f"{t}-{n}": v for (t, n), v in found.items() if isinstance(v, PkoError)}


DELETE_RECORDS = Action(
    "delete-records", "Delete records", "topic",
    (
        TOPIC_FIELD,
        ActionField("before", "Before", "an offset, end, 2h (ago) or a date", required=True),
        PARTITIONS_FIELD,
    ),
    plan_delete, run_delete, typed=True,
)  # fmt: skip

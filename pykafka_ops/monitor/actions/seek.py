"""Move the committed offsets of a group, and take the last move back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pykafka_ops.analysis.offset_reset import OffsetChange, moves
from pykafka_ops.client import offsets, seek_notes
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, EMPTY, describe_groups
from pykafka_ops.client.group_offsets import delete_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seek_notes import SeekNote
from pykafka_ops.client.seeking import (
    OffsetPlan,
    commit,
    committed_by,
    offsets_at,
    since,
    within,
)
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.monitor.actions.plan import (
    PARTITIONS_FIELD,
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
    named,
    needed,
    numbers_of,
    pairs,
    time_of,
    topic_of,
    whole,
)
from pykafka_ops.wire.codes import ErrorCode

TO: Final = ("earliest", "latest", "offset", "shift", "time")
_WORDS: Final = {
    "earliest": "--to-earliest", "latest": "--to-latest", "offset": "--to-offset",
    "shift": "--shift-by", "time": "--to-datetime",
}  # fmt: skip
OTHERWISE: Final = "without them the move could not be undone"


def plan_seek(cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """To where ``to`` and ``value`` say, or exactly to ``offsets``; of a group without members."""
    group = needed(params, "group")
    _check_idle(cluster, group)
    committed = committed_by(cluster, group)
    command: tuple[str, ...] = ()
    if "offsets" in params:
        wishes = {_partition(place): offset for place, offset in pairs(params["offsets"]).items()}
        plan = within(cluster, wishes, committed)
    else:
        plan, command = _planned(cluster, params, ground, committed)
        command = ("pko", "groups", "seek", group, *command)
    found = [m for m in moves(plan.offsets, committed) if m.current != m.new]
    again = ",".join(f"{m.topic}:{m.partition}={m.new}" for m in found)
    new = {(m.topic, m.partition): m.new for m in found}
    clamped = tuple(f"{named(c.partition)}: {c.wanted} is outside the log, {c.offset} is taken"
                    for c in plan.clamped)  # fmt: skip
    empty = tuple(f"{named(p)}: no record since then, its end is taken" for p in plan.empty)
    return ActionPlan(
        group,
        tuple(map(_change, found)),
        [[*place, offset] for place, offset in new.items()],
        {"group": group, "offsets": again},
        {"group": group, **{k: v for k, v in params.items() if k != "group"}},
        command,
        _back(group, found),
        "undo",
        (*clamped, *empty),
    )


def _planned(
    cluster: Cluster, params: Params, ground: Ground, committed: Mapping[Partition, int]
) -> tuple[OffsetPlan, tuple[str, ...]]:
    to = needed(params, "to")
    if to not in TO:
        raise UsageError(f"to {to[:40]!r}: choose one of {', '.join(TO)}")
    topic = params.get("topic", "").strip()
    words: tuple[str, ...] = (_WORDS[to],)
    if topic:
        numbers = numbers_of(topic_of(cluster, topic), params.get("partition", ""))
        wanted = [(topic, n) for n in numbers]
        chosen = f":{listed(numbers)}" if params.get("partition", "").strip() else ""
        scope: tuple[str, ...] = ("--topic", topic + chosen)
    elif committed:
        wanted, scope = sorted(committed), ()
    else:
        raise UsageError("the group has no committed offsets: name the topic")
    now = dict(committed)
    match to:
        case "earliest" | "latest":
            moment = offsets.EARLIEST if to == "earliest" else offsets.LATEST
            return OffsetPlan(offsets_at(cluster, wanted, moment), now), (*words, *scope)
        case "time":
            at = time_of(needed(params, "value"), ground.now)
            return since(cluster, at, wanted, now), (*words, str(at), *scope)
    number = whole(needed(params, "value"), "value", signed=to == "shift")
    words = (f"{words[0]}={number}",)
    if to == "offset":
        return within(cluster, dict.fromkeys(wanted, number), now), (*words, *scope)
    missing = [p for p in wanted if p not in committed]
    if missing:
        raise UsageError(f"{named(missing[0])} has no committed offset that could be shifted")
    return within(cluster, {p: committed[p] + number for p in wanted}, now), (*words, *scope)


def run_seek(cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Note the offsets of before, then commit the new ones."""
    _check_idle(cluster, plan.name)
    new = {(topic, number): offset for topic, number, offset in plan.steps}
    before = committed_by(cluster, plan.name)
    note = SeekNote({p: before.get(p) for p in new}, new)
    seek_notes.keep(_note_path(cluster, plan.name, ground), note, OTHERWISE)
    return {named(p): error for p, error in commit(cluster, plan.name, new).items()}


def plan_undo(cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """Back to where the group was before the last move from here, unless it has committed since."""
    group = needed(params, "group")
    _check_idle(cluster, group)
    note = seek_notes.last(_note_path(cluster, group, ground), group)
    committed = committed_by(cluster, group)
    if any(committed.get(p) != offset for p, offset in note.after.items()):
        raise seek_notes.NothingToUndoError(
            f"group {group} has committed other offsets since: seek to what you want instead"
        )
    back = {p: offset for p, offset in note.before.items() if offset is not None}
    gone = sorted(p for p, offset in note.before.items() if offset is None)
    changes = [*map(_change, moves(back, committed))]
    changes += [
        PlannedChange(named(p), str(committed[p]), None, "there was no commit") for p in gone
    ]
    steps = [[[*p, offset] for p, offset in sorted(back.items())], gone]
    params = {"group": group}
    return ActionPlan(group, tuple(changes), steps, params, params, ())


def run_undo(cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Commit what was there, delete what was not."""
    _check_idle(cluster, plan.name)
    back = {(topic, number): offset for topic, number, offset in plan.steps[0]}
    gone = [(topic, number) for topic, number in plan.steps[1]]
    failed = {named(p): error for p, error in commit(cluster, plan.name, back).items()}
    if gone:
        removed = delete_offsets(cluster, plan.name, gone)
        if isinstance(removed, PkoError):
            raise removed
        failed |= {named(p): error for p, error in removed.items() if error is not None}
    if not failed:
        seek_notes.forget(_note_path(cluster, plan.name, ground))
    return failed


def _check_idle(cluster: Cluster, group: str) -> None:
    """KafkaError for a group with members: they would go on from where they are."""
    found = describe_groups(cluster, [group])[group]
    if isinstance(found, PkoError):
        raise found
    if found.state not in (EMPTY, DEAD):
        count = len(found.members)
        text = f"group {group} has {count} members ({found.state}): stop them first"
        raise KafkaError(ErrorCode.NON_EMPTY_GROUP, text)


def _note_path(cluster: Cluster, group: str, ground: Ground) -> Path:
    env = {"XDG_STATE_HOME": str(ground.notes)}
    return seek_notes.note_path(env, cluster.cluster_id, group)


def _change(move: OffsetChange) -> PlannedChange:
    said = ""
    if move.records:
        records = f"{abs(move.records):,} records" if abs(move.records) != 1 else "1 record"
        said = f"{records} {'skipped' if move.records > 0 else 'read again'}"
    before = None if move.current is None else str(move.current)
    return PlannedChange(f"{move.topic}-{move.partition}", before, str(move.new), said)


def _back(group: str, found: list[OffsetChange]) -> tuple[str, ...]:
    """The command that leads back, where one offset says it."""
    if len(found) != 1 or found[0].current is None:
        return ()
    place = f"{found[0].topic}:{found[0].partition}"
    return ("pko", "groups", "seek", group, f"--to-offset={found[0].current}", "--topic", place)


def _partition(place: str) -> Partition:
    topic, colon, number = place.rpartition(":")
    if not colon:
        raise UsageError(f"offsets {place[:60]!r}: write TOPIC:PARTITION=OFFSET")
    return topic, whole(number, "partition")


GROUP = ActionField("group", "Group", required=True)
SEEK = Action(
    "seek",
    "Move a group",
    "group",
    (
        GROUP,
        ActionField("to", "To", choices=TO, required=True),
        ActionField("value", "Offset, shift or time", "100, -100, 2h (ago), 2026-11-21T08:00"),
        ActionField("topic", "Topic", "all that the group has committed"),
        PARTITIONS_FIELD,
    ),
    plan_seek,
    run_seek,
)
UNDO = Action("undo", "Take the last move back", "group", (GROUP,), plan_undo, run_undo)

"""``pko reassign-partitions status``: moves, how far they are, and throttles that are set."""

from __future__ import annotations

from pykafka_ops.analysis.bars import size_text
from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.analysis.moves import throttles as rt
from pykafka_ops.client.answers import by_topic
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import BROKER, TOPIC, ConfigResource
from pykafka_ops.client.log_dirs import describe_log_dirs
from pykafka_ops.client.reassignments import Reassignment, list_reassignments
from pykafka_ops.client.topics import PartitionDescription, all_topics
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met
from pykafka_ops.commands.reassign_partitions import plan_file, throttles
from pykafka_ops.commands.reassign_partitions.facts import held_bytes
from pykafka_ops.errors import PkoError, UsageError

Key = tuple[str, int]
Row = dict[str, object]
MOVING, DONE, WAITING, ELSEWHERE, GONE = "moving", "done", "waiting", "elsewhere", "gone"
COLUMNS = (
    Column("topic"),
    Column("partition", right=True),
    Column("state", bad=lambda state: state in (ELSEWHERE, GONE)),
    Column("replicas"),
    Column("adding", spare=True),
    Column("removing", spare=True),
    Column("copied_bytes", "COPIED", right=True),
    Column("bytes", right=True),
    Column("percent", "%", right=True),
)

FIELDS = {
    "topic": ConditionField("text"),
    "partition": ConditionField(),
    "state": ConditionField("text", (MOVING, DONE, WAITING, ELSEWHERE, GONE)),
    **dict.fromkeys(("copied_bytes", "bytes", "percent"), ConditionField(spare=True)),
}


def status(run: Run) -> Table:
    """All moves under way; with a file the state of each of its partitions."""
    path = run.args.text("reassignment-json-file")
    failing = fail_on(run, FIELDS)
    plan = plan_file.read(path) if path else None
    cluster = run.cluster()
    there = {(t.name, p.number): p for t in all_topics(cluster) for p in t.partitions}
    moving = list_reassignments(cluster)
    if plan and plan.cluster and cluster.cluster_id and plan.cluster != cluster.cluster_id:
        raise UsageError(f"the plan is of cluster {plan.cluster}, not of {cluster.cluster_id}")
    held, errors = _held(cluster, moving, there)
    rows = [
        _row(key, _state(key, plan, there, moving), there.get(key), moving.get(key), held)
        for key in sorted(plan.after if plan else moving)
    ]
    notes, more = _throttled(cluster, sorted({t for t, _ in there}))
    named = met(failing, rows, ("topic", "partition"))
    notes += named
    if not rows:
        notes.insert(0, "pko: nothing moves")
    shown = rows
    if run.output in ("table", "wide"):
        shown = [row | {k: _size(row[k]) for k in ("copied_bytes", "bytes")} for row in rows]
    return Table(
        "reassignment-status",
        COLUMNS,
        shown,
        items=rows,
        errors=errors + more,
        notes=notes,
        exit_code=4 if named else None,
    )


def _state(
    key: Key,
    plan: plan_file.PlanFile | None,
    there: dict[Key, PartitionDescription],
    moving: dict[Key, Reassignment],
) -> str:
    if key in moving:
        return MOVING
    if key not in there or plan is None:
        return GONE
    now = tuple(there[key].replicas)
    if now == plan.after[key]:
        return DONE
    waits = plan.before is None or set(now) in (set(plan.before[key]), set(plan.after[key]))
    return WAITING if waits else ELSEWHERE


def _held(
    cluster: Cluster, moving: dict[Key, Reassignment], there: dict[Key, PartitionDescription]
) -> tuple[dict[tuple[str, int, int], int], list[ItemError]]:
    """Bytes of the replicas of partitions that move."""
    topics = by_topic(moving)
    brokers = {i for key in moving for i in moving[key].adding}
    brokers |= {there[key].leader for key in moving if key in there}
    asked = sorted(brokers & set(cluster.nodes))
    if not topics or not asked:
        return {}, []
    answers = describe_log_dirs(cluster, asked, topics, once=True)
    errors = [item_error(f"broker {i}", a) for i, a in answers.items() if isinstance(a, PkoError)]
    return held_bytes({i: a for i, a in answers.items() if not isinstance(a, PkoError)}), errors


def _row(
    key: Key,
    state: str,
    now: PartitionDescription | None,
    move: Reassignment | None,
    held: dict[tuple[str, int, int], int],
) -> Row:
    size = copied = percent = None
    if move is not None and now is not None and move.adding:
        size = held.get((*key, now.leader), 0) * len(move.adding)
        copied = min(size, sum(held.get((*key, i), 0) for i in move.adding))
        percent = round(100 * copied / size) if size else None
    return {
        "topic": key[0],
        "partition": key[1],
        "state": state,
        "replicas": list(now.replicas) if now else [],
        "adding": list(move.adding) if move else [],
        "removing": list(move.removing) if move else [],
        "copied_bytes": copied,
        "bytes": size,
        "percent": percent,
    }


def _size(value: object) -> object:
    return size_text(value) if isinstance(value, int) else value


def _throttled(cluster: Cluster, topics: list[str]) -> tuple[list[str], list[ItemError]]:
    """A line for each broker that is throttled, one for the topics; and what did not answer."""
    brokers = [ConfigResource(BROKER, str(i)) for i in sorted(cluster.nodes)]
    wanted = [*brokers, *(ConfigResource(TOPIC, t) for t in topics)]
    notes, names, errors = [], [], []
    for place, values in throttles.present(cluster, wanted).items():
        if isinstance(values, PkoError):
            errors.append(item_error(throttles.called(place), values))
        elif place.type == BROKER and any(values.values()):
            rates = [(k, values.get(k)) for k in rt.BROKER_THROTTLES]
            shown = ", ".join(f"{k.split('.')[0]} {_rate(v)}" for k, v in rates if v)
            notes.append(f"pko: broker {place.name} is throttled: {shown}")
        elif any(values.values()):
            names.append(place.name)
    if names:
        more = f" and {len(names) - 10} more" if len(names) > 10 else ""
        notes.append(f"pko: throttled topics: {', '.join(names[:10])}{more}")
    return notes, errors


def _rate(text: str | None) -> str:
    return f"{size_text(int(text))}/s" if text and text.isdigit() else str(text)

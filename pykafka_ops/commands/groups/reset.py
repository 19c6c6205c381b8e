"""``pko groups reset-offsets``: plan, show, and with ``--execute`` commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pykafka_ops.analysis.offset_reset import Move, moves
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, EMPTY, Group, describe_groups
from pykafka_ops.client.group_offsets import Committed, commit_offsets
from pykafka_ops.commands.console.tools import log
from pykafka_ops.commands.framework.output import Column, ItemError, Table, counted, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.plan_file import PlanLineError, write_plan
from pykafka_ops.commands.groups.reset_plan import Plan, Planner
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

LOGGER = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
COLUMNS = (
    Column("group"),
    Column("topic"),
    Column("partition", right=True),
    Column("current_offset", "CURRENT", right=True),
    Column("new_offset", "NEW", right=True),
    Column("skipped", right=True, optional=True),
    Column("repeated", right=True, optional=True),
)


def reset(run: Run) -> Table:
    """Kafka's rules in both tongues: nothing is committed without ``--execute``."""
    args = run.args
    if not args.flags and args.has("dry-run") and args.has("execute"):
        raise UsageError("give --dry-run or --execute, not both")
    names = select.wanted(run)
    cluster = select.cluster(run)
    groups = describe_groups(cluster, names)
    planner = Planner(cluster, args, names)
    plans: dict[str, Plan] = {}
    errors: list[ItemError] = []
    busy: list[str] = []
    for name, group in groups.items():
        if isinstance(group, PkoError):
            raise group
        if group.state not in (EMPTY, DEAD):
            busy.append(_busy(group))
            errors.append(in_use(group))
            continue
        plans[name] = _plan(run, planner, name)
        if not plans[name].found:
            busy.append(f"No reset plan for group {name} found")
            errors.append(ItemError(name, "NO_PLAN", "the plan file does not name this group"))
    if args.has("execute"):
        for name, plan in plans.items():
            errors += execute(cluster, name, plan, flags=args.flags)
    rows = [row for name, plan in plans.items() for row in plan_rows(name, plan)]
    text = _kafka(run, plans, busy, single=len(args.texts("group")) == 1)
    if not args.flags and not args.has("execute"):
        say("pko: nothing was committed; add --execute")
    code = 0 if args.flags else None  # Kafka's tool tells and succeeds
    return Table("offset-resets", COLUMNS, rows, kafka=text, errors=errors, exit_code=code)


def _plan(run: Run, planner: Planner, name: str) -> Plan:
    try:
        plan = planner.plan(name)
    except PlanLineError as error:
        if not run.args.flags:
            raise UsageError(str(error)) from None
        say(str(error))
        return Plan({}, {}, found=False)
    tell_clamped(plan, flags=run.args.flags)
    return plan


def tell_clamped(plan: Plan, *, flags: bool) -> None:
    """Say which wishes lay outside the log."""
    for (topic, index), wish, offset, high in plan.clamped:
        side = "higher than latest" if high else "lower than earliest"
        text = (
            f"New offset ({wish}) is {side} offset for topic partition {topic}-{index}. "
            f"Value will be set to {offset}"
        )
        if flags:
            log("WARN", text, LOGGER)
        else:
            say(f"pko: {topic}-{index}: {wish} is outside the log, {offset} is taken")
    if not flags:
        for topic, index in plan.empty:
            say(f"pko: {topic}-{index}: no record since then, its end is taken")


def _busy(group: Group) -> str:
    return (
        f"Assignments can only be reset if the group '{group.id}' is inactive, but the current "
        f"state is {group.state}."
    )


def in_use(group: Group) -> ItemError:
    """The error for a group with members."""
    text = f"it has {counted(group.members, 'member')} ({group.state}): stop them first"
    return ItemError.of(group.id, KafkaError(ErrorCode.NON_EMPTY_GROUP, text))


def execute(cluster: Cluster, name: str, plan: Plan, *, flags: bool) -> list[ItemError]:
    """Commit the plan; in our tongue partitions that failed are told one by one."""
    if not plan.offsets:
        return []
    wanted = {p: Committed(offset, -1, "") for p, offset in plan.offsets.items()}
    results = commit_offsets(cluster, name, wanted)
    if isinstance(results, PkoError):
        raise results
    failed = {p: e for p, e in results.items() if e is not None}
    if flags:
        for error in failed.values():
            raise error
    return [ItemError.of(f"{name} {t}-{p}", error) for (t, p), error in failed.items()]


def plan_rows(name: str, plan: Plan) -> list[dict[str, object]]:
    """The plan with what it skips and repeats."""
    return move_rows(name, moves(plan.offsets, plan.committed))


def move_rows(name: str, found: Iterable[Move]) -> list[dict[str, object]]:
    """Rows of the table of moves."""
    return [
        {
            "group": name,
            "topic": m.topic,
            "partition": m.partition,
            "current_offset": m.current,
            "new_offset": m.new,
            "skipped": m.records if m.records and m.records > 0 else None,
            "repeated": -m.records if m.records and m.records < 0 else None,
        }
        for m in found
    ]


def _kafka(
    run: Run, plans: Mapping[str, Plan], problems: list[str], *, single: bool
) -> Iterator[str]:
    for plan in plans.values():
        for topic, index in plan.empty:
            yield (
                f"\nWarn: Partition {index} from topic {topic} is empty. "
                "Falling back to latest known offset.\n"
            )
    for text in problems:
        yield f"\nError: {text}\n"
    if run.args.has("export"):
        yield from write_plan({n: p.offsets for n, p in plans.items()}, with_group=not single)
        return
    yield f"\n{'GROUP':<30} {'TOPIC':<30} {'PARTITION':<10} {'NEW-OFFSET':<15}\n"
    for name, plan in plans.items():
        for (topic, index), offset in plan.offsets.items():
            yield f"{name:<30} {topic:<30} {index:<10} {offset:<15}\n"

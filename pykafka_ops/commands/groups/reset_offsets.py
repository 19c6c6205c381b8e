"""``pko groups reset-offsets``: plan, show, and with ``--execute`` commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.client.group_describe import DEAD, EMPTY, SHARE, GroupDescription, describe_groups
from pykafka_ops.client.seeking import OffsetPlan, commit
from pykafka_ops.commands.framework.failures import item_error, raise_first
from pykafka_ops.commands.framework.output import ItemError, Table, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4_scope import reset_table, widths_of
from pykafka_ops.commands.groups.plan_file import PlanLineError, write_plan
from pykafka_ops.commands.groups.reset_plan import Planner
from pykafka_ops.commands.groups.reset_rows import COLUMNS, in_use, plan_rows, say_clamped
from pykafka_ops.errors import PkoError, UsageError


def reset(run: Run) -> Table:
    """Kafka's rules in both forms: nothing is committed without ``--execute``."""
    args = run.args
    if not args.flags and args.has("dry-run") and args.has("execute"):
        raise UsageError("give --dry-run or --execute, not both")
    names = select.wanted(run)
    cluster = select.cluster(run)
    groups = describe_groups(cluster, names, every_kind=not args.flags)
    shared = {n for n, g in groups.items() if isinstance(g, GroupDescription) and g.type == SHARE}
    plans, errors, busy = _plans(run, Planner(cluster, args, names, shared), groups)
    if args.has("execute"):
        for name, plan in plans.items():
            failed = commit(cluster, name, plan.offsets, shared=name in shared)
            if args.flags:
                raise_first(failed.values())
            errors += [item_error(f"{name} {t}-{p}", error) for (t, p), error in failed.items()]
    rows = [row for name, plan in plans.items() for row in plan_rows(name, plan)]
    script = None
    if args.has("export"):
        many = len(args.texts("group")) != 1
        script = list(write_plan({n: p.offsets for n, p in plans.items()}, with_group=many))
    text = _kafka(plans, busy, script, is_4=args.flags and is_kafka_4(cluster))
    if not args.flags and not args.has("execute"):
        say("pko: nothing was committed; add --execute")
    code = 0 if args.flags else None  # Kafka's tool says so and succeeds
    return Table(
        *("offset-resets", COLUMNS, rows),
        kafka=text,
        errors=errors,
        exit_code=code,
        script=script,
    )


def _plans(
    run: Run, planner: Planner, groups: Mapping[str, GroupDescription | PkoError]
) -> tuple[dict[str, OffsetPlan], list[ItemError], list[str]]:
    """Plans by group, errors of groups that have none, and Kafka's words for these."""
    plans: dict[str, OffsetPlan] = {}
    errors: list[ItemError] = []
    busy: list[str] = []
    for name, group in groups.items():
        if isinstance(group, PkoError):
            raise group
        if group.state not in (EMPTY, DEAD):
            busy.append(_busy(group))
            errors.append(in_use(group))
            continue
        fresh = group.state == DEAD and not run.args.flags
        if fresh and run.args.has("all-topics"):
            errors += select.missing_groups(planner.cluster, [name])
            continue
        plans[name] = _plan(run, planner, name)
        if fresh:
            say(f"pko: there is no group {name} yet: the commit makes it")
        if not plans[name].found:
            busy.append(f"No reset plan for group {name} found")
            errors.append(ItemError(name, "NO_PLAN", "the plan file does not name this group"))
    return plans, errors, busy


def _plan(run: Run, planner: Planner, name: str) -> OffsetPlan:
    try:
        plan = planner.plan(name)
    except PlanLineError as error:
        if not run.args.flags:
            raise UsageError(str(error)) from None
        say(str(error))
        return OffsetPlan({}, {}, found=False)
    say_clamped(plan, flags=run.args.flags)
    return plan


def _busy(group: GroupDescription) -> str:
    return (
        f"Assignments can only be reset if the group '{group.id}' is inactive, but the current "
        f"state is {group.state}."
    )


def _kafka(
    plans: Mapping[str, OffsetPlan],
    problems: list[str],
    exported: list[str] | None,
    *,
    is_4: bool,
) -> Iterator[str]:
    for plan in plans.values():
        for topic, index in plan.empty:
            yield (
                f"\nWarn: Partition {index} from topic {topic} is empty. "
                "Falling back to latest known offset.\n"
            )
    for text in problems:
        yield f"\nError: {text}\n"
    if exported is not None:
        yield from exported
        yield "\n"
        return
    if is_4:
        offsets = {name: plan.offsets for name, plan in plans.items()}
        yield from reset_table(offsets, widths_of(offsets))
        return
    yield f"\n{'GROUP':<30} {'TOPIC':<30} {'PARTITION':<10} {'NEW-OFFSET':<15}\n"
    for name, plan in plans.items():
        for (topic, index), offset in plan.offsets.items():
            yield f"{name:<30} {topic:<30} {index:<10} {offset:<15}\n"

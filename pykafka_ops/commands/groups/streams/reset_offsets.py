"""``kafka-streams-groups --reset-offsets``."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, EMPTY, STREAMS, GroupDescription, describe_kind
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import OffsetPlan, Offsets, commit, within
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import java_text, raise_first
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka import ScopeError
from pykafka_ops.commands.groups.kafka4 import by_hash, meant, told
from pykafka_ops.commands.groups.kafka4_scope import (
    at_either_end,
    at_moment,
    check_there,
    ends_of,
    fallen_back,
    partitions_named,
    reset_table,
)
from pykafka_ops.commands.groups.plan_file import by_group, read_plan, write_plan
from pykafka_ops.commands.groups.reset_plan import parse_duration
from pykafka_ops.commands.groups.reset_rows import say_clamped
from pykafka_ops.commands.groups.streams.check import SCENARIOS
from pykafka_ops.commands.groups.streams.describe import committed, every_commit
from pykafka_ops.commands.groups.streams.internal_topics import internal_topics, spared
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

LOGGER = "org.apache.kafka.tools.OffsetsUtils"
WIDTHS = (30, 30, 10, 15)


def reset(run: Run) -> int:
    """Plan, with ``--execute`` commit, and show it or with ``--export`` print it as CSV."""
    args, cluster = run.args, select.cluster(run)
    names = meant(run, STREAMS)
    groups = describe_kind(cluster, names, STREAMS) if names else {}
    plans: dict[str, Offsets] = {}
    for name in in_hash_order(groups, java_hash, copied=True):
        group = groups[name]
        if isinstance(group, PkoError) and not select.is_missing(group):
            with told(caught=True):
                raise group
        if isinstance(group, GroupDescription) and group.state not in (EMPTY, DEAD):
            sys.stdout.write(
                f"\nError: Assignments can only be reset if the group '{name}' is inactive, but "
                f"the current state is {group.state}.\n"
            )
            plans[name] = {}
            continue
        plans[name] = _reset(run, cluster, name)
        if isinstance(group, GroupDescription) and args.has("execute"):
            _delete_internal(cluster, args, group)
    if args.has("export"):
        with_group = len(args.texts("group")) != 1
        ordered = {n: dict(by_hash(plans[n])) for n in in_hash_order(plans, java_hash)}
        sys.stdout.writelines(write_plan(ordered, with_group=with_group))
        sys.stdout.write("\n")
    else:
        sys.stdout.writelines(reset_table(plans, WIDTHS))
    return 0


def _reset(run: Run, cluster: Cluster, name: str) -> Offsets:
    with told(bare=True):
        plan = _plan(cluster, run.args, name, _places(cluster, run.args, name))
        say_clamped(plan, flags=True, logger=LOGGER)
        sys.stdout.writelines(fallen_back(plan))
        if run.args.has("execute"):
            raise_first(commit(cluster, name, plan.offsets).values())
    return plan.offsets


def _places(cluster: Cluster, args: Args, name: str) -> list[Partition]:
    if args.has("all-input-topics"):
        with told(caught=True):
            return list(committed(cluster, name, internal=False))
    if args.has("input-topic"):
        places = partitions_named(cluster, args.texts("input-topic"))
        check_there(cluster, places)
        with told(caught=True):
            known = every_commit(cluster, name)
        if all(place in known for place in places):
            return places
        sys.stdout.write(f"\nError: One or more topics are not part of the group '{name}'.\n")
    elif not args.has("from-file"):
        raise ScopeError("One of the reset scopes should be defined: --all-topics, --topic.")
    return []


def _plan(cluster: Cluster, args: Args, name: str, places: Sequence[Partition]) -> OffsetPlan:
    """By the scenario asked for."""
    if args.has("to-offset"):
        return _within(cluster, dict.fromkeys(places, args.number("to-offset") or 0))
    if args.has("shift-by"):
        return _within(cluster, _shifted(cluster, args, name, places))
    if args.has("by-duration"):
        moment = int(time.time() * 1000) - parse_duration(args.text("by-duration") or "")
        return at_moment(cluster, moment, places)
    if args.has("from-file"):
        plans = by_group(read_plan(args.text("from-file") or ""), args.given("group"))
        if name not in plans:
            sys.stdout.write(f"\nError: No reset plan for group {name} found\n")
        return _within(cluster, plans.get(name, {}))
    if args.has("to-current"):
        commits = _current(cluster, name)
        new = [p for p in places if p not in commits]
        ends = ends_of(cluster, new, offsets.LATEST)
        return OffsetPlan({p: commits.get(p, ends.get(p, 0)) for p in places}, {})
    plan = at_either_end(cluster, args, places)
    if plan is None:
        names = ", ".join(f"[{s}]" for s in SCENARIOS)
        raise ScopeError(
            f"Option '[reset-offsets]' requires one of the following scenarios: [{names}]"
        )
    return plan


def _within(cluster: Cluster, wanted: Offsets) -> OffsetPlan:
    with told(caught=True):
        return within(cluster, wanted, {})


def _current(cluster: Cluster, name: str) -> Offsets:
    with told(caught=True):
        return {p: c.offset for p, c in committed(cluster, name, internal=True).items()}


def _shifted(cluster: Cluster, args: Args, name: str, places: Sequence[Partition]) -> Offsets:
    commits, by = _current(cluster, name), args.number("shift-by") or 0
    for topic, index in places:
        if (topic, index) not in commits:
            raise ScopeError(
                f"Cannot shift offset for partition {topic}-{index} since there is no current "
                "committed offset"
            )
    return {p: commits[p] + by for p in places}


def _delete_internal(cluster: Cluster, args: Args, group: GroupDescription) -> None:
    """On demand the topics that the application keeps for itself."""
    topics = args.given("delete-internal-topic")
    if args.has("delete-all-internal-topics"):
        topics, others = internal_topics(group)
        sys.stdout.writelines(spared(group.id, others))
    if not topics:
        return
    error = next((e for e in delete_topics(cluster, topics).values() if e is not None), None)
    head = f"\nError: Deleting internal topics for group '{group.id}' failed"
    if isinstance(error, KafkaError) and error.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        sys.stdout.write(f"{head} because the topics do not exist.\n")
    elif error is not None:
        sys.stdout.write(f"{head} due to {java_text(error)}\n")

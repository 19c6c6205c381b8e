"""``kafka-share-groups --reset-offsets``."""

from __future__ import annotations

import sys
from collections.abc import Collection

from pykafka_ops.analysis.java_hash import in_hash_order, partition_hash
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import DEAD, EMPTY, SHARE, GroupDescription, describe_kind
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.seeking import OffsetPlan, Offsets, commit
from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4 import ExitError, ToldError, one_group, told
from pykafka_ops.commands.groups.kafka4_scope import (
    at_either_end,
    check_there,
    fallen_back,
    partitions_named,
    reset_table,
    widths_of,
)
from pykafka_ops.commands.groups.share.describe import starts_of
from pykafka_ops.errors import KafkaError, PkoError


def reset(run: Run) -> int:
    """Set and show it; a group that is not there comes to be."""
    name, cluster = one_group(run), select.cluster(run)
    group = describe_kind(cluster, [name], SHARE)[name]
    if isinstance(group, PkoError) and not select.is_missing(group):
        raise ExitError(text_of(group))
    if isinstance(group, GroupDescription) and group.state not in (EMPTY, DEAD):
        raise ExitError(f"Share group '{name}' is not empty.")
    _reset(run, cluster, name)
    return 0


def _reset(run: Run, cluster: Cluster, name: str) -> None:
    with told(bare=True):
        plan = _plan(run, cluster, name)
        sys.stdout.writelines(fallen_back(plan))
        if run.args.has("execute"):
            _set(cluster, name, plan.offsets)
    plans = {name: plan.offsets}
    sys.stdout.writelines(reset_table(plans, widths_of(plans)))


def _set(cluster: Cluster, name: str, wanted: Offsets) -> None:
    """Raises ToldError with the partitions that failed, all where the whole did."""
    try:
        failed: Collection[Partition] = commit(cluster, name, wanted, shared=True)
    except KafkaError:
        failed = wanted
    if failed:
        places = ", ".join(f"{t}-{n}" for t, n in in_hash_order(failed, partition_hash))
        raise ToldError(f"Failed altering group offsets for the following partitions: [{places}]")


def _plan(run: Run, cluster: Cluster, name: str) -> OffsetPlan:
    places: list[Partition]
    if run.args.has("topic"):
        places = partitions_named(cluster, run.args.texts("topic"))
    else:
        places = list(starts_of(cluster, [name])[name])
    check_there(cluster, places)
    return at_either_end(cluster, run.args, places) or OffsetPlan({}, {})

"""Which groups a command line means, and the cluster with Kafka's time limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.groups import GroupListing, list_groups
from pykafka_ops.commands.framework.failures import raise_first
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

CONSUMERS = ("", "consumer")
READERS = (*CONSUMERS, "share", "streams")
"""Protocols of groups that read partitions; an empty group of commits has none."""


def cluster(run: Run) -> Cluster:
    """The cluster; in Kafka's form a call may take ``--timeout`` ms, 5000 by default."""
    made = run.cluster()
    milliseconds = run.args.number("timeout") if run.args.flags else None
    if milliseconds is not None:
        made.config.api_timeout = milliseconds / 1000
        made.config.patience = min(made.config.patience, made.config.api_timeout)
    return made


def wanted(run: Run) -> list[str]:
    """The groups named, or all there are; UsageError when neither was said."""
    args = run.args
    named = list(dict.fromkeys(args.texts("group")))
    if named and args.has("all-groups"):
        raise UsageError("name groups or give --all-groups, not both")
    if named:
        return named
    if not args.has("all-groups"):
        raise UsageError("which groups? name them or give --all-groups")
    return sorted(every(run))


def every(run: Run) -> list[str]:
    """All groups that read partitions, in Kafka's form all consumer groups; raises what the first
    broker that failed says."""
    return [g.id for g in listed(run) if reads(g, only_consumers=run.args.flags)]


def listed(run: Run) -> list[GroupListing]:
    """Every group by name; raises what the first broker that failed says."""
    groups, failed = list_groups(cluster(run))
    raise_first(failed.values())
    return sorted(groups.values())


def reads(group: GroupListing, *, only_consumers: bool = False) -> bool:
    """Whether members of such groups read partitions; those of Connect's workers do not."""
    return group.protocol_type in (CONSUMERS if only_consumers else READERS)


def missing_group(name: str, known: Iterable[str]) -> ItemError:
    """The error for a group that does not exist; ``known``: those that do."""
    code = ErrorCode.GROUP_ID_NOT_FOUND
    return ItemError(name, code.name, f"there is no group {name}{did_you_mean(name, known)}", code)


def missing_groups(cluster: Cluster, names: Sequence[str]) -> list[ItemError]:
    """An error for each of ``names``, which do not exist."""
    known = list_groups(cluster)[0] if names else {}
    return [missing_group(name, known) for name in names]


def is_missing(error: PkoError) -> bool:
    """Whether the error says that the group does not exist."""
    return isinstance(error, KafkaError) and error.code == ErrorCode.GROUP_ID_NOT_FOUND

"""All that ``pko cluster status`` asks, in a handful of rounds; what fails does not end it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pykafka_ops.analysis.cluster_state import Placed
from pykafka_ops.client.cluster import Cluster, Node
from pykafka_ops.client.eligible import EligibleReplicas
from pykafka_ops.client.glance import MIN_ISR, min_isr, placed, topic_settings
from pykafka_ops.client.kraft import eligible_of, kraft_state, short_of_replicas
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.log_dirs import LogDirDescription, describe_log_dirs
from pykafka_ops.client.reassignments import list_reassignments
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.api_versions.versions import ask_ranges, release
from pykafka_ops.commands.framework.failures import item_error, parted
from pykafka_ops.commands.framework.glance import at_a_glance
from pykafka_ops.commands.framework.output import ItemError, counted
from pykafka_ops.errors import PkoError


class Gathered(NamedTuple):
    """The answers; ``versions``, ``dirs`` by broker, only of those that answered; ``reassigning``,
    ``controller``, ``fenced``: None where they are not known; ``eligible``: of partitions without
    enough replicas in sync."""

    cluster_id: str | None
    controller: int | None
    nodes: dict[int, Node]
    partitions: list[Placed]
    versions: dict[int, str]
    dirs: dict[int, list[LogDirDescription]]
    reassigning: int | None
    silent: int
    fenced: list[int] | None
    eligible: dict[Partition, EligibleReplicas]
    errors: list[ItemError]


def gather(cluster: Cluster) -> Gathered:
    """Ask; PkoError only where nobody answers at all.

    A broker that hangs, or waits for ZooKeeper, holds up nobody who looks why.
    """
    at_a_glance(cluster.config)
    topics = all_topics(cluster)
    nodes = dict(sorted(cluster.nodes.items()))
    ranges, errors = parted(ask_ranges(cluster, list(nodes), once=True), "broker")
    versions = {broker: release(found) for broker, found in ranges.items()}
    answering = [broker for broker in nodes if broker in versions]
    dirs, failed = parted(describe_log_dirs(cluster, answering), "log directories of broker")
    settings, refused = topic_settings(cluster, [t.name for t in topics], [MIN_ISR])
    try:
        moves = list_reassignments(cluster)
        moving: int | None = len(moves)
    except PkoError:  # brokers before 2.4, or not allowed
        moves, moving = {}, None
    partitions = placed(topics, min_isr(settings), moves)
    state = kraft_state(cluster)
    unknown = [item_error(what, error) for what, error in state.failed]
    eligible, unseen = eligible_of(cluster, short_of_replicas(partitions))
    if unseen is not None:
        unknown.append(item_error("eligible leader replicas", unseen))
    return Gathered(
        cluster.cluster_id, state.controller, nodes, partitions, versions, dirs, moving,
        len(nodes) - len(answering), state.fenced, eligible,
        errors + failed + _refused(refused) + unknown,
    )  # fmt: skip


def _refused(refused: Mapping[str, PkoError]) -> list[ItemError]:
    """What may not be described, together where it is the same error."""
    found: dict[tuple[str, str], list[ItemError]] = {}
    for topic, cause in refused.items():
        error = item_error(f"settings of {topic}", cause)
        found.setdefault((error.error, error.message), []).append(error)
    return [_together(errors) for errors in found.values()]


def _together(errors: list[ItemError]) -> ItemError:
    """One error for all topics that it is the same of."""
    first = errors[0]
    if len(errors) == 1:
        return first
    what = f"{first.item} and {counted(errors[1:], 'more topic')}"
    return ItemError(what, first.error, first.message, first.code)

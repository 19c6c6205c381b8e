"""``kafka-streams-groups --delete``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import STREAMS, GroupDescription, describe_kind
from pykafka_ops.client.group_offsets import delete_groups
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.commands.framework.failures import java_text
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4 import (
    EXECUTION,
    ToldError,
    deletions,
    listed,
    meant,
    refusals,
)
from pykafka_ops.commands.groups.streams.internal_topics import internal_topics, spared
from pykafka_ops.errors import PkoError


def delete(run: Run) -> int:
    """Delete those that are streams groups without members, on demand with internal topics."""
    cluster = select.cluster(run)
    names = meant(run, STREAMS)
    try:
        groups = listed(run, STREAMS)
    except ToldError as error:
        raise ToldError(f"{EXECUTION}{error}") from error
    missing = "does not exist or is not a streams group."
    failed = refusals(names, groups, "streams", missing)
    wanted = [name for name in names if name not in failed]
    topics: dict[str, list[str]] = {}
    if wanted and run.args.has("delete-all-internal-topics"):
        topics = _internal(cluster, wanted)
    results = delete_groups(cluster, wanted) if wanted else {}
    done = deletions(results, failed)
    kept = _delete_topics(cluster, {n: topics[n] for n in done if n in topics})
    sys.stdout.writelines(_kafka(done, failed))
    if topics and done:
        sys.stdout.writelines(_of_topics([n for n in done if n in topics], kept))
    return 0


def _internal(cluster: Cluster, names: Sequence[str]) -> dict[str, list[str]]:
    """The internal topics of each group that has some."""
    found = describe_kind(cluster, names, STREAMS)
    wrong = next((g for g in found.values() if isinstance(g, PkoError)), None)
    if wrong is not None:
        text = f"{EXECUTION}{java_text(wrong)}"
        sys.stdout.write(f"\nError: Retrieving internal topics failed due to {text}\n")
        return {}
    topics = {}
    for group in found.values():
        if isinstance(group, GroupDescription):
            own, others = internal_topics(group)
            sys.stdout.writelines(spared(group.id, others))
            if own:
                topics[group.id] = own
    return topics


def _delete_topics(cluster: Cluster, topics: Mapping[str, list[str]]) -> dict[str, PkoError]:
    """What stopped the deletion, by group."""
    kept: dict[str, PkoError] = {}
    for group, names in topics.items():
        for topic, error in delete_topics(cluster, names).items():
            if error is not None:
                sys.stdout.write(f"Failed to delete internal topic: {topic}\n")
                kept.setdefault(group, error)
    return kept


def _kafka(done: Sequence[str], failed: Mapping[str, str]) -> Iterator[str]:
    names = "', '".join(done)
    if not failed:
        yield f"Deletion of requested streams groups ('{names}') was successful.\n"
        return
    yield "\nError: Deletion of some streams groups failed:\n"
    for name in in_hash_order(failed, java_hash):
        yield f"* Group '{name}' could not be deleted due to: {failed[name]}\n"
    if done:
        yield f"\nThese streams groups were deleted successfully: '{names}'.\n"


def _of_topics(done: Sequence[str], kept: Mapping[str, PkoError]) -> Iterator[str]:
    if not kept:
        names = "', '".join(done)
        yield (
            f"Deletion of associated internal topics of the streams groups ('{names}') was "
            "successful.\n"
        )
        return
    yield "Deletion of some associated internal topics failed:\n"
    for group in in_hash_order(kept, java_hash):
        yield (
            f"* Internal topics of the streams group '{group}' could not be deleted due to: "
            f"{java_text(kept[group])}\n"
        )

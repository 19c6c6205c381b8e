"""kafka-streams-application-reset: offsets of input topics moved, internal topics deleted.

Source: StreamsResetter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash, partition_hash
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription, describe_groups
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.removal import remove_members
from pykafka_ops.client.seeking import Offsets, commit, offsets_at
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.failures import java_text, raise_first
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups.streams_offsets import (
    ARGUMENT,
    STATE,
    StreamsResetError,
    new_offsets,
)
from pykafka_ops.errors import PkoError

_ENDS = (
    "-changelog", "-repartition", "-subscription-registration-topic",
    "-subscription-response-topic",
)  # fmt: skip
_JOIN = re.compile(r".+-KTABLE-FK-JOIN-SUBSCRIPTION-(?:REGISTRATION|RESPONSE)-[0-9]+-topic")


def reset(run: Run) -> int:
    """Do what the options say; 1 where topics were not found. StreamsResetError, PkoError."""
    args, cluster = run.args, run.cluster()
    group = args.text("application-id") or ""
    _without_members(cluster, group, force=args.has("force"))
    topics = {t.name: len(t.partitions) for t in all_topics(cluster) if not t.internal}
    if args.has("dry-run"):
        print("----Dry run displays the actions which will be performed when running Streams Reset "
              "Tool----")  # fmt: skip
    protocol = run.properties().get("group.protocol")
    if protocol is not None and protocol.lower() != "classic" and is_kafka_4(cluster):
        print("WARNING: provided group protocol will be ignored. Using supported CLASSIC protocol "
              "instead")  # fmt: skip
    code = _move(run, cluster, group, topics)
    _delete(run, cluster, group, topics)
    return code


def is_internal_topic(name: str) -> bool:
    """Whether Kafka Streams names topics of its own so."""
    return name.endswith(_ENDS) or _JOIN.fullmatch(name) is not None


# --- members -------------------------------------------------------------------------------------


def _without_members(cluster: Cluster, group: str, *, force: bool) -> None:
    found = describe_groups(cluster, [group])[group]
    if isinstance(found, PkoError):
        raise found
    if not isinstance(found, GroupDescription) or not found.members:
        return
    if not force:
        members = ", ".join(map(_shown, found.members))
        raise StreamsResetError(
            STATE,
            f"Consumer group '{group}' is still active and has following members: [{members}]. "
            "Make sure to stop all running application instances before running the reset tool. "
            "You can use option '--force' to remove active members from the group.",
        )
    print(f"Force deleting all active members in the group: {group}")
    remove_members(cluster, group, found.members)


def _shown(member: MemberDescription) -> str:
    return (
        f"(memberId={member.id}, groupInstanceId={member.instance_id or 'null'}, "
        f"clientId={member.client_id}, host={member.host})"
    )


# --- offsets -------------------------------------------------------------------------------------


def _move(run: Run, cluster: Cluster, group: str, topics: dict[str, int]) -> int:
    inputs = run.args.texts("input-topics")
    between = run.args.texts("intermediate-topics")
    if between and is_kafka_4(cluster):
        print("WARN: `--intermediate-topics` is deprecated and will be removed in a future release")
    if not inputs and not between:
        print("No input or intermediate topics specified. Skipping seek.")
        return 0
    if inputs:
        print(f"Reset-offsets for input topics [{', '.join(inputs)}]")
    if between:
        print(f"Seek-to-end for intermediate topics [{', '.join(between)}]")
    missing = _say_missing("input", inputs, topics, "Topic: ")
    missing |= _say_missing("intermediate", between, topics, "Topic:")
    to_move = _partitions([t for t in inputs if t in topics], topics)
    to_end = _partitions([t for t in between if t in topics and t not in inputs], topics)
    if to_move or to_end:
        moved = _planned(run, cluster, group, to_move, to_end)
        if not run.args.has("dry-run"):
            raise_first(commit(cluster, group, moved).values())
        print("Done.")
    return 1 if missing else 0


def _planned(
    run: Run, cluster: Cluster, group: str, to_move: list[Partition], to_end: list[Partition]
) -> Offsets:
    moved: Offsets = {}
    if to_move:
        print(f"Following input topics offsets will be reset to (for consumer group {group})")
        moved = new_offsets(cluster, run.args, group, to_move)
        for topic, number in to_move:
            print(f"Topic: {topic} Partition: {number} Offset: {moved[topic, number]}")
    if to_end:
        print(
            "Following intermediate topics offsets will be reset to end (for consumer group "
            f"{group})"
        )
        for topic, _ in to_end:
            print(f"Topic: {topic}")
        moved.update(offsets_at(cluster, to_end, offsets.LATEST))
    return moved


def _say_missing(kind: str, names: Sequence[str], topics: dict[str, int], head: str) -> bool:
    missing = [name for name in names if name not in topics]
    if missing:
        print(f"Following {kind} topics are not found, skipping them")
        for name in missing:
            print(f"{head}{name}")
    return bool(missing)


def _partitions(names: Sequence[str], topics: dict[str, int]) -> list[Partition]:
    return in_hash_order(
        ((name, number) for name in names for number in range(topics[name])), partition_hash
    )


# --- topics --------------------------------------------------------------------------------------


def _delete(run: Run, cluster: Cluster, group: str, topics: dict[str, int]) -> None:
    args = run.args
    own = {*args.texts("input-topics"), *args.texts("intermediate-topics")}
    found = [
        name for name in in_hash_order(topics, java_hash)
        if name not in own and name.startswith(f"{group}-") and is_internal_topic(name)
    ]  # fmt: skip
    kind, wanted = "inferred", args.texts("internal-topics")
    if wanted and not set(wanted) <= set(found):
        raise StreamsResetError(
            ARGUMENT,
            "Invalid topic specified in the --internal-topics option. Ensure that the topics "
            "specified are all internal topics. Do a dry run without the --internal-topics option "
            "to see the list of all internal topics that can be deleted.",
        )
    if wanted:
        kind, found = "specified", wanted
    print(f"Deleting {kind} internal topics [{', '.join(found)}]")
    if not args.has("dry-run") and found:
        failed = {n: e for n, e in delete_topics(cluster, found).items() if e is not None}
        for name, error in failed.items():
            say(f"ERROR: deleting topic {name}")
            say(f"java.util.concurrent.ExecutionException: {java_text(error)}")
        if failed:
            raise StreamsResetError(
                "java.lang.RuntimeException", "Encountered an error deleting one or more topics"
            )
    print("Done.")

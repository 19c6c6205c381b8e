"""What kafka-topics said with ``--zookeeper``, before 2.2 (TopicCommand.scala of 2.1)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence

from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.commands.framework.failures import raise_first
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import INTERNAL
from pykafka_ops.commands.topics.described import DescribedTopic
from pykafka_ops.commands.topics.values import TopicProblem, parse_configs, validate
from pykafka_ops.errors import PkoError

OFFSETS = "__consumer_offsets"
MARKED, MARKED_TOO = "\tMarkedForDeletion:true", "\tMarkedForDeletion: true"
Change = Callable[[Run, Sequence[str]], Mapping[str, PkoError | None]]


def head(d: DescribedTopic) -> str:
    """The line of a topic."""
    first = d.topic.partitions[:1]
    configs = ",".join(f"{k}={v}" for k, v in d.configs.items())
    return (
        f"Topic:{d.topic.name}\tPartitionCount:{len(d.topic.partitions)}"
        f"\tReplicationFactor:{sum(len(p.replicas) for p in first)}\tConfigs:{configs}"
        f"{MARKED if d.marked else ''}\n"
    )


def partition(d: DescribedTopic, p: PartitionDescription, reports: Collection[str]) -> str:
    """The line of a partition; in a report it says what there is no line of the topic for."""
    replicas, isr = (",".join(map(str, ids)) for ids in (p.replicas, p.isr))
    return (
        f"\tTopic: {d.topic.name}\tPartition: {p.number}\tLeader: {p.leader}"
        f"\tReplicas: {replicas}\tIsr: {isr}"
        f"{MARKED_TOO if d.marked and reports else ''}\n"
    )


def delete(run: Run, names: Sequence[str], marked: Collection[str]) -> None:
    """Delete one after the other, unless that is under way."""
    for name in names:
        if name in INTERNAL:
            raise TopicProblem(
                f"Topic {name} is a kafka internal topic and is not allowed to be marked for "
                "deletion."
            )
        if name in marked:
            sys.stdout.write(f"Topic {name} is already marked for deletion.\n")
            continue
        raise_first(delete_topics(run.cluster(), [name]).values())
        sys.stdout.write(
            f"Topic {name} is marked for deletion.\n"
            "Note: This will have no impact if delete.topic.enable is not set to true.\n"
        )


def alter(run: Run, names: Sequence[str], settings: Change, grow: Change) -> None:
    """Change the settings of each, then its size."""
    args = run.args
    validate(parse_configs(args.texts("config"), strict=True))
    for name in names:
        if args.has("config") or args.has("delete-config"):
            sys.stdout.write(
                "WARNING: Altering topic configuration from this script has been deprecated and "
                "may be removed in future releases.\n"
                "         Going forward, please use kafka-configs.sh for this functionality\n"
            )
            raise_first(settings(run, [name]).values())
            sys.stdout.write(f'Updated config for topic "{name}".\n')
        if args.has("partitions"):
            if name == OFFSETS:
                raise TopicProblem(
                    "The number of partitions for the offsets topic cannot be changed."
                )
            sys.stdout.write(
                "WARNING: If partitions are increased for a topic that has a key, the partition "
                "logic or ordering of the messages will be affected\n"
            )
            raise_first(grow(run, [name]).values())
            sys.stdout.write("Adding partitions succeeded!\n")

"""``--generate``: a proposal made by Kafka's algorithm, from a random start."""

from __future__ import annotations

import random
from collections.abc import Mapping

from pykafka_ops.analysis.placement import PlacementError, assign_replicas
from pykafka_ops.client.answers import by_topic
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.reassign_partitions import document
from pykafka_ops.commands.reassign_partitions.assignment import (
    Assignment,
    chosen,
    live_brokers,
    of_topics,
    present_dirs,
)
from pykafka_ops.commands.reassign_partitions.plan_rows import replicas_table
from pykafka_ops.commands.reassign_partitions.text import ReassignError, Talk, by_zookeeper
from pykafka_ops.errors import UsageError


def generate(run: Run) -> Table | None:
    """The present replicas of the topics, and proposed ones on the brokers listed."""
    args = run.args
    path = args.text("topics-to-move-json-file") or ""
    text = document.read_file(path)  # first, as Kafka does
    listed = args.text("broker-list")
    if listed is None:
        raise UsageError("which brokers shall have the replicas? --broker-list 0,1,2")
    ids = document.broker_list(listed)
    with in_file(path):
        topics = document.topics_of(text)
    rack_aware = not args.has("disable-rack-aware")
    in_tree = by_zookeeper(run)
    if in_tree:
        from pykafka_ops.commands.reassign_partitions.zookeeper import connected

        with connected(run) as tree:
            current = tree.of_topics(topics)
            brokers = chosen(tree.brokers(), ids, rack_aware=rack_aware)
    else:
        current = of_topics(run.cluster(), topics)
        brokers = chosen(live_brokers(run.cluster()), ids, rack_aware=rack_aware)
    proposed = propose(current, brokers)
    talk = Talk(run)
    if talk.plain:
        dirs = {} if in_tree else present_dirs(run.cluster(), current)
        present = document.text_of(current, dirs)
        talk.say(f"Current partition replica assignment\n{present}\n")
        talk.say(f"Proposed partition reassignment configuration\n{document.text_of(proposed)}")
        return None
    return replicas_table("proposed-reassignment", current, "proposed", proposed)


def propose(current: Assignment, brokers: Mapping[int, str | None]) -> Assignment:
    """Each topic anew over the brokers, with as many replicas as its first partition has.

    ReassignError where that cannot be, in Kafka's words.
    """
    topics = by_topic((topic, replicas) for (topic, _), replicas in sorted(current.items()))
    found: Assignment = {}
    for topic, partitions in topics.items():
        try:
            placed = assign_replicas(
                brokers,
                len(partitions),
                len(partitions[0]),
                start_index=random.randrange(max(1, len(brokers))),
                shift=random.randrange(max(1, len(brokers))),
            )
        except PlacementError as e:
            raise ReassignError(str(e)) from None
        found.update({(topic, number): replicas for number, replicas in placed.items()})
    return found

"""``kafka-streams-groups --delete-offsets``."""

from __future__ import annotations

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import delete_offsets as forget
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4 import one_group, told
from pykafka_ops.commands.groups.kafka4_deleted import deleted_text
from pykafka_ops.commands.groups.kafka4_scope import numbered
from pykafka_ops.commands.groups.streams.describe import committed
from pykafka_ops.errors import PkoError

Outcome = dict[Partition, PkoError | None]


def delete_offsets(run: Run) -> Table:
    """Delete committed offsets; a row for each partition, with what hit it."""
    name, cluster = one_group(run), select.cluster(run)
    results: Outcome = {}
    if run.args.has("all-input-topics"):
        with told(caught=True):
            places = list(committed(cluster, name, internal=False))
    else:
        places = _named(cluster, run.args.texts("input-topic"), results)
    found = forget(cluster, name, places) if places else {}
    whole: PkoError | None
    if isinstance(found, PkoError):
        whole = found
        results.update(dict.fromkeys(places, found))
    else:
        whole = next((e for e in found.values() if e is not None), None)
        results.update(found)
    return Table("offsets-deleted", (), [], kafka=deleted_text(name, whole, results))


def _named(cluster: Cluster, words: list[str], results: Outcome) -> list[Partition]:
    """The partitions named; a topic that cannot be had goes into ``results``."""
    places = [place for word in words if ":" in word for place in numbered(word)]
    names = [word for word in words if ":" not in word]
    for name, found in (describe_topics(cluster, names) if names else {}).items():
        topic = str(name)
        if isinstance(found, TopicDescription):
            places += [(topic, n) for n in range(len(found.partitions))]
        else:
            results[topic, -1] = found
    return list(dict.fromkeys(places))

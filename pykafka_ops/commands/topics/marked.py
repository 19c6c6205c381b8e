"""Topics that are to be deleted and still are in ZooKeeper, where a replica's broker is away.

The tools of before 3.0 showed them; brokers no longer list them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import INTERNAL
from pykafka_ops.commands.old_door import opened
from pykafka_ops.commands.topics.described import DescribedTopic
from pykafka_ops.wire.types import ZERO_UUID

V = TypeVar("V")
MARKS = "/admin/delete_topics"
TOPICS = "/brokers/topics"
NO_LEADER = -1


def marked_topics(run: Run) -> dict[str, DescribedTopic]:
    """By name, as their znodes describe them; ConnectError."""
    from kazoo.exceptions import NoNodeError

    with opened(run) as client:
        try:
            names = sorted(client.get_children(MARKS))
        except NoNodeError:
            return {}
        found = {name: _described(client, name) for name in names}
    return {name: d for name, d in found.items() if d is not None}


def _described(client: Any, name: str) -> DescribedTopic | None:
    """What is left of it; None where it is gone."""
    replicas = _read(client, f"{TOPICS}/{name}", _replicas)
    if replicas is None:
        return None
    partitions = []
    for number in sorted(replicas):
        state = _read(client, f"{TOPICS}/{name}/partitions/{number}/state", _state)
        leader, epoch, isr = state or (NO_LEADER, 0, [])
        partitions.append(PartitionDescription(number, leader, epoch, replicas[number], isr, []))
    topic = TopicDescription(name, ZERO_UUID, name in INTERNAL, partitions)
    configs = _read(client, f"/config/topics/{name}", _configs) or {}
    return DescribedTopic(topic, configs, 1, {}, marked=True)


def _read(client: Any, path: str, read: Callable[[Any], V]) -> V | None:
    """What a znode holds; None where there is none, or not what Kafka writes."""
    import json  # most commands come here no more

    from kazoo.exceptions import NoNodeError

    try:
        return read(json.loads(client.get(path)[0]))
    except (NoNodeError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _replicas(content: Any) -> dict[int, list[int]]:
    return {int(number): [int(b) for b in ids] for number, ids in content["partitions"].items()}


def _state(content: Any) -> tuple[int, int, list[int]]:
    return int(content["leader"]), int(content["leader_epoch"]), [int(b) for b in content["isr"]]


def _configs(content: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in sorted(content["config"].items())}

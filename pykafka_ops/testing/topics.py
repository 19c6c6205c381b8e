"""Create a topic and wait until every broker knows who leads it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.errors import ConnectError, KafkaError, PkoError

POLL_SECONDS = 0.02


def create(servers: Sequence[str], topic: NewTopic, seconds: float) -> None:
    """Create it and wait up to ``seconds``. Raises KafkaError, ConnectError, PkoError."""
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": ",".join(servers)}))
    try:
        made = create_topics(cluster, [topic])[topic.name]
    finally:
        cluster.close()
    if isinstance(made, KafkaError):
        raise made
    wait_known(servers, topic.name, len(topic.assignment) or topic.partitions, seconds)


def wait_known(servers: Sequence[str], name: str, partitions: int, seconds: float) -> None:
    """Until all ``servers`` that answer tell a leader of each partition. Raises PkoError."""
    deadline = time.monotonic() + seconds
    left = list(servers)
    while left := [server for server in left if not _knows(server, name, partitions)]:
        if time.monotonic() > deadline:
            raise PkoError(f"{', '.join(left)}: no leaders of {name} after {seconds:.0f} s")
        time.sleep(POLL_SECONDS)


def _knows(server: str, name: str, partitions: int) -> bool:
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": server}))
    cluster.config.patience = 0.0
    try:
        found = cluster.metadata([name]).topics
    except ConnectError:
        return True  # it is down: nobody will ask it
    finally:
        cluster.close()
    led = [p for t in found if not t.error_code for p in t.partitions if p.leader_id >= 0]
    return len(led) >= max(partitions, 1)

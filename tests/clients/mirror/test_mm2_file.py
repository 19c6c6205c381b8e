"""``pko mirror run mm2.properties``: what MirrorMaker 2 would do, groups and its topics too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import Committed, commit_offsets, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from tests.support.process.broker import BrokerProcess
from tests.support.process.mirror import (
    MirrorProcess,
    client,
    numbers_in,
    partitions,
    write_numbers,
)
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
PLACE: Partition = ("t", 0)
FILE = """
clusters = a, b
a.bootstrap.servers = {a}
b.bootstrap.servers = {b}
a->b.enabled = true
a->b.topics = t
replication.factor = 1
refresh.topics.interval.seconds = 1
sync.group.offsets.enabled = true
sync.group.offsets.interval.seconds = 1
emit.checkpoints.interval.seconds = 1
tasks.max = 10
"""


def committed(cluster: Cluster, group: str, place: Partition) -> int | None:
    found = fetch_offsets(cluster, [group])[group]
    value = found.get(place) if isinstance(found, dict) else None
    return value.offset if isinstance(value, Committed) else None


def test_a_file_of_mirror_maker_does(
    make_broker: Callable[..., BrokerProcess], tmp_path: Path
) -> None:
    quick = {"group_initial_rebalance_delay_ms": 0}
    a, b = make_broker("a", **quick).start(), make_broker("b", **quick).start()
    source, target = client(a.bootstrap), client(b.bootstrap)
    create_topics(source, [NewTopic("t", 1, 1)])
    write_numbers(source, "t", range(100), 1)
    commit_offsets(source, "billing", {PLACE: Committed(40, -1, "")})
    file = tmp_path / "mm2.properties"
    file.write_text(FILE.format(a=a.bootstrap, b=b.bootstrap))
    mirror = MirrorProcess(file, "--listen", "127.0.0.1:0")
    try:
        assert f"pko: {file}: means nothing here: tasks.max" in mirror.lines
        wait_for(
            lambda: partitions(target, "a.t") and numbers_in(target, "a.t").total() == 100,
            what="the records are there",
            poll=0.2,
        )
        wait_for(
            lambda: committed(target, "billing", ("a.t", 0)) == 40,
            what="the group's offset is translated",
            poll=0.2,
        )
        wait_for(
            lambda: partitions(target, "a.checkpoints.internal"),
            what="checkpoints are written as MirrorMaker 2 does",
            poll=0.2,
        )
        wait_for(
            lambda: partitions(source, "mm2-offset-syncs.b.internal") == 1,
            what="offset syncs are written where MirrorMaker 2 has them",
            poll=0.2,
        )
        wait_for(
            lambda: mirror.link()["offsets"]["troubles"] == [],
            what="no trouble stays",
            poll=0.2,
        )
    finally:
        code = mirror.end()
        source.close()
        target.close()
    assert code == 0, mirror.lines

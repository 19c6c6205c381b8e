"""AlterReplicaLogDirs begins moves, and DescribeLogDirs shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.broker.storage import replica_move, replica_moves
from pykafka_ops.broker.storage.log_home import StorageSettings
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from pykafka_ops.wire.messages.describe_log_dirs import DescribeLogDirsRequest
from tests.support.memory.files import MemoryFiles
from tests.support.memory.handler_site import Site, batch
from tests.support.waiting import wait_for


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Topic t with two batches in /a, hosted; nothing in /b. Copies go batch by batch."""
    monkeypatch.setattr(replica_move, "CHUNK", 1)
    monkeypatch.setattr(replica_moves, "LAST_BYTES", 1)
    made = Site()
    logs = LogManager(
        ["/a", "/b"],
        broker_id=0,
        cluster_id="c",
        config_of=lambda topic: TopicConfig(),
        files=MemoryFiles(),
        settings=StorageSettings(clock=lambda: made.now, timer=lambda: made.now),
    )
    logs.open(made.now)
    made.services.logs = logs
    made.replicas.logs = logs
    logs.create("t", 0, None, TopicConfig(), directory="/a")
    partition = made.replicas.host("t", 0, bytes(16))
    partition.leader = partition.leader_epoch = 0
    made.append("t", 0, batch(b"x"), batch(b"y"))
    logs.moves.on_moved = lambda topic, index: partition.move_log()
    yield made
    logs.close()


def move(site: Site, version: int = 2, **wanted: str) -> dict[tuple[str, int], int]:
    """(topic, partition) -> error; ``wanted`` is topic_partition=directory."""
    dirs = []
    for name, path in wanted.items():
        topic, _, index = name.rpartition("_")
        topics = [AlterReplicaLogDirTopic(name=topic, partitions=[int(index)])]
        dirs.append(AlterReplicaLogDir(path=path, topics=topics))
    answer = site.ask(AlterReplicaLogDirsRequest(dirs=dirs), version)
    return {
        (t.topic_name, p.partition_index): p.error_code
        for t in answer.results
        for p in t.partitions
    }


def shown(site: Site) -> dict[str, list[tuple[int, int, bool]]]:
    """Directory -> (size in batches, lag, future) of the partition in it."""
    size = len(batch(b"x"))
    answer: Any = site.ask(DescribeLogDirsRequest(topics=None), 4)
    return {
        r.log_dir: [
            (p.partition_size // size, p.offset_lag, p.is_future_key)
            for t in r.topics
            for p in t.partitions
        ]
        for r in answer.results
    }


@pytest.mark.parametrize("version", range(3))
def test_a_move_is_shown_while_it_goes_on_and_when_it_is_done(site: Site, version: int) -> None:
    logs = site.services.logs
    logs.settings.move_bytes_per_second = 1
    assert move(site, version, t_0="/b") == {("t", 0): ErrorCode.NONE}

    def copied() -> bool:
        logs.tick(site.now)
        return shown(site)["/b"] == [(1, 1, True)]

    wait_for(copied, what="half of the copy")
    assert shown(site)["/a"] == [(2, 0, False)]

    def done() -> bool:
        site.now += 1_000_000
        logs.tick(site.now)
        return shown(site) == {"/a": [], "/b": [(2, 0, False)]}

    wait_for(done, what="the move")
    site.append("t", 0, batch(b"z"))
    assert shown(site)["/b"] == [(3, 0, False)]


def test_what_cannot_move_is_named(site: Site) -> None:
    assert move(site, t_0="/nowhere") == {("t", 0): ErrorCode.LOG_DIR_NOT_FOUND}
    site.update({"t": {1: PartitionImage(1, 0, (1,), (1,))}})
    assert move(site, t_1="/b", u_0="/a") == {
        ("t", 1): ErrorCode.REPLICA_NOT_AVAILABLE,
        ("u", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert move(site, t_0="/a") == {("t", 0): ErrorCode.NONE}
    site.services.logs.dirs[1].home.fail(OSError(5, "broken"))
    assert move(site, t_0="/b") == {("t", 0): ErrorCode.KAFKA_STORAGE_ERROR}


def test_a_new_partition_is_made_where_it_was_sent(site: Site) -> None:
    move(site, u_0="/b", u_1="/b", u_2="/b")
    logs = site.services.logs
    for index in range(3):
        logs.create("u", index)
    assert [logs.create("u", index).place.home.path for index in range(3)] == ["/b"] * 3

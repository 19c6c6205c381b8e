"""DescribeLogDirs shows every directory, its logs and their sizes."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log_home import StorageSettings
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.wire.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
)
from tests.support.memory.files import MemoryFiles
from tests.support.memory.handler_site import Site, batch

STORAGE = 56


@pytest.fixture
def site() -> Site:
    """Topic t (2 partitions) in /a, topic u in /b; all three hosted."""
    made = Site()
    files = MemoryFiles(capacity=1 << 30)
    logs = LogManager(
        ["/a", "/b"],
        broker_id=0,
        cluster_id="c",
        config_of=lambda topic: TopicConfig(),
        files=files,
        settings=StorageSettings(clock=lambda: made.now, timer=lambda: made.now),
    )
    logs.open(made.now)
    made.services.logs = logs
    made.replicas.logs = logs
    for topic, index, directory in (("t", 0, "/a"), ("u", 0, "/b"), ("t", 1, "/a")):
        logs.create(topic, index, None, TopicConfig(), directory=directory)
        partition = made.replicas.host(topic, index, bytes(16))
        partition.leader = partition.leader_epoch = 0
    made.append("t", 1, batch(b"x"))
    return made


def shown(answer: Any) -> dict[str, dict[str, list[tuple[int, int, int]]]]:
    """Directory -> topic -> (partition, size, lag)."""
    return {
        result.log_dir: {
            topic.name: sorted(
                (p.partition_index, p.partition_size, p.offset_lag) for p in topic.partitions
            )
            for topic in result.topics
        }
        for result in answer.results
    }


@pytest.mark.parametrize("version", range(5))
def test_all_topics(site: Site, version: int) -> None:
    answer = site.ask(DescribeLogDirsRequest(topics=None), version)
    assert answer.error_code == 0
    size = len(batch(b"x"))
    assert shown(answer) == {"/a": {"t": [(0, 0, 0), (1, size, 0)]}, "/b": {"u": [(0, 0, 0)]}}
    assert not any(p.is_future_key for r in answer.results for t in r.topics for p in t.partitions)


def test_only_the_topics_asked_for(site: Site) -> None:
    asked = [
        DescribableLogDirTopic(topic="t", partitions=[1, 7]),
        DescribableLogDirTopic(topic="nowhere", partitions=[0]),
    ]
    answer = site.ask(DescribeLogDirsRequest(topics=asked), 4)
    assert {
        d: {t: [p[0] for p in ps] for t, ps in v.items()} for d, v in shown(answer).items()
    } == {
        "/a": {"t": [1]},
        "/b": {},
    }
    assert shown(site.ask(DescribeLogDirsRequest(topics=[]), 4)) == {"/a": {}, "/b": {}}


def test_the_volume_is_told_from_version_4_on(site: Site) -> None:
    for result in site.ask(DescribeLogDirsRequest(topics=None), 4).results:
        assert result.total_bytes == 1 << 30
        assert 0 < result.usable_bytes < 1 << 30
    for result in site.ask(DescribeLogDirsRequest(topics=None), 3).results:
        assert (result.total_bytes, result.usable_bytes) == (-1, -1)


def test_a_directory_that_failed_is_named_with_its_error(site: Site) -> None:
    logs = cast(LogManager, site.services.logs)
    logs.dirs[0].home.fail(OSError(5, "Input/output error"))
    bad, good = site.ask(DescribeLogDirsRequest(topics=None), 4).results
    assert (bad.log_dir, bad.error_code, bad.topics) == ("/a", STORAGE, [])
    assert (bad.total_bytes, bad.usable_bytes) == (-1, -1)
    assert (good.error_code, [t.name for t in good.topics]) == (0, ["u"])


def test_a_log_nobody_hosts_has_no_lag(site: Site) -> None:
    site.replicas.drop("u", 0)
    answer = site.ask(DescribeLogDirsRequest(topics=None), 4)
    assert shown(answer)["/b"] == {"u": [(0, 0, -1)]}

"""A mirror between two brokers as the monitor of both sees it, and as one that sees its target
alone."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.client.topic_changes import NewTopic, create_topics
from tests.support.monitor import scraped
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.mirror import (
    MirrorProcess,
    arrived,
    client,
    mirror_file,
    status_rows,
    write_numbers,
)
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.slow]
QUICK = {"group_initial_rebalance_delay_ms": 0, "offsets_topic_num_partitions": 2,
         "transaction_state_log_num_partitions": 2}  # fmt: skip
SAME = ("topic", "target_topic", "partitions", "lag", "state", "processes")


def monitor_file(path: Path, **clusters: str) -> Path:
    lines = [f'[cluster.{name}]\nbootstrap-server = "{at}"\n' for name, at in clusters.items()]
    path.write_text("".join(lines))
    return path


class Seen:
    """A link from ``a`` to ``b`` as a monitor shows it."""

    def __init__(self, monitor: MonitorProcess) -> None:
        self.monitor = monitor

    def link(self) -> dict[str, Any]:
        links = self.monitor.json("/api/v1/mirrors")["links"]
        return next((one for one in links if one["link"] == "a->b"), {})

    def shows(self, state: str, **facts: object) -> None:
        wait_for(
            lambda: {"state": state, **facts}.items() <= self.link().items(),
            what=f"{state}, {facts}",
        )  # fmt: skip

    def tells_who_is_stopped(self) -> None:
        """On the first page, as metrics, and not among the groups."""
        assert "mirror a-&gt;b: no process copies it" in self.monitor.get("/c/b")[1]
        found = scraped.samples(self.monitor.get("/metrics?collect[]=mirrors")[1])
        name = ("cluster", "b"), ("source", "a"), ("target", "b")
        assert found["pko_kafka_mirror_lag_records", *name] == 10
        state = ("cluster", "b"), ("source", "a"), ("state", "no process"), ("target", "b")
        assert found["pko_kafka_mirror_state", *state] == 1
        groups = self.monitor.json("/api/v1/clusters/b/groups")["groups"]
        assert [one["group"] for one in groups if "mirror" in one["group"]] == []


@pytest.fixture
def pair(make_broker: Callable[..., BrokerProcess]) -> tuple[BrokerProcess, BrokerProcess]:
    return make_broker("a", **QUICK).start(), make_broker("b", **QUICK).start()


def test_a_link_is_seen_as_the_command_sees_it(
    pair: tuple[BrokerProcess, BrokerProcess], tmp_path: Path
) -> None:
    a, b = pair
    source, target = client(a.bootstrap), client(b.bootstrap)
    create_topics(source, [NewTopic("t", 2, 1)])
    write_numbers(source, "t", range(100), 2)
    file = mirror_file(tmp_path / "mirror.toml", a.bootstrap, b.bootstrap)
    mirror = MirrorProcess(file)
    both = monitor_file(tmp_path / "both.toml", west=a.bootstrap, b=b.bootstrap)
    lone = monitor_file(tmp_path / "lone.toml", b=b.bootstrap)
    try:
        arrived(target, "a.t", range(100))
        with (
            MonitorProcess("--config", str(both), "--every", "1s") as monitor,
            MonitorProcess("--config", str(lone), "--every", "1s") as other,
        ):
            whole, half = Seen(monitor), Seen(other)
            whole.shows("ok", lag=0, processes=1, partitions=2, source_cluster="west")
            (said,) = status_rows(file)
            (row,) = monitor.json("/api/v1/mirrors")["items"]
            assert {key: row[key] for key in SAME} == {key: said[key] for key in SAME}
            assert row.keys() - {"cluster"} == said.keys()

            assert pko("mirror", "pause", str(file)).returncode == 0
            whole.shows("paused")
            wait_for(lambda: mirror.link()["state"] == "paused", what="the process heard of it")
            write_numbers(source, "t", range(100, 150), 2)
            whole.shows("paused", lag=50)
            assert whole.link()["lag_seconds"] is not None
            assert pko("mirror", "resume", str(file)).returncode == 0
            whole.shows("ok", lag=0)
            half.shows("not known", lag=None, source_cluster=None)
            assert "does not watch the source" in other.get("/mirrors")[1]

            mirror.end(signal.SIGTERM)
            write_numbers(source, "t", range(150, 160), 2)
            whole.shows("no process", lag=10, processes=0)
            whole.tells_who_is_stopped()
    finally:
        mirror.end(signal.SIGKILL)
        source.close()
        target.close()

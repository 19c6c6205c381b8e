"""Links of MirrorMaker 2, from the records of its topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.fetch import FetchedBatches
from pykafka_ops.disk.build import build_plain
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.mm2.formats import heartbeat
from pykafka_ops.monitor.cluster.answers import Partition
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.mirrors import mm2_logs
from pykafka_ops.monitor.mirrors.found import LinkFound
from pykafka_ops.monitor.mirrors.mm2_logs import Mm2Logs
from pykafka_ops.wire.codes import ErrorCode
from tests.support.monitor.mirrored import site

NO_CLUSTER = cast("Cluster", None)
Entries = list[tuple[bytes, bytes]]


def position(topic: str, offset: int) -> tuple[bytes, bytes]:
    key = b'["c",{"cluster":"us","partition":0,"topic":"%s"}]' % topic.encode()
    return key, b'{"offset":%d}' % offset


class Target:
    """eu, with these records in the first partitions of its topics."""

    def __init__(self, patch: pytest.MonkeyPatch, **topics: Entries) -> None:
        self.topics: dict[str, Entries] = dict(topics)
        self.refused: set[str] = set()
        self.asked: list[dict[Partition, int]] = []
        self.watched, self.logs, self._rounds = WatchedCluster("eu"), Mm2Logs(), 0
        patch.setattr(mm2_logs, "fetch", self._fetch)

    def _fetch(
        self, _: object, wanted: Mapping[Partition, int], **more: object
    ) -> dict[Partition, FetchedBatches | PkoError]:
        self.asked.append(dict(wanted))
        found: dict[Partition, FetchedBatches | PkoError] = {}
        for (topic, n), at in wanted.items():
            if topic in self.refused:
                found[topic, n] = KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "no")
                continue
            entries = self.topics[topic]
            data = build_plain(entries[at:], 1) if entries[at:] else bytearray()
            data[:8] = at.to_bytes(8, "big") if data else b""
            found[topic, n] = FetchedBatches(memoryview(data), len(entries), 0)
        return found

    def links(self, *others: str) -> list[LinkFound]:
        self._rounds += 1
        ends = {name: [len(entries)] for name, entries in self.topics.items()}
        self.watched.take(site(self._rounds, ends, "eu-id"))
        return self.logs.links(NO_CLUSTER, self.watched, set(others))


def test_heartbeats_that_were_copied_make_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target(monkeypatch)
    target.topics["us.heartbeats"] = [heartbeat("eu", "us", 5), heartbeat("eu", "us", 7)]
    target.topics["heartbeats"] = [heartbeat("us", "europe", 8)]
    (found,) = target.links()
    assert (found.name, found.beat_ms, found.copied_beat_ms) == ("us->europe", 8, 7)
    before = len(target.asked)
    assert target.links()[0].copied_beat_ms == 7
    assert len(target.asked) == before, "nothing is read where nothing came"
    target.topics["us.heartbeats"].append(heartbeat("eu", "us", 9))
    assert target.links()[0].copied_beat_ms == 9
    assert target.asked[-1] == {("us.heartbeats", 0): 2}
    assert target.links("us") == [], "another mirror writes them"


def test_topics_that_are_only_called_so_make_none(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target(monkeypatch)
    target.topics["app.heartbeats"] = [(b"key", b"value")]
    target.topics["mm2-offsets.us.internal"] = []
    target.topics["heartbeats"] = [heartbeat("us", "eu", 8)]
    assert target.links() == []


def test_positions_are_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target(monkeypatch)
    target.topics["mm2-offsets.us.internal"] = [position("orders", 5), position("users", 1)]
    assert target.links()[0].positions == {("orders", 0): 6, ("users", 0): 2}
    target.topics["mm2-offsets.us.internal"].append(position("orders", 8))
    assert target.links()[0].positions == {("orders", 0): 9, ("users", 0): 2}


def test_what_cannot_be_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target(monkeypatch)
    target.topics["us.checkpoints.internal"] = []
    target.topics["mm2-offsets.us.internal"] = [position("orders", 5)]
    target.refused.add("mm2-offsets.us.internal")
    (found,) = target.links()
    assert found.positions == {}
    assert "mm2-offsets.us.internal could not be read" in found.troubles[0]

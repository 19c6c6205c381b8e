"""MirrorMaker 2's own classes read what a mirror of ours writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pykafka_ops.client.group_offsets import Committed, commit_offsets
from pykafka_ops.mirror.groups.duty import OffsetDuty
from pykafka_ops.mirror.groups.translation import EXACT
from pykafka_ops.mirror.mm2 import formats
from pykafka_ops.mirror.mm2.internal_topics import read_all
from tests.support.mirror.hand_mirror import cluster_of
from tests.support.mirror.mirror_driver import mirror_driver
from tests.support.mirror.two_sites import PART, kept_of_fives, produce_fives, two_sites
from tests.support.process.broker import BrokerProcess

pytestmark = [pytest.mark.slow, pytest.mark.java]


def test_remote_cluster_utils_translates_offsets_exactly(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    with two_sites(make_broker, mm2=True, offset_syncs="source") as site:
        produce_fives(site.a, 0, 60)
        while site.mirror.copy(PART, 7):
            pass
        commits = {"g1": 3, "g2": 41, "g3": site.mirror.positions[PART]}
        for group, offset in commits.items():
            commit_offsets(site.source, group, {PART: Committed(offset, -1, f"of {group}")})
        duty = OffsetDuty(
            cluster_of(site.a.bootstrap), cluster_of(site.b.bootstrap), site.sync.link
        )
        duty.step(1_000_000)
        assert duty.status()["troubles"] == []
        for group in commits:
            (place,) = duty.outcome.groups[group].places
            assert place.standing == EXACT
            assert mirror_driver("translate", site.b.bootstrap, "a", group) == [
                f"a.orders-0 {place.target} of {group}"
            ]
        assert mirror_driver("upstreams", site.a.bootstrap) == []
        syncs = read_all(site.source, formats.offset_syncs_topic("b"))
        assert syncs is not None
        ((key, value),) = [formats.read_offset_sync(r.key or b"", r.value or b"") for r in syncs]
        assert (key.topic, key.partition) == PART
        last = site.sync.known().translate(("a.orders", 0), value.upstream)
        assert last is not None
        assert (last.offset, last.where) == (value.downstream, "run")
        assert value.upstream == max(kept_of_fives(0, 60)) + 60 // 5 - 1
        duty.close()


def test_checkpoints_are_written_again_when_they_change(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    with two_sites(make_broker, mm2=True, checkpoints_every_ms=10, groups_every_ms=10) as site:
        produce_fives(site.a, 0, 60)
        site.mirror.copy_all(PART)
        duty = OffsetDuty(
            cluster_of(site.a.bootstrap), cluster_of(site.b.bootstrap), site.sync.link
        )
        for now, offset in ((1000, 5), (2000, 5), (3000, 20)):
            commit_offsets(site.source, "g", {PART: Committed(offset, -1, "")})
            duty.step(now)
        found = read_all(site.target, formats.checkpoints_topic("a"))
        assert found is not None
        points = [formats.read_checkpoint(r.key or b"", r.value or b"")[1] for r in found]
        assert [point.upstream for point in points] == [5, 20]
        beats = read_all(site.target, formats.HEARTBEATS)
        assert beats is not None
        read = [formats.read_heartbeat(r.key or b"", r.value or b"") for r in beats]
        assert [(k.source, k.target, v.timestamp) for k, v in read] == [
            ("a", "b", 1000), ("a", "b", 2000), ("a", "b", 3000)
        ]  # fmt: skip
        duty.close()


def test_apache_kafka_writes_the_same_bytes() -> None:
    ours = {
        "heartbeat": formats.heartbeat("a", "b", 1700000000123),
        "checkpoint": formats.checkpoint(
            formats.CheckpointKey(group="group-ü", topic="a.orders", partition=3),
            formats.CheckpointValue(upstream=12345678901, downstream=98765, metadata="note"),
        ),
        "offset-sync": formats.offset_sync(
            formats.OffsetSyncKey(topic="orders", partition=3),
            formats.OffsetSyncValue(upstream=5000000000, downstream=7),
        ),
    }
    lines = [f"{name} {key.hex()} {value.hex()}" for name, (key, value) in ours.items()]
    assert mirror_driver("bytes") == lines

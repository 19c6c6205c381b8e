"""A MirrorMaker 2 of Apache Kafka is stopped, or killed, and its work goes on without it."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import LATEST, known_offsets
from pykafka_ops.mirror.failover.checks import failed
from pykafka_ops.mirror.groups.sync import GroupSync
from pykafka_ops.mirror.mm2 import formats
from pykafka_ops.mirror.mm2.connect_offsets import positions_of
from pykafka_ops.mirror.mm2.internal_topics import read_all
from pykafka_ops.mirror.mm2.takeover import TakeOver, begin, checks_of, look
from pykafka_ops.mirror.naming import link_id
from pykafka_ops.mirror.settings.model import LinkSettings
from tests.support.mirror.hand_mirror import HandMirror, cluster_of, make_topics
from tests.support.mirror.mirror_maker import MirrorMaker
from tests.support.mirror.two_sites import (
    PART,
    consume_numbers,
    kept_of_fives,
    produce_fives,
    produce_numbers,
)
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.mirror import MirrorProcess, mirror_file, numbers_in
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.java]
LINK = LinkSettings("a", "b")
COPY = ("a.orders", 0)
IDENTITY_POLICY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"


class Mirrored(NamedTuple):
    """Two brokers with a MirrorMaker 2 between them."""

    a: BrokerProcess
    b: BrokerProcess
    source: Cluster
    target: Cluster
    maker: MirrorMaker

    def copied(self, count: int, copy: Partition = COPY) -> None:
        """Until so many records are at the target."""
        wait_for(
            lambda: (
                (found := known_offsets(self.target, [copy], LATEST))
                and found[copy].offset >= count
            ),
            what=f"{count} records at the target",
        )

    def noted(self, offset: int) -> None:
        """Until it has noted that it copied the source's ``offset``."""
        name = formats.connect_offsets_topic("a")
        wait_for(
            lambda: positions_of(read_all(self.target, name) or (), "a").get(PART, 0) > offset,
            what="a position in Connect's topic",
        )

    def look(self) -> TakeOver:
        return look(LINK, self.source, self.target, still_seconds=0)

    def goes_on(self) -> HandMirror:
        """A mirror of ours where MirrorMaker 2 stopped."""
        mirror = HandMirror(self.source, self.target, LINK)
        group = link_id("a", "b")
        found = fetch_offsets(self.target, [group])[group]
        assert isinstance(found, dict)
        for (_, n), value in found.items():
            assert isinstance(value, Committed)
            mirror.positions["orders", n] = value.offset
        return mirror


@pytest.fixture
def mirrored(make_broker: Callable[..., BrokerProcess], tmp_path: Path) -> Iterator[Mirrored]:
    a, b = make_broker("a").start(), make_broker("b").start()
    source, target = cluster_of(a.bootstrap), cluster_of(b.bootstrap)
    make_topics(source, orders=1)
    maker = MirrorMaker(tmp_path, a.bootstrap, b.bootstrap)
    try:
        yield Mirrored(a, b, source, target, maker)
    finally:
        maker.kill()
        source.close()
        target.close()


def _now() -> int:
    return time.time_ns() // 1_000_000


def test_a_stopped_one_is_taken_over_without_a_record_twice(mirrored: Mirrored) -> None:
    kept = kept_of_fives(0, 60)
    produce_fives(mirrored.a, 0, 60)
    produce_numbers(mirrored.a, 60, 40)
    mirrored.maker.properties["a.consumer.isolation.level"] = "read_committed"
    mirrored.maker.start()
    mirrored.copied(len(kept) + 40)
    mirrored.maker.stop()
    produce_numbers(mirrored.a, 100, 20)
    seen = consume_numbers(mirrored.a, "orders", 50)

    found = mirrored.look()
    assert failed(checks_of(found)) == []
    assert [check.ok for check in checks_of(found)] == [True] * 5
    (part,) = found.partitions
    assert (part.known_from, part.position) == (0, part.said)
    begin(found, mirrored.target, _now())
    assert mirrored.goes_on().copy_all(PART) == 20
    assert GroupSync(mirrored.source, mirrored.target, LINK).run().groups["g"].written == 1
    numbers = [*kept, *range(60, 120)]
    assert seen + consume_numbers(mirrored.b, "a.orders", len(numbers) - 50) == numbers
    assert consume_numbers(mirrored.b, "a.orders", len(numbers), group="new") == numbers


@pytest.mark.parametrize(("naming", "copy"), [("prefix", "a.orders"), ("identity", "orders")])
def test_commands_take_over_and_the_daemon_goes_on(
    mirrored: Mirrored, tmp_path: Path, naming: str, copy: str
) -> None:
    lines = 'topics = ["orders"]', 'groups-every = "500ms"', f'naming = "{naming}"'
    file = mirror_file(tmp_path / "mirror.toml", mirrored.a.bootstrap, mirrored.b.bootstrap, *lines)
    if naming == "identity":
        mirrored.maker.properties["replication.policy.class"] = IDENTITY_POLICY
    produce_numbers(mirrored.a, 0, 50)
    mirrored.maker.start()
    mirrored.copied(50, (copy, 0))
    mirrored.maker.stop()
    produce_numbers(mirrored.a, 50, 20)
    seen = consume_numbers(mirrored.a, "orders", 30)
    done = pko("mirror", "takeover", str(file), "--still", "1ms", "--yes", "-o", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"][0]["steps"][0]["how"] == (
        "from offset 50 on, groups are exact from 0 on"
    )
    again = pko("mirror", "takeover", str(file), "--still", "1ms", "--yes")
    assert (again.returncode, b"not ready: not begun" in again.stderr) == (4, True)
    mirror = MirrorProcess(file)
    try:
        wait_for(lambda: len(numbers_in(mirrored.target, copy)) == 70, what="70 numbers")
        wait_for(lambda: fetch_offsets(mirrored.target, ["g"])["g"], what="the group")
        assert seen + consume_numbers(mirrored.b, copy, 40) == list(range(70))
        assert numbers_in(mirrored.target, copy) == dict.fromkeys(range(70), 1)
    finally:
        mirror.end(signal.SIGKILL)


def test_a_killed_one_has_copied_more_than_it_noted(mirrored: Mirrored) -> None:
    mirrored.maker.properties["offset.flush.interval.ms"] = 4000
    mirrored.maker.start()
    produce_numbers(mirrored.a, 0, 30)
    mirrored.noted(29)
    produce_numbers(mirrored.a, 30, 50)
    mirrored.copied(80)
    mirrored.maker.kill()
    produce_numbers(mirrored.a, 80, 5)
    found = mirrored.look()
    (part,) = found.partitions
    assert part.position == 80
    begin(found, mirrored.target, _now())
    assert mirrored.goes_on().copy_all(PART) == 5
    assert consume_numbers(mirrored.b, "a.orders", 85) == list(range(85))


def test_one_that_runs_is_not_taken_over(mirrored: Mirrored) -> None:
    produce_numbers(mirrored.a, 0, 10)
    mirrored.maker.start()
    mirrored.copied(10)
    mirrored.noted(9)

    def meanwhile(_: float) -> None:
        produce_numbers(mirrored.a, 10, 5)
        mirrored.copied(15)

    found = look(LINK, mirrored.source, mirrored.target, still_seconds=0, pause=meanwhile)
    (check,) = failed(checks_of(found))
    assert (check.check, check.what) == (
        "stopped", "records still arrive in a.orders: stop MirrorMaker 2"
    )  # fmt: skip

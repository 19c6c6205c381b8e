"""A mirror while leaders move, on both sides: its source and its target are three brokers, of which
one is killed at a time."""

from __future__ import annotations

import pytest

from pykafka_ops.mirror.copy.tasks import RoundResult
from tests.support.cluster.faulty_cluster import FaultyCluster
from tests.support.mirror.pair import MirrorPair, lone, values, write
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
PARTITIONS = 3
EACH = 3000


@pytest.mark.parametrize("exactly_once", [True, False])
def test_leaders_that_are_killed_while_they_are_read_and_written(
    faulty_cluster: FaultyCluster, exactly_once: bool
) -> None:
    topic = f"moving-{int(exactly_once)}"
    for name in (topic, f"a.{topic}"):
        faulty_cluster.create_topic(name, PARTITIONS, {"min.insync.replicas": 2})
    pair = MirrorPair(faulty_cluster.bootstrap, faulty_cluster.bootstrap)
    expected = [[b"%d-%05d" % (n, i) + b"x" * 200 for i in range(EACH)] for n in range(PARTITIONS)]
    for n in range(PARTITIONS):
        write(pair.source, topic, expected[n], partition=n, **{"batch.num.messages": 50})
    link = pair.link(exactly_once=exactly_once, round_ms=200, round_bytes=100_000)
    copier = pair.copier(link)
    copier.assign(pair.tasks(topic, PARTITIONS), lone(30))
    results: list[RoundResult] = []

    def copied(records: int) -> bool:
        results.append(copier.round())
        return sum(p.position for p in copier.progress().values()) >= records

    for step, name in enumerate((topic, f"a.{topic}", topic), 1):
        wait_for(lambda n=step: copied(n * 2000), what="records", about=results)  # type: ignore[misc]
        (victim,) = [
            b for b in faulty_cluster.brokers if b.broker_id == faulty_cluster.leader(name)
        ]
        victim.kill()
        behind = sum(p.position for p in copier.progress().values()) + 500
        wait_for(lambda more=behind: copied(more), what="progress", about=results)  # type: ignore[misc]
        victim.start()
    wait_for(lambda: copied(PARTITIONS * EACH), what="everything", about=results)
    copier.close()
    for n in range(PARTITIONS):
        found = values(pair.target, f"a.{topic}", n)
        assert (found if exactly_once else list(dict.fromkeys(found))) == expected[n]
    faulty_cluster.restore()
    faulty_cluster.wait_whole()

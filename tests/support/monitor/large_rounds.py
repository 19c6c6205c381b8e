"""Rounds of a cluster as large as the monitor has to bear, as brokers answer them: 1,000 brokers,
100,000 partitions, 10,000 groups, one of which reads every partition and is behind in a tenth."""

from __future__ import annotations

from array import array

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.monitor.cluster.answers import Answers, Partition
from tests.support.monitor.large import GROUPS, PARTITIONS, TOPICS, large_dirs, large_topic
from tests.support.monitor.large import large_nodes as nodes

EVERYTHING = "everything"
"""The group that reads all."""
EVERY_MS = 15_000
ROUND_RECORDS = 150
"""Records that each partition gets between two rounds."""
START = 1_000_000
MEMBERS = 50


class LargeRounds:
    """Answers of one round after the other, ``EVERY_MS`` apart; the first is at ``at`` (ms)."""

    def __init__(self, at: int) -> None:
        self._began, self._number = at, 0
        self._topics = {f"topic-{n:04}": large_topic(n).description for n in range(TOPICS)}
        self._dirs = large_dirs(self._topics.values())
        self._settings = {
            name: {"retention.ms": "86400000", "min.insync.replicas": "2"} for name in self._topics
        }
        readers = [self._reader(n) for n in range(MEMBERS)]
        self._groups = [_described(EVERYTHING, readers), *(_group(n) for n in range(GROUPS - 1))]

    def next(self) -> Answers:
        """The answers of the next round."""
        at = self._began + self._number * EVERY_MS
        end = START + self._number * ROUND_RECORDS
        self._number += 1
        live = nodes()
        return Answers(
            at=at,
            cluster_id="large",
            controller=1,
            nodes=live,
            topics=self._topics,
            ends={name: array("q", [end]) * PARTITIONS for name in self._topics},
            starts={name: array("q", [0]) * PARTITIONS for name in self._topics},
            listed={g.id: GroupListing(g.id, "consumer", g.state, "classic", g.coordinator)
                    for g in self._groups},
            described={g.id: g for g in self._groups},
            commits=self._commits(at, end),
            dirs=self._dirs,
            settings=self._settings,
            moves={(name, 0): Reassignment([1, 2, 3, 4], [4], [1])
                   for name in list(self._topics)[:1000]},
        )  # fmt: skip

    def _commits(self, at: int, end: int) -> dict[tuple[str, str, int], list[Commit]]:
        found = {
            (EVERYTHING, name, p): [Commit(at - 1000, end - _lag(n, p))]
            for n, name in enumerate(self._topics)
            for p in range(PARTITIONS)
        }
        for n, group in enumerate(self._groups[1:]):
            for topic, p in group.members[0].assigned:
                found[group.id, topic, p] = [Commit(at - 1000, end - n % 5 * 100)]
        return found

    def _reader(self, number: int) -> MemberDescription:
        mine: list[Partition] = [
            (name, p) for name in self._topics for p in range(number, PARTITIONS, MEMBERS)
        ]
        return MemberDescription(f"m-{number}", None, f"reader-{number}", "/10.1.0.1", tuple(mine))


def _lag(n: int, p: int) -> int:
    return 0 if p % 10 else 10 + (n * PARTITIONS + p) % 1000


def _group(n: int) -> GroupDescription:
    topic = f"topic-{n % TOPICS:04}"
    member = MemberDescription(f"m-{n}", None, f"client-{n}", f"/10.0.{n % 256}.1",
                               tuple((topic, p) for p in range(2)))  # fmt: skip
    return _described(f"group-{n:05}", [member])


def _described(name: str, members: list[MemberDescription]) -> GroupDescription:
    return GroupDescription(name, "Stable", "Classic", "consumer", "range", 1, tuple(members))

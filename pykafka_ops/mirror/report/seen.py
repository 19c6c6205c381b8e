"""How far a link is, read from the clusters alone: any process can, whoever copies.

Positions are what the link's group has committed at the target; ends are the source's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_describe import GroupDescription, describe_groups
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.log_dirs import describe_log_dirs
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset, list_offsets
from pykafka_ops.client.record_times import record_times
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.positions import copied_to
from pykafka_ops.mirror.naming import link_id
from pykafka_ops.mirror.report.rows import STOPPED, SeenPartition, partition_state
from pykafka_ops.mirror.run.clients import at
from pykafka_ops.mirror.run.meter import CopyMeter, Sample, eta_seconds
from pykafka_ops.mirror.run.outlook import LinkOutlook
from pykafka_ops.mirror.run.syncer import Syncer
from pykafka_ops.mirror.settings.model import LinkSettings

MOST_TIMES: Final = 500
"""Partitions whose age is looked up in their records; the furthest behind."""


class _Facts(NamedTuple):
    positions: Mapping[Partition, int]
    starts: Mapping[Partition, int]
    ends: Mapping[Partition, int]
    owners: Mapping[Partition, str]


class LinkReader:
    """Of one link. ``close`` when done. Its methods raise PkoError where a cluster does not
    answer."""

    def __init__(self, link: LinkSettings, source: ClientConfig, target: ClientConfig) -> None:
        self.link = link
        self._syncer = Syncer(link, source, target)
        self._meter = CopyMeter()
        self.troubles: list[str] = []
        self.outlook: LinkOutlook | None = None
        self._facts = _Facts({}, {}, {}, {})

    def close(self) -> None:
        """Close the connections."""
        self._syncer.close()

    def look(self, now_ms: int) -> None:
        """Read both clusters once; twice, some time apart, gives rates."""
        self.troubles = []
        self.outlook = self._syncer.look(now_ms, deep=False)[0]
        tasks = self.outlook.tasks
        with at(self.link.target):
            owners = self._owners()
        source = self._syncer.source
        with at(self.link.source):
            committed_only = self.link.read_committed
            ends = _offsets(source, tasks, LATEST, read_committed=committed_only)
            starts = _offsets(source, tasks, EARLIEST)
        with at(self.link.target):
            group = link_id(self.link.source, self.link.target)
            copies = {p: (task.target, task.topic_id) for p, task in tasks.items()}
            positions = copied_to(self._syncer.target, group, copies, starts)
        here = {p: owners[t.target] for p, t in tasks.items() if t.target in owners}
        self._facts = _Facts(positions, starts, ends, here)
        samples = {p: Sample(at_, ends[p], 0) for p, at_ in positions.items() if p in ends}
        self._meter.note(now_ms, samples)

    def rows(self, now_ms: int, troubles: Mapping[Partition, str]) -> list[SeenPartition]:
        """What was read; the ages of records are looked up now. ``troubles`` are those that a
        process tells of."""
        outlook = self.outlook
        if outlook is None:
            return []
        facts = self._facts
        lags = {
            p: max(0, end - begin)
            for p, end in facts.ends.items()
            if (begin := self._begin(p, end)) is not None
        }
        ages = self._ages(lags, now_ms)
        sizes = self._sizes(lags)
        rates = self._meter.rates()
        rows = []
        for partition, task in sorted(outlook.tasks.items()):
            lag, rate = lags.get(partition), rates.get(partition)
            eta = None if lag is None else eta_seconds(lag, rate)
            rows.append(
                SeenPartition(
                    self.link.name,
                    *partition,
                    task.target[0],
                    facts.positions.get(partition),
                    facts.starts.get(partition),
                    facts.ends.get(partition),
                    lag,
                    sizes.get(partition),
                    ages.get(partition),
                    None if rate is None else round(rate.copied, 1),
                    None if rate is None else round(rate.added, 1),
                    None if eta is None else round(eta, 1),
                    facts.owners.get(partition),
                    STOPPED if partition in troubles else self._state(partition, lag, outlook),
                    troubles.get(partition),
                )
            )
        return rows

    def _begin(self, partition: Partition, end: int) -> int | None:
        """What is to be copied next: the position, or, of a partition that was never copied, where
        it begins. None: nobody knows."""
        start = self._facts.starts.get(partition)
        if partition in self._facts.positions:
            return self._facts.positions[partition]
        return start if start == end or self.link.start == "earliest" else None

    def _state(self, partition: Partition, lag: int | None, outlook: LinkOutlook) -> str:
        facts = self._facts
        return partition_state(
            facts.positions.get(partition),
            facts.starts.get(partition),
            lag,
            is_paused=outlook.pause_of(partition) is not None,
            is_copied=partition in facts.owners,
        )

    def _owners(self) -> dict[Partition, str]:
        """Who copies into partitions of the target."""
        group = link_id(self.link.source, self.link.target)
        found = describe_groups(self._syncer.target, [group])[group]
        if not isinstance(found, GroupDescription):
            self.troubles.append(f"who copies is not known: {in_one_line(found)}")
            return {}
        return {p: m.id for m in found.members for p in m.assigned}

    def _ages(self, lags: Mapping[Partition, int], now_ms: int) -> dict[Partition, float]:
        """How old the first record is that waits; 0 where none does."""
        behind = sorted((p for p, lag in lags.items() if lag), key=lambda p: -lags[p])[:MOST_TIMES]
        begins = ((p, self._begin(p, self._facts.ends[p])) for p in behind)
        wanted = [(p, begin) for p, begin in begins if begin is not None]
        ages = {p: 0.0 for p, lag in lags.items() if not lag}
        with at(self.link.source):
            found = record_times(self._syncer.source, wanted) if wanted else {}
        for (partition, _), ms in found.items():
            ages[partition] = max(0, now_ms - ms) / 1000
        return ages

    def _sizes(self, lags: Mapping[Partition, int]) -> dict[Partition, int]:
        """Bytes that wait: of the partition's bytes on disk the part that its lag is of its
        offsets. Nothing where a login may not ask for them."""
        source, sizes = self._syncer.source, {p: 0 for p, lag in lags.items() if not lag}
        behind = [p for p, lag in lags.items() if lag]
        if not behind:
            return sizes
        topics: dict[str, list[int]] = {}
        for topic, number in behind:
            topics.setdefault(topic, []).append(number)
        answers = describe_log_dirs(source, sorted(source.brokers()), topics, once=True)
        for dirs in answers.values():
            for one in dirs if not isinstance(dirs, PkoError) else ():
                for replica in one.replicas:
                    place = replica.topic, replica.partition
                    if lag := lags.get(place):
                        start = self._facts.starts.get(place, 0)
                        whole = max(1, self._facts.ends[place] - start)
                        part = round(replica.size * min(1.0, lag / whole))
                        sizes[place] = max(sizes.get(place, 0), part)
        return sizes


def _offsets(
    cluster: Cluster, partitions: Iterable[Partition], time: int, *, read_committed: bool = False
) -> dict[Partition, int]:
    wanted = dict.fromkeys(partitions, time)
    if not wanted:
        return {}
    found = list_offsets(cluster, wanted, read_committed=read_committed)
    return {p: o.offset for p, o in found.items() if isinstance(o, Offset)}

"""Asks a cluster all that the lag report needs, in a handful of requests per broker."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.lag.rows import PartitionFacts, Sample
from pykafka_ops.analysis.lag.standing import Partition
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.commit_log import Commits, commits_since
from pykafka_ops.client.group_describe import DEAD, SHARE, GroupDescription, describe_groups
from pykafka_ops.client.record_times import record_times
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.groups.described import offsets_at
from pykafka_ops.commands.groups.positions import GroupPositions, positions, why_nothing
from pykafka_ops.commands.groups.select import missing_groups
from pykafka_ops.errors import KafkaError, PkoError

SAMPLES = 6
"""How many earlier end offsets of a partition are asked for."""


class UnseenGroup(NamedTuple):
    """A group that is there although no partition of it is known: its state (None: not known), and
    why; None where an error says so."""

    state: str | None
    why: str | None


class Collector:
    """Everything about some groups at one moment; ``now`` in ms."""

    def __init__(self, cluster: Cluster, window_ms: int) -> None:
        self.cluster, self.window_ms = cluster, window_ms
        self.now = 0
        self.errors: list[ItemError] = []
        self.unseen: dict[str, UnseenGroup] = {}

    def collect(self, names: Sequence[str]) -> list[PartitionFacts]:
        """One entry per partition of each group, by name; what failed is in ``errors``, groups that
        are there but of which no partition is known in ``unseen``."""
        self.errors, self.unseen = [], {}
        self.now = int(time.time() * 1000)
        groups = self._groups(names)
        found = self._positions(groups)
        pairs = {n: sorted(at.places(groups[n])) for n, at in found.items()}
        for name in (n for n, places in pairs.items() if not places):
            self.unseen[name] = UnseenGroup(groups[name].state, why_nothing(groups[name]))
        every = sorted({p for places in pairs.values() for p in places})
        ends = offsets_at(self.cluster, every, offsets.LATEST)
        starts = offsets_at(self.cluster, every, offsets.EARLIEST)
        behind = {
            (p, offset)
            for at in found.values()
            for p, offset in at.offsets.items()
            if ends.get(p, -1) > offset >= starts.get(p, 0)
        }
        samples = self._samples(every, {p for p, _ in behind}, ends)
        newest = self._newest({p for p, _ in behind})
        stamps = record_times(self.cluster, behind)
        commits = self._commits({n for n in found if groups[n].type != SHARE})
        facts = []
        for name, places in pairs.items():
            clients = {p: m.client_id for m in groups[name].members for p in m.assigned}
            at, is_shared = found[name], groups[name].type == SHARE
            for p in places:
                offset = at.offsets.get(p)
                facts.append(
                    PartitionFacts(
                        name, groups[name].state, *p, clients.get(p), offset, starts.get(p),
                        ends.get(p), stamps.get((p, offset)) if offset is not None else None,
                        newest.get(p), samples.get(p, ()), commits.get((name, *p), ()),
                        counted=is_shared, said=at.lags.get(p),
                    )
                )  # fmt: skip
        return facts

    def _groups(self, names: Sequence[str]) -> dict[str, GroupDescription]:
        alive, missing = {}, []
        for name, group in describe_groups(self.cluster, names, every_kind=True).items():
            if isinstance(group, PkoError):
                self._failed(name, None, group)
            elif group.state == DEAD:
                missing.append(name)
            else:
                alive[name] = group
        self.errors += missing_groups(self.cluster, missing)
        return alive

    def _positions(self, groups: Mapping[str, GroupDescription]) -> dict[str, GroupPositions]:
        result = {}
        for name, found in positions(self.cluster, groups).items():
            if isinstance(found, PkoError):
                self._failed(name, groups[name].state, found)
                continue
            result[name] = found
            self.errors += [
                ItemError.of(f"{name} {topic}-{index}", error)
                for (topic, index), error in found.refused.items()
            ]
        return result

    def _failed(self, name: str, state: str | None, error: PkoError) -> None:
        if not isinstance(error, KafkaError):
            raise error
        self.errors.append(ItemError.of(name, error))
        self.unseen[name] = UnseenGroup(state, None)

    def _samples(
        self, every: Sequence[Partition], behind: set[Partition], ends: Mapping[Partition, int]
    ) -> dict[Partition, list[Sample]]:
        """Where the logs ended earlier: at the window's begin for all, in between for some."""
        samples: dict[Partition, list[Sample]] = {}
        for k in range(SAMPLES):
            moment = self.now - self.window_ms * (SAMPLES - k) // SAMPLES
            asked = every if k == 0 else sorted(behind)
            for p, offset in offsets_at(self.cluster, asked, moment).items():
                end = offset if offset >= 0 else ends.get(p, -1)
                if end >= 0:
                    samples.setdefault(p, []).append((moment, end))
        return samples

    def _newest(self, partitions: set[Partition]) -> dict[Partition, int]:
        """The largest timestamp in each; now, where brokers before 3.0 do not say."""
        found = offsets.known_offsets(self.cluster, sorted(partitions), offsets.MAX_TIMESTAMP)
        return {
            p: found[p].timestamp if p in found and found[p].timestamp >= 0 else self.now
            for p in partitions
        }

    def _commits(self, names: set[str]) -> Commits:
        """Of the window; without them where the offsets topic may not be read."""
        if not names:
            return {}
        try:
            return commits_since(self.cluster, self.now - self.window_ms, names)
        except KafkaError:
            return {}

"""One cluster, remembered over rounds: answers go in, views come out. No I/O and no clock."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Final

from pykafka_ops.analysis.cluster_state import facts as facts_of
from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.lag.rows import LagRow, Sample, end_at
from pykafka_ops.client.commit_log import TOPIC
from pykafka_ops.client.eligible import EligibleReplicas
from pykafka_ops.client.glance import bytes_of
from pykafka_ops.client.group_describe import SHARE, GroupDescription
from pykafka_ops.client.share_offsets import ShareStart
from pykafka_ops.mirror.naming import is_own_group
from pykafka_ops.mirror.report.rows import SeenPartition
from pykafka_ops.monitor.cluster.answers import Answers, Ends, NotAsked, Partition
from pykafka_ops.monitor.cluster.clocks import BrokerClocks
from pykafka_ops.monitor.cluster.commits import CommitStore
from pykafka_ops.monitor.cluster.copied import CopiedLogs
from pykafka_ops.monitor.cluster.ends import NEAR_MS, LogEnds
from pykafka_ops.monitor.cluster.enquiries import Enquiries
from pykafka_ops.monitor.cluster.groups import (
    NO_SHARES,
    GroupJudge,
    KnownFacts,
    partition_rows,
    times_wanted,
)
from pykafka_ops.monitor.cluster.judged import JudgedPartitions
from pykafka_ops.monitor.cluster.kinds import kind_of
from pykafka_ops.monitor.cluster.kraft import kraft_facts, with_eligible
from pykafka_ops.monitor.cluster.links import MirrorLink
from pykafka_ops.monitor.cluster.partitions import GroupPartitions
from pykafka_ops.monitor.cluster.shape import ClusterShape, broker_table
from pykafka_ops.monitor.cluster.shares import ShareGroups
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic

RATE_MS: Final = 120_000
"""Over how long the rate into a topic is taken."""
LOOKED_AT: Final = 4
"""Groups of which the columns are kept until the next round."""
AT_ONCE: Final = 500
"""Rows that are made before others get their turn."""
MOST_TIMES: Final = 500
"""Records whose time is read in a round."""


class WatchedCluster:
    """What is remembered of a cluster. One thread calls ``take``, any may read.

    ``view`` is replaced as a whole by each round.
    """

    def __init__(self, name: str) -> None:
        self.view = ClusterView(name)
        self.enquiries: Enquiries | None = None
        """What asks the cluster for a page; None: nothing does."""
        self.clocks = BrokerClocks()
        self.copied = CopiedLogs()
        """What mirrors copy of it."""
        self.link_rows: Mapping[str, Sequence[SeenPartition]] = {}
        """The partitions of links into it, by the name of the link."""
        self._lock = threading.Lock()
        self._commits = CommitStore()
        self._shares = ShareGroups()
        self._ends = LogEnds()
        self._last = Answers(at=0)
        self._shape = ClusterShape()
        self._stamps: dict[tuple[Partition, int], int] = {}
        self._forgotten: set[tuple[str, str | None]] = set()
        self._judged: dict[str, JudgedPartitions] = {}
        self._looked_at: dict[str, GroupPartitions] = {}

    # -- by the thread that asks -----------------------------------------------------------------

    def recall(self, earlier: Iterable[tuple[int, Ends]]) -> None:
        """Where the logs ended before the first round, by time."""
        for at, ends in earlier:
            self._ends.record(at, ends)

    def failed(self, error: NotAsked) -> None:
        """A round had no answer: what is known stays, with its age."""
        self.view = replace(self.view, error=error)

    def take(self, got: Answers) -> ClusterView:
        """A round's answers."""
        self._remember(got)
        self._last = got
        view = self._made(got)
        with self._lock:
            self._looked_at.clear()
            self.view = view
        return view

    def times_wanted(self) -> list[tuple[Partition, int]]:
        """Records whose time would say how late groups are, those of the worst groups first."""
        groups = self.view.groups or {}
        behind = [g for g in groups.values() if g.row.lag and g.row.lag_seconds is None]
        behind.sort(key=lambda g: -(g.row.lag or 0))
        known, wanted = self._known(), dict[tuple[Partition, int], None]()
        for group in behind:
            description = self._description(group.row.group)
            if description is not None:
                rows = partition_rows(known, description)
                wanted.update(dict.fromkeys(times_wanted(known, rows)))
            if len(wanted) >= MOST_TIMES:
                break
        return list(wanted)[:MOST_TIMES]

    def learn_times(self, found: Mapping[tuple[Partition, int], int]) -> None:
        """Times of records, as they were read; the newest ``MOST_TIMES`` x 4 are kept."""
        with self._lock:
            self._stamps.update(found)
            for place in list(self._stamps)[: max(0, len(self._stamps) - 4 * MOST_TIMES)]:
                del self._stamps[place]

    def tell_eligible(
        self, found: Mapping[Partition, EligibleReplicas], missing: NotAsked | None
    ) -> None:
        """Who may lead the partitions of the last round that are short of replicas."""
        with self._lock:
            self.view = with_eligible(self.view, found, missing)

    def tell_links(
        self, links: Sequence[MirrorLink], rows: Mapping[str, Sequence[SeenPartition]]
    ) -> None:
        """The mirror links into the cluster, as of the last round."""
        self.link_rows = rows
        if links or self.view.links:
            with self._lock:
                self.view = replace(self.view, links=links)

    # -- by anybody ------------------------------------------------------------------------------

    def rows(self, group: str) -> list[LagRow]:
        """The partitions of a group; [] for an unknown one. All of a large group take seconds, in
        which others get their turn."""
        with self.partitions(group) as partitions:
            every = range(len(partitions))
        found: list[LagRow] = []
        while len(found) < len(every):
            with self._lock:
                found += partitions.rows(every[len(found) :][:AT_ONCE])
        return found

    @contextmanager
    def partitions(self, group: str) -> Iterator[GroupPartitions]:
        """The partitions of a group as columns, none for an unknown one. Nobody else reads the
        cluster meanwhile."""
        with self._lock:
            description = self._description(group)
            if description is None or group not in (self.view.groups or {}):
                nothing = self._known()._replace(commits=CommitStore(), shares=NO_SHARES)
                nobody = GroupDescription(group, "", "", "", "", -1, ())
                yield GroupPartitions(nothing, nobody, None)
                return
            found = self._looked_at.get(group)
            if found is None:
                found = GroupPartitions(self._known(), description, self._judged.get(group))
                while len(self._looked_at) >= LOOKED_AT:
                    del self._looked_at[next(iter(self._looked_at))]
                self._looked_at[group] = found
            yield found

    def commits(self, group: str) -> dict[str, dict[int, list[Commit]]]:
        """The last commits of a group by topic and partition, [] where only the offset is known."""
        with self._lock:
            found = self._commits.topics(group)
            return {
                topic: {n: stored.ring(n) for n in stored.partitions()}
                for topic, stored in found.items()
            }

    def ring(self, group: str, topic: str, partition: int) -> list[Commit]:
        """The last commits of a group in one partition, or where a share group was seen; [] where
        there are none."""
        with self._lock:
            if self._shares.places(group):
                return self._shares.seen(group, topic, partition)
            stored = self._commits.topics(group).get(topic)
            return [] if stored is None else stored.ring(partition)

    def rates(self, topic: str) -> list[float | None]:
        """Records a second into each partition of a topic over the rounds that are remembered."""
        with self._lock:
            return self._ends.rates(topic)

    def waiting_at(self, stable: Mapping[Partition, int]) -> dict[Partition, list[str]]:
        """The groups whose committed offset is exactly this one, by partition."""
        found: dict[Partition, list[str]] = {}
        if not stable:
            return found
        by_topic: dict[str, list[tuple[int, int]]] = {}
        for (topic, n), offset in stable.items():
            by_topic.setdefault(topic, []).append((n, offset))
        with self._lock:
            for group in self._commits.groups():
                for topic, stored in self._commits.topics(group).items():
                    for n, offset in by_topic.get(topic, ()):
                        if n < len(stored.committed) and stored.committed[n] == offset:
                            found.setdefault((topic, n), []).append(group)
        return found

    def committed(self, group: str) -> dict[str, array[int]]:
        """The committed offsets of a group by topic and partition, -1 where there is none."""
        with self._lock:
            found = self._commits.topics(group)
            return {topic: array("q", stored.committed) for topic, stored in found.items()}

    def share_starts(self, group: str) -> dict[Partition, ShareStart]:
        """Where a share group is, by partition; {} for an unknown one."""
        with self._lock:
            return {p: self._shares.start(group, p) for p in self._shares.places(group)}

    def mirror_groups(self) -> dict[str, GroupDescription | None] | None:
        """The groups by which mirrors share their work, None where no broker listed groups; of each
        its members, None where they are not known."""
        got = self._last
        if got.listed is None:
            return None
        return {name: got.described.get(name) for name in got.listed if is_own_group(name)}

    def ends(self, topic: str, partition: int) -> list[Sample]:
        """Where a log ended at the last rounds, as far as brokers said so."""
        with self._lock:
            return self._ends.samples(topic, partition)

    def forget(self, group: str, topic: str | None = None) -> None:
        """Drop what is known of a group (or of one topic of it) until it commits again."""
        with self._lock:
            self._forgotten.add((group, topic))
            self._shares.forget(group)
            self._looked_at.pop(group, None)
            groups = dict(self.view.groups or {})
            if group not in groups:
                return
            if topic is None or list(groups[group].topics) == [topic]:
                del groups[group]
            else:
                left = [t for t in groups[group].topics if t != topic]
                groups[group] = replace(groups[group], topics=left)
            self.view = replace(self.view, groups=groups)

    # -- how -------------------------------------------------------------------------------------

    def _remember(self, got: Answers) -> None:
        """What pages read meanwhile waits for some commits at most, not for all of 100,000."""
        with self._lock:
            self._looked_at.clear()
            self._forget_old(got)
            self._ends.record(got.at, got.ends)
            self.copied.record(got.at, got.stable)
            for group, offsets in got.offsets.items():
                self._commits.put(group, offsets)
            if got.listed is not None and not got.unlisted:
                shared = [name for name, one in got.listed.items() if kind_of(one) == SHARE]
                self._shares.take(got.shares_at, got.shares, shared)
            self._hear_clocks(got)
        listed = got.listed or {}
        commits = iter(got.commits.items())
        while some := list(islice(commits, AT_ONCE)):
            with self._lock:
                for (group, topic, n), found in some:
                    if is_own_group(group):
                        continue  # of transactions that may be aborted
                    skew = self.clocks.skew(listed[group].coordinator) if group in listed else 0
                    self._add((group, topic, n), found, skew)
        if got.listed is not None and not got.unlisted:
            with self._lock:
                for group in [g for g in self._commits.groups() if g not in got.listed]:
                    self._commits.forget(group)

    def _forget_old(self, got: Answers) -> None:
        for group, topic in self._forgotten:
            self._commits.forget(group, topic)
        self._forgotten.clear()
        for name, before in self._last.topics.items():
            now = got.topics.get(name)
            if now is None or now.id != before.id:
                self._ends.forget(name)
                self.copied.forget(name)
                self._shares.forget_topic(name)
                for place in [p for p in self._stamps if p[0][0] == name]:
                    del self._stamps[place]

    def _add(self, key: tuple[str, str, int], commits: Iterable[Commit], skew: int) -> None:
        samples = self._ends.samples(*key[1:])
        for commit in commits:
            end = end_at(samples, commit.timestamp - skew)
            lag = None if end is None else max(0, end - commit.offset)
            self._commits.add(*key, commit._replace(lag=lag))

    def _hear_clocks(self, got: Answers) -> None:
        """From the newest commit that each coordinator wrote."""
        newest: dict[int, int] = {}
        for (group, _, _), commits in got.commits.items():
            listed = (got.listed or {}).get(group)
            if listed is not None and commits:
                stamp = max(c.timestamp for c in commits)
                newest[listed.coordinator] = max(stamp, newest.get(listed.coordinator, stamp))
        last = self._last
        followed = 0 < got.at - last.at <= NEAR_MS and not any(
            TOPIC in missing.what for missing in last.not_asked
        )
        for broker, stamp in newest.items():
            self.clocks.hear(broker, stamp, got.at, live=followed)

    def _known(self) -> KnownFacts:
        got = self._last
        return KnownFacts(
            got.at, self._commits, self._ends, got.starts, got.settings, self._stamps, self.clocks,
            self._shares, frozenset((got.listed or {}).keys() - got.described.keys()),
        )  # fmt: skip

    def _description(self, group: str) -> GroupDescription | None:
        """A group as it is described, or as it is listed, without members; None for an unknown
        one."""
        found, listed = self._last.described.get(group), (self._last.listed or {}).get(group)
        if listed is None:
            return found
        if found is not None:
            return found._replace(state=listed.state) if listed.state else found
        return GroupDescription(
            group, listed.state, kind_of(listed), listed.protocol_type, "", listed.coordinator, ()
        )

    def _made(self, got: Answers) -> ClusterView:
        looked = self._shape.survey(got)
        every = bool(got.dirs) and got.dirs.keys() >= got.nodes.keys()
        sizes = {b: bytes_of(got.dirs, b) or 0 for b in got.nodes} if every else None
        facts = facts_of(looked, got.controller, sizes)
        if not got.controller_known:
            facts["no_controller"] = None
        facts |= kraft_facts(got)
        facts["reassigning"] = None if got.moves is None else len(got.moves)
        facts["brokers_silent"] = len(got.silent_brokers & got.nodes.keys())
        facts["dirs_failed"] = sum(d.error is not None for ds in got.dirs.values() for d in ds)
        return ClusterView(
            name=self.view.name,
            number=self.view.number + 1,
            at=got.at,
            took_ms=got.took_ms,
            cluster_id=got.cluster_id,
            controller=got.controller,
            facts=facts,
            troubled=looked.troubled,
            brokers=broker_table(got, looked),
            topics=self._topics(got),
            groups=self._groups(got),
            dirs=got.dirs,
            moves=got.moves,
            not_asked=[*got.not_asked, *self.clocks.notes()],
            links=self.view.links,
            is_kraft=got.is_kraft,
            quorum=got.quorum,
            fenced=got.fenced,
        )

    def _topics(self, got: Answers) -> dict[str, WatchedTopic]:
        bytes_ = self._shape.bytes(got)
        whole = got.dirs.keys() >= got.nodes.keys()
        return {
            name: WatchedTopic(
                topic,
                got.starts[name],
                got.ends[name],
                self._ends.rate(name, RATE_MS),
                bytes_.get(name, 0) if whole else None,
                got.settings.get(name, {}),
            )
            for name, topic in got.topics.items()
        }

    def _groups(self, got: Answers) -> dict[str, WatchedGroup] | None:
        """None where no broker listed groups and none were known before."""
        if got.listed is None:
            return dict(self.view.groups) if self.view.groups is not None else None
        judge, found = GroupJudge(self._known()), {}
        for name in got.listed:
            if is_own_group(name):
                continue  # its offsets are those of another cluster: see links
            description = self._description(name)
            if description is not None:
                found[name] = judge.group(description)
        if got.unlisted:  # what they coordinate is as it was
            gone = {
                n: g
                for n, g in (self.view.groups or {}).items()
                if n not in found and g.coordinator in got.unlisted
            }
            found.update(gone)
        self._judged = judge.kept
        return dict(sorted(found.items()))

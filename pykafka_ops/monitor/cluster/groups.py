"""What the commits of groups say: a row per partition, one per group, what may be lost and when."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from pykafka_ops.analysis.commits.burrow import OK, STOP, UNKNOWN
from pykafka_ops.analysis.lag.rows import (
    STATUSES,
    GroupLag,
    LagRow,
    PartitionFacts,
    by_group,
    lag_row,
)
from pykafka_ops.client.group_describe import (
    SHARE,
    STREAMS,
    GroupDescription,
    MemberDescription,
)
from pykafka_ops.monitor.cluster.answers import Ends, Partition
from pykafka_ops.monitor.cluster.clocks import BrokerClocks
from pykafka_ops.monitor.cluster.commits import CommitStore, TopicCommits
from pykafka_ops.monitor.cluster.ends import LogEnds
from pykafka_ops.monitor.cluster.judged import MANY, JudgedPartitions
from pykafka_ops.monitor.cluster.shares import ShareGroups
from pykafka_ops.monitor.cluster.view import NEVER, WatchedGroup, WorstPartition

Stamps = Mapping[tuple[Partition, int], int]
"""Times (ms) of records by partition and offset, that were read for it."""


_NONE: Final = array("q")
NO_SHARES: Final = ShareGroups()
"""Of a cluster without share groups. Nothing is put in."""


class KnownFacts(NamedTuple):
    """All that rows are made of, at ``now`` (ms). ``settings`` by topic."""

    now: int
    commits: CommitStore
    ends: LogEnds
    starts: Ends
    settings: Mapping[str, Mapping[str, str]]
    stamps: Stamps
    clocks: BrokerClocks
    shares: ShareGroups = NO_SHARES
    undescribed: frozenset[str] = frozenset()
    """Groups whose members nobody told of."""


def places_of(known: KnownFacts, group: GroupDescription) -> dict[str, set[int]]:
    """The partitions in which a group stands or is to read, by topic."""
    found: dict[str, set[int]] = {}
    for topic, n in (*group.reads, *known.shares.places(group.id)):
        found.setdefault(topic, set()).add(n)
    for topic, readers in readers_by_topic(group).items():
        found.setdefault(topic, set()).update(readers)
    for topic, stored in known.commits.topics(group.id).items():
        if numbers := set(stored.partitions()):
            found.setdefault(topic, set()).update(numbers)
    return found


def partition_rows(known: KnownFacts, group: GroupDescription) -> list[LagRow]:
    """A row for every partition that the group has committed or reads, by topic and number."""
    readers = readers_by_topic(group)
    return [
        partition_row(known, group, (topic, n), readers.get(topic, {}).get(n))
        for topic, numbers in sorted(places_of(known, group).items())
        for n in sorted(numbers)
    ]


class TopicLogs(NamedTuple):
    """What the rows of all groups have in common of a topic, by partition."""

    starts: array[int]
    ends: array[int]
    rates: list[float | None]


class GroupJudge:
    """Makes the rows of groups, one after the other, of one round."""

    def __init__(self, known: KnownFacts) -> None:
        self._known = known
        self._topics: dict[str, TopicLogs] = {}
        self.kept: dict[str, JudgedPartitions] = {}
        """What pages will want of groups with ``MANY`` partitions behind."""

    def group(self, group: GroupDescription) -> WatchedGroup:
        """The group in one row, with what threatens it.

        Partitions without lag, nearly all of them mostly, are only counted: a row for each of a
        million would take half a minute.
        """
        current, topics, rows = self._rows(group)
        if len(rows) > MANY:
            self.kept[group.id] = JudgedPartitions(rows)
        return self._whole(group, topics, current, rows)

    def behind(self, group: GroupDescription) -> list[LagRow]:
        """The rows of the partitions that are not simply read to their end, by topic."""
        return self._rows(group)[2]

    def _rows(self, group: GroupDescription) -> tuple[_Current, list[str], list[LagRow]]:
        readers = readers_by_topic(group)
        committed = self._known.commits.topics(group.id)
        current, rows = _Current(), list[LagRow]()
        topics = []
        for topic, behind in sorted(places_of(self._known, group).items()):
            mine, stored = readers.get(topic, {}), committed.get(topic)
            counted = current.partitions
            if stored is not None:
                behind -= set(stored.partitions())
                behind.update(self._count(topic, stored, current))
            rows += [
                partition_row(self._known, group, (topic, n), mine.get(n)) for n in sorted(behind)
            ]
            if behind or current.partitions > counted:
                topics.append(topic)
        return current, topics, rows

    def _count(self, topic: str, stored: TopicCommits, current: _Current) -> list[int]:
        """Count the partitions that are read to their end; the others with an offset."""
        facts, others = self._facts(topic), []
        ends, starts, rates = facts.ends, facts.starts, facts.rates
        known = min(len(ends), len(starts))
        for n, offset in enumerate(stored.committed):
            if offset < 0:
                continue
            if n < known and offset == ends[n] and 0 <= starts[n] <= offset:
                current.add(offset - starts[n], rates[n], stored.rate(n))
            else:
                others.append(n)
        return others

    def _facts(self, topic: str) -> TopicLogs:
        found = self._topics.get(topic)
        if found is None:
            known = self._known
            ends = known.ends.all_latest(topic)
            starts = known.starts.get(topic, _NONE)
            found = self._topics[topic] = TopicLogs(starts, ends, known.ends.rates(topic))
        return found

    def _whole(
        self,
        group: GroupDescription,
        topics: Sequence[str],
        current: _Current,
        rows: Sequence[LagRow],
    ) -> WatchedGroup:
        sums = by_group(rows)
        alone = _empty(self._known, group, anywhere=bool(current.partitions))
        row = current.added_to(sums[0] if sums else alone)
        loss = None if row.status == UNKNOWN and not row.partitions else _loss(self._known, rows)
        worst = max(rows, key=_badness, default=None)
        return WatchedGroup(
            row=row,
            type=group.type,
            coordinator=group.coordinator,
            protocol_type=group.protocol_type,
            assignor=group.assignor,
            members=group.members,
            topics=topics,
            since=min((r.since for r in rows if r.status == row.status and r.since), default=None),
            loss_in_seconds=None if loss in (None, inf) else loss,
            loss=NEVER if loss == inf else None,
            worst=_worst(worst, group),
            described=group.id not in self._known.undescribed,
            topology=group.topology,
        )


class _Current:
    """Sums over partitions that are read to their end."""

    def __init__(self) -> None:
        self.partitions = 0
        self.lead: int | None = None
        self.rate_in: float | None = None
        self.rate_out: float | None = None

    def add(self, lead: int, rate_in: float | None, rate_out: float | None) -> None:
        self.partitions += 1
        if self.lead is None or lead < self.lead:
            self.lead = lead
        if rate_in is not None:
            self.rate_in = (self.rate_in or 0.0) + rate_in
        if rate_out is not None:
            self.rate_out = (self.rate_out or 0.0) + rate_out

    def added_to(self, row: GroupLag) -> GroupLag:
        """The row of the others with these in it."""
        if not self.partitions:
            return row
        alone = not row.partitions
        leads = [lead for lead in (row.lead, self.lead) if lead is not None]
        return GroupLag(
            row.group,
            row.state,
            row.partitions + self.partitions,
            row.unknown_partitions,
            lag=0 if alone else row.lag if row.lag is not None else 0,
            max_lag=0 if alone else row.max_lag if row.max_lag is not None else 0,
            lag_seconds=0.0 if alone else row.lag_seconds,
            rate_in=_sum(row.rate_in, self.rate_in),
            rate_out=_sum(row.rate_out, self.rate_out),
            catch_up_seconds=0.0 if alone else row.catch_up_seconds,
            lead=min(leads, default=None),
            status=row.status,
        )


def _sum(one: float | None, other: float | None) -> float | None:
    if one is None and other is None:
        return None
    return round((one or 0.0) + (other or 0.0), 3)


def times_wanted(known: KnownFacts, rows: Iterable[LagRow]) -> list[tuple[Partition, int]]:
    """The records whose time has to be read: they came before the first round."""
    wanted = []
    for r in rows:
        if not r.lag or r.current_offset is None or r.log_end_offset is None:
            continue
        for offset in (r.current_offset, r.log_end_offset - 1):
            place = (r.topic, r.partition), offset
            if place not in known.stamps and known.ends.time_of(*place[0], offset) is None:
                wanted.append(place)
    return wanted


def readers_by_topic(group: GroupDescription) -> dict[str, dict[int, MemberDescription]]:
    """Who reads each partition, by topic and number; of a share group, in which several may, the
    first with how many others."""
    found: dict[str, dict[int, MemberDescription]] = {}
    more: dict[Partition, int] = {}
    for member in group.members:
        for topic, n in member.assigned:
            mine = found.setdefault(topic, {})
            if group.type == SHARE and n in mine:
                more[topic, n] = more.get((topic, n), 0) + 1
            else:
                mine[n] = member
    for (topic, n), count in more.items():
        first = found[topic][n]
        found[topic][n] = first._replace(client_id=f"{first.client_id} and {count} more")
    return found


def partition_row(
    known: KnownFacts, group: GroupDescription, place: Partition, reader: MemberDescription | None
) -> LagRow:
    """The row of one partition."""
    topic, n = place
    is_shared = group.type == SHARE
    stored = None if is_shared else known.commits.topics(group.id).get(topic)
    shared = known.shares.start(group.id, place)
    offset = stored.committed[n] if stored is not None and n < len(stored.committed) else -1
    committed = shared.start if is_shared else offset if offset >= 0 else None
    starts = known.starts.get(topic, ())
    start = starts[n] if n < len(starts) and starts[n] >= 0 else None
    end = known.ends.latest(topic, n)
    skew = 0 if is_shared else known.clocks.skew(group.coordinator)
    samples = [(at + skew, end) for at, end in known.ends.samples(topic, n)]
    behind = committed is not None and end is not None and committed < end
    facts = PartitionFacts(
        group=group.id,
        state=group.state,
        topic=topic,
        partition=n,
        client_id=reader.client_id if reader else None,
        committed=committed,
        start=start,
        end=end,
        next_timestamp=_time(known, place, committed) if behind else None,
        newest=_time(known, place, end - 1) if behind and end else None,
        ends=samples[:-1] if end is not None else samples,
        commits=known.shares.seen(group.id, topic, n) if is_shared else
        stored.ring(n) if stored is not None else (),
        readers_known=group.id not in known.undescribed,
        counted=is_shared,
        said=shared.lag,
    )  # fmt: skip
    return _judged(facts, known, group.coordinator)


def _judged(facts: PartitionFacts, known: KnownFacts, coordinator: int) -> LagRow:
    """By the clock of the coordinator, which stamps commits. Where that may be as late as ours and
    is not known to be, whether the group has stopped is not known either."""
    if facts.counted:  # seen at times of this machine
        return lag_row(facts, known.now)
    time = known.clocks.time(coordinator, known.now)
    row = lag_row(facts, time.ms)
    if not time.sure and row.status != STOP and lag_row(facts, known.now).status == STOP:
        row.status, row.since = UNKNOWN, None
    return row


def _time(known: KnownFacts, place: Partition, offset: int | None) -> int | None:
    """About when a record was written: as it was read, else between two rounds."""
    if offset is None:
        return None
    read = known.stamps.get((place, offset))
    return read if read is not None else known.ends.time_of(*place, offset)


def _badness(row: LagRow) -> tuple[int, int]:
    return STATUSES.index(row.status), row.lag or 0


def _worst(row: LagRow | None, group: GroupDescription) -> WorstPartition | None:
    """None where nothing is wrong."""
    if row is None or (row.status == OK and not row.lag):
        return None
    reader = readers_by_topic(group).get(row.topic, {}).get(row.partition)
    client_id, host = (reader.client_id, reader.host) if reader else ("", "")
    return WorstPartition(row.topic, row.partition, client_id, host)


def _loss(known: KnownFacts, rows: Sequence[LagRow]) -> float | None:
    """Seconds until retention takes the first record that is not read; inf: never."""
    spans = [_loss_of(known, r) for r in rows]
    seconds = [s for s in spans if s is not None]
    if len(seconds) < len(spans):
        soonest = min(seconds, default=inf)
        return soonest if soonest < inf else None
    return min(seconds, default=inf)


def _loss_of(known: KnownFacts, row: LagRow) -> float | None:
    if row.lead is not None and row.lead < 0:
        return 0.0
    if row.lag == 0:
        return inf
    settings = known.settings.get(row.topic)
    if settings is None or row.lag is None:
        return None
    if "delete" not in settings.get("cleanup.policy", "delete"):
        return inf
    try:
        retention = int(settings["retention.ms"])
    except (KeyError, ValueError):
        return None
    if retention < 0:
        return inf
    written = _time(known, (row.topic, row.partition), row.current_offset)
    if written is None:
        return None
    return max(0.0, (written + retention - known.now) / 1000)


def _empty(known: KnownFacts, group: GroupDescription, *, anywhere: bool) -> GroupLag:
    """A group of which there is no partition to judge: all it reads is read (``anywhere``), or it
    has neither committed nor been given anything to read, or nobody can tell, as of a share group
    whose coordinator does not, and a streams group whose topics are not there."""
    untold = group.type == SHARE and group.id not in known.shares
    waits = group.type in (SHARE, STREAMS) and bool(group.members)
    status = UNKNOWN if not anywhere and (untold or waits) else OK
    return GroupLag(group.id, group.state, 0, 0, None, None, None, None, None, None, None, status)

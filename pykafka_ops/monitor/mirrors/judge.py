"""How far a link is: what its target has of it against the logs of its source. No I/O, no clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.client.group_describe import MemberDescription
from pykafka_ops.mirror.naming import HEARTBEATS
from pykafka_ops.mirror.report.rows import (
    BEHIND,
    IDLE,
    SeenPartition,
    by_topic,
    is_bad,
    partition_state,
)
from pykafka_ops.mirror.run.meter import CopyMeter, Rates, Sample, eta_seconds
from pykafka_ops.monitor.cluster.answers import Partition
from pykafka_ops.monitor.cluster.links import LINK_STATES, MM2, PKO, STALLED, MirrorLink
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedTopic
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.mirrors.found import LinkFound, is_mm2, source_name

STALLED_MS: Final = {PKO: 60_000, MM2: 300_000}
"""A position that stands for so long, while records wait, is told. Connect keeps positions once a
minute."""
BEAT_MS: Final = 60_000
"""MirrorMaker 2 beats every second: without a heartbeat for so long nobody copies."""
MOST_TOPICS: Final = 1_000
"""Topics of a link that are kept; the worst first."""
MOST_MEMBERS: Final = 20


class _Place(NamedTuple):
    """A partition that is copied, at the source and at the target."""

    source: Partition
    target: Partition
    position: int | None


class LinkJudge:
    """Of one link, over rounds."""

    def __init__(self) -> None:
        self._meter = CopyMeter()
        self._stands: dict[Partition, tuple[int, int]] = {}
        self._state: tuple[str, int] = ("", 0)

    def judge(
        self,
        found: LinkFound,
        view: ClusterView,
        source: WatchedCluster | None,
        sizes: Mapping[Partition, int],
    ) -> tuple[MirrorLink, list[SeenPartition]]:
        """The link and its partitions as of the last round of its target (``view``). ``source`` is
        the watched cluster that it copies, None: none. ``sizes`` are bytes of partitions there."""
        now = view.at or 0
        places = list(_places(found, view, source))
        logs = _SourceLogs(source, now)
        ends = {p.source: logs.end(p.source) for p in places}
        samples = {
            p.source: Sample(p.position, end, 0)
            for p in places
            if p.position is not None and (end := ends[p.source]) is not None
        }
        self._meter.note(now, samples)
        made = _Rows(found, logs, sizes, self._meter.rates(), _owners(found), now)
        rows = [made.row(p, ends[p.source]) for p in places]
        stands = self._longest_stand(rows, now)
        return self._link(found, source, rows, stands, now), rows

    def _longest_stand(self, rows: Sequence[SeenPartition], now: int) -> float | None:
        """Since when (s) the position has not moved that stands longest while records wait; None
        where all move, or nobody copies."""
        stands: dict[Partition, tuple[int, int]] = {}
        for row in rows:
            if row.state == BEHIND and row.position is not None:
                place = row.topic, row.partition
                position, since = self._stands.get(place, (-1, now))
                same = position == row.position and since <= now
                stands[place] = row.position, since if same else now
        self._stands = stands
        longest = min((since for _, since in stands.values()), default=now)
        return (now - longest) / 1000 if longest < now else None

    def _link(
        self,
        found: LinkFound,
        source: WatchedCluster | None,
        rows: Sequence[SeenPartition],
        stands: float | None,
        now: int,
    ) -> MirrorLink:
        state = _link_state(found, rows, stands, now)
        if self._state[0] != state:
            self._state = state, now
        worst = max(rows, key=_badness, default=None)
        beat = found.copied_beat_ms if found.copied_beat_ms is not None else found.beat_ms
        members = found.members or ()
        topics = sorted(by_topic(rows), key=_topic_badness, reverse=True)
        return MirrorLink(
            name=found.name,
            kind=found.kind,
            source=found.source,
            target=found.target,
            source_cluster=None if source is None else source.view.name,
            state=state,
            since=self._state[1],
            partitions=len(rows),
            counts=dict(Counter(row.state for row in rows)),
            lag=_sum([row.lag for row in rows]),
            lag_bytes=_sum([row.lag_bytes for row in rows]),
            lag_seconds=_most([row.lag_seconds for row in rows]),
            copied_per_second=_sum([row.copied_per_second for row in rows]),
            added_per_second=_sum([row.added_per_second for row in rows]),
            eta_seconds=_most([row.eta_seconds for row in rows]),
            stalled_seconds=stands,
            heartbeat_seconds=None if beat is None else max(0, now - beat) / 1000,
            processes=None if is_mm2(found) or found.members is None else len(members),
            members=[f"{m.client_id} {m.host}".strip() for m in members[:MOST_MEMBERS]],
            worst=None if worst is None or not _badness(worst)[1:] > (0, 0)
            else f"{worst.topic}-{worst.partition}",
            topics=topics[:MOST_TOPICS],
            pauses=[str(pause) for pause in found.control.pauses],
            troubles=[*found.troubles, *_unknown(source)],
        )  # fmt: skip


class _SourceLogs:
    """The logs of the source at a moment (ms); nothing is known of one that nobody watches, or that
    did not answer lately."""

    def __init__(self, source: WatchedCluster | None, at: int) -> None:
        answers = source is not None and source.view.error is None and source.view.at is not None
        self._source, self._at = source if answers else None, at

    def end(self, place: Partition) -> int | None:
        """Where it ends for those who read committed records; until that was asked, where it
        ends."""
        if self._source is None:
            return None
        found = self._source.copied.end(*place, self._at)
        topic = self._topic(place)
        if found is None and topic is not None and place[0] not in self._source.copied.topics:
            return _at(topic.ends, place[1])
        return found

    def start(self, place: Partition) -> int | None:
        topic = self._topic(place)
        return None if topic is None else _at(topic.starts, place[1])

    def written(self, place: Partition, offset: int) -> int | None:
        return None if self._source is None else self._source.copied.written(*place, offset)

    def _topic(self, place: Partition) -> WatchedTopic | None:
        if self._source is None:
            return None
        return (self._source.view.topics or {}).get(place[0])


def _places(found: LinkFound, view: ClusterView, source: WatchedCluster | None) -> Iterator[_Place]:
    """The partitions that are on both sides; those of the target where nobody knows the source."""
    here = view.topics or {}
    there = None if source is None else source.view.topics
    if is_mm2(found):
        for (topic, n), position in sorted(found.positions.items()):
            target = f"{found.source}.{topic}"
            target = target if target in here else topic
            if topic.endswith(HEARTBEATS) or target not in here:
                continue
            if there is None or topic in there:
                yield _Place((topic, n), (target, n), position)
        return
    ids = {t.description.id.hex(): name for name, t in (there or {}).items()}
    for target, origin in sorted(found.control.topics.items()):
        if target not in here or not found.control.made_here(target):
            continue
        named = ids.get(origin.source_id) or source_name(target, found.source, there)
        if named is None:
            continue
        count = len(here[target].description.partitions)
        if there is not None:
            count = min(count, len(there[named].description.partitions))
        offsets = found.committed.get(target, ())
        for n in range(count):
            yield _Place((named, n), (target, n), _at(offsets, n))


class _Rows(NamedTuple):
    """What rows are made of, at ``now`` (ms)."""

    found: LinkFound
    logs: _SourceLogs
    sizes: Mapping[Partition, int]
    rates: Mapping[Partition, Rates]
    owners: Mapping[Partition, MemberDescription] | bool | None
    now: int

    def row(self, place: _Place, end: int | None) -> SeenPartition:
        """Of a partition, which ends at ``end`` at the source."""
        start, position = self.logs.start(place.source), place.position
        begin = position if position is not None else (end if start == end else None)
        lag = None if end is None or begin is None else max(0, end - begin)
        rate = self.rates.get(place.source)
        eta = None if lag is None else eta_seconds(lag, rate)
        owner = self.owners.get(place.target) if isinstance(self.owners, Mapping) else None
        return SeenPartition(
            self.found.name, *place.source, place.target[0], position, start, end, lag,
            _bytes(lag, start, end, self.sizes.get(place.source)),
            self._age(place, lag, start),
            None if rate is None else round(rate.copied, 1),
            None if rate is None else round(rate.added, 1),
            None if eta is None else round(eta, 1),
            None if owner is None else owner.id,
            partition_state(
                position, start, lag,
                is_paused=self.found.control.paused(*place.source) is not None,
                is_copied=self._is_copied(place),
            ),
        )  # fmt: skip

    def _is_copied(self, place: _Place) -> bool | None:
        """A topic that was just made is shared out a moment later."""
        if not isinstance(self.owners, Mapping):
            return self.owners
        if place.target in self.owners:
            return True
        return None if place.position is None and self.found.members else False

    def _age(self, place: _Place, lag: int | None, start: int | None) -> float | None:
        if lag == 0:
            return 0.0
        if lag is None or place.position is None:
            return None
        written = self.logs.written(place.source, max(place.position, start or 0))
        return None if written is None else max(0, self.now - written) / 1000


def _bytes(lag: int | None, start: int | None, end: int | None, size: int | None) -> int | None:
    """Of the bytes on disk the part that the lag is of all offsets."""
    if lag == 0:
        return 0
    if lag is None or start is None or end is None or size is None:
        return None
    return round(size * min(1.0, lag / max(1, end - start)))


def _owners(found: LinkFound) -> Mapping[Partition, MemberDescription] | bool | None:
    """Who copies into partitions of the target; of MirrorMaker 2 whether anybody does; None: not
    known."""
    if is_mm2(found):
        beats = [beat for beat in (found.beat_ms, found.copied_beat_ms) if beat is not None]
        return None if not beats else True
    if found.members is None or (found.is_sharing and found.members):
        return None
    return {place: member for member in found.members for place in member.assigned}


def _link_state(
    found: LinkFound, rows: Sequence[SeenPartition], stands: float | None, now: int
) -> str:
    beats = [beat for beat in (found.beat_ms, found.copied_beat_ms) if beat is not None]
    if is_mm2(found) and beats and now - max(beats) > BEAT_MS:
        return IDLE
    if not rows and found.members is not None and not found.members and not is_mm2(found):
        return IDLE
    states = {row.state for row in rows}
    if stands is not None and stands * 1000 >= STALLED_MS[found.kind]:
        states.add(STALLED)
    if not states:
        return LINK_STATES[0] if found.members or beats else LINK_STATES[3]
    return max(states, key=LINK_STATES.index)


def _unknown(source: WatchedCluster | None) -> list[str]:
    """Why the lag is not known, where it cannot be."""
    if source is None:
        return ["this monitor does not watch the source: the lag is not known"]
    if source.view.error is not None:
        return [f"the source does not answer: {source.view.error.message}"]
    return []


def _badness(row: SeenPartition) -> tuple[bool, float, int]:
    return is_bad(row.state), row.lag_seconds or 0.0, row.lag or 0


def _topic_badness(row: Mapping[str, Any]) -> tuple[bool, float, int]:
    return is_bad(row["state"]), row["lag_seconds"] or 0.0, row["lag"] or 0


def _at(offsets: Sequence[int], partition: int) -> int | None:
    if partition >= len(offsets) or offsets[partition] < 0:
        return None
    return offsets[partition]


def _sum(values: Sequence[Any]) -> Any:
    return None if not values or None in values else round(sum(values), 1)


def _most(values: Sequence[Any]) -> Any:
    return None if not values or None in values else max(values)

"""Does what a plan says: topics, records exactly once, then settings, groups and the rest.

A restore that is cut off goes on where it was: what is written counts with its position, in one
transaction, as a mirror's rounds do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pykafka_ops.backup.chain import Chain, Partition, StoredPartition
from pykafka_ops.backup.restore.check import Compared, compare
from pykafka_ops.backup.restore.finish import (
    give_offsets,
    give_rest,
    give_settings,
    translated,
)
from pykafka_ops.backup.restore.look import ends_of
from pykafka_ops.backup.restore.plan import CREATE, RestorePlan, TopicRestore
from pykafka_ops.backup.restore.source import StoredSource
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_offsets import commit_offsets, delete_groups
from pykafka_ops.client.offsets import EARLIEST, LATEST
from pykafka_ops.client.seeking import committed_by
from pykafka_ops.client.topic_changes import NewTopic, create_topics, delete_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.copy.copier import Copier
from pykafka_ops.mirror.copy.pieces import DEFAULT_MAX_BYTES, TargetLimits
from pykafka_ops.mirror.copy.tasks import CommitNote, CopyTask, LoneSeat, committed
from pykafka_ops.mirror.groups.translation import KnownCopy
from pykafka_ops.mirror.naming import link_id, map_topic
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.wire.codes import ErrorCode

TARGET: Final = "restore"
MOST_FAILURES: Final = 30
"""Rounds in a row that may fail."""
_GONE: Final = frozenset((ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
Progress = Callable[[int, int], None]


class Restored(NamedTuple):
    """What came of it. ``records`` were written by this process; ``problems`` by topic or group."""

    records: int
    problems: list[str]
    compared: list[Compared]


def alias_of(cluster_id: str) -> str:
    """What the source is called in names of the target."""
    return "backup-" + re.sub(r"[^A-Za-z0-9_-]", "-", cluster_id or "unknown")


def group_of(cluster_id: str) -> str:
    """The group at the target that has the positions of a restore while it goes on."""
    return link_id(alias_of(cluster_id), TARGET)


class Restore:
    """One restore of a plan. ``run`` raises PkoError where the target is away or refuses."""

    def __init__(
        self, store: BackupStore, chain: Chain, plan: RestorePlan, cluster: Cluster
    ) -> None:
        self._store, self._chain, self._plan, self._cluster = store, chain, plan, cluster
        self._alias = alias_of(plan.run.cluster_id)
        self._group = group_of(plan.run.cluster_id)
        self._problems: list[str] = []

    def run(self, *, check: bool, bytes_per_second: int, progress: Progress) -> Restored:
        """Do all of it; ``check``: read everything again at the target."""
        topics = self._create()
        records, failed = self._copy(topics, bytes_per_second, progress)
        done = [one for one in topics if one.topic.name not in failed]
        compared = self._compare(done) if check else []
        self._give_groups(done)
        self._problems += give_settings(self._cluster, done)
        self._problems += give_rest(self._cluster, self._plan)
        if not failed:
            self._clean_up()
        return Restored(records, self._problems, compared)

    def _create(self) -> list[TopicRestore]:
        """Make the topics that are not there; those that are there then."""
        new = [one for one in self._plan.restored if one.action == CREATE]
        wanted = [
            NewTopic(
                one.target, one.topic.partitions, one.replication_factor,
                configs=one.configs_meanwhile,
            )
            for one in new
        ]  # fmt: skip
        made = create_topics(self._cluster, wanted) if wanted else {}
        refused = {name: e for name, e in made.items() if isinstance(e, KafkaError)}
        for name, error in refused.items():
            self._problems.append(f"topic {name}: {in_one_line(error)}")
        return [one for one in self._plan.restored if one.target not in refused]

    # --- records ---------------------------------------------------------------------------------

    def _copy(
        self, topics: list[TopicRestore], bytes_per_second: int, progress: Progress
    ) -> tuple[int, set[str]]:
        """All records; how many, and the topics that are not complete."""
        tasks: dict[Partition, CopyTask] = {}
        stored: dict[Partition, StoredPartition] = {}
        kept = self._chain.by_topic()
        for one in topics:
            limits = TargetLimits(max_bytes=_largest(one))
            for found in kept.get(one.topic.name, []):
                if found.segments:
                    place = found.topic, found.partition
                    target = one.target, found.partition
                    tasks[place] = CopyTask(target, found.runs[0].start, limits=limits)
                    stored[place] = found
        if not tasks:
            return 0, set()
        self._begin(tasks)
        source = StoredSource(self._store, stored)
        link = LinkSettings(self._alias, TARGET, bytes_per_second=bytes_per_second)
        copier = Copier(link, source, self._cluster.config)
        try:
            copier.assign(tasks, LoneSeat(self._group))
            records = self._rounds(copier, source, progress)
            troubles = self._troubles(copier, source)
        finally:
            copier.close()
        self._problems += [f"{t}-{n}: {why}" for (t, n), why in troubles.items()]
        return records, {topic for topic, _ in troubles}

    def _begin(self, tasks: Mapping[Partition, CopyTask]) -> None:
        """Commit where partitions begin, before anything is written: records whose first round was
        cut off are in the log, and are to be known for ours."""
        known = committed_by(self._cluster, self._group)
        wanted = {
            task.target: committed(task.start, CommitNote())
            for task in tasks.values()
            if task.target not in known
        }
        results = commit_offsets(self._cluster, self._group, wanted) if wanted else {}
        if isinstance(results, PkoError):
            raise results
        for error in results.values():
            if error is not None:
                raise error

    def _rounds(self, copier: Copier, source: StoredSource, progress: Progress) -> int:
        records = failures = 0
        while left := source.remaining:
            result = copier.round()
            records += result.records
            found = copier.progress()
            progress(
                sum(max(0, one.position) for one in found.values()),
                sum(one.source_end for one in found.values()),
            )
            failures = failures + 1 if result.state == "trouble" else 0
            if failures >= MOST_FAILURES:
                raise PkoError(f"the target does not take records: {result.trouble}")
            if all(found[place].trouble is not None for place in left):
                break
        return records + copier.round().records

    def _troubles(self, copier: Copier, source: StoredSource) -> dict[Partition, str]:
        found = copier.progress()
        return {
            place: found[place].trouble or "it was not written to its end"
            for place in source.remaining
        }

    # --- afterwards ------------------------------------------------------------------------------

    def _compare(self, topics: list[TopicRestore]) -> list[Compared]:
        targets = {one.topic.name: one.target for one in topics}
        found = [
            compare(self._cluster, (targets[name], number), stored)
            for (name, number), stored in sorted(self._chain.partitions.items())
            if name in targets
        ]
        return [one for one in found if one is not None]

    def _give_groups(self, topics: list[TopicRestore]) -> None:
        """Translate offsets and commit them."""
        names = {one.topic.name: one.target for one in topics}
        wanted = [one.group for one in self._plan.groups if not one.why]
        if not wanted or not names:
            return
        known = self._known(names)
        ends = ends_of(self._cluster, list(known.starts), LATEST)
        for group in wanted:
            commits = translated(group, names, known, ends)
            self._problems += give_offsets(self._cluster, group.id, commits)

    def _known(self, names: Mapping[str, str]) -> KnownCopy:
        reader = MapReader(self._cluster, map_topic(self._alias))
        reader.catch_up(settled=True)
        positions = committed_by(self._cluster, self._group)
        places = [(names[name], number) for name, number in self._chain.partitions if name in names]
        return KnownCopy(reader.translate, positions, ends_of(self._cluster, places, EARLIEST))

    def _clean_up(self) -> None:
        """What was kept for going on is of no use any more."""
        for error in delete_groups(self._cluster, [self._group]).values():
            self._left(f"group {self._group}", error)
        name = map_topic(self._alias)
        self._left(f"topic {name}", delete_topics(self._cluster, [name])[name])

    def _left(self, what: str, error: PkoError | None) -> None:
        gone = isinstance(error, KafkaError) and error.code in _GONE
        if error is not None and not gone:
            self._problems.append(f"{what} is left: {in_one_line(error)}")


def _largest(one: TopicRestore) -> int:
    text = one.topic.configs.get("max.message.bytes", "")
    return int(text) if text.isdecimal() else DEFAULT_MAX_BYTES

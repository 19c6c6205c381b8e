"""What ``pko top --actions`` may change, by the rules of ``groups seek`` and preferred election."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pykafka_ops.analysis.offset_reset import moves
from pykafka_ops.client import seek_notes
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.elections import PREFERRED, elect_leaders
from pykafka_ops.client.group_describe import DEAD, EMPTY, describe_groups
from pykafka_ops.client.seeking import OffsetPlan, commit
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import in_one_line
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups.kafka import ScopeError
from pykafka_ops.commands.groups.reset_plan import Planner
from pykafka_ops.commands.groups.reset_rows import in_use
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.monitor.wording.text import many, safe, whole
from pykafka_ops.top.pages import words as columns
from pykafka_ops.top.table import Entry, Page, TopColumn
from pykafka_ops.wire.codes import ErrorCode

Partition = tuple[str, int]
ELECTION = (
    columns.PARTITION,
    TopColumn("leader", "LEADER", 8, right=True),
    TopColumn("preferred", "PREFERRED", 9, right=True),
    TopColumn("isr", "ISR"),
)
MOVES = (
    TopColumn("topic", "TOPIC"),
    columns.PARTITION,
    TopColumn("current", "CURRENT", 12, right=True, text=whole),
    TopColumn("new", "NEW", 12, right=True, text=whole),
    TopColumn("skipped", "SKIPPED", 9, right=True, text=whole),
    TopColumn("repeated", "REPEATED", 9, right=True, text=whole),
)
_OFFSET = re.compile(r"\d{7,18}|0|[1-9]\d{0,6}")
_SHIFT = re.compile(r"[+-]\d{1,18}")


class ActionDesk:
    """Plans over a cluster; each asks over connections of its own."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def elect(self, topic: str) -> ElectionPlan:
        """The partitions of a topic that another than their first replica leads. PkoError."""
        with _Connected(self._run) as cluster:
            found = describe_topics(cluster, [topic])[topic]
            if not isinstance(found, TopicDescription):
                raise found
            entries = [
                Entry(
                    (topic, p.number),
                    (p.number, p.leader if p.leader >= 0 else "none", p.replicas[0], p.isr),
                )
                for p in found.partitions
                if p.replicas and p.leader != p.replicas[0]
            ]
        page = Page(
            f"preferred leaders for topic {safe(topic)}: {many(len(entries), 'partition')}",
            ELECTION,
            entries,
            empty="the preferred replicas lead already",
        )
        wanted = [(topic, int(str(e.values[0]))) for e in entries]
        return ElectionPlan(topic, "Elect the preferred leaders of the topic?", page,
                            self._run, wanted)  # fmt: skip

    def seek(self, group: str, words: str) -> SeekPlan:
        """Where the offsets of a group would go. PkoError, also where it has members."""
        args = _args(group, words)
        with _Connected(self._run) as cluster:
            _check_idle(cluster, group)
            try:
                plan = Planner(cluster, args, [group]).plan(group)
            except ScopeError as error:
                raise UsageError(str(error)) from None
            path = seek_notes.note_path(self._run.env, cluster.cluster_id, group)
        entries = []
        for m in moves(plan.offsets, plan.committed):
            if m.current != m.new:
                skipped = m.records if m.records and m.records > 0 else None
                repeated = -m.records if m.records and m.records < 0 else None
                values = (m.topic, m.partition, m.current, m.new, skipped, repeated)
                entries.append(Entry((m.topic, m.partition), values))
        page = Page(
            f"move {many(len(entries), 'offset')} of group {safe(group)}: {safe(words.strip())}",
            MOVES,
            entries,
            empty="the group is there already" if plan.offsets else "it has no committed offsets",
        )
        return SeekPlan(group, "Move the offsets of the group?", page, self._run, plan, str(path))


class _Connected:
    """A cluster for a while; ``with`` closes it."""

    def __init__(self, run: Run) -> None:
        self._cluster = Cluster(ClientConfig.of(run.properties()))

    def __enter__(self) -> Cluster:
        return self._cluster

    def __exit__(self, *_: object) -> None:
        self._cluster.close()


def _args(group: str, words: str) -> Args:
    """The options of ``groups seek`` that the words mean: where to, then topics. UsageError."""
    where, *topics = words.split() or [""]
    args = Args({}, "seek", flags=False)
    args.values["group"] = [group]
    if where in ("earliest", "latest"):
        args.values[f"to-{where}"] = []
    elif _SHIFT.fullmatch(where):
        args.values["shift-by"] = [where.removeprefix("+")]
    elif _OFFSET.fullmatch(where):
        args.values["to-offset"] = [where]
    else:
        args.values["to-datetime"] = [where]
    if topics:
        args.values["topic"] = [*topics]
    else:
        args.values["all-topics"] = []
    return args


def _check_idle(cluster: Cluster, group: str) -> None:
    found = describe_groups(cluster, [group])[group]
    if isinstance(found, PkoError):
        raise found
    if found.state == DEAD:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"there is no group {group}")
    if found.state != EMPTY:
        raise KafkaError(ErrorCode.NON_EMPTY_GROUP, f"group {group}: {in_use(found).message}")


@dataclass(frozen=True, slots=True)
class ElectionPlan:
    """Preferred leaders for these partitions."""

    subject: str
    question: str
    page: Page
    session: Run
    wanted: list[Partition]

    def run(self) -> str:
        """Elect; how many did and did not."""
        with _Connected(self.session) as cluster:
            results = elect_leaders(cluster, PREFERRED, self.wanted)
        failed = {p: e for p, e in results.items() if e and e.code != ErrorCode.ELECTION_NOT_NEEDED}
        done = f"{many(len(results) - len(failed), 'leader')} elected"
        return done + _failures(failed)


@dataclass(frozen=True, slots=True)
class SeekPlan:
    """These offsets for a group; ``note`` keeps the old ones for ``pko groups seek --undo``."""

    subject: str
    question: str
    page: Page
    session: Run
    plan: OffsetPlan
    note: str

    def run(self) -> str:
        """Commit, unless the group has members or other offsets by now. Raises PkoError."""
        from pathlib import Path

        before = self.plan.committed
        changed = {p: o for p, o in self.plan.offsets.items() if before.get(p) != o}
        with _Connected(self.session) as cluster:
            _check_idle(cluster, self.subject)
            note = seek_notes.SeekNote({p: before.get(p) for p in changed}, changed)
            seek_notes.keep(Path(self.note), note)
            failed = commit(cluster, self.subject, changed)
        done = f"{many(len(changed) - len(failed), 'offset')} moved; "
        return f"{done}pko groups seek {safe(self.subject)} --undo goes back" + _failures(failed)


def _failures(failed: Mapping[Partition, PkoError]) -> str:
    if not failed:
        return ""
    (topic, number), error = next(iter(failed.items()))
    return f"; {len(failed)} failed: {topic}-{number}: {in_one_line(error)}"

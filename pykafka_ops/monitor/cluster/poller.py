"""Asks a cluster in rounds: a handful of requests per broker each, however many groups there are.

Every round: Metadata, the quorum, the groups, what was committed since, where share groups are, the
ends of all logs, moves under way.
Every minute: where logs begin, members of all groups, min.insync.replicas; log directories, too,
and oftener where they have few replicas.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Final, TypeVar

from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.commit_log import TOPIC, CommitLog
from pykafka_ops.client.failure_text import cause_of
from pykafka_ops.client.glance import MIN_ISR, topic_settings
from pykafka_ops.client.group_describe import SHARE, GroupDescription
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.kept_answer import KeptAnswer
from pykafka_ops.client.kraft import kraft_state
from pykafka_ops.client.log_dirs import describe_log_dirs
from pykafka_ops.client.reassignments import list_reassignments
from pykafka_ops.client.share_offsets import ShareStart, fetch_share_offsets
from pykafka_ops.client.topics import TopicDescription, all_topics, topics_of
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.naming import is_own_group
from pykafka_ops.monitor.cluster.answers import Answers, Ends, NotAsked, Partition
from pykafka_ops.monitor.cluster.bounds import BoundsQuestions, ask_bounds, bounds, bounds_questions
from pykafka_ops.monitor.cluster.kinds import describe_every_kind, kind_of
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import MetadataResponse

K = TypeVar("K")
V = TypeVar("V")

RARE_MS: Final = 60_000
"""How often is asked what seldom changes."""
DIRS_MS: Final = 5_000
DIRS_SHARE: Final = 300
"""Log directories are asked for as often as the first, but for a part of the time only."""
SHARES_SHARE: Final = 20
"""Where share groups are is asked for a twentieth of the time, but every ``RARE_MS``."""
ALL_OFFSETS_MS: Final = 600_000
"""How often all committed offsets are fetched, beside the commits read: some expire unseen."""
BACK_MS: Final = 600_000
"""How far back commits are read at the start, so that verdicts are there at once."""
SAMPLES: Final = 6
"""How many earlier ends of the logs are asked for at the start."""
SETTINGS: Final = (MIN_ISR, "retention.ms", "cleanup.policy")
_PARTITION_BYTES: Final = 256 << 10
_ANSWER_BYTES: Final = 8 << 20
_MOST_READS: Final = 200
"""Answers with commits that a round reads: more wait for the next."""


class Poller:
    """One conversation with a cluster; ``now`` gives ms since 1970. Not for several threads."""

    def __init__(self, cluster: Cluster, now: Callable[[], int]) -> None:
        self.cluster = cluster
        self._now = now
        self._log = CommitLog(cluster, {})
        self._last = Answers(at=0)
        self._asked: dict[str, int] = {}
        self._dirs_ms = DIRS_MS
        self._shares_ms = 0
        cluster.kept[MetadataResponse] = KeptAnswer()
        self._metadata: MetadataResponse | None = None
        self._known: dict[str, TopicDescription] = {}
        self._ends: BoundsQuestions | None = None
        self._shares_of: set[str] = set()
        self._offsets_of: set[str] = set()
        """Groups whose committed offsets were fetched once."""
        self.mirrored: frozenset[str] = frozenset()
        """Topics that are copied: mirrors read them up to the first open transaction."""

    def earlier_ends(self) -> list[tuple[int, Ends]]:
        """Where the logs ended at times before now: what rates and verdicts begin with."""
        found: list[tuple[int, Ends]] = []
        every = all_topics(self.cluster)
        latest, _ = bounds(self.cluster, every, offsets.LATEST)
        for k in range(SAMPLES):
            moment = self._now() - BACK_MS * (SAMPLES - k) // SAMPLES
            ends, failed = bounds(self.cluster, every, moment)
            if not failed:  # where nothing was written since then, the log ended where it does now
                found.append((moment, {t: _either(ends[t], latest[t]) for t in ends}))
        return found

    def ask(self) -> Answers:
        """A round; raises PkoError only where no broker answers at all."""
        started = time.monotonic()
        topics = self._topics()
        got = Answers(
            at=self._now(),
            cluster_id=self.cluster.cluster_id,
            nodes=dict(self.cluster.nodes),
            topics=topics,
        )
        self._ask_controller(got)
        self._ask_groups(got)
        self._ask_commits(got)
        self._ask_shares(got)
        got.at = self._now()
        self._ask_ends(got)  # behind the commits: no group is beyond the end that keeps up
        self._ask_rare(got)
        self._ask_moves(got)
        got.took_ms = round((time.monotonic() - started) * 1000)
        self._last = got
        return got

    # -- every round -----------------------------------------------------------------------------

    def _topics(self) -> dict[str, TopicDescription]:
        """The same object as in the last round where nothing changed, as are topics that did not:
        what follows from them need not be found again."""
        answer = self.cluster.metadata(None, name="listTopics")
        if answer is not self._metadata:
            before, self._metadata = self._known, answer
            found = {t.name: t for t in topics_of(answer)}
            self._known = {n: b if (b := before.get(n)) == t else t for n, t in found.items()}
        return self._known

    def _ask_ends(self, got: Answers) -> None:
        if (
            self._ends is None
            or got.topics is not self._last.topics
            or got.nodes != self._last.nodes
        ):
            self._ends = bounds_questions(self.cluster, got.topics.values(), offsets.LATEST)
        got.ends, failed = ask_bounds(self.cluster, self._ends)
        _tell(got, "log ends of broker", failed)
        if self._is_due("starts", got.at, RARE_MS) or got.topics.keys() - self._last.starts.keys():
            got.starts, _ = bounds(self.cluster, got.topics.values(), offsets.EARLIEST)
        else:
            got.starts = {t: s for t, s in self._last.starts.items() if t in got.topics}
        copied = [topic for name, topic in got.topics.items() if name in self.mirrored]
        if copied:
            got.stable, failed = bounds(self.cluster, copied, offsets.LATEST, committed=True)
            _tell(got, "ends of committed records of broker", failed)

    def _ask_groups(self, got: Answers) -> None:
        try:
            listed, failed = list_groups(self.cluster)
        except PkoError as error:
            got.not_asked.append(not_asked("groups", error))
            got.described = self._last.described
            return
        _tell(got, "groups of broker", failed)
        got.unlisted = frozenset(failed)
        got.silent_brokers = frozenset(b for b, error in failed.items() if not _is_answer(error))
        got.listed = listed
        kept = {g: d for g, d in self._last.described.items() if g in listed}
        before = self._last.listed or {}
        changed = {g for g, one in listed.items() if g not in kept or before.get(g) != one}
        changed |= {g for g in listed if is_own_group(g)}  # a mirror shares anew without a trace
        every = self._is_due("groups", got.at, RARE_MS)
        asked = {g: one for g, one in listed.items() if every or g in changed}
        for name, answer in describe_every_kind(self.cluster, asked, got.topics).items():
            if isinstance(answer, GroupDescription):
                kept[name] = answer
            else:
                got.not_asked.append(not_asked(f"group {name}", answer))
        got.described = kept

    def _ask_commits(self, got: Answers) -> None:
        listed = got.listed or {}
        every = self._is_due("offsets", got.at, ALL_OFFSETS_MS)
        # a mirror commits in transactions: only the coordinator knows which of them count
        asked = [
            g
            for g, one in listed.items()
            if kind_of(one) != SHARE and (every or g not in self._offsets_of or is_own_group(g))
        ]
        for group, answer in fetch_offsets(self.cluster, asked).items():
            if isinstance(answer, PkoError):
                got.not_asked.append(not_asked(f"offsets of group {group}", answer))
                continue
            self._offsets_of.add(group)
            got.offsets[group] = [
                (p, c.offset) for p, c in answer.items() if isinstance(c, Committed)
            ]
        self._offsets_of &= listed.keys()
        self._follow(got)
        try:
            self._log.again()
            for _ in range(_MOST_READS):
                if not self._log.read(
                    got.commits, partition_bytes=_PARTITION_BYTES, max_bytes=_ANSWER_BYTES
                ):
                    break
        except PkoError as error:
            got.not_asked.append(not_asked(f"commits in {TOPIC}", error))
        for (_, number), why in self._log.failed.items():
            got.not_asked.append(not_asked(f"commits in {TOPIC}-{number}", why))
        if any(TOPIC in missing.what for missing in got.not_asked):
            self._offsets_of.clear()  # what was committed has to be fetched

    def _follow(self, got: Answers) -> None:
        """Read partitions of the offsets topic that are not read yet: back to ``BACK_MS`` ago."""
        topic = got.topics.get(TOPIC)
        if topic is None:
            return
        new = [p for p in topic.partitions if (TOPIC, p.number) not in self._log.positions]
        if not new:
            return
        part = topic._replace(partitions=new)
        since, _ = bounds(self.cluster, [part], got.at - BACK_MS)
        ends, _ = bounds(self.cluster, [part], offsets.LATEST)
        places = {}
        for p in new:
            start = since[TOPIC][p.number]
            if start < 0:  # nothing was written since
                start = ends[TOPIC][p.number]
            if start >= 0:
                places[TOPIC, p.number] = start
        self._log.follow(places)

    def _ask_shares(self, got: Answers) -> None:
        """Where share groups are: their coordinators look up each partition, so this is asked for a
        part of the time only."""
        groups = [name for name, one in (got.listed or {}).items() if kind_of(one) == SHARE]
        new = not set(groups) <= self._shares_of
        if got.listed is None or not (new or self._is_due("shares", got.at, self._shares_ms)):
            got.shares, got.shares_at = self._last.shares, self._last.shares_at
            return
        self._shares_of, got.shares_at = set(groups), got.at
        if not groups:
            return
        found: dict[str, Mapping[Partition, ShareStart | KafkaError]] = {}
        self._asked["shares"], began = got.at, time.monotonic()
        for group, answer in fetch_share_offsets(self.cluster, groups).items():
            if isinstance(answer, PkoError):
                got.not_asked.append(not_asked(f"offsets of share group {group}", answer))
                continue
            found[group] = answer
            refused = {p: e for p, e in answer.items() if isinstance(e, KafkaError)}
            for (topic, n), error in islice(refused.items(), 1):
                more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
                what = f"offsets of share group {group} in {topic}-{n}{more}"
                got.not_asked.append(not_asked(what, error))
        got.shares = found
        took_ms = round((time.monotonic() - began) * 1000)
        self._shares_ms = min(took_ms * SHARES_SHARE, RARE_MS)

    def _ask_controller(self, got: Answers) -> None:
        state = kraft_state(self.cluster)
        got.is_kraft, got.quorum, got.fenced = state.is_kraft, state.quorum, state.fenced
        got.controller_known = state.controller is not None
        got.controller = -1 if state.controller is None else state.controller
        got.not_asked += [not_asked(what, error) for what, error in state.failed]

    def _ask_moves(self, got: Answers) -> None:
        if got.is_kraft and got.controller_known and got.controller < 0:
            # who is asked would wait for a controller as long as may be
            got.not_asked.append(not_asked("moves", PkoError("no controller leads the quorum")))
            return
        try:
            got.moves = list_reassignments(self.cluster)
        except PkoError as error:
            got.not_asked.append(not_asked("moves", error))

    # -- now and then ----------------------------------------------------------------------------

    def _ask_rare(self, got: Answers) -> None:
        self._ask_dirs(got)
        if not self._is_due("settings", got.at, RARE_MS):
            got.settings = self._last.settings
            return
        got.settings, refused = topic_settings(self.cluster, list(got.topics), SETTINGS)
        got.not_asked += [not_asked(f"settings of {t}", e) for t, e in refused.items()]

    def _ask_dirs(self, got: Answers) -> None:
        """The fewer replicas there are, the oftener: a disk may be full within minutes."""
        if not self._is_due("dirs", got.at, self._dirs_ms):
            got.dirs = self._last.dirs
            if not got.dirs.keys() <= got.nodes.keys():
                got.dirs = {b: d for b, d in got.dirs.items() if b in got.nodes}
            return
        began = time.monotonic()
        got.dirs, failed = _parted(describe_log_dirs(self.cluster, list(got.nodes), once=True))
        took_ms = round((time.monotonic() - began) * 1000)
        self._dirs_ms = min(max(DIRS_MS, took_ms * DIRS_SHARE), RARE_MS)
        _tell(got, "log directories of broker", failed)

    def _is_due(self, what: str, now: int, every_ms: int) -> bool:
        """Whether to ask now; so it is after the clock went back, too."""
        last = self._asked.get(what)
        if last is not None and 0 <= now - last < every_ms:
            return False
        self._asked[what] = now
        return True


def _either(first: array[int], second: array[int]) -> array[int]:
    """The known of two offsets, the first if both are."""
    pairs = zip(first, second, strict=True)
    return array("q", [one if one >= 0 else other for one, other in pairs])


def _parted(answers: Mapping[K, V | PkoError]) -> tuple[dict[K, V], dict[K, PkoError]]:
    good = {k: a for k, a in answers.items() if not isinstance(a, PkoError)}
    return good, {k: a for k, a in answers.items() if isinstance(a, PkoError)}


def _tell(got: Answers, what: str, failed: Mapping[int, PkoError]) -> None:
    got.not_asked += [not_asked(f"{what} {broker}", error) for broker, error in failed.items()]


def _is_answer(error: PkoError) -> bool:
    """Whether a broker said so itself, such as one that still loads its groups."""
    return isinstance(getattr(error, "trouble", None) or error, KafkaError)


def not_asked(what: str, error: PkoError) -> NotAsked:
    """What could not be had: Kafka's name of the error (also where it was met until time ran out),
    else our class."""
    cause = cause_of(error)
    text = cause.ours or str(cause)
    if isinstance(cause, KafkaError):
        return NotAsked(what, ErrorCode.of(cause.code).name, text)
    return NotAsked(what, type(cause).__name__.removesuffix("Error"), text)

"""Where share groups (KIP-932) are, round by round: they commit nothing that could be read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.share_offsets import ShareStart
from pykafka_ops.errors import KafkaError
from pykafka_ops.monitor.cluster.answers import Partition
from pykafka_ops.monitor.cluster.commits import CommitStore

EVERY_MS: Final = 10_000
"""What is remembered is so far apart at least: ten of them are a minute and a half, however often
is asked."""
_NOWHERE: Final = ShareStart(None, None)
ShareAnswers = Mapping[str, Mapping[Partition, ShareStart | KafkaError]]
"""By group and partition; groups that did not answer are not there."""


class ShareGroups:
    """Starts and lags of share groups, the last of them over time. Times in ms."""

    def __init__(self) -> None:
        self._now: dict[str, dict[Partition, ShareStart]] = {}
        self._untold: set[str] = set()
        self._seen = CommitStore()
        self._at = -1

    def __contains__(self, group: str) -> bool:
        """Whether its coordinator told of it in the last answer."""
        return group in self._now and group not in self._untold

    def take(self, at: int, answers: ShareAnswers, groups: Iterable[str]) -> None:
        """The answers of ``at`` about ``groups``, which are all there are. What one does not tell
        is not known, nor is it as it was."""
        if at == self._at:
            return
        self._at = at
        wanted = set(groups)
        for gone in self._now.keys() - wanted:
            self.forget(gone)
        self._untold = {name for name in wanted if name not in answers}
        for group in wanted:
            told = answers.get(group)
            if told is None:
                before = self._now.get(group, {})
                self._now[group] = dict.fromkeys(before, _NOWHERE)
                continue
            self._now[group] = {
                p: start if isinstance(start, ShareStart) else _NOWHERE for p, start in told.items()
            }
            self._remember(at, group)

    def places(self, group: str) -> Iterable[Partition]:
        """The partitions that the group is, or was, told to be in."""
        return self._now.get(group, {}).keys()

    def start(self, group: str, place: Partition) -> ShareStart:
        """Where the group is in a partition: None where that is not known."""
        return self._now.get(group, {}).get(place, _NOWHERE)

    def seen(self, group: str, topic: str, partition: int) -> list[Commit]:
        """Where it was: time, start and lag, by time."""
        stored = self._seen.topics(group).get(topic)
        return [] if stored is None else stored.ring(partition)

    def forget(self, group: str) -> None:
        """A group is gone, or its past is to be."""
        self._now.pop(group, None)
        self._untold.discard(group)
        self._seen.forget(group)

    def forget_topic(self, topic: str) -> None:
        """A topic was deleted, or made anew: what was seen of it says nothing."""
        for group in list(self._seen.groups()):
            self._seen.forget(group, topic)

    def _remember(self, at: int, group: str) -> None:
        stored = self._seen.topics(group)
        for (topic, n), where in self._now[group].items():
            if where.start is None or where.lag is None:
                continue
            last = stored[topic].last_time(n) if topic in stored else None
            if last is None or not 0 <= at - last < EVERY_MS:
                self._seen.add(group, topic, n, Commit(at, where.start, where.lag))

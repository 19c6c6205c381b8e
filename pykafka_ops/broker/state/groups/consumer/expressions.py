"""Subscriptions by expression: when they are resolved, and what follows (``TopicRegexResolver``).

Resolving takes long where there are many topics, so it goes on in slices, and the group hears of it
later, in an epoch of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum

from pykafka_ops.broker.state.groups.consumer.change import GroupChange
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.member import ConsumerMember
from pykafka_ops.broker.state.groups.consumer.records import Resolved, regex_record
from pykafka_ops.broker.state.groups.consumer.regex.match import Regex, matching
from pykafka_ops.broker.state.groups.consumer.regex.nodes import RegexError
from pykafka_ops.broker.state.groups.consumer.timeouts import Timeouts
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

PAUSE_MS = 10_000
"""Between two looks at the topics."""
REFRESH_MS = 600_000
"""Rights may have changed: look again after this, even if there are the same topics."""

Sees = Callable[[str], bool]
Found = dict[str, Resolved]
Tell = Callable[[str, Found, Instant], Outcome]
"""What is called with a group's id and what its expressions match."""


class Regexed(Enum):
    """What a member has done to its expression."""

    SAME = 0
    OTHER = 1
    OTHER_AND_RESOLVED = 2


class Expressions:
    """Resolves the expressions of groups; ``tell`` gets what was found."""

    def __init__(self, topics: SeenTopics, timeouts: Timeouts, tell: Tell) -> None:
        self._topics = topics
        self._timeouts = timeouts
        self._tell = tell
        self._at_work: set[str] = set()

    def update(
        self,
        change: GroupChange,
        old: ConsumerMember,
        new: ConsumerMember,
        sees: Sees | None,
        now: Instant,
    ) -> Regexed:
        """A member has said which expression it uses (``maybeUpdateRegularExpressions``).

        Raises KafkaError INVALID_REGULAR_EXPRESSION.
        """
        group, status, needed = change.group, Regexed.SAME, False
        before = (old.regex or "") if old.id in group.members or change.gone else ""
        after = new.regex or ""
        if (old.regex or "") != after:
            status = Regexed.OTHER
            if before and group.subscribers(before) == 1:
                change.records.append(regex_record(group.id, before, None))
            if not after:
                status = Regexed.OTHER_AND_RESOLVED
            elif not group.subscribers(after):
                _compiled(after)
                needed = True
            elif after in group.resolved:
                status = Regexed.OTHER_AND_RESOLVED
        used = set(group.regexes) | {after}
        if before and before != after and group.subscribers(before) == 1:
            used.discard(before)
        used.discard("")
        if used and group.id not in self._at_work:
            self._look(group, used, sees, now, needed)
        return status

    def _look(
        self, group: ConsumerGroup, used: set[str], sees: Sees | None, now: Instant, needed: bool
    ) -> None:
        """Begin to resolve, unless that was just done or nothing can have changed."""
        last = max((each.timestamp for each in group.resolved.values()), default=0)
        if now.time <= last + PAUSE_MS:
            return
        known = group.resolved
        if not (
            needed
            or used - known.keys()
            or any(each.version != self._topics.version for each in known.values())
            or now.time > last + REFRESH_MS
        ):
            return
        self._at_work.add(group.id)
        patterns = {regex: _compiled(regex) for regex in used}
        work = matching(patterns, list(self._topics.names), sees or (lambda name: True))
        version = self._topics.version
        self._timeouts.soon(now.timer, lambda now: self._go_on(group.id, work, version, now))

    def _go_on(
        self,
        group_id: str,
        work: Generator[None, None, dict[str, set[str]]],
        version: int,
        now: Instant,
    ) -> Outcome | None:
        try:
            next(work)
        except StopIteration as done:
            self._at_work.discard(group_id)
            found = {
                regex: Resolved(frozenset(names), version, now.time)
                for regex, names in done.value.items()
            }
            return self._tell(group_id, found, now)
        self._timeouts.soon(now.timer, lambda now: self._go_on(group_id, work, version, now))
        return None


def resolved(change: GroupChange, found: Found) -> None:
    """Note what expressions match; a new epoch if that is something else
    (``handleRegularExpressionsResult``)."""
    group, bump = change.group, False
    for regex, value in found.items():
        if not group.subscribers(regex):
            continue
        before = group.resolved.get(regex)
        bump = bump or value.topics != (frozenset() if before is None else before.topics)
        change.records.append(regex_record(group.id, regex, value))
    if not change.records:
        return
    subscribed = {name for each in group.members.values() for name in each.names}
    for regex in group.regexes:
        value_or_none = found.get(regex) or group.resolved.get(regex)
        subscribed |= value_or_none.topics if value_or_none is not None else frozenset()
    change.next_epoch_for(subscribed, bump=bump)


def _compiled(regex: str) -> Regex:
    try:
        return Regex(regex)
    except RegexError as error:
        raise KafkaError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            f"SubscribedTopicRegex `{regex}` is not a valid regular expression: {error}.",
        ) from error

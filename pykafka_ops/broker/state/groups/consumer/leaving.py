"""Members go: they say so, or are not heard of for too long (``consumerGroupLeave``, fencing)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial

from pykafka_ops.broker.state.groups.consumer.answers import Beat, Beaten
from pykafka_ops.broker.state.groups.consumer.checks import known_member, known_static
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.member import STATIC_LEFT, ConsumerMember
from pykafka_ops.broker.state.groups.consumer.records import (
    ConsumerRecord,
    current_record,
    epoch_record,
    regex_record,
    removal,
)
from pykafka_ops.broker.state.groups.consumer.timeouts import Timeouts, Wait
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.groups.consumer.work import Decided, GroupDesk, Work
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

AGAIN_MS = 500
"""When to try again to take a member out, if that could not be written."""

Downgrade = Callable[[ConsumerGroup, Instant], Outcome | None]
"""Makes a classic group of one where all members are classic, if it may be."""


@dataclass(slots=True)
class Leavings:
    """What takes members out of the groups in ``groups``."""

    groups: dict[str, ConsumerGroup]
    topics: SeenTopics
    timeouts: Timeouts
    desk: GroupDesk
    downgrade: Downgrade

    # -- members that say so -------------------------------------------------------------------

    def leave(self, group: ConsumerGroup, beat: Beat) -> Decided:
        """A member goes, for good or (static, by its epoch) for a while. Raises KafkaError."""
        if beat.instance_id is None:
            member = known_member(group, beat.member_id)
        else:
            member = known_static(group, beat.member_id, beat.instance_id)
        answer = Beaten(ErrorCode.NONE, None, beat.member_id, beat.epoch)
        if beat.epoch == STATIC_LEFT:
            away = replace(
                member,
                epoch=STATIC_LEFT,
                assigned={t: dict.fromkeys(found, 0) for t, found in member.assigned.items()},
                revoking={},
            )
            return Decided([current_record(group.id, away)], answer)
        return self.remove(group, [member], answer, "it left")

    def remove(
        self, group: ConsumerGroup, gone: Collection[ConsumerMember], answer: object, why: str
    ) -> Decided:
        """Take members out; the others share what they had in a new epoch."""
        if not gone:
            return Decided(answer=answer)
        records: list[ConsumerRecord] = []
        for each in gone:
            records += removal(group.id, each.id)
            self.timeouts.forget(group.id, each.id)
        used = Counter(each.regex for each in gone if each.regex)
        for regex, count in used.items():
            if regex is not None and group.subscribers(regex) == count:
                records.append(regex_record(group.id, regex, None))
        ids = {each.id for each in gone}
        left = [each for each in group.members.values() if each.id not in ids]
        topics_hash = self.topics.hash_of(group.subscribed(left))
        records.append(epoch_record(group.id, group.epoch + 1, topics_hash))
        consumer = any(each.classic is None for each in gone)
        return Decided(
            records,
            answer,
            then=partial(self.downgrade, group) if consumer else None,
            notes=[f"group {group.id}: {', '.join(sorted(ids))} is out: {why}"],
        )

    # -- members that are not heard of ---------------------------------------------------------

    def expect(self, group_id: str, member_id: str, timeout: int, now: Instant) -> None:
        """Take the member out if there is no sign of life for so many ms."""
        self._wait(Wait.SESSION, group_id, member_id, now.timer + timeout)

    def expect_revocation(self, group_id: str, member: ConsumerMember, now: Instant) -> None:
        """Take the member out if it is still in its epoch when its time to rebalance is over."""
        by = now.timer + member.rebalance_timeout
        self._wait(Wait.REBALANCE, group_id, member.id, by, member.epoch)

    def expect_classic(
        self, wait: Wait, group_id: str, member: ConsumerMember, now: Instant
    ) -> None:
        """Take the classic member out if it does not join again, or sync, in time."""
        self._wait(wait, group_id, member.id, now.timer + member.rebalance_timeout)

    def _wait(
        self, wait: Wait, group_id: str, member_id: str, by: float, epoch: int | None = None
    ) -> None:
        action = partial(self._over, wait, group_id, member_id, epoch)
        self.timeouts.expect(wait, group_id, member_id, by, action)

    def _over(
        self, wait: Wait, group_id: str, member_id: str, epoch: int | None, now: Instant
    ) -> Outcome:
        def decide(now: Instant) -> Decided:
            group = self.groups.get(group_id)
            member = None if group is None else group.members.get(member_id)
            if group is None or member is None or epoch not in (None, member.epoch):
                return Decided()
            if self.timeouts.is_expected(wait, group_id, member_id):
                return Decided()  # heard of it while this has waited
            return self.remove(group, [member], None, f"waited too long for {wait.value}")

        def again(_: KafkaError) -> None:
            self._wait(wait, group_id, member_id, now.timer + AGAIN_MS, epoch)

        return self.desk.submit(group_id, Work(decide, refuse=again), now)

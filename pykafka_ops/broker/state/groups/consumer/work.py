"""Work on one group after the other: what is decided next must know what was decided before.

A shard's state changes when records are committed; until then nothing else is decided about their
group. Kafka's coordinator goes on with what it has written and takes it back if need be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.append_errors import group_code
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode


@dataclass(slots=True)
class Decided:
    """What was decided: ``records`` to write and then the ``answer``, if it is not None by then.
    ``then`` follows when they are applied. ``failed`` takes back what was marked."""

    records: Sequence[Any] = ()
    answer: object = None
    then: Callable[[Instant], Outcome | None] | None = None
    failed: Callable[[], None] | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Work:
    """Something to decide; ``decide`` may raise KafkaError. ``refuse`` makes the answer of an
    error; without a ticket nobody waits for one."""

    decide: Callable[[Instant], Decided]
    ticket: Deferred | None = None
    refuse: Callable[[KafkaError], object] = lambda error: ErrorCode.of(error.code)

    def answered(self, out: Outcome, answer: object) -> None:
        """Add the answer to an outcome, if somebody waits."""
        if self.ticket is not None:
            out.reply(self.ticket, answer)


@dataclass(slots=True)
class _Writing:
    """Records of a group that are not applied yet, and what waits for them. ``stuck``: nobody waits
    any more, they took too long."""

    left: int
    queue: deque[Work] = field(default_factory=deque)
    stuck: bool = False


class GroupDesk:
    """All groups of a shard."""

    def __init__(self) -> None:
        self._writing: dict[str, _Writing] = {}

    def is_busy(self, group_id: str) -> bool:
        """Whether records of a group are on their way."""
        return group_id in self._writing

    def submit(self, group_id: str, work: Work, now: Instant) -> Outcome:
        """Do it now, or when what is on its way is applied."""
        writing = self._writing.get(group_id)
        if writing is None:
            return self._do(group_id, work, now)
        out = Outcome()
        if writing.stuck:
            work.answered(out, work.refuse(KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)))
        else:
            writing.queue.append(work)
        return out

    def applied(self, group_id: str) -> None:
        """A record of a group is committed."""
        writing = self._writing.get(group_id)
        if writing is not None:
            writing.left -= 1
            if writing.stuck and not writing.left:
                del self._writing[group_id]

    def waiting(self) -> Iterator[Work]:
        """Everything that waits; it is not done any more."""
        for writing in self._writing.values():
            yield from writing.queue
            writing.queue.clear()

    def _do(self, group_id: str, work: Work, now: Instant) -> Outcome:
        out = Outcome()
        try:
            decided = work.decide(now)
        except KafkaError as error:
            work.answered(out, work.refuse(error))
            return out
        out.notes += decided.notes
        if decided.records:
            self._writing[group_id] = _Writing(len(decided.records))
            out.records = decided.records
            out.then = partial(self._written, group_id, work, decided)
            return out
        return self._finished(work, decided, now, out)

    @staticmethod
    def _finished(work: Work, decided: Decided, now: Instant, out: Outcome) -> Outcome:
        following = None if decided.then is None else decided.then(now)
        if decided.answer is not None:
            work.answered(out, decided.answer)
        if following is None:
            return out
        following.replies[:0] = out.replies
        following.notes[:0] = out.notes
        return following

    def _written(
        self, group_id: str, work: Work, decided: Decided, code: ErrorCode, now: Instant
    ) -> Outcome:
        writing, out = self._writing[group_id], Outcome()
        if code is ErrorCode.NONE:
            del self._writing[group_id]
            out = self._finished(work, decided, now, out)
            return self._go_on(group_id, writing.queue, now, out)
        if code is ErrorCode.REQUEST_TIMED_OUT:
            writing.stuck = True
            error = KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        else:
            del self._writing[group_id]
            error = KafkaError(group_code(code))
            if decided.failed is not None:
                decided.failed()
        for each in (work, *writing.queue):
            each.answered(out, each.refuse(error))
        writing.queue.clear()
        return out

    def _go_on(self, group_id: str, queue: deque[Work], now: Instant, out: Outcome) -> Outcome:
        """Do what has waited, up to what writes again."""
        while queue and out.then is None:
            more = self._do(group_id, queue.popleft(), now)
            more.replies[:0] = out.replies
            more.notes[:0] = out.notes
            out = more
        if queue:
            writing = self._writing.get(group_id)
            if writing is not None:
                writing.queue.extend(queue)
            else:
                then = out.then
                assert then is not None
                out.then = partial(self._after, group_id, queue, then)
        return out

    def _after(
        self,
        group_id: str,
        queue: deque[Work],
        then: Callable[[ErrorCode, Instant], Outcome | None],
        code: ErrorCode,
        now: Instant,
    ) -> Outcome:
        """What has waited goes on behind something that is no work of this desk."""
        return self._go_on(group_id, queue, now, then(code, now) or Outcome())

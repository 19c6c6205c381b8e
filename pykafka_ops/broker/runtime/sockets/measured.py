"""Counts and times requests: replaces :class:`Exchange` where the broker serves metrics.

Counterpart of ``RequestChannel.Request.updateRequestMetrics``.
"""

from __future__ import annotations

from pykafka_ops.broker.hot.serving import CountHead, Shape
from pykafka_ops.broker.runtime.sockets.channel import Channel
from pykafka_ops.broker.runtime.sockets.dispatch import Api, Dispatch
from pykafka_ops.broker.runtime.sockets.exchange import Exchange
from pykafka_ops.broker.runtime.sockets.tally import (
    SLOW_MS,
    ApiCount,
    RequestTally,
    RequestTime,
)
from pykafka_ops.broker.state.session import NOBODY, Session
from pykafka_ops.wire.division import GatheredAnswer
from pykafka_ops.wire.frame import Encoded, EncodedAnswer, Framed


class MeasuredExchange(Exchange):
    """Counts each request of a connection; times those that the tally chooses, and slow ones."""

    __slots__ = (
        "_began",
        "_bytes",
        "_chosen",
        "_handled",
        "_held_ms",
        "_last",
        "_last_api",
        "_open",
        "_queue_ms",
        "_tally",
    )

    def __init__(
        self,
        channel: Channel,
        dispatch: Dispatch,
        tally: RequestTally,
        session: Session = NOBODY,
    ) -> None:
        super().__init__(channel, dispatch, session)
        self._tally = tally
        self.due = tally.due
        self._chosen = False
        self._open = False
        """Whether a request waits that is not counted yet."""
        self._began = 0.0
        self._handled: float | None = None
        """When it had to wait."""
        self._queue_ms = 0.0
        self._held_ms = 0
        self._bytes = 0
        self._last_api: Api | None = None
        self._last: ApiCount | None = None

    def serve_measured(self, frame: memoryview) -> None:
        tally, key = self._tally, frame[1]
        if tally.due[key] and tally.is_chosen(key):
            self._chosen = True
            self._began = now = tally.timer()
            self._queue_ms = tally.queue_ms(now)
        super().serve_measured(frame)

    def go_on(self, shape: Shape, answer: object, frame: memoryview) -> None:
        self._context = context = shape.context
        self._bytes = len(frame)
        if type(answer) is not bytes:
            self._take_of(shape, frame, answer)
            return
        count = shape.count
        assert isinstance(count, ApiCount)
        count.requests += 1
        if answer:
            count.sure += shape.codes
        if self._arrived is not None:
            self._identify(frame, context)
        if self._chosen or self._meter is not None:
            self._finish(count, answer)
        else:
            Exchange.finish(self, answer)

    def read(self, frame: memoryview) -> None:
        self._bytes = len(frame)
        super().read(frame)

    def finish(self, answer: object) -> None:
        """As :class:`Exchange` does. Raises WireError."""
        self._open = False
        count = self._last
        if count is None or self._api is not self._last_api or self._version != count.version:
            count = self._count()
        count.requests += 1
        if type(answer) is count.kind:
            count.walk(answer, count.codes)
        elif answer:
            _count_codes(count, answer)
        if self._chosen or self._handled is not None or self._meter is not None:
            self._finish(count, answer)
        else:
            Exchange.finish(self, answer)

    def drop(self, how: str) -> None:
        """As :class:`Exchange` does; of a request without an answer there is no error, as there."""
        if self._open:
            self._open = False
            self._count().requests += 1
        self._chosen, self._handled = False, None
        super().drop(how)

    def close(self) -> None:
        """The connection is gone."""
        super().close()
        self._tally.forget(self.channel.identity)

    # -- steps of an Exchange ----------------------------------------------------------------------

    def _counting(self) -> CountHead | None:
        return self._count()

    def _wait(self) -> None:
        super()._wait()
        self._open = True
        if self._handled is None:
            self._handled = now = self._tally.timer()
            if not self._chosen:
                self._began = now - self._count().times.local_ms
                self._queue_ms = self._tally.queue_ms(now)

    def _end(self, how: str, sent: int, throttle_ms: int) -> None:
        self._held_ms = throttle_ms
        super()._end(how, sent, throttle_ms)

    # -- the end -----------------------------------------------------------------------------------

    def _count(self) -> ApiCount:
        api = self._last_api = self._api
        assert api is not None
        self._last = found = self._tally.count(api.key, self._version, self.channel.identity)
        return found

    def _finish(self, count: ApiCount, answer: object) -> None:
        """Send the answer of a request that may be timed."""
        if not self._chosen and self._handled is None and self._arrived is not None:
            self._began = self._arrived
        ready = self._tally.timer()
        self._held_ms = 0
        Exchange.finish(self, answer)
        self._time(count, ready)
        self._chosen, self._handled, self._queue_ms = False, None, 0.0

    def _time(self, count: ApiCount, ready: float) -> None:
        """The answer, which was there at ``ready``, is written."""
        now, began = self._tally.timer(), self._began
        waits = ready if self._handled is None else self._handled
        if self._chosen:
            count.times.local_ms = waits - began
        elif not self._held_ms and (self._handled is None or now - began < SLOW_MS):
            return
        taken = RequestTime(
            total=self._queue_ms + now - began,
            queue=self._queue_ms,
            local=waits - began,
            remote=ready - waits,
            send=now - ready,
            throttle=self._held_ms,
            size=self._bytes,
        )
        count.times.add(taken, now)


def _count_codes(count: ApiCount, answer: object) -> None:
    """Those of an answer that is not just a message."""
    if type(answer) is EncodedAnswer:
        count.codes[answer.code] = count.codes.get(answer.code, 0) + 1
    elif type(answer) is GatheredAnswer:
        answer.count_codes(count.codes)
    elif type(answer) is Framed:
        count.sure += answer.codes
    elif type(answer) is bytes:  # of a Produce request for one partition
        count.sure += 1
    elif type(answer) is Encoded:
        count.walk(answer.message, count.codes)

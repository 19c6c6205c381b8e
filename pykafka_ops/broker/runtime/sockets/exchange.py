"""One request, from its arrival to its end, on every path.

It is answered at once, later (``Deferred``, coroutine), or from its bytes (``Shape``); it fails, is
refused, or its client has gone. Every path ends in :meth:`Exchange.finish` or
:meth:`Exchange.drop`: quotas, throttling and the request log are there, and nowhere else.
Counterpart of ``RequestChannel.Request`` and ``RequestHandlerHelper``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from struct import Struct
from types import CoroutineType, GeneratorType
from typing import Any

from pykafka_ops.broker.handlers.api import Context, MakeShape
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.hot.serving import DECLINED, CountHead, Serving, Shape
from pykafka_ops.broker.runtime.sockets.channel import Channel
from pykafka_ops.broker.runtime.sockets.dispatch import Api, Dispatch
from pykafka_ops.broker.runtime.sockets.ended import Ended
from pykafka_ops.broker.runtime.sockets.large import LargeRequest
from pykafka_ops.broker.runtime.sockets.long_work import FEW, in_pieces, long_work
from pykafka_ops.broker.runtime.sockets.shapes import chained, listed
from pykafka_ops.broker.runtime.time_slice import TimeSlice
from pykafka_ops.broker.services.meter import Meter
from pykafka_ops.broker.state.session import NOBODY, Session
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.errors import KafkaError, PkoError, TooManyItemsError, WireError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode_at
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.division import GatheredAnswer
from pykafka_ops.wire.frame import (
    THROTTLE_TIME,
    Encoded,
    EncodedAnswer,
    Framed,
    read_request_header,
    response_parts,
    with_throttle_time,
)

log = logging.getLogger("kafka.server.KafkaApis")
log_connections = logging.getLogger("kafka.network.SocketServer")

MOST_SHAPES = 4
"""Shapes of requests remembered for a connection: a producer writes to few topics."""

_LENGTH = Struct(">i")
"""What a frame begins with: the bytes that follow."""
_HEAD = Struct(">hhi")
"""API key, version, correlation id."""


class Exchange(Serving):
    """The request that a connection is at: each in its turn, they are served with this one object.

    What only measuring needs (``_arrived`` and what follows it) is found out only while somebody
    measures: a client has a quota, or ``Dispatch.observers`` has one, such as the request log. To
    measure something else of every request, add an observer there.
    """

    __slots__ = (
        "_api", "_arrived", "_context", "_dispatch", "_failure", "_meter", "_session", "_size",
        "_version", "_work_ms",
    )  # fmt: skip

    def __init__(self, channel: Channel, dispatch: Dispatch, session: Session = NOBODY) -> None:
        self.channel = channel
        self._dispatch = dispatch
        self._session = session
        self.first = self.due = None
        self.observers = dispatch.observers
        self.quotas = dispatch.quotas
        self.asked = self.waiting = None
        self._context: Context | None = None
        self._api: Api | None = None
        self._version = self.correlation_id = 0
        self._arrived: float | None = None
        """When the request arrived (monotonic ms); None while it is not measured."""
        self._size = 0
        self._work_ms: float | None = None
        self._failure = ""
        self._meter: Meter | None = None

    # -- the beginning -------------------------------------------------------------------------

    def serve_measured(self, frame: memoryview) -> None:
        if self.quotas.version or self.observers:
            self._watch(frame)
        for shape in listed(self.first):
            answer = shape.answer(frame)
            if answer is not None:
                self.go_on(shape, answer, frame)
                return
        self.read(frame)

    def go_on(self, shape: Shape, answer: object, frame: memoryview) -> None:
        self._context = context = shape.context
        if type(answer) is not bytes:
            self._take_of(shape, frame, answer)
            return
        if self._arrived is not None:
            self._identify(frame, context)
        self.finish(answer)

    def read(self, frame: memoryview) -> None:
        self._take(self._handle(frame))

    def _take_of(self, shape: Shape, frame: memoryview, answer: object) -> None:
        """Take what a shape answered that is no bytes."""
        if answer is DECLINED:
            self._take(self._handle(frame, learn=False))
        else:
            self._identify(frame, shape.context)
            self._take(answer)

    def _take(self, answer: Any) -> None:
        """Send what a handler answered, or wait for it."""
        kind = type(answer)
        if isinstance(answer, Deferred):
            self._wait()
            self.waiting = answer
            answer.then(self._late)
        elif kind is CoroutineType:
            self._wait()
            self._dispatch.spawn(answer).add_done_callback(self._late_task)
        elif kind is GeneratorType:
            self._take(self._in_steps(answer))
        else:
            self.finish(answer)

    def _in_steps(self, steps: Steps[object]) -> Coroutine[Any, Any, object]:
        """The answer of a handler that takes long. What a producer has sent is appended even if it
        has gone, as what takes no time is."""
        if self._api is None or self._api.key != ApiKey.PRODUCE:
            self.waiting = Deferred()
            self.waiting.on_abandon = steps.close
        return long_work(steps, self._dispatch.memory, self._version)

    def _watch(self, frame: memoryview) -> None:
        """Somebody measures: from here on."""
        self._arrived = self._dispatch.timer()
        self._size = len(frame)
        self._context = self._api = self._work_ms = None
        self._failure = ""

    def _identify(self, frame: memoryview, context: Context) -> None:
        """What else must be known of a request that a shape has served."""
        key, self._version, self.correlation_id = _HEAD.unpack_from(frame)
        self._api = self._dispatch.apis[key]
        if self._arrived is not None:
            self._meter = self._dispatch.meter(context, key, self._size, self._arrived)

    def _handle(self, frame: memoryview, *, learn: bool = True) -> object:
        """Have a request read field by field, and ``learn`` its shape."""
        dispatch, channel = self._dispatch, self.channel
        header = read_request_header(frame)
        self._api, version = dispatch.find(header.api_key, header.api_version)
        self._context = context = Context(
            dispatch.services,
            version,
            header.client_id,
            header.correlation_id,
            channel.listener,
            channel.client_host,
            channel.identity,
            self._session,
        )
        context.api_key = header.api_key
        self._version = max(version, 0)
        self.correlation_id = header.correlation_id
        if self._arrived is not None:
            self._meter = dispatch.meter(context, header.api_key, self._size, self._arrived)
            context.meter = self._meter
        return self._call(context, frame, header.body, learn=learn)

    def _call(self, context: Context, frame: memoryview, body: int, *, learn: bool) -> object:
        """Decode the request and hand it over to the handler."""
        api = self._api
        assert api is not None
        handle = api.handle or api.load()
        kept = api.kept
        if kept is not None and (found := kept.find(context, frame, body)) is not None:
            return found
        message: Any = None
        try:
            if context.version >= 0:
                assert api.request_class is not None
                # Bytes behind the request are ignored, as by Kafka: librdkafka sends some.
                message, _ = decode_at(api.request_class, context.version, frame, body, FEW)
                if learn and api.shape is not None:
                    self._learn(api.shape, context, message, frame)
            answer: Any = handle(context, message)
        except TooManyItemsError:
            large = self.waiting = LargeRequest(
                api, context, self._failed, self._dispatch.memory, frame, body
            )
            return large.serve()
        except WireError:
            raise
        except Exception as error:
            return self._failed(error, message)
        kind = type(answer)
        if kind is GeneratorType:
            return self._guard(self._in_steps(answer), message)
        if kind is CoroutineType:
            return self._guard(answer, message)
        return answer if kept is None else kept.keep(context, frame, body, answer)

    def _learn(self, make: MakeShape, context: Context, message: Any, frame: memoryview) -> None:
        if context.api_key == ApiKey.JOIN_GROUP:  # many clients never send one again
            self.forget_shapes(ApiKey.JOIN_GROUP)
        known = listed(self.first)
        shape = None if len(known) >= MOST_SHAPES else make(context, message, frame)
        if shape is not None and self._dispatch.memory.keep(shape.held):
            shape.count = self._counting()
            self.first = chained([*known, shape])

    def _counting(self) -> CountHead | None:
        """What counts the requests of the shape that is learnt."""
        return None

    async def _guard(self, work: Coroutine[Any, Any, object], message: object) -> object:
        try:
            return await in_pieces(await work, self._version, TimeSlice())
        except Exception as error:
            return self._failed(error, message)

    def _failed(self, error: Exception, message: object) -> object:
        """The answer for a request whose handler raised."""
        api, version = self._api, self._version
        assert api is not None
        if not isinstance(error, KafkaError):
            fault = None if isinstance(error, PkoError) else error  # the others are bugs
            log.error("%s v%s failed: %s", APIS[api.key].name, version, error, exc_info=fault)
            error = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
        self._failure = ErrorCode.of(error.code).name
        return api.failed(message, version, error)

    # -- answers that come later ---------------------------------------------------------------

    def _wait(self) -> None:
        """Nothing else is served until the answer has come; that is no work."""
        self.channel.busy = True
        if self._meter is not None:
            self._meter.handled()
        if self._arrived is not None:
            self._work_ms = self._dispatch.timer() - self._arrived

    def _late_task(self, task: asyncio.Task[object]) -> None:
        """The coroutine of a request is done; it raises only what has no answer."""
        if task.cancelled():
            self.channel.close()
            return
        error = task.exception()
        if error is not None:
            self.channel.refuse(error)
        elif type(task.result()) is Deferred:
            self._take(task.result())
        else:
            self._late(task.result())

    def go_on_late(self, answer: object) -> None:
        assert self.asked is not None
        self._context = context = self.asked.context
        self._api, self._version = self._dispatch.apis[context.api_key], context.version
        self._late(answer)

    def _late(self, answer: object) -> None:
        """The answer of a request that had to wait; then the requests behind it.

        The caller is at work for another client: nothing is raised.
        """
        if type(answer) is GeneratorType:
            self._take(answer)
            return
        channel = self.channel
        channel.busy = False
        self.waiting = None
        if channel.closing:
            self.drop("abandoned")
            return
        try:
            self.finish(answer)
        except Exception as error:
            channel.refuse(error)
            return
        channel.resume()

    # -- the end -------------------------------------------------------------------------------

    def finish(self, answer: object) -> None:
        """Send the answer: a whole frame, a message, or what there is where there is none (None,
        ``b""``). Raises WireError if it cannot be encoded."""
        meter = self._meter
        throttle_ms = 0 if meter is None else meter.settle(answered=bool(answer))
        sent = 0
        if type(answer) is EncodedAnswer:
            answer = answer.frame(self.correlation_id)
        if type(answer) is bytes and answer:
            if throttle_ms:
                answer = self._throttled(answer, throttle_ms)
            self.channel.write(answer)
            sent = len(answer) - 4
        elif answer:
            sent = self._send(answer, throttle_ms)
        elif self._context is not None and self._context.close_connection:
            self.channel.close()
        if self._arrived is not None:
            self._end("answered" if sent else "done without an answer", sent, throttle_ms)

    def drop(self, how: str) -> None:
        """The request, if there is one, ends without an answer: it is ``refused``, or nobody waits
        for it any more."""
        waiting, self.waiting = self.waiting, None
        if waiting is not None:
            waiting.abandon()
        if self._arrived is not None:
            self._meter = None
            self._end(how, 0, 0)

    def refused(self, error: BaseException) -> None:
        """Hang up because of what the client sent: log it, and drop that."""
        unexpected = None if isinstance(error, WireError) else error
        host = self.channel.client_host
        log_connections.warning("closing connection from %s: %s", host, error, exc_info=unexpected)
        self.drop("refused")
        self.channel.close()

    def close(self) -> None:
        """The connection is gone, and the request, if there is one, with it."""
        self.drop("abandoned")
        self.forget_shapes()

    def forget_shapes(self, key: int | None = None) -> None:
        """Read the next requests field by field: what the client may do, or sends, has changed."""
        known = listed(self.first)
        gone = [shape for shape in known if key in (None, shape.context.api_key)]
        self._dispatch.memory.forget(sum(shape.held for shape in gone))
        self.first = chained([shape for shape in known if shape not in gone])

    def _throttled(self, frame: bytes, throttle_ms: int) -> bytes:
        """Encoded answers carry the throttle time to their client, too."""
        assert self._api is not None
        return with_throttle_time(frame, APIS[self._api.key].response, self._version, throttle_ms)

    def _send(self, answer: Any, throttle_ms: int) -> int:
        """Encode and send a message; its size in bytes, without the length in front."""
        if throttle_ms and hasattr(answer, THROTTLE_TIME):
            answer.throttle_time_ms = throttle_ms
        if isinstance(answer, Encoded | GatheredAnswer | Framed):
            parts = answer.framed(self.correlation_id)
        else:
            parts = response_parts(answer, self._version, self.correlation_id)
        head = parts[0]
        assert isinstance(head, bytes)
        (size,) = _LENGTH.unpack_from(head)
        self.channel.writelines(parts, size + 4)
        return int(size)

    def _end(self, how: str, sent: int, throttle_ms: int) -> None:
        """Every request ends here: notify quotas and observers."""
        meter, self._meter = self._meter, None
        if meter is not None:
            meter.sent()
        if self._dispatch.observers:
            end = self._ended(how, sent, throttle_ms)
            for observe in self._dispatch.observers:
                observe(end)
        self._arrived = None
        if throttle_ms and not self.channel.closing:
            self.channel.leave_alone(throttle_ms)

    def _ended(self, how: str, sent: int, throttle_ms: int) -> Ended:
        channel, context = self.channel, self._context
        total_ms = self._dispatch.timer() - (self._arrived or 0.0)
        return Ended(
            api=None if self._api is None else APIS[self._api.key].name,
            version=self._version,
            client_id=None if context is None else context.client_id,
            principal="?" if context is None else context.principal,
            client_host=channel.client_host,
            connection=channel.identity,
            listener=channel.listener,
            how=how,
            error=self._failure,
            received=self._size,
            sent=sent,
            total_ms=total_ms,
            work_ms=total_ms if self._work_ms is None else self._work_ms,
            throttle_ms=throttle_ms,
        )

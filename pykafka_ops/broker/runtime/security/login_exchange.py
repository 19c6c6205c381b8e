"""Serves a connection until its client has logged in; after that only while its session may end.

Counterpart of ``KafkaChannel`` with its authenticator: a client without a session gets no further
than here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from pykafka_ops.broker.runtime.security.login_desk import LoginDesk
from pykafka_ops.broker.runtime.sockets.channel import LoginChannel
from pykafka_ops.broker.runtime.sockets.dispatch import Dispatch
from pykafka_ops.broker.runtime.sockets.exchange import Exchange
from pykafka_ops.broker.state.logins.authenticator import FEW, Authenticator, LoginStep
from pykafka_ops.broker.state.session import NOBODY, Session
from pykafka_ops.errors import FrameSizeError, KafkaError, WireError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codec import decode_at
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import read_request_header, response_parts

NEXT_LOGIN_MS = 1000
"""The shortest time between two re-authentications (KIP-368)."""
LINGER_MS = 50
"""How long a refused client has time to read the reason and hang up by itself:
some libraries, as kafka-python, drop an answer that they find together with the stream's end."""
_NO_FRAME = memoryview(b"")
_HANDSHAKE = bytes([0, ApiKey.SASL_HANDSHAKE])

NewExchange = Callable[[Session], Exchange]


class LoginExchange:
    """``new_exchange(session)`` makes what serves the client once it has logged in."""

    __slots__ = (
        "_again_at",
        "_authenticator",
        "_channel",
        "_desk",
        "_dispatch",
        "_hanging_up",
        "_inner",
        "_new_exchange",
        "_ordinary",
        "_session",
    )

    def __init__(
        self, channel: LoginChannel, desk: LoginDesk, dispatch: Dispatch, new_exchange: NewExchange
    ) -> None:
        self._channel = channel
        self._desk = desk
        self._dispatch = dispatch
        self._new_exchange = new_exchange
        self._inner = new_exchange(NOBODY)
        """Answers ApiVersions, then everything."""
        self._ordinary = channel.least_frame, channel.most_frame
        self._authenticator: Authenticator | None = None
        self._session: Session | None = None
        self._again_at = 0.0
        """When a re-authentication may begin."""
        self._hanging_up: asyncio.TimerHandle | None = None
        self._limit_frames()

    def _limit_frames(self) -> None:
        """Tokens may be short, and are never long."""
        self._channel.least_frame, self._channel.most_frame = 0, self._desk.most_bytes()

    def serve(self, frame: memoryview) -> None:
        """A frame of a login, or a request of a client that has a session. Raises WireError."""
        authenticator = self._authenticator
        if authenticator is None and not (authenticator := self._begin(frame)):
            return
        step = authenticator.take(frame, self._desk.now())
        if step.serve:
            self._inner.serve(frame)
        elif step.failure is not None:
            self._fail(step, frame)
        else:
            if step.data:
                self._channel.write(step.data)
            if step.session is not None:
                self._log_in(step.session)

    def _begin(self, frame: memoryview) -> Authenticator | None:
        """Begin a login; None for a request of a client that has a session, which is served."""
        session = self._session
        if session is not None:
            assert session.expires_at is not None
            now = self._desk.now().timer
            if frame[:2] != _HANDSHAKE or now < self._again_at:
                if now > session.expires_at:
                    self._desk.expired()
                    self._channel.close()
                else:
                    self._inner.serve(frame)
                return None
            self._again_at = now + NEXT_LOGIN_MS
            self._limit_frames()
        self._authenticator = Authenticator(self._desk.offer, self._channel.client_host, session)
        return self._authenticator

    def _log_in(self, session: Session) -> None:
        """The client has logged in: serve it as any other, and look at its time if it has one."""
        channel, again = self._channel, self._session is not None
        self._desk.succeeded(again=again)
        if not again:
            self._inner = self._new_exchange(session)
        self._authenticator = None
        channel.least_frame, channel.most_frame = self._ordinary
        self._session = session
        if session.expires_at is None:
            channel.exchange = self._inner

    # -- failures ------------------------------------------------------------------------------

    def _fail(self, step: LoginStep, frame: memoryview) -> None:
        """Tell the client a little later, so that it does not try too often, and hang up."""
        assert step.failure is not None
        self._tell(step.failure)
        data = self._refusal(frame, step.failure) if step.refuse else step.data
        self._channel.busy = True
        delay_ms = self._desk.delay_ms()
        if delay_ms:
            self._later(delay_ms, lambda: self._hang_up(data))
        else:
            self._hang_up(data)

    def _hang_up(self, data: bytes) -> None:
        if data:
            self._channel.write(data)
            self._later(LINGER_MS, self._channel.close)
        else:
            self._channel.close()

    def _later(self, ms: int, call: Callable[[], None]) -> None:
        self._hanging_up = cast(asyncio.TimerHandle, self._desk.call_later(ms / 1000, call))

    def _tell(self, why: str) -> None:
        self._desk.failed(self._channel.client_host, why, again=self._session is not None)

    def _refusal(self, frame: memoryview, why: str) -> bytes:
        """The answer to another request: ILLEGAL_SASL_STATE; none if it cannot be read."""
        error = KafkaError(ErrorCode.ILLEGAL_SASL_STATE, why)
        try:
            header = read_request_header(frame)
            api, version = self._dispatch.find(header.api_key, header.api_version)
            api.load()
            kind: Any = api.request_class
            version = max(version, 0)
            message, _ = decode_at(kind, version, frame, header.body, FEW)
            answer = api.failed(message, version, error)
            parts: Any = response_parts(answer, version, header.correlation_id)
        except WireError:
            return b""
        return b"".join(parts)

    def refused(self, error: BaseException) -> None:
        """Hang up because of what the client sent; later, if that is a frame of a login that is too
        large, as ``SaslServerAuthenticator``."""
        served = self._authenticator is None and self._session is not None
        if served or not isinstance(error, WireError):
            self._inner.refused(error)
            return
        why = str(error) or type(error).__name__
        if isinstance(error, FrameSizeError):
            self._fail(LoginStep(failure=why), _NO_FRAME)
        else:
            self._tell(why)
            self._channel.close()

    def forget_shapes(self) -> None:
        """What the client may do has changed."""
        self._inner.forget_shapes()

    def close(self) -> None:
        """The connection is gone."""
        if self._hanging_up is not None:
            self._hanging_up.cancel()
        self._inner.close()

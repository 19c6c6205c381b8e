"""TLS between a socket and what serves its client.

Towards the socket it is a protocol, towards the client's connection a transport. The handshake runs
in another thread, step by step: what it computes would keep others waiting. What comes after costs
no more than with the loop's own TLS, which has no such threads.
Counterpart of ``SslTransportLayer``.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from typing import Any, Protocol, cast

from pykafka_ops.broker.state.hello import Hello, spoken

AT_ONCE = 64 * 1024
"""Bytes read from a socket at a time; as much may wait here while the connection reads nothing."""
MOST_ANSWERED = 64 * 1024
"""Bytes of TLS's own that a client leaves in our socket before it is cut off."""

_ROOM = memoryview(mmap(-1, AT_ONCE))
"""What was just read: decrypted before anything else is."""


class TlsHandshakes(Protocol):
    """What the handshakes of all clients share."""

    def run(self, step: Callable[[], bool], then: Callable[[asyncio.Future[bool]], None]) -> None:
        """Call ``step`` in a thread, then ``then`` on the loop."""

    def heard(self, layer: TlsLayer) -> None:
        """It has sent something."""

    def over(self, layer: TlsLayer) -> None:
        """The handshake has ended, well or not."""


class TlsSite(Protocol):
    """The listener that a client has come to."""

    def context(self) -> ssl.SSLContext:
        """For a new client."""

    def user(self, certificate: bytes | None) -> str:
        """The principal behind a certificate. Raises ValueError where it may not come in."""

    def serve(self, principal: str, address: str) -> asyncio.BufferedProtocol:
        """What serves a client that is in."""

    def refused(self, layer: TlsLayer, error: Exception | Hello) -> None:
        """The handshake failed: say so, and hang up."""

    def failed(self, layer: TlsLayer, error: Exception | Hello) -> None:
        """Its handshake has failed; it has hung up."""

    def expired(self, layer: TlsLayer) -> None:
        """The handshake takes too long: cut it off."""

    def gone(self, layer: TlsLayer) -> None:
        """It has hung up before it was in."""


class TlsLayer(asyncio.Transport, asyncio.BufferedProtocol):
    """One client of a listener with TLS, at ``address``."""

    def __init__(self, site: TlsSite, handshakes: TlsHandshakes, address: str) -> None:
        super().__init__()
        self.address = address
        self.heard_at = 0.0
        """When it began, or last sent something (ms)."""
        self.is_computing = False
        """Whether a step of the handshake is with a thread, or waits for one."""
        self._site = site
        self._handshakes = handshakes
        self._raw: asyncio.Transport | None = None
        self._first: bytearray | None = bytearray()
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls: ssl.SSLObject | None = None
        self._principal = ""
        self._is_refused = False
        self._app: asyncio.BufferedProtocol | None = None
        self._has_more = False
        """Whether bytes wait here for the connection to take them."""

    # -- towards the socket ------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the client's first bytes."""
        self._raw = cast(asyncio.Transport, transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """The room that all clients share."""
        return _ROOM

    def buffer_updated(self, nbytes: int) -> None:
        """Go on with the handshake, or give the connection what was decrypted."""
        if self._app is not None:
            self._in.write(_ROOM[:nbytes])
            self._pump()
            return
        if self._is_refused:  # what was read already
            return
        self._handshakes.heard(self)
        if self._first is not None:
            self._first += _ROOM[:nbytes]
            self._judge(self._first)
        else:
            self._in.write(_ROOM[:nbytes])
            self._go_on()

    def eof_received(self) -> bool:
        """Half-closed sockets are closed."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._raw = None
        app, self._app = self._app, None
        if app is not None:
            app.connection_lost(exc)
        else:
            self._tls = self._first = None
            self._handshakes.over(self)
            self._site.gone(self)

    def pause_writing(self) -> None:
        """The client reads too slowly."""
        if self._app is not None:
            self._app.pause_writing()

    def resume_writing(self) -> None:
        """It has caught up."""
        if self._app is not None:
            self._app.resume_writing()

    # -- the handshake -----------------------------------------------------------------------

    def expire(self) -> None:
        """It takes too long."""
        self._site.expired(self)

    def _judge(self, first: bytearray) -> None:
        """Begin, if it is TLS."""
        hello = spoken(first)
        if hello is Hello.UNKNOWN:
            return
        self._first = None
        if hello is not Hello.TLS:
            self._refuse(hello)
            return
        self._in.write(first)
        self._go_on()

    def _go_on(self) -> None:
        """Have what has come looked at; nothing more is read meanwhile."""
        if self._raw is not None:
            self._raw.pause_reading()
            self.is_computing = True
            self._handshakes.run(self._step, self._stepped)

    def _step(self) -> bool:
        """In a thread: whether that was the last step. Raises SSLError, ValueError."""
        tls = self._tls
        if tls is None:
            tls = self._site.context().wrap_bio(self._in, self._out, server_side=True)
            self._tls = tls
        try:
            tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        self._principal = self._site.user(tls.getpeercert(True))
        return True

    def _stepped(self, step: asyncio.Future[bool]) -> None:
        raw = self._raw
        self.is_computing = False
        if step.cancelled():
            return
        error = step.exception()
        if error is not None and not isinstance(error, Exception):
            error = ValueError(str(error))
        if raw is None:
            if error is not None:  # it has said why, and hung up
                self._site.failed(self, error)
            return
        self._handshakes.heard(self)
        self._flush(raw)
        if error is not None:
            self._refuse(error)
            return
        if step.result():
            self._handshakes.over(self)
            self._app = self._site.serve(self._principal, self.address)
            self._app.connection_made(self)
            self._pump()
        if self._raw is not None and not self._raw.is_closing():
            raw.resume_reading()

    def _refuse(self, error: Exception | Hello) -> None:
        if self._raw is not None:
            self._raw.pause_reading()
        self._tls, self._is_refused = None, True
        self._handshakes.over(self)
        self._site.refused(self, error)

    # -- towards the connection ----------------------------------------------------------------

    def _pump(self) -> None:
        """Decrypt what has come. The connection gets it even if it wants no more for now: it
        counts the memory, and this is little."""
        tls, more = self._tls, True
        try:
            while more and tls is not None and self._app is not None:
                room = memoryview(self._app.get_buffer(-1))
                if not len(room):
                    self._has_more = True
                    break
                filled, more = self._fill(tls, room)
                if filled:
                    self._app.buffer_updated(filled)
                elif more:  # the client has said that it ends
                    self.close()
                    return
        except ssl.SSLError:
            self.abort()
        if self._out.pending and self._raw is not None:  # TLS's own: new keys, an alert
            self._flush(self._raw)
            if self._raw.get_write_buffer_size() > MOST_ANSWERED:
                self.abort()

    def _fill(self, tls: ssl.SSLObject, room: memoryview) -> tuple[int, bool]:
        """How much was decrypted into ``room``, and whether there may be more. None but more: the
        client has ended."""
        filled, size = 0, len(room)
        try:
            while filled < size:
                count = int(tls.read(size - filled, room[filled:]))
                if not count:
                    break
                filled += count
                if filled < size and not self._in.pending:
                    return filled, False
        except ssl.SSLWantReadError:
            return filled, False
        return filled, True

    def _flush(self, raw: asyncio.Transport) -> None:
        if self._out.pending:
            raw.write(self._out.read())

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt and send."""
        if self._tls is not None and self._raw is not None and data:
            try:
                self._tls.write(data)
            except ssl.SSLError:
                self.abort()
                return
            self._raw.write(self._out.read())

    def pause_reading(self) -> None:
        """Read nothing from the socket."""
        if self._raw is not None:
            self._raw.pause_reading()

    def resume_reading(self) -> None:
        """Read again; first what waits here."""
        if self._raw is None:
            return
        if self._has_more:
            self._has_more = False
            asyncio.get_running_loop().call_soon(self._pump)
        self._raw.resume_reading()

    def is_reading(self) -> bool:
        """Whether the socket is read."""
        return self._raw is not None and self._raw.is_reading()

    def close(self) -> None:
        """Hang up when all is sent, and say so."""
        raw = self._raw
        if raw is not None and not raw.is_closing():
            if self._tls is not None:
                with suppress(ssl.SSLError, ValueError):
                    self._tls.unwrap()  # it does not wait for the client's answer
                self._flush(raw)
            raw.close()

    def abort(self) -> None:
        """Hang up at once."""
        if self._raw is not None:
            self._raw.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._raw is None or self._raw.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the socket, and ``ssl_object``."""
        if name == "ssl_object":
            return self._tls
        return default if self._raw is None else self._raw.get_extra_info(name, default)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Those of the socket's transport."""
        if self._raw is not None:
            self._raw.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        """Bytes that wait for the socket."""
        return 0 if self._raw is None else self._raw.get_write_buffer_size()

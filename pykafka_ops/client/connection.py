"""One connection to one broker: connect, TLS, ApiVersions, SASL, then one request at a time.

Everything that waits is a generator for ``poller``. What goes wrong while talking is a
ConnectError that says host, port, what happened and what to try.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pykafka_ops import __version__
from pykafka_ops.client.config import Address, ClientConfig
from pykafka_ops.client.kept_answer import KeptAnswer
from pykafka_ops.client.poller import READ, WRITE, Steps
from pykafka_ops.errors import ConnectError, KafkaError, TlsError
from pykafka_ops.wire import frame
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

if TYPE_CHECKING:
    from ssl import SSLSocket

T = TypeVar("T")
Trace = Callable[[str], None]

LIMIT = 256 * 1024 * 1024
"""Largest answer taken, bytes: Metadata of a million partitions is a quarter of it."""
CHUNK = 256 * 1024
SASL_HANDSHAKE, SASL_AUTHENTICATE = 17, 36


class DisconnectedError(ConnectError):
    """The broker hung up in mid-conversation; another try may help."""


class RequestTimeoutError(ConnectError):
    """No answer within request.timeout.ms."""


class NotReachableError(ConnectError):
    """The connection cannot be made (now)."""


class SilentError(NotReachableError):
    """The other side said nothing for as long as ``ClientConfig.silence`` allows."""


class UnresolvedError(NotReachableError):
    """The host name cannot be resolved."""


class WrongProtocolError(ConnectError):
    """The other side is not a broker, or speaks TLS where we do not (or the reverse)."""


class UnsupportedVersionError(KafkaError):
    """The broker has no version of the request that can say what is asked."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.UNSUPPORTED_VERSION, message)


class BrokerConnection:
    """``open`` first, then ``ask``; ``versions`` is what the broker announced, by API key."""

    def __init__(self, address: Address, config: ClientConfig, trace: Trace | None = None) -> None:
        self.address, self.config, self.trace = address, config, trace
        self.versions: dict[int, tuple[int, int]] = {}
        self.asked = 0
        self._sock: socket.socket | None = None
        self._inbox = bytearray()
        self._deadline = self._busy_until = 0.0
        self._silence: float | None = None
        """Seconds without a byte that are borne; None once it is open: the request decides."""

    @property
    def sock(self) -> socket.socket:
        """The socket; DisconnectedError where there is none."""
        if self._sock is None:
            raise DisconnectedError(f"{self.address}: the connection is closed")
        return self._sock

    def close(self) -> None:
        """Close the connection."""
        if self._sock is not None:
            self._sock.close()
            self._sock = None

    # --- opening ---------------------------------------------------------------------------------

    def open(self, deadline: float, silence: float | None = None) -> Steps[None]:
        """Connect and get ready to ask by ``deadline`` (monotonic seconds).

        ``silence``: seconds without a byte that end it, the configuration's by default.
        ConnectError in its many kinds.
        """
        self._deadline = deadline
        self._silence = self.config.silence if silence is None else silence
        try:
            yield from self._connect()
            if self.config.tls:
                yield from self._handshake()
            yield from self._api_versions()
            if self.config.sasl:
                from pykafka_ops.client.authentication import authenticate

                yield from authenticate(self)
        except BaseException:
            self.close()
            raise
        self._silence = None

    def peer_certificate(self, deadline: float) -> Steps[bytes]:
        """Connect and shake hands only: the broker's certificate (DER). Raises as ``open``."""
        self._deadline, self._silence = deadline, self.config.silence
        try:
            yield from self._connect()
            yield from self._handshake()
            return cast("SSLSocket", self.sock).getpeercert(binary_form=True) or b""
        finally:
            self.close()

    def _connect(self) -> Steps[None]:
        """Try each address of the name in turn."""
        host, port = self.address
        try:
            # ASCII names as bytes: spares the import of the IDNA tables.
            name = host.encode() if host.isascii() else host
            found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        except OSError as e:
            raise UnresolvedError(
                f"{self.address}: cannot resolve {host!r}: {e.strerror}"
            ) from None
        last: NotReachableError = NotReachableError(f"{self.address}: no address")
        for family, kind, protocol, _, target in found:
            sock = socket.socket(family, kind, protocol)
            sock.setblocking(False)
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self.config.receive_buffer:  # before connecting, so that windows are scaled
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.config.receive_buffer)
                status = sock.connect_ex(target)
                if status == errno.EINPROGRESS:
                    yield sock.fileno(), WRITE, self._bearable()
                    status = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if not status:
                    self._sock = sock
                    self._say("connected")
                    return
                last = NotReachableError(f"cannot connect to {self.address}: {os.strerror(status)}")
            except TimeoutError:
                last = SilentError(
                    f"cannot connect to {self.address}: no answer within {self._silence:g} s"
                )
            except BaseException:
                sock.close()
                raise
            sock.close()
        raise last

    def _handshake(self) -> Steps[None]:
        """TLS, with a hint where the other side does not speak it."""
        from pykafka_ops.client.tls import tls_handshake

        try:
            self._sock = yield from tls_handshake(
                self.sock, self.address, self.config, self._bearable
            )
        except TimeoutError:
            raise SilentError(
                f"{self.address}: takes the connection and answers nothing to TLS for "
                f"{self._silence:.3g} s: does this port speak PLAINTEXT?"
            ) from None

    def _api_versions(self) -> Steps[None]:
        """Ask what the broker speaks; an old one answers v0 and an error, then is asked again."""
        request = ApiVersionsRequest(
            client_software_name="pko", client_software_version=__version__
        )
        version = 3
        while True:
            answer = yield from self.exchange(request, version)
            code = int.from_bytes(answer[4:6], "big", signed=True)
            if code != ErrorCode.UNSUPPORTED_VERSION or version == 0:
                break
            old = frame.decode_response(ApiVersionsResponse, 0, answer)[1]
            version = min(version - 1, max((k.max_version for k in old.api_keys
                                            if k.api_key == 18), default=0))  # fmt: skip
        response = frame.decode_response(ApiVersionsResponse, version, answer)[1]
        if response.error_code:
            raise NotReachableError(f"{self.address}: {ErrorCode(response.error_code).text}")
        self.versions = {k.api_key: (k.min_version, k.max_version) for k in response.api_keys}

    # --- talking ---------------------------------------------------------------------------------

    def version_for(self, request: type, lowest: int = 0, highest: int = 0x7FFF) -> int:
        """The highest version both sides speak; UnsupportedVersionError where there is none."""
        table = request.__wire__  # type: ignore[attr-defined]  # made by @message
        low, high = max(table.versions[0], lowest), min(table.versions[1], highest)
        name = table.name.removesuffix("Request")
        if table.api not in self.versions:
            raise UnsupportedVersionError(f"The node {self.address} does not support {name}")
        theirs = self.versions[table.api]
        best: int = min(high, theirs[1])
        if best < max(low, theirs[0]):
            raise UnsupportedVersionError(
                f"The node {self.address} does not support {name} with version in range "
                f"[{low},{high}]. The supported range is [{theirs[0]},{theirs[1]}]."
            )
        return best

    def ask(
        self,
        request: Any,
        answer: type[T],
        *,
        lowest: int = 0,
        highest: int = 0x7FFF,
        deadline: float | None = None,
        kept: KeptAnswer | None = None,
    ) -> Steps[T]:
        """Send ``request`` in the best version and wait for its answer until ``deadline``."""
        self._deadline = self._deadline if deadline is None else deadline
        version = self.version_for(type(request), lowest, highest)
        raw = yield from self.exchange(request, version)
        if kept is not None:
            found: T = kept.decoded(answer, version, raw)
            return found
        return frame.decode_response(answer, version, raw)[1]

    def exchange(self, request: Any, version: int) -> Steps[bytearray]:
        """Send one request, return the frame that answers it (without its length)."""
        self.asked += 1
        correlation = self.asked
        data = frame.encode_request(request, version, correlation, self.config.client_id)
        name = type(request).__wire__.name
        self._say(f"-> {name} v{version} #{correlation} {len(data)} bytes")
        started = time.monotonic()
        try:
            self._busy_until = self._bearable()
            yield from self._send(data)
            answer = yield from self._receive()
        except TimeoutError:
            self.close()
            raise self._too_late(name, time.monotonic() - started) from None
        except OSError as e:
            self.close()
            raise self._broken(e) from None
        except BaseException:
            self.close()
            raise
        took = (time.monotonic() - started) * 1000
        self._say(f"<- #{correlation} {len(answer)} bytes after {took:.1f} ms")
        if int.from_bytes(answer[:4], "big") != correlation:
            self.close()
            raise WrongProtocolError(f"{self.address}: an answer to a question that was not asked")
        return answer

    def _send(self, data: bytes) -> Steps[None]:
        view = memoryview(data)
        sock = self.sock
        while view:
            try:
                view = view[sock.send(view) :]
            except BlockingIOError:
                yield sock.fileno(), WRITE, self._busy_until
            except OSError as e:
                yield from self._tls_wait(e)

    def _receive(self) -> Steps[bytearray]:
        """One frame; the buffer grows as bytes come, never by what the length claims."""
        head = yield from self._take(4)
        size = int.from_bytes(head, "big", signed=True)
        if not 4 <= size <= LIMIT:
            raise WrongProtocolError(self._not_kafka(bytes(head)))
        return (yield from self._take(size))

    def _take(self, size: int) -> Steps[bytearray]:
        sock, inbox = self.sock, self._inbox
        while len(inbox) < size:
            try:
                got = sock.recv(min(max(size - len(inbox), 4096), CHUNK))
            except BlockingIOError:
                yield sock.fileno(), READ, self._busy_until
                continue
            except OSError as e:
                yield from self._tls_wait(e)
                continue
            if not got:
                raise ConnectionResetError(0, "the broker hung up")
            inbox += got
            if self._silence is not None:
                self._busy_until = self._bearable()
        taken = inbox[:size]
        del inbox[:size]
        return taken

    def _tls_wait(self, error: OSError) -> Steps[None]:
        """TLS sockets say by an error which way they wait."""
        name = type(error).__name__
        if name not in ("SSLWantReadError", "SSLWantWriteError"):
            raise error
        yield self.sock.fileno(), READ if name == "SSLWantReadError" else WRITE, self._busy_until

    def _bearable(self) -> float:
        """Until when (monotonic seconds) to wait for the next step."""
        seconds = self.config.request_timeout if self._silence is None else self._silence
        return min(time.monotonic() + seconds, self._deadline)

    # --- words -----------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        if self.trace:
            self.trace(f"{self.address} {text}")

    def _too_late(self, name: str, took: float) -> ConnectError:
        if self._silence is None:
            return RequestTimeoutError(f"{self.address}: no answer to {name} within {took:.3g} s")
        return SilentError(
            f"{self.address}: takes the connection and answers nothing for "
            f"{min(took, self._silence):.3g} s: is it a broker, and is it well?"
        )

    def _broken(self, error: OSError) -> ConnectError:
        """TLS 1.3 lets the client in before the broker has looked at its certificate."""
        if self.config.tls and type(error).__name__ == "SSLError":
            from pykafka_ops.client.tls import reason

            return TlsError(f"{self.address}: {reason(error, self.config)}")
        return DisconnectedError(f"{self.address}: {error.strerror or error}{self._hint()}")

    def _hint(self) -> str:
        """What a hang-up at this point usually means."""
        if not self.versions and self.config.tls and not self.config.certificate:
            return " (does this port want a certificate? then set ssl.keystore.location)"
        if not self.versions and not self.config.tls:
            return " (does this port speak TLS? then set security.protocol=SSL)"
        if not self.config.sasl and self.asked <= 2:
            return " (does this port want SASL? then set security.protocol and sasl.*)"
        return ""

    def _not_kafka(self, head: bytes) -> str:
        """Why these four bytes cannot be the length of an answer."""
        if head[:2] in (b"\x15\x03", b"\x16\x03"):
            return f"{self.address}: this port speaks TLS: set security.protocol=SSL (or SASL_SSL)"
        if head == b"HTTP":
            return f"{self.address}: this port speaks HTTP, not Kafka"
        return f"{self.address}: this port does not speak Kafka (it answers {head!r}...)"

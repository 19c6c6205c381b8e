"""Clients of ZooKeeper: kazoo's, with Kafka's TLS settings and with DIGEST-MD5.

kazoo makes an SSLContext of its own for every connection, from PEM files only, and needs another
package for SASL; here it gets connections and the login from us. A client counts as connected only
once it is logged in, and remembers why it is not. A client that was logged in before tries again
for ever, as Kafka's does.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import ssl
import time
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import AuthFailedError, SessionExpiredError
from kazoo.handlers.threading import SequentialThreadingHandler
from kazoo.protocol.connection import ConnectionDropped, ConnectionHandler
from kazoo.protocol.serialization import SASL
from kazoo.protocol.states import KeeperState

from pykafka_ops.errors import ConnectError
from pykafka_ops.security import digest_md5, tls_errors
from pykafka_ops.zookeeper.access import Access

SERVICE, REALM_HOST = "zookeeper", "zk-sasl-md5"
"""The digest-uri of every ZooKeeper (its SecurityUtils)."""
HUNG_UP = "it hung up at the login: check the name and the password"
TIME_OUT = "socket time-out during read"
"""What kazoo says of a server that did not answer."""
POLL_S = 0.002
AGAIN_S = 1.0
"""Until the next try after a login that failed (ZooKeeperClient.RetryBackoffMs)."""
NOBODY = Access()


class Client(KazooClient):  # type: ignore[misc]
    """A client of ``host:port,...[/chroot]``; ``options`` are kazoo's."""

    def __init__(
        self, hosts: str, timeout_s: float, access: Access = NOBODY, **options: Any
    ) -> None:
        handler = _TlsHandler(access.tls) if access.tls else SequentialThreadingHandler()
        super().__init__(
            hosts=hosts, timeout=timeout_s, handler=handler, use_ssl=bool(access.tls), **options
        )
        self.access = access
        self._connection = _Connection(
            self,
            self._conn_retry.copy(),
            logger=self.logger,
            sasl_options={} if access.login else None,
        )

    @property
    def refused(self) -> bool:
        """Whether the first login failed: it will not try again by itself."""
        return bool(self._connection.refused)

    @property
    def shut_out(self) -> bool:
        """Whether every server has ended the TLS handshake with a reason: it will not help to try
        again."""
        return {(host, int(port)) for host, port in self.hosts} <= self._connection.shut_out

    @property
    def trouble(self) -> str:
        """Why the last try to connect failed, "" if none did."""
        return str(self._connection.trouble)

    def why_not(self, hosts: str, within: str) -> ConnectError:
        """The error text for a client that was not let in ``within`` some time."""
        if self.refused:
            login = self.access.login
            who = f"the login of {login.user!r} ({login.source})" if login else "the login"
            return ConnectError(f"ZooKeeper at {hosts} refuses {who}: {self.trouble}")
        if self.shut_out:
            return ConnectError(f"no ZooKeeper at {hosts} lets us in: {self.trouble}")
        trouble = self.trouble or "check zookeeper.connect and that it runs"
        if self._connection.is_silent() and (not self.trouble or TIME_OUT in self.trouble):
            trouble = "it takes the connection and answers nothing"
        return ConnectError(f"no ZooKeeper at {hosts} lets us in within {within}: {trouble}")

    def open(self, timeout_s: float) -> None:
        """Connect, or raise ConnectError after ``timeout_s``; then it is closed."""
        connected = self.start_async()
        end = time.monotonic() + timeout_s
        while not connected.wait(POLL_S):
            if self.refused or self.shut_out or time.monotonic() > end:
                hosts = ",".join(f"{host}:{port}" for host, port in self.hosts)
                error = self.why_not(hosts, f"{timeout_s:g} s")
                self._connection.hang_up()
                self.end()
                raise error

    def end(self) -> None:
        """End the session and the threads; blocks until they have ended."""
        self.stop()
        self.close()

    def _session_callback(self, state: Any) -> None:
        """kazoo reports CONNECTED before it logs in: hold that back until it has."""
        if state in (KeeperState.CONNECTED, KeeperState.CONNECTED_RO) and self._connection.opening:
            self._connection.opened = state
        else:
            super()._session_callback(state)


class _HungUpAtLoginError(ConnectionDropped):  # type: ignore[misc]
    """HUNG_UP."""


class _Connection(ConnectionHandler):  # type: ignore[misc]
    """The one connection of a client."""

    def __init__(self, client: Client, *arguments: Any, **options: Any) -> None:
        super().__init__(client, *arguments, **options)
        self.trouble = ""
        self.refused = False
        self.opening = False
        self.opened: Any = None
        self.shut_out: set[tuple[str, int]] = set()
        """Servers with which TLS has failed for good."""
        self._was_let_in = False

    def _connect(self, host: str, hostip: str, port: int) -> tuple[float, float]:
        self.opening = True
        try:
            timeouts: tuple[float, float] = super()._connect(host, hostip, port)
        except AuthFailedError as error:
            self.trouble = str(error)
            if self._was_let_in:
                self.logger.error("%s:%s refuses our login: %s", host, port, error)
                self.client._stopped.wait(AGAIN_S)
                raise SessionExpiredError("the login failed") from None
            self.refused = True
            raise
        except Exception as error:
            self.trouble = f"{host}:{port}: {self._why(error)}"
            if _is_tls(_cause(error)):
                self.shut_out.add((host, int(port)))
            raise
        finally:
            self.opening = False
        self._was_let_in = True
        self.client._session_callback(self.opened)
        return timeouts

    def _why(self, error: Exception) -> str:
        cause = _cause(error)
        if tls_errors.is_of_client(cause) and not self.client.access.certificate:
            return "it wants a certificate of the client: set zookeeper.ssl.keystore.location"
        return _reason(error)

    def is_silent(self) -> bool:
        """Whether the other side has not let us in yet, or thrown us out."""
        return self.opening and self._socket is not None

    def hang_up(self) -> None:
        """Let go of who has not let us in: the thread waits for its answer no longer."""
        if self.is_silent():
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _authenticate_with_sasl(self, host: str, timeout: float) -> None:
        """Log in. Raises AuthFailedError; ConnectionDropped where it hangs up, as servers before
        3.6 do to say the same."""
        login = self.client.access.login
        nonce = secrets.token_hex(16)
        talk = digest_md5.dialogue(login.user, login.password, nonce, SERVICE, REALM_HOST)
        message, number = next(talk), 0
        while True:
            number += 1
            self._submit(SASL(message), timeout, number)
            try:
                header, body, offset = self._read_header(timeout)
            except ConnectionDropped:
                raise _HungUpAtLoginError(HUNG_UP) from None
            if header.err:
                raise AuthFailedError("check the name and the password")
            answer, _ = SASL.deserialize(body, offset)
            if answer is None:
                raise AuthFailedError("it takes no logins by SASL (its JAAS file?)")
            try:
                message = talk.send(answer)
            except StopIteration:
                return
            except digest_md5.DigestError as error:
                raise AuthFailedError(str(error)) from None


class _TlsHandler(SequentialThreadingHandler):  # type: ignore[misc]
    """Makes connections with one SSLContext."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__()
        self._context = context
        self._names: dict[Any, str] = {}

    def create_connection(
        self, address: Any, hostname: Any = None, timeout: float | None = None, **_: Any
    ) -> ssl.SSLSocket:
        """To ``address``, whose certificate has to be that of ``hostname``.

        For four letter words kazoo passes an address only: the last host name is used.
        """
        if isinstance(hostname, str):
            self._names[address] = hostname
        name = self._names.get(address, address[0])
        plain = socket.create_connection(address, timeout)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self._context.wrap_socket(plain, server_hostname=name)
        except BaseException:
            plain.close()
            raise

    def select(self, rlist: Any, wlist: Any, xlist: Any, timeout: float | None = None) -> Any:
        """Bytes that TLS has decrypted are ready, though ``select`` does not know of them."""
        ready = [one for one in rlist if isinstance(one, ssl.SSLSocket) and one.pending()]
        return (ready, [], []) if ready else super().select(rlist, wlist, xlist, timeout)


def _cause(error: Exception) -> Exception:
    """What the system said."""
    return error.__context__ if isinstance(error.__context__, OSError) else error


def _is_tls(cause: Exception) -> bool:
    """Whether the handshake ended with a reason, ours or that of the other side."""
    return isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError)


def _reason(error: Exception) -> str:
    """Why a connection was not made; kazoo wraps what the system said."""
    if isinstance(error, _HungUpAtLoginError):
        return str(error)
    cause = _cause(error)
    if isinstance(cause, (ssl.SSLEOFError, ConnectionResetError, ConnectionDropped)):
        return (
            "it hung up: is that the port of TLS, and zookeeper.ssl.client.enable as it wants it?"
        )
    if isinstance(cause, ssl.SSLCertVerificationError):
        said, kind = tls_errors.distrust(cause)
        return f"{said} (zookeeper.ssl.truststore.location?)" if kind is tls_errors.TRUST else said
    if isinstance(cause, ssl.SSLError) and tls_errors.is_of_client(cause):
        return f"it does not take our certificate: {cause.reason} (zookeeper.ssl.keystore.location)"
    if isinstance(cause, ssl.SSLError):
        hint = " (zookeeper.ssl.enabled.protocols?)" if "VERSION" in (cause.reason or "") else ""
        return f"TLS: {cause.reason or cause}{hint}"
    if isinstance(cause, OSError):
        return cause.strerror or str(cause)
    return str(error) or type(error).__name__

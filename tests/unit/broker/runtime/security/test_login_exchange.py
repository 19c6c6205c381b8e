"""A connection whose client has to log in: nothing else is served, and one that fails is alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from pykafka_ops.broker.runtime.security.login_desk import LoginDesk
from pykafka_ops.broker.runtime.security.login_exchange import LINGER_MS, LoginExchange
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.exchange import Exchange
from pykafka_ops.broker.state.logins import plain
from pykafka_ops.broker.state.logins.authenticator import Now, Offer
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from tests.support.wire.peer import quiet_loop
from tests.support.wire.server import FakeTransport, Served, make_server

LISTENER = "SASL_PLAINTEXT"
GOOD, BAD = b"\0alice\0secret", b"\0alice\0wrong"
MOST = 1000


class Site:
    """A server with one listener that asks for a login by PLAIN, and a clock to move."""

    def __init__(self, loop: asyncio.AbstractEventLoop, reauth_ms: int = 0) -> None:
        self.time = 1000.0
        self.delay_ms = 100
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.seen: list[Any] = []
        users = plain.new_login(plain.checker({"alice": "secret", "bob": "secret"}))
        self.desk = LoginDesk(
            LISTENER,
            Offer(LISTENER, {"PLAIN": users}, {"PLAIN": reauth_ms}),
            delay_ms=lambda: self.delay_ms,
            most_bytes=lambda: MOST,
            now=lambda: Now(0, self.time),
            call_later=self._call_later,
        )
        self.server = make_server(loop, {ApiKey.FETCH: Served(self._fetch)})
        self.server.gates = {
            LISTENER: lambda connection, dispatch, new: LoginExchange(
                connection, self.desk, dispatch, new
            )
        }

    def _call_later(self, seconds: float, callback: Callable[[], None]) -> object:
        timer = (self.time + seconds * 1000, callback)
        self.timers.append(timer)
        return SimpleNamespace(cancel=lambda: self.timers.remove(timer))

    def pass_time(self, ms: float) -> None:
        self.time += ms
        for due in [timer for timer in self.timers if timer[0] <= self.time]:
            self.timers.remove(due)
            due[1]()

    def _fetch(self, context: Any, request: Any) -> Any:
        self.seen.append(context)
        return FetchResponse()

    def client(self, listener: str = LISTENER) -> Client:
        return Client(self, listener)


class Client:
    """Sends requests, reads the answers."""

    def __init__(self, site: Site, listener: str) -> None:
        self.site = site
        self.connection = Connection(site.server, listener)
        self.transport = FakeTransport(self.connection)
        self._sent: list[tuple[int, int]] = []
        self._read = 0

    def send(self, *requests: tuple[Any, int]) -> None:
        data = b""
        for request, version in requests:
            data += encode_request(request, version, len(self._sent), "c")
            self._sent.append((table_of(type(request)).api, version))
        self.transport.feed(data)

    def answers(self) -> list[Any]:
        found = []
        for frame in self.transport.frames()[self._read :]:
            key, version = self._sent[self._read]
            found.append(decode_response(APIS[key].response, version, memoryview(frame))[1])
            self._read += 1
        return found

    def ask(self, request: Any, version: int = 1) -> Any:
        self.send((request, version))
        (answer,) = self.answers()
        return answer

    def log_in(self, token: bytes = GOOD) -> Any:
        assert self.ask(SaslHandshakeRequest(mechanism="PLAIN")).error_code == 0
        return self.ask(SaslAuthenticateRequest(auth_bytes=token))

    def fetch(self) -> FetchResponse:
        return self.ask(FetchRequest(), 4)

    @property
    def closed(self) -> bool:
        return self.transport.is_closing()


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with quiet_loop() as made:
        yield made


@pytest.fixture
def site(loop: asyncio.AbstractEventLoop) -> Site:
    return Site(loop)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_after_the_login_requests_are_served_for_its_user_at_no_further_cost(site: Site) -> None:
    client = site.client()
    assert client.ask(ApiVersionsRequest(), 0).api_keys
    assert client.log_in().error_code == 0
    assert type(client.connection.exchange) is Exchange
    assert client.fetch() == FetchResponse()
    session = site.seen[0].session
    assert (session.principal, session.mechanism) == ("User:alice", "PLAIN")
    assert (session.protocol, session.host) == (LISTENER, "1.2.3.4")
    assert (site.desk.counts.succeeded, site.desk.counts.failed) == (1, 0)


def test_a_listener_without_login_serves_at_once(site: Site) -> None:
    client = site.client("PLAINTEXT")
    assert type(client.connection.exchange) is Exchange
    client.fetch()
    assert site.seen[0].principal == "User:ANONYMOUS"


def test_login_and_requests_may_come_in_one_piece(site: Site) -> None:
    client = site.client()
    client.send(
        (ApiVersionsRequest(), 0),
        (SaslHandshakeRequest(mechanism="PLAIN"), 1),
        (SaslAuthenticateRequest(auth_bytes=GOOD), 2),
        (FetchRequest(), 4),
    )
    assert len(client.answers()) == 4
    assert [context.user for context in site.seen] == ["alice"]


def test_tokens_without_headers_may_be_shorter_than_any_request(site: Site) -> None:
    client = site.client()
    client.ask(SaslHandshakeRequest(mechanism="PLAIN"), 0)
    client.transport.feed(bytes([0, 0, 0, len(GOOD)]) + GOOD)
    assert client.transport.written[-1] == bytes(4)
    short = site.client()
    short.ask(SaslHandshakeRequest(mechanism="PLAIN"), 0)
    short.transport.feed(b"\0\0\0\x01x")
    site.pass_time(100)
    assert short.closed


def test_a_failure_is_told_after_the_delay_and_a_moment_later_the_connection_is_closed(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client = site.client()
    client.ask(SaslHandshakeRequest(mechanism="PLAIN"))
    client.send((SaslAuthenticateRequest(auth_bytes=BAD), 1), (FetchRequest(), 4))
    assert client.answers() == []
    site.pass_time(99)
    assert not client.closed
    site.pass_time(1)
    (answer,) = client.answers()
    text = "Authentication failed: Invalid username or password"
    assert (answer.error_code, answer.error_message) == (58, text)
    site.pass_time(LINGER_MS - 1)
    assert not client.closed
    site.pass_time(1)
    assert client.closed
    assert (client.answers(), site.seen) == ([], [])
    assert lines(caplog) == [
        f"Failed authentication with 1.2.3.4 on listener SASL_PLAINTEXT ({text})"
    ]
    assert (site.desk.counts.succeeded, site.desk.counts.failed) == (0, 1)


def test_without_a_delay_a_failure_is_told_at_once(site: Site) -> None:
    site.delay_ms = 0
    client = site.client()
    assert client.log_in(BAD).error_code == 58
    site.pass_time(LINGER_MS)
    assert client.closed


@pytest.mark.parametrize("told", [False, True])
def test_a_client_that_hangs_up_by_itself_leaves_nothing_behind(site: Site, told: bool) -> None:
    client = site.client()
    client.ask(SaslHandshakeRequest(mechanism="PLAIN"))
    client.send((SaslAuthenticateRequest(auth_bytes=BAD), 1))
    if told:
        site.pass_time(100)
    client.transport.lose()
    assert site.timers == []


def test_a_request_before_the_login_is_not_served(site: Site) -> None:
    client = site.client()
    client.send((FetchRequest(), 4))
    site.pass_time(100)
    assert client.closed
    assert (client.answers(), site.seen) == ([], [])


def test_a_request_in_the_middle_of_a_login_is_answered_that_it_is_out_of_place(
    site: Site,
) -> None:
    client = site.client()
    client.ask(SaslHandshakeRequest(mechanism="PLAIN"))
    client.send((FetchRequest(), 7))
    site.pass_time(100)
    assert [answer.error_code for answer in client.answers()] == [34]
    site.pass_time(LINGER_MS)
    assert client.closed
    assert site.seen == []


def test_a_login_after_the_login_is_out_of_place(site: Site) -> None:
    client = site.client()
    client.log_in()
    with_routes = client.site.server.dispatch.apis
    assert (
        ApiKey.SASL_HANDSHAKE not in with_routes
    )  # else its handler would answer, as on PLAINTEXT
    client.send((SaslHandshakeRequest(mechanism="PLAIN"), 1))
    assert client.closed


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(20),
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\0\0\0\x05hello",
        (MOST + 1).to_bytes(4, "big") + bytes(MOST + 1),
        b"\x7f\xff\xff\xff",
    ],
)
def test_garbage_closes_its_connection_with_one_line(
    site: Site, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client = site.client()
    client.transport.feed(data)
    client.transport.feed(data)
    site.pass_time(99)
    assert not client.closed
    site.pass_time(1)
    assert client.closed
    assert client.transport.written == []
    assert len(lines(caplog)) == 1
    assert site.desk.counts.failed == 1
    assert site.client().log_in().error_code == 0


def test_what_no_request_is_after_the_first_one_closes_the_connection_at_once(site: Site) -> None:
    client = site.client()
    assert client.ask(ApiVersionsRequest(), 0).api_keys
    client.transport.feed(b"\0\0\0\x05hello")
    assert client.closed


def test_a_token_that_is_too_large_closes_the_connection_after_the_delay(site: Site) -> None:
    client = site.client()
    client.ask(SaslHandshakeRequest(mechanism="PLAIN"))
    client.transport.feed((MOST + 1).to_bytes(4, "big"))
    assert not client.closed
    site.pass_time(100)
    assert client.closed


def test_the_largest_token_is_bounded_only_before_the_login(site: Site) -> None:
    client = site.client()
    client.log_in()
    data = encode_request(FetchRequest(rack_id="x" * 2 * MOST), 11, 9, "c")
    client.transport.feed(data)
    assert not client.closed
    assert len(site.seen) == 1


def test_ten_thousand_failures_make_a_few_lines(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(10_000):
        site.desk.failed("1.2.3.4", "why", again=False)
    site.pass_time(10_000)
    assert len(lines(caplog)) == 11
    assert lines(caplog)[-1] == "9990 more logins failed on listener SASL_PLAINTEXT"
    assert site.desk.counts.failed == 10_000


# -- sessions that end --------------------------------------------------------------------------


@pytest.fixture
def brief(loop: asyncio.AbstractEventLoop) -> Site:
    return Site(loop, reauth_ms=5000)


def test_a_session_says_how_long_it_lasts_and_then_ends(brief: Site) -> None:
    client = brief.client()
    assert client.log_in().session_lifetime_ms == 5000
    brief.pass_time(5000)
    client.fetch()
    brief.pass_time(1)
    client.send((FetchRequest(), 4))
    assert client.closed
    assert (client.answers(), len(brief.seen)) == ([], 1)
    assert (brief.desk.counts.expired, brief.desk.counts.failed) == (1, 0)


def test_a_new_login_prolongs_a_session(brief: Site) -> None:
    client = brief.client()
    client.log_in()
    for _ in range(3):
        brief.pass_time(4000)
        assert client.log_in().session_lifetime_ms == 5000
        client.fetch()
    assert brief.desk.counts.succeeded_again == 3
    assert brief.desk.counts.succeeded == 1
    assert [context.user for context in brief.seen] == ["alice"] * 3


def test_even_a_session_that_has_ended_may_be_prolonged(brief: Site) -> None:
    client = brief.client()
    client.log_in()
    brief.pass_time(9000)
    assert client.log_in().error_code == 0
    client.fetch()


def test_a_session_does_not_go_to_another_user(brief: Site) -> None:
    client = brief.client()
    client.log_in()
    client.ask(SaslHandshakeRequest(mechanism="PLAIN"))
    client.send((SaslAuthenticateRequest(auth_bytes=b"\0bob\0secret"), 1))
    brief.pass_time(100)
    (answer,) = client.answers()
    assert answer.error_message == (
        "Cannot change principals during re-authentication from User.alice: User.bob"
    )
    brief.pass_time(LINGER_MS)
    assert client.closed
    assert brief.desk.counts.failed_again == 1


def test_a_session_is_prolonged_at_most_once_a_second(brief: Site) -> None:
    client = brief.client()
    client.log_in()
    client.log_in()
    brief.pass_time(999)
    client.send((SaslHandshakeRequest(mechanism="PLAIN"), 1))
    assert client.closed  # by what serves requests, which knows no such one here
    assert brief.desk.counts.succeeded_again == 1


def test_a_session_without_end_after_a_change_of_settings_is_watched_no_more(brief: Site) -> None:
    client = brief.client()
    client.log_in()
    brief.desk.offer = brief.desk.offer._replace(max_reauth_ms={})
    assert client.log_in().session_lifetime_ms == 0
    assert type(client.connection.exchange) is Exchange

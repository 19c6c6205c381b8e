"""Connections between brokers: answers in order, failures that nobody waits for in vain."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable

import pytest

from pykafka_ops.broker.runtime.cluster.peer import LIMIT, Peer
from pykafka_ops.broker.state.image import BrokerEndpoint
from pykafka_ops.errors import ConnectError
from pykafka_ops.security.tls import client_context, server_context
from pykafka_ops.wire.codec import decode
from pykafka_ops.wire.frame import read_request_header, response_parts
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.support.process import certificates
from tests.support.process.certificates import Authority
from tests.support.waiting import free_port

Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


async def with_server(
    answer: Answer,
    body: Callable[[Peer], Awaitable[None]],
    listening: ssl.SSLContext | None = None,
    tls: Callable[[], ssl.SSLContext | None] | None = None,
) -> None:
    """Run ``body`` on a peer whose every request is given to ``answer``."""
    writers = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        while head := await reader.read(4):
            head += await reader.readexactly(4 - len(head))
            await answer(await reader.readexactly(int.from_bytes(head, "big")), writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=listening)
    port = server.sockets[0].getsockname()[1]
    peer = Peer(7, BrokerEndpoint("127.0.0.1", port, "PLAINTEXT", "PLAINTEXT"), "1", 60, tls=tls)
    try:
        await body(peer)
    finally:
        peer.close()
        for writer in writers:
            writer.close()
        server.close()


async def echo(data: bytes, writer: asyncio.StreamWriter) -> None:
    """The generation that was asked about, as the throttle time."""
    header = read_request_header(data)
    request = decode(HeartbeatRequest, header.api_version, data, header.body)
    response = HeartbeatResponse(throttle_time_ms=request.generation_id)
    parts = response_parts(response, header.api_version, header.correlation_id)
    for byte in b"".join(parts):  # in as many pieces as there can be
        writer.write(bytes((byte,)))
        await writer.drain()


def heartbeat(generation: int) -> HeartbeatRequest:
    return HeartbeatRequest(group_id="g", generation_id=generation, member_id="m")


def test_many_requests_are_under_way_and_each_gets_its_answer() -> None:
    async def body(peer: Peer) -> None:
        answers = await asyncio.gather(
            *(peer.ask(heartbeat(i), 4, HeartbeatResponse) for i in range(50))
        )
        assert [a.throttle_time_ms for a in answers] == list(range(50))

    asyncio.run(with_server(echo, body))


def test_a_broken_connection_fails_what_waits_and_is_opened_again() -> None:
    calls = 0

    async def answer(data: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            writer.close()
        else:
            await echo(data, writer)

    async def body(peer: Peer) -> None:
        results = await asyncio.gather(
            *(peer.ask(heartbeat(i), 4, HeartbeatResponse) for i in range(3)),
            return_exceptions=True,
        )
        assert all(isinstance(each, ConnectError) for each in results)
        assert (await peer.ask(heartbeat(9), 4, HeartbeatResponse)).throttle_time_ms == 9

    asyncio.run(with_server(answer, body))


def test_silence_is_over_after_the_timeout() -> None:
    async def answer(data: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async def body(peer: Peer) -> None:
        with pytest.raises(ConnectError, match=r"broker 7 at .*: no answer to HeartbeatRequest"):
            await peer.ask(heartbeat(1), 4, HeartbeatResponse, timeout_s=0.05)

    asyncio.run(with_server(answer, body))


@pytest.mark.parametrize("size", [-1, 3, LIMIT + 1])
def test_a_frame_of_impossible_size_ends_the_connection(size: int) -> None:
    async def answer(data: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(size.to_bytes(4, "big", signed=True) + b"x" * 64)

    async def body(peer: Peer) -> None:
        with pytest.raises(ConnectError, match=f"frame of {size} bytes"):
            await peer.ask(heartbeat(1), 4, HeartbeatResponse)

    asyncio.run(with_server(answer, body))


def test_an_answer_to_another_question_ends_the_connection() -> None:
    async def answer(data: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\0\0\0\x08\0\0\x03\xe7\0\0\0\0")

    async def body(peer: Peer) -> None:
        with pytest.raises(ConnectError, match="answers what it was not asked"):
            await peer.ask(heartbeat(1), 4, HeartbeatResponse)

    asyncio.run(with_server(answer, body))


def test_long_answers_arrive_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pykafka_ops.broker.runtime.cluster.peer.EAGER", 4)
    asyncio.run(with_server(echo, _ask_once))


async def _ask_once(peer: Peer) -> None:
    assert (await peer.ask(heartbeat(3), 4, HeartbeatResponse)).throttle_time_ms == 3


def test_nobody_there_is_a_connect_error() -> None:
    async def main() -> None:
        peer = Peer(
            7, BrokerEndpoint("127.0.0.1", free_port(), "P", "PLAINTEXT"), "1", timeout_s=60
        )
        await peer.ask(heartbeat(1), 4, HeartbeatResponse)

    with pytest.raises(ConnectError, match="broker 7 at"):
        asyncio.run(main())


@pytest.mark.parametrize(
    ("server", "client", "text"),
    [
        ("server", "client", None),
        ("stranger", "client", "its certificate is not trusted: self-signed"),
        ("server", "none", "certificate required|hung up|TLS handshake failed"),
        ("other", "client", "its certificate is not trusted: .*(mismatch|not valid)"),
    ],
)
def test_a_broker_is_reached_by_tls_or_it_is_told_why_not(
    authorities: tuple[Authority, Authority], server: str, client: str, text: str | None
) -> None:
    ours, theirs = authorities
    keys = {
        "server": ours.directory / "server.pem",
        "other": ours.directory / "other.pem",
        "stranger": theirs.directory / "stranger.pem",
    }
    trust = {"ssl.truststore.location": str(ours.ca)}
    settings = {**trust, "ssl.keystore.location": str(keys[server])}
    listening = server_context({**settings, "ssl.client.auth": "required"}.get)
    shown = {"ssl.keystore.location": str(keys["server"])} if client == "client" else {}
    context = client_context({**trust, **shown}.get)

    async def body(peer: Peer) -> None:
        if text is None:
            answer = await peer.ask(heartbeat(3), 4, HeartbeatResponse)
            assert answer.throttle_time_ms == 3
        else:
            with pytest.raises(ConnectError, match=text):
                await peer.ask(heartbeat(3), 4, HeartbeatResponse)

    asyncio.run(with_server(echo, body, listening, lambda: context))


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> tuple[Authority, Authority]:
    """One that all trust, with a server of the right and one of another name; and one of a
    stranger."""
    if certificates.missing():
        pytest.skip(certificates.missing() or "")
    ours = Authority(tmp_path_factory.mktemp("ours"))
    ours.issue("server")
    ours.issue("other", names="DNS:other.example")
    theirs = Authority(tmp_path_factory.mktemp("theirs"))
    theirs.issue("stranger")
    return ours, theirs

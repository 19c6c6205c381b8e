import contextlib
import select
import socket
import time
from collections.abc import Callable

import pytest

from pykafka_ops.client.cluster import CallTimeoutError, Cluster, _shared
from pykafka_ops.client.config import Address, ClientConfig, NoBootstrapError
from pykafka_ops.client.connection import (
    LIMIT,
    BrokerConnection,
    SilentError,
    UnsupportedVersionError,
    WrongProtocolError,
)
from pykafka_ops.client.topics import all_topics
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.messages.api_versions import ApiVersion, ApiVersionsResponse
from pykafka_ops.wire.messages.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeResponse
from tests.support.memory.fake_broker import FakeBroker, HangUp, Raw, Silence, silent_brokers

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]


def test_the_highest_version_both_sides_speak_is_used(fakes: Fakes, connect: Connect) -> None:
    fakes[0].ranges[3] = (0, 7)
    connect(fakes[0].bootstrap).metadata([])
    assert [v for v, _ in fakes[0].asked("Metadata")] == [7]


def test_an_old_broker_is_asked_again_in_the_version_it_names(
    fakes: Fakes, connect: Connect
) -> None:
    old = fakes[0]
    versions = old.versions()

    def answer(request: object) -> ApiVersionsResponse:
        if old.asked("ApiVersions")[-1][0] > 2:
            key = ApiVersion(api_key=18, min_version=0, max_version=2)
            return ApiVersionsResponse(error_code=35, api_keys=[key])
        return versions

    old.on("ApiVersions", answer)
    connect(old.bootstrap).metadata([])
    assert [v for v, _ in old.asked("ApiVersions")] == [3, 2]


def test_a_request_that_the_broker_lacks_is_an_unsupported_version(
    fakes: Fakes, connect: Connect
) -> None:
    del fakes[0].ranges[2]
    fakes[0].ranges[3] = (90, 99)
    with pytest.raises(UnsupportedVersionError, match="does not support ListOffsets"):
        connect(fakes[0].bootstrap).call(ListOffsetsRequest(), ListOffsetsResponse)
    with pytest.raises(KafkaError, match=r"The supported range is \[90,99\]"):
        connect(fakes[0].bootstrap).metadata([])


def test_a_tls_port_is_told(fakes: Fakes, connect: Connect) -> None:
    fakes[0].on("ApiVersions", lambda r: Raw(b"\x15\x03\x03\x00\x02\x02\x46"))
    with pytest.raises(WrongProtocolError, match="this port speaks TLS"):
        connect(fakes[0].bootstrap).metadata([])


def test_a_port_that_speaks_something_else_is_told(fakes: Fakes, connect: Connect) -> None:
    for said, text in ((b"HTTP/1.1 400 Bad", "speaks HTTP"), (b"SSH-2.0-x", "SSH-")):
        fakes[0].on("ApiVersions", lambda r, said=said: Raw(said))
        with pytest.raises(WrongProtocolError, match=text):
            connect(fakes[0].bootstrap).metadata([])


def test_a_monstrous_length_is_refused_before_anything_is_kept(
    fakes: Fakes, connect: Connect
) -> None:
    for size in (LIMIT + 1, 0, 3, -1):
        fakes[0].on("ApiVersions", lambda r, s=size: Raw(s.to_bytes(4, "big", signed=True)))
        with pytest.raises(WrongProtocolError, match="does not speak Kafka"):
            connect(fakes[0].bootstrap).metadata([])


def test_a_hang_up_at_the_first_request_hints_at_tls(fakes: Fakes, connect: Connect) -> None:
    fakes[0].on("ApiVersions", lambda r: HangUp())
    with pytest.raises(CallTimeoutError, match="Timed out waiting for a node") as caught:
        connect(fakes[0].bootstrap, default_api_timeout_ms="50").metadata([])
    assert "does this port speak TLS?" in str(caught.value.trouble)


def test_a_hang_up_at_the_next_request_hints_at_sasl(fakes: Fakes, connect: Connect) -> None:
    fakes[0].on("Metadata", lambda r: HangUp())
    with pytest.raises(CallTimeoutError) as caught:
        connect(fakes[0].bootstrap, default_api_timeout_ms="50").metadata([])
    assert "does this port want SASL?" in str(caught.value.trouble)


def test_a_port_that_wants_a_login_is_told_at_once(fakes: Fakes, connect: Connect) -> None:
    fakes[0].on("Metadata", lambda r: HangUp())
    fakes[0].on(
        "SaslHandshake",
        lambda r: SaslHandshakeResponse(error_code=33, mechanisms=["PLAIN", "GSSAPI"]),
    )
    with pytest.raises(WrongProtocolError) as caught:
        connect(fakes[0].bootstrap).metadata([])
    assert str(caught.value).endswith(
        "this port wants a login: set security.protocol=SASL_PLAINTEXT, sasl.jaas.config and "
        "sasl.mechanism (PLAIN, GSSAPI)"
    )


def test_of_several_silent_brokers_each_has_its_share_of_the_time(connect: Connect) -> None:
    with contextlib.ExitStack() as stack:
        servers = ",".join(silent_brokers(stack, 3))
        with pytest.raises(CallTimeoutError) as caught:
            connect(servers, socket_connection_setup_timeout_ms="150").metadata([])
    assert "none of 3 brokers answers" in str(caught.value.trouble)
    assert "answers nothing for 0.15 s" in str(caught.value.trouble)


def test_the_silence_that_is_borne_is_shared_down_to_a_second() -> None:
    assert [_shared(5.0, parties) for parties in (1, 2, 5, 20)] == [5.0, 2.5, 1.0, 1.0]
    assert _shared(0.3, 20) == 0.3


def test_each_byte_that_comes_ends_a_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with socket.create_server(("127.0.0.1", 0)) as server:
        config = ClientConfig.of({"bootstrap.servers": "x:1"})
        connection = BrokerConnection(Address("127.0.0.1", server.getsockname()[1]), config)
        opening = connection.open(1000.0)
        assert next(opening)[2] == 104.0  # until TCP is there
        peer, _ = server.accept()
        with peer:
            assert next(opening)[2] == 104.0  # until the first byte
            for second in (103.0, 106.0, 109.0):
                now[0] = second
                peer.send(b"\0")
                select.select([connection.sock], [], [])
                assert next(opening)[2] == second + 4.0
            with pytest.raises(SilentError, match="answers nothing for 4 s"):
                opening.throw(TimeoutError())


def test_a_silent_broker_ends_in_a_request_time_out(fakes: Fakes, connect: Connect) -> None:
    fakes[0].on("Metadata", lambda r: Silence())
    with pytest.raises(CallTimeoutError) as caught:
        connect(fakes[0].bootstrap, request_timeout_ms="50", retries="0").metadata([])
    assert str(caught.value) == "Exceeded maxRetries after 1 tries."
    assert "no answer to MetadataRequest within 0." in str(caught.value.trouble)


def test_a_call_ends_at_its_deadline_whatever_a_request_may_take(
    fakes: Fakes, connect: Connect
) -> None:
    fakes[0].on("Metadata", lambda r: Silence())
    cluster = connect(fakes[0].bootstrap, request_timeout_ms="60000", default_api_timeout_ms="50")
    with pytest.raises(CallTimeoutError, match="timed out after 1 attempt"):
        cluster.metadata([])


def test_an_answer_to_another_question_is_refused(fakes: Fakes, connect: Connect) -> None:
    fakes[0].on("Metadata", lambda r: Raw((8).to_bytes(4, "big") + (99).to_bytes(4, "big") * 2))
    with pytest.raises(WrongProtocolError, match="not asked"):
        connect(fakes[0].bootstrap).metadata([])


def test_a_torn_answer_is_an_error_of_the_protocol(fakes: Fakes, connect: Connect) -> None:
    fakes[0].on("Metadata", lambda r: Raw((7).to_bytes(4, "big") + b"\0\0\0\x02\0\0\0"))
    with pytest.raises(Exception, match=r"(?i)malformed|short|end"):
        all_topics(connect(fakes[0].bootstrap))


def test_a_refused_connection_waits_no_longer_than_the_patience(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    cluster = connect(f"127.0.0.1:{port}")
    cluster.config.patience = 0.05
    with pytest.raises(CallTimeoutError) as caught:
        all_topics(cluster)
    assert str(caught.value) == "Timed out waiting for a node assignment. Call: listTopics"
    assert f"cannot connect to 127.0.0.1:{port}: Connection refused" in str(caught.value.trouble)


def test_a_name_that_does_not_resolve_fails_at_once(connect: Connect) -> None:
    with pytest.raises(NoBootstrapError, match="No resolvable bootstrap urls") as caught:
        connect("no-such-host.invalid:9092").metadata([])
    assert "cannot resolve 'no-such-host.invalid'" in str(caught.value.trouble)
    assert isinstance(caught.value.trouble, ConnectError)


def test_the_trace_tells_each_request_and_answer(fakes: Fakes, connect: Connect) -> None:
    cluster = connect(fakes[0].bootstrap)
    lines: list[str] = []
    cluster.trace = lines.append
    cluster.metadata([])
    assert any("-> MetadataRequest v12 #2" in line for line in lines)
    assert any("<- #2" in line and "ms" in line for line in lines)

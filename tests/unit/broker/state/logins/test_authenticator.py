"""The state machine of logins: codes and texts as in Apache Kafka's ``SaslServerAuthenticator``."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.logins.authenticator import Authenticator, LoginStep, Now, Offer
from pykafka_ops.broker.state.logins.dialogue import Accepted, Dialogue
from pykafka_ops.broker.state.session import Session
from pykafka_ops.errors import LoginError, WireError
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest
from pykafka_ops.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

NOW = Now(wall=1_000_000, timer=500.5)
HIDDEN = (
    "Authentication failed during authentication due to invalid credentials with SASL mechanism TWO"
)


def one() -> Dialogue:
    """One token, which is the name; ``expires`` ends 90 ms from now."""
    heard = yield b""
    if heard.token == b"":
        raise LoginError("no name", answer=True)
    expires = heard.now + 90 if heard.token == b"expires" else None
    return Accepted(heard.token.decode(), expires_at=expires)


def two() -> Dialogue:
    """Two tokens; the second is the password."""
    first = yield b""
    second = yield b"go on, " + first.token
    if second.token != b"secret":
        raise LoginError("a reason that only the log is told")
    return Accepted(first.token.decode(), b"welcome")


def silent() -> Dialogue:
    """One token, which is the name, and no answer to it."""
    heard = yield b""
    return Accepted(heard.token.decode(), None)


OFFER = Offer("SASL_PLAINTEXT", {"ONE": lambda: one(), "TWO": lambda: two()}, {"ONE": 0, "TWO": 50})


class Client:
    """Sends requests to an authenticator, and reads its answers."""

    def __init__(self, before: Session | None = None, offer: Offer = OFFER) -> None:
        self.authenticator = Authenticator(offer, "1.2.3.4", before)

    def frame(self, data: bytes) -> LoginStep:
        return self.authenticator.take(memoryview(data), NOW)

    def send(self, request: Any, version: int) -> LoginStep:
        return self.frame(encode_request(request, version, 7, "c")[4:])

    def ask(self, request: Any, version: int) -> tuple[Any, LoginStep]:
        step = self.send(request, version)
        assert int.from_bytes(step.data[:4], "big") == len(step.data) - 4
        response = APIS[table_of(type(request)).api].response
        found, answer = decode_response(response, version, memoryview(step.data[4:]))
        assert found == 7
        return answer, step

    def handshake(self, mechanism: str, version: int = 1) -> tuple[Any, LoginStep]:
        return self.ask(SaslHandshakeRequest(mechanism=mechanism), version)

    def token(self, data: bytes, version: int = 2) -> tuple[Any, LoginStep]:
        return self.ask(SaslAuthenticateRequest(auth_bytes=data), version)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_handshake_and_tokens_end_in_a_session(version: int) -> None:
    client = Client()
    answer, step = client.handshake("TWO")
    assert answer == SaslHandshakeResponse(mechanisms=["ONE", "TWO"])
    assert (step.failure, step.session) == (None, None)
    answer, step = client.token(b"alice", version)
    assert answer == SaslAuthenticateResponse(auth_bytes=b"go on, alice")
    assert step.session is None
    answer, step = client.token(b"secret", version)
    lifetime = 50 if version else 0
    assert answer == SaslAuthenticateResponse(auth_bytes=b"welcome", session_lifetime_ms=lifetime)
    assert step.session == Session("User:alice", "1.2.3.4", "SASL_PLAINTEXT", False, 550, "TWO")


def test_after_handshake_v0_tokens_are_frames_of_their_own() -> None:
    client = Client()
    client.handshake("TWO", 0)
    assert client.frame(b"alice").data == b"\0\0\0\x0cgo on, alice"
    step = client.frame(b"secret")
    assert step.data == b"\0\0\0\x07welcome"
    assert step.session is not None
    assert step.session.principal == "User:alice"


def test_an_empty_last_token_goes_out_as_an_empty_frame() -> None:
    client = Client()
    client.handshake("ONE", 0)
    step = client.frame(b"alice")
    assert (step.data, step.session is None) == (bytes(4), False)


def test_where_no_last_token_is_due_no_frame_goes_out() -> None:
    """As with GSSAPI, whose old clients would take it for the answer to their next request."""
    offer = OFFER._replace(mechanisms={"NONE": lambda: silent()})
    client = Client(offer=offer)
    client.handshake("NONE", 0)
    step = client.frame(b"alice")
    assert (step.data, step.session and step.session.principal) == (b"", "User:alice")
    client = Client(offer=offer)
    client.handshake("NONE")
    assert client.token(b"alice")[0].auth_bytes == b""


def test_a_failure_without_headers_has_no_answer() -> None:
    client = Client()
    client.handshake("TWO", 0)
    client.frame(b"alice")
    assert client.frame(b"x") == LoginStep(failure="a reason that only the log is told")


def test_without_limits_a_session_has_no_end() -> None:
    client = Client()
    client.handshake("ONE")
    answer, step = client.token(b"alice")
    assert answer.session_lifetime_ms == 0
    assert step.session is not None
    assert step.session.expires_at is None


@pytest.mark.parametrize(("longest", "lifetime"), [(0, 90), (40, 40), (1000, 90)])
def test_a_session_ends_with_the_credential_or_the_setting(longest: int, lifetime: int) -> None:
    client = Client(offer=OFFER._replace(max_reauth_ms={"ONE": longest}))
    client.handshake("ONE")
    answer, step = client.token(b"expires")
    assert answer.session_lifetime_ms == lifetime
    assert step.session is not None
    assert step.session.expires_at == 500 + lifetime


def test_an_unknown_mechanism_is_answered_with_those_there_are() -> None:
    answer, step = Client().handshake("THREE")
    code = ErrorCode.UNSUPPORTED_SASL_MECHANISM
    assert answer == SaslHandshakeResponse(error_code=code, mechanisms=["ONE", "TWO"])
    assert step.failure == "Unsupported SASL mechanism THREE"


def test_a_failure_is_told_where_it_gives_nothing_away() -> None:
    client = Client()
    client.handshake("ONE")
    answer, step = client.token(b"")
    failed = ErrorCode.SASL_AUTHENTICATION_FAILED
    assert answer == SaslAuthenticateResponse(error_code=failed, error_message="no name")
    assert step.failure == "no name"


def test_other_failures_are_hidden_from_the_client() -> None:
    client = Client()
    client.handshake("TWO")
    client.token(b"alice")
    answer, step = client.token(b"wrong")
    assert (answer.error_code, answer.error_message) == (58, HIDDEN)
    assert step.failure == "a reason that only the log is told"


@pytest.mark.parametrize("version", [0, 3, 4])
def test_versions_may_be_asked_for_once_before_the_handshake(version: int) -> None:
    client = Client()
    asked = ApiVersionsRequest(client_software_name="x", client_software_version="1")
    assert client.send(asked, version) == LoginStep(serve=True)
    with pytest.raises(WireError, match="out of place"):
        client.send(asked, version)


def test_versions_may_be_asked_for_again_after_a_version_that_is_not_known() -> None:
    client = Client()
    unknown = bytes.fromhex("0012 0063 00000007 ffff 00")
    assert client.frame(unknown) == LoginStep(serve=True)
    assert client.send(ApiVersionsRequest(), 0) == LoginStep(serve=True)
    assert client.handshake("ONE")[1].failure is None


def test_a_bad_name_of_software_does_not_count_as_asked() -> None:
    client = Client()
    assert client.send(ApiVersionsRequest(client_software_name="-"), 3) == LoginStep(serve=True)
    assert client.send(ApiVersionsRequest(), 0) == LoginStep(serve=True)


def test_no_other_request_is_served_before_the_login() -> None:
    step = Client().send(MetadataRequest(), 1)
    text = "Unexpected Kafka request of type METADATA during SASL handshake."
    assert step == LoginStep(failure=text)


def test_no_token_is_taken_before_the_handshake() -> None:
    step = Client().send(SaslAuthenticateRequest(auth_bytes=b"alice"), 1)
    text = "Unexpected Kafka request of type SASL_AUTHENTICATE during SASL handshake."
    assert step == LoginStep(failure=text)


@pytest.mark.parametrize("request_", [MetadataRequest(), SaslHandshakeRequest(mechanism="ONE")])
def test_between_tokens_another_request_is_refused(request_: Any) -> None:
    client = Client()
    client.handshake("TWO")
    client.token(b"alice")
    step = client.send(request_, 1)
    assert step.refuse
    assert step.failure is not None
    assert step.failure.startswith("Unexpected Kafka request of type ")
    assert step.failure.endswith(" during SASL authentication.")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x60",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\0alice\0secret",
        bytes.fromhex("0011 0001 00000007 7fff"),
    ],
)
def test_what_is_no_request_fails_as_a_login_at_first_and_else_ends_the_connection(
    data: bytes,
) -> None:
    first = Client().frame(data)
    assert first.failure is not None
    assert first.failure.startswith("the first frame is no request")
    assert first.data == b""
    later = Client()
    later.send(ApiVersionsRequest(), 0)
    with pytest.raises(WireError):
        later.frame(data)


def test_a_first_frame_that_is_no_request_is_a_token_of_gssapi() -> None:
    """Clients of Kafka 0.9 send no SaslHandshake."""
    offer = OFFER._replace(mechanisms={**OFFER.mechanisms, "GSSAPI": lambda: two()})
    client, token = Client(offer=offer), b"\x60\x7f"
    assert client.frame(token).data == b"\0\0\0\x09go on, " + token
    step = client.frame(b"secret")
    assert step.data == b"\0\0\0\x07welcome"
    assert step.session is not None
    assert step.session.mechanism == "GSSAPI"
    failed = Client(offer=offer)
    failed.frame(token)
    assert failed.frame(b"wrong") == LoginStep(failure="a reason that only the log is told")
    prolonged = Client(Session("User:alice", mechanism="GSSAPI"), offer).frame(token)
    assert (prolonged.failure or "").startswith("the first frame is no request")


@pytest.mark.parametrize("data", ["0011 0005 00000007 ffff", "0011 0001 00000007 ffff 7fff"])
def test_a_handshake_that_cannot_be_read_ends_the_connection(data: str) -> None:
    with pytest.raises(WireError):
        Client().frame(bytes.fromhex(data))


def test_a_session_is_prolonged_by_the_same_client() -> None:
    before = Session("User:alice", "1.2.3.4", "SASL_PLAINTEXT", False, 3, "ONE")
    client = Client(before)
    client.handshake("ONE")
    _, step = client.token(b"alice")
    assert step.session is not None
    assert step.session.principal == "User:alice"


def test_a_session_goes_to_nobody_else() -> None:
    client = Client(Session("User:alice", mechanism="ONE", expires_at=3))
    client.handshake("ONE")
    answer, step = client.token(b"bob")
    text = "Cannot change principals during re-authentication from User.alice: User.bob"
    assert (answer.error_code, answer.error_message) == (58, text)
    assert (step.failure, step.session) == (text, None)


def test_a_session_keeps_its_mechanism() -> None:
    client = Client(Session("User:alice", mechanism="ONE", expires_at=3))
    answer, step = client.handshake("TWO")
    assert (answer.error_code, step.failure) == (0, None)
    text = (
        "SASL mechanism 'TWO' requested by client is not supported for re-authentication of "
        "mechanism 'ONE'"
    )
    assert client.send(SaslAuthenticateRequest(), 1) == LoginStep(failure=text)


def test_versions_are_not_asked_for_while_a_session_is_prolonged() -> None:
    with pytest.raises(WireError):
        Client(Session("User:alice", mechanism="ONE")).send(ApiVersionsRequest(), 0)

"""The state machine of a login by SASL, from a connection's first frame to its session.

Counterpart of ``SaslServerAuthenticator``: KIP-43 (SaslHandshake), KIP-152 (SaslAuthenticate),
KIP-368 (a new login on a connection that goes on). Codes and texts are Kafka's.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from pykafka_ops.broker.state.client_software import is_software
from pykafka_ops.broker.state.logins.dialogue import (
    Accepted,
    Dialogue,
    Heard,
    NewDialogue,
    begun,
)
from pykafka_ops.broker.state.session import USER, Session
from pykafka_ops.errors import LoginError, WireError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode_at
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import RequestHeader, read_request_header, response_parts
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

API_KEYS = {int(api): api for api in ApiKey}
FEW = 100
"""Items of arrays that a request before the login may have; those of its kind have none."""


class Now(NamedTuple):
    """A moment: the wall clock, and a monotonic clock, both in ms."""

    wall: int
    timer: float


class Offer(NamedTuple):
    """What a listener takes logins by: mechanisms in order, and after how many ms a session by
    each of them ends (0: never)."""

    protocol: str
    mechanisms: Mapping[str, NewDialogue]
    max_reauth_ms: Mapping[str, int]


GSSAPI = "GSSAPI"


class LoginStep(NamedTuple):
    """What comes of a frame. ``data`` is to be sent; ``failure`` says why the connection is to be
    closed then; ``session`` is there when the login is done."""

    data: bytes = b""
    session: Session | None = None
    failure: str | None = None
    serve: bool = False
    """The frame is a request to be served as on any connection: ApiVersions."""
    refuse: bool = False
    """The frame is another request, which is to be answered with ILLEGAL_SASL_STATE."""


class Stage(Enum):
    """What may come next; ``FIRST``: ApiVersions or SaslHandshake."""

    FIRST = "ApiVersions or SaslHandshake"
    HANDSHAKE = "SaslHandshake"
    TOKENS = "tokens of the mechanism"
    BAD_MECHANISM = "nothing that helps"


class Authenticator:
    """One login of a client at ``host``; ``before`` is the session that it is to prolong.

    :meth:`take` raises WireError for what is no frame of a login, which closes the connection.
    """

    def __init__(self, offer: Offer, host: str, before: Session | None = None) -> None:
        self._offer = offer
        self._host = host
        self._before = before
        self._stage = Stage.FIRST
        self._mechanism = ""
        self._has_headers = False
        self._dialogue: Dialogue | None = None

    def take(self, frame: memoryview, now: Now) -> LoginStep:
        """The client sent a frame, without the length."""
        if self._stage is Stage.TOKENS:
            return self._token(frame, now)
        if self._stage is Stage.BAD_MECHANISM:
            return LoginStep(failure=self._bad_mechanism())
        return self._request(frame, now)

    # -- before the tokens ---------------------------------------------------------------------

    def _request(self, frame: memoryview, now: Now) -> LoginStep:
        try:
            header = read_request_header(frame)
        except WireError as error:
            if self._stage is not Stage.FIRST:
                raise
            return self._first_token(frame, now, error)
        if header.api_key == ApiKey.SASL_HANDSHAKE:
            return self._handshake(frame, header)
        if header.api_key == ApiKey.API_VERSIONS:
            return self._api_versions(frame, header)
        name = _kafka_name(header.api_key)
        return LoginStep(failure=f"Unexpected Kafka request of type {name} during SASL handshake.")

    def _first_token(self, frame: memoryview, now: Now, error: WireError) -> LoginStep:
        """Clients of 0.9 begin with a token of GSSAPI: Kafka takes all that is no request for
        one."""
        new = self._offer.mechanisms.get(GSSAPI)
        if new is None or self._before is not None:
            return LoginStep(failure=f"the first frame is no request: {error}")
        self._mechanism, self._dialogue = GSSAPI, begun(new)
        self._stage = Stage.TOKENS
        return self._raw_token(bytes(frame), now)

    def _api_versions(self, frame: memoryview, header: RequestHeader) -> LoginStep:
        if self._stage is not Stage.FIRST or self._before is not None:
            raise WireError("ApiVersions is out of place during a login")
        version, (lowest, highest) = header.api_version, ApiKey.API_VERSIONS.versions
        if lowest <= version <= highest:
            request: Any = _decode(ApiVersionsRequest, frame, header)
            if version < 3 or (
                is_software(request.client_software_name)
                and is_software(request.client_software_version)
            ):
                self._stage = Stage.HANDSHAKE
        return LoginStep(serve=True)

    def _handshake(self, frame: memoryview, header: RequestHeader) -> LoginStep:
        request: Any = _decode(SaslHandshakeRequest, frame, header)
        mechanism = request.mechanism
        new = self._offer.mechanisms.get(mechanism)
        answer = SaslHandshakeResponse(mechanisms=list(self._offer.mechanisms))
        if new is None:
            answer.error_code = ErrorCode.UNSUPPORTED_SASL_MECHANISM
            why = f"Unsupported SASL mechanism {_short(mechanism)}"
            return LoginStep(_encode(answer, header), failure=why)
        self._has_headers = header.api_version >= 1
        self._mechanism = mechanism
        if self._before is not None and self._before.mechanism != mechanism:
            self._stage = Stage.BAD_MECHANISM
        else:
            self._dialogue = begun(new)
            self._stage = Stage.TOKENS
        return LoginStep(_encode(answer, header))

    def _bad_mechanism(self) -> str:
        assert self._before is not None
        return (
            f"SASL mechanism '{self._mechanism}' requested by client is not supported for "
            f"re-authentication of mechanism '{self._before.mechanism}'"
        )

    # -- tokens --------------------------------------------------------------------------------

    def _token(self, frame: memoryview, now: Now) -> LoginStep:
        if not self._has_headers:
            return self._raw_token(bytes(frame), now)
        header = read_request_header(frame)
        if header.api_key != ApiKey.SASL_AUTHENTICATE:
            name = _kafka_name(header.api_key)
            why = f"Unexpected Kafka request of type {name} during SASL authentication."
            return LoginStep(failure=why, refuse=True)
        request: Any = _decode(SaslAuthenticateRequest, frame, header)
        try:
            token, session, lifetime = self._evaluate(bytes(request.auth_bytes), now)
        except LoginError as error:
            reason = self._generic() if error.answer is None else error.answer
            failed = SaslAuthenticateResponse(
                error_code=ErrorCode.SASL_AUTHENTICATION_FAILED, error_message=reason
            )
            return LoginStep(_encode(failed, header), failure=str(error))
        answer = SaslAuthenticateResponse(auth_bytes=token or b"", session_lifetime_ms=lifetime)
        return LoginStep(_encode(answer, header), session)

    def _raw_token(self, token: bytes, now: Now) -> LoginStep:
        try:
            answer, session, _ = self._evaluate(token, now)
        except LoginError as error:
            return LoginStep(failure=str(error))
        data = b"" if answer is None else len(answer).to_bytes(4, "big") + answer
        return LoginStep(data, session)

    def _generic(self) -> str:
        which = "authentication" if self._before is None else "re-authentication"
        return (
            f"Authentication failed during {which} due to invalid credentials with SASL mechanism "
            f"{self._mechanism}"
        )

    def _evaluate(self, token: bytes, now: Now) -> tuple[bytes | None, Session | None, int]:
        """What to answer, and the session, with how many ms it has (0: no end), once it is there.

        Raises LoginError."""
        assert self._dialogue is not None
        try:
            return self._dialogue.send(Heard(token, now.wall)), None, 0
        except StopIteration as done:
            accepted: Accepted = done.value
        session, lifetime = self._session(accepted, now)
        before = self._before
        if before is not None and before.principal != session.principal:
            old, new = (p.replace(":", ".", 1) for p in (before.principal, session.principal))
            text = f"Cannot change principals during re-authentication from {old}: {new}"
            raise LoginError(text, answer=True)
        return accepted.answer, session, lifetime

    def _session(self, accepted: Accepted, now: Now) -> tuple[Session, int]:
        longest = self._offer.max_reauth_ms.get(self._mechanism, 0)
        limits = [longest] if longest > 0 else []
        if accepted.expires_at is not None:
            limits.append(accepted.expires_at - now.wall)
        lifetime = max(min(limits), 0) if limits else 0
        session = Session(
            principal=f"{USER}:{accepted.name}",
            host=self._host,
            protocol=self._offer.protocol,
            by_token=accepted.by_token,
            expires_at=int(now.timer) + lifetime if limits else None,
            mechanism=self._mechanism,
        )
        return session, lifetime


def _decode(kind: type, frame: memoryview, header: RequestHeader) -> object:
    lowest, highest = API_KEYS[header.api_key].versions
    if not lowest <= header.api_version <= highest:
        name = APIS[header.api_key].name
        raise WireError(f"version {header.api_version} of {name} is not served")
    return decode_at(kind, header.api_version, frame, header.body, FEW)[0]


def _encode(answer: object, header: RequestHeader) -> bytes:
    parts: Any = response_parts(answer, header.api_version, header.correlation_id)
    return b"".join(parts)


def _kafka_name(key: int) -> str:
    """As ``ApiKeys`` names it: ``OFFSET_FETCH``."""
    return API_KEYS[key].name


def _short(text: str) -> str:
    """Of what a client says, as much as a line of the log needs."""
    return text if len(text) <= 50 else text[:50] + "..."

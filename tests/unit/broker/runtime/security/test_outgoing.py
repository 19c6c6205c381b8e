"""How a broker logs in to others: settings that are missing are told, tokens are got anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pykafka_ops.broker.runtime.security.bearer_login import tokens
from pykafka_ops.broker.runtime.security.login_modules import LoginModules
from pykafka_ops.broker.runtime.security.outgoing import outgoing_login
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import ConnectError, SettingError
from pykafka_ops.security.bearer_tokens import token_in
from pykafka_ops.security.sasl import AuthenticationError
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateResponse
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeResponse
from tests.support.process.certificates import Authority
from tests.support.process.logins import jaas_setting, module
from tests.support.process.token_provider import TokenProvider

MECHANISM = "sasl.mechanism.inter.broker.protocol"
ENDPOINT = "sasl.oauthbearer.token.endpoint.url"
UNSIGNED = {"unsecuredLoginStringClaim_sub": "broker"}


def settings(mechanism: str, **options: str) -> ListenerConfigs:
    made = {
        MECHANISM: mechanism,
        "sasl.enabled.mechanisms": mechanism,
        jaas_setting(mechanism): module(mechanism, **options),
    }
    return ListenerConfigs(BrokerConfigs(made), "LOGIN")


class Other:
    """The broker that is logged in to."""

    def __init__(self, *answers: SaslAuthenticateResponse, code: int = 0) -> None:
        self._hello = SaslHandshakeResponse(error_code=code, mechanisms=["PLAIN"])
        self._answers = list(answers)
        self.heard: list[bytes] = []

    async def __call__(self, request: Any, version: int, answer: type[Any]) -> Any:
        if answer is SaslHandshakeResponse:
            return self._hello
        self.heard.append(bytes(request.auth_bytes))
        return self._answers.pop(0)


def log_in(configs: ListenerConfigs, other: Other) -> int:
    login: Any = outgoing_login(configs, LoginModules({}))
    lifetime: int = asyncio.run(login(other, "localhost"))
    return lifetime


def test_a_password_is_shown_and_the_time_of_the_session_is_known() -> None:
    other = Other(SaslAuthenticateResponse(session_lifetime_ms=5000))
    assert log_in(settings("PLAIN", username="broker", password="s"), other) == 5000
    assert other.heard == [b"\0broker\0s"]


def test_a_token_is_shown() -> None:
    other = Other(SaslAuthenticateResponse())
    assert log_in(settings("OAUTHBEARER", **UNSIGNED), other) == 0
    assert other.heard[0].startswith(b"n,,\x01auth=Bearer ey")


def test_the_broker_hears_why_it_may_not() -> None:
    refused = SaslAuthenticateResponse(error_code=58, error_message="Authentication failed: no")
    with pytest.raises(AuthenticationError, match="Authentication failed: no"):
        log_in(settings("PLAIN", username="broker", password="s"), Other(refused))
    with pytest.raises(AuthenticationError, match="takes no login by PLAIN"):
        log_in(settings("PLAIN", username="broker", password="s"), Other(code=33))


@pytest.mark.parametrize(
    ("configs", "text"),
    [
        (settings("PLAIN", username="broker"), "needs a username and a password"),
        (settings("SCRAM-SHA-256"), "needs a username and a password"),
        (
            settings("OAUTHBEARER"),
            f"listener LOGIN: the login module of OAUTHBEARER has no token: set {ENDPOINT}",
        ),
        (
            ListenerConfigs(BrokerConfigs({}), "LOGIN"),
            "listener LOGIN needs a login module for GSSAPI",
        ),
        (
            ListenerConfigs(BrokerConfigs({MECHANISM: "PLAIN"}), "LOGIN"),
            f"{MECHANISM} must be included in sasl.enabled.mechanisms",
        ),
        (
            ListenerConfigs(
                BrokerConfigs({MECHANISM: "PLAIN", "sasl.enabled.mechanisms": "PLAIN"}), "LOGIN"
            ),
            "listener LOGIN needs a login module for PLAIN",
        ),
    ],
)
def test_what_is_missing_is_said_at_the_start(configs: ListenerConfigs, text: str) -> None:
    with pytest.raises(SettingError, match=text):
        outgoing_login(configs, LoginModules({}))


class Endpoint(BaseHTTPRequestHandler):
    """Gives a token for the right client."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        right = self.headers["Authorization"] == "Basic aWQ6c2VjcmV0"  # id:secret
        fit = body == b"grant_type=client_credentials&scope=kafka"
        self.send_response(200 if right and fit else 401)
        self.end_headers()
        self.wfile.write(b'{"access_token":"a.b.c","expires_in":60}')

    def log_message(self, *_: Any) -> None:
        return None


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/token"
    server.shutdown()
    thread.join()
    server.server_close()


def token(url: str, **options: str) -> str:
    configs = ListenerConfigs(BrokerConfigs({ENDPOINT: url}), "LOGIN")

    async def get() -> str:
        return await tokens(configs, options)()

    return asyncio.run(get())


def test_an_endpoint_gives_tokens_to_who_has_the_secret(endpoint: str) -> None:
    assert token(endpoint, clientId="id", clientSecret="secret", scope="kafka") == "a.b.c"
    with pytest.raises(ConnectError, match="HTTP status 401") as refused:
        token(endpoint, clientId="id", clientSecret="not it", scope="kafka")
    assert "not it" not in str(refused.value)


def test_an_endpoint_by_https_is_trusted_as_the_login_module_says(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    provider = TokenProvider({"id": "secret"}, certificate=authority.issue("provider"))
    login = {"clientId": "id", "clientSecret": "secret"}
    try:
        with pytest.raises(ConnectError, match="certificate verify failed"):
            token(provider.tokens_url, **login)
        trust = {"ssl.truststore.location": str(authority.ca)}
        assert token(provider.tokens_url, **login, **trust).count(".") == 2
    finally:
        provider.close()


def test_a_token_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a.b.c\n")
    assert token(f"file://{tmp_path / 'token'}") == "a.b.c"


@pytest.mark.parametrize("url", ["ftp://x", "http://x"])
def test_an_endpoint_that_cannot_be_asked_is_told(url: str) -> None:
    with pytest.raises(SettingError, match=ENDPOINT):
        token(url)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"access_token":5}', b"[" * 50_000])
def test_an_answer_without_a_token_is_told(data: bytes) -> None:
    with pytest.raises(ConnectError, match="no access_token"):
        token_in("http://x", data)

"""How a client of each library gets into a cluster: what it trusts, what it shows, who it says it
is."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import aiokafka.abc
from kafka.net.sasl.oauth import AbstractTokenProvider

from pykafka_ops.security.bearer_tokens import unsigned
from tests.support.process import tls_broker
from tests.support.process.certificates import Authority
from tests.support.process.logins import module
from tests.support.waiting import PATIENCE

BEARER = "OAUTHBEARER"
TOKEN_HANDLER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"


class Login(NamedTuple):
    """Who logs in. By OAUTHBEARER that is a client of the ``provider``, which gives tokens at this
    address, with a certificate of this authority; without one its token is signed by nobody.
    ``by_token``: a delegation token, its id and its HMAC in base64."""

    mechanism: str
    name: str
    secret: str
    provider: tuple[str, Authority] | None = None
    by_token: bool = False


class Entry(NamedTuple):
    """Where to connect, ``host:port``, by which of Kafka's security protocols. The client trusts
    ``authority``, and shows the certificate in ``key`` (PEM, with its key) if there is one."""

    where: str
    protocol: str
    authority: Authority
    key: Path | None = None
    login: Login | None = None

    @property
    def by_tls(self) -> bool:
        return self.protocol.endswith("SSL")


def librdkafka(entry: Entry) -> dict[str, object]:
    """Settings of confluent-kafka."""
    found = tls_broker.librdkafka(entry.authority, entry.key) if entry.by_tls else {}
    found |= {"security.protocol": entry.protocol, "log_level": 0}
    login = entry.login
    if login is None:
        return found
    found["sasl.mechanism"] = login.mechanism
    if login.provider is not None:
        url, authority = login.provider
        return found | {
            "https.ca.location": str(authority.ca),
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.token.endpoint.url": url,
            "sasl.oauthbearer.client.id": login.name,
            "sasl.oauthbearer.client.secret": login.secret,
        }
    if login.mechanism == BEARER:
        who = {"sasl.oauthbearer.config": f"principal={login.name}"}
        return found | who | {"enable.sasl.oauthbearer.unsecure.jwt": True}
    return found | {"sasl.username": login.name, "sasl.password": login.secret}


def python(entry: Entry, provider: Callable[[Login], object]) -> dict[str, Any]:
    """Settings of kafka-python, and of aiokafka; ``provider`` makes theirs of tokens."""
    found: dict[str, Any] = {"security_protocol": entry.protocol}
    if entry.by_tls:
        found["ssl_context"] = tls_broker.context(entry.authority, entry.key)
    login = entry.login
    if login is None:
        return found
    found["sasl_mechanism"] = login.mechanism
    if login.mechanism == BEARER:
        return found | {"sasl_oauth_token_provider": provider(login)}
    return found | {"sasl_plain_username": login.name, "sasl_plain_password": login.secret}


def java(entry: Entry) -> dict[str, str]:
    """Settings of a Java client."""
    found = tls_broker.java(entry.authority, entry.key) if entry.by_tls else {}
    found |= {"bootstrap.servers": entry.where, "security.protocol": entry.protocol}
    login = entry.login
    if login is None:
        return found
    found["sasl.mechanism"] = login.mechanism
    if login.provider is not None:
        url, authority = login.provider
        options = {"clientId": login.name, "clientSecret": login.secret}
        options |= provider_trust(authority)
        found["sasl.login.callback.handler.class"] = TOKEN_HANDLER
        found["sasl.oauthbearer.token.endpoint.url"] = url
    elif login.mechanism == BEARER:
        options = {"unsecuredLoginStringClaim_sub": login.name}
    else:
        options = {"username": login.name, "password": login.secret}
        options |= {"tokenauth": "true"} if login.by_token else {}
    return found | {"sasl.jaas.config": module(login.mechanism, **options)}


def provider_trust(authority: Authority) -> dict[str, str]:
    """Options of Kafka's login module by which a provider with such a certificate is trusted."""
    return {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(authority.ca)}


def ask_token(login: Login) -> str:
    """A token of the provider's, by the credentials of a client; without one a token that nobody
    signs."""
    if login.provider is None:
        return unsigned({"unsecuredLoginStringClaim_sub": login.name}, int(time.time() * 1000))
    url, authority = login.provider
    shown = b64encode(f"{login.name}:{login.secret}".encode()).decode()
    body = urlencode({"grant_type": "client_credentials"}).encode()
    asked = Request(url, body, {"Authorization": f"Basic {shown}"})
    with urlopen(asked, timeout=PATIENCE, context=tls_broker.context(authority)) as answer:
        return str(json.load(answer)["access_token"])


class KafkaPythonTokens(AbstractTokenProvider):
    """Tokens of the provider's for kafka-python."""

    def __init__(self, login: Login) -> None:
        super().__init__()
        self._login = login

    def token(self) -> str:
        return ask_token(self._login)


class AioTokens(aiokafka.abc.AbstractTokenProvider):
    """The same for aiokafka."""

    def __init__(self, login: Login) -> None:
        self._login = login

    async def token(self) -> str:
        return ask_token(self._login)

"""How a client logs in, from ``sasl.jaas.config`` and ``sasl.mechanism`` as in Kafka."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime

from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.errors import SettingError
from pykafka_ops.security import jaas
from pykafka_ops.security.sasl import Dialogue, bearer, dialogue

BEARER = "OAUTHBEARER"
KERBEROS = "GSSAPI"
AWS = "AWS_MSK_IAM"
BLOCKING = {KERBEROS: "the KDC", AWS: "what gives AWS credentials"}
"""Mechanisms each step of which may ask somebody else, and whom."""
_USED = 0.8
"""Of its life a token is used so far, as in Kafka (sasl.login.refresh.window.factor)."""


def new_dialogue(config: ClientConfig, host: str) -> Dialogue:
    """A login to the broker at ``host``. ClientConfigError where settings lack what it needs,
    ConnectError where a token provider gives no token; it is asked here, which blocks."""
    line = config.get("sasl.jaas.config")
    if config.sasl_mechanism == BEARER:
        from pykafka_ops.security.bearer_tokens import extensions

        return bearer(token(config), extensions(jaas.options(line or "")))
    if config.sasl_mechanism == KERBEROS:
        from pykafka_ops.client import kerberos

        return kerberos.new_dialogue(config, host)
    if config.sasl_mechanism == AWS:
        from pykafka_ops.client import aws

        return aws.new_dialogue(config, host)
    nonce = secrets.token_hex(16)
    return dialogue(config.sasl_mechanism, *credentials(line), nonce, by_token=is_token(line))


def credentials(line: str | None) -> tuple[str, str]:
    """User and password; ClientConfigError where the JAAS line lacks them."""
    options = jaas.options(line or "")
    if "username" not in options or "password" not in options:
        raise ClientConfigError(
            "sasl.jaas.config must hold a username and a password, as in: "
            'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" '
            'password="p"; or name a file with a section KafkaClient by '
            "KAFKA_OPTS=-Djava.security.auth.login.config=FILE"
        )
    return options["username"], options["password"]


def is_token(line: str | None) -> bool:
    """Whether they are a delegation token's id and HMAC (``tokenauth``)."""
    return jaas.options(line or "").get("tokenauth", "").lower() == "true"


def who(config: ClientConfig) -> str:
    """Who logs in, as far as the settings say."""
    line = config.get("sasl.jaas.config")
    options = jaas.options(line or "")
    if config.sasl_mechanism == KERBEROS:
        return options.get("principal") or "the ticket's owner"
    if config.sasl_mechanism == AWS:
        return options.get("awsRoleArn") or options.get("awsProfileName") or "the AWS credentials"
    if config.sasl_mechanism != BEARER:
        kind = "the delegation token " if is_token(line) else ""
        return kind + options.get("username", "?")
    from pykafka_ops.security.bearer_tokens import claims_of

    held = config.bearer[0] if config.bearer else ""
    return str(claims_of(held).get("sub") or options.get("clientId") or "a token")


def why_refused(config: ClientConfig) -> str:
    """What the broker does not say of a login that it refuses, for behind its words; "" where
    nothing is known. A held token of OAuth 2.0 is given up."""
    if config.sasl_mechanism == BEARER:
        from pykafka_ops.security.bearer_tokens import claims_of

        held, config.bearer = config.bearer, None
        ends = claims_of(held[0]).get("exp") if held else None
        if isinstance(ends, (int, float)) and 0 <= ends <= time.time():
            return f" (its token ended at {_moment(ends)})"
        return " (is the token one that the brokers expect: signer, issuer, audience?)"
    if is_token(config.get("sasl.jaas.config")):
        return " (has the token ended, or was it expired? pko tokens list shows those there are)"
    return ""


def token(config: ClientConfig) -> str:
    """The token of OAuth 2.0 to log in with: the last one of the provider while it is good, else a
    new one. Raises ClientConfigError, ConnectError."""
    from pykafka_ops.security import bearer_tokens

    now = time.time()
    if config.bearer is not None and now < config.bearer[1]:
        return config.bearer[0]
    options = jaas.options(config.get("sasl.jaas.config") or "")
    url = config.get(bearer_tokens.ENDPOINT)
    try:
        bearer_tokens.check(url, options)
        if url is None:
            made = bearer_tokens.unsigned(options, int(now * 1000))
        else:
            from pykafka_ops.security.provider_calls import ProviderCalls

            made = bearer_tokens.of_provider(url, options, ProviderCalls(options).read)
    except SettingError as error:
        raise ClientConfigError(str(error)) from None
    ends = bearer_tokens.claims_of(made).get("exp")
    good = (ends - now) * _USED if isinstance(ends, (int, float)) else 0
    renewed = url is not None and url.startswith("http")  # a file may hold another one any time
    config.bearer = (made, now + good if renewed else now)
    return made


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(min(seconds, 253402300799), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

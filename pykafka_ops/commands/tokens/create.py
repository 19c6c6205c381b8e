"""``pko tokens create``: the secret is shown once, or written to a file of client settings."""

from __future__ import annotations

import os
from base64 import b64encode

from pykafka_ops.client.tokens import Token, create_token
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.principal import principal
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.tokens.rows import tokens_table
from pykafka_ops.errors import PkoError, UsageError

_KEPT = ("ssl.truststore.", "ssl.enabled.", "ssl.endpoint.", "bootstrap.servers")
"""Client settings that a login by the token needs as we do."""


class TokenFileError(PkoError):
    """The token is there, and its file is not."""


def create(run: Run) -> Table:
    """A token of the login, or of --owner."""
    args = run.args
    owners = [principal(text) for text in args.given("owner")]
    if len(owners) > 1:
        raise UsageError("a token has one owner")
    renewers = [principal(text) for text in args.given("renewer")]
    life = args.span("max-life")
    path = args.text("file")
    fd = None if path is None else _opened(path)
    try:
        token = create_token(
            run.cluster(),
            owner=owners[0] if owners else None,
            renewers=renewers,
            life=-1 if life is None else life,
        )
    except PkoError:
        if fd is not None and path is not None:
            os.close(fd)
            os.unlink(path)
        raise
    if fd is None or path is None:
        return tokens_table([token], secret=True)
    _write(fd, path, _settings(token, run.properties()))
    return tokens_table([token], secret=False, notes=[f"{path}: client settings with its secret"])


def _opened(path: str) -> int:
    """A new file that nobody else may read; UsageError. It is made first: a token whose secret is
    lost could only be expired."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _write(fd: int, path: str, text: str) -> None:
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise TokenFileError(
            f"{path}: {error.strerror}; the token is created: pko tokens list --show-hmac"
        ) from None


def _settings(token: Token, ours: dict[str, str]) -> str:
    """A login by SCRAM with the token's id and HMAC (KIP-48), on the listener that we used."""
    mechanism = ours.get("sasl.mechanism", "")
    found = {
        "security.protocol": ours.get("security.protocol", "SASL_SSL").upper(),
        "sasl.mechanism": mechanism if mechanism.startswith("SCRAM") else "SCRAM-SHA-256",
        "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required "
        f'username="{token.id}" password="{b64encode(token.hmac).decode()}" tokenauth="true";',
    }
    if found["security.protocol"] == "SSL":
        found["security.protocol"] = "SASL_SSL"
    found |= {key: value for key, value in ours.items() if key.startswith(_KEPT)}
    return "".join(f"{key}={_escaped(value)}\n" for key, value in found.items())


def _escaped(text: str) -> str:
    """As a value of a properties file."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")

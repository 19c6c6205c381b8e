"""User and password for SASL PLAIN and SCRAM, from ``sasl.jaas.config`` as in Kafka."""

from __future__ import annotations

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.security import jaas


def credentials(line: str | None) -> tuple[str, str]:
    """User and password; ClientConfigError where the JAAS line lacks them."""
    options = jaas.options(line or "")
    if "username" not in options or "password" not in options:
        raise ClientConfigError(
            "sasl.jaas.config must hold a username and a password, as in: "
            'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" '
            'password="p";'
        )
    return options["username"], options["password"]


def is_token(line: str | None) -> bool:
    """Whether they are a delegation token's id and HMAC (``tokenauth``)."""
    return jaas.options(line or "").get("tokenauth", "").lower() == "true"

"""Settings that count for one listener, as ``listener.name.<name>.<setting>``, or for a SASL
mechanism on it, as ``listener.name.<name>.<mechanism>.<setting>``."""

from __future__ import annotations

import re
from typing import Final

MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI")
"""Those that Kafka comes with."""

LISTENER_SETTINGS: Final = frozenset(
    {
        "connections.max.reauth.ms",
        "max.connection.creation.rate",
        "max.connections",
        "sasl.enabled.mechanisms",
        "sasl.kerberos.principal.to.local.rules",
        "sasl.kerberos.service.name",
        "sasl.server.callback.handler.class",
        "sasl.server.max.receive.size",
        "ssl.allow.dn.changes",
        "ssl.allow.san.changes",
        "ssl.cipher.suites",
        "ssl.client.auth",
        "ssl.enabled.protocols",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.principal.mapping.rules",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)
"""What counts with the prefix of a listener."""

MECHANISM_SETTINGS: Final = frozenset(
    {
        "connections.max.reauth.ms",
        "sasl.jaas.config",
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.scope.claim.name",
        "sasl.oauthbearer.sub.claim.name",
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.server.callback.handler.class",
    }
)
"""What counts with the prefix of a listener and of a mechanism."""

_OF_MECHANISM = rf"(?:{'|'.join(map(re.escape, MECHANISMS))})\.".lower()


def setting_of(name: str) -> str | None:
    """The setting that ``name``, which is without the prefix of its listener, sets; None if it has
    no effect there."""
    if name in LISTENER_SETTINGS:
        return name
    found = re.match(_OF_MECHANISM, name)
    plain = name[found.end() :] if found else ""
    return plain if plain in MECHANISM_SETTINGS else None

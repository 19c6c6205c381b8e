"""How long somebody waits who looks what is wrong."""

from __future__ import annotations

from pykafka_ops.client.config import GLANCE_SECONDS, SILENCE, ClientConfig


def at_a_glance(config: ClientConfig) -> None:
    """A broker that hangs has ``GLANCE_SECONDS`` for each answer, unless ``request.timeout.ms`` is
    set, or how long it may be silent."""
    if not {"request.timeout.ms", SILENCE} & config.properties.keys():
        config.request_timeout = config.silence = GLANCE_SECONDS
        config.api_timeout = min(config.api_timeout, 2 * GLANCE_SECONDS)

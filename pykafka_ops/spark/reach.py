"""A connection to the cluster a report is about, with as much patience as reports have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from pykafka_ops.client.cluster import CallTimeoutError, Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.connection import SilentError
from pykafka_ops.errors import ConnectError

PATIENCE: Final = 10.0
"""Seconds to keep trying while no broker at all answers, unless the properties say otherwise."""


@contextmanager
def reached(properties: Mapping[str, str]) -> Iterator[Cluster]:
    """A cluster by the properties of a Kafka client; closed at the end.

    Where a call timed out, ConnectError says what went wrong before.
    """
    config = ClientConfig.of(properties)
    if "default.api.timeout.ms" not in properties:
        config.patience = min(PATIENCE, config.api_timeout)
    cluster = Cluster(config)
    try:
        yield cluster
    except CallTimeoutError as error:
        servers = properties["bootstrap.servers"]
        kind = SilentError if isinstance(error.trouble, SilentError) else ConnectError
        raise kind(f"cluster at {servers}: {error.trouble or error}") from None
    finally:
        cluster.close()

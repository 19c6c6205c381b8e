"""Connections to the clusters of a link. Each thread has its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.errors import PkoError

PATIENCE: Final = 5.0
"""Seconds that a cluster is tried at a time: who looks at the mirror is to see that one is away."""
CALL: Final = 30.0


def fresh_config(config: ClientConfig) -> ClientConfig:
    """The same settings, for connections of their own."""
    made = ClientConfig.of(config.properties)
    if "default.api.timeout.ms" not in config.properties:
        made.api_timeout = CALL
    made.patience = min(PATIENCE, made.api_timeout)
    return made


def connected(config: ClientConfig) -> Cluster:
    """A cluster with connections of its own; nothing is sent yet."""
    return Cluster(fresh_config(config))


class ClusterTroubleError(PkoError):
    """A cluster does not answer, or refuses; ``alias`` says which, the text why."""

    def __init__(self, alias: str, error: PkoError) -> None:
        super().__init__(in_one_line(error))
        self.alias = alias
        self.exit_code = error.exit_code
        self.ours = f"cluster {alias}: {self}"


@contextlib.contextmanager
def at(alias: str) -> Iterator[None]:
    """What is done at a cluster; what goes wrong is a ClusterTroubleError."""
    try:
        yield
    except ClusterTroubleError:
        raise
    except PkoError as error:
        raise ClusterTroubleError(alias, error) from None

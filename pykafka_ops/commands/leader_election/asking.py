"""The election itself, with the time limits of Kafka's tool."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.elections import PREFERRED, UNCLEAN, elect_leaders
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError

API_SECONDS = 30.0
REQUEST_SECONDS = 15.0
KINDS = {"PREFERRED": PREFERRED, "UNCLEAN": UNCLEAN}
Results = dict[Partition, KafkaError | None]


def cluster(run: Run) -> Cluster:
    """The cluster; unless the user sets them, a call takes 30 s at most and a request 15 s."""
    made = run.cluster()
    given = run.properties()
    if "request.timeout.ms" not in given:
        made.config.request_timeout = REQUEST_SECONDS
    if "default.api.timeout.ms" not in given:
        made.config.api_timeout = API_SECONDS
        made.config.patience = min(made.config.patience, API_SECONDS)
    return made


def elect(run: Run, kind: str, partitions: Iterable[Partition] | None) -> Results:
    """Elect; per partition None or its error. KafkaError, CallTimeoutError."""
    return elect_leaders(cluster(run), KINDS[kind], partitions)


def named(partition: Partition) -> str:
    """``orders-0``."""
    return f"{partition[0]}-{partition[1]}"

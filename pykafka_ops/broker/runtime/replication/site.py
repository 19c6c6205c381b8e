"""What the fetchers of a broker share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.replication.throttle import ReplicationQuota

if TYPE_CHECKING:  # a broker alone asks nobody
    from pykafka_ops.broker.runtime.cluster.peer import Peer


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What fetchers share: this broker, its replicas, connections to others.

    ``connect(leader, fetcher)`` gives a connection for one fetcher alone (raises ConnectError);
    ``broker_epoch()`` is that of the registration at hand; ``timer()`` a monotonic clock;
    ``throttle`` limits what is copied (``follower.replication.throttled.rate``).
    """

    broker_id: int
    broker_epoch: Callable[[], int]
    replicas: Replicas
    configs: BrokerConfigs
    connect: Callable[[int, int], Peer]
    timer: Callable[[], float]
    throttle: ReplicationQuota

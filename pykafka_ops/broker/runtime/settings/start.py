"""The settings a broker begins with."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.broker.runtime.cluster import adoption
from pykafka_ops.broker.runtime.cluster.membership import NO_BROKER_ID
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.storage.files import RealFiles
from pykafka_ops.settings import check

ALONE = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


def settings_at_start(properties: Mapping[str, str]) -> BrokerConfigs:
    """The settings a broker starts with. Raises SettingError, StorageError.

    Without ``zookeeper.connect`` it is a cluster of one: what Kafka's own
    ``config/server.properties`` sets for that case is the default here, and so is the id that the
    log directories know, else 0.
    """
    if properties.get("zookeeper.connect", "").strip():
        return BrokerConfigs(properties)
    properties = {**ALONE, **properties}
    found = BrokerConfigs(properties)
    if found.value("broker.id") != NO_BROKER_ID:
        return found
    stored = adoption.stored_identity(RealFiles(), check.log_dirs(found.value))[0] or 0
    if stored > found.value("reserved.broker.max.id"):
        return found  # a generated one, which is not for settings
    return BrokerConfigs({**properties, "broker.id": str(stored)})

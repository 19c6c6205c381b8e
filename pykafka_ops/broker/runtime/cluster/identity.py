"""What a broker is called and which settings it begins with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.registration import generate_broker_id
from pykafka_ops.broker.runtime.cluster import adoption
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.storage.files import RealFiles
from pykafka_ops.settings import check
from pykafka_ops.wire.types import uuid_text

if TYPE_CHECKING:
    from pykafka_ops.broker.metadata.store import MetadataStore

NO_BROKER_ID = -1
ALONE = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


def configs(properties: Mapping[str, str]) -> BrokerConfigs:
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


async def broker_id(store: MetadataStore, configs: BrokerConfigs, stored: int | None) -> int:
    """``broker.id``, else the id ``stored`` in the log directories, else a new one.

    Raises StoreError (``KafkaServer.getOrGenerateBrokerId``).
    """
    wanted: int = configs.value("broker.id")
    if wanted != NO_BROKER_ID:
        return wanted
    if stored is not None:
        return stored
    return await generate_broker_id(store, configs.value("reserved.broker.max.id"))


def random_uuid() -> bytes:
    """Kafka's ``Uuid.randomUuid``: never one whose text starts with a dash."""
    while True:
        found = os.urandom(16)
        if not uuid_text(found).startswith("-"):
            return found

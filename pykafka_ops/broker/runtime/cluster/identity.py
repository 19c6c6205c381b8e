"""What a broker and new topics are called."""

from __future__ import annotations

import os

from pykafka_ops.broker.metadata.registration import generate_broker_id
from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.wire.types import uuid_text

NO_BROKER_ID = -1


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

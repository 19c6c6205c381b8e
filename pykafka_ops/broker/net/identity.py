"""What a broker is called and which settings it begins with."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pykafka_ops.broker.net import adoption
from pykafka_ops.broker.state.configs import BrokerConfigs
from pykafka_ops.broker.storage.files import RealFiles
from pykafka_ops.settings import check
from pykafka_ops.wire.types import uuid_text

NO_BROKER_ID = -1
ALONE = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


def configs(properties: Mapping[str, str]) -> BrokerConfigs:
    """The settings; without ``broker.id`` the id that the log directories know, else 0.

    A broker on its own is a cluster of one: what Kafka's own ``config/server.properties`` sets
    for that case is the default here.
    """
    properties = {**ALONE, **properties}
    found = BrokerConfigs(properties)
    if found.value("broker.id") != NO_BROKER_ID:
        return found
    stored = adoption.stored_identity(RealFiles(), check.log_dirs(found.value))[0]
    return BrokerConfigs({**properties, "broker.id": str(stored or 0)})


def random_uuid() -> bytes:
    """Kafka's ``Uuid.randomUuid``: never one whose text starts with a dash."""
    while True:
        found = os.urandom(16)
        if not uuid_text(found).startswith("-"):
            return found

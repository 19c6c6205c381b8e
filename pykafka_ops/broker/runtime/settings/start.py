"""The settings a broker begins with."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from pykafka_ops.broker.runtime.cluster import adoption
from pykafka_ops.broker.runtime.cluster.membership import NO_BROKER_ID
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.settings import check
from pykafka_ops.settings.broker import BROKER

LAST_START = "started.json"
"""In the data directory: what the broker was started with, without secrets."""
ALONE = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


def record_start(static: Mapping[str, str], data_dir: str) -> None:
    """Leave for :func:`last_start` what a broker starts with; a full disk keeps what was there."""
    known = {k: v for k, v in static.items() if k in BROKER and not BROKER[k].sensitive}
    made = os.path.join(data_dir, f"{LAST_START}.new")
    with suppress(OSError):
        with open(made, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, sort_keys=True)
        os.replace(made, os.path.join(data_dir, LAST_START))


def last_start(data_dir: str | os.PathLike[str]) -> BrokerConfigs:
    """The settings that the broker in ``data_dir`` started with last, Kafka's defaults if it never
    did. Raises SettingError, StorageError."""
    try:
        with open(os.path.join(data_dir, LAST_START), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        found = None
    return settings_at_start(found if isinstance(found, dict) else {})


def seal_passwords(configs: BrokerConfigs) -> None:
    """Have passwords among dynamic settings encrypted, where ``password.encoder.secret`` is set.
    Raises SettingError."""
    get = configs.value
    secret = get("password.encoder.secret")
    if secret:
        from pykafka_ops.security.password_encoder import PasswordEncoder  # few ask for it

        configs.sealing = PasswordEncoder(
            secret,
            old_secret=get("password.encoder.old.secret"),
            factory=get("password.encoder.keyfactory.algorithm"),
            cipher=get("password.encoder.cipher.algorithm"),
            key_bits=get("password.encoder.key.length"),
            iterations=get("password.encoder.iterations"),
        )


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

"""Settings that are set on brokers and topics themselves, several of each read and changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import (
    BROKER,
    TOPIC,
    AlterOp,
    ConfigResource,
    alter_configs,
    describe_configs,
)
from pykafka_ops.errors import PkoError
from pykafka_ops.settings.source import ConfigSource

_OWN = {TOPIC: ConfigSource.DYNAMIC_TOPIC_CONFIG, BROKER: ConfigSource.DYNAMIC_BROKER_CONFIG}
OwnValues = Mapping[ConfigResource, Mapping[str, str | None]]
"""What settings of brokers and topics shall be; None: not set."""


def own_settings(
    cluster: Cluster, places: Sequence[ConfigResource], keys: Sequence[str] | None = None
) -> dict[ConfigResource, dict[str, str | None] | PkoError]:
    """Those of ``keys`` (None: of all) that are set on the brokers and topics themselves."""
    return {
        place: entries
        if isinstance(entries, PkoError)
        else {
            e.name: e.value
            for e in entries
            if e.source == _OWN[place.type] and (keys is None or e.name in keys)
        }
        for place, entries in describe_configs(cluster, places, keys=keys).items()
    }


def alter_own(cluster: Cluster, values: OwnValues) -> dict[ConfigResource, PkoError | None]:
    """Set and unset them; how that went."""
    changes = {
        place: [(AlterOp.DELETE if v is None else AlterOp.SET, k, v) for k, v in wanted.items()]
        for place, wanted in values.items()
    }
    return alter_configs(cluster, changes) if changes else {}

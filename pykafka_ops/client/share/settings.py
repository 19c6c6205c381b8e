"""Which client settings a member of a share group has. Pure.

Source: ShareConsumerConfig of Kafka's clients.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pykafka_ops.client.config import ClientConfigError

OF_OTHERS: Final = (
    "auto.offset.reset", "enable.auto.commit", "group.instance.id", "isolation.level",
    "partition.assignment.strategy", "interceptor.classes", "session.timeout.ms",
    "heartbeat.interval.ms", "group.protocol", "group.remote.assignor",
)  # fmt: skip
"""Settings of consumer groups that a share group refuses."""


class NotOfShareGroupsError(ClientConfigError):
    """A setting that consumer groups alone have."""


def check_share_settings(names: Collection[str]) -> None:
    """Raises NotOfShareGroupsError for what a member of a share group cannot set."""
    found = [name for name in OF_OTHERS if name in names]
    if found:
        raise NotOfShareGroupsError(f"{','.join(found)} cannot be set when using a share group.")
